/* What a run compiled, linked into the program by op2cc --bundle.
 *
 * Problem. Machines without LLVM, or whose disks keep nothing, have no code for
 * regions.
 *
 * Idea. The entries of a folder of the cache (entry.c), one after another, are
 * data of the executable, and a constructor tells of them. They are found as
 * those on disk are, by their whole key, and before them (made.c). A key holds
 * no address and nothing that a link changes: kernels stand in it by the digest
 * of their code, so that a program that is linked anew finds all but the
 * regions of kernels that changed.
 *
 * What is damaged is ignored with a line in the log, and what is for another
 * processor or version of the library is left aside: such regions are compiled,
 * as if there were no bundle.
 *
 * cost  op_init reads all entries once: 0.4 ms per MB
 * limits  what a run did not meet is not there. */
#include "lower/bundle.h"

#include "base/arena.h"
#include "base/counters.h"
#include "base/log.h"
#include "base/table.h"
#include "include/op2_blob.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct {
  struct low_chunk *v; /* what constructors told of */
  size_t n, cap;
  bool open;
  struct str maker;
  struct table index;      /* key -> number in found, and 1 */
  struct low_chunk *found; /* their bytes */
  size_t nfound, capfound;
  size_t others, versions; /* not ours; of these: of other libraries */
} bundle = {.maker = STR_INIT};

static bool
bundle_begins(const struct low_chunk *key, const char *text, size_t n) {
  return key->n >= n && !memcmp(key->at, text, n);
}

static void
bundle_add(const struct low_parts *p) {
  size_t line = strcspn(bundle.maker.s, "\n");
  if (!bundle_begins(&p->key, bundle.maker.s, bundle.maker.len)) {
    bundle.others++;
    bundle.versions += !bundle_begins(&p->key, bundle.maker.s, line);
    return;
  }
  uintptr_t *slot = table_slot(&bundle.index, p->key.at, p->key.n);
  if (*slot) return; /* another bundle of the program has it, too */
  VEC_PUSH(bundle.found, bundle.nfound, bundle.capfound, p->bytes);
  *slot = bundle.nfound;
}

/* Where the next entry may begin, behind one that is damaged: lengths cannot be
 * trusted. */
static size_t
bundle_next(const struct low_chunk *b, size_t at) {
  struct low_parts p;
  do at += LOW_ENTRY_ALIGN;
  while (at < b->n && low_entry_parts(b->at + at, b->n - at, false, &p));
  return at;
}

static void
bundle_read(const struct low_chunk *b) {
  struct low_parts p;
  for (size_t at = 0; at < b->n;) {
    const char *file = b->at + at;
    const char *wrong = low_entry_parts(file, b->n - at, false, &p);
    if (!wrong && !low_entry_sound(file, &p)) wrong = "is corrupt";
    if (!wrong) {
      bundle_add(&p);
      at += round_up(p.size, LOW_ENTRY_ALIGN);
      continue;
    }
    counters[CNT_cache_bad]++;
    LOG_WARN(
        "an entry of the program's own code, at byte %zu of %zu, %s; it is "
        "not used",
        at, b->n, wrong);
    at = bundle_next(b, at);
  }
}

static void
bundle_forget(void) {
  table_clear(&bundle.index);
  free(bundle.found);
  bundle.found = NULL;
  bundle.nfound = bundle.capfound = bundle.others = bundle.versions = 0;
}

static void
bundle_read_all(void) {
  bundle_forget();
  for (size_t k = 0; k < bundle.n; k++) bundle_read(&bundle.v[k]);
  if (bundle.n)
    LOG_INFO("the program's own code: %zu entries, %zu for other processors, "
             "%zu for other versions of the library",
             bundle.nfound + bundle.others, bundle.others - bundle.versions,
             bundle.versions);
}

void
low_bundle_open(const struct str *maker) {
  assert(maker->len);
  str_reset(&bundle.maker);
  str_addn(&bundle.maker, maker->s, maker->len);
  bundle.open = true;
  bundle_read_all();
}

void
low_bundle_close(void) {
  bundle_forget();
  str_clear(&bundle.maker);
  bundle.open = false;
}

bool
low_bundle_find(const struct str *key, struct low_entry *out) {
  assert(key->len);
  size_t at = table_get(&bundle.index, key->s, key->len, 0);
  if (!at) return false;
  assert(at <= bundle.nfound);
  const struct low_chunk *bytes = &bundle.found[at - 1];
  *out = (struct low_entry){NULL, bytes->at, bytes->n};
  return true;
}

void
low_bundle_tell(struct str *out) {
  if (!bundle.open || !bundle.n)
    str_add(out,
            "; where there is one, op2cc --bundle puts what a run compiles "
            "into the program (man op2cc)");
  else
    str_printf(
        out,
        "; of the program's own code (op2cc --bundle) %zu entries are for "
        "this processor and library, and this is not among them; %zu are "
        "for other processors, %zu for other versions of the library",
        bundle.nfound, bundle.others - bundle.versions, bundle.versions);
}

void
op2_bundle_register(const void *entries, size_t bytes) {
  struct low_chunk b = {entries, bytes};
  assert(entries);
  VEC_PUSH(bundle.v, bundle.n, bundle.cap, b);
  if (bundle.open) bundle_read_all();
}

void
op2_bundle_unregister(const void *entries) {
  size_t k = 0;
  while (k < bundle.n && bundle.v[k].at != entries) k++;
  if (k == bundle.n) return;
  memmove(bundle.v + k, bundle.v + k + 1,
          (bundle.n - k - 1) * sizeof *bundle.v);
  bundle.n--;
  if (bundle.open) bundle_read_all();
  if (bundle.n) return;
  free(bundle.v);
  bundle.v = NULL;
  bundle.cap = 0;
}
