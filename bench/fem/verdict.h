/* The last word of a finite-element program: was the known solution found? */
#ifndef BENCH_FEM_VERDICT_H
#define BENCH_FEM_VERDICT_H

#include <stdio.h>

#include "../common.h"

/* Bilinear elements are off by O(h^2): here by at most 3 h^2 (u has second
 * derivatives below 10 and the mesh is bent by 5 per cent; 0.8 h^2 is seen).
 * Runs that were cut short by --iters are not judged. Returns an exit code. */
static inline int
fem_verdict(const struct bench_options *o, int iters, bool converged,
            double most) {
  int n = o->size[0] < o->size[1] ? o->size[0] : o->size[1];
  double limit = 3.0 / ((double)n * n);
  if (!converged) {
    printf("cut short after %d steps\n", iters);
    return most == most ? 0 : 1;
  }
  printf("%d steps; largest error %.3e, %s the limit %.3e\n", iters, most,
         most <= limit ? "within" : "BEYOND", limit);
  return most <= limit ? 0 : 1;
}

#endif
