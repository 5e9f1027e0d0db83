/* Private accumulators of a launch: rows of memory, one per thread or piece. */
#ifndef RT_REDUCE_H
#define RT_REDUCE_H

#include "rt/plan.h"

/* Bytes of a row, whole pairs of cache lines; 0 without reductions. */
size_t rt_reduce_row(const struct rt_launch *l);
/* Where reductions[index] lies in a row. */
size_t rt_reduce_offset(const struct rt_launch *l, uint32_t index);
/* Has any global a payload? Then elements must be seen in order. */
bool rt_reduce_ordered(const struct rt_launch *l);
/* Bytes of what rt_reduce_pick compares: a row, and the element that each
 * component's value is of. */
size_t rt_reduce_claim(const struct rt_launch *l);
/* A row starts anew: nobody claims anything. */
void rt_reduce_claim_start(const struct rt_launch *l, char *claim);
/* Element `g` ran on `row`; those components that it changed are its own. */
void rt_reduce_claim_note(const struct rt_launch *l, char *claim,
                          const char *row, idx_g g);
/* The same in the form in which devices make it: a row, and numbers of elements
 * in some order. Where the numbers of reductions[index]'s components stand; 0:
 * it has no payload, and none. */
size_t rt_reduce_claim_offset(const struct rt_launch *l, uint32_t index);
/* Numbers i become global[order[i]]. */
void rt_reduce_claim_globals(const struct rt_launch *l, char *claim,
                             const idx_l *order, const idx_g *global);
/* Take from `later`, of later elements, what is better; other reductions are
 * combined. */
void rt_reduce_claim_join(const struct rt_launch *l, char *claim,
                          const char *later);
/* Into `row`: what globals hold before the launch. */
void rt_reduce_begun(const struct rt_launch *l, void *const *globals,
                     char *row);
/* Extremes with payloads begin with the best of the ranks' rows, of equal ones
 * with that of the first. */
void rt_reduce_begin_best(const struct rt_launch *l, const char *rows,
                          int ranks, void *const *globals);
/* Into `row`: of all ranks' claims the best values with payloads, and of equal
 * ones that of the first element. Other reductions stay. */
void rt_reduce_pick(const struct rt_launch *l, const char *claims, int ranks,
                    char *row);
/* Start rows acc + i * row, i in [0, nrows). */
void rt_reduce_start(const struct rt_launch *l, void *const *globals, char *acc,
                     size_t row, idx_l nrows);
/* Combine them into the globals in row order, exact sums left out. */
void rt_reduce_finish(const struct rt_launch *l, void *const *globals,
                      const char *acc, size_t row, idx_l nrows);

#endif
