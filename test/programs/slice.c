/* Looking at one dat runs what it needs and leaves independent loops pending; a
 * loop left out twice joins the next slice. */
#include "check.h"

enum { N = 50 };

static void
add_one(int *a) {
  *a += 1;
}
static void
copy_sum(const int *a, int *b) {
  *b += *a;
}

static op_set s;

static void
bump(op_dat a) {
  op_par_loop(add_one, "add_one", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW));
}

static void
check_all(op_dat d, int want) {
  int out[N];
  op_fetch_data(d, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], want);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  s = op_decl_set(N, "s");
  op_dat a = op_decl_dat(s, 1, "int", (int *)NULL, "a");
  op_dat b = op_decl_dat(s, 1, "int", (int *)NULL, "b");
  op_dat c = op_decl_dat(s, 1, "int", (int *)NULL, "c");
  int slicing = !check_disabled("slice");

  bump(a);
  bump(b);
  bump(c);
  bump(a);
  CHECK_PENDING(4);
  check_all(a, 2);
  CHECK_PENDING(slicing ? 2 : 0);
  op_par_loop(copy_sum, "copy_sum", s,
              op_arg_dat(b, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_INC));
  check_all(a, 3); /* needs b's loop */
  CHECK_PENDING(slicing ? 1 : 0);
  bump(a);
  check_all(a, 4); /* c's loop was left out twice: it comes along */
  CHECK_INT(op2_pending(), 0);
  check_all(b, 1);
  check_all(c, 1);
  return check_end();
}
