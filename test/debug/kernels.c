/* What a debugger and a sanitizer should see of kernels: test/debug/run.sh.
 *
 *   kernels        four loops, of which the first two are fused
 *   kernels past   the third reads a table of the program beyond its end */
#include <stdio.h>

#include "op2.h"

enum { N = 20 };

static int table[8], past;

static void
put(double *x, const int *i) {
  *x = 20 * *i;
}
static void
halve(double *x) {
  *x *= 0.5; /* fused */
}
static void
turn(const double *a, const double *b, double *to) {
  double slope = b[0] - a[0];
  to[0] += slope + table[past]; /* stop here */
}
static void
add(const double *x, double *sum) {
  *sum += *x;
}

int
main(int argc, char **argv) {
  static int ends[2 * N];
  static double zero[N];
  double sum = 0;
  for (int e = 0; e < N; e++) {
    ends[2 * e] = e;
    ends[2 * e + 1] = (e + 1) % N;
  }
  past = argc > 1 ? 9 : 0;
  op_init(argc, argv, 0);
  op_set s = op_decl_set(N, "s");
  op_map m = op_decl_map(s, s, 2, ends, "ends");
  op_dat x = op_decl_dat(s, 1, "double", zero, "x");
  op_dat y = op_decl_dat(s, 1, "double", zero, "y");
  op_par_loop(put, "put", s, op_arg_dat(x, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_idx(-1, OP_ID));
  op_par_loop(halve, "halve", s, op_arg_dat(x, -1, OP_ID, 1, "double", OP_RW));
  op_par_loop(turn, "turn", s, op_arg_dat(x, 0, m, 1, "double", OP_READ),
              op_arg_dat(x, 1, m, 1, "double", OP_READ),
              op_arg_dat(y, 0, m, 1, "double", OP_INC));
  op_par_loop(add, "add", s, op_arg_dat(y, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  printf("sum %g\n", sum);
  op_exit();
}
