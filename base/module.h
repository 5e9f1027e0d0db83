/* Parts of the library that are shared objects of their own, beside it, and are
 * opened when first needed: what they link may be missing, or slow to load.
 *
 * A part shows one table, whose first member is the version it was built as.
 * Both sides have their own copy of base/: memory and plain data go across, a
 * message has to be passed on.
 */
#ifndef BASE_MODULE_H
#define BASE_MODULE_H

#include "base/str.h"

#include <stdbool.h>

/* Where the part of this file name lies: in the folder of the file that this
 * function was loaded from, or in the library's, if that file is an installed
 * tool. `out` is empty before. */
void module_path(const char *name, struct str *out);

/* Open it and find its table `symbol`; NULL: `why` says what is wrong. It stays
 * open. errno is ENOMEM if it had no room. */
const void *module_open(const char *name, const char *symbol, struct str *why);

/* The same for a part that links libraries which open parts of themselves, as
 * MPI's do: these look for symbols. */
const void *module_open_global(const char *name, const char *symbol,
                               struct str *why);

/* Does it lie where the program's own file is mapped and nothing is written?
 * Then it stays as it is until the process ends. */
bool module_constant(const void *address);

#endif
