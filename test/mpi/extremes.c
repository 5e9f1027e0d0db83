/* Minima and maxima of several components, in parts (slice.h).
 *
 * RUN: 2
 * RUN: 3 SLICE=skew
 */
#include "slice.h"

#include "../programs/minmax_vec.c"
