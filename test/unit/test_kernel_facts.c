/* What is read off kernels' IR: each case is a kernel as C text and the facts
 * that it must give, no more and no less, as one line:
 *
 *   i:     parameter i, then
 *     r w  reads old values, writes       +  only added to (and written)
 *     < >  only lowered, only raised      /n with payload n (several: /n/m)
 *     n    bytes written on every path    *n vector argument, n entries known
 *   copy i>j:n   const name:size   effects
 */
#include "base/str.h"
#include "lower/kernel.h"

#include <criterion/criterion.h>

static void
combined_text(const struct low_param *p, struct str *b) {
  uint64_t with = p->lowers_as ? p->lowers_with : p->raises_with;
  if (p->adds_as) str_add(b, "+");
  if (p->lowers_as) str_add(b, "<");
  if (p->raises_as) str_add(b, ">");
  for (uint32_t i = 0; i < 64; i++)
    if (with >> i & 1) str_printf(b, "/%u", i);
}

static void
facts_text(const struct low_kernel *k, struct str *b) {
  for (uint32_t i = 0; i < k->nparams; i++) {
    const struct low_param *p = &k->params[i];
    str_printf(b, "%s%u:%s%s", i ? " " : "", i, p->reads ? "r" : "",
               p->writes ? "w" : "");
    if (p->writes) combined_text(p, b);
    if (p->full_bytes) str_printf(b, "%zu", p->full_bytes);
    if (p->indirect) str_printf(b, "*%u", p->nentries);
  }
  if (k->copy_from >= 0)
    str_printf(b, " copy %d>%d:%zu", k->copy_from, k->copy_to, k->copy_bytes);
  for (uint32_t i = 0; i < k->nconsts; i++)
    str_printf(b, " const %s:%zu", k->consts[i].name, k->consts[i].size);
  if (k->effects) str_printf(b, " effects");
}

static void
facts_check(const char *source, const char *expected) {
  struct str text = STR_INIT;
  cr_assert_eq(low_kernel_source("k", source), OK, "%s", err_last());
  facts_text(low_kernel_get(NULL, "k"), &text);
  cr_expect_str_eq(text.s, expected);
  str_clear(&text);
  low_kernels_clear();
}

#define FACTS(name, source, expected)                                          \
  Test(kernel_facts, name) {                                                   \
    facts_check(source, expected);                                             \
  }

/* ---- operations ---------------------------------------------------------- */

static void
ops_check(const char *source, uint32_t flops, uint32_t slow, uint32_t calls,
          bool loops) {
  cr_assert_eq(low_kernel_source("k", source), OK, "%s", err_last());
  const struct low_kernel *k = low_kernel_get(NULL, "k");
  cr_expect(k->flops == flops && k->slow == slow && k->calls == calls &&
                k->loops == loops,
            "%u %u %u %d, expected %u %u %u %d", k->flops, k->slow, k->calls,
            k->loops, flops, slow, calls, loops);
  low_kernels_clear();
}

Test(kernel_facts, operations) {
  ops_check("void k(double *a) { a[0] = a[0] * a[1] + 2; a[1]++; }", 3, 0, 0,
            false);
  ops_check("#include <math.h>\n"
            "void k(double *a, float *b) { a[0] = sqrt(a[0]) / a[1];"
            "  b[0] = expf(b[0]) - sinf(b[1]); a[2] = fabs(a[2]); }",
            1, 2, 2, false);
  ops_check("void k(double *a) { for (int i = 0; i < 8; i++) a[i] *= a[0]; }",
            8, 0, 0, false);
  ops_check("void k(double *a, int *n) {"
            "  for (int i = 0; i < *n; i++) a[i] *= a[0] + 1; }",
            2, 0, 0, true);
  ops_check("static double f(double x) { return x * x; }"
            "void k(double *a, int *n) { if (*n) a[0] = f(a[0]);"
            "  else a[0] = a[1] / f(a[1]); }",
            2, 1, 0, false);
}

static void
others_check(const char *source, uint32_t others) {
  cr_assert_eq(low_kernel_source("k", source), OK, "%s", err_last());
  const struct low_kernel *k = low_kernel_get(NULL, "k");
  cr_expect_eq(k->others, others, "%u of %s", k->others, source);
  low_kernels_clear();
}

/* Places and turns of loops are none. */
Test(kernel_facts, other_operations) {
  others_check("void k(int *a) { a[0] = 5 * a[0] + (a[1] ^ a[2]); }", 3);
  others_check("void k(unsigned *a) { a[0] = a[1] >> 3 & 7; a[2] |= a[3]; }",
               3);
  others_check("void k(int *a, int *b) { a[0] = a[1] % b[0]; }", 0);
  others_check("void k(double *a, int *n) {"
               "  for (int i = 0; i < *n; i++) a[i] *= a[0] + 1; }",
               0);
  others_check("void k(double *a, int *n) { a[0] = a[3 * n[0] + 1]; }", 0);
  others_check("void k(int *a, int *n) { a[0] = n[1] + 3 * n[0]; }", 2);
  others_check("void k(double *a) { a[0] = a[1] * a[2] > 0 ? 0 : a[1]; }", 2);
}

/* ---- reads, writes, full bytes ------------------------------------------- */

FACTS(read_and_write,
      "void k(const double *a, double *b) { b[0] = a[0]; b[1] = a[1] + 1; }",
      "0:r 1:w16")
FACTS(untouched, "void k(double *a, double *b) { (void)a; *b = 1; }", "0: 1:w8")
FACTS(loop_of_4,
      "void k(const double *a, double *b) {"
      "  for (int i = 0; i < 4; i++) b[i] = 2 * a[i]; }",
      "0:r 1:w32")
FACTS(loop_of_64,
      "void k(const double *a, double *b) {"
      "  for (int i = 0; i < 64; i++) b[i] = 2 * a[i]; }",
      "0:r 1:w512")
FACTS(nested_loops,
      "void k(double *b) { for (int i = 0; i < 8; i++)"
      "  for (int j = 0; j < 8; j++) b[8 * i + j] = i + j; }",
      "0:w512")
FACTS(through_helpers,
      "static void set(double *p, double v) { *p = v; }"
      "static void both(double *p) { set(p, 1); set(p + 1, 2); }"
      "void k(double *b) { both(b); both(b + 2); }",
      "0:w32")
FACTS(gap_in_the_middle, "void k(double *b) { b[0] = 1; b[2] = 1; }", "0:w8")
FACTS(first_missing, "void k(double *b) { b[1] = 1; }", "0:w")
FACTS(under_a_condition, "void k(const int *c, double *b) { if (*c) *b = 1; }",
      "0:r 1:w")
FACTS(on_both_paths,
      "void k(const int *c, double *b) {"
      "  if (*c) { b[0] = 1; b[1] = 2; } else b[0] = 3; }",
      "0:r 1:w8")
FACTS(early_return,
      "void k(const int *c, double *b) { if (*c) return; *b = 1; }", "0:r 1:w")
FACTS(before_a_branch,
      "void k(const int *c, double *b) { *b = 0; if (*c) *b = 1; }", "0:r 1:w8")
FACTS(length_from_data,
      "void k(const int *n, double *b) {"
      "  for (int i = 0; i < *n; i++) b[i] = 1; }",
      "0:r 1:w")
FACTS(read_back_is_not_old,
      "void k(const int *n, double *b) { b[0] = 1;"
      "  for (int i = 0; i < *n; i++) b[0] *= 2; }",
      "0:r 1:w8")
FACTS(read_before_write, "void k(double *b) { double old = *b; *b = 1 / old; }",
      "0:rw8")
FACTS(variable_index, "void k(const int *i, double *b) { b[*i] = 1; }",
      "0:r 1:w")
FACTS(set_to_zero,
      "#include <string.h>\nvoid k(double *b) { memset(b, 0, 96); }", "0:w96")
FACTS(whole_struct,
      "struct s { double x[7]; int n; }; void k(const struct s *a, struct s *b)"
      "{ *b = *a; b->n = 1; }",
      "0:r 1:w64")
FACTS(floats, "void k(float *b) { b[0] = b[1] = b[2] = 0; }", "0:w12")
FACTS(null_tests,
      "void k(const double *a, double *b, double *c) {"
      "  c[0] = a ? *a : 0; if (b) *b = 1; }",
      "0:r 1:w 2:w8")
FACTS(local_array,
      "void k(const int *i, const double *a, double *b) {"
      "  double t[4] = {a[0], a[1], a[2], a[3]}; *b = t[*i & 3]; }",
      "0:r 1:r 2:w8")

/* ---- increments ---------------------------------------------------------- */

FACTS(adds, "void k(const double *a, double *u) { *u += *a; }", "0:r 1:rw+8")
FACTS(adds_twice,
      "void k(const double *a, double *u) { *u += a[0]; *u -= a[1]; }",
      "0:r 1:rw+8")
FACTS(adds_a_product,
      "void k(const double *a, double *u) { *u += a[0] * a[1]; }", "0:r 1:rw+8")
FACTS(adds_in_a_loop_of_64,
      "void k(const double *a, double *u) {"
      "  for (int i = 0; i < 64; i++) u[i] += a[i]; }",
      "0:r 1:rw+512")
FACTS(adds_under_a_condition,
      "void k(const double *a, double *u) { if (*a > 0) *u += *a; }",
      "0:r 1:rw+")
FACTS(adds_one_or_the_other,
      "void k(const double *a, double *u) {"
      "  if (*a > 0) *u += *a; else *u -= 1; }",
      "0:r 1:rw+8")
FACTS(adds_up_over_a_row,
      "void k(const int *n, const double *a, double *u) {"
      "  for (int i = 0; i < *n; i++) *u += a[i]; }",
      "0:r 1:r 2:rw+")
FACTS(adds_at_a_variable_index,
      "void k(const int *i, const double *a, double *u) { u[*i] += *a; }",
      "0:r 1:r 2:rw+")
FACTS(adds_integers, "void k(int *n, long long *m) { ++*n; *m -= 3; }",
      "0:rw+4 1:rw+8")
FACTS(adds_a_double_to_a_float,
      "void k(const double *a, float *u) { *u += 0.5 * *a; }", "0:r 1:rw+4")
FACTS(adds_short, "void k(const short *a, short *u) { *u += *a; }",
      "0:r 1:rw+2")
FACTS(adds_to_one_sets_the_other, "void k(double *u) { u[0] += 1; u[1] = 1; }",
      "0:rw16")
FACTS(jacobi_reads_its_sum, /* OP2's own: OP_INC of u is not an increment */
      "void k(const double *r, double *du, double *u, double *sum, double *max)"
      "{ *u += *du + 0.1 * *r; *du = 0; *sum += *u * *u;"
      "  *max = *max > *u ? *max : *u; }",
      "0:r 1:rw8 2:rw8 3:rw+8 4:rw>8")
FACTS(adds_twice_the_old, "void k(double *u) { *u += *u; }", "0:rw8")
FACTS(old_minus_from, "void k(double *u) { *u = 1 - *u; }", "0:rw8")
FACTS(scales, "void k(double *u) { *u *= 2; }", "0:rw8")
FACTS(multiplies_the_old,
      "void k(const double *a, double *u) { *u = *u * a[0] + a[1]; }",
      "0:r 1:rw8")
FACTS(old_decides, "void k(double *u) { if (*u > 0) *u += 1; }", "0:rw")
FACTS(old_goes_elsewhere, "void k(double *u, double *v) { *v = *u; *u += 1; }",
      "0:rw8 1:w8")
FACTS(other_component, "void k(double *u) { u[0] = u[1] + 1; }", "0:rw8")
FACTS(swaps,
      "void k(double *u) { double t = u[0] + 1; u[0] = u[1] + 1; u[1] = t; }",
      "0:rw16")
FACTS(variable_indices_differ,
      "void k(const int *i, double *u) { u[i[0]] = u[i[1]] + 1; }", "0:r 1:rw")
FACTS(sets_or_adds,
      "void k(const int *c, double *u) { if (*c) *u = 0; *u += 1; }",
      "0:r 1:rw8")
FACTS(bits_of_the_sum,
      "#include <string.h>\nvoid k(double *u) { long long b; *u += 1;"
      "  memcpy(&b, u, 8); b += 1; memcpy(u, &b, 8); }",
      "0:rw8")
FACTS(narrowed_between,
      "void k(double *u) { *u = (double)((float)*u + 1.0f); }", "0:rw8")

/* ---- vector arguments ---------------------------------------------------- */

FACTS(vector_read,
      "void k(const double **a, double *b) {"
      "  *b = a[0][0] + a[1][0] + a[2][1]; }",
      "0:r*3 1:w8")
FACTS(vector_adds,
      "void k(double **u) { for (int i = 0; i < 4; i++)"
      "  for (int j = 0; j < 2; j++) u[i][j] += i; }",
      "0:rw+16*4")
FACTS(vector_writes_less_of_one,
      "void k(double **u) { u[0][0] = u[0][1] = 1; u[1][0] = 2; }", "0:w8*2")
FACTS(vector_skips_one, "void k(double **u) { u[0][0] = 1; u[2][0] = 2; }",
      "0:w*3")
FACTS(vector_of_a_row,
      "void k(const int *n, double **u) {"
      "  for (int i = 0; i < *n; i++) u[i][0] += 1; }",
      "0:r 1:rw+*0")
FACTS(vector_across_entries, "void k(double **u) { u[0][0] = u[1][0] + 1; }",
      "0:rw*2")
FACTS(vector_chosen_entry,
      "void k(const int *c, double **u) { double *p = *c ? u[0] : u[1];"
      "  *p += 1; }",
      "0:r 1:rw+*0")
FACTS(vector_entry_replaced,
      "void k(double **u, double *v) { u[0] = v; u[0][0] = 1; }", "0:rw 1:rw")

/* ---- pointers that are not followed -------------------------------------- */

FACTS(either_argument,
      "void k(const int *c, double *u, double *v) {"
      "  double *p = *c ? u : v; *p += 1; }",
      "0:r 1:rw 2:rw")
FACTS(either_part,
      "void k(const int *c, double *u) {"
      "  double *p = *c ? u : u + 1; *p = 1; }",
      "0:r 1:w")
FACTS(pointer_walks,
      "void k(const int *n, double *u) {"
      "  for (double *p = u; p != u + *n; p++) *p = 1; }",
      "0:r 1:rw")
FACTS(pointer_as_number,
      "void k(double *u, long *n) { *n = (long)u; *u += 1; }", "0:rw 1:w8")
FACTS(pointers_in_data, "void k(double ***u) { ***u = 1; }", "0:r*1 effects")

/* ---- copies -------------------------------------------------------------- */

FACTS(copy_4,
      "void k(const double *a, double *b) {"
      "  for (int i = 0; i < 4; i++) b[i] = a[i]; }",
      "0:r 1:w32 copy 0>1:32")
FACTS(copy_by_memcpy,
      "#include <string.h>\n"
      "void k(double *b, const double *a) { memcpy(b, a, 800); }",
      "0:w800 1:r copy 1>0:800")
FACTS(copy_and_more,
      "void k(const double *a, double *b, double *c) { *b = *a; *c = 1; }",
      "0:r 1:w8 2:w8")
FACTS(copy_shifted,
      "void k(const double *a, double *b) { b[0] = a[1]; b[1] = a[0]; }",
      "0:r 1:w16")
FACTS(copy_under_a_condition,
      "void k(const int *c, const double *a, double *b) { if (*c) *b = *a; }",
      "0:r 1:r 2:w")
FACTS(copy_in_part,
      "void k(const int *c, const double *a, double *b) {"
      "  b[0] = a[0]; if (*c) b[1] = a[1]; }",
      "0:r 1:r 2:w8")
FACTS(copy_of_two,
      "void k(const double *a, const double *b, double *c) {"
      "  c[0] = a[0]; c[1] = b[1]; }",
      "0:r 1:r 2:w16")
FACTS(copy_that_converts, "void k(const float *a, double *b) { *b = *a; }",
      "0:r 1:w8")

/* ---- effects and constants ----------------------------------------------- */

FACTS(math_is_pure,
      "#include <math.h>\nvoid k(const double *a, double *b) {"
      "  *b = sqrt(a[0]) + cbrt(a[1]) + fmax(a[2], exp(a[3])) + tan(a[4]); }",
      "0:r 1:w8")
FACTS(prints,
      "#include <stdio.h>\nvoid k(const double *a) { printf(\"%g\", *a); }",
      "0:r effects")
FACTS(gives_the_argument_away,
      "void use(double *); void k(double *a) { *a += 1; use(a); }",
      "0:rw effects")
FACTS(is_volatile, "void k(volatile double *a) { *a = 1; }", "0:w8 effects")
FACTS(is_atomic, "void k(_Atomic int *a) { ++*a; }", "0:rw effects")
FACTS(has_assembly,
      "void k(double *a) { __asm__ volatile(\"\" ::: \"memory\");"
      " *a = 1; }",
      "0:w8 effects")
FACTS(calls_a_pointer, "void k(void (**f)(void)) { (*f)(); }", "0:*0 effects")
FACTS(own_table,
      "static const double w[2] = {1, 2};"
      "void k(const int *i, double *b) { *b = w[*i]; }",
      "0:r 1:w8")
FACTS(table_of_tables,
      "static const double a[] = {1, 2}, b[] = {3, 4};"
      "static const double *const t[] = {a, b};"
      "static const double *const *const all[] = {t, t + 1};"
      "void k(const int *i, double *y) { *y = t[*i][1] + all[*i][*i][0]; }",
      "0:r 1:w8")
FACTS(table_in_a_ring,
      "struct s { const double *w; const struct s *next; };"
      "static const double a[] = {1, 2}; static const struct s ring[];"
      "static const struct s ring[] = {{a, ring + 1}, {a + 1, ring}};"
      "void k(const int *n, double *y) { const struct s *s = ring;"
      "  for (int i = 0; i < *n; i++) s = s->next; *y = *s->w; }",
      "0:r 1:w8")
FACTS(table_with_functions,
      "double f(double); struct s { double (*f)(double); const double *w; };"
      "static const double a[] = {1, 2};"
      "static const struct s t[] = {{f, a}, {0, a + 1}};"
      "void k(const int *i, double *y) { *y = t[*i].f ? *t[*i].w : 0; }",
      "0:r 1:w8")
FACTS(table_of_variables,
      "extern double x, z; static double *const t[] = {&x, &z};"
      "void k(const int *i, double *y) { *y = *t[*i]; }",
      "0:r 1:w8 effects")
FACTS(table_beside_variables,
      "extern double x;"
      "static const struct { double w; double *p; } t[] = {{1, 0}, {2, &x}};"
      "void k(const int *i, double *y) { *y = t[*i].w; }",
      "0:r 1:w8")
FACTS(table_of_weak_names,
      "extern const double x __attribute__((weak));"
      "static const double *const t[] = {&x, 0};"
      "void k(const int *i, double *y) { *y = t[*i] ? 1 : 2; }",
      "0:r 1:w8 effects")
FACTS(table_of_tables_of_variables,
      "extern double x; static double *const t[] = {&x};"
      "static double *const *const all[] = {t, t};"
      "void k(const int *i, double *y) { *y = **all[*i]; }",
      "0:r 1:w8 effects")
FACTS(table_of_numbers_as_addresses,
      "static const double *const t[] = {(const double *)64, 0};"
      "void k(const int *i, double *y) { *y = *t[*i]; }",
      "0:r 1:w8 effects")
FACTS(table_or_argument,
      "static const double a[] = {1, 2}, *const t[] = {a, a + 1};"
      "void k(const int *i, const double *x, double *y) {"
      "  const double *p = *i & 1 ? t[*i & 2] : x; *y = *p; }",
      "0:r 1:rw 2:w8")
FACTS(table_is_walked,
      "static const double a[] = {1, 2}, *const t[] = {a, a + 1};"
      "void k(const int *i, double *y) { const double *p = t[*i], *q = p + *i;"
      "  *y = 0; while (p != q) *y += *p++; }",
      "0:r 1:w8")
FACTS(table_compared_with_functions,
      "static double f(double x) { return x; } double g(double);"
      "static double (*const t[])(double) = {f, 0, g, f, g, 0, 0};"
      "void k(const int *i, double *y) { *y = t[*i] == (*i & 1 ? f : g); }",
      "0:r 1:w8 effects")
FACTS(table_compared_with_an_argument,
      "static const double a[] = {1, 2}, *const t[] = {a, a + 1};"
      "void k(const int *i, const double *x, double *y) { *y = t[*i] == x; }",
      "0:r 1:rw 2:w8 effects")
FACTS(table_shows_addresses,
      "#include <stdint.h>\n"
      "static const double a[] = {1, 2}, *const t[] = {a, a + 1};"
      "void k(const int *i, uintptr_t *y) { *y = (uintptr_t)t[*i]; }",
      "0:r 1:w8 effects")
FACTS(recursion,
      "static int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }"
      "void k(const int *n, int *b) { *b = f(*n); }",
      "0:r 1:w4 effects")
FACTS(program_variable, /* exported by the C library */
      "extern char **environ; void k(int *b) { *b = environ != 0; }",
      "0:w4 const environ:8")

/* ---- only lowered, only raised -------------------------------------------- */

FACTS(lowers_in_a_branch,
      "void k(const double *x, double *m) { if (*x < *m) *m = *x; }",
      "0:r 1:rw<")
FACTS(lowers_where_not_greater,
      "void k(const double *x, double *m) { if (*m > *x) *m = *x; }",
      "0:r 1:rw<")
FACTS(raises_by_a_choice,
      "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n"
      "void k(const float *x, float *m) { *m = MAX(*m, *x); }",
      "0:r 1:rw>4")
FACTS(lowers_by_fmin,
      "#include <math.h>\n"
      "void k(const double *x, double *m) { *m = fmin(*x, *m); }",
      "0:r 1:rw<8")
FACTS(raises_unsigned,
      "void k(const unsigned *x, unsigned *m) { if (*m < *x) *m = *x; }",
      "0:r 1:rw>")
FACTS(lowers_under_a_condition,
      "void k(const int *c, const double *x, double *m) {"
      "  if (*c && *x < *m) *m = *x; }",
      "0:r 1:r 2:rw<")
FACTS(
    lowers_under_both,
    "void k(const double *x, double *m) {"
    "  double d = x[0] - x[1]; int far = d > 3; if (far & (d < *m)) *m = d; }",
    "0:r 1:rw<")
FACTS(raises_thrice,
      "void k(const double *x, double *m) {"
      "  for (int i = 0; i < 3; i++) if (x[i] > *m) *m = x[i]; }",
      "0:r 1:rw>")
FACTS(raises_components,
      "void k(const short *x, short *m) {"
      "  for (int i = 0; i < 3; i++) if (x[i] > m[i]) m[i] = x[i]; }",
      "0:r 1:rw>")
FACTS(raises_in_a_loop,
      "#include <math.h>\n"
      "void k(const int *n, const double *x, double *m) { double d = *m;"
      "  for (int i = 0; i < *n; i++) d = fmax(d, x[i]); *m = d; }",
      "0:r 1:r 2:rw>8")
FACTS(lowers_with_a_payload,
      "void k(const double *x, const int *id, double *m, int *at) {"
      "  if (*x < *m) { *m = *x; *at = *id; } }",
      "0:r 1:r 2:rw</3 3:w")
FACTS(
    raises_with_a_long_payload,
    "void k(const double *x, const double *y, double *m, double *with) {"
    "  if (*x > *m) { *m = *x; for (int c = 0; c < 3; c++) with[c] = y[c]; } }",
    "0:r 1:r 2:rw>/3 3:w")

FACTS(keeps_the_last_of_equals,
      "void k(const double *x, const int *id, double *m, int *at) {"
      "  if (*x <= *m) { *m = *x; *at = *id; } }",
      "0:r 1:r 2:rw 3:w")
FACTS(counts_improvements,
      "void k(const double *x, double *m, int *n) {"
      "  if (*x < *m) { *m = *x; *n += 1; } }",
      "0:r 1:rw 2:rw+")
FACTS(payload_is_written_elsewhere,
      "void k(const double *x, const int *id, double *m, int *at) {"
      "  *at = 7; if (*x < *m) { *m = *x; *at = *id; } }",
      "0:r 1:r 2:rw 3:w4")
FACTS(compares_with_less,
      "void k(const double *x, double *m) { if (*x < *m - 1) *m = *x; }",
      "0:r 1:rw")
FACTS(running_value_goes_elsewhere,
      "void k(const double *x, double *m, double *y) {"
      "  if (*x < *m) *m = *x; *y = *m; }",
      "0:r 1:rw 2:w8")
FACTS(outcome_goes_elsewhere,
      "void k(const double *x, double *m, int *y) {"
      "  *y = *x < *m; if (*x < *m) *m = *x; }",
      "0:r 1:rw 2:w4")
FACTS(stores_another_value,
      "void k(const double *x, double *m) { if (*x < *m) *m = *x + 1; }",
      "0:r 1:rw")
FACTS(lowers_and_raises,
      "void k(const double *x, double *m) {"
      "  if (x[0] < *m) *m = x[0]; if (x[1] > *m) *m = x[1]; }",
      "0:r 1:rw")
FACTS(compares_with_what_was,
      "void k(const double *x, double *m) { double c = *m;"
      "  if (x[0] < c) *m = x[0]; if (x[1] < c) *m = x[1]; }",
      "0:r 1:rw")
FACTS(other_component_decides,
      "void k(const double *x, double *m) {"
      "  if (x[0] < m[0]) { m[0] = x[0]; m[1] = x[1]; } }",
      "0:r 1:rw")
FACTS(two_tests_decide,
      "void k(const double *x, double *m) { double d = *x;"
      "  if ((d < m[0]) & (d < m[1])) m[0] = d; }",
      "0:r 1:rw")
FACTS(signs_of_both_kinds,
      "void k(const int *x, int *m) { if (x[0] < m[0]) m[0] = x[0];"
      "  if ((unsigned)x[1] < (unsigned)m[1]) m[1] = x[1]; }",
      "0:r 1:rw")
FACTS(assigns, "void k(const double *x, double *m) { *m = *x; }",
      "0:r 1:w8 copy 0>1:8")

/* ---- how far ------------------------------------------------------------- */

static void
reach_text(uint32_t i, const struct low_reach *r, struct str *b) {
  if (!r->from && !r->to && !r->entries) return;
  str_printf(b, " %u:%lld,%lld", i, (long long)r->from, (long long)r->to);
  if (r->entries) str_printf(b, "*%lld", (long long)r->entries);
}

/* Of each parameter the bytes that each call touches, then, behind "some", those
 * that any does: " i:from,to", with "*n" entries. */
static void
reach_check(const char *source, const char *expected) {
  struct str text = STR_INIT;
  cr_assert_eq(low_kernel_source("k", source), OK, "%s", err_last());
  const struct low_kernel *k = low_kernel_get(NULL, "k");
  for (uint32_t i = 0; i < k->nparams; i++)
    reach_text(i, &k->params[i].each, &text);
  str_add(&text, " some");
  for (uint32_t i = 0; i < k->nparams; i++)
    reach_text(i, &k->params[i].some, &text);
  cr_expect_str_eq(text.s, expected);
  str_clear(&text);
  low_kernels_clear();
}

#define REACH(name, source, expected)                                          \
  Test(kernel_reach, name) {                                                   \
    reach_check(source, expected);                                             \
  }

REACH(components,
      "void k(const double *a, float *b) { for (int c = 0; c < 5; c++)"
      "b[c] = (float)a[c + 1]; }",
      " 0:0,48 1:0,20 some 0:0,48 1:0,20")
REACH(before, "void k(double *a) { a[-2] = a[0]; }", " 0:-16,8 some 0:-16,8")
REACH(
    under_a_condition,
    "void k(const double *a, double *b) { b[0] = 1; if (a[0] > 0) b[4] = 1; }",
    " 0:0,8 1:0,8 some 0:0,8 1:0,40")
REACH(
    on_both_ways,
    "void k(const double *a, double *b)"
    "{ if (a[0] > 0) { b[1] = a[1] * a[2]; } else { b[2] = a[3]; } b[4] = 1; }",
    " 0:0,8 1:0,40 some 0:0,32 1:0,40")
REACH(dead, "void k(double *a) { if (sizeof(int) == 8) a[9] = 1; a[1] = 2; }",
      " 0:0,16 some 0:0,16")
REACH(early_return,
      "void k(const int *n, double *a) { if (*n < 2) return; a[7] = 1; }",
      " 0:0,4 some 0:0,4 1:0,64")
REACH(loop_of_open_length,
      "void k(const int *n, double *a) { for (int i = 0; i < *n; i++) a[i] = "
      "1; }",
      " 0:0,4 some 0:0,4")
REACH(structs,
      "struct s { double x; int n; }; void k(struct s *a) { a[1].n = a->n; }",
      " 0:0,28 some 0:0,28")
REACH(entries,
      "void k(double **v, double *a) { a[0] = v[2][1]; if (a[0] < 0) v[5][0] = "
      "1; }",
      " 0:0,16*3 1:0,8 some 0:0,16*6 1:0,8")
REACH(copies,
      "void k(const double *a, double *b) { __builtin_memcpy(b, a, 56); }",
      " 0:0,56 1:0,56 some 0:0,56 1:0,56")
