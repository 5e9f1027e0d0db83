/* The last word of an Euler program: are mass and energy still there, and is each
 * limited value within its bounds? */
#ifndef BENCH_EULER_VERDICT_H
#define BENCH_EULER_VERDICT_H

#include <stdio.h>

#include "../common.h"
#include "kernels.h"

/* first, last: what `totals` found; most: what `excess` did. Prints one line; 1 if
 * mass or energy came or went (1e-12 of all), or a limited value is beyond its
 * bounds by more than EULER_SLACK; 0 otherwise: an exit code. */
static inline int
euler_verdict(const double *first, const double *last, double most) {
  double mass = fabs(last[1] - first[1]) / (EULER_RHO * first[0]);
  double energy = fabs(last[2] - first[2]) / (EULER_ENERGY * first[0]);
  int limited = most <= EULER_SLACK * (1 + 1e-9);
  int right = mass <= 1e-12 && energy <= 1e-12 && limited;
  printf("mass and energy %s: %.3g and %.3g of them gained or lost; %s: %.3g "
         "beyond\n",
         mass <= 1e-12 && energy <= 1e-12 ? "conserved" : "NOT CONSERVED", mass,
         energy, limited ? "limits hold" : "LIMITS DO NOT HOLD", most);
  return !right;
}

static inline void
euler_result(const char *argv0, const struct bench_options *o, int threads,
             const struct bench_timer *t, const double *sum, double rms) {
  struct bench_value values[] = {{"mass", EULER_RHO * sum[0] + sum[1]},
                                 {"rms", rms}};
  bench_result_values(argv0, o, threads, t, values, 2);
}

#endif
