/* Preconditioners over ranks that declare parts: incomplete factors of a rank's own rows.
 *
 * RUN: 1
 * RUN: 2
 * RUN: 3 SLICE=skew
 * RUN: 4 PART=RANDOM
 * RUN: 3 PART=EXTERNAL SLICE=skew
 * RUN: 4
 * RUN: 2 OP2_CHECK=1 OP2_IR_STRESS=1
 * RUN: 2 OP2_REPRODUCIBLE=1
 * RUN: 2 OP2_REPRODUCIBLE=1 OMP_NUM_THREADS=2
 */
#include "slice.h"

#include "../programs/precondition.c"
