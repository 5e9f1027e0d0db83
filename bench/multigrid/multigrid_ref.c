/* multigrid_ref, multigrid_ref_jit: the reference as a program. */
#include "../common.h"
#include "ref.h"
#include "verdict.h"

static double
run(struct mref *m, const struct bench_options *o, struct bench_timer *t) {
  double rms = 0;
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters; iter++) {
    bench_iteration(t);
    mref_cycle(m);
    bench_progress(iter, o->iters);
    if (iter % o->flush_every == 0 || iter == o->iters) rms = mref_rms(m);
  }
  bench_iteration(t);
  return rms;
}

int
main(int argc, char **argv) {
  static struct levels l;
  static struct mref m;
  struct bench_options o = {.size = {1000, 1000}, .iters = 20, .warmup = 5};
  struct bench_timer t;
  o.threads = bench_threads();
  o.block = 1024;
  o.flush_every = 5;
  if (!bench_parse(&o, argc, argv)) return 2;
  if (o.flush_every < 1) o.flush_every = o.iters;
  levels_make(&l, o.size[0], o.size[1], (unsigned)o.shuffle);
  mref_start(&m, &l, o.threads, o.block);
  double first = mref_rms(&m);
  double rms = run(&m, &o, &t);
  int wrong = multigrid_verdict(&o, t.iter, first, rms, mref_error(&m));
  bench_result(argv[0], &o, m.threads, &t, rms);
  mref_stop(&m);
  levels_clear(&l);
  return wrong;
}
