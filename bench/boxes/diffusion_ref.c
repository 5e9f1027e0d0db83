/* Horizontal diffusion in plain C, without the library: one loop a stage. */
#include "../common.h"
#include "../take.h"
#include "fields.h"
#include "kernels.h"

/* Rows of i, each with its halo; row r of layer k at row(d, k, r). */
struct diffusion {
  int ni, nj, nk, threads;
  size_t along; /* values of a row */
  double *x, *next, *lap, *flx, *fly;
};

/* Where point 0 of row j lies: j from -FIELDS_HALO on. */
static size_t
row(const struct diffusion *d, int k, int j) {
  size_t rows = (size_t)d->nj + 2 * FIELDS_HALO;
  size_t r = (size_t)k * rows + (size_t)(j + FIELDS_HALO);
  return r * d->along + FIELDS_HALO;
}

static double *
field(const struct diffusion *d, const struct bench_options *o) {
  size_t n = fields_points(o);
  double *values = bench_take(n, sizeof *values);
#pragma omp parallel for num_threads(d->threads) schedule(static)
  for (size_t e = 0; e < n; e++) values[e] = fields_rough(e);
  return values;
}

static void
diffusion_start(struct diffusion *d, const struct bench_options *o) {
  *d = (struct diffusion){.ni = o->size[0],
                          .nj = o->size[1],
                          .nk = o->layers,
                          .threads = o->threads,
                          .along = (size_t)o->size[0] + 2 * FIELDS_HALO};
  d->x = field(d, o);
  d->next = field(d, o);
  d->lap = field(d, o);
  d->flx = field(d, o);
  d->fly = field(d, o);
}

static void
diffusion_stop(struct diffusion *d) {
  double *all[] = {d->x, d->next, d->lap, d->flx, d->fly};
  for (int k = 0; k < 5; k++) free(all[k]);
}

/* ---- rows: i in [lo, hi) ------------------------------------------------- */

#define LOOP static __attribute__((noinline))

LOOP void
lap_row(int lo, int hi, size_t along, const double *restrict x,
        double *restrict lap) {
  const double *south = x - along, *north = x + along;
  for (int i = lo; i < hi; i++)
    lap[i] = diffusion_lap(x[i], x[i - 1], x[i + 1], south[i], north[i]);
}

/* The next point along the axis is `step` values on. */
LOOP void
flux_row(int lo, int hi, size_t step, const double *restrict lap,
         const double *restrict x, double *restrict flux) {
  const double *lap_next = lap + step, *x_next = x + step;
  for (int i = lo; i < hi; i++)
    flux[i] = diffusion_flux(lap[i], lap_next[i], x[i], x_next[i]);
}

LOOP void
out_row(int n, size_t along, const double *restrict x,
        const double *restrict flx, const double *restrict fly,
        double *restrict out) {
  const double *south = fly - along;
  for (int i = 0; i < n; i++)
    out[i] = diffusion_out(x[i], flx[i - 1], flx[i], south[i], fly[i]);
}

/* ---- a step -------------------------------------------------------------- */

static void
laplacians(const struct diffusion *d) {
#pragma omp parallel for collapse(2) num_threads(d->threads) schedule(static)
  for (int k = 0; k < d->nk; k++)
    for (int j = -1; j <= d->nj; j++) {
      size_t r = row(d, k, j);
      lap_row(-1, d->ni + 1, d->along, d->x + r, d->lap + r);
    }
}

static void
fluxes_east(const struct diffusion *d) {
#pragma omp parallel for collapse(2) num_threads(d->threads) schedule(static)
  for (int k = 0; k < d->nk; k++)
    for (int j = 0; j < d->nj; j++) {
      size_t r = row(d, k, j);
      flux_row(-1, d->ni, 1, d->lap + r, d->x + r, d->flx + r);
    }
}

static void
fluxes_north(const struct diffusion *d) {
#pragma omp parallel for collapse(2) num_threads(d->threads) schedule(static)
  for (int k = 0; k < d->nk; k++)
    for (int j = -1; j < d->nj; j++) {
      size_t r = row(d, k, j);
      flux_row(0, d->ni, d->along, d->lap + r, d->x + r, d->fly + r);
    }
}

static void
outs(const struct diffusion *d) {
#pragma omp parallel for collapse(2) num_threads(d->threads) schedule(static)
  for (int k = 0; k < d->nk; k++)
    for (int j = 0; j < d->nj; j++) {
      size_t r = row(d, k, j);
      out_row(d->ni, d->along, d->x + r, d->flx + r, d->fly + r, d->next + r);
    }
}

static void
diffusion_step(struct diffusion *d) {
  double *x = d->x;
  laplacians(d);
  fluxes_east(d);
  fluxes_north(d);
  outs(d);
  d->x = d->next;
  d->next = x;
}

static double
mean_square(const struct diffusion *d) {
  double sum = 0;
  for (int k = 0; k < d->nk; k++)
    for (int j = 0; j < d->nj; j++) {
      const double *x = d->x + row(d, k, j);
      for (int i = 0; i < d->ni; i++) add_square(&x[i], &sum);
    }
  return sum / ((double)d->ni * d->nj * d->nk);
}

int
main(int argc, char **argv) {
  struct bench_options o = {
      .size = {256, 256}, .layers = 32, .iters = 100, .warmup = 4};
  struct diffusion d;
  struct bench_timer t;
  double squares[2];
  o.threads = bench_threads();
  if (!bench_parse(&o, argc, argv)) return 2;
  diffusion_start(&d, &o);
  squares[0] = mean_square(&d);
  bench_timer_start(&t, o.warmup);
  for (int iter = 1; iter <= o.iters; iter++) {
    bench_iteration(&t);
    diffusion_step(&d);
    bench_progress(iter, o.iters);
  }
  bench_iteration(&t);
  squares[1] = mean_square(&d);
  double ideal = 2.0 * sizeof(double) * (double)d.ni * d.nj * d.nk;
  int wrong = fields_result(argv[0], &o, d.threads, &t, ideal, squares);
  diffusion_stop(&d);
  return wrong;
}
