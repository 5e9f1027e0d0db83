/* OP2_REPRODUCIBLE: the bits of plain C, whatever runs again behind whom. Edges change
 * what they add, which a loop in front of them made; and edges change both their ends,
 * one after the other. Products would be fused with sums, so there are none. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 20000, FAR = 1000, CELLS = N + FAR };

static void
make(double *x, const double *b) {
  *x = *b / 7;
}

static void
look(const double *x, double *y) {
  *y = *x / 2;
}

static void
flux(double *x, double *r0, double *r1) {
  *x = *x / 3 + 0.25;
  *r0 += *x;
  *r1 -= *x / 7;
}

static void
relax(double *a, double *b) {
  double mean = (*a + *b) / 2;
  *a = (mean + *a) / 3;
  *b = mean + 1e-3;
}

static int ends[N][2], first[CELLS];
static double b[N], x[N], y[CELLS], r[CELLS], got[CELLS];

static void
check_sums(op_set edges, op_set cells, op_map m) {
  op_map back = op_decl_map(cells, edges, 1, first, "back");
  op_dat bd = op_decl_dat(edges, 1, "double", b, "b");
  op_dat xd = op_decl_dat(edges, 1, "double", x, "x");
  op_dat yd = op_decl_dat(cells, 1, "double", y, "y");
  op_dat rd = op_decl_dat(cells, 1, "double", r, "r");
  op_par_loop(make, "make", edges,
              op_arg_dat(xd, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_dat(bd, -1, OP_ID, 1, "double", OP_READ));
  op_par_loop(look, "look", cells,
              op_arg_dat(xd, 0, back, 1, "double", OP_READ),
              op_arg_dat(yd, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(flux, "flux", edges,
              op_arg_dat(xd, -1, OP_ID, 1, "double", OP_RW),
              op_arg_dat(rd, 0, m, 1, "double", OP_INC),
              op_arg_dat(rd, 1, m, 1, "double", OP_INC));
  op_fetch_data(rd, got);
  for (int e = 0; e < N; e++) make(&x[e], &b[e]);
  for (int c = 0; c < CELLS; c++) look(&x[first[c]], &y[c]);
  for (int e = 0; e < N; e++) flux(&x[e], &r[ends[e][0]], &r[ends[e][1]]);
  bool exact = getenv("OP2_REPRODUCIBLE") != NULL;
  for (int c = 0; c < CELLS; c++)
    CHECK(exact ? got[c] == r[c] : fabs(got[c] - r[c]) < 1e-12);
}

/* In any order it is another program. */
static void
check_changes(op_set edges, op_set cells, op_map m) {
  static double v[CELLS];
  if (!getenv("OP2_REPRODUCIBLE")) return;
  for (int c = 0; c < CELLS; c++) v[c] = c * 7919 % 1000 * 1e-3;
  op_dat d = op_decl_dat(cells, 1, "double", v, "v");
  op_par_loop(relax, "relax", edges, op_arg_dat(d, 0, m, 1, "double", OP_RW),
              op_arg_dat(d, 1, m, 1, "double", OP_RW));
  op_fetch_data(d, got);
  for (int e = 0; e < N; e++) relax(&v[ends[e][0]], &v[ends[e][1]]);
  CHECK(!memcmp(got, v, sizeof v));
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    ends[e][0] = e;
    ends[e][1] = e + FAR;
    b[e] = e % 97;
  }
  for (int c = 0; c < CELLS; c++) first[c] = c < N ? c : N - 1;
  op_set edges = op_decl_set(N, "edges"), cells = op_decl_set(CELLS, "cells");
  op_map m = op_decl_map(edges, cells, 2, &ends[0][0], "m");
  check_sums(edges, cells, m);
  check_changes(edges, cells, m);
  return check_end();
}
