/* Launches on a device; what exec.c asks of offload.c. */
#ifndef RT_OFFLOAD_H
#define RT_OFFLOAD_H

#include "rt/plan.h"

struct rt_buf;

/* How an offloaded launch runs: found before the first command. */
struct rt_offload_run {
  idx_l n;
  uint32_t items, group; /* of a plain launch; of a coloured one: the widest */
  const struct rt_plan *plan; /* NULL: neither by colours nor staged */
  size_t local;               /* bytes for each group; 0: not staged */
};

/* Everything that can fail before the first launch: plans, tables, scratch. */
status rt_offload_prepare(const struct rt_program *p, struct rt_launch *l,
                          struct rt_conflict *conflicts,
                          struct rt_offload_run *out);
/* Run it on these slot buffers; `row` is host memory for one row of
 * accumulators. */
status rt_offload_launch(const struct rt_program *p, const struct rt_launch *l,
                         const struct rt_offload_run *r, struct rt_buf **bufs,
                         char *row);

#endif
