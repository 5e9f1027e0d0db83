/* Vector arguments, in parts (slice.h).
 *
 * RUN: 2 SLICE=skew
 * RUN: 3 PART=RANDOM
 * RUN: 3 OP2_TARGET=opencl
 */
#include "slice.h"

#include "../programs/vector_arg.c"
