/* The last word of a multigrid program: did the residual fall, was the known
 * solution found? */
#ifndef BENCH_MULTIGRID_VERDICT_H
#define BENCH_MULTIGRID_VERDICT_H

#include <stdio.h>

#include "../common.h"
#include "kernels.h"

/* first, last: residuals, with `cycles` between; most: what `error` found. A cycle
 * must halve the residual, down to rounding; where it fell to 1e-6, the error is
 * that of linear elements, at most h^2 / 2. Prints one line; returns an exit
 * code. */
static inline int
multigrid_verdict(const struct bench_options *o, int cycles, double first,
                  double last, double most) {
  int n = o->size[0] < o->size[1] ? o->size[0] : o->size[1];
  double left = last / first, limit = 0.5 / ((double)n * n);
  double factor = pow(left, 1.0 / (cycles > 0 ? cycles : 1));
  int right =
      (factor <= 0.5 || left <= 1e-11) && (left > 1e-6 || most <= limit);
  printf("residual %.3g of the first after %d cycles, %.3g a cycle; largest "
         "error %.3g, limit %.3g: %s\n",
         left, cycles, factor, most, limit, right ? "right" : "WRONG");
  return !right;
}

#endif
