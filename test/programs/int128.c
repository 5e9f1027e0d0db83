/* Kernels may use what processors have no instruction for, and compilers call
 * their runtime library for: integers of 128 bits, powers by an integer. What is
 * known when a kernel is compiled is what its text says. */
#include "check.h"

enum { N = 37 };

static int base = 7, power = 3;

static void
divide(const long *x, long *out) {
  __int128 q = *x;
  unsigned __int128 u = (unsigned __int128)*x << 60;
  out[0] = (long)(q * 1000003 * *x / base);
  out[1] = (long)(u % (unsigned __int128)(*x + base));
  out[2] = (long)(u / (unsigned __int128)(*x + base));
}
static void
raise(const double *x, double *out) {
  *out = (double)((__int128)*x << 70) + __builtin_powi(*x, power);
}
static void
know(const long *x, long *out) {
  out[0] += __builtin_constant_p(base) ? 100 : *x;
  out[1] += __builtin_constant_p(3) ? 100 : *x;
}

int
main(int argc, char **argv) {
  long x[N], want[3 * N], out[3 * N];
  double y[N], raised[N], got[N];
  check_start(argc, argv);
  op_decl_const(1, "int", &base);
  op_decl_const(1, "int", &power);
  for (int i = 0; i < N; i++) {
    x[i] = 1234567890123L * (i + 1);
    y[i] = 1 + 0.5 * i;
  }
  op_set set = op_decl_set(N, "set");
  op_dat dx = op_decl_dat(set, 1, "long", x, "x");
  op_dat dout = op_decl_dat(set, 3, "long", (long *)NULL, "out");
  op_dat dy = op_decl_dat(set, 1, "double", y, "y");
  op_dat dr = op_decl_dat(set, 1, "double", (double *)NULL, "raised");
  for (int step = 0; step < 3; step++) {
    power = 3 + step;
    for (int i = 0; i < N; i++) {
      divide(&x[i], &want[3 * i]);
      raise(&y[i], &raised[i]);
      want[3 * i] += x[i];
      want[3 * i + 1] += 100;
    }
    op_par_loop(divide, "divide", set,
                op_arg_dat(dx, -1, OP_ID, 1, "long", OP_READ),
                op_arg_dat(dout, -1, OP_ID, 3, "long", OP_WRITE));
    op_par_loop(raise, "raise", set,
                op_arg_dat(dy, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(dr, -1, OP_ID, 1, "double", OP_WRITE));
    op_par_loop(know, "know", set,
                op_arg_dat(dx, -1, OP_ID, 1, "long", OP_READ),
                op_arg_dat(dout, -1, OP_ID, 3, "long", OP_RW));
    op_fetch_data(dout, out);
    for (int i = 0; i < 3 * N; i++) CHECK_INT(out[i], want[i]);
    op_fetch_data(dr, got);
    CHECK_REALS(got, raised, N);
  }
  return check_end();
}
