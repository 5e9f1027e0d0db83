/* Things that were made for a key, kept until a sweep finds them out of use. An
 * entry is a struct that begins with a struct kept; keys are compared in full.
 * Zero is an empty keeper. */
#ifndef BASE_KEPT_H
#define BASE_KEPT_H

#include "base/table.h"

#include <stdbool.h>

struct kept {
  void *key;
  size_t bytes;
  bool used; /* since the last sweep, says whoever uses it */
};
struct keeper {
  struct table known; /* key -> entry */
  struct kept **all;  /* in the order in which they came */
  uint32_t n, cap;
};

/* The entry of the key; NULL: there is none. */
void *kept_find(const struct keeper *k, const void *key, size_t bytes);
/* The entry (from mem_alloc, TAKE) is that of the key, which is copied and has
 * none yet. */
void kept_add(struct keeper *k, struct kept *e, const void *key, size_t bytes);
/* Those go that are not used and do not stay; marks go, too. `clear` frees what
 * else an entry owns; NULL: nothing. */
void kept_sweep(struct keeper *k, void (*clear)(struct kept *e));
/* All of them. */
void kept_clear(struct keeper *k, void (*clear)(struct kept *e));

#endif
