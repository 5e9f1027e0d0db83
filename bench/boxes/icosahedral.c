/* Diffusion on the cells of an icosahedral grid, periodic, of I x J points: by
 * rule, or with --table by the same rules written down as tables. --layers N: N
 * values an element. */
#include "op2.h"

#include "../common.h"
#include "../take.h"
#include "fields.h"
#include "kernels.h"

enum { CELLS = 2, EDGES = 3 };

struct grid {
  op_set cells, edges;
  op_map cell_edges, edge_cells;
  op_dat x, side;
};

static op_map
connect(op_set from, op_set to, const struct bench_options *o,
        const char *name) {
  op_map rule = op2_decl_map_grid(from, to, name);
  return o->table ? op2_map_materialise(rule, name) : rule;
}

/* Cell e of colour c: number i + ni * (c + 2 j). */
static double
side_of(size_t e, const struct bench_options *o) {
  return e / (size_t)o->size[0] % CELLS ? -1 : 1;
}

static void
grid_declare(struct grid *g, const struct bench_options *o) {
  static const int around[] = {OP2_PERIODIC, OP2_PERIODIC};
  idx_g_t n[] = {o->size[0], o->size[1]};
  g->cells = op2_decl_grid(n, CELLS, around, "cells");
  g->edges = op2_decl_grid(n, EDGES, around, "edges");
  g->cell_edges = connect(g->cells, g->edges, o, "cell_edges");
  g->edge_cells = connect(g->edges, g->cells, o, "edge_cells");
  size_t cells = (size_t)op_get_size(g->cells), nl = (size_t)o->layers;
  double *x = bench_take(cells * nl, sizeof *x);
  double *side = bench_take(cells, sizeof *side);
  for (size_t e = 0; e < cells * nl; e++) x[e] = fields_rough(e);
  for (size_t e = 0; e < cells; e++) side[e] = side_of(e, o);
  g->x = op_decl_dat(g->cells, layers, "double", x, "x");
  g->side = op_decl_dat(g->cells, 1, "double", side, "side");
  op_decl_const(1, "int", &layers);
  free(x);
  free(side);
}

static void
step_of_one(struct grid *g, op_dat across) {
  op_par_loop(gradient, "gradient", g->edges,
              op_arg_dat(g->x, -2, g->edge_cells, 1, "double", OP_READ),
              op_arg_dat(across, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(flow_in, "flow_in", g->cells,
              op_arg_dat(across, -3, g->cell_edges, 1, "double", OP_READ),
              op_arg_dat(g->side, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(g->x, -1, OP_ID, 1, "double", OP_RW));
}

static void
step_of_levels(struct grid *g, op_dat across) {
  op_par_loop(gradient_levels, "gradient", g->edges,
              op_arg_dat(g->x, -2, g->edge_cells, layers, "double", OP_READ),
              op_arg_dat(across, -1, OP_ID, layers, "double", OP_WRITE));
  op_par_loop(flow_in_levels, "flow_in", g->cells,
              op_arg_dat(across, -3, g->cell_edges, layers, "double", OP_READ),
              op_arg_dat(g->side, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(g->x, -1, OP_ID, layers, "double", OP_RW));
}

/* Nobody wants gradients behind it. */
static void
grid_step(struct grid *g) {
  op_dat across =
      op_decl_dat_temp(g->edges, layers, "double", (double *)NULL, "g");
  (layers == 1 ? step_of_one : step_of_levels)(g, across);
  op_free_dat_temp(across);
}

static double
mean_square(struct grid *g) {
  double sum = 0;
  op_par_loop(add_squares, "add_squares", g->cells,
              op_arg_dat(g->x, -1, OP_ID, layers, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  return sum / ((double)op_get_size(g->cells) * layers);
}

static void
run(struct grid *g, const struct bench_options *o, struct bench_timer *t) {
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters; iter++) {
    bench_iteration(t);
    grid_step(g);
    bench_progress(iter, o->iters);
    op2_flush();
  }
  bench_iteration(t);
}

int
main(int argc, char **argv) {
  struct bench_options o = {
      .size = {1000, 1000}, .layers = 1, .iters = 100, .warmup = 4};
  struct grid g;
  struct bench_timer t;
  double squares[2];
  op_init(argc, argv, 2);
  bench_speaks(op_is_root());
  if (!bench_parse(&o, argc, argv)) return 2;
  if (o.table) o.variant = "_table";
  layers = o.layers;
  grid_declare(&g, &o);
  squares[0] = mean_square(&g);
  run(&g, &o, &t);
  squares[1] = mean_square(&g);
  op_timing_output();
  double ideal =
      (2.0 * layers + 1) * sizeof(double) * (double)op_get_size(g.cells);
  int wrong = fields_result(argv[0], &o, bench_threads(), &t, ideal, squares);
  op_exit();
  return wrong;
}
