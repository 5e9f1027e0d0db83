/* Jacobi in plain C: one loop per kernel on one thread, coloured blocks on
 * more. A template over REAL, as kernels.h. */
#ifndef BENCH_JACOBI_REF_H
#define BENCH_JACOBI_REF_H

#include "../colour.h"
#include "kernels.h"

#include "graph.h"

enum { JREF_THREADS = 256 };

/* One cache line a thread. */
struct jref_total {
  _Alignas(64) jacobi_sum sum;
  REAL max;
};

struct jref {
  const struct graph *g; /* KEEP */
  int threads;
  REAL *u, *du;
  struct colouring nodes, edges;
  struct jref_total total[JREF_THREADS];
};

/* Kept out of line, or clang forgets `restrict`. */
#define JREF_LOOP static __attribute__((noinline))

JREF_LOOP void
jref_res(int lo, int hi, const int *restrict edge, const REAL *restrict A,
         const REAL *restrict u, REAL *restrict du) {
  REAL beta = 1;
  for (int e = lo; e < hi; e++)
    res(A + e, u + edge[2 * e + 1], du + edge[2 * e], &beta);
}

JREF_LOOP void
jref_update(int lo, int hi, const REAL *restrict r, REAL *restrict du,
            REAL *restrict u, struct jref_total *total) {
  jacobi_sum sum = total->sum;
  REAL max = total->max;
  for (int n = lo; n < hi; n++) update(r + n, du + n, u + n, &sum, &max);
  total->sum = sum;
  total->max = max;
}

static void
jref_res_body(void *context, int lo, int hi, int thread) {
  struct jref *s = context;
  (void)thread;
  jref_res(lo, hi, s->g->edge, s->g->A, s->u, s->du);
}

static void
jref_update_body(void *context, int lo, int hi, int thread) {
  struct jref *s = context;
  jref_update(lo, hi, s->g->r, s->du, s->u, s->total + thread);
}

static void
jref_run(struct jref *s, const struct colouring *c, int n, loop_body *body) {
  if (s->threads == 1)
    body(s, 0, n, 0);
  else
    colouring_run(c, s->threads, body, s);
}

/* One iteration; *max_out is the largest u. Returns the sum of u^2. */
static inline jacobi_sum
jref_step(struct jref *s, REAL *max_out) {
  jacobi_sum sum = 0;
  for (int t = 0; t < s->threads; t++) s->total[t] = (struct jref_total){0, 0};
  jref_run(s, &s->edges, s->g->nedge, jref_res_body);
  jref_run(s, &s->nodes, s->g->nnode, jref_update_body);
  *max_out = 0;
  for (int t = 0; t < s->threads; t++) {
    sum += s->total[t].sum;
    if (s->total[t].max > *max_out) *max_out = s->total[t].max;
  }
  return sum;
}

/* Edges write to their first end only; colour by that. */
static inline void
jref_colour_edges(struct jref *s, const struct graph *g, int block) {
  int *first = bench_take(g->nedge, sizeof(int));
  for (int e = 0; e < g->nedge; e++) first[e] = g->edge[2 * e];
  colouring_make(&s->edges, g->nedge, block, first, 1, g->nnode);
  free(first);
}

/* Start from zero. The caller clears it and keeps the graph until then. */
static inline void
jref_start(struct jref *s, const struct graph *g, int threads, int block) {
  s->g = g;
  s->threads = threads < 1              ? 1
               : threads > JREF_THREADS ? JREF_THREADS
                                        : threads;
  s->u = bench_take(g->nnode, sizeof(REAL));
  s->du = bench_take(g->nnode, sizeof(REAL));
  colouring_make(&s->nodes, g->nnode, block, NULL, 0, 0);
  jref_colour_edges(s, g, block);
}

static inline void
jref_stop(struct jref *s) {
  free(s->u);
  free(s->du);
  colouring_clear(&s->nodes);
  colouring_clear(&s->edges);
}

#endif
