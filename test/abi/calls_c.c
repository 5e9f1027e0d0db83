/* The macros of op2_c.h. */
#include "calls_common.h"

#include <stdlib.h>

/* Commas inside an argument's parentheses, and a plain 0, reach the call whole. */
static void
test_shapes(void) {
  double x[2] = {0, 0};
  op_decl_dat(NULL, 1, "double", 0, "zero");
  EXPECT(!seen.data && !seen.size);
  op_arg_gbl(((double[]){1, 2}), 2, "double", OP_READ);
  EXPECT(seen.size == sizeof(double) && seen.dim == 2);
  op_arg_gbl(x + 1, 1, "double", OP_READ);
  EXPECT(seen.data == x + 1);
  int i = 0;
  op_fetch_data(NULL_DAT, &x[i++]);
  EXPECT(i == 1);
}

int
main(void) {
  test_common();
  test_shapes();
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
