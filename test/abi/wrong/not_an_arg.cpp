// expect: must be an op_arg
#include "op2.h"
static void
k(double *) {
}
void
f(op_set set, op_dat d) {
  op_par_loop(k, "k", set, d);
}
