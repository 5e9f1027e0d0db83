/* Vector arguments, in parts (slice.h).
 *
 * RUN: 2 SLICE=skew
 * RUN: 3 PART=RANDOM
 */
#include "slice.h"

#include "../programs/vector_arg.c"
