/* The text of kernels of the library's own, in LLVM IR.
 *
 *   define void @dat_axpy(ptr %0, ptr %1, ptr %2) nounwind {
 *   start:
 *     %v1 = load double, ptr %1, align 8                      scalars, once
 *     br label %loop
 *   loop:
 *     %c = phi i64 [ 0, %start ], [ %c.next, %loop ]
 *     %a0 = getelementptr double, ptr %0, i64 %c              values
 *     %v0 = load double, ptr %a0, align 8
 *     ...
 *     %p = fmul double %v1, %v2                               algebra.def
 *     %r = fadd double %v0, %p
 *     %to = getelementptr double, ptr %0, i64 %c
 *     store double %r, ptr %to, align 8
 *     ...                                                     c < dim
 *   }
 *
 * A sum goes over the components in a register and is added to its global
 * once: that shows an increment however many there are. Products and sums are
 * not contracted, so that they have the same bits on all targets. The loop is
 * one as compilers make it, and is unrolled like those. */
#include "lower/algebra.h"

#include "base/str.h"
#include "lower/irtext.h"
#include "lower/kernel.h"

#include <assert.h>
#include <string.h>

static const struct algebra_row {
  const char *name;
  uint32_t nparams;
  const char *values, *scalars;
  uint32_t out;
  bool sums;
  const char *code;
} algebra_rows[] = {
#define ALGEBRA(op, ...) [LOW_ALGEBRA_##op] = {__VA_ARGS__},
#include "lower/algebra.def"
#undef ALGEBRA
};

const char *
low_algebra_name(enum low_algebra op) {
  assert(op < LOW_ALGEBRA_COUNT);
  return algebra_rows[op].name;
}

/* Bytes without arithmetic. */
static bool
algebra_is_bytes(struct type t) {
  return t.kind == TYPE_BYTES || t.kind == TYPE_BOOL;
}

bool
low_algebra_fits(enum low_algebra op, struct type t) {
  assert(op < LOW_ALGEBRA_COUNT);
  if (algebra_is_bytes(t))
    return op == LOW_ALGEBRA_ZERO || op == LOW_ALGEBRA_COPY;
  const char *code = algebra_rows[op].code;
  bool real = strstr(code, "$F") || strstr(code, "fdiv");
  return !real || type_class(t) == 'F';
}

/* The code of a row with its type in it. */
static void
text_code(struct str *b, const struct low_irtype *t, const char *code) {
  for (const char *c = code; *c; c++) {
    if (*c != '$') {
      str_addn(b, c, 1);
      continue;
    }
    switch (*++c) {
    case 'T': str_add(b, t->text); break;
    case 'F': str_add(b, t->bytes == 8 ? "f64" : "f32"); break;
    case '0': str_add(b, t->real ? "0.0" : "0"); break;
    case 'A': str_printf(b, "%s %s", t->real ? "fadd" : "add", t->text); break;
    case 'M': str_printf(b, "%s %s", t->real ? "fmul" : "mul", t->text); break;
    default: assert(!"a letter of algebra.def");
    }
  }
  str_add(b, "\n");
}

/* %v<p> from parameter p; of a value, component %c. */
static void
text_load(struct str *b, const struct low_irtype *t, char p, bool value) {
  if (value)
    str_printf(b, "%%a%c = getelementptr %s, ptr %%%c, i64 %%c\n", p, t->text,
               p);
  str_printf(b, "%%v%c = load %s, ptr %s%c, align %u\n", p, t->text,
             value ? "%a" : "%", p, t->bytes);
}

static void
text_store(struct str *b, const struct low_irtype *t,
           const struct algebra_row *row) {
  if (row->sums) {
    text_code(b, t, "%sum.next = $A %sum, %r");
    return;
  }
  str_printf(b,
             "%%to = getelementptr %s, ptr %%%u, i64 %%c\n"
             "store %s %%r, ptr %%to, align %u\n",
             t->text, row->out, t->text, t->bytes);
}

/* What stands before the components: parameters, scalars. */
static void
text_start(struct str *b, const struct low_irtype *t,
           const struct algebra_row *row) {
  if (strstr(row->code, "$F")) text_code(b, t, "declare $T @llvm.sqrt.$F($T)");
  str_printf(b, "define void @%s(", row->name);
  for (uint32_t p = 0; p < row->nparams; p++)
    str_printf(b, "%sptr %%%u", p ? ", " : "", p);
  str_add(b, ") nounwind {\nstart:\n");
  for (const char *p = row->scalars; *p; p++) text_load(b, t, *p, false);
  str_add(b, "br label %loop\n");
}

static void
text_loop(struct str *b, const struct low_irtype *t,
          const struct algebra_row *row, uint64_t n) {
  str_add(b, "loop:\n%c = phi i64 [ 0, %start ], [ %c.next, %loop ]\n");
  if (row->sums)
    text_code(b, t, "%sum = phi $T [ $0, %start ], [ %sum.next, %loop ]");
  for (const char *p = row->values; *p; p++) text_load(b, t, *p, true);
  text_code(b, t, row->code);
  text_store(b, t, row);
  str_printf(b,
             "%%c.next = add nuw nsw i64 %%c, 1\n"
             "%%more = icmp ult i64 %%c.next, %llu\n"
             "br i1 %%more, label %%loop, label %%end, !llvm.loop !0\n",
             (unsigned long long)n);
}

static void
algebra_text(struct str *b, const struct algebra_row *row, struct type type,
             uint32_t dim) {
  struct low_irtype t = low_irtype_of(type);
  text_start(b, &t, row);
  text_loop(b, &t, row, (uint64_t)dim * t.unit);
  str_add(b, "end:\n");
  if (row->sums) {
    str_printf(b, "%%old = load %s, ptr %%%u, align %u\n", t.text, row->out,
               t.bytes);
    text_code(b, &t, "%new = $A %old, %sum.next");
    str_printf(b, "store %s %%new, ptr %%%u, align %u\n", t.text, row->out,
               t.bytes);
  }
  str_add(b, "ret void\n}\n!0 = distinct !{!0, !1}\n"
             "!1 = !{!\"llvm.loop.mustprogress\"}\n");
}

status
low_algebra_get(enum low_algebra op, struct type t, int dim,
                void (**address_out)(void)) {
  assert(op < LOW_ALGEBRA_COUNT && dim > 0 && low_algebra_fits(op, t));
  const struct algebra_row *row = &algebra_rows[op];
  const uint32_t key[] = {(uint32_t)op, t.kind, t.size, (uint32_t)dim};
  const struct low_own what = {key, sizeof key};
  const struct low_kernel *k = low_kernel_own(what);
  if (!k) {
    SCOPED_STR text = STR_INIT;
    algebra_text(&text, row, t, (uint32_t)dim);
    TRY(low_kernel_own_add(what, row->name, text.s, &k));
  }
  *address_out = k->address;
  return OK;
}
