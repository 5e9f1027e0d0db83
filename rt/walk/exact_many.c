/* Exact sums, many terms at once.
 *
 * Problem. A term by itself (exact.c) takes 3 ns, as much as all else that a
 * loop does with an element whose square it adds to a residual.
 *
 * Idea. Terms x_i, with sum |x_i| < 2^E, are cut at 2^b, b = E - 50:
 *
 *   high_i = (x_i + 1.5 * 2^(b + 52)) - 1.5 * 2^(b + 52)     a multiple of 2^b
 *   x_i    = x_i - high_i                          exact, |.| <= 2^(b - 1)
 *
 * Doubles hold the sum of all high_i without error, as it has no more than 53
 * bits. It is one term of the exact sum, and what is left of all x_i goes round
 * again, until nothing is left: two rounds for terms of like size, a further
 * one for each 43 bits by which some are smaller.
 *
 * Measured: residuals of bench/airfoil, whose terms differ by 2^60: 0.5 ns a
 * term with eight lanes, in place of 3.
 *
 * Source: ExtractVector of Rump, Ogita, Oishi, "Accurate floating-point
 * summation part I", 2008, section 3; the bound by the sum of magnitudes in
 * place of their maximum saves a logarithm of their number.
 * Limits: terms near the least normal double, infinities and what is no number
 * are added one by one, as is what ROUNDS leave. */
#include "rt/walk/exact.h"

#include "base/fp.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum {
  LANES = 8,
  VECTORS = RT_EXACT_MANY / LANES,
  BITS = 50, /* of a term are taken in a round */
  ROUNDS = 6,
  FEW = 24,    /* terms that are sooner added one by one */
  LEAST = -800 /* exponent from which on nothing is subnormal */
};

typedef double eight __attribute__((vector_size(8 * LANES)));
typedef int64_t eight_bits __attribute__((vector_size(8 * LANES)));

/* high: the sum of what was taken from terms, size: of the magnitudes of what
 * is left. */
struct cut {
  double high, size;
};

/* name: takes from each term what is a multiple of a power of two, of which
 * `shift` is 1.5 * 2^52. name_load: n vectors of terms, and zeros behind them;
 * the sum of magnitudes. */
#define CUT(name, attr)                                                        \
  attr static struct cut name(eight *terms, double shift) {                    \
    eight_bits sign = (eight_bits){0} + INT64_MAX;                             \
    eight by = (eight){0} + shift, high = {0}, size = {0};                     \
    struct cut sum = {0, 0};                                                   \
    for (int i = 0; i < VECTORS; i++) {                                        \
      eight part = (terms[i] + by) - by;                                       \
      terms[i] -= part;                                                        \
      high += part;                                                            \
      size += (eight)((eight_bits)terms[i] & sign);                            \
    }                                                                          \
    for (int k = 0; k < LANES; k++) sum.high += high[k];                       \
    for (int k = 0; k < LANES; k++) sum.size += size[k];                       \
    return sum;                                                                \
  }                                                                            \
  attr static double name##_load(eight *to, const double *terms, int n) {      \
    eight_bits sign = (eight_bits){0} + INT64_MAX;                             \
    eight size = {0}, term;                                                    \
    double sum = 0;                                                            \
    for (int i = 0; i < n; i++) {                                              \
      memcpy(&term, terms + (size_t)LANES * i, sizeof term);                   \
      size += (eight)((eight_bits)term & sign);                                \
      to[i] = term;                                                            \
    }                                                                          \
    for (int i = n; i < VECTORS; i++) to[i] = (eight){0};                      \
    for (int k = 0; k < LANES; k++) sum += size[k];                            \
    return sum;                                                                \
  }
CUT(plain, )
#if defined(__x86_64__)
CUT(avx2, __attribute__((target("avx2"))))
CUT(avx512, __attribute__((target("avx512f"))))
#endif

struct cuts {
  struct cut (*cut)(eight *terms, double shift);
  double (*load)(eight *to, const double *terms, int n);
};

static struct cuts
cuts_best(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return (struct cuts){avx512, avx512_load};
  if (__builtin_cpu_supports("avx2")) return (struct cuts){avx2, avx2_load};
#endif
  return (struct cuts){plain, plain_load};
}

static void
add_each(struct rt_exact *x, const double *terms, int n) {
  for (int i = 0; i < n; i++)
    if (terms[i] != 0) rt_exact_add(x, terms[i]);
}

/* Of a normal number: |x| < 2^exponent. */
static int
exponent_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (int)(bits >> 52 & 0x7ff) - 1022;
}

/* 1.5 * 2^exponent */
static double
one_and_a_half(int exponent) {
  uint64_t bits = (uint64_t)(exponent + 1023) << 52 | (uint64_t)1 << 51;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

void
rt_exact_add_many(struct rt_exact *x, const double *terms, int n) {
  eight rest[VECTORS];
  assert(0 <= n && n <= RT_EXACT_MANY);
  if (n < FEW) {
    add_each(x, terms, n);
    return;
  }
  int whole = n / LANES;
  uint32_t mode = fp_mode_change(fp_mode_plain());
  struct cuts by = cuts_best();
  struct cut sum = {0, by.load(rest, terms, whole)};
  add_each(x, terms + (size_t)LANES * whole, n % LANES);
  for (int k = 0; sum.size != 0; k++) {
    int exponent = exponent_of(sum.size);
    if (k == ROUNDS || exponent < LEAST || exponent > -LEAST) {
      add_each(x, (const double *)rest, whole * LANES);
      break;
    }
    sum = by.cut(rest, one_and_a_half(exponent - BITS + 52));
    rt_exact_add(x, sum.high);
  }
  fp_mode_change(mode);
}
