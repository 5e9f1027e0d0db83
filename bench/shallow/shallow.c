/* Shallow water against OP2's API, in C, as an OP2 user writes it. */
#include <float.h>

#include "op2.h"

#include "../common.h"
#include "basin.h"
#include "kernels.h"
#include "verdict.h"

struct water {
  op_set nodes, cells, edges, walls;
  op_map pcell, pedge, pecell, pwall, pwcell;
  op_dat x, size, u, old, r;
};

static void
water_declare(struct water *w, struct basin *b) {
  w->nodes = op_decl_set(b->nnode, "nodes");
  w->cells = op_decl_set(b->ncell, "cells");
  w->edges = op_decl_set(b->nedge, "edges");
  w->walls = op_decl_set(b->nwall, "walls");
  w->pcell = op_decl_map(w->cells, w->nodes, 3, b->cell_node, "pcell");
  w->pedge = op_decl_map(w->edges, w->nodes, 2, b->edge_node, "pedge");
  w->pecell = op_decl_map(w->edges, w->cells, 2, b->edge_cell, "pecell");
  w->pwall = op_decl_map(w->walls, w->nodes, 2, b->wall_node, "pwall");
  w->pwcell = op_decl_map(w->walls, w->cells, 1, b->wall_cell, "pwcell");
  w->x = op_decl_dat(w->nodes, 2, "double", b->x, "p_x");
  w->size = op_decl_dat(w->cells, 2, "double", (double *)NULL, "p_size");
  w->u = op_decl_dat(w->cells, 4, "double", (double *)NULL, "p_u");
  w->old = op_decl_dat(w->cells, 4, "double", (double *)NULL, "p_old");
  w->r = op_decl_dat(w->cells, 4, "double", (double *)NULL, "p_r");
  op_decl_const(1, "double", &gravity);
  op_decl_const(1, "double", &cfl);
}

static void
water_start(struct water *w) {
  op_par_loop(start_cell, "start_cell", w->cells,
              op_arg_dat(w->x, 0, w->pcell, 2, "double", OP_READ),
              op_arg_dat(w->x, 1, w->pcell, 2, "double", OP_READ),
              op_arg_dat(w->x, 2, w->pcell, 2, "double", OP_READ),
              op_arg_dat(w->size, -1, OP_ID, 2, "double", OP_WRITE),
              op_arg_dat(w->u, -1, OP_ID, 4, "double", OP_WRITE));
}

static void
water_fluxes(struct water *w) {
  op_par_loop(edge_flux, "edge_flux", w->edges,
              op_arg_dat(w->x, 0, w->pedge, 2, "double", OP_READ),
              op_arg_dat(w->x, 1, w->pedge, 2, "double", OP_READ),
              op_arg_dat(w->u, 0, w->pecell, 4, "double", OP_READ),
              op_arg_dat(w->u, 1, w->pecell, 4, "double", OP_READ),
              op_arg_dat(w->r, 0, w->pecell, 4, "double", OP_INC),
              op_arg_dat(w->r, 1, w->pecell, 4, "double", OP_INC));
  op_par_loop(wall_flux, "wall_flux", w->walls,
              op_arg_dat(w->x, 0, w->pwall, 2, "double", OP_READ),
              op_arg_dat(w->x, 1, w->pwall, 2, "double", OP_READ),
              op_arg_dat(w->u, 0, w->pwcell, 4, "double", OP_READ),
              op_arg_dat(w->r, 0, w->pwcell, 4, "double", OP_INC));
}

static void
water_step(struct water *w) {
  double dt = DBL_MAX;
  op_par_loop(time_step, "time_step", w->cells,
              op_arg_dat(w->u, -1, OP_ID, 4, "double", OP_READ),
              op_arg_dat(w->size, -1, OP_ID, 2, "double", OP_READ),
              op_arg_gbl(&dt, 1, "double", OP_MIN));
  water_fluxes(w);
  op_par_loop(first_stage, "first_stage", w->cells,
              op_arg_dat(w->u, -1, OP_ID, 4, "double", OP_RW),
              op_arg_dat(w->old, -1, OP_ID, 4, "double", OP_WRITE),
              op_arg_dat(w->r, -1, OP_ID, 4, "double", OP_RW),
              op_arg_dat(w->size, -1, OP_ID, 2, "double", OP_READ),
              op_arg_gbl(&dt, 1, "double", OP_READ));
  water_fluxes(w);
  op_par_loop(second_stage, "second_stage", w->cells,
              op_arg_dat(w->old, -1, OP_ID, 4, "double", OP_READ),
              op_arg_dat(w->u, -1, OP_ID, 4, "double", OP_RW),
              op_arg_dat(w->r, -1, OP_ID, 4, "double", OP_RW),
              op_arg_dat(w->size, -1, OP_ID, 2, "double", OP_READ),
              op_arg_gbl(&dt, 1, "double", OP_READ));
}

static struct shallow_sum
water_totals(struct water *w) {
  struct shallow_sum s = {{0, 0, 0}, 0};
  op_par_loop(totals, "totals", w->cells,
              op_arg_dat(w->u, -1, OP_ID, 4, "double", OP_READ),
              op_arg_dat(w->size, -1, OP_ID, 2, "double", OP_READ),
              op_arg_gbl(s.sum, 3, "double", OP_INC),
              op_arg_gbl(&s.deepest, 1, "double", OP_MAX));
  return s;
}

/* The flush at the end runs loops that wait, in a region of their own; one where
 * the warm-up ends, so that it is compiled there. */
static void
run(struct water *w, const struct bench_options *o, struct bench_timer *t) {
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters; iter++) {
    bench_iteration(t);
    water_step(w);
    bench_progress(iter, o->iters);
    if (iter == o->warmup || iter == o->iters) op2_flush();
  }
  bench_iteration(t);
}

int
main(int argc, char **argv) {
  struct bench_options o = {.size = {600, 400}, .iters = 1000, .warmup = 3};
  struct basin b;
  struct water w;
  struct bench_timer t;
  op_init(argc, argv, 2);
  bench_speaks(op_is_root());
  if (!bench_parse(&o, argc, argv)) return 2;
  basin_make(&b, o.size[0], o.size[1]);
  water_declare(&w, &b);
  basin_clear(&b);
  water_start(&w);
  struct shallow_sum first = water_totals(&w);
  run(&w, &o, &t);
  struct shallow_sum last = water_totals(&w);
  op_timing_output();
  int wrong = shallow_verdict(&first, &last);
  shallow_result(argv[0], &o, bench_threads(), &t, &last);
  op_exit();
  return wrong;
}
