/* expect: AT_MOST_64_ARGUMENTS */
#include "calls_common.h"
void
f(void) {
  op_par_loop(NULL, "many", (op_set)NULL, IDX64, op_arg_idx(64, OP_ID));
}
