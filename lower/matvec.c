/* The text of kernels between a matrix and vectors, in LLVM IR.
 *
 * A product of a row's blocks, and of their transposes, is one loop nest:
 *
 *   for k < n:  for o < O:  s = 0;  for q < Q:  s = s + a_k[o p + q s] x[q]
 *                           y[o] = y[o] + s
 *
 *   mult       O rows, Q columns, y zero before, x that of column k
 *   transpose  O columns, Q rows, y that of column k
 *
 * Products and sums are not contracted, so that they have the same bits on all
 * targets. Loops over a block have constant lengths and are unrolled. */
#include "lower/matvec.h"

#include "base/str.h"
#include "lower/irtext.h"
#include "lower/kernel.h"

#include <assert.h>
#include <string.h>

static const char *const names[LOW_MATVEC_COUNT] = {
    [LOW_MATVEC_MULT] = "mat_mult",
    [LOW_MATVEC_TRANSPOSE] = "mat_mult_transpose",
    [LOW_MATVEC_ROW_ZERO] = "mat_zero_rows",
    [LOW_MATVEC_DIAGONAL] = "mat_set_diagonal",
    [LOW_MATVEC_INVERSE] = "mat_inverse_diagonal",
    [LOW_MATVEC_MASK_ALL] = "mat_mask_all",
    [LOW_MATVEC_MASK] = "mat_mask"};

/* In the texts $T is the type, $B its bytes, $0 its zero, $- the zero to which
 * LLVM adds anything at no cost (y, which began at 0, hides its sign), $A and
 * $M are its addition and multiplication, $R and $C a block's rows and columns,
 * $D both, $O $Q $o $q the lengths and steps of a product's loops; $P and $N
 * stand for what goes over the entries of a row. */
static const char product_begin[] =
    "%len = load i32, ptr %n, align 4\n"
    "%some = icmp sgt i32 %len, 0\n"
    "br i1 %some, label %entry, label %end\n"
    "entry:\n"
    "%k = phi i32 [ 0, %rows ], [ %k.next, %next ]\n"
    "%k.a = getelementptr ptr, ptr %a, i32 %k\n"
    "%ak = load ptr, ptr %k.a, align 8\n";

static const char product_nest[] =
    "br label %out\n"
    "out:\n"
    "%o = phi i64 [ 0, %entry ], [ %o.next, %out.end ]\n"
    "%o.a = mul nuw nsw i64 %o, $o\n"
    "br label %in\n"
    "in:\n"
    "%q = phi i64 [ 0, %out ], [ %q.next, %in ]\n"
    "%sum = phi $T [ $-, %out ], [ %sum.next, %in ]\n"
    "%q.a = mul nuw nsw i64 %q, $q\n"
    "%i = add nuw nsw i64 %o.a, %q.a\n"
    "%pa = getelementptr $T, ptr %ak, i64 %i\n"
    "%va = load $T, ptr %pa, align $B\n"
    "%px = getelementptr $T, ptr %xk, i64 %q\n"
    "%vx = load $T, ptr %px, align $B\n"
    "%p = $M %va, %vx\n"
    "%sum.next = $A %sum, %p\n"
    "%q.next = add nuw nsw i64 %q, 1\n"
    "%q.more = icmp ult i64 %q.next, $Q\n"
    "br i1 %q.more, label %in, label %out.end, !llvm.loop !0\n"
    "out.end:\n"
    "%py = getelementptr $T, ptr %yk, i64 %o\n"
    "%old = load $T, ptr %py, align $B\n"
    "%new = $A %old, %sum.next\n"
    "store $T %new, ptr %py, align $B\n"
    "%o.next = add nuw nsw i64 %o, 1\n"
    "%o.more = icmp ult i64 %o.next, $O\n"
    "br i1 %o.more, label %out, label %next, !llvm.loop !2\n"
    "$N";

/* Of %xk or %yk: the one of nonzero k. */
static const char mult_x[] = "%k.x = getelementptr ptr, ptr %x, i32 %k\n"
                             "%xk = load ptr, ptr %k.x, align 8\n";
static const char transpose_y[] = "%k.y = getelementptr ptr, ptr %y, i32 %k\n"
                                  "%yk = load ptr, ptr %k.y, align 8\n";

static const char mult_zero[] =
    "br label %zero\n"
    "zero:\n"
    "%z = phi i64 [ 0, %start ], [ %z.next, %zero ]\n"
    "%pz = getelementptr $T, ptr %yk, i64 %z\n"
    "store $T $0, ptr %pz, align $B\n"
    "%z.next = add nuw nsw i64 %z, 1\n"
    "%z.more = icmp ult i64 %z.next, $R\n"
    "br i1 %z.more, label %zero, label %rows, !llvm.loop !3\n"
    "rows:\n";

static const char row_next[] = "next:\n"
                               "%k.next = add nuw nsw i32 %k, 1\n"
                               "%k.more = icmp slt i32 %k.next, %len\n"
                               "br i1 %k.more, label %entry, label %end\n";

static const char row_zero[] =
    "define void @mat_zero_rows(ptr %n, ptr %a) nounwind {\n"
    "rows:\n"
    "$P"
    "br label %zero\n"
    "zero:\n"
    "%z = phi i64 [ 0, %entry ], [ %z.next, %zero ]\n"
    "%pz = getelementptr $T, ptr %ak, i64 %z\n"
    "store $T $0, ptr %pz, align $B\n"
    "%z.next = add nuw nsw i64 %z, 1\n"
    "%z.more = icmp ult i64 %z.next, $D\n"
    "br i1 %z.more, label %zero, label %next, !llvm.loop !3\n"
    "$N"
    "end:\nret void\n}\n";

static const char diagonal[] =
    "define void @mat_set_diagonal(ptr %d, ptr %a) nounwind {\n"
    "start:\n"
    "%v = load $T, ptr %d, align $B\n"
    "br label %row\n"
    "row:\n"
    "%r = phi i64 [ 0, %start ], [ %r.next, %row ]\n"
    "%i = mul nuw nsw i64 %r, $E\n"
    "%p = getelementptr $T, ptr %a, i64 %i\n"
    "store $T %v, ptr %p, align $B\n"
    "%r.next = add nuw nsw i64 %r, 1\n"
    "%r.more = icmp ult i64 %r.next, $R\n"
    "br i1 %r.more, label %row, label %end, !llvm.loop !3\n"
    "end:\nret void\n}\n";

static const char inverse[] =
    "define void @mat_inverse_diagonal(ptr %a, ptr %y) nounwind {\n"
    "start:\n"
    "br label %row\n"
    "row:\n"
    "%r = phi i64 [ 0, %start ], [ %r.next, %row ]\n"
    "%i = mul nuw nsw i64 %r, $E\n"
    "%p = getelementptr $T, ptr %a, i64 %i\n"
    "%v = load $T, ptr %p, align $B\n"
    "%none = fcmp oeq $T %v, $0\n"
    "%q = fdiv $T 1.0, %v\n"
    "%new = select i1 %none, $T 1.0, $T %q\n"
    "%py = getelementptr $T, ptr %y, i64 %r\n"
    "store $T %new, ptr %py, align $B\n"
    "%r.next = add nuw nsw i64 %r, 1\n"
    "%r.more = icmp ult i64 %r.next, $R\n"
    "br i1 %r.more, label %row, label %end, !llvm.loop !3\n"
    "end:\nret void\n}\n";

static const char mask_all[] = "define void @mat_mask_all(ptr %a) nounwind {\n"
                               "store $T 1, ptr %a, align $B\n"
                               "ret void\n}\n";

static const char mask[] =
    "define void @mat_mask(ptr %n, ptr %a, ptr %y, ptr %x) nounwind {\n"
    "rows:\n"
    "%vy = load $T, ptr %y, align $B\n"
    "$P"
    "%k.x = getelementptr ptr, ptr %x, i32 %k\n"
    "%xk = load ptr, ptr %k.x, align 8\n"
    "%vx = load $T, ptr %xk, align $B\n"
    "%v = and $T %vy, %vx\n"
    "store $T %v, ptr %ak, align $B\n"
    "br label %next\n"
    "$N"
    "end:\nret void\n}\n";

/* Those that are no products. */
static const char *const texts[LOW_MATVEC_COUNT] = {
    [LOW_MATVEC_ROW_ZERO] = row_zero,
    [LOW_MATVEC_DIAGONAL] = diagonal,
    [LOW_MATVEC_INVERSE] = inverse,
    [LOW_MATVEC_MASK_ALL] = mask_all,
    [LOW_MATVEC_MASK] = mask};

static const char loops[] = "!0 = distinct !{!0, !1}\n"
                            "!1 = !{!\"llvm.loop.mustprogress\"}\n"
                            "!2 = distinct !{!2, !1}\n"
                            "!3 = distinct !{!3, !1}\n";

struct matvec {
  struct low_irtype t;
  uint32_t rdim, cdim;
  bool transpose;
};

static uint32_t
number_of(const struct matvec *v, char letter) {
  switch (letter) {
  case 'B': return v->t.bytes;
  case 'R': return v->rdim;
  case 'C': return v->cdim;
  case 'D': return v->rdim * v->cdim;
  case 'E': return v->cdim + 1;
  case 'O': return v->transpose ? v->cdim : v->rdim;
  case 'Q': return v->transpose ? v->rdim : v->cdim;
  case 'o': return v->transpose ? 1 : v->cdim;
  default: assert(letter == 'q'); return v->transpose ? v->cdim : 1;
  }
}

/* A text with its type and numbers in it. */
static void
text(struct str *b, const struct matvec *v, const char *code) {
  const char *f = v->t.real ? "f" : "";
  for (const char *c = code; *c; c++) {
    if (*c != '$') {
      str_addn(b, c, 1);
      continue;
    }
    switch (*++c) {
    case 'T': str_add(b, v->t.text); break;
    case '0': str_add(b, v->t.real ? "0.0" : "0"); break;
    case '-': str_add(b, v->t.real ? "-0.0" : "0"); break;
    case 'A': str_printf(b, "%sadd %s", f, v->t.text); break;
    case 'M': str_printf(b, "%smul %s", f, v->t.text); break;
    case 'P': text(b, v, product_begin); break;
    case 'N': text(b, v, row_next); break;
    default: str_printf(b, "%u", number_of(v, *c));
    }
  }
}

static void
text_product(struct str *b, const struct matvec *v) {
  enum low_matvec op = v->transpose ? LOW_MATVEC_TRANSPOSE : LOW_MATVEC_MULT;
  str_printf(b,
             "define void @%s(ptr %%n, ptr %%a, ptr %%%s, ptr %%%s) "
             "nounwind {\n%s:\n",
             names[op], v->transpose ? "xk" : "x", v->transpose ? "y" : "yk",
             v->transpose ? "rows" : "start");
  if (!v->transpose) text(b, v, mult_zero);
  text(b, v, product_begin);
  text(b, v, v->transpose ? transpose_y : mult_x);
  text(b, v, product_nest);
  str_add(b, "end:\nret void\n}\n");
}

const char *
low_matvec_name(enum low_matvec op) {
  assert(op < LOW_MATVEC_COUNT);
  return names[op];
}

status
low_matvec_get(enum low_matvec op, struct type t, uint32_t rdim, uint32_t cdim,
               void (**address_out)(void)) {
  assert(op < LOW_MATVEC_COUNT && rdim && cdim);
  assert(op != LOW_MATVEC_INVERSE || type_class(t) == 'F');
  const uint32_t key[] = {(uint32_t)op, t.kind, t.size, rdim, cdim};
  const struct low_own what = {key, sizeof key};
  const struct low_kernel *k = low_kernel_own(what);
  if (!k) {
    SCOPED_STR b = STR_INIT;
    struct matvec v = {low_irtype_of(t), rdim, cdim,
                       op == LOW_MATVEC_TRANSPOSE};
    if (texts[op])
      text(&b, &v, texts[op]);
    else
      text_product(&b, &v);
    str_add(&b, loops);
    TRY(low_kernel_own_add(what, names[op], b.s, &k));
  }
  *address_out = k->address;
  return OK;
}
