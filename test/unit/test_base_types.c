/* base/types.c: names, texts, and the arithmetic of reductions. */
#include "base/types.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <string.h>

/* ---- names and texts --------------------------------------------------- */

Test(types, ir_text_comes_back_as_the_same_type) {
  struct type t;
#define TYPE(name, text, bytes, ctype, letter)                                 \
  cr_assert(type_from_text(text, strlen(text), &t), text);                     \
  cr_assert_eq(t.kind, TYPE_##name, text);                                     \
  cr_assert_eq(t.size, sizeof(ctype), text);                                   \
  cr_assert_str_eq(type_text(t), text);                                        \
  cr_assert_eq(type_class(t), #letter[0], text);
#include "base/types.def"
#undef TYPE
}

Test(types, user_types_print_with_their_size) {
  struct type t;
  cr_assert(type_from_text("b24", 3, &t));
  cr_assert_eq(t.kind, TYPE_BYTES);
  cr_assert_eq(t.size, 24);
  cr_assert_str_eq(type_text(t), "b24");
  cr_assert_eq(type_class(t), 'B');
}

Test(types, wrong_texts) {
  static const char *const bad[] = {"",    "b", "b0",          "f65", "b-1",
                                    "b1x", "f", "b9999999999", "F64"};
  struct type t;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    cr_assert_not(type_from_text(bad[i], strlen(bad[i]), &t), "%s", bad[i]);
}

Test(types, op2_names_with_and_without_soa) {
  struct type t;
  bool soa;
  cr_assert(type_from_name("double", 0, &t, &soa));
  cr_assert_eq(t.kind, TYPE_F64);
  cr_assert_not(soa);
  cr_assert(type_from_name("unsigned long long:soa", 0, &t, &soa));
  cr_assert_eq(t.kind, TYPE_U64);
  cr_assert(soa);
  cr_assert(type_from_name("int:soa", 0, &t, NULL));
  cr_assert(type_name_same("row:soa", "row"));
  cr_assert(type_name_same("row", "row"));
  cr_assert_not(type_name_same("row:soa", "rows"));
  cr_assert_not(type_name_same(":soa", "row"));
}

Test(types, unknown_names_need_a_size) {
  struct type t;
  cr_assert_not(type_from_name("struct point", 0, &t, NULL));
  cr_assert(type_from_name("struct point", 24, &t, NULL));
  cr_assert_eq(t.kind, TYPE_BYTES);
  cr_assert_eq(t.size, 24);
  cr_assert_not(type_from_name("", 24, &t, NULL));
}

/* ---- reductions -------------------------------------------------------- */

static struct type
type_of(uint32_t kind, uint32_t size) {
  return (struct type){kind, size};
}

/* One C type: the identity leaves any value alone, and combining picks the
 * right one, at both ends of the range. */
#define INTEGERS(name, ctype, lo, hi)                                          \
  Test(types, integers_##name) {                                               \
    struct type t = type_of(TYPE_##name, sizeof(ctype));                       \
    const ctype sample[] = {lo, hi, (ctype)1, (ctype)0};                       \
    static const enum access ops[] = {ACC_INC, ACC_MIN, ACC_MAX};              \
    for (size_t o = 0; o < 3; o++)                                             \
      for (size_t i = 0; i < 4; i++) {                                         \
        ctype acc;                                                             \
        type_identity(t, ops[o], &acc, 1);                                     \
        type_combine(t, ops[o], &acc, &sample[i], 1);                          \
        cr_assert_eq(acc, sample[i], "access %d of sample %zu", ops[o], i);    \
      }                                                                        \
    ctype a[2] = {(ctype)5, (ctype)5}, b[2] = {(ctype)3, (ctype)7};            \
    cr_assert_eq(type_compare(t, ACC_MIN, a, b), 1);                           \
    cr_assert_eq(type_compare(t, ACC_MIN, a + 1, b + 1), -1);                  \
    cr_assert_eq(type_compare(t, ACC_MAX, a, a + 1), 0);                       \
    type_combine(t, ACC_MIN, a, b, 2);                                         \
    cr_assert(a[0] == 3 && a[1] == 5);                                         \
    type_combine(t, ACC_MAX, a, b, 2);                                         \
    cr_assert(a[0] == 3 && a[1] == 7);                                         \
    type_combine(t, ACC_INC, a, b, 2);                                         \
    cr_assert(a[0] == 6 && a[1] == 14);                                        \
  }
INTEGERS(I8, int8_t, INT8_MIN, INT8_MAX)
INTEGERS(U8, uint8_t, 0, UINT8_MAX)
INTEGERS(I16, int16_t, INT16_MIN, INT16_MAX)
INTEGERS(U16, uint16_t, 0, UINT16_MAX)
INTEGERS(I32, int32_t, INT32_MIN, INT32_MAX)
INTEGERS(U32, uint32_t, 0, UINT32_MAX)
INTEGERS(I64, int64_t, INT64_MIN, INT64_MAX)
INTEGERS(U64, uint64_t, 0, UINT64_MAX)

Test(types, floats_reach_infinity) {
  struct type t = type_of(TYPE_F32, 4);
  float acc, inf = INFINITY, minus = -INFINITY;
  type_identity(t, ACC_MIN, &acc, 1);
  cr_assert_eq(acc, inf);
  type_combine(t, ACC_MIN, &acc, &minus, 1);
  cr_assert_eq(acc, minus);
}

Test(types, a_nan_never_wins) {
  struct type t = type_of(TYPE_F64, 8);
  double acc = 2, nan = NAN;
  cr_assert_eq(type_compare(t, ACC_MIN, &acc, &nan), -1);
  type_combine(t, ACC_MIN, &acc, &nan, 1);
  type_combine(t, ACC_MAX, &acc, &nan, 1);
  cr_assert_eq(acc, 2);
}

Test(types, zeros_have_an_order) {
  struct type t = type_of(TYPE_F64, 8);
  for (int order = 0; order < 2; order++) {
    double acc = order ? -0.0 : 0.0, other = -acc, big = acc;
    cr_assert_eq(type_compare(t, ACC_MIN, &acc, &other), 0);
    type_combine(t, ACC_MIN, &acc, &other, 1);
    type_combine(t, ACC_MAX, &big, &other, 1);
    cr_assert(signbit(acc) && !signbit(big));
  }
}

Test(types, bytes_have_no_arithmetic, .signal = SIGABRT) {
  char acc[8];
  type_identity(type_of(TYPE_BYTES, 8), ACC_INC, acc, 1);
}
