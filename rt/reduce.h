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
/* Start rows acc + i * row, i in [0, nrows). */
void rt_reduce_start(const struct rt_launch *l, void *const *globals, char *acc,
                     size_t row, idx_l nrows);
/* Combine them into the globals in row order. */
void rt_reduce_finish(const struct rt_launch *l, void *const *globals,
                      const char *acc, size_t row, idx_l nrows);

#endif
