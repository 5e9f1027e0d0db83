/* Exact sums of floating-point numbers.
 *
 * Problem. a + b + c depends on the order, so that a global depends on how
 * elements were dealt out to threads and ranks. A fixed order needs all terms
 * in one place.
 *
 * Idea. A double is an integer of 53 bits times a power of two. All of them are
 * multiples of 2^-1074, so that a fixed-point number of 2098 bits, and some for
 * carries, holds every sum exactly, and integer addition does not mind the
 * order. It lies in chunks of 32 bits with 32 bits of room each: a term adds to
 * two of them
 *
 *   chunk     ...     i+1            i            i-1 ...
 *   term            52 bits  |  low 32 bits           its exponent says which i
 *
 * and carries are taken once in LAZY terms. One rounding in the end.
 *
 * Cost: about 3 ns a term, 560 bytes a sum. Two sums are joined word by word,
 * by any reduction that can add integers.
 * Source: Kulisch, Miranker, "The arithmetic of the digital computer: a new
 * approach", 1986; with lazy carries: Neal, "Fast exact summation using small
 * and large superaccumulators", 2015, section 2.
 * Tried: cutting many terms at once into parts that doubles add without error
 * (Rump, Ogita, Oishi 2008, ExtractVector) was slower, with terms of different
 * size: four rounds. Limits: float sums are rounded to double first. */
#include "rt/walk/exact.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A term adds less than 2^53 to a chunk, which has room for 2^63. */
enum { LAZY = 1 << 9, LAST = RT_EXACT_CHUNKS - 1, FRACTION = 52 };
static const int64_t base = (int64_t)1 << 32;

/* floor(a / base) */
static int64_t
high_part(int64_t a) {
  int64_t q = a / base;
  return q - (a % base < 0);
}

void
rt_exact_carry(struct rt_exact *x) {
  for (int i = 0; i < LAST; i++) {
    int64_t carry = high_part(x->chunk[i]);
    x->chunk[i] -= carry * base;
    x->chunk[i + 1] += carry;
  }
  x->since = 0;
}

static void
count_term(struct rt_exact *x) {
  if (++x->since == LAZY) rt_exact_carry(x);
}

void
rt_exact_add(struct rt_exact *x, double term) {
  uint64_t bits;
  memcpy(&bits, &term, sizeof bits);
  uint32_t exponent = (uint32_t)(bits >> FRACTION) & 0x7ff;
  uint64_t m = bits & (((uint64_t)1 << FRACTION) - 1);
  int negative = (int)(bits >> 63);
  if (exponent == 0x7ff) {
    if (m)
      x->nan++;
    else if (negative)
      x->minus++;
    else
      x->plus++;
    return;
  }
  if (exponent) {
    m |= (uint64_t)1 << FRACTION;
    exponent--;
  }
  uint32_t i = exponent >> 5, shift = exponent & 31;
  assert(i + 1 < RT_EXACT_CHUNKS);
  int64_t low = (int64_t)(m << shift & 0xffffffff);
  int64_t high = (int64_t)(m >> (32 - shift));
  x->chunk[i] += negative ? -low : low;
  x->chunk[i + 1] += negative ? -high : high;
  count_term(x);
}

void
rt_exact_add_integer(struct rt_exact *x, int64_t term) {
  int64_t high = high_part(term);
  x->chunk[0] += term - high * base;
  x->chunk[1] += high;
  count_term(x);
}

void
rt_exact_join(struct rt_exact *to, struct rt_exact *from) {
  assert(to != from);
  rt_exact_carry(to);
  rt_exact_carry(from);
  for (int i = 0; i < RT_EXACT_CHUNKS; i++) to->chunk[i] += from->chunk[i];
  to->nan += from->nan;
  to->plus += from->plus;
  to->minus += from->minus;
  to->since = 1;
}

/* The leading 64 bits of a number that is not negative, and whether others
 * follow: value = (bits, more) * 2^exponent, bits with its highest one set. */
struct lead {
  uint64_t bits;
  int exponent, more;
};

static uint64_t
chunk_or_zero(const struct rt_exact *x, int i) {
  return i < 0 ? 0 : (uint64_t)x->chunk[i];
}

static struct lead
lead_of(const struct rt_exact *x, int k) {
  uint64_t a = chunk_or_zero(x, k), b = chunk_or_zero(x, k - 1);
  uint64_t c = chunk_or_zero(x, k - 2);
  int w = 0;
  while (w < 32 && a >> w) w++;
  struct lead l = {.bits = (a << 32 | b) << (32 - w) | c >> w,
                   .exponent = 32 * (k - 2) + w - 1074,
                   .more = (c & (((uint64_t)1 << w) - 1)) != 0};
  for (int i = 0; i < k - 2; i++) l.more |= x->chunk[i] != 0;
  return l;
}

/* What is smaller than the least normal double has fewer than 53 bits, so that
 * nothing is rounded twice. */
static double
rounded(struct lead l) {
  enum { DROP = 64 - 53 };
  uint64_t m = l.bits >> DROP, rest = l.bits & ((1 << DROP) - 1);
  uint64_t half = 1 << (DROP - 1);
  assert(l.bits >> 63);
  if (rest > half || (rest == half && (l.more || m & 1))) m++;
  return ldexp((double)m, l.exponent + DROP);
}

double
rt_exact_value(struct rt_exact *x) {
  if (x->nan || (x->plus && x->minus)) return NAN;
  if (x->plus || x->minus) return x->plus ? INFINITY : -INFINITY;
  rt_exact_carry(x);
  struct rt_exact size = *x;
  int negative = x->chunk[LAST] < 0, k = LAST;
  for (int i = 0; negative && i < RT_EXACT_CHUNKS; i++)
    size.chunk[i] = -size.chunk[i];
  rt_exact_carry(&size);
  while (k >= 0 && !size.chunk[k]) k--;
  if (k < 0) return 0;
  double value = rounded(lead_of(&size, k));
  return negative ? -value : value;
}

int64_t
rt_exact_integer(struct rt_exact *x) {
  rt_exact_carry(x);
  return (int64_t)((uint64_t)x->chunk[0] + ((uint64_t)x->chunk[1] << 32));
}
