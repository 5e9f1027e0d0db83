/* Criterion's macros for the unit tests, without Criterion: for valgrind and
 * ThreadSanitizer, which a sandbox of processes, sockets and a thread per test
 * slows down a hundredfold and fills with findings of its own.
 *
 * Each test is a forked child of the program, so that it starts afresh as it does
 * with Criterion, and ends with exit(), where the tool looks for leaks. What
 * test/unit uses is here; what it lacks does not compile. The last line is "N passed, N failed".
 *
 *   test_x                 all tests
 *   test_x suite/name ...  those
 *   test_x --together      all in one process, which is what valgrind is quick at:
 *                          it translates code anew in each child. The first failure
 *                          ends it; tests that end by a signal still have a child.
 */
#ifndef PLAIN_CRITERION_H
#define PLAIN_CRITERION_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plain_test {
  const char *suite, *name;
  void (*run)(void), (*init)(void), (*fini)(void);
  int signal; /* that it must end with; 0: none */
  double timeout;
  struct plain_test *next;
};

extern struct plain_test *plain_tests, *plain_suites;
void plain_add(struct plain_test **list, struct plain_test *t);
/* Say what failed; fatal: the test ends. */
void plain_fail(bool fatal, const char *file, int line, const char *what,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void plain_skip(const char *why) __attribute__((noreturn));
void plain_stdout_redirect(void);
bool plain_stdout_is(const char *want);

#define PLAIN_ADD(list, s, n, ...)                                             \
  static struct plain_test plain_##s##_##n = {                                 \
      .suite = #s, .name = #n, __VA_ARGS__};                                   \
  __attribute__((constructor)) static void plain_add_##s##_##n(void) {         \
    plain_add(&list, &plain_##s##_##n);                                        \
  }
#define Test(s, n, ...)                                                        \
  static void plain_run_##s##_##n(void);                                       \
  PLAIN_ADD(plain_tests, s, n, .run = plain_run_##s##_##n, __VA_ARGS__)        \
  static void plain_run_##s##_##n(void)
#define TestSuite(s, ...)                                                      \
  PLAIN_ADD(plain_suites, s, all, __VA_ARGS__)                                 \
  struct plain_test

#define PLAIN_CHECK(fatal, cond, what, ...)                                    \
  ((cond) ? (void)0                                                            \
          : plain_fail(fatal, __FILE__, __LINE__, what, " " __VA_ARGS__))
#define PLAIN_REL(fatal, a, op, b, ...)                                        \
  PLAIN_CHECK(fatal, (a)op(b), #a " " #op " " #b, __VA_ARGS__)
#define PLAIN_NEAR(fatal, a, b, eps, ...)                                      \
  PLAIN_CHECK(fatal, (a) - (b) <= (eps) && (b) - (a) <= (eps),                 \
              #a " is nearly " #b, __VA_ARGS__)
#define PLAIN_STR(fatal, a, b, ...)                                            \
  PLAIN_CHECK(fatal, !strcmp((a), (b)), #a " is " #b, __VA_ARGS__)
#define PLAIN_ARR(fatal, a, b, n, ...)                                         \
  PLAIN_CHECK(fatal, !memcmp((a), (b), (n)), #a " is " #b, __VA_ARGS__)

#define cr_assert(c, ...) PLAIN_CHECK(true, (c), #c, __VA_ARGS__)
#define cr_assert_not(c, ...) PLAIN_CHECK(true, !(c), "not " #c, __VA_ARGS__)
#define cr_assert_null(p, ...) PLAIN_REL(true, p, ==, NULL, __VA_ARGS__)
#define cr_assert_not_null(p, ...) PLAIN_REL(true, p, !=, NULL, __VA_ARGS__)
#define cr_assert_eq(a, b, ...) PLAIN_REL(true, a, ==, b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...) PLAIN_REL(true, a, !=, b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...) PLAIN_REL(true, a, <, b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...) PLAIN_REL(true, a, <=, b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...) PLAIN_REL(true, a, >, b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...) PLAIN_REL(true, a, >=, b, __VA_ARGS__)
#define cr_assert_float_eq(a, b, eps, ...)                                     \
  PLAIN_NEAR(true, a, b, eps, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) PLAIN_STR(true, a, b, __VA_ARGS__)
#define cr_assert_str_empty(a, ...) PLAIN_STR(true, a, "", __VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...) PLAIN_ARR(true, a, b, n, __VA_ARGS__)
#define cr_assert_fail(...) PLAIN_CHECK(true, false, "not reached", __VA_ARGS__)
#define cr_expect(c, ...) PLAIN_CHECK(false, (c), #c, __VA_ARGS__)
#define cr_expect_not(c, ...) PLAIN_CHECK(false, !(c), "not " #c, __VA_ARGS__)
#define cr_expect_null(p, ...) PLAIN_REL(false, p, ==, NULL, __VA_ARGS__)
#define cr_expect_not_null(p, ...) PLAIN_REL(false, p, !=, NULL, __VA_ARGS__)
#define cr_expect_eq(a, b, ...) PLAIN_REL(false, a, ==, b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...) PLAIN_REL(false, a, !=, b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...) PLAIN_REL(false, a, <, b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...) PLAIN_REL(false, a, <=, b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...) PLAIN_REL(false, a, >, b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...) PLAIN_REL(false, a, >=, b, __VA_ARGS__)
#define cr_expect_float_eq(a, b, eps, ...)                                     \
  PLAIN_NEAR(false, a, b, eps, __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) PLAIN_STR(false, a, b, __VA_ARGS__)
#define cr_expect_str_empty(a, ...) PLAIN_STR(false, a, "", __VA_ARGS__)
#define cr_expect_arr_eq(a, b, n, ...) PLAIN_ARR(false, a, b, n, __VA_ARGS__)
#define cr_expect_fail(...)                                                    \
  PLAIN_CHECK(false, false, "not reached", __VA_ARGS__)
#define cr_skip_test(why) plain_skip(why)
#define cr_redirect_stdout() plain_stdout_redirect()
#define cr_expect_stdout_eq_str(s)                                             \
  PLAIN_CHECK(false, plain_stdout_is(s), "stdout is " #s, "")

#endif
