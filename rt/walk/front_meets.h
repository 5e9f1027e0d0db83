/* What of a front's launches meets what: front_meets.c. */
#ifndef RT_FRONT_MEETS_H
#define RT_FRONT_MEETS_H

#include "rt/mesh/margins.h"
#include "rt/walk/walk.h"

/* Elements of a launch, in one order: all of them, or over ranks a layer. */
struct rt_strand {
  uint32_t launch;
  struct rt_range all;
  int layer; /* rt_set_layer's */
};

/* How a strand goes to targets [first, end): by a map, or (NULL) to its own
 * elements. */
struct rt_way_to {
  const struct rt_margins *margins;
  idx_l first, end;
};

/* Strand r goes by way `a` where strand `before`, perhaps r itself, goes by way
 * `b`, and one of them writes. */
struct rt_meet {
  uint32_t before;
  struct rt_way_to a, b;
};

struct rt_meets {
  const struct rt_program *p;
  const struct rt_chain *c;
  struct rt_strand *strands; /* by launch, in the order of their elements */
  uint32_t n, capstrands;
  struct rt_meet *all; /* by strand */
  uint32_t nall, capall;
  uint32_t *first; /* [n + 1]: where those of a strand begin */
};

/* Of a chain of pieces; margins are those of rt_margins_get. GIVE: clear, also
 * where it fails. cost O(strands^2 * touches), and margins. ERR_MEMORY */
status rt_meets_find(const struct rt_program *p, const struct rt_chain *c,
                     struct rt_meets *out);
void rt_meets_clear(struct rt_meets *m);

static inline const struct rt_launch *
rt_strand_launch(const struct rt_meets *m, uint32_t r) {
  return &m->p->launches[m->c->first + m->strands[r].launch];
}
static inline idx_l
rt_strand_size(const struct rt_meets *m, uint32_t r) {
  return m->strands[r].all.hi - m->strands[r].all.lo;
}
/* What pieces of it are multiples of, from its first element on, but for the
 * last. */
static inline idx_l
rt_strand_unit(const struct rt_meets *m, uint32_t r) {
  return rt_margin_block(rt_strand_size(m, r));
}
/* Where element e of the strand would come, were there no layers: places grow
 * with e. How many there are for all strands of its launch, and what no front
 * has. The first element in [lo, hi) that comes to `place` or behind; hi: none.
 */
idx_l rt_strand_place(const struct rt_meets *m, uint32_t r, idx_l e);
idx_l rt_strand_places(const struct rt_meets *m, uint32_t r);
idx_l rt_strand_at(const struct rt_meets *m, uint32_t r, idx_l lo, idx_l hi,
                   int64_t place);

/* Targets from this one on are named by no element before e, */
static inline idx_l
rt_way_bound(const struct rt_way_to *x, idx_l e) {
  const struct rt_margins *y = x->margins;
  if (!y) return e < x->first ? x->first : e < x->end ? e : x->end;
  e -= y->window.lo;
  return y->bound[e / y->block + (e % y->block > 0)];
}
/* and those below this one by none from e on. */
static inline idx_l
rt_way_least(const struct rt_way_to *x, idx_l e) {
  const struct rt_margins *y = x->margins;
  if (!y) return e < x->first ? x->first : e < x->end ? e : x->end;
  return y->least[e == y->window.hi ? y->n : (e - y->window.lo) / y->block];
}

#endif
