/* The trace is bounded: many thousand loops without a look at any data never
 * pile up, and the bound does not show in the result. */
#include "check.h"

enum { N = 5, LOOPS = 5000 };

static void
step(const int *i, int *a) {
  *a = (*a * 3 + *i) % 10007;
}

int
main(int argc, char **argv) {
  int out[N], want = 0;
  size_t most = 0;
  check_start(argc, argv);
  op_set s = op_decl_set(N, "s");
  op_dat a = op_decl_dat(s, 1, "int", (int *)NULL, "a");
  for (int i = 0; i < LOOPS; i++) {
    op_par_loop(step, "step", s, op_arg_gbl(&i, 1, "int", OP_READ),
                op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW));
    if (op2_pending() > most) most = op2_pending();
    want = (want * 3 + i) % 10007;
  }
  const char *text = getenv("OP2_TRACE_MAX_LOOPS");
  CHECK(most <= (size_t)(text ? atoi(text) : 1000));
  if (check_lazy()) CHECK(most > 1);
  op_fetch_data(a, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], want);
  return check_end();
}
