/* fem_ref, fem_ref_jit: the reference as a program. */
#include <stdio.h>

#include "../common.h"
#include "ref.h"
#include "verdict.h"

static bool
solve(struct fref *f, const struct bench_options *o, struct bench_timer *t) {
  double rr = fref_begin(f), goal = 1e-20 * rr;
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters && rr > goal; iter++) {
    bench_iteration(t);
    rr = fref_step(f, rr);
    bench_progress(iter, o->iters);
    if (iter % 100 == 0) printf("%6d  r.r %.6e\n", iter, rr);
  }
  bench_iteration(t);
  return rr <= goal;
}

int
main(int argc, char **argv) {
  static struct fref f;
  struct bench_options o = {.size = {400, 400}, .iters = 5000, .warmup = 3};
  struct square s;
  struct bench_timer t;
  double most;
  o.threads = bench_threads();
  o.block = 1024;
  if (!bench_parse(&o, argc, argv)) return 2;
  square_make(&s, o.size[0], o.size[1]);
  fref_start(&f, &s, o.threads, o.block);
  bool converged = solve(&f, &o, &t);
  double rms = fref_error(&f, &most);
  int wrong = fem_verdict(&o, t.iter, converged, most);
  bench_result(argv[0], &o, f.threads, &t, rms);
  fref_stop(&f);
  square_clear(&s);
  return wrong;
}
