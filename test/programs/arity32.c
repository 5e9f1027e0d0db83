/* A map with 32 entries a row, by a vector argument and by single entries. */
#include "check.h"

enum { N = 40, M = 97, ARITY = 32 };

static void
sum_all(int **x, int *sum) {
  *sum = 0;
  for (int i = 0; i < ARITY; i++) *sum += (i + 1) * *x[i];
}
static void
add_all(const int *sum, int **x) {
  for (int i = 0; i < ARITY; i++) *x[i] += *sum % 1000 + i;
}
static void
ends(const int *first, const int *last, int *out) {
  *out += *last - *first;
}

int
main(int argc, char **argv) {
  static int map[N][ARITY], x[M], sum[N], found[M];
  check_start(argc, argv);
  for (int e = 0; e < N; e++)
    for (int i = 0; i < ARITY; i++) map[e][i] = (e * 13 + i * i) % M;
  for (int n = 0; n < M; n++) x[n] = n * n;
  op_set s = op_decl_set(N, "s"), t = op_decl_set(M, "t");
  op_map m = op_decl_map(s, t, ARITY, &map[0][0], "m");
  op_dat xd = op_decl_dat(t, 1, "int", x, "x");
  op_dat sd = op_decl_dat(s, 1, "int", (int *)NULL, "sum");

  op_par_loop(sum_all, "sum_all", s,
              op_arg_dat(xd, -ARITY, m, 1, "int", OP_READ),
              op_arg_dat(sd, -1, OP_ID, 1, "int", OP_WRITE));
  op_par_loop(add_all, "add_all", s,
              op_arg_dat(sd, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(xd, -ARITY, m, 1, "int", OP_INC));
  op_par_loop(ends, "ends", s, op_arg_dat(xd, 0, m, 1, "int", OP_READ),
              op_arg_dat(xd, ARITY - 1, m, 1, "int", OP_READ),
              op_arg_dat(sd, -1, OP_ID, 1, "int", OP_INC));
  for (int e = 0; e < N; e++)
    for (int i = 0; i < ARITY; i++) sum[e] += (i + 1) * x[map[e][i]];
  for (int e = 0; e < N; e++)
    for (int i = 0; i < ARITY; i++) x[map[e][i]] += sum[e] % 1000 + i;
  for (int e = 0; e < N; e++) sum[e] += x[map[e][ARITY - 1]] - x[map[e][0]];
  op_fetch_data(xd, found);
  CHECK_INTS(found, x, M);
  op_fetch_data(sd, found);
  CHECK_INTS(found, sum, N);
  return check_end();
}
