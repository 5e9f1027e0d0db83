/* Kernels of the library's own: what is proven of each, one for each type and number of
 * components, and none that no loop uses. */
#include "base/str.h"
#include "lower/algebra.h"
#include "lower/kernel.h"

#include <criterion/criterion.h>

static const struct type f64 = {TYPE_F64, 8}, f32 = {TYPE_F32, 4},
                         i16 = {TYPE_I16, 2}, flag = {TYPE_BOOL, 1},
                         user = {TYPE_BYTES, 12};

static const struct low_kernel *
kernel_of(enum low_algebra op, struct type t, int dim) {
  void (*address)(void);
  cr_assert_eq(low_algebra_get(op, t, dim, &address), OK, "%s", err_last());
  return low_kernel_get(address, low_algebra_name(op));
}

/* "r" reads, "w" writes, "+" only adds, the bytes written on every path; copies. */
static void
facts(enum low_algebra op, struct type t, int dim, const char *expected) {
  SCOPED_STR text = STR_INIT;
  const struct low_kernel *k = kernel_of(op, t, dim);
  cr_assert_not(k->opaque);
  cr_assert_not(k->effects);
  for (uint32_t i = 0; i < k->nparams; i++) {
    const struct low_param *p = &k->params[i];
    bool adds = p->writes && p->adds_as >> t.kind & 1;
    str_printf(&text, "%s%s%s%s", i ? " " : "", p->reads ? "r" : "",
               p->writes ? "w" : "", adds ? "+" : "");
    if (p->full_bytes) str_printf(&text, "%zu", p->full_bytes);
  }
  if (k->copy_from >= 0)
    str_printf(&text, " copy %d>%d:%zu", k->copy_from, k->copy_to,
               k->copy_bytes);
  cr_expect_str_eq(text.s, expected, "%s x%d: %s", low_algebra_name(op), dim,
                   text.s);
}

Test(kernel_algebra, facts, .fini = low_kernels_clear) {
  facts(LOW_ALGEBRA_ZERO, f64, 3, "w24");
  facts(LOW_ALGEBRA_ZERO, user, 2, "w24");
  facts(LOW_ALGEBRA_COPY, f32, 5, "w20 r copy 1>0:20");
  facts(LOW_ALGEBRA_COPY, user, 1, "w12 r copy 1>0:12");
  facts(LOW_ALGEBRA_COPY, flag, 3, "w3 r copy 1>0:3");
  facts(LOW_ALGEBRA_SCALE, i16, 2, "rw4 r");
  facts(LOW_ALGEBRA_AXPY, f64, 4, "rw+32 r r");
  facts(LOW_ALGEBRA_AXPY_GBL, f32, 1, "rw+4 r r r");
  facts(LOW_ALGEBRA_DOT, f64, 100, "r r rw+8");
  facts(LOW_ALGEBRA_DOT, i16, 1, "r r rw+2");
  facts(LOW_ALGEBRA_DOT, f32, 5000, "r r rw+4"); /* a loop that stays one */
  facts(LOW_ALGEBRA_NORM, f64, 2, "r rw+8");
  facts(LOW_ALGEBRA_ROOT, f64, 1, "rw8");
  facts(LOW_ALGEBRA_XPAY, f32, 3, "rw12 r r");
  facts(LOW_ALGEBRA_OVER, f64, 2, "rw16 r");
  facts(LOW_ALGEBRA_RATIO, f64, 1, "w8 r r r r");
  facts(LOW_ALGEBRA_RATIOS, f32, 1, "w4 r r r r");
}

Test(kernel_algebra, types) {
  for (int op = 0; op < LOW_ALGEBRA_COUNT; op++) {
    bool moves = op == LOW_ALGEBRA_ZERO || op == LOW_ALGEBRA_COPY;
    cr_expect(low_algebra_fits(op, f64) && low_algebra_fits(op, f32));
    cr_expect_eq(low_algebra_fits(op, user), moves);
    cr_expect_eq(low_algebra_fits(op, flag), moves);
    bool whole = op != LOW_ALGEBRA_ROOT && op != LOW_ALGEBRA_OVER &&
                 op != LOW_ALGEBRA_RATIO && op != LOW_ALGEBRA_RATIOS;
    cr_expect_eq(low_algebra_fits(op, i16), whole);
  }
}

static bool
none(const struct low_kernel *k) {
  (void)k;
  return false;
}

static const struct low_kernel *kept;

static bool
is_kept(const struct low_kernel *k) {
  return k == kept;
}

Test(kernel_algebra, found_again_and_swept, .fini = low_kernels_clear) {
  const uint32_t key[] = {LOW_ALGEBRA_AXPY, TYPE_F64, 8, 4};
  const struct low_own axpy = {key, sizeof key};
  const struct low_kernel *k = kernel_of(LOW_ALGEBRA_AXPY, f64, 4);
  cr_expect_eq(kernel_of(LOW_ALGEBRA_AXPY, f64, 4), k);
  cr_expect_neq(kernel_of(LOW_ALGEBRA_AXPY, f64, 3), k);
  cr_expect_neq(kernel_of(LOW_ALGEBRA_AXPY, f32, 4), k);
  cr_expect_eq(low_kernel_own(axpy), k);
  kept = k;
  low_kernels_sweep(is_kept);
  cr_expect_eq(low_kernel_own(axpy), k);
  low_kernels_sweep(none);
  cr_expect_null(low_kernel_own(axpy));
  facts(LOW_ALGEBRA_AXPY, f64, 4, "rw+32 r r");
}

Test(kernel_algebra, a_source_of_that_name_is_another,
     .fini = low_kernels_clear) {
  cr_assert_eq(low_kernel_source("dat_zero", "void dat_zero(int *a) {}"), OK);
  facts(LOW_ALGEBRA_ZERO, f64, 1, "w8");
}
