/* The finite-element matrix against OP2's API: assembled, or kept as one 4 x 4
 * block a cell (--free). */
#include "op2.h"

#include <stdio.h>

#include "../common.h"
#include "forms.h"
#include "kernels.h"
#include "square.h"

struct problem {
  op_set nodes, cells, bnodes;
  op_map pcell, pbnode;
  op_dat at, x, y, u, b;
  op2_sparsity couples;
  op2_mat a;
  op_dat blocks; /* of the free form */
  op_set boundary;
};

static op_dat
values(op_set set, int dim, const char *name) {
  return op_decl_dat(set, dim, "double", (double *)NULL, name);
}

static void
declare(struct problem *p, struct square *s) {
  p->nodes = op_decl_set(s->nnode, "nodes");
  p->cells = op_decl_set(s->ncell, "cells");
  p->bnodes = op_decl_set(s->nbnode, "bnodes");
  p->pcell = op_decl_map(p->cells, p->nodes, 4, s->cell_node, "pcell");
  p->pbnode = op_decl_map(p->bnodes, p->nodes, 1, s->bnode, "pbnode");
  p->at = op_decl_dat(p->nodes, 2, "double", s->x, "at");
  p->x = values(p->nodes, 1, "x");
  p->y = values(p->nodes, 1, "y");
  p->u = values(p->nodes, 1, "u");
  p->b = values(p->nodes, 1, "b");
}

/* Nodes of the boundary do not change: no residual there. */
static void
clamp_boundary(struct problem *p, op_dat v) {
  op_par_loop(clamp, "clamp", p->bnodes,
              op_arg_dat(v, 0, p->pbnode, 1, "double", OP_WRITE));
}

static void
right_side(struct problem *p) {
  op_par_loop(load, "load", p->cells,
              op_arg_dat(p->at, -4, p->pcell, 2, "double", OP_READ),
              op_arg_dat(p->b, -4, p->pcell, 1, "double", OP_INC));
  clamp_boundary(p, p->b);
  op_par_loop(first_guess, "first_guess", p->nodes,
              op_arg_dat(p->at, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(p->x, -1, OP_ID, 1, "double", OP_WRITE));
}

static double
find_error(void *problem, double *most_out) {
  struct problem *p = problem;
  double sum = 0;
  *most_out = 0;
  op_par_loop(inner_error, "inner_error", p->nodes,
              op_arg_dat(p->at, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(p->u, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC),
              op_arg_gbl(most_out, 1, "double", OP_MAX));
  return sqrt(sum / (double)op_get_size(p->nodes));
}

/* ---- assembled ----------------------------------------------------------- */

static void
assemble(void *problem) {
  struct problem *p = problem;
  op2_mat_zero(p->a);
  op_par_loop(stiffness, "stiffness", p->cells,
              op_arg_dat(p->at, -4, p->pcell, 2, "double", OP_READ),
              op2_arg_mat(p->a, p->pcell, p->pcell, 1, 1, "double", OP_INC));
  op2_mat_set_diagonal(p->a, p->boundary, 1);
  op2_flush();
}

static void
multiply_assembled(void *problem) {
  struct problem *p = problem;
  op2_mat_mult(p->a, p->x, p->y);
  op2_flush();
}

static int
solve_assembled(void *problem, double rtol, int most) {
  struct problem *p = problem;
  struct op2_solve_info info;
  char options[64];
  snprintf(options, sizeof options, "cg jacobi rtol=%g maxit=%d", rtol, most);
  op2_dat_zero(p->u);
  return op2_solve(p->a, p->u, p->b, options, &info) || !info.converged
             ? -1
             : info.iterations;
}

static struct form
assembled(struct problem *p, const struct square *s) {
  p->boundary = op2_decl_subset(p->nodes, s->nbnode, s->bnode, "boundary");
  p->couples = op2_decl_sparsity(1, &p->pcell, &p->pcell, "couples");
  p->a = op2_decl_mat(p->couples, 1, 1, "double", "a");
  op2_mat_mask(p->a, p->boundary, p->boundary);
  return (struct form){p, assemble, multiply_assembled, solve_assembled,
                       find_error};
}

/* ---- free ---------------------------------------------------------------- */

static void
make_blocks(void *problem) {
  struct problem *p = problem;
  op2_dat_zero(p->blocks);
  op_par_loop(stiffness, "stiffness", p->cells,
              op_arg_dat(p->at, -4, p->pcell, 2, "double", OP_READ),
              op_arg_dat(p->blocks, -1, OP_ID, 16, "double", OP_INC));
  op2_flush();
}

static void
apply(op_dat x, op_dat y, void *problem) {
  struct problem *p = problem;
  op2_dat_zero(y);
  op_par_loop(multiply, "multiply", p->cells,
              op_arg_dat(p->blocks, -1, OP_ID, 16, "double", OP_READ),
              op_arg_dat(x, -4, p->pcell, 1, "double", OP_READ),
              op_arg_dat(y, -4, p->pcell, 1, "double", OP_INC));
  clamp_boundary(p, y);
}

static void
multiply_free(void *problem) {
  struct problem *p = problem;
  apply(p->x, p->y, p);
  op2_flush();
}

static int
solve_free(void *problem, double rtol, int most) {
  struct problem *p = problem;
  struct op2_solve_info info;
  char options[64];
  snprintf(options, sizeof options, "cg rtol=%g maxit=%d", rtol, most);
  op2_dat_zero(p->u);
  return op2_solve_with(apply, p, p->u, p->b, options, &info) || !info.converged
             ? -1
             : info.iterations;
}

static struct form
unassembled(struct problem *p) {
  p->blocks = values(p->cells, 16, "blocks");
  return (struct form){p, make_blocks, multiply_free, solve_free, find_error};
}

int
main(int argc, char **argv) {
  struct bench_options o = {.size = {400, 400}, .iters = 30, .warmup = 5};
  struct square s;
  struct problem p;
  op_init(argc, argv, 2);
  bench_speaks(op_is_root());
  if (!bench_parse(&o, argc, argv)) return 2;
  square_make(&s, o.size[0], o.size[1]);
  declare(&p, &s);
  struct form f = o.free ? unassembled(&p) : assembled(&p, &s);
  o.variant = o.free ? "_free" : NULL;
  right_side(&p);
  int wrong = forms_measure(&f, argv[0], &o, &s, bench_threads());
  op_timing_output();
  square_clear(&s);
  op_exit();
  return wrong;
}
