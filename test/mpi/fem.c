/* The finite elements, in parts (slice.h).
 *
 * RUN: 2
 * RUN: 3 PART=INERTIAL
 * RUN: 4 SLICE=skew
 * RUN: 7 PART=RANDOM
 * RUN: 2 PART=PTSCOTCH
 * RUN: 1 OP2_REPRODUCIBLE=1
 * RUN: 3 OP2_REPRODUCIBLE=1 PART=RANDOM
 * RUN: 4 OP2_REPRODUCIBLE=1 OMP_NUM_THREADS=2
 * RUN: 7 OP2_REPRODUCIBLE=1 SLICE=skew
 * RUN: 2 OP2_TARGET=opencl
 * RUN: 3 OP2_TARGET=opencl PART=RANDOM OP2_THREADING=colours
 */
#include "slice.h"

#include "../programs/fem_small.c"
