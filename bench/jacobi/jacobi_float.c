/* Jacobi in float. */
#define REAL float
#define REAL_NAME "float"
#define JACOBI_KIND JACOBI_FLOATING
#include "jacobi.h"
