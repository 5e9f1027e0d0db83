/* Kernels of the library's own, for op2_dat_axpy and its kin.
 *
 * There is no C compiler at run time; so each is a few lines of LLVM IR, made
 * for a type and a number of components, and from there on a kernel like any
 * other: what it does is proven from its code, and it is inlined, fused and
 * put on devices. */
#ifndef LOWER_ALGEBRA_H
#define LOWER_ALGEBRA_H

#include "base/err.h"
#include "base/types.h"

enum low_algebra {
#define ALGEBRA(op, name, nparams, values, scalars, out, sums, code)           \
  LOW_ALGEBRA_##op,
#include "lower/algebra.def"
#undef ALGEBRA
  LOW_ALGEBRA_COUNT
};

/* The name that its loops have: "dat_axpy". */
const char *low_algebra_name(enum low_algebra op);
/* Can it be made for this type? Types of the program's own and bool are only
 * set to zero and copied; roots and quotients want floating numbers. */
bool low_algebra_fits(enum low_algebra op, struct type t);
/* The address that its loops name: that of the kernel for this type and number
 * of components, made when it is first asked for. Valid until loops have run.
 * ERR_COMPILE */
status low_algebra_get(enum low_algebra op, struct type t, int dim,
                       void (**address_out)(void));

#endif
