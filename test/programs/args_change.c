/* One statement whose map, entry and flag change from call to call, behind another
 * loop each time, so that the call that followed last time is expected: it must not
 * be taken for this one. */
#include "check.h"

enum { N = 30, STEPS = 24 };

static void
add_one(int *a) {
  *a += 1;
}
static void
add_far(const int *a, const int *far, int *b) {
  *b += far ? *a + 100 * *far : *a;
}

static op_set s;
static op_map maps[2];
static op_dat a, b;

static void
step(int map, int entry, int opt) {
  op_par_loop(add_one, "add_one", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW));
  op_par_loop(add_far, "add_far", s,
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
              op_opt_arg_dat(opt, a, entry, maps[map], 1, "int", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "int", OP_RW));
}

int
main(int argc, char **argv) {
  int init[N], out[N], want[N] = {0}, tables[2][2 * N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    init[e] = e;
    for (int m = 0; m < 2; m++)
      for (int j = 0; j < 2; j++)
        tables[m][2 * e + j] = (e + 1 + 2 * m + 5 * j) % N;
  }
  s = op_decl_set(N, "s");
  for (int m = 0; m < 2; m++)
    maps[m] = op_decl_map(s, s, 2, tables[m], m ? "m1" : "m0");
  a = op_decl_dat(s, 1, "int", init, "a");
  b = op_decl_dat(s, 1, "int", (int *)NULL, "b");
  for (int k = 0; k < STEPS; k++) {
    int part = k / 8, map = part == 0 && k % 2, entry = part == 1 && k % 2;
    int opt = part < 2 || k % 2; /* one of them at a time */
    step(map, entry, opt);
    for (int e = 0; e < N; e++)
      want[e] +=
          e + k + 1 + (opt ? 100 * (tables[map][2 * e + entry] + k + 1) : 0);
  }
  op_fetch_data(b, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], want[e]);
  return check_end();
}
