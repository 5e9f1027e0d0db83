/* What kernels use of the program and no copy can stand for: a constant whose length
 * only its own file knows, labels in a table. Such kernels run at their call. */
#include "check.h"

enum { N = 9 };

struct table {
  int n;
  double v[];
};
extern struct table table; /* more/opaque_data_table.c */

static void
by_table(const double *x, double *y) {
  *y = 0;
  for (int i = 0; i < table.n; i++) *y += table.v[i] * *x;
}

static void
by_own_labels(const double *x, double *y) {
  static void *jump[] = {&&zero, &&one, &&two};
  int v = (int)*x;
  goto *jump[v % 3];
zero:
  v += 10;
  goto end;
one:
  v *= 2;
  goto end;
two:
  v = -v;
end:
  *y = v;
}

static void
by_const_labels(const double *x, double *y) {
  static const void *const jump[] = {&&even, &&odd};
  goto *jump[(int)*x & 1];
even:
  *y = *x;
  return;
odd:
  *y = -*x;
}

static void
check_loop(op_dat x, op_dat y, void (*kernel)(const double *, double *)) {
  double out[N];
  op_par_loop(kernel, "kernel", x->set,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(y, -1, OP_ID, 1, "double", OP_WRITE));
  CHECK_INT(op2_pending(), 0);
  op_fetch_data(y, out);
  for (int e = 0; e < N; e++) {
    double v = e, want;
    kernel(&v, &want);
    CHECK_REAL(out[e], want);
  }
}

int
main(int argc, char **argv) {
  double v[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) v[e] = e;
  op_set s = op_decl_set(N, "s");
  op_dat x = op_decl_dat(s, 1, "double", v, "x");
  op_dat y = op_decl_dat(s, 1, "double", (double *)NULL, "y");
  check_loop(x, y, by_table);
  table.v[1] = 7;
  check_loop(x, y, by_table);
  check_loop(x, y, by_own_labels);
  check_loop(x, y, by_const_labels);
  return check_end();
}
