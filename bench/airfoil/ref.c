#include "ref.h"

#include <stdlib.h>
#include <string.h>

#include "../take.h"
#include "kernels.h"

/* ---- one loop per kernel, elements [lo, hi) --------------------------------
 *
 * Kept out of line: clang forgets `restrict` of a function that it inlines far
 * enough to leave adt_calc scalar, and the reference is to be as fast as good
 * OP2 code can be. One call serves a block of at least some hundred
 * elements. */
#define LOOP static __attribute__((noinline))

LOOP void
save_soln_range(int lo, int hi, const double *restrict q,
                double *restrict qold) {
  for (int e = lo; e < hi; e++) save_soln(q + 4 * e, qold + 4 * e);
}

LOOP void
adt_calc_range(int lo, int hi, const int *restrict cell_node,
               const double *restrict x, const double *restrict q,
               double *restrict adt) {
  for (int e = lo; e < hi; e++) {
    const int *n = cell_node + 4 * e;
    adt_calc(x + 2 * n[0], x + 2 * n[1], x + 2 * n[2], x + 2 * n[3], q + 4 * e,
             adt + e);
  }
}

LOOP void
res_calc_range(int lo, int hi, const struct mesh *m, const double *restrict q,
               const double *restrict adt, double *restrict res) {
  const int *restrict edge_node = m->edge_node;
  const int *restrict edge_cell = m->edge_cell;
  const double *restrict x = m->x;
  for (int e = lo; e < hi; e++) {
    const int *n = edge_node + 2 * e, *c = edge_cell + 2 * e;
    res_calc(x + 2 * n[0], x + 2 * n[1], q + 4 * c[0], q + 4 * c[1], adt + c[0],
             adt + c[1], res + 4 * c[0], res + 4 * c[1]);
  }
}

LOOP void
bres_calc_range(int lo, int hi, const struct mesh *m, const double *restrict q,
                const double *restrict adt, double *restrict res) {
  for (int e = lo; e < hi; e++) {
    const int *n = m->bedge_node + 2 * e, c = m->bedge_cell[e];
    bres_calc(m->x + 2 * n[0], m->x + 2 * n[1], q + 4 * c, adt + c, res + 4 * c,
              m->bedge_type + e);
  }
}

LOOP double
update_range(int lo, int hi, const double *restrict qold, double *restrict q,
             double *restrict res, const double *restrict adt) {
  double rms = 0.0;
  for (int e = lo; e < hi; e++)
    update(qold + 4 * e, q + 4 * e, res + 4 * e, adt + e, &rms);
  return rms;
}

/* ---- the indirect ones eight elements at a time -------------------------- */

#include "lanes.h"

/* ---- the same as bodies of a coloured loop ------------------------------- */

static void
save_soln_body(void *context, int lo, int hi, int thread) {
  struct ref *r = context;
  (void)thread;
  save_soln_range(lo, hi, r->q, r->qold);
}

static void
adt_calc_body(void *context, int lo, int hi, int thread) {
  struct ref *r = context;
  (void)thread;
  adt_calc_range(lo, hi, r->m->cell_node, r->m->x, r->q, r->adt);
}

static void
adt_calc_lanes_body(void *context, int lo, int hi, int thread) {
  struct ref *r = context;
  (void)thread;
  adt_calc_lanes(lo, hi, r->m->cell_node, r->m->x, r->q, r->adt);
}

static void
res_calc_body(void *context, int lo, int hi, int thread) {
  struct ref *r = context;
  (void)thread;
  res_calc_range(lo, hi, r->m, r->q, r->adt, r->res);
}

static void
res_calc_lanes_body(void *context, int lo, int hi, int thread) {
  struct ref *r = context;
  (void)thread;
  res_calc_lanes(lo, hi, r->m, r->q, r->adt, r->res);
}

static void
bres_calc_body(void *context, int lo, int hi, int thread) {
  struct ref *r = context;
  (void)thread;
  bres_calc_range(lo, hi, r->m, r->q, r->adt, r->res);
}

static void
bres_calc_lanes_body(void *context, int lo, int hi, int thread) {
  struct ref *r = context;
  (void)thread;
  bres_calc_lanes(lo, hi, r->m, r->q, r->adt, r->res);
}

static void
update_body(void *context, int lo, int hi, int thread) {
  struct ref *r = context;
  r->rms[thread * REF_PAD] +=
      update_range(lo, hi, r->qold, r->q, r->res, r->adt);
}

/* ---- the scheme ---------------------------------------------------------- */

static void
run(struct ref *r, const struct colouring *c, int n, loop_body *body) {
  if (r->threads == 1)
    body(r, 0, n, 0);
  else
    colouring_run(c, r->threads, body, r);
}

double
ref_step(struct ref *r) {
  static const struct {
    loop_body *adt_calc, *res_calc, *bres_calc;
  } choice[2] = {
      {adt_calc_body, res_calc_body, bres_calc_body},
      {adt_calc_lanes_body, res_calc_lanes_body, bres_calc_lanes_body},
  };
  const struct mesh *m = r->m;
  double rms = 0.0;
  run(r, &r->cells, m->ncell, save_soln_body);
  for (int k = 0; k < 2; k++) {
    memset(r->rms, 0, sizeof r->rms);
    run(r, &r->cells, m->ncell, choice[r->simd].adt_calc);
    run(r, &r->edges, m->nedge, choice[r->simd].res_calc);
    run(r, &r->bedges, m->nbedge, choice[r->simd].bres_calc);
    run(r, &r->cells, m->ncell, update_body);
  }
  for (int t = 0; t < r->threads; t++) rms += r->rms[t * REF_PAD];
  return sqrt(rms / m->ncell);
}

void
ref_start(struct ref *r, const struct mesh *m, int threads, int block) {
  memset(r, 0, sizeof *r);
  r->m = m;
  r->threads = threads < 1 ? 1 : threads > REF_THREADS ? REF_THREADS : threads;
  r->q = bench_take(4 * m->ncell, sizeof(double));
  r->qold = bench_take(4 * m->ncell, sizeof(double));
  r->adt = bench_take(m->ncell, sizeof(double));
  r->res = bench_take(4 * m->ncell, sizeof(double));
  airfoil_constants();
  for (int i = 0; i < 4 * m->ncell; i++) r->q[i] = qinf[i % 4];
  if (r->threads == 1) return;
  colouring_make(&r->cells, m->ncell, block, NULL, 0, 0);
  colouring_make(&r->edges, m->nedge, block, m->edge_cell, 2, m->ncell);
  colouring_make(&r->bedges, m->nbedge, block, m->bedge_cell, 1, m->ncell);
}

void
ref_stop(struct ref *r) {
  free(r->q);
  free(r->qold);
  free(r->adt);
  free(r->res);
  colouring_clear(&r->cells);
  colouring_clear(&r->edges);
  colouring_clear(&r->bedges);
}
