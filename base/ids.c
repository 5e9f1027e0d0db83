#include "base/ids.h"

#include "base/arena.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct id_entry {
  uint32_t id;
  bool kept;
  size_t bytes;
  unsigned char key[];
};

uint32_t
ids_get(struct ids *t, uint32_t *last, const void *key, size_t bytes) {
  uintptr_t *slot = table_slot(&t->known, key, bytes);
  if (!*slot) {
    struct id_entry *e = mem_alloc(1, sizeof *e + bytes);
    e->id = ++*last;
    e->bytes = bytes;
    memcpy(e->key, key, bytes);
    *slot = (uintptr_t)e;
    VEC_PUSH(t->all, t->n, t->cap, e);
  }
  return ((struct id_entry *)*slot)->id;
}

/* Numbers grow along the array. */
void
ids_keep(struct ids *t, uint32_t id) {
  uint32_t lo = 0, hi = t->n;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (t->all[mid]->id < id)
      lo = mid + 1;
    else
      hi = mid;
  }
  if (lo < t->n && t->all[lo]->id == id) t->all[lo]->kept = true;
}

void
ids_sweep(struct ids *t) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->n; i++) {
    struct id_entry *e = t->all[i];
    if (e->kept) {
      e->kept = false;
      t->all[n++] = e;
      continue;
    }
    table_remove(&t->known, e->key, e->bytes);
    free(e);
  }
  t->n = n;
}

void
ids_clear(struct ids *t) {
  for (uint32_t i = 0; i < t->n; i++) free(t->all[i]);
  free(t->all);
  table_clear(&t->known);
  *t = (struct ids){0};
}
