/* A loop without arguments runs its kernel once an element. */
#include "check.h"

enum { N = 17 };

static int calls;

static void
count_calls(void) {
  calls++;
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  op_set s = op_decl_set(N, "s");
  op_par_loop(count_calls, "count_calls", s);
  CHECK_INT(calls, N);
  op_par_loop(count_calls, "count_calls", s);
  CHECK_INT(calls, 2 * N);
  return check_end();
}
