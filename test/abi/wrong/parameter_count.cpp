// expect: one pointer per op_arg
#include "op2.h"
static void
k(double *) {
}
void
f(op_set set, op_arg a) {
  op_par_loop(k, "k", set, a, a);
}
