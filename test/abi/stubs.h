/* Doubles of the library's entry points: each notes what it was given, so that the
 * macros and templates are tested without the library. */
#ifndef STUBS_H
#define STUBS_H

#include "op2.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct seen {
  char what[32]; /* entry point; the place is in file, line */
  const char *file;
  int line;
  /* loops */
  void (*kernel)(void);
  const char *name;
  op_set set;
  int nargs, nparams;
  struct op2_level items[4];
  op_arg args[OP2_ARGS_MAX];
  const char *params[OP2_ARGS_MAX];
  /* data */
  op_dat dat;
  int opt, dim, acc, low, high;
  const char *type, *ctype;
  size_t size;
  const void *data;
};
extern struct seen seen; /* the last call */
extern int failures;

/* What a C++ literal and a C literal have in common: their text. */
int text_is(const char *a, const char *b);
void expect_at(int ok, const char *file, int line, const char *text);
#define EXPECT(condition)                                                      \
  expect_at((condition) ? 1 : 0, __FILE__, __LINE__, #condition)

#ifdef __cplusplus
}
#endif

#endif
