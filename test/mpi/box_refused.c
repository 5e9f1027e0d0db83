/* Boxes and grids lie on one rank: on several each declaration is an error on all of
 * them, and the program goes on.
 *
 * RUN: 1
 * RUN: 2
 * RUN: 3 OP2_DECLARE=whole
 */
#include "../programs/check.h"
#include "../programs/errors.h"

static void
expect_alone(op_set set, int ranks) {
  static int before;
  CHECK(!set == (ranks > 1));
  CHECK_INT(errors, before + (ranks > 1));
  before = errors;
  if (ranks == 1) return;
  CHECK_INT(code, OP2_ERR_STATE);
  CHECK(strstr(message, "boxes and grids lie on one rank, found"));
}

int
main(int argc, char **argv) {
  idx_g_t n[] = {4, 3};
  int ranks = check_ranks();
  check_start(argc, argv);
  op2_set_error_handler(on_error, NULL);
  expect_alone(op2_decl_box(2, n, NULL, "box"), ranks);
  expect_alone(op2_decl_grid(n, 2, NULL, "grid"), ranks);
  op2_set_error_handler(NULL, NULL);
  op_set more = op_decl_set(5, "more");
  CHECK_INT(op_get_size_local(more), 5);
  return check_end();
}
