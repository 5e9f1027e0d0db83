/* Who is to own which element. Each fills in p->to of parts that are not spread
 * yet; collective. */
#ifndef RT_PARTITION_H
#define RT_PARTITION_H

#include "rt/ranks/dist.h"

/* Any rank, by a hash of the element's number. */
status rt_partition_random(struct rt_comm *c, struct rt_part *p);
/* Halves of equal size across the longest axis of inertia, halved again.
 * at[declared][dim]: where the elements are, dim 1 to 3 */
status rt_partition_inertial(struct rt_comm *c, struct rt_part *p,
                             const double *at, int dim);
/* As owner[declared] says. ERR_ARG: no such rank */
status rt_partition_given(struct rt_comm *c, struct rt_part *p,
                          const int *owner);
/* Few links between parts of the set that map `m` of d goes to, whose elements
 * are linked if a row names both; by PT-Scotch. ERR_MPI: it is not there */
status rt_partition_graph(struct rt_dist *d, uint32_t m);
/* Other parts of d follow part `prime` through maps, set by set: an element
 * goes where most of those are that it names, or, if it names nobody, where the
 * first row is that names it. So they do through maps of parts that stay. Sets
 * that no map links stay as they were declared. */
status rt_partition_follow(struct rt_dist *d, uint32_t prime);

/* libop2lazy-ptscotch.so: parts[n] for the vertices [first, first + n), which
 * have neighbours list[start[i] .. start[i+1]); communicator as
 * rt_comm_ops.handle gives it. Returns NULL, or what failed. */
typedef const char *rt_ptscotch(const void *communicator, int ranks, int64_t n,
                                const int64_t *start, const int64_t *list,
                                int *parts);

#endif
