/* Implicit vertical advection in plain C, without the library: for each row of
 * columns all layers, up and down again, i innermost. */
#include "../common.h"
#include "../take.h"
#include "fields.h"
#include "kernels.h"

/* Layer k of row j begins at (k * nj + j) * ni. */
struct advection {
  int ni, nj, nk, threads;
  double *w, *x, *next, *c, *d;
};

static double *
field(const struct advection *a, size_t from) {
  size_t n = (size_t)a->ni * (size_t)a->nj * (size_t)a->nk;
  double *values = bench_take(n, sizeof *values);
#pragma omp parallel for num_threads(a->threads) schedule(static)
  for (size_t e = 0; e < n; e++) values[e] = fields_rough(e + from);
  return values;
}

#define LOOP static __attribute__((noinline))

LOOP void
bottom_row(int n, size_t plane, const double *restrict w,
           const double *restrict x, double *restrict c, double *restrict d) {
  for (int i = 0; i < n; i++) advect_bottom(&w[i + plane], &x[i], &c[i], &d[i]);
}

LOOP void
up_row(int n, size_t plane, const double *restrict w, const double *restrict x,
       double *c, double *d) {
  const double *c_below = c - plane, *d_below = d - plane;
#pragma omp simd
  for (int i = 0; i < n; i++)
    advect_up(&w[i], &w[i + plane], &x[i], &c_below[i], &d_below[i], &c[i],
              &d[i]);
}

LOOP void
top_row(int n, const double *restrict w, const double *restrict x,
        const double *restrict c_below, const double *restrict d_below,
        double *restrict out) {
  for (int i = 0; i < n; i++)
    advect_top(&w[i], &x[i], &c_below[i], &d_below[i], &out[i]);
}

LOOP void
down_row(int n, size_t plane, const double *restrict c,
         const double *restrict d, double *out) {
  const double *above = out + plane;
#pragma omp simd
  for (int i = 0; i < n; i++) advect_down(&c[i], &d[i], &above[i], &out[i]);
}

static void
advection_row(const struct advection *a, int j) {
  size_t plane = (size_t)a->ni * (size_t)a->nj, e = (size_t)j * (size_t)a->ni;
  bottom_row(a->ni, plane, a->w + e, a->x + e, a->c + e, a->d + e);
  for (int k = 1; k < a->nk - 1; k++) {
    e += plane;
    up_row(a->ni, plane, a->w + e, a->x + e, a->c + e, a->d + e);
  }
  top_row(a->ni, a->w + e + plane, a->x + e + plane, a->c + e, a->d + e,
          a->next + e + plane);
  for (int k = a->nk - 2; k >= 0; k--, e -= plane)
    down_row(a->ni, plane, a->c + e, a->d + e, a->next + e);
}

static void
advection_step(struct advection *a) {
  double *x = a->x;
#pragma omp parallel for num_threads(a->threads) schedule(static)
  for (int j = 0; j < a->nj; j++) advection_row(a, j);
  a->x = a->next;
  a->next = x;
}

static double
mean_square(const struct advection *a) {
  double sum = 0;
  size_t n = (size_t)a->ni * (size_t)a->nj * (size_t)a->nk;
  for (size_t e = 0; e < n; e++) add_square(&a->x[e], &sum);
  return sum / (double)n;
}

int
main(int argc, char **argv) {
  struct bench_options o = {
      .size = {128, 128}, .layers = 60, .iters = 100, .warmup = 4};
  struct bench_timer t;
  double squares[2];
  o.threads = bench_threads();
  if (!bench_parse(&o, argc, argv)) return 2;
  struct advection a = {
      .ni = o.size[0], .nj = o.size[1], .nk = o.layers, .threads = o.threads};
  a.w = field(&a, 7);
  a.x = field(&a, 0);
  a.next = field(&a, 0);
  a.c = field(&a, 0);
  a.d = field(&a, 0);
  squares[0] = mean_square(&a);
  bench_timer_start(&t, o.warmup);
  for (int iter = 1; iter <= o.iters; iter++) {
    bench_iteration(&t);
    advection_step(&a);
    bench_progress(iter, o.iters);
  }
  bench_iteration(&t);
  squares[1] = mean_square(&a);
  double ideal = 3.0 * sizeof(double) * (double)a.ni * a.nj * a.nk;
  int wrong = fields_result(argv[0], &o, a.threads, &t, ideal, squares);
  double *all[] = {a.w, a.x, a.next, a.c, a.d};
  for (int k = 0; k < 5; k++) free(all[k]);
  return wrong;
}
