/* MIN and MAX of globals with several components, floating and integer, each
 * component for itself; sums of several components beside them. */
#include "check.h"

enum { N = 777 };

static void
extremes(const double *v, const int *w, double *low, double *high, int *wlow,
         int *whigh, long long *sum) {
  for (int c = 0; c < 3; c++) {
    low[c] = v[c] < low[c] ? v[c] : low[c];
    high[c] = v[c] > high[c] ? v[c] : high[c];
    sum[c] += (long long)w[0] * (c + 1);
  }
  for (int c = 0; c < 2; c++) {
    wlow[c] = w[c] < wlow[c] ? w[c] : wlow[c];
    whigh[c] = w[c] > whigh[c] ? w[c] : whigh[c];
  }
}

int
main(int argc, char **argv) {
  static double v[N][3];
  static int w[N][2];
  double low[3] = {1e9, 1e9, -1e9}, high[3] = {-1e9, 1e9, -1e9};
  int wlow[2] = {1 << 30, 1 << 30}, whigh[2] = {-9999, -9999};
  long long sum[3] = {0, 1, 2}, total = 0;
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    for (int c = 0; c < 3; c++) v[e][c] = (e * 31 + c * 7) % N - 100.5;
    w[e][0] = e * 3 - 1000;
    w[e][1] = -e;
    total += w[e][0];
  }
  op_set s = op_decl_set(N, "s");
  op_dat vd = op_decl_dat(s, 3, "double", &v[0][0], "v");
  op_dat wd = op_decl_dat(s, 2, "int", &w[0][0], "w");
  op_par_loop(
      extremes, "extremes", s, op_arg_dat(vd, -1, OP_ID, 3, "double", OP_READ),
      op_arg_dat(wd, -1, OP_ID, 2, "int", OP_READ),
      op_arg_gbl(low, 3, "double", OP_MIN),
      op_arg_gbl(high, 3, "double", OP_MAX), op_arg_gbl(wlow, 2, "int", OP_MIN),
      op_arg_gbl(whigh, 2, "int", OP_MAX), op_arg_gbl(sum, 3, "ll", OP_INC));
  CHECK_REALS(low, ((double[]){-100.5, -100.5, -1e9}), 3);
  CHECK_REALS(high, ((double[]){N - 101.5, 1e9, N - 101.5}), 3);
  CHECK_INTS(wlow, ((int[]){-1000, -(N - 1)}), 2);
  CHECK_INTS(whigh, ((int[]){3 * (N - 1) - 1000, 0}), 2);
  for (int c = 0; c < 3; c++) CHECK_INT(sum[c], c + total * (c + 1));
  return check_end();
}
