// expect: op_fetch_data writes its target
#include "op2.h"
void
f(op_dat d, const double *out) {
  op_fetch_data(d, out);
}
