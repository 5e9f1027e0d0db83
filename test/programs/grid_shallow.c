/* Shallow water on an icosahedral grid, periodic: depth in cells, what flows across edges,
 * rotation at vertices. Against plain C that knows no maps; by rule and by table with the
 * same bits; what there is of water stays. */
#include "check.h"

enum { NI = 12, NJ = 10, STEPS = 25, CELLS = 2, EDGES = 3 };
enum { NV = NI * NJ, NC = CELLS * NV, NE = EDGES * NV };

#define GRAVITY 9.8125
#define DT 0.015625
#define TWIST 0.25

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)
#define VIA(d, k, m) op_arg_dat(d, -k, m, 1, "double", OP_READ)

/* What crosses an edge, from its cell of colour 0 to that of colour 1. */
static void
flux(double **h, const double *u, double *f) {
  *f = 0.5 * (h[0][0] + h[1][0]) * *u;
}
static void
depth(double **f, const double *side, double *h) {
  *h -= DT * *side * (f[0][0] + f[1][0] + f[2][0]);
}
static void
rotation(double **u, double *r) {
  *r = u[0][0] - u[1][0] + u[2][0] - u[3][0] + u[4][0] - u[5][0];
}
static void
speed(double **h, double **r, double *u) {
  *u -= DT * (GRAVITY * (h[1][0] - h[0][0]) + TWIST * (r[1][0] - r[0][0]));
}
static void
add(const double *h, double *sum) {
  *sum += *h;
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

static double h[NC], u[NE], f[NE], r[NV];

static int
cell_before(int c, int i, int j) {
  return CELL(c == 1 ? i - 1 : i, 0, j);
}
static int
cell_behind(int c, int i, int j) {
  return CELL(i, 1, c == 0 ? j - 1 : j);
}

static void
plain_flux(void) {
  EACH_POINT for (int c = 0; c < EDGES; c++) {
    int e = EDGE(i, c, j);
    f[e] = 0.5 * (h[cell_before(c, i, j)] + h[cell_behind(c, i, j)]) * u[e];
  }
}
static void
plain_depth(void) {
  EACH_POINT {
    h[CELL(i, 0, j)] -=
        DT * (f[EDGE(i, 2, j)] + f[EDGE(i + 1, 1, j)] + f[EDGE(i, 0, j)]);
    h[CELL(i, 1, j)] +=
        DT * (f[EDGE(i, 1, j)] + f[EDGE(i, 0, j + 1)] + f[EDGE(i, 2, j)]);
  }
}
static void
plain_speed(void) {
  EACH_POINT
  r[VERTEX(i, j)] = u[EDGE(i, 0, j)] - u[EDGE(i, 2, j)] + u[EDGE(i, 1, j)] -
                    u[EDGE(i - 1, 0, j)] + u[EDGE(i - 1, 2, j - 1)] -
                    u[EDGE(i, 1, j - 1)];
  EACH_POINT for (int c = 0; c < EDGES; c++) {
    double up = h[cell_behind(c, i, j)] - h[cell_before(c, i, j)];
    double turn = r[VERTEX(i + (c != 1), j + (c != 0))] - r[VERTEX(i, j)];
    u[EDGE(i, c, j)] -= DT * (GRAVITY * up + TWIST * turn);
  }
}

static void
start(double *depths, double *speeds) {
  for (int e = 0; e < NC; e++) depths[e] = 1 + (e * 29 % 64) / 256.0;
  for (int e = 0; e < NE; e++) speeds[e] = (e * 13 % 32 - 16) / 64.0;
}

static void
plain(void) {
  start(h, u);
  for (int step = 0; step < STEPS; step++) {
    plain_flux();
    plain_depth();
    plain_speed();
  }
}

/* ---- on a grid ------------------------------------------------------------------- */

struct water {
  op_set cells, edges, vertices;
  op_map ec, ce, ve, ev;
  op_dat side, h, u, f, r;
};

static op_map
connect(op_set from, op_set to, bool table, const char *name) {
  op_map m = op2_decl_map_grid(from, to, name);
  return table ? op2_map_materialise(m, name) : m;
}

static struct water
water_make(bool table) {
  idx_g_t n[] = {NI, NJ};
  int around[] = {OP2_PERIODIC, OP2_PERIODIC};
  double side[NC], depths[NC], speeds[NE];
  struct water w;
  w.cells = op2_decl_grid(n, CELLS, around, "cells");
  w.edges = op2_decl_grid(n, EDGES, around, "edges");
  w.vertices = op2_decl_grid(n, 1, around, "vertices");
  w.ec = connect(w.edges, w.cells, table, "ec");
  w.ce = connect(w.cells, w.edges, table, "ce");
  w.ve = connect(w.vertices, w.edges, table, "ve");
  w.ev = connect(w.edges, w.vertices, table, "ev");
  for (int e = 0; e < NC; e++) side[e] = e / NI % CELLS ? -1 : 1;
  start(depths, speeds);
  w.side = op_decl_dat(w.cells, 1, "double", side, "side");
  w.h = op_decl_dat(w.cells, 1, "double", depths, "h");
  w.u = op_decl_dat(w.edges, 1, "double", speeds, "u");
  w.f = op_decl_dat_temp(w.edges, 1, "double", (double *)NULL, "f");
  w.r = op_decl_dat_temp(w.vertices, 1, "double", (double *)NULL, "r");
  return w;
}

static void
water_step(const struct water *w) {
  op_par_loop(flux, "flux", w->edges, VIA(w->h, 2, w->ec), OWN(w->u, OP_READ),
              OWN(w->f, OP_WRITE));
  op_par_loop(depth, "depth", w->cells, VIA(w->f, 3, w->ce),
              OWN(w->side, OP_READ), OWN(w->h, OP_RW));
  op_par_loop(rotation, "rotation", w->vertices, VIA(w->u, 6, w->ve),
              OWN(w->r, OP_WRITE));
  op_par_loop(speed, "speed", w->edges, VIA(w->h, 2, w->ec),
              VIA(w->r, 2, w->ev), OWN(w->u, OP_RW));
}

static double
water_sum(const struct water *w) {
  double sum = 0;
  op_par_loop(add, "add", w->cells, OWN(w->h, OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  return sum;
}

static uint64_t
run(bool table) {
  static double got_h[NC], got_u[NE];
  struct water w = water_make(table);
  double before = water_sum(&w);
  for (int step = 0; step < STEPS; step++) water_step(&w);
  CHECK_PENDING(4 * STEPS);
  CHECK_NEAR(water_sum(&w), before, 1e-13);
  op_fetch_data(w.h, got_h);
  op_fetch_data(w.u, got_u);
  for (int e = 0; e < NC; e++) CHECK_NEAR(got_h[e], h[e], 1e-11);
  for (int e = 0; e < NE; e++) CHECK(fabs(got_u[e] - u[e]) <= 1e-11);
  CHECK_INT(op_free_dat_temp(w.f), 0);
  CHECK_INT(op_free_dat_temp(w.r), 0);
  uint64_t hash = check_hash(got_h, sizeof got_h, 0xcbf29ce484222325u);
  return check_hash(got_u, sizeof got_u, hash);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  plain();
  uint64_t by_rule = run(false);
  CHECK(run(true) == by_rule);
  printf("bits %016llx\n", (unsigned long long)by_rule);
  return check_end();
}
