/* The last word of a shallow-water program: is all of the water still there? */
#ifndef BENCH_SHALLOW_VERDICT_H
#define BENCH_SHALLOW_VERDICT_H

#include <stdio.h>

#include "../common.h"
#include "kernels.h"

/* What `totals` found. */
struct shallow_sum {
  double sum[3], deepest;
};

static inline double
shallow_mass(const struct shallow_sum *s) {
  return s->sum[0] * SHALLOW_REST + s->sum[1];
}

/* Prints one line; 1 if water or tracer came or went (to 1e-12 of the mass), or
 * if the deepest place is shallower than the mean; 0 otherwise: an exit
 * code. */
static inline int
shallow_verdict(const struct shallow_sum *first,
                const struct shallow_sum *last) {
  double mass = shallow_mass(first), limit = 1e-12;
  double water = fabs(last->sum[1] - first->sum[1]) / mass;
  double tracer = fabs(last->sum[2] - first->sum[2]) / mass;
  int right = water <= limit && tracer <= limit &&
              last->deepest * last->sum[0] >= mass * (1 - limit) &&
              isfinite(last->deepest);
  printf("mass %s: %.3g of it gained or lost, tracer %.3g\n",
         right ? "conserved" : "NOT CONSERVED", water, tracer);
  return !right;
}

static inline void
shallow_result(const char *argv0, const struct bench_options *o, int threads,
               const struct bench_timer *t, const struct shallow_sum *last) {
  struct bench_value values[] = {{"mass", shallow_mass(last)},
                                 {"max_h", last->deepest}};
  bench_result_values(argv0, o, threads, t, values, 2);
}

#endif
