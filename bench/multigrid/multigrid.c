/* Multigrid against OP2's API: maps between levels; the residual is a handle that
 * is looked at every --flush-every cycles. */
#include "op2.h"

#include "../common.h"
#include "levels.h"
#include "loops.h"
#include "verdict.h"

/* Look where the warm-up ends, too, or its work would be timed. */
static bool
looks_at(const struct bench_options *o, int iter) {
  return iter % o->flush_every == 0 || iter == o->warmup || iter == o->iters;
}

static double
run(struct multigrid *m, const struct bench_options *o, struct bench_timer *t) {
  double rms = 0;
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters; iter++) {
    bench_iteration(t);
    multigrid_cycle(m);
    bench_progress(iter, o->iters);
    if (!looks_at(o, iter)) continue;
    rms = multigrid_rms(m);
    op_printf("%6d  %10.5e\n", iter, rms);
  }
  bench_iteration(t);
  return rms;
}

int
main(int argc, char **argv) {
  struct bench_options o = {.size = {1000, 1000}, .iters = 20, .warmup = 5};
  static struct levels l;
  static struct multigrid m;
  struct bench_timer t;
  o.flush_every = 5;
  op_init(argc, argv, 2);
  bench_speaks(op_is_root());
  if (!bench_parse(&o, argc, argv)) return 2;
  if (o.flush_every < 1) o.flush_every = o.iters;
  levels_make(&l, o.size[0], o.size[1], (unsigned)o.shuffle);
  multigrid_declare(&m, &l);
  if (o.partition)
    op_partition(o.partition, "KWAY", m.at[0].edges, m.at[0].ends, m.x);
  levels_clear(&l);
  multigrid_start(&m);
  double first = multigrid_rms(&m);
  double rms = run(&m, &o, &t);
  double most = multigrid_error(&m);
  op_timing_output();
  int wrong = multigrid_verdict(&o, t.iter, first, rms, most);
  bench_result(argv[0], &o, bench_threads(), &t, rms);
  op_exit();
  return wrong;
}
