/* Arguments as one block of values: a kernel that takes T x[k][dim], or the
 * local matrix of an element, where its loop reaches k elements through a map.
 *
 * Problem. Everything from the trace down knows a vector argument as T **. One
 * that is a block would be a second form of argument in each pass and emitter.
 *
 * Idea. The block is a matter of the kernel. Around the program's kernel goes a
 * function of ours, which takes T **, has the block as a local array, and is
 * the loop's kernel from there on:
 *
 *     void packed(T **v) {
 *       T x[k * dim];
 *       for n < k, m < dim:  x[at(n, m)] = v[n][m]       inc: 0; min, max: the
 *       kernel(x);                                       identity of it
 *       for n < k, m < dim:  v[n][m] = x[at(n, m)]       inc: v[n][m] + x[...]
 *     }
 *
 * A mask (op2_mat_mask) decides by entry whether what is in the block counts.
 * at() is the order of packed.h. It is LLVM IR as text, tied to the code of the
 * program's kernel as a file of its own would be (kernel.h), so that the facts
 * are of both together: whatever a kernel does to the block of an increment,
 * what comes out is a sum. Its loops have constant lengths; once all is inlined
 * and unrolled there are neither arrays of pointers nor a block.
 *
 * A written block begins with the old values unless the kernel's IR proves that
 * it stores all of it. Entries that name one element have a copy each: the last
 * one that is stored stays. A kernel without IR is the first parameter of the
 * function, which the region passes on.
 *
 * Cost  none above T ** where the loops are unrolled (facts_clean.c and LLVM:
 * blocks of some hundred values); else the block is copied once in, once out.
 * Limits  entries are counted when the loop is declared: no rows of any length.
 * Source  local tensors of PyOP2 (Rathgeber et al., 2012), there C text. */
#include "lower/packed.h"

#include "base/str.h"
#include "lower/irtext.h"

#include <assert.h>
#include <stdarg.h>

static uint64_t
pack_bytes(const struct low_pack *p) {
  return (uint64_t)p->entries * p->dim * p->type.size;
}

/* Packs of one text; labels and names of loop `tag` of pack k begin with
 * "tag.k". */
struct pack_text {
  struct str *b;
  const struct low_pack *p;
  struct low_irtype t;
  const char *tag;
  uint32_t k;
};

/* A line of text, in which # is the loop's prefix, $ the type of a word. */
__attribute__((format(printf, 2, 3))) static void
text_line(const struct pack_text *x, const char *fmt, ...) {
  SCOPED_STR line = STR_INIT;
  va_list ap;
  va_start(ap, fmt);
  str_vprintf(&line, fmt, ap);
  va_end(ap);
  for (const char *c = line.s; *c; c++)
    if (*c == '#')
      str_printf(x->b, "%s.%u", x->tag, x->k);
    else if (*c == '$')
      str_add(x->b, x->t.text);
    else
      str_addn(x->b, c, 1);
  str_add(x->b, "\n");
}

/* The identity of the access as LLVM writes it: floating numbers in
 * hexadecimal, as double. */
static void
text_identity(const struct pack_text *x, struct str *out) {
  union {
    uint64_t word;
    float f;
    double d;
  } u = {0};
  type_identity(x->p->type, x->p->access, &u, 1);
  if (x->t.real && x->t.bytes == sizeof u.f) u.d = (double)u.f;
  str_printf(out, x->t.real ? "0x%016llX" : "%llu", (unsigned long long)u.word);
}

/* The value that is stored, %#.new, of the old one and the block's, %#.x. */
static void
text_combine(const struct pack_text *x) {
  const char *real = x->t.real ? "f" : "";
  const char *sign = x->t.real                       ? "o"
                     : type_class(x->p->type) == 'U' ? "u"
                                                     : "s";
  text_line(x, "%%#.old = load $, ptr %%#.a, align %u", x->t.bytes);
  if (x->p->access == ACC_INC) {
    text_line(x, "%%#.new = %s%s $ %%#.old, %%#.x", real,
              x->p->type.kind == TYPE_BOOL ? "or" : "add");
    return;
  }
  text_line(x, "%%#.better = %scmp %s%s $ %%#.x, %%#.old", *real ? real : "i",
            sign, x->p->access == ACC_MIN ? "lt" : "gt");
  text_line(x, "%%#.new = select i1 %%#.better, $ %%#.x, $ %%#.old");
}

/* ---- loops --------------------------------------------------------------- */

/* for #.v in [0, n): what follows, up to text_loop_end */
static void
text_loop(const struct pack_text *x, const char *v) {
  text_line(x, "br label %%#.%s.from", v);
  text_line(x, "#.%s.from:\nbr label %%#.%s.loop\n#.%s.loop:", v, v, v);
  text_line(x,
            "%%#.%s = phi i64 [ 0, %%#.%s.from ], [ %%#.%s.next, %%#.%s.back ]",
            v, v, v, v);
}

static void
text_loop_end(const struct pack_text *x, const char *v, uint64_t n) {
  text_line(x, "br label %%#.%s.back\n#.%s.back:", v, v);
  text_line(x, "%%#.%s.next = add nuw nsw i64 %%#.%s, 1", v, v);
  text_line(x, "%%#.%s.more = icmp ult i64 %%#.%s.next, %llu", v, v,
            (unsigned long long)n);
  text_line(x,
            "br i1 %%#.%s.more, label %%#.%s.loop, label %%#.%s.done, "
            "!llvm.loop !0",
            v, v, v);
  text_line(x, "#.%s.done:", v);
}

/* %#.at, where word %#.m of entry %#.n is in the block. */
static void
text_place(const struct pack_text *x) {
  const struct low_pack *p = x->p;
  text_line(x, "%%#.i = udiv i64 %%#.n, %u\n%%#.j = urem i64 %%#.n, %u",
            p->cols, p->cols);
  text_line(x, "%%#.comp = udiv i64 %%#.m, %u\n%%#.unit = urem i64 %%#.m, %u",
            x->t.unit, x->t.unit);
  text_line(x, "%%#.r = udiv i64 %%#.comp, %u\n%%#.c = urem i64 %%#.comp, %u",
            p->cdim, p->cdim);
  text_line(x, "%%#.at1 = mul nuw nsw i64 %%#.i, %u", p->dim / p->cdim);
  text_line(x, "%%#.at2 = add nuw nsw i64 %%#.at1, %%#.r");
  text_line(x, "%%#.at3 = mul nuw nsw i64 %%#.at2, %u", p->cols);
  text_line(x, "%%#.at4 = add nuw nsw i64 %%#.at3, %%#.j");
  text_line(x, "%%#.at5 = mul nuw nsw i64 %%#.at4, %u", p->cdim);
  text_line(x, "%%#.at6 = add nuw nsw i64 %%#.at5, %%#.c");
  text_line(x, "%%#.at7 = mul nuw nsw i64 %%#.at6, %u", x->t.unit);
  text_line(x, "%%#.at = add nuw nsw i64 %%#.at7, %%#.unit");
}

/* Over words #.m of entries #.n: #.a is the word's address, #.b its place in
 * the block. */
static void
text_words(const struct pack_text *x) {
  text_loop(x, "n");
  text_line(x, "%%#.to = getelementptr ptr, ptr %%p%u, i64 %%#.n", x->p->param);
  text_line(x, "%%#.e = load ptr, ptr %%#.to, align 8");
  text_loop(x, "m");
  text_line(x, "%%#.a = getelementptr $, ptr %%#.e, i64 %%#.m");
  text_place(x);
  text_line(x, "%%#.b = getelementptr $, ptr %%block%u, i64 %%#.at", x->k);
}

static void
text_words_end(const struct pack_text *x) {
  text_loop_end(x, "m", (uint64_t)x->p->dim * x->t.unit);
  text_loop_end(x, "n", x->p->entries);
}

/* ---- before and after the kernel ----------------------------------------- */

static bool
pack_combines(const struct low_pack *p) {
  const struct access_info *a = &access_info[p->access];
  return a->writes && a->commutes;
}

static void
text_fill(const struct pack_text *x) {
  SCOPED_STR value = STR_INIT;
  text_identity(x, &value);
  text_loop(x, "n");
  text_line(x, "%%#.b = getelementptr $, ptr %%block%u, i64 %%#.n", x->k);
  text_line(x, "store $ %s, ptr %%#.b, align %u", value.s, x->t.bytes);
  text_loop_end(x, "n", (uint64_t)x->p->entries * x->p->dim);
}

static void
text_load(const struct pack_text *x) {
  text_words(x);
  text_line(x, "%%#.x = load $, ptr %%#.a, align %u", x->t.bytes);
  text_line(x, "store $ %%#.x, ptr %%#.b, align %u", x->t.bytes);
  text_words_end(x);
}

/* %#.x is the block's value %#.left, or what changes nothing. */
static void
text_mask(const struct pack_text *x) {
  SCOPED_STR none = STR_INIT;
  text_line(x, "%%#.mask = getelementptr ptr, ptr %%p%u, i64 %%#.n",
            x->p->mask);
  text_line(x, "%%#.mask.e = load ptr, ptr %%#.mask, align 8");
  text_line(x, "%%#.mask.v = load i8, ptr %%#.mask.e, align 1");
  text_line(x, "%%#.takes = icmp ne i8 %%#.mask.v, 0");
  if (pack_combines(x->p)) {
    text_identity(x, &none);
  } else {
    text_line(x, "%%#.was = load $, ptr %%#.a, align %u", x->t.bytes);
    text_line(x, "%%#.x = select i1 %%#.takes, $ %%#.left, $ %%#.was");
    return;
  }
  text_line(x, "%%#.x = select i1 %%#.takes, $ %%#.left, $ %s", none.s);
}

static void
text_store(const struct pack_text *x) {
  text_words(x);
  text_line(x, "%%#.%s = load $, ptr %%#.b, align %u",
            x->p->mask ? "left" : "x", x->t.bytes);
  if (x->p->mask) text_mask(x);
  bool combines = pack_combines(x->p);
  if (combines) text_combine(x);
  text_line(x, "store $ %%#.%s, ptr %%#.a, align %u", combines ? "new" : "x",
            x->t.bytes);
  text_words_end(x);
}

/* Does the kernel's IR prove that it stores the whole block, and reads nothing
 * of the old one? */
static bool
pack_is_stored(const struct low_kernel *base, const struct low_pack *p) {
  if (base->opaque || p->access != ACC_WRITE) return false;
  const struct low_param *f = &base->params[p->param];
  return !f->reads && !f->indirect && f->full_bytes >= pack_bytes(p);
}

static void
text_room(const struct pack_text *x) {
  text_line(x, "%%block%u = alloca [%llu x $], align 16", x->k,
            (unsigned long long)(pack_bytes(x->p) / x->t.bytes));
}

static void
text_before(const struct pack_text *x, const struct low_kernel *base) {
  if (pack_combines(x->p))
    text_fill(x);
  else if (!pack_is_stored(base, x->p))
    text_load(x);
}

/* ---- the function -------------------------------------------------------- */

static const struct low_pack *
pack_of(const struct low_pack *packs, uint32_t n, uint32_t param) {
  for (uint32_t k = 0; k < n; k++)
    if (packs[k].param == param) return &packs[k];
  return NULL;
}

static void
text_call(struct str *b, const struct low_kernel *base, uint32_t nparams,
          const struct low_pack *packs, uint32_t n) {
  str_printf(b, "call void %s(",
             base->opaque ? "%native" : "@\"" LOW_AROUND "\"");
  for (uint32_t a = 0; a < nparams; a++) {
    const struct low_pack *p = pack_of(packs, n, a);
    str_printf(b, "%sptr %%%s%u", a ? ", " : "", p ? "block" : "p",
               p ? (uint32_t)(p - packs) : a);
  }
  str_add(b, ")\n");
}

/* Pack k, in loops of this tag. */
#define TEXT_OF(tag) {b, &packs[k], low_irtype_of(packs[k].type), tag, k}

/* Parameters of the function: the kernel's, and the masks. */
static uint32_t
count_params(uint32_t nparams, const struct low_pack *packs, uint32_t n) {
  uint32_t all = nparams;
  for (uint32_t k = 0; k < n; k++) {
    assert(!packs[k].mask || packs[k].mask >= nparams);
    if (packs[k].mask >= all) all = packs[k].mask + 1;
  }
  return all;
}

static void
text_function(struct str *b, const struct low_kernel *base, uint32_t nparams,
              const struct low_pack *packs, uint32_t n) {
  uint32_t all = count_params(nparams, packs, n);
  const char *comma = base->opaque ? ", " : "";
  if (!base->opaque) {
    str_add(b, "declare void @\"" LOW_AROUND "\"(");
    for (uint32_t a = 0; a < nparams; a++)
      str_printf(b, "%sptr", a ? ", " : "");
    str_add(b, ")\n");
  }
  str_printf(b, "define void @\"%s\"(%s", base->name,
             base->opaque ? "ptr %native" : "");
  for (uint32_t a = 0; a < all; a++, comma = ", ")
    str_printf(b, "%sptr %%p%u", comma, a);
  str_add(b, ") {\n");
  for (uint32_t k = 0; k < n; k++) text_room(&(struct pack_text)TEXT_OF(""));
  for (uint32_t k = 0; k < n; k++)
    text_before(&(struct pack_text)TEXT_OF("in"), base);
  text_call(b, base, nparams, packs, n);
  for (uint32_t k = 0; k < n; k++)
    if (packs[k].access != ACC_READ)
      text_store(&(struct pack_text)TEXT_OF("out"));
  str_add(b, "ret void\n}\n!0 = distinct !{!0, !1}\n"
             "!1 = !{!\"llvm.loop.mustprogress\"}\n");
}

#define KEY_WORD(b, word) str_addn((b), (const char *)&(word), sizeof(word))

/* Word by word: structs have holes. */
static void
packed_key(struct str *b, const struct low_kernel *base,
           const struct low_pack *packs, uint32_t n) {
  str_add(b, "packed");
  KEY_WORD(b, base->address);
  KEY_WORD(b, base->digest);
  for (uint32_t k = 0; k < n; k++) {
    const struct low_pack *p = &packs[k];
    uint32_t words[] = {p->param,     p->mask,      p->access,
                        p->type.kind, p->type.size, p->entries,
                        p->dim,       p->cols,      p->cdim};
    KEY_WORD(b, words);
  }
}

status
low_kernel_packed(const struct low_kernel *base, uint32_t nparams,
                  const struct low_pack *packs, uint32_t n,
                  const struct low_kernel **out) {
  assert(n && n <= nparams && (base->opaque || base->nparams == nparams));
  SCOPED_STR key = STR_INIT, text = STR_INIT;
  packed_key(&key, base, packs, n);
  struct low_own what = {key.s, key.len};
  *out = low_kernel_own(what);
  if (*out) return OK;
  text_function(&text, base, nparams, packs, n);
  return low_kernel_around_add(what, base->name, text.s, base, out);
}
