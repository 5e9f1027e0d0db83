/* As test/programs/upload_spread.c, by ranks that declare and see parts.
 *
 * RUN: 2
 * RUN: 2 OP2_HALO_LIMIT=6
 * RUN: 3 OP2_HALO_LIMIT=6 PART=RANDOM
 * RUN: 3 OP2_EAGER=1
 * RUN: 2 OP2_TARGET=opencl
 */
#include "slice.h"

#include "../programs/upload_spread.c"
