/* Chebyshev smoothing, in parts (slice.h).
 *
 * RUN: 2 PART=PTSCOTCH
 * RUN: 3
 * RUN: 4 PART=RANDOM
 * RUN: 7 SLICE=skew
 * RUN: 1 OP2_REPRODUCIBLE=1
 * RUN: 3 OP2_REPRODUCIBLE=1 PART=EXTERNAL
 * RUN: 4 OP2_REPRODUCIBLE=1 OMP_NUM_THREADS=2
 * RUN: 2 OP2_TARGET=opencl
 * RUN: 3 OP2_TARGET=opencl PART=INERTIAL
 */
#include "slice.h"

#include "../programs/chebyshev_small.c"
