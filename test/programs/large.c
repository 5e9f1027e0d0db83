/* Elements larger than a stack, direct and through a map; large scratch; a global of
 * 160 KB that is read where it lies. Arrays of variable length. */
#include "check.h"

enum { N = 2, D = 1200000, M = 333, TABLE = 20000 };

static void
add(const double *a, double *b) {
  for (int i = 0; i < D; i++) b[i] += a[i];
}
static void
swap(const double *a, double *b, double *work) {
  for (int i = 0; i < D; i++) work[i] = 2 * a[i];
  for (int i = 0; i < D; i++) b[i] = work[D - 1 - i];
}
static void
look_up(const double *table, const int *i, double *y) {
  *y = table[*i * 7 % TABLE] + table[TABLE - 1 - *i];
}
static void
lengths(const int *i, double *y) {
  int n = *i % 5 + 1;
  double t[n];
  for (int k = 0; k < n; k++) t[k] = k * *y;
  *y = t[n - 1] + t[n / 2];
}

static void
check_large(void) {
  double *x = malloc(sizeof *x * N * D), *out = malloc(sizeof *out * N * D);
  int other[N] = {1, 0};
  for (int i = 0; i < N * D; i++) x[i] = i;
  op_set s = op_decl_set(N, "s");
  op_map m = op_decl_map(s, s, 1, other, "m");
  op_dat a = op_decl_dat(s, D, "double", x, "a");
  op_dat b = op_decl_dat(s, D, "double", (double *)NULL, "b");
  op_dat c = op_decl_dat(s, D, "double", (double *)NULL, "c");
  op_par_loop(add, "add", s, op_arg_dat(a, -1, OP_ID, D, "double", OP_READ),
              op_arg_dat(b, -1, OP_ID, D, "double", OP_RW));
  op_par_loop(swap, "swap", s, op_arg_dat(b, -1, OP_ID, D, "double", OP_READ),
              op_arg_dat(c, 0, m, D, "double", OP_WRITE),
              op_arg_gbl(out, D, "double", OP_WORK));
  op_fetch_data(c, out);
  for (int e = 0; e < N; e++)
    for (int i = 0; i < D; i++)
      CHECK_REAL(out[other[e] * D + i], 2 * x[e * D + D - 1 - i]);
  free(x);
  free(out);
}

static void
check_table(void) {
  static double table[TABLE], y[M];
  static int index[M];
  for (int i = 0; i < TABLE; i++) table[i] = i * 0.5;
  for (int i = 0; i < M; i++) index[i] = i;
  op_set s = op_decl_set(M, "t");
  op_dat di = op_decl_dat(s, 1, "int", index, "i");
  op_dat dy = op_decl_dat(s, 1, "double", (double *)NULL, "y");
  op_par_loop(look_up, "look_up", s,
              op_arg_gbl(table, TABLE, "double", OP_READ),
              op_arg_dat(di, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(dy, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(lengths, "lengths", s,
              op_arg_dat(di, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(dy, -1, OP_ID, 1, "double", OP_RW));
  op_fetch_data(dy, y);
  for (int i = 0; i < M; i++) {
    double want;
    look_up(table, &index[i], &want);
    lengths(&index[i], &want);
    CHECK_REAL(y[i], want);
  }
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  check_table();
  check_large();
  return check_end();
}
