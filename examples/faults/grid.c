/* The fault: a mesh that is too small for so many ranks, and an exchange in each step:
 * "An exchange that dominates" of doc/performance.md.
 *
 *   OP2_DECLARE=whole OP2_REPORT=1 mpirun -n 2 ./grid
 *
 * Each rank declares the whole mesh, which OP2_DECLARE=whole says. */
#include "op2.h"

enum { WIDE = 16, NODES = WIDE * WIDE, EDGES = 2 * WIDE * (WIDE - 1) };
enum { STEPS = 20000, AT_ONCE = 10 };

static void
flux(const double *a, const double *b, double *from, double *to) {
  double f = 0.1 * (*a - *b);
  *from -= f;
  *to += f;
}

static void
step(double *change, double *q) {
  *q += *change;
  *change = 0;
}

int
main(int argc, char **argv) {
  op_init(argc, argv, 0);
  static double start[NODES];
  static int ends[2 * EDGES];
  for (int i = 0, n = 0; i < NODES; i++) {
    start[i] = i % 7;
    if (i % WIDE < WIDE - 1) ends[n++] = i, ends[n++] = i + 1;
    if (i + WIDE < NODES) ends[n++] = i, ends[n++] = i + WIDE;
  }
  op_set nodes = op_decl_set(NODES, "nodes"), edges = op_decl_set(EDGES, "edges");
  op_map map = op_decl_map(edges, nodes, 2, ends, "ends");
  op_dat q = op_decl_dat(nodes, 1, "double", start, "q");
  op_dat r = op_decl_dat(nodes, 1, "double", (double *)NULL, "r");
  for (int k = 0; k < STEPS; k++) {
    op_par_loop(flux, "flux", edges, op_arg_dat(q, 0, map, 1, "double", OP_READ),
                op_arg_dat(q, 1, map, 1, "double", OP_READ),
                op_arg_dat(r, 0, map, 1, "double", OP_INC),
                op_arg_dat(r, 1, map, 1, "double", OP_INC));
    op_par_loop(step, "step", nodes, op_arg_dat(r, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(q, -1, OP_ID, 1, "double", OP_RW));
    if (k % AT_ONCE == AT_ONCE - 1) op2_flush();
  }
  op_exit();
  return 0;
}
