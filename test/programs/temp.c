/* Temporaries start at zero, may be freed while loops on them are pending, and
 * their names may be used again at once, in another shape. */
#include "check.h"

enum { N = 60 };

static void
add_to(const int *t, int *a) {
  *a += *t;
}
static void
set_from(const int *a, int *t) {
  t[0] = *a + 1;
}
static void
set_two(const int *a, int *t) {
  t[0] = 2 * *a;
  t[1] = 1;
}
static void
add_two(const int *t, int *a) {
  *a += t[0] + t[1];
}

static op_set s;
static op_dat a;

static void
step(void) {
  op_dat t = op_decl_dat_temp(s, 1, "int", (int *)NULL, "tmp");
  op_par_loop(add_to, "add_to", s, op_arg_dat(t, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_INC)); /* adds zero */
  op_par_loop(set_from, "set_from", s,
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(t, -1, OP_ID, 1, "int", OP_WRITE));
  op_par_loop(add_to, "add_to", s, op_arg_dat(t, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_INC));
  CHECK_INT(op_free_dat_temp(t), 0);

  t = op_decl_dat_temp(s, 2, "int", (int *)NULL, "tmp");
  op_par_loop(set_two, "set_two", s,
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(t, -1, OP_ID, 2, "int", OP_WRITE));
  op_par_loop(add_two, "add_two", s,
              op_arg_dat(t, -1, OP_ID, 2, "int", OP_READ),
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_INC));
  CHECK_INT(op_free_dat_temp(t), 0);
}

int
main(int argc, char **argv) {
  int out[N], want = 0;
  check_start(argc, argv);
  s = op_decl_set(N, "s");
  a = op_decl_dat(s, 1, "int", (int *)NULL, "a");
  for (int i = 0; i < 4; i++) {
    step();
    want += want + 1;
    want += 2 * want + 1;
  }
  CHECK_PENDING(20);
  op_fetch_data(a, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], want);
  return check_end();
}
