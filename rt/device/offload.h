/* Launches on a device; what exec.c asks of offload.c. */
#ifndef RT_OFFLOAD_H
#define RT_OFFLOAD_H

#include "rt/walk/walk.h"

struct rt_buf;

/* How an offloaded launch runs: found before the first command. */
struct rt_offload_run {
  idx_l n;                    /* elements that count for globals */
  idx_l end;                  /* elements */
  uint32_t group;             /* work items in a group */
  const struct rt_walk *walk; /* NULL: neither by colours nor staged */
  size_t local;               /* bytes for each group; 0: not staged */
};

/* Everything that can fail before the first launch over n and end elements:
 * plans, tables, scratch. */
status rt_offload_prepare(
    const struct rt_program *p, struct rt_launch *l, idx_l n, idx_l end,
    const struct rt_entries *conflicts, struct rt_offload_run *out);
/* Run elements [lo, hi), lo < hi, on these slot buffers. What they give to
 * reductions goes into the globals' cells or, with a `row`, is left there
 * (rt_reduce_claim bytes; with numbers of elements, if the code claims); of
 * elements from n on, nothing that they give to globals counts. Those before
 * are counted in the program's order, where it matters. */
status rt_offload_launch(const struct rt_program *p, const struct rt_launch *l,
                         const struct rt_offload_run *r, struct rt_buf **bufs,
                         idx_l lo, idx_l hi, char *row);

#endif
