/* A device that fails in the middle of a run, or does not take a loop's code (the mock
 * CUDA driver, whose kernels do nothing): what these would have written is lost, with
 * the cause; all else can be read; full writes, uploads and op2_gbl_set give values
 * again. */
#include "../mock/libcuda.h"

#include "op2.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8 };

static struct mock_cuda *mock;
static int errors, code;
static char message[1024];
static op_set cells;
static op_dat a, b, c, d;
static op2_gbl sum;

static void
on_error(int status, const char *text, void *user) {
  (void)user;
  errors++;
  code = status;
  snprintf(message, sizeof message, "%s", text);
}

static void
start(void) {
  void *library =
      dlopen(OP2_BUILD_DIR "/test/mock/libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  cr_assert(library, "%s", dlerror());
  mock = dlsym(library, "mock_cuda");
  setenv("OP2_TARGET", "cuda", 1);
  setenv("OP2_CACHE", "0", 1);
  setenv("OP2_LOG", "0", 1);
  op2_set_error_handler(on_error, NULL);
  op_init(0, NULL, 0);
  cr_assert_eq(op2_kernel_source(
                   "put",
                   "void put(const double *x, double *y) { *y = 2 * *x; }"),
               0);
  cr_assert_eq(op2_kernel_source(
                   "add", "void add(const double *x, double *y) { *y += *x; }"),
               0);
  cr_assert_eq(
      op2_kernel_source("total",
                        "void total(const double *x, double *s) { *s += *x; }"),
      0);
  static double values[N] = {1, 2, 3, 4, 5, 6, 7, 8};
  cells = op_decl_set(N, "cells");
  a = op_decl_dat(cells, 1, "double", values, "a");
  b = op_decl_dat(cells, 1, "double", values, "b");
  c = op_decl_dat(cells, 1, "double", values, "c");
  d = op_decl_dat(cells, 1, "double", values, "d");
  sum = op2_decl_gbl(1, "double", NULL, "sum");
  cr_assert_eq(errors, 0, "%s", message);
}

#define KERNEL ((void (*)(void))0)
#define DAT(x, acc) op_arg_dat(x, -1, OP_ID, 1, "double", acc)

static void
run(const char *name, op_dat from, op_dat to, op_access access) {
  op_arg args[] = {DAT(from, OP_READ), DAT(to, access)};
  op2_par_loop_at(__FILE__, __LINE__, KERNEL, name, cells, 2, args);
}

static void
run_total(op_dat from) {
  op_arg args[] = {DAT(from, OP_READ), op2_arg_gbl(sum, 1, "double", OP_INC)};
  op2_par_loop_at(__FILE__, __LINE__, KERNEL, "total", cells, 2, args);
}

/* The look fails and names what it is about and the cause, or it does not. */
static void
look(op_dat x, const char *lost) {
  double out[N];
  int before = errors;
  op_fetch_data(x, out);
  if (!lost) {
    cr_assert_eq(errors, before, "%s", message);
    return;
  }
  cr_assert_eq(errors, before + 1, "expected %s to be lost", lost);
  cr_assert_eq(code, OP2_ERR_DEVICE);
  cr_assert(strstr(message, lost) && strstr(message, "cuLaunchKernel"), "%s",
            message);
}

static void
end(void) {
  mock->fail_at = mock->fail_launch = 0;
  op_exit();
  cr_assert_str_empty(mock->broken, "%s", mock->broken);
  cr_assert_eq(mock->mems, 0);
}

Test(lost, a_launch_that_fails, .init = start) {
  double value;
  run("put", a, b, OP_WRITE);
  run("put", b, c, OP_WRITE);
  op2_flush();
  cr_assert_eq(errors, 0, "%s", message);
  run("add", a, b, OP_RW);
  run_total(b);
  run("add", b, c, OP_INC);
  mock->fail_at = mock->launches + 1;
  op2_flush();
  cr_assert_eq(errors, 1, "%d: %s", errors, message);
  cr_assert_eq(op2_pending(), 0);
  look(b, "\"b\" was lost");
  look(c, "\"c\" was lost");
  look(a, NULL);
  look(d, NULL);
  op2_gbl_get(sum, &value);
  cr_assert(strstr(message, "\"sum\" was lost"), "%s", message);
  int before = errors;
  run("add", b, d, OP_RW); /* wants b */
  cr_assert_eq(errors, before + 1);
  cr_assert(strstr(message, "\"add\"") && strstr(message, "\"b\" was lost"),
            "%s", message);
  cr_assert_eq(op2_pending(), 0);
  look(d, NULL);
  run("put", a, b, OP_WRITE); /* all of it: found again */
  run("add", b, d, OP_RW);
  look(d, NULL);
  look(b, NULL);
  op_upload_dat(c);
  look(c, NULL);
  value = 0;
  op2_gbl_set(sum, &value);
  op2_gbl_get(sum, &value);
  run_total(c);
  op2_gbl_get(sum, &value);
  cr_assert_eq(errors, before + 1, "%s", message);
  end();
}

/* A flush that came again, as a CUDA graph. */
static void
start_unfused(void) {
  setenv("OP2_DISABLE", "fuse", 1);
  start();
}

Test(lost, a_graph_that_fails, .init = start_unfused) {
  double out[N];
  for (int k = 0; k < 5; k++) { /* the first with uploads in between */
    run("put", a, b, OP_WRITE);
    run("add", b, c, OP_RW);
    if (k == 4) mock->fail_at = mock->launches + 2;
    op2_flush();
    cr_assert_eq(errors, k == 4, "%s", message);
  }
  cr_assert_eq(op2_counter("graphs"), 1);
  cr_assert_eq(op2_counter("graph_launches"), 2);
  cr_assert(strstr(message, "cuGraphLaunch"), "%s", message);
  op_fetch_data(c, out);
  cr_assert(strstr(message, "\"c\" was lost"), "%s", message);
  look(a, NULL);
  end();
}

/* Loops that wait for what is lost go with it; others don't. */
Test(lost, waiting_loops, .init = start) {
  run("put", a, b, OP_WRITE); /* looked at: this one fails */
  run("add", b, c, OP_RW);    /* waits, and wants b */
  run("add", a, d, OP_RW);    /* waits, and does not */
  mock->fail_at = mock->launches + 1;
  double out[N];
  op_fetch_data(b, out);
  cr_assert_eq(errors, 1, "%d: %s", errors, message);
  cr_assert(strstr(message, "cuLaunchKernel"), "%s", message);
  cr_assert_eq(op2_pending(), 1);
  look(b, "\"b\" was lost");
  look(c, "\"c\" was lost");
  look(a, NULL);
  look(d, NULL);
  cr_assert_eq(op2_pending(), 0);
  end();
}

/* Nothing was written yet: all stays, and a retry works. */
Test(lost, a_copy_before_the_first_launch, .init = start) {
  run("put", a, b, OP_WRITE);
  mock->fail_alloc = 1;
  op2_flush();
  cr_assert_eq(errors, 1, "%d: %s", errors, message);
  cr_assert_eq(op2_pending(), 1);
  mock->fail_alloc = 0;
  op2_flush();
  cr_assert_eq(errors, 1, "%s", message);
  cr_assert_eq(op2_pending(), 0);
  look(b, NULL);
  end();
}

/* A copy back that fails loses nothing: it can be tried again. */
Test(lost, a_copy_back, .init = start) {
  double out[N];
  run("put", a, b, OP_WRITE);
  op2_flush();
  mock->fail_down = 1;
  op_fetch_data(b, out);
  cr_assert_eq(errors, 1, "%d: %s", errors, message);
  cr_assert(strstr(message, "cuMemcpyDtoHAsync"), "%s", message);
  mock->fail_down = 0;
  look(b, NULL);
  end();
}

/* ---- loops before those that are lost -------------------------------------- */

static void
on_host(const char *name, op_dat from, op_dat to, op_access access) {
  cr_assert_eq(op2_target_push("openmp"), 0);
  run(name, from, to, access);
  cr_assert_eq(op2_target_pop(), 0);
}

static void
look_at(op_dat x, double factor) {
  double out[N];
  int before = errors;
  op_fetch_data(x, out);
  cr_assert_eq(errors, before, "%s", message);
  for (int e = 0; e < N; e++) cr_assert_eq(out[e], factor * (e + 1));
}

/* A waiting loop sees what a dat held before a later one would have lost it. */
Test(lost, what_waiting_loops_read, .init = start) {
  double out[N];
  on_host("put", a, c, OP_WRITE); /* c = 2 */
  op2_flush();
  run("put", a, b, OP_WRITE);
  on_host("add", c, d, OP_RW); /* d = 3 */
  run("add", b, c, OP_RW);     /* wants b */
  mock->fail_at = mock->launches + 1;
  op_fetch_data(b, out);
  cr_assert_eq(errors, 1, "%d: %s", errors, message);
  look_at(d, 3);
  look(c, "\"c\" was lost");
  end();
}

/* ---- code that the driver refuses ------------------------------------------- */

/* Kernels `odd` and `rare` have constants that their code can be known by. */
#define ODD "0d40F2FD1000000000"
#define RARE "0d40EB206000000000"

static void
start_refusing(void) {
  start();
  cr_assert_eq(op2_kernel_source("odd", "void odd(const double *x, double *y) "
                                        "{ *y += 77777 * *x; }"),
               0);
  cr_assert_eq(op2_kernel_source("rare",
                                 "void rare(const double *x, double *y) "
                                 "{ *y += 55555 * *x; }"),
               0);
}

static void
start_fallback(void) {
  setenv("OP2_OFFLOAD_FALLBACK", "host", 1);
  start_refusing();
}

static void
look_refused(op_dat x, const char *lost) {
  double out[N];
  int before = errors;
  op_fetch_data(x, out);
  cr_assert_eq(errors, before + 1, "expected %s to be lost", lost);
  cr_assert_eq(code, OP2_ERR_COMPILE);
  cr_assert(strstr(message, lost) && strstr(message, "loop odd:"), "%s",
            message);
}

/* It stands between others, with which it would have been fused. */
Test(lost, a_loop_without_code, .init = start_refusing) {
  double value;
  mock->refuse[0] = ODD;
  on_host("put", a, b, OP_WRITE);
  on_host("add", b, d, OP_RW); /* d = 3 */
  run("add", a, c, OP_RW);
  run("odd", a, b, OP_RW);
  run("odd", a, b, OP_RW);
  run("add", b, c, OP_RW); /* wants b */
  run_total(c);            /* wants c */
  run("put", a, b, OP_WRITE);
  cr_assert_eq(op2_pending(), 8);
  op2_flush();
  cr_assert_eq(errors, 1, "%d: %s", errors, message);
  cr_assert_eq(code, OP2_ERR_COMPILE);
  cr_assert(strstr(message, "test_api_lost.c:") &&
                strstr(message, "loop odd: CUDA") &&
                strstr(message, "4 recorded loops are dropped"),
            "%s", message);
  cr_assert_eq(op2_pending(), 0);
  look_at(d, 3);
  look(b, NULL); /* written in full behind it */
  look_refused(c, "\"c\" was lost");
  op2_gbl_get(sum, &value);
  cr_assert(strstr(message, "\"sum\" was lost"), "%s", message);
  mock->refuse[0] = NULL;
  run("odd", a, b, OP_RW); /* it was not for ever */
  look(b, NULL);
  end();
}

/* A look that has nothing to do with it does not meet it; one that does goes on. */
Test(lost, a_look_at_something_else, .init = start_refusing) {
  mock->refuse[0] = ODD;
  run("odd", a, c, OP_RW);
  on_host("put", a, b, OP_WRITE);
  look_at(b, 2);
  cr_assert_eq(op2_pending(), 1);
  run("odd", a, b, OP_RW);
  on_host("add", a, d, OP_RW);
  double out[N];
  op_fetch_data(b, out); /* told, and then that b is lost */
  cr_assert_eq(errors, 2, "%d: %s", errors, message);
  cr_assert(strstr(message, "\"b\" was lost"), "%s", message);
  look_at(d, 2);
  look_refused(c, "\"c\" was lost");
  end();
}

/* Two loops, two errors, one message. */
Test(lost, loops_without_code, .init = start_refusing) {
  mock->refuse[0] = "0d40";
  run("odd", a, b, OP_RW);
  on_host("add", a, d, OP_RW);
  run("rare", a, c, OP_RW);
  op2_flush();
  cr_assert_eq(errors, 1, "%d: %s", errors, message);
  cr_assert(strstr(message, "loop odd:") && strstr(message, "loop rare:"), "%s",
            message);
  look_refused(b, "\"b\" was lost");
  look_at(d, 2);
  end();
}

/* Each has code; the region of both has none. */
Test(lost, no_code_together, .init = start_refusing) {
  mock->refuse[0] = ODD;
  mock->refuse[1] = RARE;
  run("odd", a, b, OP_RW);
  run("rare", a, b, OP_RW);
  op2_flush();
  cr_assert_eq(errors, 0, "%s", message);
  cr_assert_eq(op2_pending(), 0);
  cr_assert_eq(mock->launches, 2);
  run("odd", a, b, OP_RW);
  run("rare", a, b, OP_RW);
  op2_flush();
  cr_assert_eq(mock->launches, 4);
  look(b, NULL);
  end();
}

Test(lost, the_host_takes_it, .init = start_fallback) {
  mock->refuse[0] = ODD;
  on_host("put", a, b, OP_WRITE);
  for (int k = 1; k <= 3; k++) {
    run("odd", a, b, OP_RW);
    look_at(b, 2 + 77777.0 * k);
  }
  cr_assert_eq(mock->launches, 0);
  end();
}
