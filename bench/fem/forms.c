#include "forms.h"

#include <stdio.h>

#include "verdict.h"

/* Of its solutions the first are for compiling. */
enum { MOST_ITERATIONS = 100000, SOLVED = 5, SOLVED_BEFORE = 2 };

int
forms_nonzeros(const struct square *s) {
  return (3 * s->ni + 1) * (3 * s->nj + 1); /* each node and those around it */
}

static double
time_of(void (*run)(void *), void *program, const struct bench_options *o) {
  struct bench_timer t;
  bench_timer_start(&t, o->warmup);
  for (int i = 0; i < o->iters; i++) {
    bench_iteration(&t);
    run(program);
  }
  bench_iteration(&t);
  return bench_ms_per_iter(&t);
}

/* Bytes of a nonzero with its column, of a node's vectors in a product. */
static double
matrix_bytes(const struct square *s) {
  return 12.0 * forms_nonzeros(s) + 4.0 * s->nnode;
}

/* Vectors of an iteration that go through memory, eight bytes a node each: one
 * loop a call of BLAS, against as few loops as the scalars allow.
 *
 *   product, p.q        p q, p q               p q
 *   r -= alpha q, r.r   r q r, r               r q d r, with z = d r, r.z
 *   z = d r, r.z        r d z, r z
 *   x += alpha p        x p x                  x p r d, x p
 *   p = z + beta p      z p p */
enum { UNFUSED = 4 + 4 + 5 + 3 + 3, FUSED = 2 + 4 + 6 };

static double
step_bytes(const struct square *s, int vectors) {
  return matrix_bytes(s) + 8.0 * vectors * s->nnode;
}

static void
say(const char *name, double ms, double bytes) {
  printf("form name=%s ms=%.6g", name, ms);
  if (bytes > 0) printf(" gb_per_s=%.4g", ms > 0 ? 1e-6 * bytes / ms : 0);
  printf("\n");
}

int
forms_measure(const struct form *f, const char *argv0,
              const struct bench_options *o, const struct square *s,
              int threads) {
  struct bench_timer t;
  double most, assembly = time_of(f->assemble, f->program, o);
  double product = time_of(f->multiply, f->program, o);
  int n = 0;
  bench_timer_start(&t, SOLVED_BEFORE);
  for (int i = 0; i < SOLVED; i++) {
    bench_iteration(&t);
    n = f->solve(f->program, 1e-10, MOST_ITERATIONS);
  }
  bench_iteration(&t);
  double solve = bench_ms_per_iter(&t);
  say("assembly", assembly, 0);
  say("product", product, matrix_bytes(s) + 16.0 * s->nnode);
  say("iteration", n > 0 ? solve / n : 0, step_bytes(s, FUSED));
  printf("ideal bytes of an iteration: fused %.4g, unfused %.4g, ratio %.3f\n",
         step_bytes(s, FUSED), step_bytes(s, UNFUSED),
         step_bytes(s, UNFUSED) / step_bytes(s, FUSED));
  struct bench_value values[] = {{"rms", f->error(f->program, &most)},
                                 {"assembly_ms", assembly},
                                 {"product_ms", product},
                                 {"solve_ms", solve}};
  int wrong = fem_verdict(o, n, n > 0, most);
  bench_result_values(argv0, o, threads, &t, values, 4);
  return wrong;
}
