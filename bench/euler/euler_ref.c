/* euler_ref, euler_ref_jit: the reference as a program. */
#include "../common.h"
#include "ref.h"
#include "verdict.h"

static void
run(struct eref *f, const struct bench_options *o, struct bench_timer *t) {
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters; iter++) {
    bench_iteration(t);
    eref_step(f);
    bench_progress(iter, o->iters);
  }
  bench_iteration(t);
}

int
main(int argc, char **argv) {
  static struct eref f;
  struct bench_options o = {.size = {40, 40}, .iters = 200, .warmup = 10};
  struct box b;
  struct bench_timer t;
  double first[3], last[3];
  o.threads = bench_threads();
  o.block = 1024;
  if (!bench_parse(&o, argc, argv)) return 2;
  box_make(&b, o.size[0], o.size[1], o.size[1], (unsigned)o.shuffle);
  eref_start(&f, &b, o.threads, o.block);
  eref_totals(&f, first);
  run(&f, &o, &t);
  eref_totals(&f, last);
  int wrong = euler_verdict(first, last, eref_excess(&f));
  euler_result(argv[0], &o, f.threads, &t, last, f.rms);
  eref_stop(&f);
  box_clear(&b);
  return wrong;
}
