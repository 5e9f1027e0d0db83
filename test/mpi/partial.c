/* Partial writes, in parts (slice.h).
 *
 * RUN: 2
 * RUN: 3 SLICE=skew
 * RUN: 3 OP2_TARGET=opencl
 */
#include "slice.h"

#include "../programs/partial_write.c"
