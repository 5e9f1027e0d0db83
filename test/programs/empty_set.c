/* Sets without elements: loops over them change nothing, sums stay, maps need
 * no table, fetches copy nothing. */
#include "check.h"

enum { N = 12 };

static void
count(const int *x, int *a, int *sum, int *max) {
  *a += *x;
  *sum += 1;
  *max = *x > *max ? *x : *max;
}
static void
read_none(const int *a, int *b) {
  *b += *a;
}

int
main(int argc, char **argv) {
  int init[N], out[N], sum = 4, max = -7, guard = 99;
  check_start(argc, argv);
  for (int e = 0; e < N; e++) init[e] = e;
  op_set none = op_decl_set(0, "none"), s = op_decl_set(N, "s");
  op_map m = op_decl_map(none, s, 2, (int *)NULL, "m");
  op_map own = op_decl_map(none, none, 1, (int *)NULL, "own");
  CHECK(m != NULL && own != NULL);
  op_dat x = op_decl_dat(none, 1, "int", (int *)NULL, "x");
  op_dat y = op_decl_dat(none, 1, "int", (int *)NULL, "y");
  op_dat a = op_decl_dat(s, 1, "int", init, "a");
  op_par_loop(count, "count", none, op_arg_dat(x, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(a, 1, m, 1, "int", OP_INC),
              op_arg_gbl(&sum, 1, "int", OP_INC),
              op_arg_gbl(&max, 1, "int", OP_MAX));
  CHECK_INT(sum, 4);
  CHECK_INT(max, -7);
  op_par_loop(read_none, "read_none", none,
              op_arg_dat(x, 0, own, 1, "int", OP_READ),
              op_arg_dat(y, -1, OP_ID, 1, "int", OP_INC));
  op_fetch_data(y, &guard);
  CHECK_INT(guard, 99);
  op_fetch_data(a, out);
  CHECK_INTS(out, init, N);
  CHECK_INT(op_get_size(none), 0);
  return check_end();
}
