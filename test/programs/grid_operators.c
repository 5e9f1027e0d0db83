/* Operators on an icosahedral grid, periodic, with values in layers: gradient, divergence,
 * rotation, the Laplacian of cells and that of edges, and interpolation between cells and
 * edges with weights, as ICON has them. Against plain C that knows no maps; by rule and by
 * table. Exact: small integers, weights of sixteenths. */
#include "check.h"

enum { NI = 7, NJ = 5, NL = 3, CELLS = 2, EDGES = 3 };
enum { NV = NI * NJ, NC = CELLS * NV, NE = EDGES * NV };

#define OWN(d, n, acc) op_arg_dat(d, -1, OP_ID, n, "double", acc)
#define VIA(d, k, m) op_arg_dat(d, -k, m, NL, "double", OP_READ)

/* Across an edge, from its cell of colour 0 to that of colour 1; or along it. */
static void
gradient(double **x, double *g) {
  for (int l = 0; l < NL; l++) g[l] = x[1][l] - x[0][l];
}
/* Out of a cell: side is 1 of colour 0, -1 of colour 1. */
static void
divergence(double **g, const double *side, double *d) {
  for (int l = 0; l < NL; l++) d[l] = *side * (g[0][l] + g[1][l] + g[2][l]);
}
/* Around a vertex: every second edge is crossed the other way. */
static void
rotation(double **g, double *r) {
  for (int l = 0; l < NL; l++)
    r[l] = g[0][l] - g[1][l] + g[2][l] - g[3][l] + g[4][l] - g[5][l];
}
static void
difference(double **d, double **r, double *v) {
  for (int l = 0; l < NL; l++) v[l] = d[1][l] - d[0][l] - (r[1][l] - r[0][l]);
}
static void
to_edge(double **x, const double *w, double *y) {
  for (int l = 0; l < NL; l++) y[l] = w[0] * x[0][l] + w[1] * x[1][l];
}
static void
to_cell(double **x, const double *w, double *y) {
  for (int l = 0; l < NL; l++)
    y[l] = w[0] * x[0][l] + w[1] * x[1][l] + w[2] * x[2][l];
}

/* ---- plain C --------------------------------------------------------------------- */

static int
number(int i, int c, int colours, int j) {
  return (i + NI) % NI + NI * (c + colours * ((j + NJ) % NJ));
}
#define CELL(i, c, j) number(i, c, CELLS, j)
#define EDGE(i, c, j) number(i, c, EDGES, j)
#define VERTEX(i, j) number(i, 0, 1, j)
#define EACH_POINT                                                             \
  for (int j = 0; j < NJ; j++)                                                 \
    for (int i = 0; i < NI; i++)

/* All that is computed, of one layer; x and weights are given. */
static struct {
  double x[NC], wide[NE], g[NE], d[NC], r[NV], v[NE], y[NE], z[NC];
  double we[NE][2], wc[NC][3];
} p;

static const double *
cell_before(const double *x, int c, int i, int j) {
  return &x[CELL(c == 1 ? i - 1 : i, 0, j)];
}
static const double *
cell_behind(const double *x, int c, int i, int j) {
  return &x[CELL(i, 1, c == 0 ? j - 1 : j)];
}
/* Edge k of cell (i, c, j). */
static int
edge_of(int k, int c, int i, int j) {
  if (c)
    return k == 0 ? EDGE(i, 1, j) : k == 1 ? EDGE(i, 0, j + 1) : EDGE(i, 2, j);
  return k == 0 ? EDGE(i, 2, j) : k == 1 ? EDGE(i + 1, 1, j) : EDGE(i, 0, j);
}

static void
plain_edges(void) {
  EACH_POINT for (int c = 0; c < EDGES; c++) {
    int e = EDGE(i, c, j);
    double x0 = *cell_before(p.x, c, i, j), x1 = *cell_behind(p.x, c, i, j);
    p.g[e] = x1 - x0;
    p.y[e] = p.we[e][0] * x0 + p.we[e][1] * x1;
  }
}
static void
plain_cells(void) {
  EACH_POINT for (int c = 0; c < CELLS; c++) {
    int e = CELL(i, c, j);
    p.d[e] = p.z[e] = 0;
    for (int k = 0; k < 3; k++) {
      p.d[e] += (c ? -1 : 1) * p.g[edge_of(k, c, i, j)];
      p.z[e] += p.wc[e][k] * p.y[edge_of(k, c, i, j)];
    }
  }
}
static void
plain_vertices(void) {
  EACH_POINT
  p.r[VERTEX(i, j)] = p.wide[EDGE(i, 0, j)] - p.wide[EDGE(i, 2, j)] +
                      p.wide[EDGE(i, 1, j)] - p.wide[EDGE(i - 1, 0, j)] +
                      p.wide[EDGE(i - 1, 2, j - 1)] - p.wide[EDGE(i, 1, j - 1)];
}
static void
plain_laplacian(void) {
  EACH_POINT for (int c = 0; c < EDGES; c++) {
    double r1 = p.r[VERTEX(i + (c != 1), j + (c != 0))];
    p.v[EDGE(i, c, j)] = *cell_behind(p.d, c, i, j) -
                         *cell_before(p.d, c, i, j) - (r1 - p.r[VERTEX(i, j)]);
  }
}

/* ---- fields ---------------------------------------------------------------------- */

static double
first_value(int e, int l) {
  return (e * 37 + l * 11) % 101 - 50;
}
static double
weight(int e, int k) {
  return (1 + (e + 5 * k) % 7) / 16.0;
}

static void
plain(int l) {
  for (int e = 0; e < NC; e++) p.x[e] = first_value(e, l);
  for (int e = 0; e < NE; e++) p.wide[e] = first_value(e + 3, l);
  for (int e = 0; e < NE; e++)
    for (int k = 0; k < 2; k++) p.we[e][k] = weight(e, k);
  for (int e = 0; e < NC; e++)
    for (int k = 0; k < 3; k++) p.wc[e][k] = weight(e, k + 2);
  plain_edges();
  plain_cells();
  plain_vertices();
  plain_laplacian();
}

struct grid {
  op_set cells, edges, vertices;
  op_map ec, ce, ve, ev;
  op_dat side, we, wc, x, wide;
};

static op_dat
filled(op_set set, int n, int from, const char *name) {
  double at[NE * NL];
  for (int e = 0; e < n; e++)
    for (int l = 0; l < NL; l++) at[e * NL + l] = first_value(e + from, l);
  return op_decl_dat(set, NL, "double", at, name);
}
static op_dat
weights(op_set set, int n, int each, int from, const char *name) {
  double at[NE * 3];
  for (int e = 0; e < n; e++)
    for (int k = 0; k < each; k++) at[e * each + k] = weight(e, k + from);
  return op_decl_dat(set, each, "double", at, name);
}
static op_map
connect(op_set from, op_set to, bool table, const char *name) {
  op_map m = op2_decl_map_grid(from, to, name);
  return table ? op2_map_materialise(m, name) : m;
}

static struct grid
grid_make(bool table) {
  idx_g_t n[] = {NI, NJ};
  int around[] = {OP2_PERIODIC, OP2_PERIODIC};
  double side[NC];
  struct grid g;
  g.cells = op2_decl_grid(n, CELLS, around, "cells");
  g.edges = op2_decl_grid(n, EDGES, around, "edges");
  g.vertices = op2_decl_grid(n, 1, around, "vertices");
  g.ec = connect(g.edges, g.cells, table, "ec");
  g.ce = connect(g.cells, g.edges, table, "ce");
  g.ve = connect(g.vertices, g.edges, table, "ve");
  g.ev = connect(g.edges, g.vertices, table, "ev");
  for (int e = 0; e < NC; e++) side[e] = e / NI % CELLS ? -1 : 1;
  g.side = op_decl_dat(g.cells, 1, "double", side, "side");
  g.we = weights(g.edges, NE, 2, 0, "we");
  g.wc = weights(g.cells, NC, 3, 2, "wc");
  g.x = filled(g.cells, NC, 0, "x");
  g.wide = filled(g.edges, NE, 3, "wide");
  return g;
}

/* ---- loops ----------------------------------------------------------------------- */

static op_dat
result(op_set set, const char *name) {
  return op_decl_dat(set, NL, "double", (double *)NULL, name);
}

static uint64_t
check_result(op_dat d, const double *expected, int n, int l, uint64_t hash) {
  double got[NE * NL];
  op_fetch_data(d, got);
  for (int e = 0; e < n; e++) CHECK_REAL(got[e * NL + l], expected[e]);
  return check_hash(got, (size_t)(n * NL) * sizeof *got, hash);
}

static void
compute(bool table) {
  struct grid m = grid_make(table);
  op_dat g = result(m.edges, "g"), d = result(m.cells, "d");
  op_dat r = result(m.vertices, "r"), v = result(m.edges, "v");
  op_dat y = result(m.edges, "y"), z = result(m.cells, "z");
  op_dat none = result(m.vertices, "none");
  uint64_t hash = 0xcbf29ce484222325u;
  op_par_loop(gradient, "gradient", m.edges, VIA(m.x, 2, m.ec),
              OWN(g, NL, OP_WRITE));
  op_par_loop(divergence, "divergence", m.cells, VIA(g, 3, m.ce),
              OWN(m.side, 1, OP_READ), OWN(d, NL, OP_WRITE));
  op_par_loop(rotation, "rotation", m.vertices, VIA(m.wide, 6, m.ve),
              OWN(r, NL, OP_WRITE));
  op_par_loop(rotation, "of_gradient", m.vertices, VIA(g, 6, m.ve),
              OWN(none, NL, OP_WRITE));
  op_par_loop(difference, "laplacian", m.edges, VIA(d, 2, m.ec),
              VIA(r, 2, m.ev), OWN(v, NL, OP_WRITE));
  op_par_loop(to_edge, "to_edge", m.edges, VIA(m.x, 2, m.ec),
              OWN(m.we, 2, OP_READ), OWN(y, NL, OP_WRITE));
  op_par_loop(to_cell, "to_cell", m.cells, VIA(y, 3, m.ce),
              OWN(m.wc, 3, OP_READ), OWN(z, NL, OP_WRITE));
  CHECK_PENDING(7);
  static const double zero[NV];
  for (int l = 0; l < NL; l++) {
    plain(l);
    hash = check_result(g, p.g, NE, l, hash);
    hash = check_result(d, p.d, NC, l, hash);
    hash = check_result(r, p.r, NV, l, hash);
    hash = check_result(v, p.v, NE, l, hash);
    hash = check_result(y, p.y, NE, l, hash);
    hash = check_result(z, p.z, NC, l, hash);
    check_result(none, zero, NV, l, hash); /* gradients do not rotate */
  }
  printf("bits %016llx\n", (unsigned long long)hash);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  compute(false);
  compute(true);
  return check_end();
}
