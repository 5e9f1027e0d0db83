/* A map row may name a target twice: increments add up, and the arguments of RW
 * see one value, as pointers into one array would. */
#include "check.h"

enum { N = 30, M = 30 };

static void
both(int *x, int *y) {
  *x += 1;
  *y += 10;
}
static void
in_turn(int *x, int *y) {
  *x = *x + 3;
  *y = *y * 2;
}
static void
vector(int **x) {
  x[0][0] += 5;
  x[1][0] *= 3;
}

int
main(int argc, char **argv) {
  int map[N][2], want[M], out[M];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    map[e][0] = e;
    map[e][1] = e % 3 == 0 ? e : (e * 7 + 1) % M;
  }
  op_set s = op_decl_set(N, "s"), t = op_decl_set(M, "t");
  op_map m = op_decl_map(s, t, 2, &map[0][0], "m");
  for (int e = 0; e < M; e++) want[e] = e + 1;
  op_dat a = op_decl_dat(t, 1, "int", want, "a");

  op_par_loop(both, "both", s, op_arg_dat(a, 0, m, 1, "int", OP_INC),
              op_arg_dat(a, 1, m, 1, "int", OP_INC));
  for (int e = 0; e < N; e++) both(want + map[e][0], want + map[e][1]);
  op_fetch_data(a, out);
  CHECK_INTS(out, want, M);

  for (int e = 0; e < N; e++) map[e][1] = map[e][0]; /* rows apart */
  op_map own = op_decl_map(s, t, 2, &map[0][0], "own");
  op_par_loop(in_turn, "in_turn", s, op_arg_dat(a, 0, own, 1, "int", OP_RW),
              op_arg_dat(a, 1, own, 1, "int", OP_RW));
  op_par_loop(vector, "vector", s, op_arg_dat(a, -2, own, 1, "int", OP_RW));
  for (int e = 0; e < N; e++) {
    int *both_of_them[2] = {want + e, want + e};
    in_turn(want + e, want + e);
    vector(both_of_them);
  }
  op_fetch_data(a, out);
  CHECK_INTS(out, want, M);
  return check_end();
}
