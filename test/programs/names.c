/* Kernels, helpers, tables and constants may have any name: also those that
 * generated code, devices' builtins or LLVM have for things of their own. */
#include "check.h"

#include <math.h>

enum { N = 20 };

/* helpers under names of kernels, builtins and generated functions */
__attribute__((noinline)) static void
k0(const double *a, double *b) {
  *b = *a * *a;
}
__attribute__((noinline)) static double
blocks(double x) {
  return x + 1;
}
__attribute__((noinline)) static double
plain(double x) {
  return 2 * x;
}
__attribute__((noinline)) static double
_Z3expd(double x) {
  return 3 * x;
}
__attribute__((noinline)) static double
__nv_exp(double x) {
  return 5 * x;
}
__attribute__((noinline)) static unsigned
_Z13get_global_idj(unsigned i) {
  return i + 7;
}
static const double c0[4] = {1, 2, 4, 8};
static double op2_room = 0.5;
static const double op2_refs[2] = {10, 20};
static double slot[3] = {1, 2, 3};

/* kernels */
static void
k1(const double *a, double *b) {
  k0(a, b);
  *b = blocks(*b) + plain(*a);
}
static void
k2(const double *a, double *b) {
  *b = c0[(int)*a & 3] * op2_room;
}
static void
op2_region(const double *a, double *b) {
  *b += _Z3expd(*a) + __nv_exp(*a) + exp(0 * *a) +
        _Z13get_global_idj((unsigned)*a);
}
static void
op2_kernel(const double *a, double *b) {
  *b += op2_refs[(int)*a & 1] + slot[(int)*a % 3];
}
static void
op2_combine(const double *a, double *s) {
  *s += *a;
}

typedef void (*kernel)(const double *, double *);

static double
run(op_set s, op_dat a, op_dat b, const kernel *list, int n) {
  double sum = 0;
  op_par_loop(list[0], "first", s,
              op_arg_dat(a, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
  for (int i = 1; i < n; i++)
    op_par_loop(list[i], "next", s,
                op_arg_dat(a, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(b, -1, OP_ID, 1, "double", OP_RW));
  op_par_loop(op2_combine, "op2_combine", s,
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  return sum;
}

int
main(int argc, char **argv) {
  static const kernel all[] = {k1, op2_region, op2_kernel};
  static const kernel tables[] = {k2, op2_kernel};
  double v[N], want = 0;
  check_start(argc, argv);
  op_set s = op_decl_set(N, "s");
  for (int i = 0; i < N; i++) v[i] = i;
  op_dat a = op_decl_dat(s, 1, "double", v, "a");
  op_dat b = op_decl_dat(s, 1, "double", (double *)NULL, "b");
  for (int time = 0; time < 3; time++) {
    want = 0;
    op2_room = 0.5 + time; /* folded, then a parameter */
    slot[0] = time;
    for (int i = 0; i < N; i++)
      want += v[i] * v[i] + 1 + 10 * v[i] + 1 + (v[i] + 7) + op2_refs[i & 1] +
              slot[i % 3];
    CHECK_REAL(run(s, a, b, all, 3), want);
    want = 0;
    for (int i = 0; i < N; i++)
      want += c0[i & 3] * op2_room + op2_refs[i & 1] + slot[i % 3];
    CHECK_REAL(run(s, a, b, tables, 2), want);
  }
  return check_end();
}
