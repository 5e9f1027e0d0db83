/* OP_WRITE that leaves something out keeps the old values there: components,
 * branches, elements that the map does not reach. */
#include "check.h"

enum { N = 48, M = 10 };

static void
first_only(int *a) {
  a[0] = 7;
}
static void
even_only(const int *e, int *a) {
  if (*e % 2 == 0) a[1] = 8;
}
static void
through(int *a) {
  a[0] = a[1] = 9;
}
static void
all(int *a) {
  a[0] = 1;
  a[1] = 2;
}

static op_set s, t;
static op_map m;
static op_dat a;

static void
expect(int (*want)(int e, int c), int line) {
  int out[N][2];
  op_fetch_data(a, &out[0][0]);
  for (int e = 0; e < N; e++)
    for (int c = 0; c < 2; c++)
      if (out[e][c] != want(e, c))
        check_fail(__FILE__, line, "a[%d][%d] is %d, expected %d", e, c,
                   out[e][c], want(e, c));
}

static int
after_first(int e, int c) {
  return c == 0 ? 7 : -e;
}
static int
after_even(int e, int c) {
  return c == 1 && e % 2 == 0 ? 8 : after_first(e, c);
}
static int
after_through(int e, int c) {
  return e % 4 == 3 && e < 4 * M ? 9 : after_even(e, c);
}
static int
after_all(int e, int c) {
  (void)e;
  return c + 1;
}

int
main(int argc, char **argv) {
  int init[N][2], map[M];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) init[e][0] = init[e][1] = -e;
  for (int e = 0; e < M; e++) map[e] = 4 * e + 3;
  s = op_decl_set(N, "s");
  t = op_decl_set(M, "t");
  m = op_decl_map(t, s, 1, map, "m");
  a = op_decl_dat(s, 2, "int", &init[0][0], "a");
  op_par_loop(first_only, "first_only", s,
              op_arg_dat(a, -1, OP_ID, 2, "int", OP_WRITE));
  expect(after_first, __LINE__);
  op_par_loop(even_only, "even_only", s, op_arg_idx(-1, OP_ID),
              op_arg_dat(a, -1, OP_ID, 2, "int", OP_WRITE));
  op_par_loop(through, "through", t, op_arg_dat(a, 0, m, 2, "int", OP_WRITE));
  expect(after_through, __LINE__);
  op_par_loop(all, "all", s, op_arg_dat(a, -1, OP_ID, 2, "int", OP_WRITE));
  expect(after_all, __LINE__);
  return check_end();
}
