/* The registry of kernels: blobs as op2cc makes them (built by hand here,
 * around bitcode from source), kernels from source, opaque ones. */
#include "base/err.h"
#include "base/str.h"
#include "lower/blob.h"
#include "lower/module.h"
#include "lower/kernel.h"

#include <criterion/criterion.h>
#include <string.h>

static double gam = 1.4;

/* The program's functions; what they do is said by the bitcode. */
static void
first(void) {
}
static void
second(void) {
  gam += 1;
}
static void
third(void) {
  gam += 2;
}

/* A file with kernels first and second and a global, as op2cc sees it. */
struct file {
  struct str bitcode;
  struct op2_blob_entry entries[3];
  struct op2_blob blob;
};

static void
file_init(struct file *f, const char *source) {
  *f = (struct file){.bitcode = STR_INIT};
  cr_assert_eq(low_llvm_source("one", source, &f->bitcode), OK, "%s",
               err_last());
  f->entries[0] = (struct op2_blob_entry){.address = (const void *)first,
                                          .ir_name = "one",
                                          .kind = OP2_BLOB_FUNCTION};
  f->entries[1] = (struct op2_blob_entry){.address = (const void *)second,
                                          .ir_name = "absent",
                                          .kind = OP2_BLOB_FUNCTION};
  f->entries[2] = (struct op2_blob_entry){.address = &gam,
                                          .ir_name = "gam",
                                          .size = sizeof gam,
                                          .kind = OP2_BLOB_GLOBAL};
  f->blob = (struct op2_blob){.version = OP2_BLOB_VERSION,
                              .nentries = 3,
                              .entries = f->entries,
                              .bitcode = f->bitcode.s,
                              .bitcode_bytes = f->bitcode.len,
                              .source = "file.c"};
  op2_blob_register(&f->blob);
}

static void
file_clear(struct file *f) {
  op2_blob_unregister(&f->blob);
  str_clear(&f->bitcode);
}

static const char scaling[] =
    "extern double gam;\n"
    "void one(const double *a, double *b) { *b += gam * *a; }\n";

static struct file f;

static void
teardown(void) {
  file_clear(&f);
  low_kernels_clear();
}

static void
setup(void) {
  file_init(&f, scaling);
}

TestSuite(kernel_blob, .init = setup, .fini = teardown);
TestSuite(kernel, .fini = low_kernels_clear);

Test(kernel_blob, found_by_address) {
  const struct low_kernel *k = low_kernel_get(first, "any name");
  cr_assert_not(k->opaque);
  cr_expect_str_eq(k->name, "one");
  cr_expect(k->address == first);
  cr_expect_eq(k->bitcode, f.blob.bitcode);
  cr_expect_eq(k->nparams, 2u);
  cr_expect(k->params[1].adds_as);
}

Test(kernel_blob, constants_have_addresses) {
  const struct low_kernel *k = low_kernel_get(first, "one");
  cr_assert_eq(k->nconsts, 1u);
  cr_expect_str_eq(k->consts[0].name, "gam");
  cr_expect_eq(k->consts[0].address, &gam);
  cr_expect_eq(k->consts[0].size, sizeof gam);
}

Test(kernel_blob, same_kernel_each_time) {
  const struct low_kernel *k = low_kernel_get(first, "one");
  cr_expect_eq(low_kernel_get(first, "another"), k);
}

Test(kernel_blob, broken_entry_is_opaque) {
  const struct low_kernel *k = low_kernel_get(second, "absent");
  cr_expect(k->opaque);
  cr_expect_null(k->bitcode);
  cr_expect(strstr(k->why, "does not define") != NULL, "%s", k->why);
}

Test(kernel_blob, unknown_address_is_opaque) {
  const struct low_kernel *k = low_kernel_get(third, "third");
  cr_expect(k->opaque);
  cr_expect(k->address == third);
  cr_expect_str_eq(k->name, "third");
  cr_expect_eq(k->nparams, 0u);
  cr_expect_eq(k->copy_from, -1);
}

Test(kernel_blob, source_of_that_name_serves_a_function_without_ir) {
  cr_expect(low_kernel_get(third, "one")->opaque);
  cr_assert_eq(low_kernel_source("one", "void one(int *a) { *a = 1; }"), OK);
  const struct low_kernel *k = low_kernel_get(third, "one");
  cr_expect_not(k->opaque);
  cr_expect_null((void *)k->address);
}

Test(kernel_blob, ir_goes_before_source) {
  cr_assert_eq(low_kernel_source("one", "void one(int *a) { *a = 1; }"), OK);
  cr_expect_eq(low_kernel_get(first, "one")->nparams, 2u);
}

Test(kernel_blob, removed_blob_is_not_found) {
  const struct low_kernel *old = low_kernel_get(first, "one");
  op2_blob_unregister(&f.blob);
  cr_expect(low_kernel_get(first, "one")->opaque);
  cr_expect(old->bitcode != f.blob.bitcode, "it keeps a copy");
  cr_expect_eq(memcmp(old->bitcode, f.bitcode.s, f.bitcode.len), 0);
}

Test(kernel_blob, loaded_again_is_found_again) {
  low_kernel_get(first, "one");
  op2_blob_unregister(&f.blob);
  cr_assert(low_kernel_get(first, "one")->opaque);
  op2_blob_register(&f.blob);
  cr_expect_not(low_kernel_get(first, "one")->opaque);
}

Test(kernel_blob, first_of_two_files_stays) {
  struct file g;
  file_init(&g, "void one(int *a) { *a = 1; }");
  cr_expect_eq(low_kernel_get(first, "one")->bitcode, f.blob.bitcode);
  file_clear(&g);
  low_kernels_clear();
  cr_expect_eq(low_kernel_get(first, "one")->bitcode, f.blob.bitcode);
}

Test(kernel_blob, other_version_is_left_alone) {
  struct op2_blob_entry e = {.address = (const void *)third,
                             .ir_name = "one",
                             .kind = OP2_BLOB_FUNCTION};
  struct op2_blob blob = f.blob;
  blob.version++;
  blob.entries = &e;
  blob.nentries = 1;
  op2_blob_register(&blob);
  cr_expect(low_kernel_get(third, "one")->opaque);
  op2_blob_unregister(&blob);
}

Test(kernel_blob, peeking_file_is_found) {
  struct op2_blob_peek p = {"io.c", 7, OP2_LOOK_WRITE};
  cr_expect_null(low_blob_peeking(OP2_LOOK_READ));
  struct op2_blob blob = {
      .version = OP2_BLOB_VERSION, .source = "io.c", .peeks = &p, .npeeks = 1};
  op2_blob_register(&blob);
  cr_expect_eq(low_blob_peeking(OP2_LOOK_READ), &p);
  cr_expect_null(low_blob_peeking(OP2_LOOK_HOLD));
  op2_blob_unregister(&blob);
  cr_expect_null(low_blob_peeking(OP2_LOOK_READ));
}

/* Effects: the program's own code runs, so nothing of the IR may be used. */
static void
effects_check(const char *source, const char *why) {
  file_init(&f, source);
  const struct low_kernel *k = low_kernel_get(first, "one");
  cr_expect(k->effects);
  cr_expect(k->opaque);
  cr_expect_null(k->bitcode);
  cr_expect_eq(k->nconsts, 0u);
  cr_expect_str_eq(k->why, why);
  teardown();
}

Test(kernel_effects, calls) {
  effects_check("#include <stdio.h>\n"
                "void one(double *a) { printf(\"%g\\n\", *a); }",
                "calls printf");
}

Test(kernel_effects, writes_a_global) {
  effects_check("extern double gam; void one(double *a) { gam += *a; }",
                "writes global `gam`");
}

Test(kernel_effects, writes_part_of_a_global) {
  effects_check("extern double gam[2]; void one(double *a) { gam[1] = *a; }",
                "writes a global");
}

Test(kernel_effects, follows_a_global_pointer) {
  effects_check("extern double *gam; void one(double *a) { *a = gam[2]; }",
                "follows a pointer that it loads");
}

Test(kernel_effects, global_without_size) {
  file_init(&f, "extern double gam[]; void one(double *a) { *a = gam[2]; }");
  f.entries[2].size = 0;
  cr_expect_str_eq(low_kernel_get(first, "one")->why,
                   "mentions `gam`, whose size is not known");
  teardown();
}

Test(kernel_effects, global_without_place) {
  effects_check("extern double other; void one(double *a) { *a = other; }",
                "mentions `other`, whose place is not known");
}

Test(kernel_effects, thread_local) {
  effects_check("extern _Thread_local double gam;"
                "void one(double *a) { *a = gam; }",
                "uses a thread-local variable");
}

/* ---- from source --------------------------------------------------------- */

Test(kernel, source_by_name) {
  cr_assert_eq(low_kernel_source("one", "void one(int *a) { *a = 1; }"), OK);
  const struct low_kernel *k = low_kernel_get(NULL, "one");
  cr_expect_not(k->opaque);
  cr_expect_eq(k->params[0].full_bytes, sizeof(int));
}

Test(kernel, source_is_replaced) {
  low_kernel_source("one", "void one(int *a) { *a = 1; }");
  const struct low_kernel *old = low_kernel_get(NULL, "one");
  low_kernel_source("one", "void one(int *a, int *b) { *a = *b; }");
  const struct low_kernel *k = low_kernel_get(NULL, "one");
  cr_expect_eq(k->nparams, 2u);
  cr_expect_neq(memcmp(&k->digest, &old->digest, sizeof k->digest), 0);
  cr_expect_eq(old->nparams, 1u, "recorded loops still hold it");
}

Test(kernel, same_source_is_the_same_kernel) {
  low_kernel_source("one", "void one(int *a) { *a = 1; }");
  const struct low_kernel *k = low_kernel_get(NULL, "one");
  low_kernel_source("one", "void one(int *a) { *a = 1; }");
  cr_expect_eq(low_kernel_get(NULL, "one"), k);
}

static void
refuse(const char *source, const char *says) {
  cr_assert_eq(low_kernel_source("one", source), ERR_COMPILE);
  cr_expect(strstr(err_last(), says) != NULL, "%s", err_last());
  cr_expect(low_kernel_get(NULL, "one")->opaque);
}

Test(kernel, error_has_kernel_and_line) {
  refuse("void one(int *a) {\n  *a = undeclared;\n}", "one:2:8: error: ");
}

Test(kernel, source_without_the_kernel) {
  refuse("void two(int *a) { *a = 1; }", "does not define `one`");
}

Test(kernel, source_keeps_no_state) {
  refuse("static int n; void one(int *a) { *a = n++; }",
         "`n` is not only read");
}

Test(kernel, source_with_a_variable_nobody_has) {
  refuse("extern int nowhere_to_be_found; void one(int *a) {"
         " *a = nowhere_to_be_found; }",
         "whose place is not known");
}

Test(kernel, failed_source_keeps_the_former) {
  low_kernel_source("one", "void one(int *a) { *a = 1; }");
  const struct low_kernel *k = low_kernel_get(NULL, "one");
  cr_expect_eq(low_kernel_source("one", "void one(int *a) {"), ERR_COMPILE);
  cr_expect_eq(low_kernel_get(NULL, "one"), k);
}

Test(kernel, source_that_prints_has_effects_and_code) {
  low_kernel_source("one", "#include <stdio.h>\n"
                           "void one(int *a) { printf(\"%d\", *a); }");
  const struct low_kernel *k = low_kernel_get(NULL, "one");
  cr_expect(k->effects);
  cr_expect_not(k->opaque);
  cr_expect_str_eq(k->why, "calls printf");
}

Test(kernel, own_variable_that_is_only_read_is_constant) {
  low_kernel_source("one", "double w[2] = {1, 2};"
                           "void one(double *a) { *a = w[1]; }");
  const struct low_kernel *k = low_kernel_get(NULL, "one");
  cr_expect_eq(k->nconsts, 0u);
  cr_expect_not(k->effects);
}

Test(kernel, state_of_other_functions_is_no_matter) {
  cr_expect_eq(low_kernel_source("one", "static int n;"
                                        "int other(void) { return n++; }"
                                        "void one(double *a) { *a = 1; }"),
               OK, "%s", err_last());
}

Test(kernel, own_variable_handed_to_a_helper) {
  cr_expect_eq(low_kernel_source("one", "static double w[2] = {1, 2};"
                                        "static double sum(const double *p) {"
                                        "  return p[0] + p[1]; }"
                                        "void one(double *a) { *a = sum(w); }"),
               OK, "%s", err_last());
}

Test(kernel, own_variable_changed_by_a_helper) {
  refuse("static double w[2] = {1, 2};"
         "static void grow(double *p) { p[0] += p[1]; }"
         "void one(double *a) { grow(w); *a = w[0]; }",
         "`w` is not only read");
}
