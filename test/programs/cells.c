/* Globals whose values stay where loops ran: an iteration that needs its own sums, as
 * conjugate gradients do, looks at none of them; loops on the host and on a device
 * take turns with one global; what is captured goes along. On a device nothing is
 * copied but what has changed or is looked at. */
#include "check.h"

enum { N = 300, ROUNDS = 12, WIDE = 80 };

static op_set s;
static op_dat a, b;

static void
dot(const double *x, const double *y, double *sum) {
  *sum += *x * *y;
}
static void
step(const double *sum, const double *scale, const double *x, double *y) {
  *y = *scale * *y + *x / (1 + *sum);
}
static void
most(const double *y, double *max) {
  if (*y > *max) *max = *y;
}
static void
pick(const double *wide, const int *e, double *y) {
  *y += wide[*e % WIDE];
}
static void
shrink(const double *max, double *y) {
  if (*y > *max / 2) *y /= 4;
}

static int
on_device(void) {
  const char *target = getenv("OP2_TARGET");
  return target && !strncmp(target, "opencl", 6) && check_ir() &&
         check_ranks() == 1;
}

/* One round, here and in `x`, `y`, `sum`: sums of small integers and halves, so that
 * their order does not matter. */
static void
round_of(op2_gbl sum, double scale, const double *x, double *y, double *want) {
  op_par_loop(dot, "dot", s, op_arg_dat(a, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(a, -1, OP_ID, 1, "double", OP_READ),
              op2_arg_gbl(sum, 1, "double", OP_INC));
  op_par_loop(step, "step", s, op2_arg_gbl(sum, 1, "double", OP_READ),
              op_arg_gbl(&scale, 1, "double", OP_READ),
              op_arg_dat(a, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_RW));
  op2_flush();
  for (int e = 0; e < N; e++) *want += x[e] * x[e];
  for (int e = 0; e < N; e++) y[e] = scale * y[e] + x[e] / (1 + *want);
}

/* Bytes that went either way. */
static long long
moved(void) {
  return op2_counter("upload_other_bytes") +
         op2_counter("download_other_bytes");
}

static void
sums_stay(const double *x, double *y) {
  double want = 4, value = 4;
  long long before = 0;
  op2_gbl sum = op2_decl_gbl(1, "double", &value, "sum");
  for (int k = 0; k < ROUNDS; k++) {
    round_of(sum, k < ROUNDS / 2 ? 0.5 : 0.25, x, y, &want);
    if (k == 1) before = moved();
  }
  if (on_device()) CHECK_INT(moved(), before);
  op2_gbl_get(sum, &value);
  CHECK_REAL(value, want);
  if (on_device()) CHECK_INT(moved(), before + 8);
  op2_gbl_get(sum, &value);
  CHECK_REAL(value, want);
  value = want = 1;
  op2_gbl_set(sum, &value);
  round_of(sum, 0.5, x, y, &want);
  if (on_device()) CHECK_INT(moved(), before + 8); /* it starts from a word */
  op2_free_gbl(sum);
}

/* A table of captured values that is too large to be arguments. */
static void
wide_values(double *y) {
  double wide[WIDE];
  long long before = 0;
  for (int k = 0; k < WIDE; k++) wide[k] = k;
  for (int k = 0; k < ROUNDS; k++) {
    if (k == ROUNDS / 2) wide[3] = 100;
    op_par_loop(pick, "pick", s, op_arg_gbl(wide, WIDE, "double", OP_READ),
                op_arg_idx(-1, OP_ID),
                op_arg_dat(b, -1, OP_ID, 1, "double", OP_RW));
    op2_flush();
    for (int e = 0; e < N; e++) y[e] += wide[e % WIDE];
    if (k == 0) before = moved();
    if (on_device() && k < ROUNDS / 2) CHECK_INT(moved(), before);
  }
  if (on_device()) CHECK_INT(moved(), before + (long long)sizeof wide);
}

/* The extreme, found and used on the host and on the device by turns. */
static void
by_turns(double *y) {
  double max = -1, want = -1;
  op2_gbl peak = op2_decl_gbl(1, "double", &max, "peak");
  for (int k = 0; k < 6; k++) {
    if (k % 2) CHECK(op2_target_push("seq") == 0);
    op_par_loop(most, "most", s, op_arg_dat(b, -1, OP_ID, 1, "double", OP_READ),
                op2_arg_gbl(peak, 1, "double", OP_MAX));
    if (k % 2) CHECK(op2_target_pop() == 0);
    if (k > 2) CHECK(op2_target_push("seq") == 0);
    op_par_loop(shrink, "shrink", s, op2_arg_gbl(peak, 1, "double", OP_READ),
                op_arg_dat(b, -1, OP_ID, 1, "double", OP_RW));
    if (k > 2) CHECK(op2_target_pop() == 0);
    op2_flush();
    for (int e = 0; e < N; e++) most(&y[e], &want);
    for (int e = 0; e < N; e++) shrink(&want, &y[e]);
  }
  op2_gbl_get(peak, &max);
  CHECK_REAL(max, want);
  op2_free_gbl(peak);
}

int
main(int argc, char **argv) {
  static double x[N], y[N], out[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) x[e] = e % 7 - 2.5, y[e] = e % 11;
  s = op_decl_set(N, "s");
  a = op_decl_dat(s, 1, "double", x, "a");
  b = op_decl_dat(s, 1, "double", y, "b");
  sums_stay(x, y);
  wide_values(y);
  by_turns(y);
  op_fetch_data(b, out);
  for (int e = 0; e < N; e++) CHECK_NEAR(out[e], y[e], 1e-14);
  return check_end();
}
