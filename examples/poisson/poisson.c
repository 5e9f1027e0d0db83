/* Poisson's equation, -(u_xx + u_yy) = f in the unit square, u = 0 on its rim: nodes of a
 * grid, solved without a matrix and with one.
 *
 *   poisson [cells along a side] [options of op2_solve]
 *
 * Without options the product with the matrix is two loops, one over nodes, one over the
 * edges between them; op2_solve_with fuses them with the solver's own, and looks at a
 * residual every tenth step only. With options the matrix is assembled and handed to
 * op2_solve:
 *
 *   poisson 200 "cg jacobi"
 *   poisson 200 "petsc -ksp_type cg -pc_type gamg"     where the library has PETSc
 *
 * With f = 2 pi^2 u the answer is u = sin(pi x) sin(pi y). */
#include "op2.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* ---- kernels ------------------------------------------------------------- */

static void
source(const double *at, double *b, double *exact) {
  *exact = sin(pi * at[0]) * sin(pi * at[1]);
  *b = 2 * pi * pi * *exact * at[2] * at[2];
}

static void
diagonal(const double *x, double *y) {
  *y = 4 * *x;
}

static void
links(const double *xa, const double *xb, double *ya, double *yb) {
  *ya -= *xb;
  *yb -= *xa;
}

static void
compare(const double *x, const double *exact, double *worst) {
  double d = fabs(*x - *exact);
  *worst = d > *worst ? d : *worst;
}

/* ---- the product --------------------------------------------------------- */

struct grid {
  op_set nodes, edges;
  op_map ends;
};

/* y = A x, times the square of the nodes' distance */
static void
apply(op_dat x, op_dat y, void *user) {
  const struct grid *g = user;
  op_par_loop(diagonal, "diagonal", g->nodes,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(y, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(links, "links", g->edges,
              op_arg_dat(x, 0, g->ends, 1, "double", OP_READ),
              op_arg_dat(x, 1, g->ends, 1, "double", OP_READ),
              op_arg_dat(y, 0, g->ends, 1, "double", OP_INC),
              op_arg_dat(y, 1, g->ends, 1, "double", OP_INC));
}

/* ---- the matrix ---------------------------------------------------------- */

/* The two nodes of an edge take from each other. */
static void
couple(double *m) {
  m[0 * 2 + 1] -= 1;
  m[1 * 2 + 0] -= 1;
}

/* The same matrix with values: 4 on its diagonal, -1 for each edge. */
static op2_mat
assemble(struct grid *g) {
  op2_sparsity links = op2_decl_sparsity(1, &g->ends, &g->ends, "links");
  op2_mat a = op2_decl_mat(links, 1, 1, "double", "a");
  op_par_loop(couple, "couple", g->edges,
              op2_arg_mat(a, g->ends, g->ends, 1, 1, "double", OP_INC));
  op2_mat_set_diagonal(a, g->nodes, 4);
  return a;
}

/* ---- the grid ------------------------------------------------------------ */

/* Nodes inside, m along a side, with x, y and their distance; edges between them. */
static int
make_grid(int m, double *at, int *end) {
  int n = 0;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) {
      int node = j * m + i;
      at[3 * node] = (i + 1) / (m + 1.0);
      at[3 * node + 1] = (j + 1) / (m + 1.0);
      at[3 * node + 2] = 1 / (m + 1.0);
      for (int up = 0; up < 2; up++) {
        if (up ? j + 1 == m : i + 1 == m) continue;
        end[2 * n] = node;
        end[2 * n++ + 1] = node + (up ? m : 1);
      }
    }
  return n;
}

int
main(int argc, char **argv) {
  int cells = argc > 1 && atoi(argv[1]) > 2 ? atoi(argv[1]) : 200, m = cells - 1;
  size_t nnodes = (size_t)m * (size_t)m;
  double *at = malloc(3 * nnodes * sizeof *at), worst = 0;
  int *end = malloc(4 * nnodes * sizeof *end);
  if (!at || !end) return 1;
  op_init(argc, argv, 0);
  int nedges = make_grid(m, at, end);
  struct grid g = {.nodes = op_decl_set((int)nnodes, "nodes"),
                   .edges = op_decl_set(nedges, "edges")};
  g.ends = op_decl_map(g.edges, g.nodes, 2, end, "ends");
  op_dat place = op_decl_dat(g.nodes, 3, "double", at, "place");
  op_dat x = op_decl_dat(g.nodes, 1, "double", (double *)NULL, "x");
  op_dat b = op_decl_dat(g.nodes, 1, "double", (double *)NULL, "b");
  op_dat exact = op_decl_dat(g.nodes, 1, "double", (double *)NULL, "exact");

  op_par_loop(source, "source", g.nodes,
              op_arg_dat(place, -1, OP_ID, 3, "double", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_dat(exact, -1, OP_ID, 1, "double", OP_WRITE));
  struct op2_solve_info info;
  int status = argc > 2 ? op2_solve(assemble(&g), x, b, argv[2], &info)
                        : op2_solve_with(apply, &g, x, b, "cg rtol=1e-8 maxit=2000", &info);
  op_par_loop(compare, "compare", g.nodes,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(exact, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&worst, 1, "double", OP_MAX));
  if (status == 0 && info.converged)
    op_printf("%d nodes: converged, residual below 1e-8; error %.3e\n", m * m, worst);
  else
    op_printf("%d nodes: not solved\n", m * m);
  op_exit();
  free(at);
  free(end);
  return status != 0 || !info.converged;
}
