/* The finite elements, in parts (slice.h).
 *
 * RUN: 2
 * RUN: 3 PART=INERTIAL
 * RUN: 4 SLICE=skew
 * RUN: 7 PART=RANDOM
 * RUN: 2 PART=PTSCOTCH
 */
#include "slice.h"

#include "../programs/fem_small.c"
