/* Tables keyed by bytes, on Judy arrays (JudyHS, which compares whole keys;
 * a hash alone is never trusted). Values are pointer-sized. Zero is empty. */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table {
  void *judy;
  size_t n;
};

/* Slot of the key, made (with value 0) if absent. The pointer is valid until
 * the next insertion. */
uintptr_t *table_slot(struct table *t, const void *key, size_t bytes);
/* Value of the key; `none` if absent. */
uintptr_t table_get(const struct table *t, const void *key, size_t bytes,
                    uintptr_t none);
void table_remove(struct table *t, const void *key, size_t bytes);
void table_clear(struct table *t); /* keys only; values are the owner's */

/* Interned strings: equal text gives the same pointer until intern_clear. */
struct arena;
const char *intern_str(struct table *t, struct arena *a, const char *s);

#endif
