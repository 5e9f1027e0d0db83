/* rt/store/layout.c against the formula of rt/store/store.h, component by component. */
#include "rt/store/store.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const idx_l sizes[] = {0, 1, 2, 63, 64, 65, 100, 129, 1001};
static const uint32_t blocks[] = {1, 0, 2, 3, 4, 7, 8, 16, 64};
static const uint32_t dims[] = {1, 2, 3, 4, 5, 9};
static const uint32_t widths[] = {1, 2, 3, 4, 8, 12};
#define COUNT(a) (sizeof(a) / sizeof *(a))

static size_t
at(size_t e, size_t c, size_t b, size_t dim) {
  return e / b * dim * b + c * b + e % b;
}

/* Byte i of component c of element e. */
static unsigned char
value(size_t e, size_t c, size_t i) {
  return (unsigned char)(e * 31 + c * 7 + i * 3 + (e >> 8) + 1);
}

static unsigned char *
filled(struct rt_shape s, size_t *bytes) {
  cr_assert(rt_shape_bytes(s, bytes));
  unsigned char *p = aligned_alloc(64, (*bytes + 64) / 64 * 64);
  memset(p, 0xee, *bytes);
  size_t b = rt_shape_stride(s), w = s.type.size;
  for (size_t e = 0; e < (size_t)s.n; e++)
    for (size_t c = 0; c < s.dim; c++)
      for (size_t i = 0; i < w; i++)
        p[at(e, c, b, s.dim) * w + i] = value(e, c, i);
  return p;
}

/* Wrong bytes in the copy of [lo, hi): values inside, 0xdd outside. */
static size_t
wrong_bytes(struct rt_shape s, const unsigned char *p, idx_l lo, idx_l hi) {
  size_t b = rt_shape_stride(s), w = s.type.size, wrong = 0;
  for (size_t e = 0; e < (size_t)s.n; e++)
    for (size_t c = 0; c < s.dim; c++)
      for (size_t i = 0; i < w; i++) {
        bool in = e >= (size_t)lo && e < (size_t)hi;
        unsigned char want = in ? value(e, c, i) : 0xdd;
        wrong += p[at(e, c, b, s.dim) * w + i] != want;
      }
  return wrong;
}

static void
check_pair(struct rt_shape from, struct rt_shape to, idx_l lo, idx_l hi) {
  size_t from_bytes, to_bytes;
  unsigned char *src = filled(from, &from_bytes), *dst = filled(to, &to_bytes);
  memset(dst, 0xdd, to_bytes);
  rt_layout_copy(dst, rt_shape_stride(to), src, rt_shape_stride(from), lo, hi,
                 from.dim, from.type.size);
  size_t wrong = wrong_bytes(to, dst, lo, hi);
  cr_assert_eq(wrong, 0, "n %d dim %u size %u block %u -> %u [%d, %d): %zu",
               from.n, from.dim, from.type.size, from.block, to.block, lo, hi,
               wrong);
  free(src);
  free(dst);
}

static void
check_all_pairs(idx_l n, uint32_t dim, uint32_t width) {
  for (size_t a = 0; a < COUNT(blocks); a++)
    for (size_t b = 0; b < COUNT(blocks); b++) {
      struct type t = {TYPE_BYTES, width};
      struct rt_shape from = {n, dim, t, blocks[a], 0, NULL};
      struct rt_shape to = {n, dim, t, blocks[b], 0, NULL};
      check_pair(from, to, 0, n);
      check_pair(from, to, n / 3, n - n / 5);
    }
}

Test(rt_layout, every_pair_follows_the_formula) {
  for (size_t i = 0; i < COUNT(sizes); i++)
    for (size_t d = 0; d < COUNT(dims); d++)
      for (size_t w = 0; w < COUNT(widths); w++)
        check_all_pairs(sizes[i], dims[d], widths[w]);
}

Test(rt_layout, tiles_of_large_rows_join) {
  struct type f64 = {TYPE_F64, 8};
  struct rt_shape aos = {5000, 17, f64, 1, 0, NULL},
                  soa = {5000, 17, f64, 0, 0, NULL};
  check_pair(aos, soa, 1, 4999);
  check_pair(soa, aos, 1, 4999);
}

/* User memory (OP_NO_REALLOC) may lie at any byte. */
Test(rt_layout, rows_need_no_alignment) {
  struct type f64 = {TYPE_F64, 8};
  struct rt_shape aos = {100, 3, f64, 1, 0, NULL},
                  soa = {100, 3, f64, 0, 0, NULL};
  size_t bytes;
  unsigned char *rows = filled(aos, &bytes), *moved = malloc(bytes + 1);
  memcpy(moved + 1, rows, bytes);
  unsigned char *dst = filled(soa, &bytes);
  memset(dst, 0xdd, bytes);
  rt_layout_copy(dst, rt_shape_stride(soa), moved + 1, 1, 0, 100, 3, 8);
  cr_assert_eq(wrong_bytes(soa, dst, 0, 100), 0);
  free(rows);
  free(moved);
  free(dst);
}

Test(rt_layout, soa_strides_are_odd_multiples_of_64) {
  for (idx_l n = 0; n < 5000; n += 37) {
    struct rt_shape s = {n, 4, {TYPE_F64, 8}, 0, 0, NULL};
    size_t stride = rt_shape_stride(s);
    cr_assert_eq(stride % 128, 64, "n %d: %zu", n, stride);
    cr_assert_geq(stride, (size_t)n);
    cr_assert_leq(stride, (size_t)n + 128);
  }
}

/* 2^31 - 1 elements of 5 doubles: more than 32 bits can count. */
Test(rt_layout, bytes_are_64_bit) {
  struct rt_shape s = {INT32_MAX, 5, {TYPE_F64, 8}, 1, 0, NULL};
  size_t bytes;
  cr_assert(rt_shape_bytes(s, &bytes));
  cr_assert_eq(bytes, (size_t)INT32_MAX * 40);
}

Test(rt_layout, overflow_is_told) {
  struct rt_shape s = {INT32_MAX, UINT32_MAX, {TYPE_BYTES, 1 << 20},
                       0,         0,          NULL};
  size_t bytes;
  cr_assert_not(rt_shape_bytes(s, &bytes));
}
