/* What op2cc --bundle links into a program. */
#ifndef TOOLS_CC_BUNDLE_H
#define TOOLS_CC_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>

/* Write the entries of these folders [n] of the cache that this version of the
 * library may use to the file `entries`, and a C source that registers them to
 * `source`, in the same folder. What is left out is said on stderr, unless
 * `quiet`. False: it cannot be done, which was said. */
bool bundle_write(const char *const *folders, size_t n, bool quiet,
                  const char *entries, const char *source);

#endif
