/* OP2_CHECK=nan over ranks: the first find by the program's numbers is the error of
 * all.
 *
 * RUN: 2
 * RUN: 3 PART=RANDOM
 * RUN: 3 SLICE=skew OP2_EAGER=1
 * RUN: 4 OP2_HALO_LIMIT=4 OP2_LAYOUT=soa
 * RUN: 2 OP2_TARGET=opencl
 */
#include "slice.h"

#include "../programs/nan.c"
