#include "operators.h"

#include <math.h>
#include <stdio.h>

/* `cells` and `edges` values of these columns move, `base` bytes once for each
 * column of cells. */
struct operator_row {
  const char *name;
  int cells, edges, base;
};
static const struct operator_row rows[OPERATOR_COUNT] = {
    [OPERATOR_GRADIENT] = {"gradient", 1, 1, 0},
    [OPERATOR_DIVERGENCE] = {"divergence", 1, 1, 24},
    [OPERATOR_LAPLACIAN] = {"laplacian", 2, 0, 24},
    [OPERATOR_SOLVE] = {"solve", 5, 0, 0},
};

static double
ideal_bytes(const struct operator_row *r, const struct torus *t, int layers) {
  double values =
      (double)r->cells * t->ncell + (double)r->edges * (double)t->nedge;
  return 8 * values * layers + (double)r->base * t->ncell;
}

void
operators_measure(void (*const *run)(void *program), void *program,
                  void (*settle)(void *program), const struct torus *t,
                  const struct bench_options *o) {
  for (int k = 0; k < OPERATOR_COUNT; k++) {
    struct bench_timer timer;
    bench_timer_start(&timer, o->warmup);
    for (int i = 0; i < o->iters; i++) {
      bench_iteration(&timer);
      run[k](program);
      settle(program);
    }
    bench_iteration(&timer);
    double ms = bench_ms_per_iter(&timer);
    printf("operator name=%s layers=%d ms=%.6g gb_per_s=%.4g\n", rows[k].name,
           o->layers, ms,
           ms > 0 ? 1e-6 * ideal_bytes(&rows[k], t, o->layers) / ms : 0);
  }
}

bool
operators_verdict(double before, double after) {
  bool right = fabs(after - before) <= 1e-10 * fabs(before);
  printf("sum over cells %.17g, %s what it was\n", after, right ? "as" : "NOT");
  return right;
}
