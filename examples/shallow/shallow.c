/* Shallow water: a round column of water falls down in a square basin. Cells of a grid,
 * fluxes through their edges, finite volumes of first order.
 *
 *   shallow [cells along a side]
 *
 * A step is three loops: over edges between cells, over those at walls, over cells. The
 * first two add to what the third uses up, so that `res` need never be stored. What is
 * in the basin stays there: the volume is that of the start. */
#include "op2.h"

#include <math.h>
#include <stdlib.h>

static const double gravity = 9.81, side = 10;

/* ---- kernels: u is depth, depth times velocity in x and y ----------------- */

static void
column(const double *at, double *u) {
  double x = at[0] - 0.5 * side, y = at[1] - 0.5 * side;
  u[0] = x * x + y * y < 4 ? 2 : 1;
  u[1] = u[2] = 0;
}

/* Rusanov's flux through an edge of unit length with normal n, from a to b. */
static void
flux(const double *n, const double *a, const double *b, double *out, double *in) {
  double va = (a[1] * n[0] + a[2] * n[1]) / a[0];
  double vb = (b[1] * n[0] + b[2] * n[1]) / b[0];
  double pa = 0.5 * gravity * a[0] * a[0], pb = 0.5 * gravity * b[0] * b[0];
  double sa = fabs(va) + sqrt(gravity * a[0]), sb = fabs(vb) + sqrt(gravity * b[0]);
  double s = sa > sb ? sa : sb;
  double push[3] = {0, (pa + pb) * n[0], (pa + pb) * n[1]};
  for (int c = 0; c < 3; c++) {
    double f = 0.5 * (va * a[c] + vb * b[c] + push[c] - s * (b[c] - a[c]));
    out[c] -= f;
    in[c] += f;
  }
}

/* Nothing flows through a wall; the water leans on it. */
static void
wall(const double *n, const double *a, double *res) {
  double p = 0.5 * gravity * a[0] * a[0];
  res[1] -= p * n[0];
  res[2] -= p * n[1];
}

static void
update(const double *by, double *u, double *res) {
  for (int c = 0; c < 3; c++) {
    u[c] += *by * res[c];
    res[c] = 0;
  }
}

static void
measure(const double *area, const double *u, double *volume, double *highest) {
  *volume += *area * u[0];
  *highest = u[0] > *highest ? u[0] : *highest;
}

/* ---- the grid ------------------------------------------------------------- */

struct grid {
  double *at, *n, *wall_n;
  int *cells, *wall_cell;
  int nedges, nwalls;
};

static void
add_edge(struct grid *g, int from, int to, int axis) {
  int e = g->nedges++;
  g->cells[2 * e] = from;
  g->cells[2 * e + 1] = to;
  g->n[2 * e + axis] = 1;
}

static void
add_wall(struct grid *g, int cell, int axis, double n) {
  int e = g->nwalls++;
  g->wall_cell[e] = cell;
  g->wall_n[2 * e + axis] = n;
}

static int
make_grid(struct grid *g, int m) {
  size_t n = (size_t)m * (size_t)m, walls = 4 * (size_t)m;
  g->at = calloc(2 * n, sizeof *g->at);
  g->n = calloc(4 * n, sizeof *g->n);
  g->wall_n = calloc(2 * walls, sizeof *g->wall_n);
  g->cells = calloc(4 * n, sizeof *g->cells);
  g->wall_cell = calloc(walls, sizeof *g->wall_cell);
  if (!g->at || !g->n || !g->wall_n || !g->cells || !g->wall_cell) return 1;
  for (int k = 0; k < m * m; k++) {
    int place[2] = {k % m, k / m}, next[2] = {1, m};
    for (int axis = 0; axis < 2; axis++) {
      g->at[2 * k + axis] = (place[axis] + 0.5) * side / m;
      if (place[axis] == 0) add_wall(g, k, axis, -1);
      if (place[axis] == m - 1)
        add_wall(g, k, axis, 1);
      else
        add_edge(g, k, k + next[axis], axis);
    }
  }
  return 0;
}

static void
free_grid(struct grid *g) {
  free(g->at);
  free(g->n);
  free(g->wall_n);
  free(g->cells);
  free(g->wall_cell);
}

int
main(int argc, char **argv) {
  int m = argc > 1 && atoi(argv[1]) > 2 ? atoi(argv[1]) : 100;
  struct grid g = {0};
  if (make_grid(&g, m)) return 1;
  op_init(argc, argv, 0);
  op_set cells = op_decl_set(m * m, "cells");
  op_set edges = op_decl_set(g.nedges, "edges");
  op_set walls = op_decl_set(g.nwalls, "walls");
  op_map beside = op_decl_map(edges, cells, 2, g.cells, "beside");
  op_map within = op_decl_map(walls, cells, 1, g.wall_cell, "within");
  op_dat at = op_decl_dat(cells, 2, "double", g.at, "at");
  op_dat n = op_decl_dat(edges, 2, "double", g.n, "n");
  op_dat wall_n = op_decl_dat(walls, 2, "double", g.wall_n, "wall_n");
  op_dat u = op_decl_dat(cells, 3, "double", (double *)NULL, "u");
  op_dat res = op_decl_dat(cells, 3, "double", (double *)NULL, "res");

  double width = side / m, step = 0.2 * width / sqrt(2 * gravity), by = step / width;
  double area = width * width, volume = 0, highest = 0;
  int steps = (int)(1 / step);
  op_par_loop(column, "column", cells, op_arg_dat(at, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(u, -1, OP_ID, 3, "double", OP_WRITE));
  for (int k = 0; k < steps; k++) {
    op_par_loop(flux, "flux", edges, op_arg_dat(n, -1, OP_ID, 2, "double", OP_READ),
                op_arg_dat(u, 0, beside, 3, "double", OP_READ),
                op_arg_dat(u, 1, beside, 3, "double", OP_READ),
                op_arg_dat(res, 0, beside, 3, "double", OP_INC),
                op_arg_dat(res, 1, beside, 3, "double", OP_INC));
    op_par_loop(wall, "wall", walls, op_arg_dat(wall_n, -1, OP_ID, 2, "double", OP_READ),
                op_arg_dat(u, 0, within, 3, "double", OP_READ),
                op_arg_dat(res, 0, within, 3, "double", OP_INC));
    op_par_loop(update, "update", cells, op_arg_gbl(&by, 1, "double", OP_READ),
                op_arg_dat(u, -1, OP_ID, 3, "double", OP_RW),
                op_arg_dat(res, -1, OP_ID, 3, "double", OP_RW));
  }
  op_par_loop(measure, "measure", cells, op_arg_gbl(&area, 1, "double", OP_READ),
              op_arg_dat(u, -1, OP_ID, 3, "double", OP_READ),
              op_arg_gbl(&volume, 1, "double", OP_INC),
              op_arg_gbl(&highest, 1, "double", OP_MAX));
  op_printf("%d cells, %d steps: volume %.6f, highest %.4f\n", m * m, steps, volume,
            highest);
  op_exit();
  free_grid(&g);
  return 0;
}
