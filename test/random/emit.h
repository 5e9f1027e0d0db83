/* A failing program as a C program of its own. */
#ifndef RANDOM_EMIT_H
#define RANDOM_EMIT_H

#include "run.h"

#include <stdio.h>

/* Write it to f: compiles with op2cc, ends with 1 where the failure shows. r NULL:
 * no failure, all operations. */
void emit(FILE *f, const struct program *p, const struct result *r);

#endif
