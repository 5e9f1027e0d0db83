/* Making a failing program small. */
#ifndef RANDOM_SHRINK_H
#define RANDOM_SHRINK_H

#include "run.h"

/* The smallest program found that still fails, and how, within `seconds`. p: fails
 * in `mode`. */
struct program *shrink(const struct program *p, size_t mode, double seconds,
                       struct result *out);
/* Monotonic seconds. */
double seconds_now(void);

#endif
