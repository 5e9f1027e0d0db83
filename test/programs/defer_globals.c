/* Under op2_defer_globals(1) a raw global is delivered at op2_flush; each loop
 * starts from what the memory holds at its call. */
#include "check.h"

enum { N = 10 };

static void
add(const int *e, int *sum) {
  *sum += *e;
}
static void
most(const int *e, int *max) {
  *max = *e > *max ? *e : *max;
}

int
main(int argc, char **argv) {
  int sum = 5, max = 3;
  check_start(argc, argv);
  op_set s = op_decl_set(N, "s");
  CHECK_INT(op2_defer_globals(1), 0);
  op_par_loop(add, "add", s, op_arg_idx(-1, OP_ID),
              op_arg_gbl(&sum, 1, "int", OP_INC));
  op_par_loop(most, "most", s, op_arg_idx(-1, OP_ID),
              op_arg_gbl(&max, 1, "int", OP_MAX));
  CHECK_PENDING(2);
  op2_flush();
  CHECK_INT(sum, 50);
  CHECK_INT(max, N - 1);
  sum = 1;
  op_par_loop(add, "add", s, op_arg_idx(-1, OP_ID),
              op_arg_gbl(&sum, 1, "int", OP_INC));
  sum = 5;
  op_par_loop(add, "add", s, op_arg_idx(-1, OP_ID),
              op_arg_gbl(&sum, 1, "int", OP_INC));
  op2_flush();
  CHECK_INT(sum, 50); /* the later loop's comes last */
  CHECK_INT(op2_defer_globals(0), 1);
  op_par_loop(add, "add", s, op_arg_idx(-1, OP_ID),
              op_arg_gbl(&sum, 1, "int", OP_INC));
  CHECK_INT(sum, 95);
  return check_end();
}
