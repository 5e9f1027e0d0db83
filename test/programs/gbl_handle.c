/* Handles: start at zero or at their value, stay pending, op2_gbl_set is
 * ordered like a write, and freeing waits for pending users. */
#include "check.h"

enum { N = 10 };

static void
add(const int *e, int *sum) {
  *sum += *e;
}
static void
use(const int *g, int *a) {
  *a = *a * 2 + *g;
}

static op_set s;

static void
sum_into(op2_gbl g) {
  op_par_loop(add, "add", s, op_arg_idx(-1, OP_ID),
              op2_arg_gbl(g, 1, "int", OP_INC));
}

int
main(int argc, char **argv) {
  int value, out[N];
  check_start(argc, argv);
  s = op_decl_set(N, "s");
  op_dat a = op_decl_dat(s, 1, "int", (int *)NULL, "a");
  op2_gbl zero = op2_decl_gbl(1, "int", NULL, "zero");
  op2_gbl seven = op2_decl_gbl(1, "int", &(int){7}, "seven");
  sum_into(zero);
  sum_into(zero);
  CHECK_PENDING(2);
  op2_gbl_get(zero, &value);
  CHECK_INT(value, 90);
  op2_gbl_get(seven, &value);
  CHECK_INT(value, 7);

  for (int i = 0; i < 3; i++) { /* each loop sees its own setting */
    value = i + 1;
    op2_gbl_set(seven, &value);
    op_par_loop(use, "use", s, op2_arg_gbl(seven, 1, "int", OP_READ),
                op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW));
  }
  sum_into(seven); /* 3 + 45 */
  op_par_loop(use, "use", s, op2_arg_gbl(seven, 1, "int", OP_READ),
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW));
  op2_free_gbl(seven);
  op_fetch_data(a, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], 2 * 11 + 48);
  op2_free_gbl(zero);
  op2_free_gbl(NULL);
  return check_end();
}
