/* Layouts of dats on the host and on devices. */
#ifndef RT_DEV_H
#define RT_DEV_H

#include <stdint.h>

/* Block length of a dat's host storage: 1 AoS, 0 SoA, b AoSoA. `want` is
 * OP2_LAYOUT ("auto", "aos", "soa", a number); `soa` a ":soa" type or
 * OP_AUTO_SOA. -1: `want` is none of these. */
int rt_layout_choose(const char *want, unsigned dim, int soa);

/* Block length on devices: SoA, so that work items that are neighbours read
 * words that are. Dats that overlap in memory lie as on the host. */
static inline uint32_t
rt_dev_block(uint32_t dim) {
  return dim > 1 ? 0 : 1;
}

#endif
