/* Loops written by hand over parts: what is read beyond this rank's elements comes
 * from their owners; what is added there, both ranks add.
 *
 * RUN: 2
 * RUN: 3 PART=RANDOM
 * RUN: 3 SLICE=skew OP2_EAGER=1
 * RUN: 2 OP2_TARGET=opencl
 * RUN: 3 OP2_HALO_LIMIT=4 OP2_LAYOUT=soa
 */
#include "slice.h"

#include "../programs/by_hand.c"
