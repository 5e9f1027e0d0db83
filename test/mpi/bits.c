/* OP2_REPRODUCIBLE: the same bits for any number of ranks and threads, and any
 * partition. A mesh with edges near and far, values of many magnitudes; increments
 * through maps, sums of all sorts. run.sh compares what slice.h prints.
 *
 * RUN: 1 OP2_REPRODUCIBLE=1
 * RUN: 1 OP2_REPRODUCIBLE=1 OMP_NUM_THREADS=3
 * RUN: 2 OP2_REPRODUCIBLE=1
 * RUN: 2 OP2_REPRODUCIBLE=1 OMP_NUM_THREADS=2 OP2_LAYOUT=soa
 * RUN: 3 OP2_REPRODUCIBLE=1 PART=RANDOM OP2_CHECK=1
 * RUN: 3 OP2_REPRODUCIBLE=1 PART=EXTERNAL SLICE=skew OMP_NUM_THREADS=2
 * RUN: 4 OP2_REPRODUCIBLE=1 PART=PTSCOTCH OP2_HALO_LIMIT=6
 * RUN: 4 OP2_REPRODUCIBLE=1 PART=INERTIAL
 * RUN: 7 OP2_REPRODUCIBLE=1 SLICE=skew
 * RUN: 7 OP2_REPRODUCIBLE=1 PART=RANDOM OMP_NUM_THREADS=2
 */
#include "slice.h"

enum {
  FEW = 40, /* a message for each, where ranks take turns */
  CELLS = 6000,
  EDGES = 15000,
  DIM = 3,
  BINS = 20,
  STEPS = 4
};

static double x[2 * CELLS], q[DIM * CELLS], r[DIM * CELLS], w[EDGES];
static float f[CELLS];
static int edge[2 * EDGES];

static uint32_t seed = 12345;

static double
uniform(void) {
  seed = seed * 1664525 + 1013904223;
  return (double)(seed >> 8) / (1 << 24);
}

/* Of either sign, over some ten magnitudes. */
static double
value(void) {
  double v = uniform() - 0.5;
  for (int k = (int)(uniform() * 10); k > 0; k--) v *= 0.1;
  return v;
}

static void
mesh(void) {
  for (int c = 0; c < CELLS; c++) {
    x[2 * c] = c % 80;
    x[2 * c + 1] = c / 80;
    f[c] = (float)value();
    for (int k = 0; k < DIM; k++) q[DIM * c + k] = value();
  }
  for (int e = 0; e < EDGES; e++) {
    int a = (int)(uniform() * CELLS), far = e % 50 == 0;
    int b = far ? (int)(uniform() * CELLS) : a + (e % 2 ? 1 : 80);
    edge[2 * e] = a;
    edge[2 * e + 1] = b % CELLS == a ? (a + 1) % CELLS : b % CELLS;
    w[e] = value();
  }
}

static void
flux(const double *w, const double *qa, const double *qb, double *ra,
     double *rb, double *total, int *count) {
  for (int k = 0; k < 3; k++) {
    double d = *w * (qa[k] - 1.1 * qb[k]);
    ra[k] += d;
    rb[k] -= 0.9 * d;
  }
  total[0] += *w * qa[0];
  total[1] -= qb[1];
  *count += *w > 0;
}

static void
step(double *q, double *r, const float *f, double *norm, float *fsum,
     double *least) {
  for (int k = 0; k < 3; k++) {
    double d = 0.01 * r[k];
    q[k] = q[k] * 0.99 + d;
    *norm += d * d;
    r[k] = 0;
  }
  *fsum += *f * (float)q[0];
  if (q[1] < *least) *least = q[1];
}

static void
spread(const double *q, double *bins) {
  int i = (int)(q[0] * q[0] * 1000) % 20;
  bins[i < 0 ? 0 : i] += q[1];
}

/* Its sum is looked at on the way: ranks take turns. */
static void
looking(const double *q, double *sum) {
  *sum += *sum > 1 ? 0.5 * q[0] : q[0];
}

static void
running(const double *q, double *last) {
  *last = 0.5 * *last + q[2];
}

int
main(int argc, char **argv) {
  double total[2] = {0.1, 0}, norm = 0, least = 10, bins[BINS] = {0}, last = 1,
         looked = 0.9;
  float fsum = 0.25f;
  int count = 0;
  mesh();
  op_init(argc, argv, 1);
  op_set few = op_decl_set(FEW, "few");
  op_set edges = op_decl_set(EDGES, "edges"),
         cells = op_decl_set(CELLS, "cells");
  op_map pedge = op_decl_map(edges, cells, 2, edge, "pedge");
  op_decl_dat(cells, 2, "double", x, "x");
  op_dat pv = op_decl_dat(few, DIM, "double", q, "v");
  op_dat pq = op_decl_dat(cells, DIM, "double", q, "q");
  op_dat pr = op_decl_dat(cells, DIM, "double", r, "r");
  op_dat pf = op_decl_dat(cells, 1, "float", f, "f");
  op_dat pw = op_decl_dat(edges, 1, "double", w, "w");
  for (int i = 0; i < STEPS; i++) {
    op_par_loop(flux, "flux", edges,
                op_arg_dat(pw, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(pq, 0, pedge, DIM, "double", OP_READ),
                op_arg_dat(pq, 1, pedge, DIM, "double", OP_READ),
                op_arg_dat(pr, 0, pedge, DIM, "double", OP_INC),
                op_arg_dat(pr, 1, pedge, DIM, "double", OP_INC),
                op_arg_gbl(total, 2, "double", OP_INC),
                op_arg_gbl(&count, 1, "int", OP_INC));
    op_par_loop(step, "step", cells,
                op_arg_dat(pq, -1, OP_ID, DIM, "double", OP_RW),
                op_arg_dat(pr, -1, OP_ID, DIM, "double", OP_RW),
                op_arg_dat(pf, -1, OP_ID, 1, "float", OP_READ),
                op_arg_gbl(&norm, 1, "double", OP_INC),
                op_arg_gbl(&fsum, 1, "float", OP_INC),
                op_arg_gbl(&least, 1, "double", OP_MIN));
    op_par_loop(spread, "spread", cells,
                op_arg_dat(pq, -1, OP_ID, DIM, "double", OP_READ),
                op_arg_gbl(bins, BINS, "double", OP_INC));
    op_par_loop(looking, "looking", few,
                op_arg_dat(pv, -1, OP_ID, DIM, "double", OP_READ),
                op_arg_gbl(&looked, 1, "double", OP_INC));
    op_par_loop(running, "running", few,
                op_arg_dat(pv, -1, OP_ID, DIM, "double", OP_READ),
                op_arg_gbl(&last, 1, "double", OP_RW));
  }
  op_fetch_data(pq, q);
  op_fetch_data(pr, r);
  slice_note(total, sizeof total);
  slice_note(&norm, sizeof norm);
  slice_note(&fsum, sizeof fsum);
  slice_note(&least, sizeof least);
  slice_note(bins, sizeof bins);
  slice_note(&last, sizeof last);
  slice_note(&looked, sizeof looked);
  slice_note(&count, sizeof count);
  op_exit();
  printf("ok\n");
  return 0;
}
