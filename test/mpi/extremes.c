/* Minima and maxima of several components, in parts (slice.h).
 *
 * RUN: 2
 * RUN: 3 SLICE=skew
 * RUN: 4 OP2_TARGET=opencl PART=RANDOM
 */
#include "slice.h"

#include "../programs/minmax_vec.c"
