/* Layouts of dats on the host and on devices. */
#ifndef RT_DEV_H
#define RT_DEV_H

#include <stdint.h>

/* Block length of a dat's host storage: 1 AoS, 0 SoA, b AoSoA. `want` is
 * OP2_LAYOUT ("auto", "aos", "soa", a number); `soa` a ":soa" type or
 * OP_AUTO_SOA. -1: `want` is none of these. */
int rt_layout_choose(const char *want, unsigned dim, int soa);

#endif
