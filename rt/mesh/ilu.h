/* Incomplete factors of a square matrix in compressed rows, on its own
 * nonzeros: A is about L U, where L has ones on its diagonal. */
#ifndef RT_ILU_H
#define RT_ILU_H

#include "base/types.h"

/* Row i has values val[start[i] .. start[i + 1]) in ascending columns, its
 * diagonal at diag[i]. */
struct rt_ilu {
  idx_l n;
  int64_t *start, *diag; /* [n + 1], [n] */
  idx_l *col;
  double *val; /* of A, then of L below the diagonal and of U */
};

/* Room for n rows and so many values. */
struct rt_ilu *rt_ilu_new(idx_l n, int64_t nonzeros);
void rt_ilu_free(struct rt_ilu *m);
/* From A, with start, col and val set, to its factors. Returns -1, or the row
 * that has no diagonal, or 0 or no number there, where it ended. cost
 * O(sum over nonzeros (i, k) of row k's length) */
idx_l rt_ilu_factor(struct rt_ilu *m);
/* x [n] = U^-1 L^-1 x. cost O(nonzeros) */
void rt_ilu_solve(const struct rt_ilu *m, double *x);

#endif
