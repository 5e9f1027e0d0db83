/* STREAM's triad (McCalpin 1995): a[i] = b[i] + 3 c[i] over arrays that fit no
 * cache; the bandwidth that other figures are fractions of. Counts the 24 bytes
 * an element that the loop names, as STREAM does. An array is four times the
 * last cache, as STREAM's rules ask for, at least 96 MB, and less where the
 * three would take more than a quarter of the memory. gb_per_s is of the best
 * round, which STREAM prints, mean_gb_per_s of all of them: what compares with
 * a program's mean time of an iteration. */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../take.h"

enum { LEAST = 12 * 1000 * 1000, ROUNDS = 12 };

/* The elements of an array here. */
static long
elements(void) {
  long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  long room = sysconf(_SC_PHYS_PAGES) / 4 * sysconf(_SC_PAGESIZE);
  long n = 4 * cache / (long)sizeof(double);
  if (n > room / 3 / (long)sizeof(double)) n = room / 3 / (long)sizeof(double);
  return n < LEAST ? LEAST : n;
}

static void
fill(long n, double *restrict a, double *restrict b, double *restrict c) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; i++) {
    a[i] = 0;
    b[i] = (double)i;
    c[i] = 1;
  }
}

static double
triad(long n, double *restrict a, const double *restrict b,
      const double *restrict c) {
  double begin = omp_get_wtime();
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; i++) a[i] = b[i] + 3 * c[i];
  return omp_get_wtime() - begin;
}

int
main(void) {
  long n = elements();
  double *a = bench_take((size_t)n, sizeof *a);
  double *b = bench_take((size_t)n, sizeof *b);
  double *c = bench_take((size_t)n, sizeof *c), best = 1e30, sum = 0;
  fill(n, a, b, c);
  for (int r = 0; r < ROUNDS; r++) {
    double t = triad(n, a, b, c);
    if (t < best) best = t;
    sum += t;
  }
  bool right = a[n - 1] == (double)(n - 1) + 3.0;
  double gb = 3 * sizeof(double) * 1e-9 * (double)n;
  printf("result name=stream threads=%d array_mb=%ld gb_per_s=%.4g "
         "mean_gb_per_s=%.4g\n",
         omp_get_max_threads(), n * (long)sizeof(double) / 1000000, gb / best,
         gb * ROUNDS / sum);
  free(a);
  free(b);
  free(c);
  return !right;
}
