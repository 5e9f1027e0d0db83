/* The cache of plans, parts and stages. A key is all that one depends on, as
 * 64-bit words: which of them, n, block or number of parts, element colours,
 * and per conflict the map, its version and the entries. Keys are compared in
 * full; a map whose table changes has another version.
 *
 * Bound: rt_plan_cache_sweep drops what no run got since the sweep before; but
 * plans of all ranks stay, since ranks make them together. */
#include "rt/plan.h"

#include "base/arena.h"
#include "base/counters.h"
#include "base/log.h"
#include "base/table.h"
#include "rt/walk/colour.h"
#include "rt/walk/parts.h"
#include "rt/walk/stage.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifdef NDEBUG
bool rt_plan_checking = false;
#else
bool rt_plan_checking = true;
#endif

double rt_plan_seconds;

/* What was made for a key: one of these. */
struct made {
  struct rt_plan *plan;
  struct rt_parts *parts;
  struct rt_stage *stage;
  uint64_t *key;
  uint32_t nkey;
  bool used; /* since the last sweep */
};
enum kind { PLAN, PLAN_FOR, PLAN_RANKS, PARTS, STAGE };

static struct {
  struct table by_key; /* -> struct made */
  struct made **made;
  uint32_t n, cap;
  uint64_t *key; /* scratch */
  uint32_t nkey, capkey;
  double begun; /* when what was not found began to be made */
} cache;

static void
key_make(enum kind kind, idx_l n, idx_l block, const struct rt_entries *c,
         uint32_t nc, bool elem_colours) {
  uint64_t head[] = {kind, (uint64_t)n, (uint64_t)block, elem_colours};
  cache.nkey = 0;
  for (int i = 0; i < 4; i++)
    VEC_PUSH(cache.key, cache.nkey, cache.capkey, head[i]);
  for (uint32_t i = 0; i < nc; i++) {
    assert(kind == PLAN_RANKS || c[i].of->from->n >= n);
    uint64_t words[] = {(uintptr_t)c[i].of, c[i].of->version,
                        (uint64_t)c[i].first << 32 | c[i].count};
    for (int k = 0; k < 3; k++)
      VEC_PUSH(cache.key, cache.nkey, cache.capkey, words[k]);
  }
}

/* What the key made last stands for; NULL: nothing yet. */
static const struct made *
cache_find(void) {
  struct made *m = (struct made *)table_get(&cache.by_key, cache.key,
                                            cache.nkey * sizeof *cache.key, 0);
  if (m) m->used = true;
  if (!m) cache.begun = timer_wall(); /* it will be made */
  return m;
}

static void
cache_keep(struct made made) {
  struct made *m = mem_alloc(1, sizeof *m);
  *m = made;
  m->key = mem_alloc(cache.nkey, sizeof *m->key);
  m->nkey = cache.nkey;
  m->used = true;
  memcpy(m->key, cache.key, cache.nkey * sizeof *m->key);
  VEC_PUSH(cache.made, cache.n, cache.cap, m);
  *table_slot(&cache.by_key, m->key, m->nkey * sizeof *m->key) = (uintptr_t)m;
  counters[CNT_plans]++;
  rt_plan_seconds += timer_wall() - cache.begun;
}

static void
made_free(struct made *m) {
  rt_plan_free(m->plan);
  rt_parts_free(m->parts);
  rt_stage_free(m->stage);
  free(m->key);
  free(m);
}

/* A plan that was just made is checked and kept, or freed. */
static status
keep_plan(struct rt_plan *p, const struct rt_entries *c, uint32_t nc) {
  status st = rt_plan_checking ? rt_plan_check(p, c, nc) : OK;
  if (st == OK)
    cache_keep((struct made){.plan = p});
  else
    rt_plan_free(p);
  return st;
}

status
rt_plan_get(idx_l n, idx_l block, const struct rt_entries *c, uint32_t nc,
            bool elem_colours, const struct rt_plan **out) {
  key_make(PLAN, n, block, c, nc, elem_colours);
  const struct made *known = cache_find();
  struct rt_plan *p = known ? known->plan : NULL;
  if (!known) {
    TRY(rt_plan_make(n, block, c, nc, elem_colours, &p));
    TRY(keep_plan(p, c, nc));
  }
  *out = p;
  return OK;
}

status
rt_plan_get_for(idx_l n, idx_l block, int threads, const struct rt_entries *c,
                uint32_t nc, const struct rt_plan **out) {
  key_make(PLAN_FOR, n, block, c, nc, false);
  VEC_PUSH(cache.key, cache.nkey, cache.capkey, (uint64_t){(uint64_t)threads});
  const struct made *known = cache_find();
  struct rt_plan *p = known ? known->plan : NULL;
  if (!known) {
    TRY(rt_plan_make_for(n, block, threads, c, nc, &p));
    if (p)
      TRY(keep_plan(p, c, nc));
    else
      cache_keep((struct made){0}); /* it does not pay */
  }
  *out = p;
  return OK;
}

/* By the level, since n may be equal on some rank for two of them. */
status
rt_plan_get_ranks(struct rt_comm *comm, const struct rt_set *set, int level,
                  idx_l block, const struct rt_entries *c, uint32_t nc,
                  const struct rt_plan **out) {
  key_make(PLAN_RANKS, level, block, c, nc, false);
  const struct made *known = cache_find();
  struct rt_plan *p = known ? known->plan : NULL;
  if (!known) {
    TRY(rt_plan_make_ranks(comm, set, level, block, c, nc, &p));
    TRY(keep_plan(p, c, nc));
  }
  *out = p;
  return OK;
}

status
rt_parts_get(idx_l n, int parts, const struct rt_entries *c, uint32_t nc,
             const struct rt_parts **out) {
  key_make(PARTS, n, parts, c, nc, false);
  const struct made *known = cache_find();
  struct made m = {.parts = known ? known->parts : NULL};
  if (!known) {
    TRY(rt_parts_make(n, parts, c, nc, &m.parts));
    status st = rt_plan_checking ? rt_parts_check(m.parts, c, nc) : OK;
    if (st != OK) {
      rt_parts_free(m.parts);
      return st;
    }
    cache_keep(m);
  }
  *out = m.parts;
  return OK;
}

status
rt_stage_get(idx_l n, idx_l block, const struct rt_entries *c,
             uint32_t nentries, const struct rt_stage **out) {
  key_make(STAGE, n, block, c, nentries, false);
  const struct made *known = cache_find();
  struct made m = {.stage = known ? known->stage : NULL};
  if (!known) {
    TRY(rt_stage_make(n, block, c, nentries, &m.stage));
    status st = rt_plan_checking ? rt_stage_check(m.stage, c, nentries) : OK;
    if (st != OK) {
      rt_stage_free(m.stage);
      return st;
    }
    cache_keep(m);
  }
  *out = m.stage;
  return OK;
}

void
rt_plan_cache_sweep(void) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < cache.n; i++) {
    struct made *m = cache.made[i];
    if (m->used || m->key[0] == PLAN_RANKS) {
      m->used = false;
      cache.made[n++] = m;
      continue;
    }
    table_remove(&cache.by_key, m->key, m->nkey * sizeof *m->key);
    made_free(m);
  }
  cache.n = n;
}

void
rt_plan_cache_clear(void) {
  rt_plan_seconds = 0;
  for (uint32_t i = 0; i < cache.n; i++) made_free(cache.made[i]);
  table_clear(&cache.by_key);
  free(cache.made);
  free(cache.key);
  cache.made = NULL;
  cache.key = NULL;
  cache.n = cache.cap = cache.nkey = cache.capkey = 0;
}
