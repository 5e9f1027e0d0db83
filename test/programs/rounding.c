/* Loops round as the program does at their calls, on all threads, whenever they
 * run: while it changes the mode, while it looks in another one; constants, too. */
#include "check.h"

#include <fenv.h>

enum { N = 4001 };

static double by = 3;

static void
divide(const double *x, double *y) {
  *y = *x / by;
}
static int parts;

/* The same through a loop over a number that is a constant. */
static void
divide_whole(double *y) {
  double part = 1.0 / parts;
  *y = 0;
  for (int k = 0; k < parts; k++) *y = part;
}
static void
number(double *x) {
  *x = 1;
}

static op_set s;
static op_dat x;

static op_dat
divided_in(int mode, const char *name) {
  op_dat y = op_decl_dat(s, 1, "double", (double *)NULL, name);
  fesetround(mode);
  op_par_loop(number, "number", s,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(divide, "divide", s,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(y, -1, OP_ID, 1, "double", OP_WRITE));
  return y;
}

static void
check_all(op_dat d, double want) {
  static double out[N];
  op_fetch_data(d, out);
  for (int e = 0; e < N; e++) CHECK_REAL(out[e], want);
}

int
main(int argc, char **argv) {
  volatile double one = 1, three = 3;
  static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                              FE_TONEAREST, FE_TOWARDZERO};
  static const char *const names[] = {"near", "up", "down", "again", "zero"};
  double want[5];
  op_dat d[5];
  check_start(argc, argv);
  s = op_decl_set(N, "s");
  x = op_decl_dat(s, 1, "double", (double *)NULL, "x");
  for (int i = 0; i < 5; i++) {
    fesetround(modes[i]);
    want[i] = one / three;
  }
  CHECK(want[1] > want[2]);
  parts = (int)three; /* compilers don't know it */
  fesetround(FE_TONEAREST);
  for (int i = 0; i < 5; i++) d[i] = divided_in(modes[i], names[i]);
  fesetround(FE_UPWARD); /* looking rounds nothing */
  for (int i = 0; i < 5; i++) check_all(d[i], want[i]);
  CHECK_INT(fegetround(), FE_UPWARD);

  op_dat y = op_decl_dat(s, 1, "double", (double *)NULL, "y");
  for (int i = 0; i < 5; i++) {
    fesetround(modes[i]);
    op_par_loop(divide_whole, "divide_whole", s,
                op_arg_dat(y, -1, OP_ID, 1, "double", OP_WRITE));
    check_all(y, want[i]);
  }

  /* what waits while the mode changes and nothing is called */
  fesetround(FE_TONEAREST);
  op_dat later = divided_in(FE_TONEAREST, "later");
  CHECK_PENDING(2);
  fesetround(FE_UPWARD);
  check_all(later, want[0]);
  fesetround(FE_TONEAREST);
  return check_end();
}
