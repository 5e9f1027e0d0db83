/* Partial writes, in parts (slice.h).
 *
 * RUN: 2
 * RUN: 3 SLICE=skew
 */
#include "slice.h"

#include "../programs/partial_write.c"
