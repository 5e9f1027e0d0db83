#include "ref.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "../take.h"
#include "kernels.h"

/* for each column b of n, in threads */
#define COLUMNS(b, n)                                                          \
  _Pragma("omp parallel for schedule(static) num_threads(f->threads)") for (   \
      int b = 0; b < (n); b++)
/* for each layer k, in lanes */
#define LAYERS(k) _Pragma("omp simd") for (int k = 0; k < layers; k++)

#define AT(x, column) ((x) + (size_t)(column) * (size_t)layers)

static double *
values(const struct cref *f, int n) {
  double *x = bench_take((size_t)n * (size_t)f->layers, sizeof *x);
  int layers = f->layers;
  COLUMNS(b, n) LAYERS(k) AT(x, b)[k] = 0;
  return x;
}

void
cref_start(struct cref *f, const struct torus *t, int layers, int threads) {
  *f = (struct cref){.t = t, .layers = layers, .threads = threads};
  double **of_cells[] = {&f->p,  &f->q,  &f->d,    &f->l,    &f->b,
                         &f->p1, &f->p2, &f->m[0], &f->m[1], &f->m[2],
                         &f->x,  &f->cp, &f->dp};
  for (size_t k = 0; k < sizeof of_cells / sizeof *of_cells; k++)
    *of_cells[k] = values(f, t->ncell);
  f->v = values(f, t->nedge);
  f->g = values(f, t->nedge);
  COLUMNS(c, t->ncell)
  for (int k = 0; k < layers; k++) AT(f->p, c)[k] = torus_start(c, t->ncell, k);
}

void
cref_stop(struct cref *f) {
  double *all[] = {f->p,  f->q,  f->v,    f->g,    f->d,    f->l, f->b, f->p1,
                   f->p2, f->cp, f->m[0], f->m[1], f->m[2], f->x, f->dp};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
}

void
cref_gradient(struct cref *f) {
  int layers = f->layers;
  COLUMNS(e, f->t->nedge) {
    const int *c = f->t->edge_cell + 2 * (size_t)e;
    const double *p0 = AT(f->p, c[0]), *p1 = AT(f->p, c[1]);
    double along = f->t->along[e], *v = AT(f->v, e);
    LAYERS(k) gradient(&along, &p0[k], &p1[k], &v[k]);
  }
}

static void
run_flux(struct cref *f) {
  int layers = f->layers;
  COLUMNS(e, f->t->nedge) {
    const double *v = AT(f->v, e);
    double *g = AT(f->g, e);
    LAYERS(k) flux(&v[k], &g[k]);
  }
}

void
cref_divergence(struct cref *f) {
  int layers = f->layers;
  COLUMNS(c, f->t->ncell) {
    const int *e = f->t->cell_edge + 3 * (size_t)c;
    const double *out = f->t->out + 3 * (size_t)c;
    const double *g0 = AT(f->g, e[0]), *g1 = AT(f->g, e[1]),
                 *g2 = AT(f->g, e[2]);
    double *d = AT(f->d, c);
    LAYERS(k) divergence(out, &g0[k], &g1[k], &g2[k], &d[k]);
  }
}

static void
laplace(struct cref *f, const double *x, double *out) {
  int layers = f->layers;
  COLUMNS(c, f->t->ncell) {
    const int *n = f->t->cell_cell + 3 * (size_t)c;
    const double *w = f->t->weight + 3 * (size_t)c;
    const double *own = AT(x, c), *x0 = AT(x, n[0]), *x1 = AT(x, n[1]),
                 *x2 = AT(x, n[2]);
    double *l = AT(out, c);
    LAYERS(k) laplacian(w, &own[k], &x0[k], &x1[k], &x2[k], &l[k]);
  }
}

void
cref_laplacian(struct cref *f) {
  laplace(f, f->p, f->l);
}

static void
run_advance(struct cref *f) {
  int layers = f->layers;
  COLUMNS(c, f->t->ncell) {
    const double *p = AT(f->p, c), *d = AT(f->d, c), *l = AT(f->l, c);
    double *next = AT(f->p1, c);
    LAYERS(k) advance(&p[k], &d[k], &l[k], &next[k]);
  }
}

static void
run_damp(struct cref *f) {
  int layers = f->layers;
  COLUMNS(c, f->t->ncell) {
    const double *p = AT(f->p1, c), *b = AT(f->b, c);
    double *next = AT(f->p2, c);
    LAYERS(k) damp(&p[k], &b[k], &next[k]);
  }
}

static void
run_limit(struct cref *f) {
  int layers = f->layers;
  COLUMNS(c, f->t->ncell) {
    const double *p = AT(f->p2, c);
    double *q = AT(f->q, c);
    LAYERS(k) limit(&p[k], &q[k]);
  }
}

void
cref_solve(struct cref *f) {
  int layers = f->layers;
  COLUMNS(e, f->t->ncell) {
    const double *a = AT(f->m[0], e), *b = AT(f->m[1], e), *c = AT(f->m[2], e);
    const double *p = AT(f->p, e);
    double *cp = AT(f->cp, e), *dp = AT(f->dp, e), *x = AT(f->x, e);
    eliminate_first(b, c, p, cp, dp);
    for (int k = 1; k < layers; k++)
      eliminate(&a[k], &b[k], &c[k], &p[k], &cp[k - 1], &dp[k - 1], &cp[k],
                &dp[k]);
    x[layers - 1] = dp[layers - 1];
    for (int k = layers - 2; k >= 0; k--)
      substitute(&cp[k], &dp[k], &x[k + 1], &x[k]);
  }
}

void
cref_step(struct cref *f) {
  cref_gradient(f);
  run_flux(f);
  cref_divergence(f);
  cref_laplacian(f);
  run_advance(f);
  laplace(f, f->l, f->b);
  run_damp(f);
  run_limit(f);
  double *p = f->p;
  f->p = f->q;
  f->q = p;
}

double
cref_sum(const struct cref *f, double *rms_out) {
  size_t n = (size_t)f->t->ncell * (size_t)f->layers;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++) total(&f->p[i], &sum, &squares);
  *rms_out = sqrt(squares / (double)n);
  return sum;
}
