/* Every type of the API as dat and as global, plain and with ":soa": direct and
 * indirect increments and a sum. */
#include "check.h"

enum { N = 100, M = 40 };

static int map[N][2];
static op_set s, t;
static op_map m;

/* Kernel and test for one type T named `text`; values stay small and whole, so
 * that all sums are exact. */
#define TEST(T, id, text)                                                      \
  static void id##_fill(const int *e, T *a) {                                  \
    a[0] = (T)(*e % 5);                                                        \
    a[1] = (T)(*e % 3);                                                        \
  }                                                                            \
  static void id##_spread(const T *a, T *b, T *c, T *sum) {                    \
    b[0] += a[0];                                                              \
    c[1] += a[1];                                                              \
    *sum += a[0] + a[1];                                                       \
  }                                                                            \
  static void id##_test(void) {                                                \
    T out[M][2], want[M][2] = {{0}}, sum = 3, total = 3;                       \
    op_dat a = op_decl_dat(s, 2, text, (T *)NULL, "a");                        \
    op_dat b = op_decl_dat(t, 2, text, (T *)NULL, "b");                        \
    op_par_loop(id##_fill, text "_fill", s, op_arg_idx(-1, OP_ID),             \
                op_arg_dat(a, -1, OP_ID, 2, text, OP_WRITE));                  \
    op_par_loop(id##_spread, text "_spread", s,                                \
                op_arg_dat(a, -1, OP_ID, 2, text, OP_READ),                    \
                op_arg_dat(b, 0, m, 2, text, OP_INC),                          \
                op_arg_dat(b, 1, m, 2, text, OP_INC),                          \
                op_arg_gbl(&sum, 1, text, OP_INC));                            \
    for (int e = 0; e < N; e++) {                                              \
      want[map[e][0]][0] += (T)(e % 5);                                        \
      want[map[e][1]][1] += (T)(e % 3);                                        \
      total += (T)(e % 5) + (T)(e % 3);                                        \
    }                                                                          \
    if (sum != total)                                                          \
      check_fail(__FILE__, __LINE__, "%s: sum %g, expected %g", text,          \
                 (double)sum, (double)total);                                  \
    op_fetch_data(b, &out[0][0]);                                              \
    for (int n = 0; n < 2 * M; n++)                                            \
      if (out[n / 2][n % 2] != want[n / 2][n % 2])                             \
        check_fail(__FILE__, __LINE__, "%s: b[%d][%d] is %g, expected %g",     \
                   text, n / 2, n % 2, (double)out[n / 2][n % 2],              \
                   (double)want[n / 2][n % 2]);                                \
  }

/* "double:soa" and its kin name the same C type. */
TEST(double, f64, "double")
TEST(float, f32, "float")
TEST(int, i32, "int")
TEST(unsigned, u32, "uint")
TEST(long long, i64, "ll")
TEST(unsigned long long, u64, "ull")
TEST(double, f64s, "double:soa")
TEST(float, f32s, "float:soa")
TEST(int, i32s, "int:soa")
TEST(unsigned, u32s, "uint:soa")
TEST(long long, i64s, "ll:soa")
TEST(unsigned long long, u64s, "ull:soa")

static void
bool_fill(const int *e, bool *a) {
  a[0] = *e % 5 == 0;
  a[1] = *e % 7 == 0;
}
static void
bool_and(const bool *a, bool *b, int *n) {
  *b = a[0] && a[1];
  *n += *b;
}

static void
bool_test(const char *text) {
  bool out[N];
  int n = 0;
  op_dat a = op_decl_dat(s, 2, text, (bool *)NULL, "a");
  op_dat b = op_decl_dat(s, 1, text, (bool *)NULL, "b");
  op_par_loop(bool_fill, "bool_fill", s, op_arg_idx(-1, OP_ID),
              op_arg_dat(a, -1, OP_ID, 2, text, OP_WRITE));
  op_par_loop(bool_and, "bool_and", s,
              op_arg_dat(a, -1, OP_ID, 2, text, OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, text, OP_WRITE),
              op_arg_gbl(&n, 1, "int", OP_INC));
  CHECK_INT(n, (N + 34) / 35);
  op_fetch_data(b, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], e % 35 == 0);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    map[e][0] = e * 3 % M;
    map[e][1] = e * 7 % M;
  }
  s = op_decl_set(N, "s");
  t = op_decl_set(M, "t");
  m = op_decl_map(s, t, 2, &map[0][0], "m");
  f64_test();
  f32_test();
  i32_test();
  u32_test();
  i64_test();
  u64_test();
  f64s_test();
  f32s_test();
  i32s_test();
  u32s_test();
  i64s_test();
  u64s_test();
  bool_test("bool");
  bool_test("bool:soa");
  return check_end();
}
