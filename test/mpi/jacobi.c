/* Jacobi, in parts (slice.h).
 *
 * RUN: 2
 * RUN: 3 PART=RANDOM
 * RUN: 4 SLICE=skew PART=PTSCOTCH
 * RUN: 7
 */
#include "slice.h"

#include "../programs/jacobi_small_double.c"
