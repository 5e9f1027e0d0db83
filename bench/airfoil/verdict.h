/* The last word of an Airfoil program: right, wrong, or no published answer. */
#ifndef BENCH_AIRFOIL_VERDICT_H
#define BENCH_AIRFOIL_VERDICT_H

#include <stdio.h>

#include "kernels.h"

/* Prints one line; 1 if the published result was missed or rms is no number, 0
 * otherwise: an exit code. */
static inline int
airfoil_verdict(int ncell, int iters, double rms) {
  if (ncell != AIRFOIL_CELLS || iters != AIRFOIL_ITERS) {
    printf("no published result for %d cells and %d iterations\n", ncell,
           iters);
    return isfinite(rms) ? 0 : 1;
  }
  double miss = airfoil_miss(rms);
  int wrong = !(miss < 1e-5);
  printf("rms %s the published result: %.3g per cent off\n",
         wrong ? "MISSES" : "agrees with", miss);
  return wrong;
}

#endif
