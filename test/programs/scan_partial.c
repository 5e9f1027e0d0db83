/* A scan whose kernel writes some elements of a temporary and not others
 * (OP_WRITE): the others are zero, or what an earlier scan left there, for the scan
 * behind it, which takes the temporary along. In columns and in a box; components
 * of one element, too. */
#include "check.h"

enum { PLANE = 21, NK = 5, N = PLANE * NK };

static void
set(const int *x, int *t) {
  *t = *x - 100;
}
static void
odd(const int *x, int *t) {
  if (*x & 1) *t = 3 * *x + 1;
}
static void
first(const int *x, int *w) {
  w[0] = *x;
  if (*x > 6) w[1] = *x;
}
static void
take(const int *t, const int *below, const int *w, int *y) {
  *y = *t + 2 * *below + 5 * w[0] + 7 * w[1];
}

#define OWN(d, n, acc) op_arg_dat(d, -1, OP_ID, n, "int", acc)

static int
value(int e) {
  return e * 7 % 13;
}

/* What `odd` leaves of an element that held -100 + value, or 0. */
static int
left(int e, bool set_before) {
  int x = value(e);
  return x & 1 ? 3 * x + 1 : set_before ? x - 100 : 0;
}

static void
check(op_dat y, int each, int apart, bool set_before) {
  static int got[N];
  op_fetch_data(y, got);
  for (int c = 0; c < PLANE; c++)
    for (int k = 1; k < NK; k++) {
      int e = c * each + k * apart, x = value(e);
      int want = left(e, set_before) + 2 * left(e - apart, set_before) + 5 * x;
      CHECK_INT(got[e], want + (x > 6 ? 7 * x : 0));
    }
}

static void
play(op_set s, int each, int apart, bool set_before) {
  static int x[N], zero[N];
  for (int e = 0; e < N; e++) x[e] = value(e);
  op_dat in = op_decl_dat(s, 1, "int", x, "in");
  op_dat y = op_decl_dat(s, 1, "int", zero, "y");
  op_dat t = op_decl_dat_temp(s, 1, "int", (int *)NULL, "t");
  op_dat w = op_decl_dat_temp(s, 2, "int", (int *)NULL, "w");
  if (set_before)
    op2_par_loop_scan(set, "set", s, OP2_FORWARD, OWN(in, 1, OP_READ),
                      OWN(t, 1, OP_WRITE));
  op2_par_loop_scan(odd, "odd", s, OP2_FORWARD, OWN(in, 1, OP_READ),
                    OWN(t, 1, OP_WRITE));
  op2_par_loop_scan(first, "first", s, OP2_BACKWARD, OWN(in, 1, OP_READ),
                    OWN(w, 2, OP_WRITE));
  op2_par_loop_scan(take, "take", s, OP2_BACKWARD, OWN(t, 1, OP_READ),
                    op2_arg_dat_layer(t, -1, 1, "int", OP_READ),
                    OWN(w, 2, OP_READ), OWN(y, 1, OP_WRITE));
  CHECK_INT(op_free_dat_temp(t), 0);
  CHECK_INT(op_free_dat_temp(w), 0);
  check(y, each, apart, set_before);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  op_set box = op2_decl_box(2, (idx_g_t[]){PLANE, NK}, NULL, "box");
  op_set base = op_decl_set(PLANE, "base");
  op_set columns = op2_decl_columns(base, NK, "columns");
  for (int twice = 0; twice < 2; twice++) /* memory was used by then */
    for (int before = 0; before < 2; before++) {
      play(box, 1, PLANE, before);
      play(columns, NK, 1, before);
    }
  return check_end();
}
