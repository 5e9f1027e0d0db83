/* Stretches: elements one after another along which each entry of a map names
 * the next target at the next element, or stays at one.
 *
 *   element  0  1  2  3 | 4  5  6 ...        table[e * 2 + 0], [e * 2 + 1]
 *   entry 0  7  8  9 10 | 20 21 22           steps
 *   entry 1  3  3  3  3 |  4  4  4           still
 *
 * Row e of a relation with rows of one length, in stretch k = [start[k],
 * start[k + 1]): entry i names first[k * arity + i] + (e - start[k]), or, where
 * bit i of `still` is set, first[k * arity + i]. */
#ifndef RT_MESH_STRETCH_H
#define RT_MESH_STRETCH_H

#include "rt/mesh/relation.h"

struct rt_stretches {
  idx_l n;
  uint32_t still;
  idx_l *start; /* [n + 1]; start[0] == 0, start[n] == from->n */
  idx_l *first; /* [n * arity] */
};

/* Those of a relation, if they have `least` elements on average; else NULL.
 * GIVE: rt_stretches_free. cost a look at some thousand rows where there are
 * none, else two passes. ERR_MEMORY */
status rt_stretches_find(const struct rt_relation *r, uint32_t least,
                         struct rt_stretches **out);
/* Room for n of them, GIVE, all zero, in one block; NULL: no memory. */
struct rt_stretches *rt_stretches_new(idx_l n, uint32_t arity);
void rt_stretches_free(struct rt_stretches *s); /* NULL is allowed */

#endif
