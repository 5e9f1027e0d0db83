/* What is written through op2_dat_data_rw is seen by later loops, not by
 * earlier ones that are still pending; op2_dat_data shows current values and
 * keeps later readers pending. */
#include "check.h"

enum { N = 50 };

static void
add_to(const int *a, int *b) {
  *b += *a;
}
static void
add_one(int *a) {
  *a += 1;
}

static op_set s;
static op_dat a, b;

static void
loops(void) {
  op_par_loop(add_one, "add_one", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW));
  op_par_loop(add_to, "add_to", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "int", OP_INC));
}

int
main(int argc, char **argv) {
  int init[N], out[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) init[e] = e;
  s = op_decl_set(N, "s");
  a = op_decl_dat(s, 1, "int", init, "a");
  b = op_decl_dat(s, 1, "int", (int *)NULL, "b");
  loops();
  const int *view = op2_dat_data(a);
  CHECK(view != NULL);
  for (int e = 0; view && e < N; e++) CHECK_INT(view[e], e + 1);
  CHECK_PENDING(check_disabled("slice") ? 0 : 1); /* the reader stays */
  int *rw = op2_dat_data_rw(a);
  CHECK(rw != NULL);
  for (int e = 0; rw && e < N; e++) {
    CHECK_INT(rw[e], e + 1);
    rw[e] = 1000;
  }
  loops();
  op_fetch_data(b, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], e + 1 + 1001);
  rw = op2_dat_data_rw(b);
  if (rw) rw[7] = -1;
  view = op2_dat_data(b);
  CHECK_INT(view[7], -1);
  CHECK_INT(view[8], 9 + 1001);
  return check_end();
}
