/* The program solve over ranks that declare parts: sums and scalars are the same on all.
 *
 * RUN: 1
 * RUN: 2
 * RUN: 3 SLICE=skew
 * RUN: 2 OP2_EAGER=1
 * RUN: 4 OP2_REPRODUCIBLE=1
 * RUN: 2 OP2_REPRODUCIBLE=1 OMP_NUM_THREADS=2
 * RUN: 3 OP2_CHECK=1 OP2_IR_STRESS=1
 * RUN: 2 OP2_TARGET=opencl
 */
#include "slice.h"

#include "../programs/solve.c"
