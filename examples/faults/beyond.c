/* The fault: what flows along a rod has one component, and kernel flux stores two:
 * "A component too many" of doc/debugging.md. op2cc says so, as kernel and call stand in
 * one file; compiled with -DAPART, dim is a variable's, and the call says so. */
#include "op2.h"

#include <stdio.h>

enum { NODES = 1000 };
#ifdef APART
static int one = 1;
#else
#define one 1
#endif

static void
flux(const double *a, const double *b, double *to) {
  to[0] += *a - *b;
  to[1] -= *a - *b;
}

int
main(int argc, char **argv) {
  op_init(argc, argv, 0);
  static double energy[NODES], change[NODES];
  static int ends[2 * NODES];
  for (int i = 0; i < NODES; i++) {
    energy[i] = i % 7;
    ends[2 * i] = i, ends[2 * i + 1] = (i + 1) % NODES;
  }
  op_set nodes = op_decl_set(NODES, "nodes"), rods = op_decl_set(NODES, "rods");
  op_map map = op_decl_map(rods, nodes, 2, ends, "ends");
  op_dat e = op_decl_dat(nodes, 1, "double", energy, "energy");
  op_dat r = op_decl_dat(nodes, 1, "double", change, "r");
  op_par_loop(flux, "flux", rods, op_arg_dat(e, 0, map, 1, "double", OP_READ),
              op_arg_dat(e, 1, map, 1, "double", OP_READ),
              op_arg_dat(r, 1, map, one, "double", OP_INC));
  op_fetch_data(r, change);
  op_printf("%g\n", change[0]);
  op_exit();
  return 0;
}
