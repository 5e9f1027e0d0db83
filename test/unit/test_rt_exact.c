/* Exact sums: any order, one rounding. */
#include "rt/walk/exact.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>

static double
sum(const double *v, int n) {
  struct rt_exact x = {0};
  for (int i = 0; i < n; i++) rt_exact_add(&x, v[i]);
  return rt_exact_value(&x);
}

#define SUM(...)                                                               \
  sum((const double[]){__VA_ARGS__},                                           \
      (int)(sizeof(double[]){__VA_ARGS__} / sizeof(double)))

Test(rt_exact, one_term_is_itself) {
  const double v[] = {0,         1,
                      -1,        0.1,
                      -1e300,    DBL_MAX,
                      -DBL_MAX,  DBL_MIN,
                      5e-324,    -5e-324,
                      1e-310,    -3e-320,
                      0x1p-1022, 0x1.fffffffffffffp-1022};
  for (size_t i = 0; i < sizeof v / sizeof *v; i++)
    cr_assert_eq(sum(&v[i], 1), v[i], "term %zu: %a", i, v[i]);
}

Test(rt_exact, nothing_is_lost_in_between) {
  cr_assert_eq(SUM(1e308, 1e-308, -1e308), 1e-308);
  cr_assert_eq(SUM(1, 1e100, 1, -1e100), 2);
  cr_assert_eq(SUM(DBL_MAX, DBL_MAX, -DBL_MAX), DBL_MAX);
  cr_assert_eq(SUM(-1e16, -1, 5e-324, 1e16), -1);
  cr_assert_eq(SUM(0x1p-1022, -5e-324), 0x0.fffffffffffffp-1022);
}

Test(rt_exact, ties_go_to_even_and_anything_more_breaks_them) {
  cr_assert_eq(SUM(1, 0x1p-53), 1);
  cr_assert_eq(SUM(1, 0x1p-53, 5e-324), 1 + 0x1p-52);
  cr_assert_eq(SUM(1, 0x1p-53, -5e-324), 1);
  cr_assert_eq(SUM(1 + 0x1p-52, 0x1p-53), 1 + 0x1p-51);
  cr_assert_eq(SUM(-1, -0x1p-53, -5e-324), -1 - 0x1p-52);
}

Test(rt_exact, what_is_no_number_wins) {
  cr_assert(isnan(SUM(1, NAN, INFINITY)));
  cr_assert(isnan(SUM(INFINITY, -INFINITY)));
  cr_assert_eq(SUM(-1e308, INFINITY, -1e308), INFINITY);
  cr_assert_eq(SUM(-INFINITY, 3), -INFINITY);
  cr_assert_eq(SUM(DBL_MAX, DBL_MAX), INFINITY);
}

enum { TERMS = 20000 };

static uint64_t state = 7;

static double
any_double(void) {
  uint64_t bits;
  double v;
  do {
    state = state * 6364136223846793005u + 1442695040888963407u;
    bits = state ^ state >> 29;
    memcpy(&v, &bits, sizeof v);
  } while (!(fabs(v) < 1e300));
  return v;
}

/* Terms of all magnitudes forwards, backwards and in two sums that are joined; then
 * each of them taken away again. */
Test(rt_exact, the_order_does_not_matter) {
  static double v[TERMS];
  struct rt_exact a = {0}, b = {0}, c = {0}, d = {0};
  for (int i = 0; i < TERMS; i++) v[i] = any_double();
  for (int i = 0; i < TERMS; i++) rt_exact_add(&a, v[i]);
  for (int i = TERMS; i-- > 0;) rt_exact_add(&b, v[i]);
  for (int i = 0; i < TERMS; i++) rt_exact_add(i % 3 ? &c : &d, v[i]);
  rt_exact_join(&c, &d);
  double value = rt_exact_value(&a);
  cr_assert(isfinite(value));
  cr_assert_eq(rt_exact_value(&b), value);
  cr_assert_eq(rt_exact_value(&c), value);
  for (int i = 0; i < TERMS - 1; i++) rt_exact_add(&a, -v[i]);
  cr_assert_eq(rt_exact_value(&a), v[TERMS - 1]);
}

/* Against arithmetic with 64 bits of mantissa, where that is exact. */
Test(rt_exact, sums_of_near_magnitudes_are_rounded_as_long_double_rounds_them) {
  for (int round = 0; round < 1000; round++) {
    struct rt_exact x = {0};
    long double expected = 0;
    for (int i = 0; i < 100; i++) {
      double v = ldexp((double)(int32_t)(any_double() > 0 ? state : -state),
                       (int)(state >> 40) % 20 - 40);
      rt_exact_add(&x, v);
      expected += v;
    }
    cr_assert_eq(rt_exact_value(&x), (double)expected, "round %d", round);
  }
}

/* ---- many at once -------------------------------------------------------- */

static double
near_double(void) {
  return any_double() < 0 ? ldexp(any_double(), -1000) : 1 / any_double();
}

static double
small_double(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)state * 5e-324;
}

static double
like_double(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return ldexp((double)(int64_t)state, -64);
}

static double
huge_double(void) {
  return state & 1 << 20 ? DBL_MAX : like_double() * 1e300;
}

static void
check_many(double (*next)(void), int n) {
  double v[RT_EXACT_MANY];
  struct rt_exact one = {0}, many = {0};
  for (int i = 0; i < n; i++) v[i] = next();
  for (int i = 0; i < n; i++) rt_exact_add(&one, v[i]);
  rt_exact_add_many(&many, v, n);
  rt_exact_carry(&one);
  rt_exact_carry(&many);
  cr_assert_arr_eq(many.chunk, one.chunk, sizeof one.chunk, "%d terms", n);
  cr_assert_eq(many.nan + many.plus + many.minus,
               one.nan + one.plus + one.minus);
}

Test(rt_exact, many_terms_are_the_same_as_one_by_one) {
  static double (*const kinds[])(void) = {like_double, any_double, near_double,
                                          small_double, huge_double};
  static const int sizes[] = {0, 1, 7, 23, 24, 25, 100, 511, RT_EXACT_MANY};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
      for (int times = 0; times < 20; times++) check_many(kinds[k], sizes[i]);
}

static double
sometimes_infinite(void) {
  double v = like_double();
  return v > 0.49 ? INFINITY : v < -0.499 ? NAN : v;
}

Test(rt_exact, what_is_no_number_counts_among_many) {
  for (int times = 0; times < 20; times++)
    check_many(sometimes_infinite, RT_EXACT_MANY);
}

/* Whatever the program has set for its own arithmetic. */
Test(rt_exact, many_terms_do_not_mind_the_mode) {
  static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (int k = 0; k < 3; k++) {
    fesetround(modes[k]);
    check_many(like_double, RT_EXACT_MANY);
    cr_assert_eq(fegetround(), modes[k]);
    fesetround(FE_TONEAREST);
  }
}

Test(rt_exact, integers_wrap_as_their_type_does) {
  struct rt_exact x = {0};
  rt_exact_add_integer(&x, INT64_MAX);
  rt_exact_add_integer(&x, 1);
  cr_assert_eq(rt_exact_integer(&x), INT64_MIN);
  rt_exact_add_integer(&x, -1);
  rt_exact_add_integer(&x, INT64_MIN + 1);
  cr_assert_eq(rt_exact_integer(&x), 0);
  for (int i = 0; i < 5000; i++) rt_exact_add_integer(&x, -3);
  cr_assert_eq(rt_exact_integer(&x), -15000);
}
