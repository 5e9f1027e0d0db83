/* A ring of rods that pass energy on. The fault: steps are too long, so that a hot node
 * gives more than it has, and a root is not a number. For OP2_CHECK=nan and debuggers:
 * "The first NaN" and "A debugger in a kernel" of doc/debugging.md. */
#include "op2.h"

#include <math.h>
#include <stdio.h>

enum { NODES = 1000, STEPS = 20, HOT = 613 };
static const double step = 0.6; /* up to 0.5 would do */

static void
flux(const double *a, const double *b, double *from, double *to) {
  double f = step * (*a - *b);
  from[0] -= f;
  to[0] += f;
}

static void
update(double *change, double *energy) {
  *energy += *change;
  *change = 0;
}

static void
speed(const double *energy, double *v) {
  *v = sqrt(*energy);
}

static void
sum(const double *v, double *total) {
  *total += *v;
}

int
main(int argc, char **argv) {
  op_init(argc, argv, 0);
  static double energy[NODES], total;
  static int ends[2 * NODES];
  for (int i = 0; i < NODES; i++) {
    energy[i] = i == HOT ? 10 : 1;
    ends[2 * i] = i, ends[2 * i + 1] = (i + 1) % NODES;
  }
  op_set nodes = op_decl_set(NODES, "nodes"), rods = op_decl_set(NODES, "rods");
  op_map map = op_decl_map(rods, nodes, 2, ends, "ends");
  op_dat e = op_decl_dat(nodes, 1, "double", energy, "energy");
  op_dat r = op_decl_dat(nodes, 1, "double", (double *)NULL, "r");
  op_dat v = op_decl_dat(nodes, 1, "double", (double *)NULL, "v");
  for (int k = 0; k < STEPS; k++) {
    op_par_loop(flux, "flux", rods, op_arg_dat(e, 0, map, 1, "double", OP_READ),
                op_arg_dat(e, 1, map, 1, "double", OP_READ),
                op_arg_dat(r, 0, map, 1, "double", OP_INC),
                op_arg_dat(r, 1, map, 1, "double", OP_INC));
    op_par_loop(update, "update", nodes, op_arg_dat(r, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(e, -1, OP_ID, 1, "double", OP_RW));
    op_par_loop(speed, "speed", nodes, op_arg_dat(e, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(v, -1, OP_ID, 1, "double", OP_WRITE));
  }
  op_par_loop(sum, "sum", nodes, op_arg_dat(v, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&total, 1, "double", OP_INC));
  op_printf("total %g\n", total);
  op_exit();
  return 0;
}
