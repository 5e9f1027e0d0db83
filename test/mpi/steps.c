/* Maps whose rows step, in parts: what is proven of each (slice.h).
 *
 * RUN: 1
 * RUN: 2
 * RUN: 3 SLICE=skew
 * RUN: 4 PART=RANDOM
 * RUN: 3 PART=EXTERNAL OP2_CHECK=1
 * RUN: 2 PART=PTSCOTCH OP2_RENUMBER=rcm
 * RUN: 2 OP2_REPRODUCIBLE=1
 * RUN: 3 OP2_TARGET=opencl PART=RANDOM
 */
#include "slice.h"

#include "../programs/steps.c"
