#include "ref.h"

#include <stdlib.h>
#include <string.h>

#include "../take.h"
#include "kernels.h"

/* Kept out of line, or clang forgets `restrict`. */
#define LOOP static __attribute__((noinline))

/* ---- loops over elements [lo, hi) ---------------------------------------- */

LOOP void
exchange_range(int lo, int hi, const struct graph *g, const double *restrict u,
               double *restrict flow) {
  const int *restrict edge = g->box.edge;
  const double *restrict weight = g->weight;
  for (int e = lo; e < hi; e++) {
    int a = edge[2 * e], b = edge[2 * e + 1];
    exchange(weight + e, u + a, u + b, flow + a, flow + b);
  }
}

LOOP void
advance_range(int lo, int hi, const struct cref *c, double *restrict flow,
              double *restrict d, double *restrict u) {
  const double *restrict b = c->g->b, *restrict diagonal = c->g->diagonal;
  double ab[2] = {c->ab[0], c->ab[1]};
  for (int n = lo; n < hi; n++)
    advance(ab, b + n, diagonal + n, flow + n, d + n, u + n);
}

/* As one writes products with compressed rows. */
static inline double
row_sum(const long long *restrict ptr, const int *restrict col,
        const double *restrict weight, const double *restrict u, int n) {
  double sum = 0;
  for (long long k = ptr[n]; k < ptr[n + 1]; k++) sum += weight[k] * u[col[k]];
  return sum;
}

LOOP void
advance_rows_range(int lo, int hi, const struct cref *c,
                   const double *restrict u, double *restrict d,
                   double *restrict next) {
  const struct graph *g = c->g;
  const double *restrict b = g->b, *restrict diagonal = g->diagonal;
  double ab[2] = {c->ab[0], c->ab[1]};
  for (int n = lo; n < hi; n++) {
    double flow = row_sum(g->rows.ptr, g->rows.col, g->entry_weight, u, n);
    double value = u[n];
    chebyshev_step(ab, b[n], diagonal[n], flow, d + n, &value);
    next[n] = value;
  }
}

LOOP double
norm_range(int lo, int hi, const struct graph *g, const double *restrict u,
           double *restrict flow) {
  double sum = 0;
  for (int n = lo; n < hi; n++)
    norm(g->b + n, g->diagonal + n, u + n, flow + n, &sum);
  return sum;
}

LOOP double
norm_rows_range(int lo, int hi, const struct graph *g,
                const double *restrict u) {
  double sum = 0;
  for (int n = lo; n < hi; n++) {
    double flow = row_sum(g->rows.ptr, g->rows.col, g->entry_weight, u, n);
    norm(g->b + n, g->diagonal + n, u + n, &flow, &sum);
  }
  return sum;
}

/* ---- the same as bodies of a coloured loop ------------------------------- */

static void
exchange_body(void *context, int lo, int hi, int thread) {
  struct cref *c = context;
  (void)thread;
  exchange_range(lo, hi, c->g, c->u, c->flow);
}

static void
advance_body(void *context, int lo, int hi, int thread) {
  struct cref *c = context;
  (void)thread;
  if (c->as_rows)
    advance_rows_range(lo, hi, c, c->u, c->d, c->next);
  else
    advance_range(lo, hi, c, c->flow, c->d, c->u);
}

static void
norm_body(void *context, int lo, int hi, int thread) {
  struct cref *c = context;
  c->share[thread * CREF_PAD] += c->as_rows
                                     ? norm_rows_range(lo, hi, c->g, c->u)
                                     : norm_range(lo, hi, c->g, c->u, c->flow);
}

/* ---- the smoothing -------------------------------------------------------- */

static void
run(struct cref *c, const struct colouring *of, loop_body *body) {
  if (c->threads == 1)
    body(c, 0, of->n, 0);
  else
    colouring_run(of, c->threads, body, c);
}

void
cref_smooth(struct cref *c, int s) {
  double rho = 0;
  for (int k = 0; k < s; k++) {
    chebyshev_next(k, &rho, c->ab);
    if (!c->as_rows) run(c, &c->edges, exchange_body);
    run(c, &c->nodes, advance_body);
    if (!c->as_rows) continue;
    double *u = c->u;
    c->u = c->next;
    c->next = u;
  }
}

double
cref_rms(struct cref *c) {
  double sum = 0;
  memset(c->share, 0, sizeof c->share);
  if (!c->as_rows) run(c, &c->edges, exchange_body);
  run(c, &c->nodes, norm_body);
  for (int t = 0; t < c->threads; t++) sum += c->share[t * CREF_PAD];
  return sqrt(sum / c->g->box.nnode);
}

void
cref_start(struct cref *c, const struct graph *g, int as_rows, int threads,
           int block) {
  int n = g->box.nnode;
  memset(c, 0, sizeof *c);
  c->g = g;
  c->as_rows = as_rows;
  c->threads = threads < 1              ? 1
               : threads > CREF_THREADS ? CREF_THREADS
                                        : threads;
  c->u = bench_take(n, sizeof(double));
  c->next = bench_take(n, sizeof(double));
  c->d = bench_take(n, sizeof(double));
  c->flow = bench_take(n, sizeof(double));
  colouring_make(&c->nodes, n, block, NULL, 0, 0);
  colouring_make(&c->edges, g->box.nedge, block, g->box.edge, 2, n);
}

void
cref_stop(struct cref *c) {
  free(c->u);
  free(c->next);
  free(c->d);
  free(c->flow);
  colouring_clear(&c->nodes);
  colouring_clear(&c->edges);
}
