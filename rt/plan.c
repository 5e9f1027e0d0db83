/* The cache of plans. A key is all that a plan depends on, as 64-bit words: n,
 * block, element colours, and per conflict the map, its version and the entry.
 * Keys are compared in full; a map whose table changes has another version. */
#include "rt/plan.h"

#include "base/arena.h"
#include "base/counters.h"
#include "base/table.h"
#include "rt/colour.h"

#include <assert.h>
#include <stdlib.h>

#ifdef NDEBUG
bool rt_plan_checking = false;
#else
bool rt_plan_checking = true;
#endif

static struct {
  struct table by_key; /* -> struct rt_plan */
  struct rt_plan **plans;
  uint32_t n, cap;
  uint64_t *key; /* scratch */
  uint32_t nkey, capkey;
} cache;

static void
key_make(idx_l n, idx_l block, const struct rt_conflict *c, uint32_t nc,
         bool elem_colours) {
  uint64_t head[] = {(uint64_t)n, (uint64_t)block, elem_colours};
  cache.nkey = 0;
  for (int i = 0; i < 3; i++)
    VEC_PUSH(cache.key, cache.nkey, cache.capkey, head[i]);
  for (uint32_t i = 0; i < nc; i++) {
    assert(c[i].map->from->n >= n);
    uint64_t words[] = {(uintptr_t)c[i].map, c[i].map->version,
                        (uint64_t)c[i].idx};
    for (int k = 0; k < 3; k++)
      VEC_PUSH(cache.key, cache.nkey, cache.capkey, words[k]);
  }
}

static status
make_checked(idx_l n, idx_l block, const struct rt_conflict *c, uint32_t nc,
             bool elem_colours, struct rt_plan **out) {
  TRY(rt_plan_make(n, block, c, nc, elem_colours, out));
  counters[CNT_plans]++;
  status s = rt_plan_checking ? rt_plan_check(*out, c, nc) : OK;
  if (s != OK) rt_plan_free(*out);
  return s;
}

status
rt_plan_get(idx_l n, idx_l block, const struct rt_conflict *c, uint32_t nc,
            bool elem_colours, const struct rt_plan **out) {
  key_make(n, block, c, nc, elem_colours);
  size_t bytes = cache.nkey * sizeof *cache.key;
  struct rt_plan *p =
      (struct rt_plan *)table_get(&cache.by_key, cache.key, bytes, 0);
  if (!p) {
    TRY(make_checked(n, block, c, nc, elem_colours, &p));
    *table_slot(&cache.by_key, cache.key, bytes) = (uintptr_t)p;
    VEC_PUSH(cache.plans, cache.n, cache.cap, p);
  }
  *out = p;
  return OK;
}

void
rt_plan_cache_clear(void) {
  for (uint32_t i = 0; i < cache.n; i++) rt_plan_free(cache.plans[i]);
  table_clear(&cache.by_key);
  free(cache.plans);
  free(cache.key);
  cache.plans = NULL;
  cache.key = NULL;
  cache.n = cache.cap = cache.nkey = cache.capkey = 0;
}
