/* The finite-element solver on a small mesh against plain C: element matrices
 * and right side, the first steps of conjugate gradients to 1e-12, and the
 * known solution at the end. */
#include "check.h"

#include "../../bench/colour.c"
#include "../../bench/fem/ref.c"
#include "../../bench/fem/square.c"

enum { NI = 9, NJ = 7, NODES = (NI + 1) * (NJ + 1) };

static op_set nodes, cells, bnodes;
static op_map pcell, pbnode;
static op_dat x, K, b, u, r, p, v;

static op_dat
zeros_on(op_set s, int dim, const char *name) {
  return op_decl_dat(s, dim, "double", (double *)NULL, name);
}

static void
declare(struct square *s) {
  nodes = op_decl_set(s->nnode, "nodes");
  cells = op_decl_set(s->ncell, "cells");
  bnodes = op_decl_set(s->nbnode, "bnodes");
  pcell = op_decl_map(cells, nodes, 4, s->cell_node, "pcell");
  pbnode = op_decl_map(bnodes, nodes, 1, s->bnode, "pbnode");
  x = op_decl_dat(nodes, 2, "double", s->x, "x");
  K = zeros_on(cells, 16, "K");
  b = zeros_on(nodes, 1, "b");
  u = zeros_on(nodes, 1, "u");
  r = zeros_on(nodes, 1, "r");
  p = zeros_on(nodes, 1, "p");
  v = zeros_on(nodes, 1, "v");
}

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)
#define NODE(i) op_arg_dat(b, i, pcell, 1, "double", OP_INC)

static void
multiply_loop(op_dat factor) {
  op_par_loop(multiply, "multiply", cells,
              op_arg_dat(K, -1, OP_ID, 16, "double", OP_READ),
              op_arg_dat(factor, -4, pcell, 1, "double", OP_READ),
              op_arg_dat(v, -4, pcell, 1, "double", OP_INC));
}

static void
clamp_loop(op_dat d) {
  op_par_loop(clamp, "clamp", bnodes,
              op_arg_dat(d, 0, pbnode, 1, "double", OP_WRITE));
}

static double
begin_loops(void) {
  double rr = 0.0;
  op_par_loop(element, "element", cells,
              op_arg_dat(x, -4, pcell, 2, "double", OP_READ),
              op_arg_dat(K, -1, OP_ID, 16, "double", OP_WRITE), NODE(0),
              NODE(1), NODE(2), NODE(3));
  op_par_loop(dirichlet, "dirichlet", bnodes,
              op_arg_dat(x, 0, pbnode, 2, "double", OP_READ),
              op_arg_dat(u, 0, pbnode, 1, "double", OP_WRITE));
  multiply_loop(u);
  op_par_loop(begin, "begin", nodes, OWN(b, OP_READ), OWN(v, OP_RW),
              OWN(r, OP_WRITE));
  clamp_loop(r);
  op_par_loop(first_direction, "first_direction", nodes, OWN(r, OP_READ),
              OWN(p, OP_WRITE), op_arg_gbl(&rr, 1, "double", OP_INC));
  return rr;
}

static double
step_loops(double rr) {
  double pv = 0.0, next = 0.0;
  multiply_loop(p);
  clamp_loop(v);
  op_par_loop(dot, "dot", nodes, OWN(p, OP_READ), OWN(v, OP_READ),
              op_arg_gbl(&pv, 1, "double", OP_INC));
  double alpha = rr / pv;
  op_par_loop(advance, "advance", nodes, OWN(p, OP_READ), OWN(v, OP_RW),
              OWN(u, OP_INC), OWN(r, OP_RW),
              op_arg_gbl(&alpha, 1, "double", OP_READ),
              op_arg_gbl(&next, 1, "double", OP_INC));
  double beta = next / rr;
  op_par_loop(direction, "direction", nodes, OWN(r, OP_READ), OWN(p, OP_RW),
              op_arg_gbl(&beta, 1, "double", OP_READ));
  return next;
}

static void
compare(const char *name, op_dat d, const double *want, int n, double within) {
  double *found = malloc((size_t)n * sizeof *found), most = 0.0;
  if (!found) exit(2);
  op_fetch_data(d, found);
  for (int i = 0; i < n; i++) most = fmax(most, fabs(want[i]));
  for (int i = 0; i < n; i++)
    if (!(fabs(found[i] - want[i]) <= within * most))
      check_fail(__FILE__, __LINE__, "%s[%d] is %.17g, expected %.17g", name, i,
                 found[i], want[i]);
  free(found);
}

int
main(int argc, char **argv) {
  static struct fref f;
  struct square s;
  double exact[NODES];
  check_start(argc, argv);
  square_make(&s, NI, NJ);
  fref_start(&f, &s, 1, 0);
  declare(&s);
  double rr = begin_loops(), want = fref_begin(&f), goal = 1e-24 * want;
  CHECK_NEAR(rr, want, 1e-12);
  compare("K", K, f.K, 16 * s.ncell, 1e-13);
  compare("b", b, f.b, s.nnode, 1e-13);
  for (int i = 0; i < 5; i++) {
    rr = step_loops(rr);
    want = fref_step(&f, want);
    CHECK_NEAR(rr, want, 1e-11);
    compare("u", u, f.u, s.nnode, 1e-12);
  }
  int steps = 0;
  while (rr > goal && steps++ < 200) rr = step_loops(rr);
  CHECK(rr <= goal);
  for (int n = 0; n < NODES; n++) exact[n] = fem_exact(s.x + 2 * n);
  compare("u", u, exact, NODES, 1.0 / (NJ * NJ));
  fref_stop(&f);
  square_clear(&s);
  return check_end();
}
