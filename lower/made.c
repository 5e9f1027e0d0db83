/* Where things that were made are looked for: in the program, then on disk. */
#include "lower/made.h"

#include "lower/bundle.h"
#include "lower/disk.h"

#include <assert.h>

static struct str made_maker = STR_INIT; /* what every key begins with */

void
low_made_open(const char *machine, bool bundle) {
  assert(machine);
  low_made_close();
  low_entry_version(&made_maker);
  str_add(&made_maker, machine);
  if (bundle) low_bundle_open(&made_maker);
}

void
low_made_close(void) {
  low_bundle_close();
  low_disk_close();
  str_clear(&made_maker);
}

static void
made_key(const struct low_made *m, struct str *whole) {
  assert(m->kind && m->name && m->tools && !whole->len);
  str_printf(whole, "%s%s\n", made_maker.s, m->kind);
  str_addn(whole, m->key->s, m->key->len);
}

bool
low_made_find(const struct low_made *m, struct low_entry *out) {
  if (!made_maker.len) return false;
  SCOPED_STR whole = STR_INIT;
  made_key(m, &whole);
  return low_bundle_find(&whole, out) || low_disk_find(m, &whole, out);
}

bool
low_made_find_kept(const struct low_made *m, struct low_entry *out) {
  if (!made_maker.len) return false;
  SCOPED_STR whole = STR_INIT;
  made_key(m, &whole);
  return low_disk_find(m, &whole, out);
}

void
low_made_keep(const struct low_made *m, const char *bytes, size_t n) {
  assert(bytes || !n);
  if (!made_maker.len) return;
  SCOPED_STR whole = STR_INIT;
  made_key(m, &whole);
  low_disk_keep(m, &whole, bytes, n);
}
