/* A ring of nodes whose edges add to both ends, two steps, each with a look at a
 * global; then a look at a dat, a temporary, an error. */
#include "op2.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 4096 };

static void
flux(const double *a, const double *b, double *ra, double *rb) {
  *ra += *b - *a;
  *rb += *a - *b;
}
static void
update(double *u, double *r, double *sum) {
  *u += *r / 4;
  *r = 0;
  *sum += *u;
}
static void
twice(const double *u, double *v) {
  *v = 2 * *u;
}

int
main(int argc, char **argv) {
  static int table[2 * N];
  static double values[N], out[N];
  for (int e = 0; e < N; e++) {
    table[2 * e] = e;
    table[2 * e + 1] = (e + 1) % N;
    values[e] = e % 2 ? 4 : 0;
  }
  op_init(argc, argv, 0);
  op_set nodes = op_decl_set(N, "nodes"), edges = op_decl_set(N, "edges");
  op_map ends = op_decl_map(edges, nodes, 2, table, "ends");
  op_dat u = op_decl_dat(nodes, 1, "double", values, "u");
  op_dat r = op_decl_dat(nodes, 1, "double", (double *)NULL, "r");
  op_dat v = op_decl_dat_temp(nodes, 1, "double", (double *)NULL, "v");
  for (int step = 0; step < 2; step++) {
    double sum = 0;
    op_par_loop(flux, "flux", edges,
                op_arg_dat(u, 0, ends, 1, "double", OP_READ),
                op_arg_dat(u, 1, ends, 1, "double", OP_READ),
                op_arg_dat(r, 0, ends, 1, "double", OP_INC),
                op_arg_dat(r, 1, ends, 1, "double", OP_INC));
    op_par_loop(update, "update", nodes,
                op_arg_dat(u, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(r, -1, OP_ID, 1, "double", OP_RW),
                op_arg_gbl(&sum, 1, "double", OP_INC));
    op_printf("sum %g\n", sum);
  }
  op_par_loop(twice, "twice", nodes,
              op_arg_dat(u, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(v, -1, OP_ID, 1, "double", OP_WRITE));
  op_fetch_data(v, out);
  op_printf("v %g\n", out[0]);
  op_free_dat_temp(v);
  op_exit();
  return 0;
}
