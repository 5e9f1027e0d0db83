/* READ globals are read at the call, though the loop runs later. */
#include "check.h"

enum { N = 100 };

static void
add_pair(const int *g, int *a) {
  *a += 10 * g[0] + g[1];
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  op_set s = op_decl_set(N, "s");
  op_dat a = op_decl_dat(s, 1, "int", (int *)NULL, "a");
  int g[2], out[N], expected[N], sum = 0;
  for (int i = 0; i < 5; i++) {
    g[0] = i;
    g[1] = 2 * i + 1;
    sum += 10 * g[0] + g[1];
    op_par_loop(add_pair, "add_pair", s, op_arg_gbl(g, 2, "int", OP_READ),
                op_arg_dat(a, -1, OP_ID, 1, "int", OP_INC));
  }
  CHECK_PENDING(5);
  g[0] = g[1] = -1000000;
  for (int e = 0; e < N; e++) expected[e] = sum;
  op_fetch_data(a, out);
  CHECK_INTS(out, expected, N);
  CHECK_INT(op2_pending(), 0);
  return check_end();
}
