/* What the test programs share. Each tests one rule, prints `ok` or the first
 * difference, and ends with 0 or 1.
 *
 * The same program runs in many modes (threads, OP2_EAGER, passes left out,
 * layouts, kernels with IR and without): what it computes must never depend on
 * the mode; what it may expect to be pending does, and check_lazy() tells.
 * The runner compares lines that begin with "bits " between modes.
 */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op2.h"
#include "ranks.h"

static int check_failures;

__attribute__((format(printf, 3, 4))) static inline void
check_fail(const char *file, int line, const char *fmt, ...) {
  va_list ap;
  if (check_failures++) return;
  printf("%s:%d: ", file, line);
  va_start(ap, fmt);
  vprintf(fmt, ap);
  va_end(ap);
  printf("\n");
}

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      check_fail(__FILE__, __LINE__, "not so: %s", #condition);                \
  } while (0)

/* Exact comparisons: integers, and floating values that must be equal. */
#define CHECK_INT(found, expected)                                             \
  check_int(__FILE__, __LINE__, #found, (long long)(found),                    \
            (long long)(expected))
#define CHECK_REAL(found, expected)                                            \
  check_near(__FILE__, __LINE__, #found, (found), (expected), 0.0)
/* Relative difference at most `within`: only for sums of open order. */
#define CHECK_NEAR(found, expected, within)                                    \
  check_near(__FILE__, __LINE__, #found, (found), (expected), (within))

static inline void
check_int(const char *file, int line, const char *what, long long found,
          long long expected) {
  if (found != expected)
    check_fail(file, line, "%s is %lld, expected %lld", what, found, expected);
}

static inline void
check_near(const char *file, int line, const char *what, double found,
           double expected, double within) {
  if (!(fabs(found - expected) <= within * fabs(expected)))
    check_fail(file, line, "%s is %.17g, expected %.17g", what, found,
               expected);
}

/* Whole arrays; the first differing entry is named. */
#define CHECK_INTS(found, expected, n)                                         \
  check_ints(__FILE__, __LINE__, #found, (found), (expected), (n))
#define CHECK_REALS(found, expected, n)                                        \
  check_reals(__FILE__, __LINE__, #found, (found), (expected), (n))

static inline void
check_ints(const char *file, int line, const char *what, const int *found,
           const int *expected, int n) {
  for (int i = 0; i < n; i++)
    if (found[i] != expected[i])
      check_fail(file, line, "%s[%d] is %d, expected %d", what, i, found[i],
                 expected[i]);
}

static inline void
check_reals(const char *file, int line, const char *what, const double *found,
            const double *expected, int n) {
  for (int i = 0; i < n; i++)
    if (!(found[i] == expected[i]))
      check_fail(file, line, "%s[%d] is %.17g, expected %.17g", what, i,
                 found[i], expected[i]);
}

/* Is a word in the comma-separated OP2_DISABLE? */
static inline int
check_disabled(const char *pass) {
  const char *list = getenv("OP2_DISABLE"), *at;
  size_t n = strlen(pass);
  for (at = list; at && (at = strstr(at, pass)); at += n)
    if ((at == list || at[-1] == ',') && (!at[n] || at[n] == ',')) return 1;
  return 0;
}

/* Have kernels IR? The runner says so: programs that op2cc compiled. */
static inline int
check_ir(void) {
  const char *text = getenv("TEST_IR");
  return text && atoi(text);
}

/* The device that OP2_TARGET names, "cuda" or "opencl:0", say; NULL: the host. */
static inline const char *
check_device(void) {
  const char *target = getenv("OP2_TARGET");
  bool is =
      target && (!strncmp(target, "opencl", 6) || !strncmp(target, "cuda", 4));
  return is ? target : NULL;
}

/* Will loops wait? */
static inline int
check_lazy(void) {
  const char *eager = getenv("OP2_EAGER");
  return check_ir() && !(eager && atoi(eager));
}

/* Expect `n` loops to be pending now; none are in modes that don't wait. */
#define CHECK_PENDING(n) CHECK_INT(op2_pending(), check_lazy() ? (n) : 0)

static inline uint64_t
check_hash(const void *data, size_t bytes, uint64_t hash) {
  const unsigned char *p = (const unsigned char *)data;
  for (size_t i = 0; i < bytes; i++) hash = (hash ^ p[i]) * 0x100000001b3u;
  return hash;
}

/* Say how it went and end the library; the exit code. */
static inline int
check_end(void) {
  op_exit();
  if (!check_failures) printf("ok\n");
  return check_failures != 0;
}

static inline void
check_start(int argc, char **argv) {
  op_init(argc, argv, 2);
}

#endif
