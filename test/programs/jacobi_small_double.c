/* Jacobi in double against plain C. */
#define REAL double
#define REAL_NAME "double"
#define JACOBI_KIND JACOBI_FLOATING
#define WITHIN 1e-12
#include "jacobi_small.h"
