/* Shallow water on a small mesh against plain C: the time step of every step and
 * all of u after every fifth to 1e-12; the mesh by integers: each triangle has
 * three sides, and all nodes, sides and triangles make one disc. */
#include "check.h"

#include <float.h>

#include "../../bench/colour.c"
#include "../../bench/shallow/basin.c"
#include "../../bench/shallow/ref.c"

enum { NI = 9, NJ = 7, CELLS = 2 * NI * NJ, STEPS = 30 };

static op_set nodes, cells, edges, walls;
static op_map pcell, pedge, pecell, pwall, pwcell;
static op_dat x, size, u, old, r;

static op_dat
zeros_on_cells(int dim, const char *name) {
  return op_decl_dat(cells, dim, "double", (double *)NULL, name);
}

static void
declare(struct basin *b) {
  nodes = op_decl_set(b->nnode, "nodes");
  cells = op_decl_set(b->ncell, "cells");
  edges = op_decl_set(b->nedge, "edges");
  walls = op_decl_set(b->nwall, "walls");
  pcell = op_decl_map(cells, nodes, 3, b->cell_node, "pcell");
  pedge = op_decl_map(edges, nodes, 2, b->edge_node, "pedge");
  pecell = op_decl_map(edges, cells, 2, b->edge_cell, "pecell");
  pwall = op_decl_map(walls, nodes, 2, b->wall_node, "pwall");
  pwcell = op_decl_map(walls, cells, 1, b->wall_cell, "pwcell");
  x = op_decl_dat(nodes, 2, "double", b->x, "x");
  size = zeros_on_cells(2, "size");
  u = zeros_on_cells(4, "u");
  old = zeros_on_cells(4, "old");
  r = zeros_on_cells(4, "r");
}

#define OWN(d, dim, acc) op_arg_dat(d, -1, OP_ID, dim, "double", acc)
#define VIA(d, i, m, dim, acc) op_arg_dat(d, i, m, dim, "double", acc)

static void
fluxes(void) {
  op_par_loop(edge_flux, "edge_flux", edges, VIA(x, 0, pedge, 2, OP_READ),
              VIA(x, 1, pedge, 2, OP_READ), VIA(u, 0, pecell, 4, OP_READ),
              VIA(u, 1, pecell, 4, OP_READ), VIA(r, 0, pecell, 4, OP_INC),
              VIA(r, 1, pecell, 4, OP_INC));
  op_par_loop(wall_flux, "wall_flux", walls, VIA(x, 0, pwall, 2, OP_READ),
              VIA(x, 1, pwall, 2, OP_READ), VIA(u, 0, pwcell, 4, OP_READ),
              VIA(r, 0, pwcell, 4, OP_INC));
}

/* Returns the step's length. */
static double
step(void) {
  double dt = DBL_MAX;
  op_par_loop(time_step, "time_step", cells, OWN(u, 4, OP_READ),
              OWN(size, 2, OP_READ), op_arg_gbl(&dt, 1, "double", OP_MIN));
  fluxes();
  op_par_loop(first_stage, "first_stage", cells, OWN(u, 4, OP_RW),
              OWN(old, 4, OP_WRITE), OWN(r, 4, OP_RW), OWN(size, 2, OP_READ),
              op_arg_gbl(&dt, 1, "double", OP_READ));
  fluxes();
  op_par_loop(second_stage, "second_stage", cells, OWN(old, 4, OP_READ),
              OWN(u, 4, OP_RW), OWN(r, 4, OP_RW), OWN(size, 2, OP_READ),
              op_arg_gbl(&dt, 1, "double", OP_READ));
  return dt;
}

static void
compare_u(const struct sref *s, int iter) {
  double found[4 * CELLS];
  op_fetch_data(u, found);
  for (int i = 0; i < 4 * CELLS; i++)
    if (!(fabs(found[i] - s->u[i]) <= 1e-12))
      check_fail(__FILE__, __LINE__,
                 "step %d: u[%d][%d] is %.17g, expected %.17g", iter, i / 4,
                 i % 4, found[i], s->u[i]);
}

static void
compare_totals(const struct sref *s) {
  double sum[3] = {0, 0, 0}, deepest = 0, want[3], most;
  op_par_loop(totals, "totals", cells, OWN(u, 4, OP_READ),
              OWN(size, 2, OP_READ), op_arg_gbl(sum, 3, "double", OP_INC),
              op_arg_gbl(&deepest, 1, "double", OP_MAX));
  sref_totals(s, want, &most);
  CHECK_NEAR(sum[0], 1.0, 1e-12);
  CHECK_NEAR(sum[1], want[1], 1e-12);
  CHECK_NEAR(sum[2], want[2], 1e-12);
  CHECK_NEAR(deepest, most, 1e-12);
}

/* ---- the mesh ------------------------------------------------------------ */

static void
two_sides(int *left, int *right) {
  *left += 1;
  *right += 1;
}

static void
one_side(int *cell) {
  *cell += 1;
}

static void
check_mesh(const struct basin *b) {
  int found[CELLS], want[CELLS];
  op_dat sides = op_decl_dat(cells, 1, "int", (int *)NULL, "sides");
  op_par_loop(two_sides, "two_sides", edges,
              op_arg_dat(sides, 0, pecell, 1, "int", OP_INC),
              op_arg_dat(sides, 1, pecell, 1, "int", OP_INC));
  op_par_loop(one_side, "one_side", walls,
              op_arg_dat(sides, 0, pwcell, 1, "int", OP_INC));
  op_fetch_data(sides, found);
  for (int e = 0; e < CELLS; e++) want[e] = 3;
  CHECK_INTS(found, want, CELLS);
  CHECK_INT(b->nnode - b->nedge - b->nwall + b->ncell, 1);
}

int
main(int argc, char **argv) {
  static struct sref s;
  struct basin b;
  check_start(argc, argv);
  basin_make(&b, NI, NJ);
  sref_start(&s, &b, 1, 0);
  declare(&b);
  check_mesh(&b);
  op_par_loop(start_cell, "start_cell", cells, VIA(x, 0, pcell, 2, OP_READ),
              VIA(x, 1, pcell, 2, OP_READ), VIA(x, 2, pcell, 2, OP_READ),
              OWN(size, 2, OP_WRITE), OWN(u, 4, OP_WRITE));
  compare_u(&s, 0);
  for (int iter = 1; iter <= STEPS; iter++) {
    double dt = step();
    sref_step(&s);
    CHECK_NEAR(dt, s.dt, 1e-12);
    if (iter % 5 == 0) compare_u(&s, iter);
  }
  compare_totals(&s);
  sref_stop(&s);
  basin_clear(&b);
  return check_end();
}
