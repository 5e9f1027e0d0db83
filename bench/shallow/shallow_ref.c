/* shallow_ref, shallow_ref_jit: the reference as a program. */
#include "../common.h"
#include "ref.h"
#include "verdict.h"

static void
run(struct sref *s, const struct bench_options *o, struct bench_timer *t) {
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters; iter++) {
    bench_iteration(t);
    sref_step(s);
    bench_progress(iter, o->iters);
  }
  bench_iteration(t);
}

int
main(int argc, char **argv) {
  static struct sref s;
  struct bench_options o = {.size = {600, 400}, .iters = 1000, .warmup = 3};
  struct shallow_sum first, last;
  struct basin b;
  struct bench_timer t;
  o.threads = bench_threads();
  o.block = 1024;
  if (!bench_parse(&o, argc, argv)) return 2;
  basin_make(&b, o.size[0], o.size[1]);
  sref_start(&s, &b, o.threads, o.block);
  sref_totals(&s, first.sum, &first.deepest);
  run(&s, &o, &t);
  sref_totals(&s, last.sum, &last.deepest);
  int wrong = shallow_verdict(&first, &last);
  shallow_result(argv[0], &o, s.threads, &t, &last);
  sref_stop(&s);
  basin_clear(&b);
  return wrong;
}
