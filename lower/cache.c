/* Compiled regions of this process, by their whole key.
 *
 * The key (region_key.c) holds all that code depends on but the machine, which
 * doesn't change while we run. Set sizes and addresses are no part of it, so
 * that loops over different sets share code. Entries live until low_clear. */
#include "base/arena.h"
#include "base/counters.h"
#include "base/log.h"
#include "base/table.h"
#include "lower/region.h"

#include <stdlib.h>

/* A compilation longer than this is worth a line in the log. */
#define LOW_SLOW_SECONDS 0.2

static struct {
  struct table table; /* key -> 1 + index in codes */
  struct low_code *codes;
  uint32_t n, cap;
  struct table names; /* launch names outlive the region's description */
  struct arena arena;
} low_cache;

static status
low_compile(const struct low_region *r, struct low_code *out) {
  double start = timer_wall();
  struct str object = STR_INIT;
  status s = low_llvm_compile(r, out, &object);
  str_clear(&object);
  TRY(s);
  counters[CNT_compiles]++;
  double seconds = timer_wall() - start;
  if (seconds > LOW_SLOW_SECONDS)
    LOG_WARN("compiling %s took %.2f s", r->name, seconds);
  else
    LOG_DEBUG("compiling %s took %.3f s", r->name, seconds);
  return OK;
}

static status
low_cache_find(const struct low_region *r, const struct str *key,
               rt_region_fn *out) {
  uintptr_t at = table_get(&low_cache.table, key->s, key->len, 0);
  if (!at) {
    struct low_code c;
    TRY(low_compile(r, &c));
    VEC_PUSH(low_cache.codes, low_cache.n, low_cache.cap, c);
    at = low_cache.n;
    *table_slot(&low_cache.table, key->s, key->len) = at;
  }
  *out = low_cache.codes[at - 1].fn;
  return OK;
}

status
low_cache_get(const struct low_region *r, rt_region_fn *out) {
  struct str key = STR_INIT;
  low_region_key(r, &key);
  status s = low_cache_find(r, &key, out);
  str_clear(&key);
  return s;
}

const char *
low_cache_name(const char *name) {
  return intern_str(&low_cache.names, &low_cache.arena, name);
}

void
low_clear(void) {
  for (uint32_t k = 0; k < low_cache.n; k++)
    low_code_clear(&low_cache.codes[k]);
  free(low_cache.codes);
  table_clear(&low_cache.table);
  table_clear(&low_cache.names);
  arena_clear(&low_cache.arena);
  low_cache.codes = NULL;
  low_cache.n = low_cache.cap = 0;
}
