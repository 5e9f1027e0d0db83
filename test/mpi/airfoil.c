/* Airfoil, in parts (slice.h).
 *
 * RUN: 2
 * RUN: 3 SLICE=skew
 * RUN: 7
 * RUN: 2 PART=RANDOM
 * RUN: 4 PART=INERTIAL
 * RUN: 3 PART=EXTERNAL
 * RUN: 3 PART=PTSCOTCH
 * RUN: 3 PART=RANDOM SLICE=skew OP2_HALO_LIMIT=6
 * RUN: 4 PART=PTSCOTCH OP2_EAGER=1
 */
#include "slice.h"

#include "../programs/airfoil_small.c"
