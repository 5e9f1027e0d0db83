/* Loops of the library's own beside the public ones, for solvers. Their users
 * pass what fits. */
#ifndef FRONTEND_ALGEBRA_H
#define FRONTEND_ALGEBRA_H

#include "lower/algebra.h"

#define OP2_NO_MACROS 1
#include "op2.h"

/* Operations between handles of one value of the dat's type: parameter i is
 * handles[i]; the first is written, the others are read. */
void fe_algebra_scalars(enum low_algebra op, op_dat like, int n,
                        const op2_gbl *handles);
/* z = x y, one by one;  y = x + a y;  x = x / a (0 where a is). */
void fe_algebra_times(op_dat z, op_dat x, op_dat y);
void fe_algebra_xpay(op_dat y, op2_gbl a, op_dat x);
void fe_algebra_over(op_dat x, op2_gbl a);

/* `value` as the dat's type has it, to be passed as a global; in messages of
 * `api` it is `what`. ERR_ARG */
struct fe_scalar {
  _Alignas(8) char bytes[8];
};
status fe_algebra_scalar(const char *api, op_dat dat, const char *what,
                         double value, struct fe_scalar *out);

#endif
