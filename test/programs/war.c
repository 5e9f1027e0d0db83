/* A slice that overwrites a buffer respects the readers that stay pending: they
 * see the value that stood there at their call. */
#include "check.h"

enum { N = 200 };

static void
set_to(const int *v, int *a) {
  *a = *v;
}
static void
read_into(const int *a, int *b) {
  *b = *b * 10 + *a;
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  op_set s = op_decl_set(N, "s");
  op_dat a = op_decl_dat(s, 1, "int", (int *)NULL, "a");
  op_dat b = op_decl_dat(s, 1, "int", (int *)NULL, "b");
  int out[N];
  for (int v = 1; v <= 4; v++) {
    op_par_loop(set_to, "set_to", s, op_arg_gbl(&v, 1, "int", OP_READ),
                op_arg_dat(a, -1, OP_ID, 1, "int", OP_WRITE));
    op_fetch_data(a, out);
    CHECK_INT(out[N - 1], v);
    op_par_loop(read_into, "read_into", s,
                op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
                op_arg_dat(b, -1, OP_ID, 1, "int", OP_RW));
  }
  op_fetch_data(b, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], 1234);
  return check_end();
}
