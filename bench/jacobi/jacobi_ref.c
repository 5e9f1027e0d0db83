/* jacobi_ref, jacobi_ref_jit: the reference in double as a program. */
#define REAL double
#define REAL_NAME "double"
#define JACOBI_KIND JACOBI_FLOATING
#include "ref.h"

#include <math.h>
#include <stdio.h>

#include "../common.h"

static double
run(struct jref *s, const struct bench_options *o, struct bench_timer *t) {
  double rms = 0.0, max;
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters; iter++) {
    bench_iteration(t);
    rms = sqrt(jref_step(s, &max) / s->g->nnode);
    bench_progress(iter, o->iters);
    if (iter % 100 == 0) printf("%6d  rms %.6e  max %.6e\n", iter, rms, max);
  }
  bench_iteration(t);
  return rms;
}

int
main(int argc, char **argv) {
  static struct jref s;
  struct bench_options o = {.size = {1000, 1000}, .iters = 100, .warmup = 3};
  struct graph g;
  struct bench_timer t;
  o.threads = bench_threads();
  o.block = 1024;
  if (!bench_parse(&o, argc, argv)) return 2;
  graph_make(&g, o.size[0], o.size[1]);
  jref_start(&s, &g, o.threads, o.block);
  double rms = run(&s, &o, &t);
  bench_result(argv[0], &o, s.threads, &t, rms);
  jref_stop(&s);
  graph_clear(&g);
  return isfinite(rms) ? 0 : 1;
}
