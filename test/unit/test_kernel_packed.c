/* Kernels around kernels that take one block: what their code proves. */
#include "lower/kernel.h"
#include "lower/packed.h"

#include <criterion/criterion.h>

static const struct type i32 = {TYPE_I32, 4}, f64 = {TYPE_F64, 8};

static const struct low_kernel *
packed(const char *source, uint32_t nparams, struct low_pack p) {
  const struct low_kernel *k;
  cr_assert_eq(low_kernel_source("k", source), OK);
  const struct low_kernel *base = low_kernel_get(NULL, "k");
  cr_assert_not(base->opaque, "%s", base->why);
  cr_assert_eq(low_kernel_packed(base, nparams, &p, 1, &k), OK);
  return k;
}

Test(kernel_packed, what_is_left_in_the_block_is_added,
     .fini = low_kernels_clear) {
  const struct low_kernel *k =
      packed("void k(const int *v, int *x) {"
             "  for (int i = 0; i < 4; i++) x[i] = *v * i; }",
             2, (struct low_pack){1, 0, ACC_INC, i32, 4, 1, 1, 1});
  cr_expect(k->params[1].adds_as & 1u << TYPE_I32);
  cr_expect(k->params[1].indirect);
  cr_expect_eq(k->params[1].nentries, 4);
  cr_expect_not(k->params[0].writes);
}

Test(kernel_packed, a_block_stored_whole_hides_what_was,
     .fini = low_kernels_clear) {
  const struct low_pack write = {0, 0, ACC_WRITE, f64, 3, 2, 1, 1};
  const struct low_kernel *k = packed(
      "void k(double *x) { for (int i = 0; i < 6; i++) x[i] = i; }", 1, write);
  cr_expect_not(k->params[0].reads);
  cr_expect_eq(k->params[0].full_bytes, 16);
  k = packed("void k(double *x) { for (int i = 0; i < 5; i++) x[i] = i; }", 1,
             write);
  cr_expect(k->params[0].reads);
}

/* Local matrix of 2 x 2 entries of 2 x 1 values: x[i][r][j]. */
Test(kernel_packed, components_of_an_entry_lie_apart,
     .fini = low_kernels_clear) {
  const struct low_kernel *k =
      packed("void k(double *x) { x[1] = 0; x[3] = 0; }", 1,
             (struct low_pack){0, 0, ACC_RW, f64, 4, 2, 2, 1});
  const struct low_param *p = &k->params[0];
  cr_expect(p->stores);
  cr_expect_eq(p->nentries, 4, "the others are stored as they were");
}

Test(kernel_packed, one_kernel_for_equal_blocks, .fini = low_kernels_clear) {
  const struct low_pack p = {0, 0, ACC_RW, i32, 2, 1, 1, 1};
  const char *source = "void k(int *x) { x[0] += x[1]; }";
  const struct low_kernel *k = packed(source, 1, p);
  cr_expect_eq(packed(source, 1, p), k);
  struct low_pack more = p;
  more.entries = 3;
  cr_expect_neq(packed(source, 1, more), k);
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

/* A replaced source stays as long as what goes around it is used. */
Test(kernel_packed, keeps_the_kernel_inside, .fini = low_kernels_clear) {
  const struct low_pack p = {0, 0, ACC_RW, i32, 2, 1, 1, 1};
  kept = packed("void k(int *x) { x[0] = 7; }", 1, p);
  cr_assert_eq(low_kernel_source("k", "void k(int *x) { x[1] = 8; }"), OK);
  low_kernels_sweep(is_kept);
  cr_expect_eq(kept->nunits, 1);
  cr_expect_gt(kept->units[0].bitcode_bytes, 0);
  low_kernels_sweep(none);
}
