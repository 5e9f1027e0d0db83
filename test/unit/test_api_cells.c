/* Globals and captured values on a device (the mock CUDA driver, whose kernels do
 * nothing): what goes up and comes back, and who waits. */
#include "../mock/libcuda.h"

#include "op2.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8, WIDE = 40 };

static struct mock_cuda *mock;
static char message[1024];
static op_set cells;
static op_dat a, b;
static op2_gbl sum;

static void
on_error(int status, const char *text, void *user) {
  (void)status, (void)user;
  snprintf(message, sizeof message, "%s", text);
}

static void
source(const char *name, const char *text) {
  cr_assert_eq(op2_kernel_source(name, text), 0, "%s", message);
}

static void
start_with(const char *graphs) {
  void *library =
      dlopen(OP2_BUILD_DIR "/test/mock/libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  cr_assert(library, "%s", dlerror());
  mock = dlsym(library, "mock_cuda");
  setenv("OP2_TARGET", "cuda", 1);
  setenv("OP2_CACHE", "0", 1);
  setenv("OP2_LOG", "0", 1);
  setenv("OP2_DEVICE_TIMES", "0", 1);
  setenv("OP2_CUDA_GRAPHS", graphs, 1);
  op2_set_error_handler(on_error, NULL);
  op_init(0, NULL, 0);
  source("total", "void total(const double *x, double *s) { *s += *x; }");
  source("scale", "void scale(const double *f, double *y) { *y *= *f; }");
  source("wide", "void wide(const double *f, const int *e, double *y) "
                 "{ *y = f[*e]; }");
  source("least",
         "void least(const double *x, const int *e, double *m, int *at)"
         "{ if (*x < *m) { *m = *x; *at = *e; } }");
  static double values[N] = {1, 2, 3, 4, 5, 6, 7, 8};
  cells = op_decl_set(N, "cells");
  a = op_decl_dat(cells, 1, "double", values, "a");
  b = op_decl_dat(cells, 1, "double", values, "b");
  sum = op2_decl_gbl(1, "double", NULL, "sum");
  cr_assert_str_empty(message, "%s", message);
}

static void
start(void) {
  start_with("0");
}

static void
end(void) {
  op_exit();
  cr_assert_str_empty(message, "%s", message);
  cr_assert_str_empty(mock->broken, "%s", mock->broken);
  cr_assert_eq(mock->mems, 0);
}

/* How often the log says so since it was last asked anything by `expect`. */
static int
times(const char *word) {
  int n = 0;
  for (const char *at = mock->log; (at = strstr(at, word)); at++) n++;
  return n;
}

/* Copies up and down, and waits, since the last time. */
static void
expect(int up, int down, int waits) {
  cr_expect_eq(times("up"), up, "up: %s", mock->log);
  cr_expect_eq(times("down"), down, "down: %s", mock->log);
  cr_expect_eq(times("sync"), waits, "waits: %s", mock->log);
  *mock->log = *mock->args = 0;
}

#define KERNEL ((void (*)(void))0)
#define DAT(x, acc) op_arg_dat(x, -1, OP_ID, 1, "double", acc)
#define RUN(name, ...)                                                         \
  do {                                                                         \
    op_arg args[] = {__VA_ARGS__};                                             \
    op2_par_loop_at(__FILE__, __LINE__, KERNEL, name, cells,                   \
                    (int)(sizeof args / sizeof *args), args);                  \
  } while (0)

/* A sum that a later loop reads: neither waits, and nothing moves. */
static void
sum_and_use(void) {
  RUN("total", DAT(a, OP_READ), op2_arg_gbl(sum, 1, "double", OP_INC));
  RUN("scale", op2_arg_gbl(sum, 1, "double", OP_READ), DAT(b, OP_RW));
  op2_flush();
}

Test(cells, a_sum_stays_until_a_look, .init = start) {
  double value;
  sum_and_use();
  expect(2, 0, 0); /* a, b; what the sum starts from is a word */
  for (int k = 0; k < 3; k++) sum_and_use();
  expect(0, 0, 0);
  op2_gbl_get(sum, &value);
  expect(0, 1, 1);
  op2_gbl_get(sum, &value);
  expect(0, 0, 0);
  value = 1.5;
  op2_gbl_set(sum, &value);
  sum_and_use();
  cr_expect(strstr(mock->args, "3ff8000000000000"), "%s", mock->args);
  expect(0, 0, 0);
  op2_free_gbl(sum);
  end();
}

static void
start_graphs(void) {
  start_with("1");
}

/* The whole flush is one graph, which nothing is set in. */
Test(cells, a_sum_is_part_of_a_graph, .init = start_graphs) {
  for (int k = 0; k < 3; k++) sum_and_use();
  *mock->log = 0;
  sum_and_use();
  cr_assert(!strncmp(mock->log, "graph", 5), "%s", mock->log);
  expect(0, 0, 0);
  end();
}

/* As words of the launch, the same or others. */
Test(cells, captured_values_are_arguments, .init = start) {
  for (int k = 0; k < 4; k++) {
    double factor = k < 2 ? 1.5 : -2.5;
    RUN("scale", op_arg_gbl(&factor, 1, "double", OP_READ), DAT(b, OP_RW));
    op2_flush();
    cr_expect(strstr(mock->args,
                     k < 2 ? "3ff8000000000000" : "c004000000000000"),
              "%s", mock->args);
    expect(k == 0, 0, 0); /* b */
  }
  end();
}

/* Where they are many they are in memory of the launch, written when they change.
 */
Test(cells, many_captured_values_go_up_once, .init = start) {
  static double factors[WIDE];
  for (int k = 0; k < 5; k++) {
    if (k == 3) factors[WIDE - 1] = 7;
    RUN("wide", op_arg_gbl(factors, WIDE, "double", OP_READ),
        op_arg_idx(-1, OP_ID), DAT(b, OP_WRITE));
    op2_flush();
    expect(k == 0 || k == 1 || k == 3, 0, 0); /* of two programs */
  }
  end();
}

/* Raw globals come back together, in one wait. */
Test(cells, raw_sums_wait_once, .init = start) {
  double one = 1, two = 2, low = 3;
  int at = -1;
  op2_defer_globals(1);
  RUN("total", DAT(a, OP_READ), op_arg_gbl(&one, 1, "double", OP_INC));
  RUN("scale", op2_arg_gbl(sum, 1, "double", OP_READ), DAT(b, OP_RW));
  RUN("total", DAT(b, OP_READ), op_arg_gbl(&two, 1, "double", OP_INC));
  RUN("least", DAT(a, OP_READ), op_arg_idx(-1, OP_ID),
      op_arg_gbl(&low, 1, "double", OP_MIN), op_arg_info(&at, 1, "int", 2));
  op2_flush();
  cr_assert_str_empty(message, "%s", message);
  expect(2 + 1 + 1, 4, 1); /* a, b; what is read; where the payload starts */
  cr_assert_eq(at, -1);    /* the kernels have done nothing */
  end();
}

/* A loop on the host waits, and what it writes goes up again. */
Test(cells, the_host_takes_a_sum, .init = start) {
  sum_and_use();
  expect(2, 0, 0);
  cr_assert_eq(op2_target_push("seq"), 0);
  RUN("total", DAT(a, OP_READ), op2_arg_gbl(sum, 1, "double", OP_INC));
  cr_assert_eq(op2_target_pop(), 0);
  op2_flush();
  expect(0, 1, 1);
  sum_and_use();
  expect(0, 0, 0);
  end();
}

/* Another device does the same, in a program that never ran. */
Test(cells, another_device_takes_a_sum, .init = start) {
  sum_and_use();
  expect(2, 0, 0);
  cr_assert_eq(op2_target_push("cuda:1"), 0);
  RUN("scale", op2_arg_gbl(sum, 1, "double", OP_READ), DAT(a, OP_RW));
  op2_flush();
  cr_assert_eq(op2_target_pop(), 0);
  cr_assert_str_empty(message, "%s", message);
  cr_expect_eq(times("down8 "), 1, "%s", mock->log);
  cr_expect_eq(times("up8 "), 1, "%s", mock->log);
  end();
}

/* A run that breaks: what was to go up may not have. */
Test(cells, after_a_broken_run_all_goes_up_again, .init = start) {
  double factors[WIDE] = {0}, value = 5;
  for (int k = 0; k < 2; k++) {
    mock->fail_at = k ? 0 : mock->launches + 2;
    RUN("wide", op_arg_gbl(factors, WIDE, "double", OP_READ),
        op_arg_idx(-1, OP_ID), DAT(b, OP_WRITE));
    RUN("total", DAT(a, OP_READ), op2_arg_gbl(sum, 1, "double", OP_INC));
    op2_flush();
    cr_assert_eq(!*message, k, "%s", message);
    *message = 0;
    expect(k ? 1 : 2, 0, 0); /* a; the values */
    if (!k) op2_gbl_set(sum, &value);
  }
  end();
}
