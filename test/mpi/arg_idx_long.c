/* arg_idx_long of test/programs, in parts (slice.h): what each rank is handed are
 * numbers over all of them, of elements that it owns and of copies.
 *
 * RUN: 1
 * RUN: 2
 * RUN: 3 SLICE=skew
 * RUN: 4 PART=RANDOM
 * RUN: 3 PART=EXTERNAL OP2_CHECK=1
 * RUN: 3 PART=PTSCOTCH OP2_RENUMBER=rcm
 * RUN: 3 OP2_HALO_LIMIT=6 OP2_EAGER=1
 * RUN: 3 OP2_HALO_LIMIT=6 PART=RANDOM OP2_IR_STRESS=1
 * RUN: 3 OP2_RENUMBER=bisect OP2_LAYOUT=soa OMP_NUM_THREADS=2
 * RUN: 2 OP2_REPRODUCIBLE=1
 * RUN: 4 OP2_REPRODUCIBLE=1 PART=RANDOM OMP_NUM_THREADS=2
 * RUN: 2 OP2_TARGET=opencl
 * RUN: 3 OP2_TARGET=opencl PART=RANDOM OP2_INCREMENTS=staged
 */
#include "slice.h"

#include "../programs/arg_idx_long.c"
