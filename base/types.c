#include "base/types.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct access_info access_info[ACC_COUNT] = {
#define ACCESS(name, text, code, reads, writes, commutes, identity)            \
  [code] = {text, reads, writes, commutes},
#include "base/access.def"
#undef ACCESS
};

static const struct {
  const char *text;
  uint32_t size;
  char cls;
} type_info[TYPE_BYTES] = {
#define TYPE(name, text, bytes, ctype, kind)                                   \
  [TYPE_##name] = {text, bytes, #kind[0]},
#include "base/types.def"
#undef TYPE
};

static const struct {
  const char *name;
  uint32_t kind;
} type_names[] = {
#define TYPE_NAME(name, kind) {name, TYPE_##kind},
#include "base/types.def"
#undef TYPE_NAME
};

/* Length of a name without ":soa". */
static size_t
name_length(const char *name, bool *soa_out) {
  static const char soa[] = ":soa";
  size_t len = strlen(name), tail = sizeof soa - 1;
  *soa_out = len > tail && !strcmp(name + len - tail, soa);
  return *soa_out ? len - tail : len;
}

bool
type_name_same(const char *a, const char *b) {
  bool soa;
  size_t n = name_length(a, &soa);
  return n == name_length(b, &soa) && !strncmp(a, b, n);
}

bool
type_from_name(const char *name, size_t user_size, struct type *out,
               bool *soa_out) {
  bool soa;
  size_t len = name_length(name, &soa);
  if (soa_out) *soa_out = soa;
  for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
    if (strlen(type_names[i].name) == len &&
        !strncmp(type_names[i].name, name, len)) {
      uint32_t kind = type_names[i].kind;
      *out = (struct type){kind, type_info[kind].size};
      return true;
    }
  if (!len || !user_size || user_size > UINT32_MAX) return false;
  *out = (struct type){TYPE_BYTES, (uint32_t)user_size};
  return true;
}

bool
type_from_text(const char *text, size_t len, struct type *out) {
  for (uint32_t k = 0; k < TYPE_BYTES; k++)
    if (strlen(type_info[k].text) == len &&
        !strncmp(type_info[k].text, text, len)) {
      *out = (struct type){k, type_info[k].size};
      return true;
    }
  if (len < 2 || len > 9 || text[0] != 'b') return false;
  uint32_t size = 0;
  for (size_t i = 1; i < len; i++) {
    if (text[i] < '0' || text[i] > '9') return false;
    size = 10 * size + (uint32_t)(text[i] - '0');
  }
  *out = (struct type){TYPE_BYTES, size};
  return size > 0;
}

const char *
type_text(struct type t) {
  static _Thread_local char bytes[16];
  if (t.kind < TYPE_BYTES) return type_info[t.kind].text;
  snprintf(bytes, sizeof bytes, "b%u", t.size);
  return bytes;
}

char
type_class(struct type t) {
  return t.kind < TYPE_BYTES ? type_info[t.kind].cls : 'B';
}

/* One row per type: the arithmetic of reductions, written once. Floating
 * comparisons are ordered, so that a NaN in src never wins. Of two zeros -0 is
 * the smaller one: then it does not matter in which order they come. */
#define TYPE_ARITH(name, ctype, LOWEST, HIGHEST)                               \
  static void identity_##name(enum access acc, void *dst, size_t n) {          \
    ctype *d = dst, v = acc == ACC_MIN   ? (HIGHEST)                           \
                        : acc == ACC_MAX ? (LOWEST)                            \
                                         : (ctype)0;                           \
    for (size_t i = 0; i < n; i++) d[i] = v;                                   \
  }                                                                            \
  static int compare_##name(enum access acc, const void *old,                  \
                            const void *new) {                                 \
    ctype x = *(const ctype *)old, y = *(const ctype *)new;                    \
    return x == y ? 0 : (acc == ACC_MIN ? y < x : y > x) ? 1 : -1;             \
  }                                                                            \
  static void combine_##name(enum access acc, void *dst, const void *src,      \
                             size_t n) {                                       \
    ctype *d = dst;                                                            \
    const ctype *s = src;                                                      \
    for (size_t i = 0; i < n; i++) {                                           \
      if (acc == ACC_INC)                                                      \
        d[i] = (ctype)(d[i] + s[i]);                                           \
      else if (acc == ACC_MIN ? s[i] < d[i] : s[i] > d[i])                     \
        d[i] = s[i];                                                           \
      else if (s[i] == d[i] && IS_MINUS(d[i]) != (acc == ACC_MIN))             \
        d[i] = s[i];                                                           \
    }                                                                          \
  }

/* Only zeros ask: equal numbers of other values are the same bits. */
#define IS_MINUS(x) (signbit(x) != 0)
TYPE_ARITH(F64, double, -HUGE_VAL, HUGE_VAL)
TYPE_ARITH(F32, float, -HUGE_VALF, HUGE_VALF)
#undef IS_MINUS
#define IS_MINUS(x) false
TYPE_ARITH(I32, int32_t, INT32_MIN, INT32_MAX)
TYPE_ARITH(U32, uint32_t, 0, UINT32_MAX)
TYPE_ARITH(I64, int64_t, INT64_MIN, INT64_MAX)
TYPE_ARITH(U64, uint64_t, 0, UINT64_MAX)
TYPE_ARITH(I16, int16_t, INT16_MIN, INT16_MAX)
TYPE_ARITH(U16, uint16_t, 0, UINT16_MAX)
TYPE_ARITH(I8, int8_t, INT8_MIN, INT8_MAX)
TYPE_ARITH(U8, uint8_t, 0, UINT8_MAX)
TYPE_ARITH(BOOL, bool, 0, 1)

static const struct {
  void (*identity)(enum access, void *, size_t);
  int (*compare)(enum access, const void *, const void *);
  void (*combine)(enum access, void *, const void *, size_t);
} type_arith[TYPE_BYTES] = {
#define TYPE(name, text, bytes, ctype, kind)                                   \
  [TYPE_##name] = {identity_##name, compare_##name, combine_##name},
#include "base/types.def"
#undef TYPE
};

void
type_identity(struct type t, enum access acc, void *dst, size_t n) {
  assert(t.kind < TYPE_BYTES);
  type_arith[t.kind].identity(acc, dst, n);
}

int
type_compare(struct type t, enum access acc, const void *old, const void *new) {
  assert(t.kind < TYPE_BYTES && acc != ACC_INC);
  return type_arith[t.kind].compare(acc, old, new);
}

void
type_combine(struct type t, enum access acc, void *dst, const void *src,
             size_t n) {
  assert(t.kind < TYPE_BYTES);
  type_arith[t.kind].combine(acc, dst, src, n);
}
