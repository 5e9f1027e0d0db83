/* OP_NO_REALLOC: the program's own arrays are used as they are; after a fetch
 * the values stand in the array that was declared, and two dats declared from
 * overlapping arrays see each other's writes. */
#include "check.h"

enum { N = 20 };

static void
add_one(int *a) {
  *a += 1;
}
static void
times_two(int *a) {
  *a *= 2;
}

int
main(void) {
  static int init[2 * N], out[N];
  char program[] = "no_realloc", option[] = "OP_NO_REALLOC";
  char *argv[] = {program, option, NULL};
  check_start(2, argv);
  for (int e = 0; e < 2 * N; e++) init[e] = e;
  op_set s = op_decl_set(N, "s");
  op_dat a = op_decl_dat(s, 1, "int", init, "a");
  op_dat b = op_decl_dat(s, 1, "int", init + N / 2, "b"); /* overlaps */
  CHECK(op_get_data_ptr(a) == (unsigned long)init);
  op_par_loop(add_one, "add_one", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW));
  op_par_loop(times_two, "times_two", s,
              op_arg_dat(b, -1, OP_ID, 1, "int", OP_RW));
  op_par_loop(add_one, "add_one", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW));
  op_fetch_data(a, out);
  for (int e = 0; e < N; e++)
    CHECK_INT(out[e], e < N / 2 ? e + 2 : 2 * (e + 1) + 1);
  op2_sync(b);
  for (int e = 0; e < N / 2; e++) CHECK_INT(init[e], e + 2);
  for (int e = N; e < N + N / 2; e++) CHECK_INT(init[e], 2 * e);
  return check_end();
}
