#include "base/ids.h"

#include "base/arena.h"

struct id_entry {
  struct kept kept; /* first */
  uint32_t id;
};

uint32_t
ids_get(struct ids *t, uint32_t *last, const void *key, size_t bytes) {
  struct id_entry *e = kept_find(&t->known, key, bytes);
  if (!e) {
    e = mem_alloc(1, sizeof *e);
    e->id = ++*last;
    kept_add(&t->known, &e->kept, key, bytes);
  }
  return e->id;
}

/* Numbers grow along the array. */
void
ids_keep(struct ids *t, uint32_t id) {
  struct id_entry **all = (struct id_entry **)t->known.all;
  uint32_t lo = 0, hi = t->known.n;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (all[mid]->id < id)
      lo = mid + 1;
    else
      hi = mid;
  }
  if (lo < t->known.n && all[lo]->id == id) all[lo]->kept.used = true;
}

void
ids_sweep(struct ids *t) {
  kept_sweep(&t->known, NULL);
}

void
ids_clear(struct ids *t) {
  kept_clear(&t->known, NULL);
}
