/* op2_kernel_pure: a kernel whose code cannot be read runs as its loops declare it, on
 * all threads, when it is needed. OP_WORK is scratch of each thread. */
#include "check.h"

enum { N = 3000, ROOM = 100 };

static double (*volatile chosen)(double); /* no code of this can be read */
static double
twice(double x) {
  return 2 * x;
}
static double gam = 1;

static void
flow(const double *a, const double *b, double *ra, double *rb) {
  double f = chosen(*b - *a);
  *ra += f;
  *rb -= f;
}
static void
through(double *w, const double *a, double *b) {
  for (int i = 0; i < 4; i++) w[i] = *a + i;
  *b = chosen(w[0] + w[3]) + gam;
}
static void
total(const double *a, double *s, double *most) {
  double v = chosen(*a);
  *s += v;
  if (v > *most) *most = v;
}
static void
scratch(const double *a, int *w, double *b) {
  for (int i = 0; i < ROOM; i++) w[i] = (int)*a + i;
  *b = w[0] + w[1] + w[ROOM - 1];
}

static int table[2 * N];
static double v[N], out[N], want[N];

int
main(int argc, char **argv) {
  double w[4] = {0}, sum = 0, most = -1, sum_want = 0;
  static int iw[ROOM] = {7, 8, 9};
  check_start(argc, argv);
  chosen = twice;
  op_decl_const(1, "double", &gam);
  CHECK_INT(op2_kernel_pure(flow), 0);
  CHECK_INT(op2_kernel_pure(through), 0);
  CHECK_INT(op2_kernel_pure(total), 0);
  op_set s = op_decl_set(N, "s"), e = op_decl_set(N, "e");
  for (int i = 0; i < N; i++) {
    v[i] = i % 50;
    table[2 * i] = i;
    table[2 * i + 1] = (i + 1) % N;
  }
  op_map ends = op_decl_map(e, s, 2, table, "ends");
  op_dat a = op_decl_dat(s, 1, "double", v, "a");
  op_dat b = op_decl_dat(s, 1, "double", (double *)NULL, "b");
  op_dat r = op_decl_dat(s, 1, "double", (double *)NULL, "r");
  op_par_loop(through, "through", s, op_arg_gbl(w, 4, "double", OP_WORK),
              op_arg_dat(a, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(flow, "flow", e, op_arg_dat(a, 0, ends, 1, "double", OP_READ),
              op_arg_dat(a, 1, ends, 1, "double", OP_READ),
              op_arg_dat(r, 0, ends, 1, "double", OP_INC),
              op_arg_dat(r, 1, ends, 1, "double", OP_INC));
  if (check_ir()) CHECK_PENDING(2); /* plain files keep dat->data current */
  gam = 100;                        /* the loop has the value at its call */
  op_fetch_data(b, out);
  for (int i = 0; i < N; i++) want[i] = 2 * (2 * v[i] + 3) + 1;
  CHECK_REALS(out, want, N);
  op_fetch_data(r, out);
  for (int i = 0; i < N; i++)
    want[i] = 2 * (v[(i + 1) % N] - v[i]) - 2 * (v[i] - v[(i + N - 1) % N]);
  CHECK_REALS(out, want, N);
  op_par_loop(total, "total", s, op_arg_dat(a, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC),
              op_arg_gbl(&most, 1, "double", OP_MAX));
  for (int i = 0; i < N; i++) sum_want += 2 * v[i];
  CHECK_REAL(sum, sum_want);
  CHECK_REAL(most, 98);
  op_par_loop(scratch, "scratch", s,
              op_arg_dat(a, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(iw, ROOM, "int", OP_WORK),
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
  if (check_ir()) CHECK_PENDING(1);
  op_fetch_data(b, out);
  for (int i = 0; i < N; i++) want[i] = 3 * v[i] + ROOM;
  CHECK_REALS(out, want, N);
  CHECK_INT(iw[0], 7);
  return check_end();
}
