/* Kernels of the op2cc tests: the ways in which programs write them. */
#ifndef TEST_OP2CC_KERNELS_H
#define TEST_OP2CC_KERNELS_H

#include <math.h>

extern double gam; /* defined in one file, mentioned in others */
static int calls;  /* one for each file that includes this */

static inline double
helper(double x) {
  return sqrt(x) * gam;
}

static inline void
inline_kernel(const double *a, double *b) {
  *b += helper(*a);
}

static inline void
counting_kernel(const double *a, double *b) {
  *b = *a;
  calls++;
}

#endif
