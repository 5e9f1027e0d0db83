/* OP_WORK: a global that is scratch of the kernel. */
#include "check.h"

enum { N = 1000 };

static void
through_scratch(int *a, int *w) {
  w[0] = *a + 1;
  w[1] = 2 * w[0];
  *a = w[1];
}

int
main(int argc, char **argv) {
  int w[2], start[N], want[N], out[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    start[e] = e;
    want[e] = 2 * (e + 1);
  }
  op_set s = op_decl_set(N, "s");
  op_dat a = op_decl_dat(s, 1, "int", start, "a");
  op_par_loop(through_scratch, "through_scratch", s,
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW),
              op_arg_gbl(w, 2, "int", OP_WORK));
  op_fetch_data(a, out);
  CHECK_INTS(out, want, N);
  return check_end();
}
