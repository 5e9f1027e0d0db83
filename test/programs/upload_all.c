/* op_upload_all takes what the program wrote, and leaves what loops wrote. */
#include "check.h"

enum { N = 100 };

static void
add(int *a) {
  *a += 1;
}

int
main(int argc, char **argv) {
  int ones[N], sevens[N], out[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    ones[e] = 1;
    sevens[e] = 7;
  }
  op_set s = op_decl_set(N, "s");
  op_dat looped = op_decl_dat(s, 1, "int", (int *)NULL, "looped");
  op_dat written = op_decl_dat(s, 1, "int", (int *)NULL, "written");
  op_par_loop(add, "add", s, op_arg_dat(looped, -1, OP_ID, 1, "int", OP_RW));
  op2_sync(written);
  memcpy(written->data, sevens, sizeof sevens);
  op_upload_all();
  op_fetch_data(looped, out);
  CHECK_INTS(out, ones, N);
  op_fetch_data(written, out);
  CHECK_INTS(out, sevens, N);
  return check_end();
}
