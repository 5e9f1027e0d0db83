/* Margins: how far along its targets a relation has come when some of its
 * elements have run, in their order.
 *
 *   rows   0: 0 1 | 1: 1 2 | 2: 0 3 | 3: 3 4      (blocks of one element)
 *   least  0        0        0        3        5  from block k on, none below
 *   bound  0        2        3        4        5  before it, none from here
 *
 * Targets below least[k] are done with when the elements before block k have
 * run; those from bound[k] on have not been gone to. What lies between is the
 * relation's drift there: elements 0 and 2 name target 0, so at block 2 it is
 * 3. */
#ifndef RT_MESH_MARGINS_H
#define RT_MESH_MARGINS_H

#include "rt/mesh/relation.h"

/* Elements of a block, of a set of n: as many as the cuts between shares are
 * multiples of, but fewer where the set is small. */
static inline idx_l
rt_margin_block(idx_l n) {
  enum { LARGEST = 64, BLOCKS = 4096 };
  idx_l block = LARGEST;
  while (block > 1 && n / block < BLOCKS) block /= 2;
  return block;
}

/* Elements [lo, hi), and of what they name targets [first, end). */
struct rt_window {
  idx_l lo, hi, first, end;
};
static inline struct rt_window
rt_window_all(const struct rt_relation *r) {
  return (struct rt_window){0, r->from->n, 0, r->to->n};
}

struct rt_margins {
  idx_l n;     /* blocks, */
  idx_l block; /* each of so many elements, */
  struct rt_window window;
  idx_l *least; /* [n + 1]; least[n] == window.end */
  idx_l *bound; /* [n + 1]; bound[0] == window.first */
};

/* Of all entries in the window. GIVE: rt_margins_clear. cost one pass.
 * ERR_MEMORY */
status rt_margins_make(const struct rt_relation *r, struct rt_window window,
                       struct rt_margins *out);
void rt_margins_clear(struct rt_margins *m); /* zero is allowed */
/* The largest of its drifts, in targets. */
idx_l rt_margins_drift(const struct rt_margins *m);

#endif
