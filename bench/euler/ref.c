#include "ref.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../take.h"
#include "kernels.h"

/* Kept out of line, or clang forgets `restrict`. */
#define LOOP static __attribute__((noinline))

/* ---- loops over elements [lo, hi) ---------------------------------------- */

LOOP double
begin_step_range(int lo, int hi, const double *restrict u,
                 const double *restrict size, double *restrict old) {
  double dt = 1e30;
  for (int n = lo; n < hi; n++)
    begin_step(u + 5 * n, size + n, old + 5 * n, &dt);
  return dt;
}

LOOP void
begin_stage_range(int lo, int hi, const double *restrict u, double *restrict w,
                  double *restrict low, double *restrict high,
                  double *restrict phi) {
  for (int n = lo; n < hi; n++)
    begin_stage(u + 5 * n, w + 5 * n, low + 5 * n, high + 5 * n, phi + 5 * n);
}

LOOP void
gradient_range(int lo, int hi, const struct box *b, const double *restrict w,
               double *restrict sum) {
  const int *restrict edge = b->edge;
  const double *restrict normal = b->normal;
  for (int e = lo; e < hi; e++) {
    int i = edge[2 * e], j = edge[2 * e + 1];
    gradient(normal + 3 * e, w + 5 * i, w + 5 * j, sum + 15 * i, sum + 15 * j);
  }
}

LOOP void
wall_gradient_range(int lo, int hi, const struct box *b,
                    const double *restrict w, double *restrict sum) {
  for (int e = lo; e < hi; e++)
    wall_gradient(b->wall_normal + 3 * e, w + 5 * b->wall[e],
                  sum + 15 * b->wall[e]);
}

LOOP void
end_gradient_range(int lo, int hi, const double *restrict volume,
                   double *restrict sum, double *restrict grad) {
  for (int n = lo; n < hi; n++)
    end_gradient(volume + n, sum + 15 * n, grad + 15 * n);
}

LOOP void
extremes_range(int lo, int hi, const int *restrict edge,
               const double *restrict w, double *restrict low,
               double *restrict high) {
  for (int e = lo; e < hi; e++) {
    int i = 5 * edge[2 * e], j = 5 * edge[2 * e + 1];
    extremes(w + i, w + j, low + i, low + j, high + i, high + j);
  }
}

LOOP void
limit_range(int lo, int hi, const struct eref *f, double *restrict phi) {
  const int *restrict edge = f->b->edge;
  const double *restrict x = f->b->x, *restrict w = f->w;
  const double *restrict grad = f->grad, *restrict low = f->low;
  const double *restrict high = f->high;
  for (int e = lo; e < hi; e++) {
    int i = edge[2 * e], j = edge[2 * e + 1];
    limit(x + 3 * i, x + 3 * j, w + 5 * i, w + 5 * j, grad + 15 * i,
          grad + 15 * j, low + 5 * i, low + 5 * j, high + 5 * i, high + 5 * j,
          phi + 5 * i, phi + 5 * j);
  }
}

LOOP void
edge_flux_range(int lo, int hi, const struct eref *f, double *restrict r) {
  const int *restrict edge = f->b->edge;
  const double *restrict x = f->b->x, *restrict w = f->w;
  const double *restrict normal = f->b->normal, *restrict grad = f->grad;
  const double *restrict phi = f->phi;
  for (int e = lo; e < hi; e++) {
    int i = edge[2 * e], j = edge[2 * e + 1];
    edge_flux(normal + 3 * e, x + 3 * i, x + 3 * j, w + 5 * i, w + 5 * j,
              grad + 15 * i, grad + 15 * j, phi + 5 * i, phi + 5 * j, r + 5 * i,
              r + 5 * j);
  }
}

LOOP void
wall_flux_range(int lo, int hi, const struct box *b, const double *restrict w,
                double *restrict r) {
  for (int e = lo; e < hi; e++)
    wall_flux(b->wall_normal + 3 * e, w + 5 * b->wall[e], r + 5 * b->wall[e]);
}

LOOP void
stage_range(int lo, int hi, const struct eref *f, double *restrict r,
            double *restrict u) {
  const double *restrict old = f->old, *restrict volume = f->b->volume;
  double alpha = f->alpha, dt = f->dt;
  for (int n = lo; n < hi; n++)
    stage(old + 5 * n, volume + n, r + 5 * n, u + 5 * n, &alpha, &dt);
}

LOOP double
last_stage_range(int lo, int hi, const struct eref *f, double *restrict r,
                 double *restrict u) {
  const double *restrict old = f->old, *restrict volume = f->b->volume;
  double dt = f->dt, sum = 0;
  for (int n = lo; n < hi; n++)
    last_stage(old + 5 * n, volume + n, r + 5 * n, u + 5 * n, &dt, &sum);
  return sum;
}

/* ---- the same as bodies of a coloured loop ------------------------------- */

static void
begin_step_body(void *context, int lo, int hi, int thread) {
  struct eref *f = context;
  double dt = begin_step_range(lo, hi, f->u, f->size, f->old);
  double *least = f->share + thread * EREF_PAD;
  *least = dt < *least ? dt : *least;
}

static void
begin_stage_body(void *context, int lo, int hi, int thread) {
  struct eref *f = context;
  (void)thread;
  begin_stage_range(lo, hi, f->u, f->w, f->low, f->high, f->phi);
}

static void
gradient_body(void *context, int lo, int hi, int thread) {
  struct eref *f = context;
  (void)thread;
  gradient_range(lo, hi, f->b, f->w, f->sum);
}

static void
wall_gradient_body(void *context, int lo, int hi, int thread) {
  struct eref *f = context;
  (void)thread;
  wall_gradient_range(lo, hi, f->b, f->w, f->sum);
}

static void
end_gradient_body(void *context, int lo, int hi, int thread) {
  struct eref *f = context;
  (void)thread;
  end_gradient_range(lo, hi, f->b->volume, f->sum, f->grad);
}

static void
extremes_body(void *context, int lo, int hi, int thread) {
  struct eref *f = context;
  (void)thread;
  extremes_range(lo, hi, f->b->edge, f->w, f->low, f->high);
}

static void
limit_body(void *context, int lo, int hi, int thread) {
  struct eref *f = context;
  (void)thread;
  limit_range(lo, hi, f, f->phi);
}

static void
edge_flux_body(void *context, int lo, int hi, int thread) {
  struct eref *f = context;
  (void)thread;
  edge_flux_range(lo, hi, f, f->r);
}

static void
wall_flux_body(void *context, int lo, int hi, int thread) {
  struct eref *f = context;
  (void)thread;
  wall_flux_range(lo, hi, f->b, f->w, f->r);
}

static void
stage_body(void *context, int lo, int hi, int thread) {
  struct eref *f = context;
  (void)thread;
  stage_range(lo, hi, f, f->r, f->u);
}

static void
last_stage_body(void *context, int lo, int hi, int thread) {
  struct eref *f = context;
  f->share[thread * EREF_PAD] += last_stage_range(lo, hi, f, f->r, f->u);
}

/* ---- the scheme ---------------------------------------------------------- */

static void
run(struct eref *f, const struct colouring *c, loop_body *body) {
  if (f->threads == 1)
    body(f, 0, c->n, 0);
  else
    colouring_run(c, f->threads, body, f);
}

static void
set_shares(struct eref *f, double value) {
  for (int t = 0; t < f->threads; t++) f->share[t * EREF_PAD] = value;
}

static void
find_step(struct eref *f) {
  set_shares(f, 1e30);
  run(f, &f->nodes, begin_step_body);
  f->dt = 1e30;
  for (int t = 0; t < f->threads; t++)
    f->dt = fmin(f->dt, f->share[t * EREF_PAD]);
}

static void
end_step(struct eref *f) {
  double sum = 0;
  set_shares(f, 0);
  run(f, &f->nodes, last_stage_body);
  for (int t = 0; t < f->threads; t++) sum += f->share[t * EREF_PAD];
  f->rms = sqrt(sum / f->b->nnode);
}

void
eref_step(struct eref *f) {
  static const double alpha[EULER_STAGES - 1] = {0.25, 1 / 6.0, 0.375, 0.5};
  find_step(f);
  for (int k = 0; k < EULER_STAGES; k++) {
    run(f, &f->nodes, begin_stage_body);
    run(f, &f->edges, gradient_body);
    run(f, &f->walls, wall_gradient_body);
    run(f, &f->nodes, end_gradient_body);
    run(f, &f->edges, extremes_body);
    run(f, &f->edges, limit_body);
    run(f, &f->edges, edge_flux_body);
    run(f, &f->walls, wall_flux_body);
    if (k == EULER_STAGES - 1) break;
    f->alpha = alpha[k];
    run(f, &f->nodes, stage_body);
  }
  end_step(f);
}

void
eref_totals(const struct eref *f, double *sum) {
  memset(sum, 0, 3 * sizeof *sum);
  for (int n = 0; n < f->b->nnode; n++)
    totals(f->u + 5 * n, f->b->volume + n, sum);
}

double
eref_excess(const struct eref *f) {
  const double *x = f->b->x;
  double most = -1e30;
  for (int e = 0; e < f->b->nedge; e++) {
    int i = f->b->edge[2 * e], j = f->b->edge[2 * e + 1];
    excess(x + 3 * i, x + 3 * j, f->w + 5 * i, f->w + 5 * j, f->grad + 15 * i,
           f->grad + 15 * j, f->low + 5 * i, f->low + 5 * j, f->high + 5 * i,
           f->high + 5 * j, f->phi + 5 * i, f->phi + 5 * j, &most);
  }
  return most;
}

static void
start_nodes(struct eref *f) {
  const struct box *b = f->b;
  for (int n = 0; n < b->nnode; n++) start_node(b->x + 3 * n, f->u + 5 * n);
  for (int e = 0; e < b->nedge; e++)
    add_area(b->normal + 3 * e, f->size + b->edge[2 * e],
             f->size + b->edge[2 * e + 1]);
  for (int n = 0; n < b->nnode; n++) node_size(b->volume + n, f->size + n);
}

/* Where the arrays lie and how many doubles a node they have. */
static const struct {
  size_t at;
  int dim;
} arrays[] = {
    {offsetof(struct eref, u), 5},     {offsetof(struct eref, old), 5},
    {offsetof(struct eref, w), 5},     {offsetof(struct eref, sum), 15},
    {offsetof(struct eref, grad), 15}, {offsetof(struct eref, low), 5},
    {offsetof(struct eref, high), 5},  {offsetof(struct eref, phi), 5},
    {offsetof(struct eref, r), 5},     {offsetof(struct eref, size), 1},
};
enum { ARRAYS = sizeof arrays / sizeof arrays[0] };

static double **
array(struct eref *f, int i) {
  return (double **)((char *)f + arrays[i].at);
}

void
eref_start(struct eref *f, const struct box *b, int threads, int block) {
  memset(f, 0, sizeof *f);
  f->b = b;
  f->threads = threads < 1              ? 1
               : threads > EREF_THREADS ? EREF_THREADS
                                        : threads;
  for (int i = 0; i < ARRAYS; i++)
    *array(f, i) = bench_take(b->nnode, arrays[i].dim * sizeof(double));
  start_nodes(f);
  colouring_make(&f->nodes, b->nnode, block, NULL, 0, 0);
  colouring_make(&f->edges, b->nedge, block, b->edge, 2, b->nnode);
  colouring_make(&f->walls, b->nwall, block, b->wall, 1, b->nnode);
}

void
eref_stop(struct eref *f) {
  for (int i = 0; i < ARRAYS; i++) free(*array(f, i));
  colouring_clear(&f->nodes);
  colouring_clear(&f->edges);
  colouring_clear(&f->walls);
}
