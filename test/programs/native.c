/* OP2_DEBUG=kernels: each loop runs at its call, in order, on the thread of the call,
 * through its kernel's own address, wherever OP2_TARGET says; also one whose kernel is
 * promised to be pure. What is computed is the same. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* feenableexcept */
#endif
#include "check.h"
#include "errors.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 300 };

static int calls,
    others; /* of kernels; in another thread, or from other code */
static pthread_t caller;
static double factor = 3;

/* Called from the kernels: compiled code would have none of it. */
static void
here(void) {
  calls++;
  others += !pthread_equal(pthread_self(), caller);
}

static void
scale(const double *a, double *b) {
  here();
  b[0] = factor * a[0];
}
static void
plain(const double *a, double *b) {
  b[0] += a[0];
}
static void
spread(const double **a, double *to, double *from) {
  here();
  *to += a[0][0] - a[1][0];
  *from -= a[0][0] - a[1][0];
}
static void
total(const double *a, double *sum, double *most, const int *i) {
  here();
  *sum += a[0];
  *most = *most > *i ? *most : *i;
}
static void
root(const double *a, double *b) {
  here();
  b[0] = sqrt(-1 - a[0]);
}

static op_set s;
static op_map m;
static op_dat x, y, z;

#define DAT(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)

/* Own memory is seen by one rank as it is. */
static void
came(int line, int n) {
  CHECK_INT(op2_pending(), 0);
  if (check_ranks() == 1 && calls != n)
    check_fail(__FILE__, line, "%d calls, expected %d", calls, n);
  CHECK_INT(others, 0);
  calls = 0;
}

static void
compute(void) {
  double v[N], sum = 0, most = -1;
  op_par_loop(scale, "scale", s, DAT(x, OP_READ), DAT(y, OP_WRITE));
  came(__LINE__, N);
  factor = 4;
  op_par_loop(scale, "scale", s, DAT(x, OP_READ), DAT(y, OP_WRITE));
  came(__LINE__, N);
  op_par_loop(plain, "plain", s, DAT(x, OP_READ), DAT(y, OP_INC));
  CHECK_INT(op2_pending(), 0);
  op_fetch_data(y, v);
  for (int e = 0; e < N; e++) CHECK_REAL(v[e], 5 * e);
  op_par_loop(spread, "spread", s, op_arg_dat(x, -2, m, 1, "double", OP_READ),
              op_arg_dat(z, 0, m, 1, "double", OP_INC),
              op_arg_dat(z, 1, m, 1, "double", OP_INC));
  came(__LINE__, N);
  op_fetch_data(z, v);
  CHECK_REAL(v[0], -N); /* -1 of its own, 1 - N of the last */
  for (int e = 1; e < N - 1; e++) CHECK_REAL(v[e], 0);
  CHECK_REAL(v[N - 1], N);
  op_par_loop(total, "total", s, DAT(x, OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC),
              op_arg_gbl(&most, 1, "double", OP_MAX), op_arg_idx(-1, OP_ID));
  came(__LINE__, N);
  CHECK_REAL(sum, N * (N - 1) / 2);
  CHECK_REAL(most, N - 1);
}

static void
trapped(int number) {
  _exit(number == SIGFPE && calls == 1 ? 42 : 1);
}

/* A trap stops in the kernel, at its first element. */
static void
traps(void) {
#ifdef __x86_64__
  int end = 0;
  fflush(stdout);
  pid_t child = fork();
  if (!child) {
    signal(SIGFPE, trapped);
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_INVALID);
    op_par_loop(root, "root", s, DAT(x, OP_READ), DAT(z, OP_WRITE));
    _exit(2);
  }
  CHECK_INT(waitpid(child, &end, 0), child);
  CHECK_INT(WIFEXITED(end) ? WEXITSTATUS(end) : -1, 42);
#endif
}

int
main(int argc, char **argv) {
  static double xs[N], zero[N];
  static int table[2 * N];
  caller = pthread_self();
  setenv("OP2_DEBUG", "kernels", 1);
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    xs[e] = e;
    table[2 * e] = e;
    table[2 * e + 1] = (e + 1) % N;
  }
  s = op_decl_set(N, "s");
  m = op_decl_map(s, s, 2, table, "m");
  x = op_decl_dat(s, 1, "double", xs, "x");
  y = op_decl_dat(s, 1, "double", zero, "y");
  z = op_decl_dat(s, 1, "double", zero, "z");
  CHECK_INT(op2_kernel_pure(plain), 0);
  compute();
  if (check_ranks() == 1) traps();
  return check_end();
}
