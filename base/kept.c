#include "base/kept.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void *
kept_find(const struct keeper *k, const void *key, size_t bytes) {
  return (void *)table_get(&k->known, key, bytes, 0);
}

void
kept_add(struct keeper *k, struct kept *e, const void *key, size_t bytes) {
  assert(e && !e->key);
  e->key = mem_alloc(bytes + 1, 1);
  e->bytes = bytes;
  memcpy(e->key, key, bytes);
  uintptr_t *slot = table_slot(&k->known, key, bytes);
  assert(!*slot);
  *slot = (uintptr_t)e;
  VEC_PUSH(k->all, k->n, k->cap, e);
}

static void
entry_free(struct kept *e, void (*clear)(struct kept *)) {
  if (clear) clear(e);
  free(e->key);
  free(e);
}

void
kept_sweep(struct keeper *k, void (*clear)(struct kept *)) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < k->n; i++) {
    struct kept *e = k->all[i];
    if (e->used) {
      e->used = false;
      k->all[n++] = e;
      continue;
    }
    table_remove(&k->known, e->key, e->bytes);
    entry_free(e, clear);
  }
  k->n = n;
}

void
kept_clear(struct keeper *k, void (*clear)(struct kept *)) {
  for (uint32_t i = 0; i < k->n; i++) entry_free(k->all[i], clear);
  free(k->all);
  table_clear(&k->known);
  *k = (struct keeper){0};
}
