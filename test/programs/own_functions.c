/* Which code runs under a name is the linker's choice: another file's definition in a
 * weak one's place, the program's own function in libm's. */
#include "check.h"

enum { N = 8 };

/* defined for good in more/own_functions_b.c */
__attribute__((weak)) void
replaced_kernel(const double *x, double *y) {
  *y = *x;
}
__attribute__((weak)) double
replaced_helper(double x) {
  return x;
}
double y0(double x); /* not libm's: counts its calls */
double j1(double x); /* nor this, which only computes */
extern int y0_calls;

/* weak, and nobody defines them anew */
__attribute__((weak)) void
weak_kernel(const double *x, double *y) {
  *y = 3 * *x;
}

static double
exp10(double x) {
  return x + 1;
}
static void
by_helper(const double *x, double *y) {
  *y = replaced_helper(*x);
}
static void
by_y0(const double *x, double *y) {
  *y = y0(*x);
}
static void
by_j1(const double *x, double *y) {
  *y = j1(*x);
}
static void
by_exp10(const double *x, double *y) {
  *y = exp10(*x);
}
static void
by_libm(const double *x, double *y) {
  *y = sqrt(*x * *x) + cbrt(*x * *x * *x) - floor(*x);
}

static void
check_loop(op_dat x, op_dat y, void (*kernel)(const double *, double *),
           int pending, double factor, double plus) {
  double out[N];
  op_par_loop(kernel, "kernel", x->set,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(y, -1, OP_ID, 1, "double", OP_WRITE));
  CHECK_PENDING(pending);
  op_fetch_data(y, out);
  for (int e = 0; e < N; e++) CHECK_NEAR(out[e], factor * e + plus, 1e-14);
}

int
main(int argc, char **argv) {
  double v[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) v[e] = e;
  op_set s = op_decl_set(N, "s");
  op_dat x = op_decl_dat(s, 1, "double", v, "x");
  op_dat y = op_decl_dat(s, 1, "double", (double *)NULL, "y");
  check_loop(x, y, by_libm, 1, 1, 0);
  check_loop(x, y, by_exp10, 1, 1, 1);
  check_loop(x, y, weak_kernel, 1, 3, 0);
  check_loop(x, y, replaced_kernel, 1, 10, 0);
  check_loop(x, y, by_helper, 1, 100, 0);
  check_loop(x, y, by_j1, 1, 10, 0);
  check_loop(x, y, by_y0, 0, 1, 100);
  CHECK_INT(y0_calls, N);
  return check_end();
}
