/* What a kernel computes does not depend on which kernels stand beside it: values
 * that only fusing makes known, products and sums that only fusing brings together,
 * fast math inside of kernels, fmin and minima of both zeros. Prints hashes of the
 * bits; the runner compares the modes. */
#include "check.h"

enum { N = 1003, DIM = 6 };

/* ---- operands that become known ------------------------------------------- */

static void
known(double *a) {
  a[0] = 0.1, a[1] = 0.3, a[2] = 2, a[3] = 1.7, a[4] = 0, a[5] = -1;
}
static void
use(const double *a, const double *x, double *y) {
  y[0] = a[0] * a[1] + (*x - 0.03);
  y[1] = pow(fabs(*x) + 1, a[2]);
  y[2] = exp(a[3]) + sin(a[3]) + tanh(a[3]) + pow(a[3], a[2]);
  y[3] = fmin(a[4], *x * 0) + fmax(*x * 0, a[4]); /* *x is negative or 0 */
  y[4] = fmin(*x, 1) - a[5] * *x;
  y[5] = cbrt(a[3]) * atan2(a[0], a[1]);
}

/* ---- a product in one kernel, a sum in the next ---------------------------- */

static void
product(const double *a, const double *b, double *c) {
#ifdef __clang__
#pragma clang fp contract(fast) reassociate(on)
#endif
  *c = *a * *b;
}
static void
sum(const double *c, const double *x, double *y) {
#ifdef __clang__
#pragma clang fp contract(fast) reassociate(on)
#endif
  *y = *c + *x;
}
/* Flags of one kernel: in vectors and at ragged ends the same. */
static void
within(const double *a, const double *b, double *y) {
#ifdef __clang__
#pragma clang fp contract(fast) reassociate(on)
#endif
  double s = 0;
  for (int k = 0; k < 40; k++) s += *a * k + *b;
  *y += s / (*a * *b + 0.3) + (*a - *b) / *b;
}

static op_set s;

static op_dat
doubles(int dim, double *values, const char *name) {
  return op_decl_dat(s, dim, "double", values, name);
}

static void
print_bits(op_dat d, const char *name) {
  static double out[N * DIM];
  op_fetch_data(d, out);
  const char *target = getenv("OP2_TARGET");
  bool device = target && strcmp(target, "seq") && strcmp(target, "openmp");
  printf("%s %s %016llx\n", device ? "device" : "bits", name,
         (unsigned long long)check_hash(out, (size_t)d->dim * N * sizeof *out,
                                        0));
}

static void
check_known(void) {
  static double x[N];
  for (int e = 0; e < N; e++) x[e] = -1e-3 * (e % 7) * (e % 3);
  op_dat a = doubles(DIM, NULL, "a"), y = doubles(DIM, NULL, "y");
  op_dat dx = doubles(1, x, "x");
  op_par_loop(known, "known", s,
              op_arg_dat(a, -1, OP_ID, DIM, "double", OP_WRITE));
  op_par_loop(use, "use", s, op_arg_dat(a, -1, OP_ID, DIM, "double", OP_READ),
              op_arg_dat(dx, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(y, -1, OP_ID, DIM, "double", OP_WRITE));
  print_bits(y, "known");
}

static void
check_products(void) {
  static double a[N], b[N], x[N], out[N];
  for (int e = 0; e < N; e++) {
    volatile double c = (1 + e / 3.0) * (1 / (1 + e / 7.0));
    a[e] = 1 + e / 3.0;
    b[e] = 1 / (1 + e / 7.0);
    x[e] = -c;
  }
  op_dat da = doubles(1, a, "pa"), db = doubles(1, b, "pb");
  op_dat dx = doubles(1, x, "px"), c = doubles(1, NULL, "pc"),
         y = doubles(1, NULL, "py");
  op_par_loop(product, "product", s,
              op_arg_dat(da, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(db, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(c, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(sum, "sum", s, op_arg_dat(c, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(dx, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(y, -1, OP_ID, 1, "double", OP_WRITE));
  op_fetch_data(y, out);
  for (int e = 0; e < N; e++) CHECK_REAL(out[e], 0);
  op_par_loop(within, "within", s,
              op_arg_dat(da, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(db, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(y, -1, OP_ID, 1, "double", OP_RW));
  print_bits(y, "products");
}

/* ---- both zeros ------------------------------------------------------------ */

static void
least(const double *x, double *min, double *max) {
  *min = fmin(*min, *x);
  *max = *x > *max ? *x : *max;
}

/* -0 is the smaller one, wherever it stands. */
static void
check_zeros(void) {
  for (int at = 0; at < N; at += 77) {
    static double x[N];
    for (int e = 0; e < N; e++) x[e] = e == at ? -0.0 : 0.0;
    op_dat d = doubles(1, x, "zeros");
    double min = HUGE_VAL, max = -HUGE_VAL;
    op_par_loop(least, "least", s,
                op_arg_dat(d, -1, OP_ID, 1, "double", OP_READ),
                op_arg_gbl(&min, 1, "double", OP_MIN),
                op_arg_gbl(&max, 1, "double", OP_MAX));
    CHECK(min == 0 && max == 0);
    CHECK(!check_ir() || (signbit(min) && !signbit(max)));
  }
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  s = op_decl_set(N, "s");
  check_known();
  check_products();
  check_zeros();
  return check_end();
}
