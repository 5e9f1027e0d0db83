/* expect: incompatible type */
#include "op2.h"
static void
k(double *x) {
  *x = 0;
}
void
f(op_set set, op_dat d) {
  op_par_loop(k, "k", set, d);
}
