/* airfoil_ref, airfoil_ref_jit: the reference as a program (one source,
 * compiled with OP2 users' flags and with the flags of the JIT). With --simd the
 * indirect loops take eight elements at a time. */
#include <stdio.h>

#include "rcm.h"
#include "ref.h"
#include "verdict.h"
#include "../common.h"

static double
run(struct ref *r, const struct bench_options *o, struct bench_timer *t) {
  double rms = 0.0;
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters; iter++) {
    bench_iteration(t);
    rms = ref_step(r);
    bench_progress(iter, o->iters);
    if (iter % 100 == 0) printf("%6d  %10.5e\n", iter, rms);
  }
  bench_iteration(t);
  return rms;
}

int
main(int argc, char **argv) {
  struct bench_options o = {.size = {400, 600}, .iters = 1000, .warmup = 3};
  struct mesh m;
  struct ref r;
  struct bench_timer t;
  o.threads = bench_threads();
  o.block = 1024;
  if (!bench_parse(&o, argc, argv)) return 2;
  if (!o.mesh)
    mesh_make(&m, o.size[0], o.size[1]);
  else if (!mesh_read(&m, o.mesh))
    return 2;
  if (o.shuffle) mesh_shuffle(&m, (unsigned)o.shuffle);
  if (o.rcm) mesh_rcm(&m);
  ref_start(&r, &m, o.threads, o.block);
  r.simd = o.simd;
  o.variant = o.simd ? "_simd" : NULL;
  double rms = run(&r, &o, &t);
  int wrong = airfoil_verdict(m.ncell, o.iters, rms);
  bench_result(argv[0], &o, r.threads, &t, rms);
  ref_stop(&r);
  mesh_clear(&m);
  return wrong;
}
