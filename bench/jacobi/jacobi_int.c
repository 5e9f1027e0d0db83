/* Jacobi in int. */
#define REAL int
#define REAL_NAME "int"
#define JACOBI_KIND JACOBI_INTEGER
#include "jacobi.h"
