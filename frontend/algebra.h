/* Loops of the library's own between scalars, for norms and solvers. */
#ifndef FRONTEND_ALGEBRA_H
#define FRONTEND_ALGEBRA_H

#include "lower/algebra.h"

#define OP2_NO_MACROS 1
#include "op2.h"

/* Record one of the operations on scalars: parameter i is handles[i], of one
 * value of type t; the first is read and written, the others are only read. */
status fe_scalars(enum low_algebra op, struct type t, int n,
                  const op2_gbl *handles);

#endif
