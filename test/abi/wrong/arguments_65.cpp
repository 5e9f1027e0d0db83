// expect: more than 64 arguments
#include "calls_common.h"
void
f() {
  op_par_loop(NULL, "many", (op_set)NULL, IDX64, op_arg_idx(64, OP_ID));
}
