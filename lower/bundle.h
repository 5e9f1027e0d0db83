/* Entries that op2cc --bundle put into the program: see bundle.c. */
#ifndef LOWER_BUNDLE_H
#define LOWER_BUNDLE_H

#include "lower/entry.h"

/* From here on entries are found whose key begins with `maker`: the library and
 * the processor. Before, and after low_bundle_close, there are none. */
void low_bundle_open(const struct str *maker);
void low_bundle_close(void);

/* The entry with this key, byte for byte. */
bool low_bundle_find(const struct str *key, struct low_entry *out);

/* For an error of what could not be made: whether there were entries, and how a
 * program gets them. */
void low_bundle_tell(struct str *out);

#endif
