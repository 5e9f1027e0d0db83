/* Dats that overlap in one loop: a kernel that is given both sees each of its writes
 * through the other at once, element by element, directly and through a map; so do
 * vectors, and a dat of another set over part of it. */
#include "check.h"

enum { N = 40, SHIFT = 7, M = 11 };

static void
pass_on(int *a, int *b) {
  a[0] = b[0] + 1;
  a[1] -= b[1];
}
static void
mix(int *a, int *b) {
  a[0] += 3;
  b[1] = b[0] - a[1];
  a[1] += b[1];
}
static void
corners(int *a[3], int *c) {
  for (int k = 0; k < 3; k++) a[k][0] += a[(k + 1) % 3][1] + c[0];
}
static void
swap(int *a) {
  int first = a[0];
  a[0] = a[1];
  a[1] = first;
}
static void
sum(const int *a, const int *b, int *s) {
  *s += a[0] * 3 + b[1];
}

static int memory[2 * (N + SHIFT)], plain[2 * (N + SHIFT)], table[3 * M];

static void
run_plain(int *s) {
  int *a = plain, *b = plain + 2 * SHIFT - 1, *c = plain + 4;
  for (int e = 0; e < N; e++) pass_on(a + 2 * e, b + 2 * e);
  for (int e = 0; e < N; e++) mix(a + 2 * e, b + 2 * e);
  for (int e = 0; e < M; e++) {
    int *p[3];
    for (int k = 0; k < 3; k++) p[k] = a + 2 * table[3 * e + k];
    corners(p, c + e);
  }
  for (int e = 0; e < M; e++)
    pass_on(a + 2 * table[3 * e], b + 2 * table[3 * e + 2]);
  for (int e = 0; e < N; e++) sum(a + 2 * e, b + 2 * e, s);
}

#define DAT(d, acc) op_arg_dat(d, -1, OP_ID, 2, "int", acc)

static op_set s, t;
static op_map of;
static op_dat a, b, c;

static void
run(int *total) {
  op_par_loop(pass_on, "pass_on", s, DAT(a, OP_RW), DAT(b, OP_RW));
  op_par_loop(mix, "mix", s, DAT(a, OP_RW), DAT(b, OP_RW));
  op_par_loop(corners, "corners", t, op_arg_dat(a, -3, of, 2, "int", OP_RW),
              op_arg_dat(c, -1, OP_ID, 1, "int", OP_RW));
  op_par_loop(pass_on, "far", t, op_arg_dat(a, 0, of, 2, "int", OP_RW),
              op_arg_dat(b, 2, of, 2, "int", OP_RW));
  op_par_loop(sum, "sum", s, DAT(a, OP_READ), DAT(b, OP_READ),
              op_arg_gbl(total, 1, "int", OP_INC));
}

int
main(void) {
  char program[] = "overlap", option[] = "OP_NO_REALLOC";
  char *argv[] = {program, option, NULL};
  int found = 0, expected = 0;
  check_start(2, argv);
  for (int i = 0; i < 2 * (N + SHIFT); i++) memory[i] = plain[i] = i * 5 % 17;
  for (int i = 0; i < 3 * M; i++) table[i] = i * 7 % N;
  s = op_decl_set(N, "s");
  t = op_decl_set(M, "t");
  of = op_decl_map(t, s, 3, table, "of");
  a = op_decl_dat(s, 2, "int", memory, "a");
  for (int round = 0; round < 3; round++) {
    if (round == 0) { /* what was on a device comes back for the others */
      op_par_loop(swap, "swap", s, DAT(a, OP_RW));
      for (int e = 0; e < N; e++) swap(plain + 2 * e);
      b = op_decl_dat(s, 2, "int", memory + 2 * SHIFT - 1, "b");
      c = op_decl_dat(t, 1, "int", memory + 4, "c");
    }
    run(&found);
    run_plain(&expected);
    CHECK_INT(found, expected);
    CHECK_INT(op2_target_push(round ? "openmp" : "seq"),
              0); /* on the host in between */
    run(&found);
    run_plain(&expected);
    op2_target_pop();
    int *view = op2_dat_data_rw(b);
    view[3] += 5;
    plain[2 * SHIFT + 2] += 5;
    run(&found);
    run_plain(&expected);
    CHECK_INT(found, expected);
    op2_sync(a);
    op2_sync(b);
    CHECK_INTS(memory, plain, 2 * (N + SHIFT) - 1);
  }
  return check_end();
}
