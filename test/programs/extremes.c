/* OP_MIN and OP_MAX on dats, at the element and through maps: what a limiter needs of
 * its neighbours. Exact: an extreme is one of the values. */
#include "check.h"

#include <math.h>

enum { NODES = 900, EDGES = 4000, CELLS = 500, STEPS = 3, DIM = 3 };

static int ends[2 * EDGES], corners[4 * CELLS];
static double u[DIM * NODES], low[DIM * NODES], high[DIM * NODES];
static double found[DIM * NODES];
static float width[EDGES], least[NODES], least_found[NODES];
static int rank_of[CELLS], first[NODES], first_found[NODES];
static unsigned most[NODES], most_found[NODES];

/* Both ends of an edge see the other's values. */
static void
bounds(const double *a, const double *b, double *la, double *lb, double *ha,
       double *hb) {
  for (int c = 0; c < DIM; c++) {
    la[c] = fmin(la[c], b[c]);
    lb[c] = a[c] < lb[c] ? a[c] : lb[c];
    if (b[c] > ha[c]) ha[c] = b[c];
    hb[c] = fmax(hb[c], a[c]);
  }
}
static void
own(const double *a, double *l, double *h) {
  for (int c = 0; c < DIM; c++) {
    if (a[c] < l[c]) l[c] = a[c];
    if (a[c] > h[c]) h[c] = a[c];
  }
}
static void
begin(double *l, double *h) {
  for (int c = 0; c < DIM; c++) l[c] = 1e30, h[c] = -1e30;
}
static void
thin(const float *w, float **at) {
  for (int k = 0; k < 2; k++)
    if (*w < at[k][0]) at[k][0] = *w;
}
/* Only a part of what it is shown. */
static void
earliest(const int *r, int *a, int *b, unsigned *m) {
  if (*r % 3) {
    if (*r < *a) *a = *r;
    if (*r < *b) *b = *r;
  }
  if ((unsigned)*r > *m) *m = (unsigned)*r;
}
static void
move(const double *l, const double *h, double *a) {
  for (int c = 0; c < DIM; c++) a[c] = a[c] + 0.5 * (h[c] - l[c]);
}

static void
fill(void) {
  unsigned r = 7;
  for (int k = 0; k < 2 * EDGES; k++) {
    r = r * 1664525u + 1013904223u;
    ends[k] = (int)((r >> 9) % NODES);
  }
  for (int k = 0; k < 4 * CELLS; k++) {
    r = r * 1664525u + 1013904223u;
    corners[k] = (int)((r >> 9) % (NODES - 20)); /* some nodes have no cell */
  }
  for (int k = 0; k < DIM * NODES; k++)
    u[k] = k % 50 ? (k * 37 % 101) / 8.0 - 5 : -0.0;
  for (int e = 0; e < EDGES; e++) width[e] = (float)(e * 13 % 997);
  for (int c = 0; c < CELLS; c++) rank_of[c] = c * 7 % CELLS;
  for (int n = 0; n < NODES; n++) least[n] = 500, first[n] = 400, most[n] = 2;
}

static void
reference(void) {
  for (int s = 0; s < STEPS; s++) {
    for (int n = 0; n < NODES; n++) begin(low + DIM * n, high + DIM * n);
    for (int e = 0; e < EDGES; e++) {
      int a = DIM * ends[2 * e], b = DIM * ends[2 * e + 1];
      bounds(u + a, u + b, low + a, low + b, high + a, high + b);
    }
    for (int n = 0; n < NODES; n++)
      own(u + DIM * n, low + DIM * n, high + DIM * n);
    for (int n = 0; n < NODES; n++)
      move(low + DIM * n, high + DIM * n, u + DIM * n);
  }
  for (int e = 0; e < EDGES; e++)
    thin(&width[e], (float *[]){&least[ends[2 * e]], &least[ends[2 * e + 1]]});
  for (int c = 0; c < CELLS; c++) {
    const int *at = corners + 4 * c;
    earliest(&rank_of[c], &first[at[0]], &first[at[2]], &most[at[3]]);
  }
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  fill();
  op_set nodes = op_decl_set(NODES, "nodes"),
         edges = op_decl_set(EDGES, "edges"),
         cells = op_decl_set(CELLS, "cells");
  op_map pe = op_decl_map(edges, nodes, 2, ends, "ends");
  op_map pc = op_decl_map(cells, nodes, 4, corners, "corners");
  op_dat du = op_decl_dat(nodes, DIM, "double", u, "u");
  op_dat dl = op_decl_dat(nodes, DIM, "double", (double *)NULL, "low");
  op_dat dh = op_decl_dat(nodes, DIM, "double", (double *)NULL, "high");
  op_dat dw = op_decl_dat(edges, 1, "float", width, "width");
  op_dat dt = op_decl_dat(nodes, 1, "float", least, "least");
  op_dat dr = op_decl_dat(cells, 1, "int", rank_of, "rank");
  op_dat df = op_decl_dat(nodes, 1, "int", first, "first");
  op_dat dm = op_decl_dat(nodes, 1, "uint", most, "most");
  for (int s = 0; s < STEPS; s++) {
    op_par_loop(begin, "begin", nodes,
                op_arg_dat(dl, -1, OP_ID, DIM, "double", OP_WRITE),
                op_arg_dat(dh, -1, OP_ID, DIM, "double", OP_WRITE));
    op_par_loop(bounds, "bounds", edges,
                op_arg_dat(du, 0, pe, DIM, "double", OP_READ),
                op_arg_dat(du, 1, pe, DIM, "double", OP_READ),
                op_arg_dat(dl, 0, pe, DIM, "double", OP_MIN),
                op_arg_dat(dl, 1, pe, DIM, "double", OP_MIN),
                op_arg_dat(dh, 0, pe, DIM, "double", OP_MAX),
                op_arg_dat(dh, 1, pe, DIM, "double", OP_MAX));
    op_par_loop(own, "own", nodes,
                op_arg_dat(du, -1, OP_ID, DIM, "double", OP_READ),
                op_arg_dat(dl, -1, OP_ID, DIM, "double", OP_MIN),
                op_arg_dat(dh, -1, OP_ID, DIM, "double", OP_MAX));
    op_par_loop(move, "move", nodes,
                op_arg_dat(dl, -1, OP_ID, DIM, "double", OP_READ),
                op_arg_dat(dh, -1, OP_ID, DIM, "double", OP_READ),
                op_arg_dat(du, -1, OP_ID, DIM, "double", OP_RW));
  }
  op_par_loop(thin, "thin", edges,
              op_arg_dat(dw, -1, OP_ID, 1, "float", OP_READ),
              op_arg_dat(dt, -2, pe, 1, "float", OP_MIN));
  op_par_loop(earliest, "earliest", cells,
              op_arg_dat(dr, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(df, 0, pc, 1, "int", OP_MIN),
              op_arg_dat(df, 2, pc, 1, "int", OP_MIN),
              op_arg_dat(dm, 3, pc, 1, "uint", OP_MAX));
  reference();
  op_fetch_data(dl, found);
  CHECK_REALS(found, low, DIM * NODES);
  op_fetch_data(dh, found);
  CHECK_REALS(found, high, DIM * NODES);
  op_fetch_data(du, found);
  CHECK_REALS(found, u, DIM * NODES);
  op_fetch_data(dt, least_found);
  for (int n = 0; n < NODES; n++) CHECK_REAL(least_found[n], least[n]);
  op_fetch_data(df, first_found);
  for (int n = 0; n < NODES; n++) CHECK_INT(first_found[n], first[n]);
  op_fetch_data(dm, most_found);
  for (int n = 0; n < NODES; n++) CHECK_INT(most_found[n], most[n]);
  return check_end();
}
