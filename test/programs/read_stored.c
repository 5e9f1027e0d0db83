/* A kernel that stores to an argument that its loop declares OP_READ: later loops and
 * the host see what it stored, as they would if each loop ran at its call, also
 * where the dat is an argument twice. Without IR nobody can know of the store: then
 * the kernel leaves it out. */
#include "check.h"

enum { N = 3000, STEPS = 3 };

static int stores = 1;

static void
clip(int *a, const int *again, int *b) {
  *b += *again;
  if (stores && *a > 8) *a = 8;
}

static void
copy(const int *a, int *b) {
  *b = *a;
}

int
main(int argc, char **argv) {
  static int init[N], zero[N], want_a[N], want_b[N], out[N];
  check_start(argc, argv);
  stores = check_ir();
  for (int e = 0; e < N; e++) want_a[e] = init[e] = e % 13;
  op_set s = op_decl_set(N, "s");
  op_dat a = op_decl_dat(s, 1, "int", init, "a");
  op_dat b = op_decl_dat(s, 1, "int", zero, "b");
  op_dat c = op_decl_dat(s, 1, "int", zero, "c");
  for (int k = 0; k < STEPS; k++) {
    op_par_loop(clip, "clip", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
                op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
                op_arg_dat(b, -1, OP_ID, 1, "int", OP_INC));
    op_par_loop(copy, "copy", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
                op_arg_dat(c, -1, OP_ID, 1, "int", OP_WRITE));
    for (int e = 0; e < N; e++) {
      want_b[e] += want_a[e];
      if (stores && want_a[e] > 8) want_a[e] = 8;
    }
  }
  op_fetch_data(a, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], want_a[e]);
  op_fetch_data(b, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], want_b[e]);
  op_fetch_data(c, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], want_a[e]);
  return check_end();
}
