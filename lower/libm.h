/* Which functions are the C library's: see libm.c. */
#ifndef LOWER_LIBM_H
#define LOWER_LIBM_H

#include <stdbool.h>

/* Is it the C library's function `name` that lies at this address (NULL: that
 * this process finds under the name)? */
bool low_libm_has(const char *name, const void *address);

#endif
