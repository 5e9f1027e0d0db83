/* Incomplete factors: exact where A has all that elimination fills, on its own
 * nonzeros where not; rows without a pivot. */
#include "rt/mesh/ilu.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { N = 4 };

/* Of a dense matrix those that are not 0. */
static struct rt_ilu *
compressed(const double a[N][N]) {
  struct rt_ilu *m = rt_ilu_new(N, (int64_t)N * N);
  int64_t n = 0;
  for (idx_l i = 0; i < N; i++) {
    m->start[i] = n;
    for (idx_l j = 0; j < N; j++)
      if (a[i][j] != 0) {
        m->col[n] = j;
        m->val[n++] = a[i][j];
      }
  }
  m->start[N] = n;
  return m;
}

Test(rt_ilu, a_band_has_exact_factors) {
  const double a[N][N] = {
      {4, -1, 0, 0}, {-1, 4, -2, 0}, {0, 1, 5, -1}, {0, 0, -1, 3}};
  const double want[N] = {1, -2, 3, 0.5};
  double x[N] = {0};
  struct rt_ilu *m = compressed(a);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) x[i] += a[i][j] * want[j];
  cr_assert_eq(rt_ilu_factor(m), -1);
  rt_ilu_solve(m, x);
  for (int i = 0; i < N; i++) cr_expect(fabs(x[i] - want[i]) < 1e-15);
  rt_ilu_free(m);
}

/* (L U)_ij = a_ij for all (i, j) that A has, whatever it fills beside. */
Test(rt_ilu, factors_agree_on_the_nonzeros) {
  const double a[N][N] = {
      {4, -1, 0, -1}, {-1, 4, -1, 0}, {0, -1, 4, -1}, {-1, 0, -1, 4}};
  struct rt_ilu *m = compressed(a);
  double l[N][N] = {{0}}, u[N][N] = {{0}};
  cr_assert_eq(rt_ilu_factor(m), -1);
  for (idx_l i = 0; i < N; i++) {
    l[i][i] = 1;
    for (int64_t s = m->start[i]; s < m->start[i + 1]; s++)
      (m->col[s] < i ? l : u)[i][m->col[s]] = m->val[s];
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++) sum += l[i][k] * u[k][j];
      if (a[i][j] != 0) cr_expect(fabs(sum - a[i][j]) < 1e-15, "%d %d", i, j);
    }
  rt_ilu_free(m);
}

Test(rt_ilu, a_row_without_a_pivot_is_named) {
  const double none[N][N] = {
      {1, 0, 0, 0}, {0, 2, 0, 0}, {0, 1, 0, 1}, {0, 0, 0, 1}};
  const double zero[N][N] = {
      {1, 2, 0, 0}, {2, 4, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  struct rt_ilu *m = compressed(none);
  cr_expect_eq(rt_ilu_factor(m), 2);
  rt_ilu_free(m);
  m = compressed(zero);
  cr_expect_eq(rt_ilu_factor(m), 1);
  rt_ilu_free(m);
}
