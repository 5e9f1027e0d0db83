/* Second names: of constants, helpers, kernels, and weak ones. */
#include "check.h"

enum { N = 8 };

double gam = 2;
extern double gam2 __attribute__((alias("gam")));
extern double gam3 __attribute__((weak, alias("gam")));

static double
helper(double x) {
  return x * 3;
}
static double helper2(double x) __attribute__((alias("helper")));

static void
scale(const double *x, double *y) {
  *y = *x * gam2 + helper2(*x) + gam3;
}
static void scale2(const double *x, double *y) __attribute__((alias("scale")));

static void
more(const double *x, double *y) {
  *y += *x * gam;
}

static void
loop(void (*kernel)(const double *, double *), op_dat x, op_dat y,
     op_access acc) {
  op_par_loop(kernel, "loop", x->set,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(y, -1, OP_ID, 1, "double", acc));
}

int
main(int argc, char **argv) {
  double v[N], out[N], want[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) v[e] = e;
  op_set s = op_decl_set(N, "s");
  op_dat x = op_decl_dat(s, 1, "double", v, "x");
  op_dat y = op_decl_dat(s, 1, "double", (double *)NULL, "y");
  for (int time = 0; time < 3; time++) {
    gam = 2 + time;
    loop(time & 1 ? scale2 : scale, x, y, OP_WRITE);
    loop(more, x, y, OP_RW);
    CHECK_PENDING(2);
    op_fetch_data(y, out);
    for (int e = 0; e < N; e++) want[e] = e * gam + e * 3 + gam + e * gam;
    CHECK_REALS(out, want, N);
  }
  return check_end();
}
