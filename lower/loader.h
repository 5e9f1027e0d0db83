/* Object files to code in memory, without LLVM: see loader.c. */
#ifndef LOWER_LOADER_H
#define LOWER_LOADER_H

#include "base/err.h"
#include "lower/debugger.h"
#include "lower/module.h"

/* The function `entry` of the relocatable file in `object` [n bytes, 8-byte
 * aligned; KEEP]. ERR_COMPILE: it holds what is not handled here, a name is not
 * found in the process, or it is broken. Other machines: always. */
status low_load(const char *object, size_t n, const char *entry,
                struct low_code *out);
/* The same of region `name`, which debuggers and profilers are told of. */
status low_load_told(const char *object, size_t n, const char *entry,
                     const char *name, struct low_code *out);

#endif
