/* A loop that compiles on rank 0 and on no other: all refuse it, name the same cause,
 * and have the same left. The loops around it run; what goes over ranks still meets.
 *
 * RUN: 2
 * RUN: 3 OP2_EAGER=1
 * RUN: 3 OP2_REPRODUCIBLE=1
 * RUN: 4 OP2_CHECK=1 OP2_HALO_LIMIT=4
 */
#include "slice.h"

#include "../programs/check.h"
#include "../programs/errors.h"

enum { N = 60 };

static void
spread(const double *x, double *y) {
  *y += *x;
}

static void
twice(double *x) {
  *x *= 2;
}

static void
total(const double *x, double *sum) {
  *sum += *x;
}

/* Each rank's own text: functions that have effects as far as anybody knows. */
static int
source(void) {
  return op2_kernel_source(
      "here", op_is_root() ? "double drand48(void);\n"
                             "void here(const double *x, double *y) {\n"
                             "  *y = *x + drand48();\n"
                             "}\n"
                           : "double to_be_found_nowhere(void);\n"
                             "void here(const double *x, double *y) {\n"
                             "  *y = *x + to_be_found_nowhere();\n"
                             "}\n");
}

#define DAT(x, acc) op_arg_dat(x, -1, OP_ID, 1, "double", acc)

static double
sum_of(op_set nodes, op_dat x) {
  double sum = 0;
  op_par_loop(total, "total", nodes, DAT(x, OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  return sum;
}

int
main(int argc, char **argv) {
  static double ones[N], out[N];
  static int next[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    ones[e] = 1;
    next[e] = (e + 1) % N;
  }
  op_set nodes = op_decl_set(N, "nodes");
  op_map ring = op_decl_map(nodes, nodes, 1, next, "ring");
  op_dat a = op_decl_dat(nodes, 1, "double", ones, "a");
  op_dat b = op_decl_dat(nodes, 1, "double", ones, "b");
  op_dat c = op_decl_dat(nodes, 1, "double", ones, "c");
  op2_set_error_handler(on_error, NULL);
  CHECK_INT(source(), 0);
  for (int step = 1; step <= 3; step++) {
    op_par_loop(spread, "spread", nodes, DAT(a, OP_READ),
                op_arg_dat(c, 0, ring, 1, "double", OP_INC));
    op_par_loop(NULL, "here", nodes, DAT(a, OP_READ), DAT(b, OP_RW));
    CHECK_INT(errors, step);
    if (step == 1)
      CHECK(strstr(message, "refused.c:") && strstr(message, "loop here") &&
            strstr(message, "to_be_found_nowhere"));
    else
      CHECK(strstr(message, "\"b\" was lost"));
    op_par_loop(twice, "twice", nodes, DAT(c, OP_RW));
  }
  CHECK_REAL(sum_of(nodes, c), N * 22.0);
  op_fetch_data(c, out);
  CHECK_REAL(out[N - 1], 22);
  CHECK_INT(errors, 3);
  op2_sync(b);
  CHECK_INT(errors, 4);
  CHECK(strstr(message, "\"b\" was lost"));
  op_upload_dat(b);
  CHECK_REAL(sum_of(nodes, b), N);
  CHECK_INT(errors, 4);
  CHECK_INT(op2_pending(), 0);
  return check_end();
}
