/* A loop that cannot be compiled (its kernel calls a function that is nowhere) goes
 * alone: the error names it, once; what it and those that want its results would have
 * written is lost; loops before it still see the values from before, all else runs
 * and can be looked at. One that only a device does not take (j0) is refused there,
 * or runs on the host. */
#include "check.h"
#include "errors.h"

enum { N = 40 };

static void
put(const double *x, double *y) {
  *y = 2 * *x;
}

static void
add(const double *x, double *y) {
  *y += *x;
}

static void
total(const double *x, double *sum) {
  *sum += *x;
}

static void
bessel(const double *x, double *y) {
  *y += j0(*x);
}

static double values[N];
static op_set s;
static op_dat a, b, c, d;
static op2_gbl sum;

#define DAT(x, acc) op_arg_dat(x, -1, OP_ID, 1, "double", acc)
#define LOOP(kernel, x, y, acc)                                                \
  op_par_loop(kernel, #kernel, s, DAT(x, OP_READ), DAT(y, acc))

/* On the host: a device is asked at the call. Returns its line. */
static int
run_nowhere(op_dat x, op_dat y) {
  CHECK_INT(op2_target_push("openmp"), 0);
  const int line = __LINE__ + 1;
  op_par_loop(NULL, "nowhere", s, DAT(x, OP_READ), DAT(y, OP_RW));
  CHECK_INT(op2_target_pop(), 0);
  return line;
}

/* One error more, that holds these words. */
static void
expect_error(int before, int status, const char *one, const char *other) {
  CHECK_INT(errors, before + 1);
  CHECK_INT(code, status);
  if (!strstr(message, one) || !strstr(message, other))
    check_fail(__FILE__, __LINE__, "expected \"%s\" and \"%s\", found %s", one,
               other, message);
}

static void
look(op_dat x, double factor) {
  double out[N];
  int before = errors;
  op_fetch_data(x, out);
  if (errors != before) check_fail(__FILE__, __LINE__, "error: %s", message);
  for (int e = 0; e < N; e++) CHECK_REAL(out[e], factor * values[e]);
}

static void
look_lost(op_dat x, const char *lost) {
  double out[N];
  int before = errors;
  op_fetch_data(x, out);
  expect_error(before, OP2_ERR_COMPILE, lost, "loop nowhere");
}

/* b is half the way of the program's; c wants it. */
static void
refused_dat(void) {
  char where[64];
  int before = errors;
  LOOP(put, a, b, OP_WRITE); /* b = 2 */
  LOOP(add, b, d, OP_RW);    /* d = 3: sees b before */
  int line = run_nowhere(a, b);
  snprintf(where, sizeof where, "refused.c:%d: loop nowhere", line);
  expect_error(before, OP2_ERR_COMPILE, where, "dropped");
  look(d, 3);
  look_lost(b, "\"b\" was lost");
  before = errors;
  LOOP(add, b, c, OP_RW);
  expect_error(before, OP2_ERR_COMPILE, "\"add\"", "\"b\" was lost");
  look(c, 1);
  look(a, 1);
  op_par_loop(NULL, "double_of", s, DAT(c, OP_READ), DAT(b, OP_WRITE));
  LOOP(add, a, b, OP_RW);
  look(b, 3);
  op2_flush();
  CHECK_INT(errors, before + 1);
  CHECK_INT(op2_pending(), 0);
}

static void
refused_global(void) {
  double value = 0, raw = 7;
  int before = errors;
  CHECK_INT(op2_target_push("openmp"), 0);
  op_par_loop(total, "total", s, DAT(a, OP_READ),
              op2_arg_gbl(sum, 1, "double", OP_INC));
  op_par_loop(NULL, "nowhere_sum", s, DAT(a, OP_READ),
              op2_arg_gbl(sum, 1, "double", OP_RW),
              op_arg_gbl(&raw, 1, "double", OP_RW));
  expect_error(before, OP2_ERR_COMPILE, "loop nowhere_sum", "nowhere");
  CHECK_INT(op2_target_pop(), 0);
  CHECK_REAL(raw, 7);
  op2_gbl_get(sum, &value);
  expect_error(before + 1, OP2_ERR_COMPILE, "\"sum\" was lost", "nowhere_sum");
  value = 1;
  op2_gbl_set(sum, &value);
  op2_gbl_get(sum, &value);
  CHECK_REAL(value, 1);
  CHECK_INT(errors, before + 2);
}

/* Loops around one that perhaps only the host takes; in one region with them. */
static void
refused_by_device(void) {
  double out[N], was[N];
  int before = errors;
  op_fetch_data(c, was);
  LOOP(put, a, b, OP_WRITE);
  LOOP(bessel, a, c, OP_RW);
  LOOP(add, a, d, OP_RW);
  op2_flush();
  CHECK_INT(op2_pending(), 0);
  look(b, 2);
  look(d, 4);
  if (errors > before) {
    expect_error(before, OP2_ERR_COMPILE, "loop bessel", "refused.c:");
    op_fetch_data(c, out);
    expect_error(before + 1, OP2_ERR_COMPILE, "\"c\" was lost", "bessel");
    return;
  }
  op_fetch_data(c, out);
  for (int e = 0; e < N; e++) CHECK_NEAR(out[e], was[e] + j0(values[e]), 1e-14);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  for (int e = 0; e < N; e++) values[e] = 1 + 0.25 * e;
  s = op_decl_set(N, "s");
  a = op_decl_dat(s, 1, "double", values, "a");
  b = op_decl_dat(s, 1, "double", values, "b");
  c = op_decl_dat(s, 1, "double", values, "c");
  d = op_decl_dat(s, 1, "double", values, "d");
  sum = op2_decl_gbl(1, "double", NULL, "sum");
  op2_set_error_handler(on_error, NULL);
  CHECK_INT(op2_kernel_source("nowhere",
                              "double to_be_found_nowhere(double);\n"
                              "void nowhere(const double *x, double *y) {\n"
                              "  *y += to_be_found_nowhere(*x);\n"
                              "}\n"),
            0);
  CHECK_INT(op2_kernel_source(
                "nowhere_sum",
                "double to_be_found_nowhere(double);\n"
                "void nowhere_sum(const double *x, double *s, double *t) {\n"
                "  *s += to_be_found_nowhere(*x);\n"
                "  *t = *s;\n"
                "}\n"),
            0);
  CHECK_INT(op2_kernel_source("double_of", /* seen to write all */
                              "void double_of(const double *x, double *y) {\n"
                              "  *y = 2 * *x;\n"
                              "}\n"),
            0);
  refused_dat();
  refused_global();
  refused_by_device();
  return check_end();
}
