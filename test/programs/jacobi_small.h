/* Jacobi on a small graph against plain C, for one type: integers exactly,
 * others to `WITHIN` of their size. Included by jacobi_small_*.c. */
#include "check.h"

#include "../../bench/colour.c"
#include "../../bench/jacobi/ref.h"

enum { NI = 13, NJ = 11, ITERS = 25 };

static void
step(op_set nodes, op_set edges, op_map m, op_dat *d, jacobi_sum *sum,
     REAL *max) {
  REAL beta = 1;
  op_par_loop(res, "res", edges,
              op_arg_dat(d[0], -1, OP_ID, 1, REAL_NAME, OP_READ),
              op_arg_dat(d[2], 1, m, 1, REAL_NAME, OP_READ),
              op_arg_dat(d[3], 0, m, 1, REAL_NAME, OP_INC),
              op_arg_gbl(&beta, 1, REAL_NAME, OP_READ));
  op_par_loop(update, "update", nodes,
              op_arg_dat(d[1], -1, OP_ID, 1, REAL_NAME, OP_READ),
              op_arg_dat(d[3], -1, OP_ID, 1, REAL_NAME, OP_RW),
              op_arg_dat(d[2], -1, OP_ID, 1, REAL_NAME, OP_INC),
              op_arg_gbl(sum, 1, JACOBI_SUM_NAME, OP_INC),
              op_arg_gbl(max, 1, REAL_NAME, OP_MAX));
}

int
main(int argc, char **argv) {
  static struct jref r;
  REAL u[NI * NJ], max, want_max;
  struct graph g;
  check_start(argc, argv);
  graph_make(&g, NI, NJ);
  jref_start(&r, &g, 1, 0);
  op_set nodes = op_decl_set(g.nnode, "nodes");
  op_set edges = op_decl_set(g.nedge, "edges");
  op_map m = op_decl_map(edges, nodes, 2, g.edge, "m");
  op_dat d[4] = {op_decl_dat(edges, 1, REAL_NAME, g.A, "A"),
                 op_decl_dat(nodes, 1, REAL_NAME, g.r, "r"),
                 op_decl_dat(nodes, 1, REAL_NAME, (REAL *)NULL, "u"),
                 op_decl_dat(nodes, 1, REAL_NAME, (REAL *)NULL, "du")};
  for (int iter = 0; iter < ITERS; iter++) {
    jacobi_sum sum = 0;
    max = 0;
    step(nodes, edges, m, d, &sum, &max);
    CHECK_NEAR((double)sum, (double)jref_step(&r, &want_max), WITHIN);
    CHECK_NEAR((double)max, (double)want_max, WITHIN);
  }
  op_fetch_data(d[2], u);
  for (int n = 0; n < g.nnode; n++)
    CHECK_NEAR((double)u[n], (double)r.u[n], WITHIN);
  jref_stop(&r);
  graph_clear(&g);
  return check_end();
}
