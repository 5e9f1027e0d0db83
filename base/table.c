#include "base/table.h"

#include "base/arena.h"

#include <Judy.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

uintptr_t *
table_slot(struct table *t, const void *key, size_t bytes) {
  static char nothing; /* Judy wants an address even for an empty key */
  PPvoid_t slot =
      JudyHSIns(&t->judy, (void *)(bytes ? key : &nothing), bytes, PJE0);
  if (!slot || slot == PPJERR) mem_exhausted(bytes);
  if (!*slot) t->n++; /* values are non-zero once their owner has set them */
  return (uintptr_t *)slot;
}

uintptr_t
table_get(const struct table *t, const void *key, size_t bytes,
          uintptr_t none) {
  static char nothing;
  PPvoid_t slot = JudyHSGet(t->judy, (void *)(bytes ? key : &nothing), bytes);
  return slot ? *(uintptr_t *)slot : none;
}

void
table_remove(struct table *t, const void *key, size_t bytes) {
  assert(bytes > 0);
  if (JudyHSDel(&t->judy, (void *)key, bytes, PJE0) == 1) t->n--;
}

void
table_clear(struct table *t) {
  JudyHSFreeArray(&t->judy, PJE0);
  *t = (struct table){0};
}

const char *
intern_str(struct table *t, struct arena *a, const char *s) {
  uintptr_t *slot = table_slot(t, s, strlen(s) + 1);
  if (!*slot) *slot = (uintptr_t)arena_str(a, s);
  return (const char *)*slot;
}
