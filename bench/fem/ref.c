#include "ref.h"

#include <stdlib.h>
#include <string.h>

#include "../take.h"
#include "kernels.h"

/* Kept out of line, or clang forgets `restrict`. */
#define LOOP static __attribute__((noinline))

/* ---- loops over elements [lo, hi) ---------------------------------------- */

LOOP void
element_range(int lo, int hi, const int *restrict cell_node, double *restrict x,
              double *restrict K, double *restrict b) {
  for (int e = lo; e < hi; e++) {
    const int *n = cell_node + 4 * e;
    double *xs[4] = {x + 2 * n[0], x + 2 * n[1], x + 2 * n[2], x + 2 * n[3]};
    element(xs, K + 16 * e, b + n[0], b + n[1], b + n[2], b + n[3]);
  }
}

LOOP void
multiply_range(int lo, int hi, const int *restrict cell_node,
               const double *restrict K, const double *restrict p,
               double *restrict v) {
  for (int e = lo; e < hi; e++) {
    const int *n = cell_node + 4 * e;
    double *ps[4], *vs[4];
    for (int a = 0; a < 4; a++) {
      ps[a] = (double *)p + n[a];
      vs[a] = v + n[a];
    }
    multiply(K + 16 * e, ps, vs);
  }
}

LOOP double
dot_range(int lo, int hi, const double *restrict p, const double *restrict v) {
  double pv = 0.0;
  for (int n = lo; n < hi; n++) dot(p + n, v + n, &pv);
  return pv;
}

LOOP double
advance_range(int lo, int hi, const double *restrict p, double *restrict v,
              double *restrict u, double *restrict r, double alpha) {
  double rr = 0.0;
  for (int n = lo; n < hi; n++)
    advance(p + n, v + n, u + n, r + n, &alpha, &rr);
  return rr;
}

LOOP void
direction_range(int lo, int hi, const double *restrict r, double *restrict p,
                double beta) {
  for (int n = lo; n < hi; n++) direction(r + n, p + n, &beta);
}

/* ---- the same as bodies -------------------------------------------------- */

static void
element_body(void *context, int lo, int hi, int thread) {
  struct fref *f = context;
  (void)thread;
  element_range(lo, hi, f->s->cell_node, f->s->x, f->K, f->b);
}

static void
multiply_body(void *context, int lo, int hi, int thread) {
  struct fref *f = context;
  (void)thread;
  multiply_range(lo, hi, f->s->cell_node, f->K, f->factor, f->v);
}

static void
dot_body(void *context, int lo, int hi, int thread) {
  struct fref *f = context;
  f->total[thread * FREF_PAD] += dot_range(lo, hi, f->p, f->v);
}

static void
advance_body(void *context, int lo, int hi, int thread) {
  struct fref *f = context;
  f->total[thread * FREF_PAD] +=
      advance_range(lo, hi, f->p, f->v, f->u, f->r, f->alpha);
}

static void
direction_body(void *context, int lo, int hi, int thread) {
  struct fref *f = context;
  (void)thread;
  direction_range(lo, hi, f->r, f->p, f->beta);
}

/* ---- the solver ---------------------------------------------------------- */

/* Run one loop; returns what its threads added to total. */
static double
run(struct fref *f, const struct colouring *c, loop_body *body) {
  double sum = 0.0;
  memset(f->total, 0, sizeof f->total);
  if (f->threads == 1)
    body(f, 0, c->n, 0);
  else
    colouring_run(c, f->threads, body, f);
  for (int t = 0; t < f->threads; t++) sum += f->total[t * FREF_PAD];
  return sum;
}

static void
multiply_by(struct fref *f, const double *factor) {
  f->factor = factor;
  run(f, &f->cells, multiply_body);
}

static void
clamp_boundary(const struct square *s, double *v) {
  for (int i = 0; i < s->nbnode; i++) clamp(v + s->bnode[i]);
}

double
fref_begin(struct fref *f) {
  const struct square *s = f->s;
  double rr = 0.0;
  run(f, &f->cells, element_body);
  for (int i = 0; i < s->nbnode; i++)
    dirichlet(s->x + 2 * s->bnode[i], f->u + s->bnode[i]);
  multiply_by(f, f->u);
  for (int n = 0; n < s->nnode; n++) begin(f->b + n, f->v + n, f->r + n);
  clamp_boundary(s, f->r);
  for (int n = 0; n < s->nnode; n++) first_direction(f->r + n, f->p + n, &rr);
  return rr;
}

double
fref_step(struct fref *f, double rr) {
  multiply_by(f, f->p);
  clamp_boundary(f->s, f->v);
  f->alpha = rr / run(f, &f->nodes, dot_body);
  double next = run(f, &f->nodes, advance_body);
  f->beta = next / rr;
  run(f, &f->nodes, direction_body);
  return next;
}

double
fref_error(const struct fref *f, double *most_out) {
  double sum = 0.0;
  *most_out = 0.0;
  for (int n = 0; n < f->s->nnode; n++)
    error(f->s->x + 2 * n, f->u + n, &sum, most_out);
  return sqrt(sum / f->s->nnode);
}

void
fref_start(struct fref *f, const struct square *s, int threads, int block) {
  memset(f, 0, sizeof *f);
  f->s = s;
  f->threads = threads < 1              ? 1
               : threads > FREF_THREADS ? FREF_THREADS
                                        : threads;
  f->K = bench_take(16 * s->ncell, sizeof(double));
  f->b = bench_take(s->nnode, sizeof(double));
  f->u = bench_take(s->nnode, sizeof(double));
  f->r = bench_take(s->nnode, sizeof(double));
  f->p = bench_take(s->nnode, sizeof(double));
  f->v = bench_take(s->nnode, sizeof(double));
  colouring_make(&f->nodes, s->nnode, block, NULL, 0, 0);
  colouring_make(&f->cells, s->ncell, block, s->cell_node, 4, s->nnode);
}

void
fref_stop(struct fref *f) {
  free(f->K);
  free(f->b);
  free(f->u);
  free(f->r);
  free(f->p);
  free(f->v);
  colouring_clear(&f->nodes);
  colouring_clear(&f->cells);
}
