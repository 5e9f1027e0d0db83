/* What the programs over edges and over rows have in common: both are this with
 * CHEBYSHEV_ROWS 0 or 1. The residual is a handle that is looked at every
 * --flush-every smoothings of --degree steps. */
#ifndef BENCH_CHEBYSHEV_PROGRAM_H
#define BENCH_CHEBYSHEV_PROGRAM_H

#include "op2.h"

#include "../common.h"
#include "graph.h"
#include "loops.h"
#include "verdict.h"

/* Look where the warm-up ends, too, or its work would be timed. */
static bool
looks_at(const struct bench_options *o, int iter) {
  return iter % o->flush_every == 0 || iter == o->warmup || iter == o->iters;
}

static double
run(struct chebyshev *c, const struct bench_options *o, struct bench_timer *t) {
  double rms = 0;
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters; iter++) {
    bench_iteration(t);
    chebyshev_smooth(c, o->degree);
    bench_progress(iter, o->iters);
    if (looks_at(o, iter)) rms = chebyshev_rms(c);
  }
  bench_iteration(t);
  return rms;
}

int
main(int argc, char **argv) {
  struct bench_options o = {.size = {80, 80}, .iters = 40, .warmup = 10};
  static struct graph g;
  struct chebyshev c;
  struct bench_timer t;
  o.flush_every = 10;
  o.degree = 4;
  op_init(argc, argv, 2);
  bench_speaks(op_is_root());
  if (!bench_parse(&o, argc, argv)) return 2;
  if (o.flush_every < 1) o.flush_every = o.iters;
  graph_make(&g, o.size[0], o.size[1], o.size[1], (unsigned)o.shuffle);
  graph_print(&g, CHEBYSHEV_ROWS);
  chebyshev_declare(&c, &g, CHEBYSHEV_ROWS);
  if (o.partition)
    op_partition(o.partition, "KWAY", CHEBYSHEV_ROWS ? c.nodes : c.edges,
                 CHEBYSHEV_ROWS ? c.neighbours : c.ends, c.x);
  graph_clear(&g);
  double first = chebyshev_rms(&c);
  double rms = run(&c, &o, &t);
  op_timing_output();
  int wrong = chebyshev_verdict(t.iter, first, rms);
  bench_result(argv[0], &o, bench_threads(), &t, rms);
  op_exit();
  return wrong;
}

#endif
