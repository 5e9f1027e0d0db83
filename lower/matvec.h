/* Kernels of the library's own between a matrix and vectors. */
#ifndef LOWER_MATVEC_H
#define LOWER_MATVEC_H

#include "base/err.h"
#include "base/types.h"

/* Parameters of each, for blocks of rdim x cdim. n: how many a row has; a, x, y
 * with ** one for each nonzero of the row.
 *   MULT       n, a **, x **, y    y = sum of a x
 *   TRANSPOSE  n, a **, x, y **    y += a^T x
 *   ROW_ZERO   n, a **             a = 0
 *   DIAGONAL   d, a                a[r][r] = d
 *   INVERSE    a, y                y[r] = 1 / a[r][r]; 1 where that is 0
 *   MASK_ALL   a                   a = 1
 *   MASK       n, a **, y, x **    a = y and x, bit by bit
 * Those of masks are of integers without blocks, INVERSE of floating ones. */
enum low_matvec {
  LOW_MATVEC_MULT,
  LOW_MATVEC_TRANSPOSE,
  LOW_MATVEC_ROW_ZERO,
  LOW_MATVEC_DIAGONAL,
  LOW_MATVEC_INVERSE,
  LOW_MATVEC_MASK_ALL,
  LOW_MATVEC_MASK,
  LOW_MATVEC_COUNT
};

/* The name that its loops have: "mat_mult". */
const char *low_matvec_name(enum low_matvec op);
/* The address that its loops name, as low_algebra_get. ERR_COMPILE */
status low_matvec_get(enum low_matvec op, struct type t, uint32_t rdim,
                      uint32_t cdim, void (**address_out)(void));

#endif
