/* Loops on several targets in one program: data follow, errors name what is
 * wrong. With a device (OP2_TARGET=opencl) pushes of it are mixed in; without
 * one "seq" and "openmp" are. */
#include "check.h"

enum { N = 1000 };

static void
twice(const double *a, double *b) {
  *b = 2 * *a;
}

static void
add(const double *a, double *b) {
  *b += *a;
}

static void
total(const double *a, double *sum, double *most) {
  *sum += *a;
  if (*a > *most) *most = *a;
}

static int failures;
static char message[512];
static void
note(int code, const char *text, void *user) {
  (void)user;
  (void)code;
  failures++;
  snprintf(message, sizeof message, "%s", text);
}

/* A target that is not there leaves things as they are and says what is. */
static void
wrong_targets(void) {
  op2_set_error_handler(note, NULL);
  CHECK(op2_target_push("abacus") == OP2_ERR_TARGET);
  CHECK(strstr(message, "abacus") && strstr(message, "openmp"));
  CHECK(op2_target_push("seq:1") == OP2_ERR_TARGET);
  CHECK(op2_target_push("opencl:99") == OP2_ERR_TARGET);
  CHECK(strstr(message, "opencl:99") || strstr(message, "libOpenCL"));
  CHECK(op2_target_pop() == OP2_ERR_STATE);
  CHECK(failures == 4);
  op2_set_error_handler(NULL, NULL);
}

/* a on the default target, b on `other`, and back, `rounds` times. */
static void
mixed(op_set set, op_dat a, op_dat b, const char *other, int rounds) {
  for (int k = 0; k < rounds; k++) {
    op_par_loop(twice, "twice", set,
                op_arg_dat(a, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
    CHECK(op2_target_push(other) == 0);
    op_par_loop(add, "add", set, op_arg_dat(b, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(a, -1, OP_ID, 1, "double", OP_RW));
    CHECK(op2_target_pop() == 0);
  }
}

/* OP2's words: genseq is seq; loops stay on the host while devices are switched off. */
static void
by_op2_names(op_set set, op_dat a, op_dat b) {
  CHECK(op2_target_push("genseq") == 0);
  CHECK(op2_target_pop() == 0);
  op2_flush();
  long long before = op2_counter("h2d");
  op_disable_device_execution(true);
  mixed(set, a, b, "openmp", 1);
  op_disable_device_execution(false);
  op2_flush();
  CHECK_INT(op2_counter("h2d"), before);
}

int
main(int argc, char **argv) {
  static double init[N], out[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) init[e] = e + 1;
  op_set set = op_decl_set(N, "set");
  op_dat a = op_decl_dat(set, 1, "double", init, "a");
  op_dat b = op_decl_dat(set, 1, "double", init, "b");
  wrong_targets();
  mixed(set, a, b, "seq", 2);
  mixed(set, a, b, "openmp", 1);
  by_op2_names(set, a, b);
  op_fetch_data(a, out);
  for (int e = 0; e < N; e++) CHECK(out[e] == 81.0 * init[e]);
  double sum = 0, most = -1;
  CHECK_INT(op2_target_push("openmp"), 0);
  op_par_loop(total, "total", set,
              op_arg_dat(a, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC),
              op_arg_gbl(&most, 1, "double", OP_MAX));
  op2_target_pop();
  CHECK(sum == 81.0 * N * (N + 1) / 2 && most == 81.0 * N);
  return check_end();
}
