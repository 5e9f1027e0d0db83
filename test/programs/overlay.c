/* An overlay is a second dat on the memory of a first: what one writes the other
 * reads, also while loops wait, and beside dats that have no memory. */
#include "check.h"

enum { N = 60, HALF = 30 };

static void
add_one(int *a) {
  *a += 1;
}
static void
twice(int *a) {
  *a *= 2;
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  op_set s = op_decl_set(N, "s"), h = op_decl_set(HALF, "h");
  static int values[N];
  for (int i = 0; i < N; i++) values[i] = i;
  op_dat none = op_decl_dat(s, 3, "int", (int *)NULL, "none");
  op_dat t = op_decl_dat_temp(s, 1, "int", (int *)NULL, "t");
  op_dat a = op_decl_dat(s, 1, "int", values, "a");
  op_dat first = op_decl_dat_overlay(h, a);
  CHECK(first != NULL);
  CHECK_INT(op_free_dat_temp(t), 0);
  op_dat again = op_decl_dat_overlay(h, a); /* beside a freed temporary */

  op_par_loop(add_one, "add_one", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW));
  op_par_loop(twice, "twice", h, op_arg_dat(first, -1, OP_ID, 1, "int", OP_RW));
  op_par_loop(add_one, "add_one", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW));
  op_par_loop(twice, "twice", h, op_arg_dat(again, -1, OP_ID, 1, "int", OP_RW));

  int got[N], half[HALF];
  op_fetch_data(a, got);
  op_fetch_data(first, half);
  for (int i = 0; i < N; i++)
    CHECK_INT(got[i], i < HALF ? (2 * (i + 1) + 1) * 2 : i + 2);
  for (int i = 0; i < HALF; i++) CHECK_INT(half[i], got[i]);
  CHECK_INT(op_get_size(none->set), N);
  return check_end();
}
