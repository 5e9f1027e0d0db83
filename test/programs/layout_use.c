/* Layouts follow use: a dat that loops only go straight through changes its layout
 * once, again when a map reaches it, and never shows it. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { N = 200, DIM = 5 };

static void
add_steps(int *a) {
  for (int c = 0; c < DIM; c++) a[c] += c;
}
static void
save(const int *a, int *b) {
  for (int c = 0; c < DIM; c++) b[c] = a[c];
}
static void
sum_in(const int *a, int *s) {
  for (int c = 0; c < DIM; c++) *s += a[c];
}
static void
two(int *t) {
  t[0] = 1;
  t[1] = 2;
}
static void
add_two(const int *t, int *a) {
  a[0] += t[0] * t[1];
}

static op_set s;
static op_dat a, b, total;

static void
go_straight(void) {
  op_par_loop(add_steps, "add_steps", s,
              op_arg_dat(a, -1, OP_ID, DIM, "int", OP_RW));
  op_par_loop(save, "save", s, op_arg_dat(a, -1, OP_ID, DIM, "int", OP_READ),
              op_arg_dat(b, -1, OP_ID, DIM, "int", OP_WRITE));
  op2_flush();
}

static void
with_temporary(void) {
  op_dat t = op_decl_dat_temp(s, 2, "int", (int *)NULL, "t");
  op_par_loop(two, "two", s, op_arg_dat(t, -1, OP_ID, 2, "int", OP_WRITE));
  op_par_loop(add_two, "add_two", s,
              op_arg_dat(t, -1, OP_ID, 2, "int", OP_READ),
              op_arg_dat(a, -1, OP_ID, DIM, "int", OP_RW));
  op_free_dat_temp(t);
  op2_flush();
}

static void
check_values(op_dat d, int steps, int extra) {
  int got[N * DIM];
  op_fetch_data(d, got);
  for (int e = 0; e < N; e++)
    for (int c = 0; c < DIM; c++)
      CHECK_INT(got[e * DIM + c],
                100 * e + c + steps * c + (c == 0 ? 2 * extra : 0));
}

/* How often layouts changed so far, where the library is free to choose them. (What
 * is on a device keeps its layout on the host.) */
static void
check_relayouts(int n) {
  const char *layout = getenv("OP2_LAYOUT"), *target = getenv("OP2_TARGET");
  const char *off = getenv("OP2_DISABLE");
  bool chooses = check_ir() && (!layout || !strcmp(layout, "auto")) &&
                 !(off && strstr(off, "layout"));
  if (target && strcmp(target, "seq") && strcmp(target, "openmp")) return;
  CHECK_INT(op2_counter("relayouts"), chooses ? n : 0);
}

int
main(int argc, char **argv) {
  int table[N], start[N * DIM], sums[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    table[e] = (e + 1) % N;
    for (int c = 0; c < DIM; c++) start[e * DIM + c] = 100 * e + c;
  }
  s = op_decl_set(N, "s");
  op_map next = op_decl_map(s, s, 1, table, "next");
  a = op_decl_dat(s, DIM, "int", start, "a");
  b = op_decl_dat(s, DIM, "int", (int *)NULL, "b");
  total = op_decl_dat(s, 1, "int", (int *)NULL, "total");

  go_straight();
  go_straight();
  check_relayouts(2);
  check_values(b, 2, 0);

  op_par_loop(sum_in, "sum_in", s, op_arg_dat(b, 0, next, DIM, "int", OP_READ),
              op_arg_dat(total, -1, OP_ID, 1, "int", OP_INC));
  go_straight(); /* a stays like b, of which it is a copy */
  check_relayouts(4);
  op_fetch_data(total, sums);
  for (int e = 0; e < N; e++)
    CHECK_INT(sums[e], 500 * table[e] + 3 * (0 + 1 + 2 + 3 + 4));

  for (int i = 0; i < 2; i++) with_temporary();
  long long programs = op2_counter("programs") - op2_counter("trials");
  for (int i = 0; i < 3; i++) with_temporary();
  CHECK_INT(op2_counter("programs") - op2_counter("trials"), programs);
  check_values(a, 3, 5);
  check_values(b, 3, 0);
  check_relayouts(5); /* the temporary: its slot keeps what it got */
  return check_end();
}
