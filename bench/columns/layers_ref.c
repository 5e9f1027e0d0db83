/* layers_ref, layers_ref_jit: the reference as a program. */
#include "../common.h"
#include "operators.h"
#include "ref.h"

static void
run_gradient(void *f) {
  cref_gradient(f);
}
static void
run_divergence(void *f) {
  cref_divergence(f);
}
static void
run_laplacian(void *f) {
  cref_laplacian(f);
}
static void
run_solve(void *f) {
  cref_solve(f);
}
static void
settle(void *f) {
  (void)f;
}

static void (*const operators[OPERATOR_COUNT])(void *) = {
    [OPERATOR_GRADIENT] = run_gradient,
    [OPERATOR_DIVERGENCE] = run_divergence,
    [OPERATOR_LAPLACIAN] = run_laplacian,
    [OPERATOR_SOLVE] = run_solve,
};

int
main(int argc, char **argv) {
  struct bench_options o = {
      .size = {150, 150}, .iters = 30, .warmup = 5, .layers = 60};
  struct torus t;
  struct cref f;
  struct bench_timer timer;
  double rms;
  o.threads = bench_threads();
  if (!bench_parse(&o, argc, argv)) return 2;
  torus_make(&t, o.size[0], o.size[1]);
  cref_start(&f, &t, o.layers, o.threads);
  double before = cref_sum(&f, &rms);
  operators_measure(operators, &f, settle, &t, &o);
  bench_timer_start(&timer, o.warmup);
  for (int i = 0; i < o.iters; i++) {
    bench_iteration(&timer);
    cref_step(&f);
    bench_progress(i, o.iters);
  }
  bench_iteration(&timer);
  bool right = operators_verdict(before, cref_sum(&f, &rms));
  bench_result(argv[0], &o, f.threads, &timer, rms);
  cref_stop(&f);
  torus_clear(&t);
  return !right;
}
