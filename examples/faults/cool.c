/* The fault: a view of a dat is taken once and read after each loop: "A stale view" of
 * doc/debugging.md. */
#include "op2.h"

#include <stdio.h>

static void
cool(double *t) {
  *t *= 0.5;
}

int
main(int argc, char **argv) {
  op_init(argc, argv, 0);
  static double values[1000] = {100};
  op_set s = op_decl_set(1000, "cells");
  op_dat t = op_decl_dat(s, 1, "double", values, "t");
  const double *view = op2_dat_data(t);
  for (int step = 0; step < 3; step++) {
    op_par_loop(cool, "cool", s, op_arg_dat(t, -1, OP_ID, 1, "double", OP_RW));
    op_printf("step %d: %g\n", step, view[0]);
  }
  op_exit();
  return 0;
}
