/* Chebyshev smoothing as loops over edges. */
#define CHEBYSHEV_ROWS 0
#include "program.h"
