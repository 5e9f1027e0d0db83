/* The last word of a Chebyshev program: did the residual fall? */
#ifndef BENCH_CHEBYSHEV_VERDICT_H
#define BENCH_CHEBYSHEV_VERDICT_H

#include <stdio.h>

#include "../common.h"
#include "kernels.h"

/* After n smoothings the residual is at most that of the slowest part, which one
 * step of any kind leaves 1 - 0.0588 / theta of; 1 else: an exit code. */
static inline int
chebyshev_verdict(int n, double first, double last) {
  double limit = pow(1 - 0.0588 / CHEBYSHEV_MOST, n);
  int right = last <= first * (limit > 1e-12 ? limit : 1e-12);
  printf("residual %.3g of the first after %d smoothings: %s\n", last / first,
         n, right ? "right" : "WRONG");
  return !right;
}

#endif
