/* What becomes of the pointer dat->data, as op2cc tells it for each line. */
#include "registry.h"

#include "op2.h"
#include "op2_blob.h"

#include <stdio.h>
#include <string.h>

extern double *kept;
double *kept;

static double
sum(const double *p, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += p[i];
  return s;
}
static void
twice(double *p) {
  *p *= 2;
}
static void
records(double *p) {
  registry_unknown(NULL);
  *p = 1;
}

/* Functions of a dat d and a number n, each with one read of the field. */
#define AT(d) ((double *)(d)->data)
#define ALL for (int i = 0; i < n; i++)
#define LOOPS registry_unknown(NULL)
#define F(type, name, body)                                                    \
  enum { line_##name = __LINE__ };                                             \
  type name(op_dat d, int n);                                                  \
  type name(op_dat d, int n) {                                                 \
    double *p, s = n; /* what the compiler sees is what becomes of p */        \
    p = &s;                                                                    \
    (void)p;                                                                   \
    body                                                                       \
  }

/* A line each: */
/* clang-format off */
F(double, reads, return AT(d)[n];)
F(double, reads_all, p = AT(d); ALL s += p[i]; return s;)
F(double, reads_by_helper, return sum(AT(d), n);)
F(double, reads_by_memcpy, memcpy(&s, AT(d), sizeof s); return s;)
F(void, reads_before_loops, p = AT(d); printf("%g", p[n]); LOOPS;)
F(double, reads_anew, ALL { s += AT(d)[i]; LOOPS; } return s;)
F(void, writes, AT(d)[n] = 1;)
F(void, writes_all, p = AT(d); ALL p[i] = i;)
F(void, writes_by_helper, twice(AT(d) + n);)
F(void, writes_by_memset, memset(AT(d), 0, (size_t)n);)
F(double *, returns, return AT(d);)
F(void, stores, kept = AT(d);)
F(void, hands_on, registry_unknown(AT(d));)
F(void, hands_to_recorder, records(AT(d));)
F(double, uses_after_loops, p = AT(d); LOOPS; return p[n];)
F(double, uses_between_loops, p = AT(d); ALL { s += p[i]; LOOPS; } return s;)
F(void, address_of_field, char **f = &d->data; kept = (double *)*f;)
/* clang-format on */

#define IS(name, kind) (registry_look("looks.c", line_##name) == (kind))
#define CHECK(name, kind)                                                      \
  if (!IS(name, kind)) return printf("%s\n", #name), 1

int
main(void) {
  CHECK(reads, OP2_LOOK_READ);
  CHECK(reads_all, OP2_LOOK_READ);
  CHECK(reads_by_helper, OP2_LOOK_READ);
  CHECK(reads_by_memcpy, OP2_LOOK_READ);
  CHECK(reads_before_loops, OP2_LOOK_READ);
  CHECK(reads_anew, OP2_LOOK_READ);
  CHECK(writes, OP2_LOOK_WRITE);
  CHECK(writes_all, OP2_LOOK_WRITE);
  CHECK(writes_by_helper, OP2_LOOK_WRITE);
  CHECK(writes_by_memset, OP2_LOOK_WRITE);
  CHECK(returns, OP2_LOOK_HOLD);
  CHECK(hands_on, OP2_LOOK_HOLD);
  CHECK(stores, OP2_LOOK_HOLD);
  CHECK(uses_after_loops, OP2_LOOK_HOLD);
  CHECK(uses_between_loops, OP2_LOOK_HOLD);
  CHECK(hands_to_recorder, OP2_LOOK_HOLD);
  CHECK(address_of_field, OP2_LOOK_HOLD);
  double values[2] = {3, 4};
  struct op_dat_core core = {.dim = 1, .data = (char *)values};
  if (reads(&core, 1) != 4 || registry_looks() != 1) return 2;
  if (reads_all(&core, 2) != 9 || registry_looks() != 2) return 3;
  return 0;
}
