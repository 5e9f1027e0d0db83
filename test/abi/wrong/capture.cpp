// expect: must not capture
#include "op2.h"
void
f(op_set set, op_arg a) {
  double x = 1;
  op_par_loop([x](double *y) { *y = x; }, "k", set, a);
}
