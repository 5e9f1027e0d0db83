/* Jacobi in double. */
#define REAL double
#define REAL_NAME "double"
#define JACOBI_KIND JACOBI_FLOATING
#include "jacobi.h"
