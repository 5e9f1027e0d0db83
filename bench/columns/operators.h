/* What the programs on columns measure: operators one by one, then a chain of
 * eight. Each is given by the bytes that it moves if every value moves once. */
#ifndef BENCH_COLUMNS_OPERATORS_H
#define BENCH_COLUMNS_OPERATORS_H

#include <stdbool.h>
#include <stddef.h>

#include "../common.h"
#include "torus.h"

enum operator_kind {
  OPERATOR_GRADIENT,
  OPERATOR_DIVERGENCE,
  OPERATOR_LAPLACIAN,
  OPERATOR_SOLVE,
  OPERATOR_COUNT
};

/* Run each operator o->iters times, behind o->warmup; print its time and its
 * ideal bytes a second. `settle` ends each run. */
void operators_measure(void (*const *run)(void *program), void *program,
                       void (*settle)(void *program), const struct torus *t,
                       const struct bench_options *o);

/* Two values of the result line; false, and a line, if the sum over cells is
 * none of what the start had. */
bool operators_verdict(double before, double after);

#endif
