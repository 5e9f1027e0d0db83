/* STREAM's triad (McCalpin 1995): a[i] = b[i] + 3 c[i] over arrays that fit no
 * cache; the bandwidth that other figures are fractions of. Counts the 24 bytes
 * an element that the loop names, as STREAM does. */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "../take.h"

enum { N = 12 * 1000 * 1000, ROUNDS = 12 };

static void
fill(double *restrict a, double *restrict b, double *restrict c) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < N; i++) {
    a[i] = 0;
    b[i] = i;
    c[i] = 1;
  }
}

static double
triad(double *restrict a, const double *restrict b, const double *restrict c) {
  double begin = omp_get_wtime();
#pragma omp parallel for schedule(static)
  for (int i = 0; i < N; i++) a[i] = b[i] + 3 * c[i];
  return omp_get_wtime() - begin;
}

int
main(void) {
  double *a = bench_take(N, sizeof *a), *b = bench_take(N, sizeof *b),
         *c = bench_take(N, sizeof *c), best = 1e30;
  fill(a, b, c);
  for (int r = 0; r < ROUNDS; r++) {
    double t = triad(a, b, c);
    if (t < best) best = t;
  }
  bool right = a[N - 1] == N - 1 + 3.0;
  printf("result name=stream threads=%d gb_per_s=%.4g\n", omp_get_max_threads(),
         3 * sizeof(double) * 1e-9 * N / best);
  free(a);
  free(b);
  free(c);
  return !right;
}
