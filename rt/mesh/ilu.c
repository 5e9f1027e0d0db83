/* ILU(0): Gaussian elimination by rows that keeps only what A has values for.
 *
 *   for row i:
 *     for k < i in it:  a_ik = a_ik / a_kk
 *                       a_ij = a_ij - a_ik a_kj for j > k in both rows
 *
 * Source: Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed. (2003),
 * algorithm 10.4. */
#include "rt/mesh/ilu.h"

#include "base/arena.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct rt_ilu *
rt_ilu_new(idx_l n, int64_t nonzeros) {
  assert(n >= 0 && nonzeros >= 0);
  struct rt_ilu *m = mem_alloc(1, sizeof *m);
  size_t rows = (size_t)n, values = (size_t)nonzeros;
  *m = (struct rt_ilu){.n = n,
                       .start = mem_alloc(rows + 1, sizeof *m->start),
                       .diag = mem_alloc(rows + 1, sizeof *m->diag),
                       .col = mem_alloc(values + 1, sizeof *m->col),
                       .val = mem_alloc(values + 1, sizeof *m->val)};
  return m;
}

void
rt_ilu_free(struct rt_ilu *m) {
  if (!m) return;
  free(m->start);
  free(m->diag);
  free(m->col);
  free(m->val);
  free(m);
}

/* Row i less its multiple of row k; at[j]: 1 + where column j is in row i. */
static void
subtract(const struct rt_ilu *m, int64_t at_k, idx_l k, const int64_t *at) {
  double f = m->val[at_k] /= m->val[m->diag[k]];
  for (int64_t s = m->diag[k] + 1; s < m->start[k + 1]; s++)
    if (at[m->col[s]]) m->val[at[m->col[s]] - 1] -= f * m->val[s];
}

/* Is there a pivot in row i in the end? */
static bool
eliminate(struct rt_ilu *m, idx_l i, int64_t *at) {
  int64_t from = m->start[i], to = m->start[i + 1], s = from;
  for (int64_t k = from; k < to; k++) at[m->col[k]] = k + 1;
  for (; s < to && m->col[s] < i; s++) subtract(m, s, m->col[s], at);
  for (int64_t k = from; k < to; k++) at[m->col[k]] = 0;
  m->diag[i] = s;
  return s < to && m->col[s] == i && m->val[s] != 0 && isfinite(m->val[s]);
}

idx_l
rt_ilu_factor(struct rt_ilu *m) {
  int64_t *at = mem_alloc((size_t)m->n + 1, sizeof *at);
  idx_l i = 0;
  while (i < m->n && eliminate(m, i, at)) i++;
  free(at);
  return i < m->n ? i : -1;
}

void
rt_ilu_solve(const struct rt_ilu *m, double *x) {
  for (idx_l i = 0; i < m->n; i++)
    for (int64_t s = m->start[i]; s < m->diag[i]; s++)
      x[i] -= m->val[s] * x[m->col[s]];
  for (idx_l i = m->n - 1; i >= 0; i--) {
    for (int64_t s = m->diag[i] + 1; s < m->start[i + 1]; s++)
      x[i] -= m->val[s] * x[m->col[s]];
    x[i] /= m->val[m->diag[i]];
  }
}
