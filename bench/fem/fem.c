/* The finite-element solver against OP2's API. */
#include "op2.h"

#include "../common.h"
#include "kernels.h"
#include "square.h"
#include "verdict.h"

struct fem {
  op_set nodes, cells, bnodes;
  op_map pcell, pbnode;
  op_dat x, K, b, u, r, p, v;
};

static op_dat
node_values(struct fem *f, const char *name) {
  return op_decl_dat(f->nodes, 1, "double", (double *)NULL, name);
}

static void
fem_declare(struct fem *f, struct square *s) {
  f->nodes = op_decl_set(s->nnode, "nodes");
  f->cells = op_decl_set(s->ncell, "cells");
  f->bnodes = op_decl_set(s->nbnode, "bnodes");
  f->pcell = op_decl_map(f->cells, f->nodes, 4, s->cell_node, "pcell");
  f->pbnode = op_decl_map(f->bnodes, f->nodes, 1, s->bnode, "pbnode");
  f->x = op_decl_dat(f->nodes, 2, "double", s->x, "p_x");
  f->K = op_decl_dat(f->cells, 16, "double", (double *)NULL, "p_K");
  f->b = node_values(f, "p_b");
  f->u = node_values(f, "p_u");
  f->r = node_values(f, "p_r");
  f->p = node_values(f, "p_p");
  f->v = node_values(f, "p_v");
}

static void
fem_multiply(struct fem *f, op_dat p) {
  op_par_loop(multiply, "multiply", f->cells,
              op_arg_dat(f->K, -1, OP_ID, 16, "double", OP_READ),
              op_arg_dat(p, -4, f->pcell, 1, "double", OP_READ),
              op_arg_dat(f->v, -4, f->pcell, 1, "double", OP_INC));
}

static void
fem_clamp(struct fem *f, op_dat v) {
  op_par_loop(clamp, "clamp", f->bnodes,
              op_arg_dat(v, 0, f->pbnode, 1, "double", OP_WRITE));
}

/* Assemble, set the boundary, first residual; returns r . r. */
static double
fem_begin(struct fem *f) {
  double rr = 0.0;
  op_par_loop(element, "element", f->cells,
              op_arg_dat(f->x, -4, f->pcell, 2, "double", OP_READ),
              op_arg_dat(f->K, -1, OP_ID, 16, "double", OP_WRITE),
              op_arg_dat(f->b, 0, f->pcell, 1, "double", OP_INC),
              op_arg_dat(f->b, 1, f->pcell, 1, "double", OP_INC),
              op_arg_dat(f->b, 2, f->pcell, 1, "double", OP_INC),
              op_arg_dat(f->b, 3, f->pcell, 1, "double", OP_INC));
  op_par_loop(dirichlet, "dirichlet", f->bnodes,
              op_arg_dat(f->x, 0, f->pbnode, 2, "double", OP_READ),
              op_arg_dat(f->u, 0, f->pbnode, 1, "double", OP_WRITE));
  fem_multiply(f, f->u);
  op_par_loop(begin, "begin", f->nodes,
              op_arg_dat(f->b, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(f->v, -1, OP_ID, 1, "double", OP_RW),
              op_arg_dat(f->r, -1, OP_ID, 1, "double", OP_WRITE));
  fem_clamp(f, f->r);
  op_par_loop(first_direction, "first_direction", f->nodes,
              op_arg_dat(f->r, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(f->p, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_gbl(&rr, 1, "double", OP_INC));
  return rr;
}

/* One step of conjugate gradients from r . r = rr; returns the new one. */
static double
fem_step(struct fem *f, double rr) {
  double pv = 0.0, next = 0.0;
  fem_multiply(f, f->p);
  fem_clamp(f, f->v);
  op_par_loop(dot, "dot", f->nodes,
              op_arg_dat(f->p, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(f->v, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&pv, 1, "double", OP_INC));
  double alpha = rr / pv;
  op_par_loop(advance, "advance", f->nodes,
              op_arg_dat(f->p, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(f->v, -1, OP_ID, 1, "double", OP_RW),
              op_arg_dat(f->u, -1, OP_ID, 1, "double", OP_INC),
              op_arg_dat(f->r, -1, OP_ID, 1, "double", OP_RW),
              op_arg_gbl(&alpha, 1, "double", OP_READ),
              op_arg_gbl(&next, 1, "double", OP_INC));
  double beta = next / rr;
  op_par_loop(direction, "direction", f->nodes,
              op_arg_dat(f->r, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(f->p, -1, OP_ID, 1, "double", OP_RW),
              op_arg_gbl(&beta, 1, "double", OP_READ));
  return next;
}

static double
fem_error(struct fem *f, double *most_out) {
  double sum = 0.0;
  *most_out = 0.0;
  op_par_loop(error, "error", f->nodes,
              op_arg_dat(f->x, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(f->u, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC),
              op_arg_gbl(most_out, 1, "double", OP_MAX));
  return sqrt(sum / (double)op_get_size(f->nodes));
}

/* Solve to 1e-10 of the first residual or o->iters steps; true if it got
 * there. */
static bool
fem_solve(struct fem *f, const struct bench_options *o, struct bench_timer *t) {
  double rr = fem_begin(f), goal = 1e-20 * rr;
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters && rr > goal; iter++) {
    bench_iteration(t);
    rr = fem_step(f, rr);
    bench_progress(iter, o->iters);
    if (iter % 100 == 0) op_printf("%6d  r.r %.6e\n", iter, rr);
  }
  op2_flush();
  bench_iteration(t);
  return rr <= goal;
}

int
main(int argc, char **argv) {
  struct bench_options o = {.size = {400, 400}, .iters = 5000, .warmup = 3};
  struct square s;
  struct fem f;
  struct bench_timer t;
  double most;
  op_init(argc, argv, 2);
  bench_speaks(op_is_root());
  if (!bench_parse(&o, argc, argv)) return 2;
  square_make(&s, o.size[0], o.size[1]);
  fem_declare(&f, &s);
  square_clear(&s);
  bool converged = fem_solve(&f, &o, &t);
  double rms = fem_error(&f, &most);
  int wrong = fem_verdict(&o, t.iter, converged, most);
  op_timing_output();
  bench_result(argv[0], &o, bench_threads(), &t, rms);
  op_exit();
  return wrong;
}
