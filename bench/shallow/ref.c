#include "ref.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "../take.h"
#include "kernels.h"

/* Kept out of line, or clang forgets `restrict`. */
#define LOOP static __attribute__((noinline))

/* ---- loops over elements [lo, hi) ---------------------------------------- */

LOOP double
time_step_range(int lo, int hi, const double *restrict u,
                const double *restrict size) {
  double dt = DBL_MAX;
  for (int e = lo; e < hi; e++) time_step(u + 4 * e, size + 2 * e, &dt);
  return dt;
}

LOOP void
edge_flux_range(int lo, int hi, const struct basin *b, const double *restrict u,
                double *restrict r) {
  const int *restrict edge_node = b->edge_node;
  const int *restrict edge_cell = b->edge_cell;
  const double *restrict x = b->x;
  for (int e = lo; e < hi; e++) {
    const int *n = edge_node + 2 * e, *c = edge_cell + 2 * e;
    edge_flux(x + 2 * n[0], x + 2 * n[1], u + 4 * c[0], u + 4 * c[1],
              r + 4 * c[0], r + 4 * c[1]);
  }
}

LOOP void
wall_flux_range(int lo, int hi, const struct basin *b, const double *restrict u,
                double *restrict r) {
  for (int e = lo; e < hi; e++) {
    const int *n = b->wall_node + 2 * e, c = b->wall_cell[e];
    wall_flux(b->x + 2 * n[0], b->x + 2 * n[1], u + 4 * c, r + 4 * c);
  }
}

LOOP void
first_stage_range(int lo, int hi, double *restrict u, double *restrict old,
                  double *restrict r, const double *restrict size, double dt) {
  for (int e = lo; e < hi; e++)
    first_stage(u + 4 * e, old + 4 * e, r + 4 * e, size + 2 * e, &dt);
}

LOOP void
second_stage_range(int lo, int hi, const double *restrict old,
                   double *restrict u, double *restrict r,
                   const double *restrict size, double dt) {
  for (int e = lo; e < hi; e++)
    second_stage(old + 4 * e, u + 4 * e, r + 4 * e, size + 2 * e, &dt);
}

/* ---- the same as bodies of a coloured loop ------------------------------- */

static void
time_step_body(void *context, int lo, int hi, int thread) {
  struct sref *s = context;
  double dt = time_step_range(lo, hi, s->u, s->size);
  double *least = s->least + thread * SREF_PAD;
  *least = dt < *least ? dt : *least;
}

static void
edge_flux_body(void *context, int lo, int hi, int thread) {
  struct sref *s = context;
  (void)thread;
  edge_flux_range(lo, hi, s->b, s->u, s->r);
}

static void
wall_flux_body(void *context, int lo, int hi, int thread) {
  struct sref *s = context;
  (void)thread;
  wall_flux_range(lo, hi, s->b, s->u, s->r);
}

static void
first_stage_body(void *context, int lo, int hi, int thread) {
  struct sref *s = context;
  (void)thread;
  first_stage_range(lo, hi, s->u, s->old, s->r, s->size, s->dt);
}

static void
second_stage_body(void *context, int lo, int hi, int thread) {
  struct sref *s = context;
  (void)thread;
  second_stage_range(lo, hi, s->old, s->u, s->r, s->size, s->dt);
}

/* ---- the scheme ---------------------------------------------------------- */

static void
run(struct sref *s, const struct colouring *c, int n, loop_body *body) {
  if (s->threads == 1)
    body(s, 0, n, 0);
  else
    colouring_run(c, s->threads, body, s);
}

static void
find_step(struct sref *s) {
  for (int t = 0; t < s->threads; t++) s->least[t * SREF_PAD] = DBL_MAX;
  run(s, &s->cells, s->b->ncell, time_step_body);
  s->dt = DBL_MAX;
  for (int t = 0; t < s->threads; t++)
    s->dt = fmin(s->dt, s->least[t * SREF_PAD]);
}

void
sref_step(struct sref *s) {
  const struct basin *b = s->b;
  find_step(s);
  for (int k = 0; k < 2; k++) {
    run(s, &s->edges, b->nedge, edge_flux_body);
    run(s, &s->walls, b->nwall, wall_flux_body);
    run(s, &s->cells, b->ncell, k ? second_stage_body : first_stage_body);
  }
}

void
sref_totals(const struct sref *s, double *sum, double *deepest_out) {
  memset(sum, 0, 3 * sizeof *sum);
  *deepest_out = 0;
  for (int e = 0; e < s->b->ncell; e++)
    totals(s->u + 4 * e, s->size + 2 * e, sum, deepest_out);
}

static void
start_cells(struct sref *s) {
  const double *x = s->b->x;
  for (int e = 0; e < s->b->ncell; e++) {
    const int *n = s->b->cell_node + 3 * e;
    start_cell(x + 2 * n[0], x + 2 * n[1], x + 2 * n[2], s->size + 2 * e,
               s->u + 4 * e);
  }
}

void
sref_start(struct sref *s, const struct basin *b, int threads, int block) {
  memset(s, 0, sizeof *s);
  s->b = b;
  s->threads = threads < 1              ? 1
               : threads > SREF_THREADS ? SREF_THREADS
                                        : threads;
  s->size = bench_take(b->ncell, 2 * sizeof(double));
  s->u = bench_take(b->ncell, 4 * sizeof(double));
  s->old = bench_take(b->ncell, 4 * sizeof(double));
  s->r = bench_take(b->ncell, 4 * sizeof(double));
  start_cells(s);
  if (s->threads == 1) return;
  colouring_make(&s->cells, b->ncell, block, NULL, 0, 0);
  colouring_make(&s->edges, b->nedge, block, b->edge_cell, 2, b->ncell);
  colouring_make(&s->walls, b->nwall, block, b->wall_cell, 1, b->ncell);
}

void
sref_stop(struct sref *s) {
  free(s->size);
  free(s->u);
  free(s->old);
  free(s->r);
  colouring_clear(&s->cells);
  colouring_clear(&s->edges);
  colouring_clear(&s->walls);
}
