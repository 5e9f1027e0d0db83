/* grid_operators of test/programs, in parts (slice_box.h).
 *
 * RUN: 1
 * RUN: 2
 * RUN: 3 OP2_CHECK=1
 * RUN: 4 OMP_NUM_THREADS=2
 * RUN: 4 OP2_HALO_LIMIT=6 OP2_EAGER=1
 * RUN: 3 OP2_TARGET=opencl
 */
#include "slice_box.h"

#include "../programs/grid_operators.c"
