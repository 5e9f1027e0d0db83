/* op_arg_idx hands the element's index, or an entry of the map. */
#include "check.h"

enum { N = 70, M = 33 };

static void
note(const int *e, const int *first, const int *second, int *a) {
  *a = 10000 * *e + 100 * *first + *second;
}

int
main(int argc, char **argv) {
  int map[N][2], want[N], out[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    map[e][0] = e * 5 % M;
    map[e][1] = e * 11 % M;
    want[e] = 10000 * e + 100 * map[e][0] + map[e][1];
  }
  op_set s = op_decl_set(N, "s"), t = op_decl_set(M, "t");
  op_map m = op_decl_map(s, t, 2, &map[0][0], "m");
  op_dat a = op_decl_dat(s, 1, "int", (int *)NULL, "a");
  op_par_loop(note, "note", s, op_arg_idx(-1, OP_ID), op_arg_idx(0, m),
              op_arg_idx(1, m), op_arg_dat(a, -1, OP_ID, 1, "int", OP_WRITE));
  CHECK_PENDING(1);
  op_fetch_data(a, out);
  CHECK_INTS(out, want, N);
  return check_end();
}
