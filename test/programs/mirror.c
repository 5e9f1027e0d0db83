/* dat->data is current after op2_sync, fetch and print; where the program keeps the
 * pointer, and in files that op2cc has not seen, it is kept current all the time, at
 * an address that does not change. */
#include "check.h"

enum { N = 30 };

static void
add_index(const int *e, int *a) {
  *a += *e;
}

int
main(int argc, char **argv) {
  int out[N];
  const char *mode = getenv("OP2_MIRROR");
  int promised = mode && !strcmp(mode, "0");
  check_start(argc, argv);
  op_set s = op_decl_set(N, "s");
  op_dat a = op_decl_dat(s, 1, "int", (int *)NULL, "a");
  const char *address = a->data;
  const int *data = (const int *)a->data;
  for (int i = 1; i <= 6; i++) {
    op_par_loop(add_index, "add_index", s, op_arg_idx(-1, OP_ID),
                op_arg_dat(a, -1, OP_ID, 1, "int", OP_INC));
    if (promised) op2_sync(a);
    CHECK(a->data == address);
    for (int e = 0; e < N; e++) CHECK_INT(data[e], i * e);
  }
  op_fetch_data(a, out);
  CHECK_INTS(out, data, N);
  CHECK_INT(a->set->size, N);
  CHECK_INT(strcmp(a->name, "a"), 0);
  return check_end();
}
