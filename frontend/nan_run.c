/* A call of a kernel by its address, with so many pointers: what the program's
 * own code would be, if it called the kernel itself. */
#include "frontend/nan.h"

#include <assert.h>

/* Parameter types, and arguments from p[i] on: 0 to 8 of them. */
#define T1 void *
#define T2 T1, T1
#define T3 T2, T1
#define T4 T3, T1
#define T5 T4, T1
#define T6 T5, T1
#define T7 T6, T1
#define T8 T7, T1
#define A1(i) p[i]
#define A2(i) A1(i), p[i + 1]
#define A3(i) A2(i), p[i + 2]
#define A4(i) A3(i), p[i + 3]
#define A5(i) A4(i), p[i + 4]
#define A6(i) A5(i), p[i + 5]
#define A7(i) A6(i), p[i + 6]
#define A8(i) A7(i), p[i + 7]

/* Call with q eights, whose types are in `types` and values in `values`, and
 * with 1 to 8 more. */
#define CASE(q, n)                                                             \
  case 8 * q + n: ((void (*)(TYPES##q T##n))f)(VALUES##q A##n(8 * q)); break;
#define CASES(q)                                                               \
  CASE(q, 1)                                                                   \
  CASE(q, 2)                                                                   \
  CASE(q, 3)                                                                   \
  CASE(q, 4)                                                                   \
  CASE(q, 5)                                                                   \
  CASE(q, 6)                                                                   \
  CASE(q, 7)                                                                   \
  CASE(q, 8)
#define TYPES0
#define TYPES1 T8,
#define TYPES2 TYPES1 T8,
#define TYPES3 TYPES2 T8,
#define TYPES4 TYPES3 T8,
#define TYPES5 TYPES4 T8,
#define TYPES6 TYPES5 T8,
#define TYPES7 TYPES6 T8,
#define VALUES0
#define VALUES1 A8(0),
#define VALUES2 VALUES1 A8(8),
#define VALUES3 VALUES2 A8(16),
#define VALUES4 VALUES3 A8(24),
#define VALUES5 VALUES4 A8(32),
#define VALUES6 VALUES5 A8(40),
#define VALUES7 VALUES6 A8(48),

_Static_assert(FE_MAX_ARGS == 64, "cases for eight times eight");

void
fe_nan_call(void (*f)(void), uint32_t nargs, void **p) {
  assert(nargs <= FE_MAX_ARGS);
  switch (nargs) {
  case 0:
    f();
    break;
    CASES(0)
    CASES(1)
    CASES(2)
    CASES(3)
    CASES(4)
    CASES(5)
    CASES(6)
    CASES(7)
  }
}
