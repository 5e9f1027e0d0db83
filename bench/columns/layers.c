/* Operators on columns against OP2's API. */
#include "op2.h"

#include <math.h>

#include "../common.h"
#include "../take.h"
#include "kernels.h"
#include "operators.h"
#include "torus.h"

struct columns {
  op_set base_cells, base_edges, cells, edges;
  op_map edge_cell, cell_edge, cell_cell; /* between columns */
  op_map cell_base, edge_base;            /* each column's base element */
  op_dat along, out, weight;              /* of the base */
  op_dat p, q, v, g, d, l;
  op_set bottom, top; /* layers of cells */
  op_dat m[3], x;     /* a matrix for each column, and its solution */
};

#define OWN(x, acc) op_arg_dat(x, -1, OP_ID, 1, "double", acc)
#define VIA(x, i, map) op_arg_dat(x, i, map, 1, "double", OP_READ)
#define BASE(x, map, dim) op_arg_dat(x, 0, map, dim, "double", OP_READ)

/* A map between columns in which layers stay. */
static op_map
level(op_set from, op_set to, op_set base_from, op_set base_to, int dim,
      int *table, const char *name) {
  static const int offset[3];
  op_map base = op_decl_map(base_from, base_to, dim, table, name);
  return op2_decl_map_columns(from, to, base, offset, name);
}

static op_dat
values(op_set set, const char *name) {
  return op_decl_dat(set, 1, "double", (double *)NULL, name);
}

static op_dat
start(op_set cells, const struct torus *t, int layers) {
  double *x = bench_take((size_t)t->ncell * (size_t)layers, sizeof *x);
  for (int c = 0; c < t->ncell; c++)
    for (int k = 0; k < layers; k++)
      x[(size_t)c * (size_t)layers + (size_t)k] = torus_start(c, t->ncell, k);
  op_dat p = op_decl_dat(cells, 1, "double", x, "p");
  free(x);
  return p;
}

static op_dat
matrix(op_set cells, const struct torus *t, int layers, int i) {
  static const char *const names[] = {"a", "b", "c"};
  double *x = bench_take((size_t)t->ncell * (size_t)layers, sizeof *x);
  for (int c = 0; c < t->ncell; c++)
    for (int k = 0; k < layers; k++)
      x[(size_t)c * (size_t)layers + (size_t)k] = torus_matrix(c, layers, k, i);
  op_dat m = op_decl_dat(cells, 1, "double", x, names[i]);
  free(x);
  return m;
}

static void
declare(struct columns *s, const struct torus *t, int layers) {
  op_set cells = op_decl_set(t->ncell, "base_cells");
  op_set edges = op_decl_set(t->nedge, "base_edges");
  s->cells = op2_decl_columns(cells, layers, "cells");
  s->edges = op2_decl_columns(edges, layers, "edges");
  s->edge_cell =
      level(s->edges, s->cells, edges, cells, 2, t->edge_cell, "edge_cell");
  s->cell_edge =
      level(s->cells, s->edges, cells, edges, 3, t->cell_edge, "cell_edge");
  s->cell_cell =
      level(s->cells, s->cells, cells, cells, 3, t->cell_cell, "cell_cell");
  s->cell_base = op2_decl_map_columns(s->cells, cells, NULL, NULL, "cell_base");
  s->edge_base = op2_decl_map_columns(s->edges, edges, NULL, NULL, "edge_base");
  s->along = op_decl_dat(edges, 1, "double", t->along, "along");
  s->out = op_decl_dat(cells, 3, "double", t->out, "out");
  s->weight = op_decl_dat(cells, 3, "double", t->weight, "weight");
  s->p = start(s->cells, t, layers);
  s->bottom = op2_columns_region(s->cells, OP2_BOTTOM, "bottom");
  s->top = op2_columns_region(s->cells, OP2_TOP, "top");
  for (int k = 0; k < 3; k++) s->m[k] = matrix(s->cells, t, layers, k);
  s->x = values(s->cells, "x");
  s->q = values(s->cells, "q");
  s->v = values(s->edges, "v");
  s->g = values(s->edges, "g");
  s->d = values(s->cells, "d");
  s->l = values(s->cells, "l");
}

static op_dat
temporary(op_set set, const char *name) {
  return op_decl_dat_temp(set, 1, "double", (double *)NULL, name);
}

static void
loop_gradient(struct columns *s, op_dat p, op_dat v) {
  op_par_loop(gradient, "gradient", s->edges, BASE(s->along, s->edge_base, 1),
              VIA(p, 0, s->edge_cell), VIA(p, 1, s->edge_cell),
              OWN(v, OP_WRITE));
}

static void
loop_divergence(struct columns *s, op_dat g, op_dat d) {
  op_par_loop(divergence, "divergence", s->cells, BASE(s->out, s->cell_base, 3),
              VIA(g, 0, s->cell_edge), VIA(g, 1, s->cell_edge),
              VIA(g, 2, s->cell_edge), OWN(d, OP_WRITE));
}

static void
loop_laplacian(struct columns *s, op_dat p, op_dat l) {
  op_par_loop(laplacian, "laplacian", s->cells,
              BASE(s->weight, s->cell_base, 3), OWN(p, OP_READ),
              VIA(p, 0, s->cell_cell), VIA(p, 1, s->cell_cell),
              VIA(p, 2, s->cell_cell), OWN(l, OP_WRITE));
}

static void
run_gradient(void *s) {
  loop_gradient(s, ((struct columns *)s)->p, ((struct columns *)s)->v);
}
static void
run_divergence(void *s) {
  loop_divergence(s, ((struct columns *)s)->g, ((struct columns *)s)->d);
}
static void
run_laplacian(void *s) {
  loop_laplacian(s, ((struct columns *)s)->p, ((struct columns *)s)->l);
}

#define LAYER(x, dl) op2_arg_dat_layer(x, dl, 1, "double", OP_READ)

/* Sweeps up and down; what they hand over is temporary. Their ends are scans of
 * one layer, so that all four run as one, column after column. */
static void
run_solve(void *columns) {
  struct columns *s = columns;
  op_dat cp = temporary(s->cells, "cp"), dp = temporary(s->cells, "dp");
  op2_par_loop_scan(eliminate_first, "eliminate_first", s->bottom, OP2_FORWARD,
                    OWN(s->m[1], OP_READ), OWN(s->m[2], OP_READ),
                    OWN(s->p, OP_READ), OWN(cp, OP_WRITE), OWN(dp, OP_WRITE));
  op2_par_loop_scan(eliminate, "eliminate", s->cells, OP2_FORWARD,
                    OWN(s->m[0], OP_READ), OWN(s->m[1], OP_READ),
                    OWN(s->m[2], OP_READ), OWN(s->p, OP_READ), LAYER(cp, -1),
                    LAYER(dp, -1), OWN(cp, OP_WRITE), OWN(dp, OP_WRITE));
  op2_par_loop_scan(copy, "copy", s->top, OP2_BACKWARD, OWN(dp, OP_READ),
                    OWN(s->x, OP_WRITE));
  op2_par_loop_scan(substitute, "substitute", s->cells, OP2_BACKWARD,
                    OWN(cp, OP_READ), OWN(dp, OP_READ), LAYER(s->x, 1),
                    OWN(s->x, OP_WRITE));
  op_free_dat_temp(cp);
  op_free_dat_temp(dp);
}
static void
settle(void *s) {
  (void)s;
  op2_flush();
}

/* The chain of eight: what lives inside of it is temporary. */
static void
step(struct columns *s) {
  op_dat v = temporary(s->edges, "tv"), g = temporary(s->edges, "tg");
  op_dat d = temporary(s->cells, "td"), l = temporary(s->cells, "tl");
  op_dat b = temporary(s->cells, "tb"), p1 = temporary(s->cells, "tp1");
  op_dat p2 = temporary(s->cells, "tp2");
  loop_gradient(s, s->p, v);
  op_par_loop(flux, "flux", s->edges, OWN(v, OP_READ), OWN(g, OP_WRITE));
  loop_divergence(s, g, d);
  loop_laplacian(s, s->p, l);
  op_par_loop(advance, "advance", s->cells, OWN(s->p, OP_READ), OWN(d, OP_READ),
              OWN(l, OP_READ), OWN(p1, OP_WRITE));
  loop_laplacian(s, l, b);
  op_par_loop(damp, "damp", s->cells, OWN(p1, OP_READ), OWN(b, OP_READ),
              OWN(p2, OP_WRITE));
  op_par_loop(limit, "limit", s->cells, OWN(p2, OP_READ), OWN(s->q, OP_WRITE));
  op_dat all[] = {v, g, d, l, b, p1, p2}, p = s->p;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    op_free_dat_temp(all[k]);
  s->p = s->q;
  s->q = p;
}

static double
sum(struct columns *s, double *rms_out) {
  double all = 0, squares = 0;
  op_par_loop(total, "total", s->cells, OWN(s->p, OP_READ),
              op_arg_gbl(&all, 1, "double", OP_INC),
              op_arg_gbl(&squares, 1, "double", OP_INC));
  *rms_out = sqrt(squares / (double)op_get_size(s->cells));
  return all;
}

static void (*const operators[OPERATOR_COUNT])(void *) = {
    [OPERATOR_GRADIENT] = run_gradient,
    [OPERATOR_DIVERGENCE] = run_divergence,
    [OPERATOR_LAPLACIAN] = run_laplacian,
    [OPERATOR_SOLVE] = run_solve,
};

int
main(int argc, char **argv) {
  struct bench_options o = {
      .size = {150, 150}, .iters = 30, .warmup = 5, .layers = 60};
  struct torus t;
  struct columns s;
  struct bench_timer timer;
  double rms;
  op_init(argc, argv, 2);
  bench_speaks(op_is_root());
  if (!bench_parse(&o, argc, argv)) return 2;
  torus_make(&t, o.size[0], o.size[1]);
  declare(&s, &t, o.layers);
  double before = sum(&s, &rms);
  operators_measure(operators, &s, settle, &t, &o);
  bench_timer_start(&timer, o.warmup);
  for (int i = 0; i < o.iters; i++) {
    bench_iteration(&timer);
    step(&s);
    op2_flush();
    bench_progress(i, o.iters);
  }
  bench_iteration(&timer);
  bool right = operators_verdict(before, sum(&s, &rms));
  op_timing_output();
  bench_result(argv[0], &o, bench_threads(), &timer, rms);
  torus_clear(&t);
  op_exit();
  return !right;
}
