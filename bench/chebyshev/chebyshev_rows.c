/* Chebyshev smoothing as loops over rows of any length. */
#define CHEBYSHEV_ROWS 1
#include "program.h"
