/* Parts of a launch that writes through maps: see rt/walk/parts.c;
 * rt_parts_get. */
#ifndef RT_PARTS_H
#define RT_PARTS_H

#include "rt/plan.h"

struct rt_range {
  idx_l lo, hi; /* elements [lo, hi) */
};

/* Part k runs ranges[start[k] .. start[k+1]), k in [0, parts); what is left,
 * ranges[start[parts] .. start[parts+1]), runs when all parts are done. Ranges
 * ascend in each list. !pays: too much is left; use colours. */
struct rt_parts {
  idx_l n;
  int parts;
  bool pays;
  uint32_t *start;
  struct rt_range *ranges;
  uint32_t nranges, capranges;
};

/* The parts for these conflicts, from the plan cache or made. KEEP. */
status rt_parts_get(idx_l n, int parts, const struct rt_entries *c, uint32_t nc,
                    const struct rt_parts **out);

status rt_parts_make(idx_l n, int parts, const struct rt_entries *c,
                     uint32_t nc, struct rt_parts **out);
void rt_parts_free(struct rt_parts *p);
/* Independent check: each element once, no target in two parts. */
status rt_parts_check(const struct rt_parts *p, const struct rt_entries *c,
                      uint32_t nc);

#endif
