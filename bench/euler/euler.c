/* The Euler equations on tetrahedra against OP2's API: the step's length and the
 * residual are handles, the residual is looked at every --flush-every steps. */
#include "op2.h"

#include "../common.h"
#include "box.h"
#include "loops.h"
#include "verdict.h"

/* Look where the warm-up ends, too, or its work would be timed. */
static bool
looks_at(const struct bench_options *o, int iter) {
  return iter % o->flush_every == 0 || iter == o->warmup || iter == o->iters;
}

static double
run(struct euler *f, const struct bench_options *o, struct bench_timer *t) {
  double rms = 0;
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters; iter++) {
    bench_iteration(t);
    euler_step(f);
    bench_progress(iter, o->iters);
    if (!looks_at(o, iter)) continue;
    op2_flush();
    rms = euler_rms(f);
    if (iter % 100 == 0) op_printf("%6d  %10.5e\n", iter, rms);
  }
  bench_iteration(t);
  return rms;
}

int
main(int argc, char **argv) {
  struct bench_options o = {.size = {40, 40}, .iters = 200, .warmup = 10};
  struct box b;
  struct euler f;
  struct bench_timer t;
  double first[3], last[3];
  o.flush_every = 10;
  op_init(argc, argv, 2);
  bench_speaks(op_is_root());
  if (!bench_parse(&o, argc, argv)) return 2;
  if (o.flush_every < 1) o.flush_every = o.iters;
  box_make(&b, o.size[0], o.size[1], o.size[1], (unsigned)o.shuffle);
  euler_declare(&f, &b);
  if (o.partition) op_partition(o.partition, "KWAY", f.edges, f.ends, f.x);
  box_clear(&b);
  euler_start(&f);
  euler_totals(&f, first);
  double rms = run(&f, &o, &t);
  double most = euler_excess(&f);
  euler_totals(&f, last);
  op_timing_output();
  int wrong = euler_verdict(first, last, most);
  euler_result(argv[0], &o, bench_threads(), &t, last, rms);
  op_exit();
  return wrong;
}
