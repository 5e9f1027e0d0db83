/* Sparsity: which columns each row of a matrix has, as compressed rows of
 * global column numbers, ascending. */
#ifndef RT_SPARSITY_H
#define RT_SPARSITY_H

#include "base/err.h"
#include "base/types.h"

struct rt_pair {
  idx_g row, col;
};

/* Row first + i has col[start[i] .. start[i + 1]). */
struct rt_sparsity {
  idx_g first;
  idx_l rows;
  int64_t *start; /* [rows + 1] */
  idx_g *col;
};

/* From pairs of these rows, in any order, repeated or not; `diagonal`: and
 * (row, row) of each. cost O(n log(longest row)), 8 bytes a pair. ERR_MEMORY */
status rt_sparsity_make(idx_g first, idx_l rows, bool diagonal,
                        const struct rt_pair *pairs, size_t n,
                        struct rt_sparsity *out);
void rt_sparsity_clear(struct rt_sparsity *s);
/* The number of a nonzero, by rows; -1: it is none. */
int64_t rt_sparsity_find(const struct rt_sparsity *s, struct rt_pair p);

#endif
