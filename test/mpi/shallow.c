/* Shallow water, in parts (slice.h).
 *
 * RUN: 2 PART=PTSCOTCH
 * RUN: 3
 * RUN: 4 PART=RANDOM
 * RUN: 7 SLICE=skew
 */
#include "slice.h"

#include "../programs/shallow_small.c"
