/* Kernels that call functions of the program's other files wait and run as one, as if
 * all stood in one file; each file's own functions and variables stay its own. */
#include "check.h"

enum { N = 12, WIDE = 2000 };

/* more/far_helpers_b.c */
double far_scale(double x);
double far_chain(double x, int depth);
void far_add(const double *x, double *y);
void far_drop(double *v); /* takes far_gain away, which nobody needs here */
extern double far_gain;
/* more/far_helpers_c.c */
double far_table(int i);
void far_kernel(const double *x, double *y);

static double local = 2; /* b has another one */

__attribute__((noinline)) static double
own(double x) { /* so has b */
  return x + local;
}

static void
first(const double *x, double *y) {
  *y = far_scale(*x) + own(*x) + far_gain;
}
static void
second(const double *x, double *y) {
  *y += far_chain(*x, 2) + far_table((int)*x % 4);
}
static void
third(const double *x, double *y) {
  far_add(x, y);
}

static void
idle(const double *x, double *y) {
  double v = *x;
  far_drop(&v);
  *y += *x;
}

static void
loop(void (*kernel)(const double *, double *), op_dat x, op_dat y,
     op_access acc) {
  op_par_loop(kernel, "kernel", x->set,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(y, -1, OP_ID, 1, "double", acc));
}

static void
shift_all(const double *x, double *y) {
  for (int c = 0; c < WIDE; c++) y[c] = x[WIDE - 1 - c] + 1;
}

/* Beside elements so large that not all is spelt out. */
static void
beside_large(op_set s, op_dat x, const double *v) {
  static double out[N * WIDE], one[N];
  op_dat a = op_decl_dat(s, WIDE, "double", (double *)NULL, "a");
  op_dat b = op_decl_dat(s, WIDE, "double", (double *)NULL, "b");
  op_dat z = op_decl_dat(s, 1, "double", (double *)NULL, "z");
  loop(idle, x, z, OP_RW);
  op_par_loop(shift_all, "shift_all", s,
              op_arg_dat(a, -1, OP_ID, WIDE, "double", OP_READ),
              op_arg_dat(b, -1, OP_ID, WIDE, "double", OP_WRITE));
  op2_flush();
  op_fetch_data(b, out);
  for (int i = 0; i < N * WIDE; i++) CHECK_REAL(out[i], 1);
  op_fetch_data(z, one);
  for (int e = 0; e < N; e++) CHECK_REAL(one[e], v[e]);
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
    far_gain = 1 + time;
    local = 2 * time;
    loop(first, x, y, OP_WRITE);
    loop(second, x, y, OP_RW);
    loop(third, x, y, OP_RW);
    loop(far_kernel, x, y, OP_RW);
    loop(idle, x, y, OP_RW);
    CHECK_PENDING(5);
    for (int e = 0; e < N; e++) {
      first(&v[e], &want[e]);
      second(&v[e], &want[e]);
      third(&v[e], &want[e]);
      far_kernel(&v[e], &want[e]);
      idle(&v[e], &want[e]);
    }
    far_gain = -1; /* loops have the value at their call */
    op_fetch_data(y, out);
    CHECK_REALS(out, want, N);
  }
  beside_large(s, x, v);
  return check_end();
}
