/* Jacobi in int against plain C. */
#define REAL int
#define REAL_NAME "int"
#define JACOBI_KIND JACOBI_INTEGER
#define WITHIN 0.0
#include "jacobi_small.h"
