#include "ref.h"

#include <stdlib.h>
#include <string.h>

#include "../take.h"
#include "kernels.h"

/* Kept out of line, or clang forgets `restrict`. */
#define LOOP static __attribute__((noinline))

/* ---- loops over elements [lo, hi) ---------------------------------------- */

LOOP void
exchange_range(int lo, int hi, const struct level *l, const double *restrict u,
               double *restrict flow) {
  const int *restrict edge = l->edge;
  const double *restrict weight = l->weight;
  for (int e = lo; e < hi; e++) {
    int a = edge[2 * e], b = edge[2 * e + 1];
    exchange(weight + e, u + a, u + b, flow + a, flow + b);
  }
}

LOOP void
relax_range(int lo, int hi, const double *restrict b,
            const double *restrict inverse, double *restrict flow,
            double *restrict u) {
  for (int n = lo; n < hi; n++) relax(b + n, inverse + n, flow + n, u + n);
}

LOOP void
begin_level_range(int lo, int hi, double *restrict b, double *restrict u) {
  for (int n = lo; n < hi; n++) begin_level(b + n, u + n);
}

LOOP void
restrict_range(int lo, int hi, const struct level *l, const double *restrict b,
               double *restrict flow, double *restrict next) {
  const int *restrict parent = l->parent;
  const double *restrict inverse = l->inverse;
  for (int n = lo; n < hi; n++)
    restrict_to(b + n, inverse + n, flow + n, next + parent[2 * n],
                next + parent[2 * n + 1]);
}

LOOP void
prolong_range(int lo, int hi, const struct level *l,
              const double *restrict next, double *restrict u) {
  const int *restrict parent = l->parent;
  const double *restrict inverse = l->inverse;
  for (int n = lo; n < hi; n++)
    prolong(inverse + n, next + parent[2 * n], next + parent[2 * n + 1], u + n);
}

LOOP double
norm_range(int lo, int hi, const double *restrict b,
           const double *restrict inverse, double *restrict flow) {
  double sum = 0;
  for (int n = lo; n < hi; n++) norm(b + n, inverse + n, flow + n, &sum);
  return sum;
}

/* ---- the same as bodies of a coloured loop ------------------------------- */

static void
exchange_body(void *context, int lo, int hi, int thread) {
  struct mref *m = context;
  (void)thread;
  exchange_range(lo, hi, &m->l->at[m->k], m->at[m->k].u, m->at[m->k].flow);
}

static void
relax_body(void *context, int lo, int hi, int thread) {
  struct mref *m = context;
  struct mref_level *v = &m->at[m->k];
  (void)thread;
  relax_range(lo, hi, v->b, m->l->at[m->k].inverse, v->flow, v->u);
}

static void
begin_level_body(void *context, int lo, int hi, int thread) {
  struct mref *m = context;
  (void)thread;
  begin_level_range(lo, hi, m->at[m->k + 1].b, m->at[m->k + 1].u);
}

static void
restrict_body(void *context, int lo, int hi, int thread) {
  struct mref *m = context;
  struct mref_level *v = &m->at[m->k];
  (void)thread;
  restrict_range(lo, hi, &m->l->at[m->k], v->b, v->flow, v[1].b);
}

static void
prolong_body(void *context, int lo, int hi, int thread) {
  struct mref *m = context;
  struct mref_level *v = &m->at[m->k];
  (void)thread;
  prolong_range(lo, hi, &m->l->at[m->k], v[1].u, v->u);
}

static void
norm_body(void *context, int lo, int hi, int thread) {
  struct mref *m = context;
  struct mref_level *v = &m->at[m->k];
  m->share[thread * MREF_PAD] +=
      norm_range(lo, hi, v->b, m->l->at[m->k].inverse, v->flow);
}

/* ---- the cycle ------------------------------------------------------------ */

static void
run(struct mref *m, const struct colouring *c, loop_body *body) {
  if (m->threads == 1)
    body(m, 0, c->n, 0);
  else
    colouring_run(c, m->threads, body, m);
}

static void
smooth(struct mref *m, int sweeps) {
  for (int s = 0; s < sweeps; s++) {
    run(m, &m->at[m->k].edges, exchange_body);
    run(m, &m->at[m->k].nodes, relax_body);
  }
}

void
mref_cycle(struct mref *m) {
  for (m->k = 0; m->k + 1 < m->l->n; m->k++) {
    smooth(m, MULTIGRID_BEFORE);
    run(m, &m->at[m->k].edges, exchange_body);
    run(m, &m->at[m->k + 1].nodes, begin_level_body);
    run(m, &m->at[m->k].children, restrict_body);
  }
  smooth(m, MULTIGRID_LAST);
  while (m->k-- > 0) {
    run(m, &m->at[m->k].nodes, prolong_body);
    smooth(m, MULTIGRID_AFTER);
  }
}

double
mref_rms(struct mref *m) {
  double sum = 0;
  m->k = 0;
  memset(m->share, 0, sizeof m->share);
  run(m, &m->at[0].edges, exchange_body);
  run(m, &m->at[0].nodes, norm_body);
  for (int t = 0; t < m->threads; t++) sum += m->share[t * MREF_PAD];
  return sqrt(sum / m->l->at[0].nnode);
}

double
mref_error(const struct mref *m) {
  const struct level *l = &m->l->at[0];
  double most = 0;
  for (int n = 0; n < l->nnode; n++) error(l->x + 2 * n, m->at[0].u + n, &most);
  return most;
}

static void
start_level(struct mref *m, int k, int block) {
  const struct level *l = &m->l->at[k];
  struct mref_level *v = &m->at[k];
  v->b = bench_take(l->nnode, sizeof(double));
  v->u = bench_take(l->nnode, sizeof(double));
  v->flow = bench_take(l->nnode, sizeof(double));
  colouring_make(&v->nodes, l->nnode, block, NULL, 0, 0);
  colouring_make(&v->edges, l->nedge, block, l->edge, 2, l->nnode);
  if (k + 1 < m->l->n)
    colouring_make(&v->children, l->nnode, block, l->parent, 2, l[1].nnode);
}

void
mref_start(struct mref *m, const struct levels *l, int threads, int block) {
  memset(m, 0, sizeof *m);
  m->l = l;
  m->threads = threads < 1              ? 1
               : threads > MREF_THREADS ? MREF_THREADS
                                        : threads;
  for (int k = 0; k < l->n; k++) start_level(m, k, block);
  for (int n = 0; n < l->at[0].nnode; n++)
    source(l->at[0].x + 2 * n, l->at[0].load + n, m->at[0].b + n);
}

void
mref_stop(struct mref *m) {
  for (int k = 0; k < m->l->n; k++) {
    free(m->at[k].b);
    free(m->at[k].u);
    free(m->at[k].flow);
    colouring_clear(&m->at[k].nodes);
    colouring_clear(&m->at[k].edges);
    colouring_clear(&m->at[k].children);
  }
}
