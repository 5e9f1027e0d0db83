/* Under OP2_GATHER=always what edges add to cells is summed in the order of the
 * program's edges: the very bits of plain C, on any threads, in any numbering, also
 * where the loop behind it writes anew what it reads of its neighbours. */
#include "check.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

enum { CELLS = 700, EDGES = 2 * CELLS, STEPS = 6 };

static int pecell[2 * EDGES], pwall[CELLS];
static double w[EDGES], u[CELLS], r[CELLS], c[CELLS], found[CELLS];

static void
flux(const double *w, const double *a, const double *b, double *ra,
     double *rb) {
  double f = *w * (*a - *b) / (1 + *a * *a);
  *ra -= f;
  *rb += f;
}
static void
wall(const double *w, const double *a, double *ra) {
  *ra += *w * *a;
}
static void
advance(double *r, const double *c, double *u) {
  *u = *c + 0.1 * *r;
  *r = 0;
}
static void
keep(const double *u, double *c) {
  *c = *u;
}

/* A ring whose edges come in no order, with weights of all sizes. */
static void
mesh(void) {
  for (int e = 0; e < EDGES; e++) {
    int i = (int)((long long)e * 997 % EDGES), a = i % CELLS;
    pecell[2 * e] = a;
    pecell[2 * e + 1] = (a + (i < CELLS ? 1 : 13)) % CELLS;
    w[e] = 1.0 / (3 + e % 29) + 1e-7 * e;
  }
  for (int k = 0; k < CELLS; k++) {
    pwall[k] = (k * 5) % CELLS;
    u[k] = c[k] = 1.0 / (k + 1);
  }
}

static void
reference(void) {
  for (int step = 0; step < STEPS; step++) {
    for (int k = 0; k < CELLS; k++) keep(&u[k], &c[k]);
    for (int e = 0; e < EDGES; e++) {
      int a = pecell[2 * e], b = pecell[2 * e + 1];
      flux(&w[e], &u[a], &u[b], &r[a], &r[b]);
    }
    for (int k = 0; k < CELLS; k++) wall(&w[k], &u[pwall[k]], &r[pwall[k]]);
    for (int k = 0; k < CELLS; k++) advance(&r[k], &c[k], &u[k]);
  }
}

int
main(int argc, char **argv) {
  setenv("OP2_GATHER", "always", 1);
  check_start(argc, argv);
  mesh();
  op_set cells = op_decl_set(CELLS, "cells"),
         edges = op_decl_set(EDGES, "edges");
  op_set walls = op_decl_set(CELLS, "walls");
  op_map pe = op_decl_map(edges, cells, 2, pecell, "pecell");
  op_map pw = op_decl_map(walls, cells, 1, pwall, "pwall");
  op_dat we = op_decl_dat(edges, 1, "double", w, "we");
  op_dat ww = op_decl_dat(walls, 1, "double", w, "ww");
  op_dat ud = op_decl_dat(cells, 1, "double", u, "u");
  op_dat cd = op_decl_dat(cells, 1, "double", (double *)NULL, "c");
  op_dat rd = op_decl_dat(cells, 1, "double", (double *)NULL, "r");
  for (int step = 0; step < STEPS; step++) {
    op_par_loop(keep, "keep", cells,
                op_arg_dat(ud, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(cd, -1, OP_ID, 1, "double", OP_WRITE));
    op_par_loop(flux, "flux", edges,
                op_arg_dat(we, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(ud, 0, pe, 1, "double", OP_READ),
                op_arg_dat(ud, 1, pe, 1, "double", OP_READ),
                op_arg_dat(rd, 0, pe, 1, "double", OP_INC),
                op_arg_dat(rd, 1, pe, 1, "double", OP_INC));
    op_par_loop(wall, "wall", walls,
                op_arg_dat(ww, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(ud, 0, pw, 1, "double", OP_READ),
                op_arg_dat(rd, 0, pw, 1, "double", OP_INC));
    op_par_loop(advance, "advance", cells,
                op_arg_dat(rd, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(cd, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(ud, -1, OP_ID, 1, "double", OP_WRITE));
  }
  reference();
  op_fetch_data(ud, found);
  if (check_lazy() && check_ranks() == 1) {
    CHECK_REALS(found, u, CELLS);
  } else { /* an order of their own */
    for (int k = 0; k < CELLS; k++) CHECK_NEAR(found[k], u[k], 1e-12);
  }
  return check_end();
}
