/* Jacobi, in parts (slice.h).
 *
 * RUN: 2
 * RUN: 3 PART=RANDOM
 * RUN: 4 SLICE=skew PART=PTSCOTCH
 * RUN: 7
 * RUN: 1 OP2_REPRODUCIBLE=1
 * RUN: 3 OP2_REPRODUCIBLE=1 PART=RANDOM
 * RUN: 4 OP2_REPRODUCIBLE=1 OMP_NUM_THREADS=2
 * RUN: 2 OP2_TARGET=opencl OP2_CHECK=1
 * RUN: 4 OP2_TARGET=opencl SLICE=skew
 */
#include "slice.h"

#include "../programs/jacobi_small_double.c"
