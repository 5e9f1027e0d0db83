/* chebyshev_ref, chebyshev_ref_jit: the reference as a program; over edges, or with
 * --rows over compressed rows. */
#include "../common.h"
#include "ref.h"
#include "verdict.h"

static double
run(struct cref *c, const struct bench_options *o, struct bench_timer *t) {
  double rms = 0;
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters; iter++) {
    bench_iteration(t);
    cref_smooth(c, o->degree);
    bench_progress(iter, o->iters);
    if (iter % o->flush_every == 0 || iter == o->iters) rms = cref_rms(c);
  }
  bench_iteration(t);
  return rms;
}

int
main(int argc, char **argv) {
  static struct graph g;
  static struct cref c;
  struct bench_options o = {.size = {80, 80}, .iters = 40, .warmup = 10};
  struct bench_timer t;
  o.threads = bench_threads();
  o.block = 1024;
  o.flush_every = 10;
  o.degree = 4;
  if (!bench_parse(&o, argc, argv)) return 2;
  if (o.flush_every < 1) o.flush_every = o.iters;
  if (o.rows) o.variant = "_rows";
  graph_make(&g, o.size[0], o.size[1], o.size[1], (unsigned)o.shuffle);
  graph_print(&g, o.rows);
  cref_start(&c, &g, o.rows, o.threads, o.block);
  double first = cref_rms(&c);
  double rms = run(&c, &o, &t);
  int wrong = chebyshev_verdict(t.iter, first, rms);
  bench_result(argv[0], &o, c.threads, &t, rms);
  cref_stop(&c);
  graph_clear(&g);
  return wrong;
}
