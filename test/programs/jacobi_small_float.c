/* Jacobi in float against plain C. */
#define REAL float
#define REAL_NAME "float"
#define JACOBI_KIND JACOBI_FLOATING
#define WITHIN 1e-5
#include "jacobi_small.h"
