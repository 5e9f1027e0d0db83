/* Walks: memory, ranges, cuts, and the cache of those that are made from
 * relations, with the stages of devices. A key is all that one depends on, as
 * 64-bit words: who makes it of how many elements, in blocks or for tasks of
 * what number, and per conflict the map, its version and the entries. Keys are
 * compared in full; a map whose table changes has another version.
 *
 * Bound: rt_walk_cache_sweep drops what no run got since the sweep before. */
#include "rt/walk/walk.h"

#include "base/arena.h"
#include "base/counters.h"
#include "base/event.h"
#include "base/kept.h"
#include "base/log.h"
#include "base/str.h"
#include "rt/mesh/margins.h"
#include "rt/walk/stage.h"

#include <stdlib.h>
#include <string.h>

#ifdef NDEBUG
bool rt_walk_checking = false;
#else
bool rt_walk_checking = true;
#endif

double rt_walk_seconds;

/* ---- memory, ranges, cuts ------------------------------------------------ */

struct rt_walk *
rt_walk_new(idx_l nsteps, idx_l ntasks, idx_l npieces) {
  assert(nsteps >= 0 && ntasks >= 0 && npieces >= 0);
  struct rt_walk *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  w->id = rt_version_new();
  w->nsteps = nsteps;
  w->ntasks = ntasks;
  w->npieces = npieces;
  w->step = calloc((size_t)nsteps + 1, sizeof *w->step);
  w->task = calloc((size_t)ntasks + 1, sizeof *w->task);
  w->piece = calloc((size_t)npieces + 1, sizeof *w->piece);
  if (w->step && w->task && w->piece) return w;
  rt_walk_free(w);
  return NULL;
}

void
rt_walk_free(struct rt_walk *w) {
  if (!w) return;
  free(w->step);
  free(w->task);
  free(w->piece);
  free(w->own);
  free(w->again);
  free(w->block);
  free(w->colour);
  free(w->ncolours);
  free(w);
}

static bool
is_range(const struct rt_walk *w, idx_l lo, idx_l hi, int tasks) {
  return w && w->ntasks == tasks && w->piece[0].lo == lo &&
         w->piece[tasks - 1].hi == hi;
}

status
rt_walk_range(idx_l lo, idx_l hi, int tasks, const idx_l *at,
              struct rt_walk **io) {
  assert(0 <= lo && lo <= hi && tasks > 0);
  int64_t units = ((int64_t)hi - lo + RT_UNIT - 1) / RT_UNIT;
  if (!is_range(*io, lo, hi, tasks)) {
    rt_walk_free(*io);
    *io = rt_walk_new(1, tasks, tasks);
    if (!*io) FAIL(ERR_MEMORY, "no memory for a walk of %d tasks", tasks);
    struct rt_walk *w = *io;
    w->n = hi - lo;
    w->step[1] = tasks;
    for (int t = 0; t < tasks; t++) {
      int64_t end = lo + rt_share(units, t + 1, tasks) * RT_UNIT;
      w->task[t + 1] = t + 1;
      w->piece[t].lo = t ? w->piece[t - 1].hi : lo;
      w->piece[t].hi = end < hi ? (idx_l)end : hi;
    }
    if (rt_walk_checking) TRY(rt_walk_check(w, lo, hi, NULL, 0));
  }
  (*io)->at = at;
  return OK;
}

/* Elements [lo, hi) of a walk of consecutive ones. */
static status
cut(const struct rt_walk *from, idx_l lo, idx_l hi, struct rt_walk **out) {
  assert(!from->at && !from->block && !from->again && 0 <= lo && lo <= hi);
  struct rt_walk *w = rt_walk_new(from->nsteps, from->ntasks, from->npieces);
  if (!w) FAIL(ERR_MEMORY, "no memory for a walk of %d elements", hi - lo);
  w->n = hi - lo;
  memcpy(w->step, from->step, ((size_t)w->nsteps + 1) * sizeof *w->step);
  w->npieces = 0;
  for (idx_l k = 0; k < w->ntasks; k++) {
    for (idx_l i = from->task[k]; i < from->task[k + 1]; i++) {
      struct rt_range x = from->piece[i];
      if (x.lo < lo) x.lo = lo;
      if (x.hi > hi) x.hi = hi;
      if (x.lo < x.hi) w->piece[w->npieces++] = x;
    }
    w->task[k + 1] = w->npieces;
  }
  *out = w;
  return OK;
}

status
rt_walk_make(const struct rt_walk_want *w, struct rt_walk **out) {
  static status (*const make[])(const struct rt_walk_want *,
                                struct rt_walk **) = {
      [RT_WALK_COLOURS] = rt_colours_make,
      [RT_WALK_COLOURS_FOR] = rt_colours_make,
      [RT_WALK_PARTS] = rt_parts_make,
      [RT_WALK_IN_ORDER] = rt_in_order_make};
  assert(w->kind != RT_WALK_RANGE && (w->nc == 0 || w->c));
  *out = NULL;
  return make[w->kind](w, out);
}

/* ---- cache --------------------------------------------------------------- */

/* What was made for a key: one of these, or nothing, since it does not pay. */
struct made {
  struct kept kept; /* first */
  struct rt_walk *walk;
  struct rt_stage *stage;
  struct rt_margins margins;
};
enum { STAGE = RT_WALK_IN_ORDER + 1, MARGINS }; /* kinds, too */

static struct {
  struct keeper made;
  uint64_t *key; /* scratch */
  uint32_t nkey, capkey;
  double begun; /* when what was not found began to be made */
} cache;

static void
key_words(const uint64_t *words, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    VEC_PUSH(cache.key, cache.nkey, cache.capkey, words[k]);
}

static void
key_conflicts(const struct rt_entries *c, uint32_t nc) {
  for (uint32_t i = 0; i < nc; i++) {
    assert(c[i].of);
    uint64_t words[] = {(uintptr_t)c[i].of, c[i].of->version,
                        (uint64_t)c[i].first << 32 | c[i].count};
    key_words(words, 3);
  }
}

/* By the level, since n may be equal on some rank for two of them. */
static void
key_of_walk(const struct rt_walk_want *w, idx_l lo, idx_l hi) {
  bool ranks = w->set && w->set->part;
  uint64_t head[] = {w->kind,
                     (uint64_t)(ranks ? w->level : w->n),
                     (uint64_t)w->block,
                     (uint64_t)w->tasks,
                     w->elements,
                     (uint64_t)lo,
                     (uint64_t)hi};
  cache.nkey = 0;
  key_words(head, sizeof head / sizeof *head);
  for (uint32_t i = 0; i < w->nc; i++)
    assert(ranks || w->c[i].of->from->n >= w->n);
  key_conflicts(w->c, w->nc);
}

/* What the key made last stands for; NULL: nothing yet. */
static const struct made *
cache_find(void) {
  struct made *m =
      kept_find(&cache.made, cache.key, cache.nkey * sizeof *cache.key);
  if (m) m->kept.used = true;
  if (m) return m;
  cache.begun = timer_wall(); /* it will be made */
  event_section(EVENT_plan, true);
  return NULL;
}

static void
made_clear(struct kept *e) {
  struct made *m = (struct made *)e;
  rt_walk_free(m->walk);
  rt_stage_free(m->stage);
  rt_margins_clear(&m->margins);
}

/* m: what was made; NULL: it was not to be. */
static void
plan_end(const struct made *m) {
  static const char *const kinds[] = {
      [RT_WALK_COLOURS] = "colours", [RT_WALK_COLOURS_FOR] = "colours",
      [RT_WALK_PARTS] = "parts",     [RT_WALK_IN_ORDER] = "parts",
      [STAGE] = "staging",           [MARGINS] = "margins"};
  struct event e = {.kind = EVENT_plan, .name = kinds[cache.key[0]]};
  SCOPED_STR words = STR_INIT;
  if (m && event_in_words()) {
    str_printf(&words, "\"kind\": \"%s\"", e.name);
    if (m->walk)
      str_printf(&words, ", \"elements\": %d, \"steps\": %d, \"tasks\": %d",
                 m->walk->n, m->walk->nsteps, m->walk->ntasks);
    e.words = words.s;
  }
  event_end(&e);
}

/* What was just made is kept if its check found nothing, or freed. */
static status
cache_keep(struct made made, status checked) {
  assert(!made.walk || !made.stage);
  plan_end(checked == OK ? &made : NULL);
  if (checked != OK) {
    made_clear(&made.kept);
    return checked;
  }
  struct made *m = mem_alloc(1, sizeof *m);
  *m = made;
  m->kept = (struct kept){.used = true};
  kept_add(&cache.made, &m->kept, cache.key, cache.nkey * sizeof *cache.key);
  counters[CNT_plans]++;
  rt_walk_seconds += timer_wall() - cache.begun;
  return OK;
}

static status
keep_walk(struct rt_walk *made, idx_l lo, idx_l hi,
          const struct rt_walk_want *w) {
  bool check = made && rt_walk_checking;
  return cache_keep((struct made){.walk = made},
                    check ? rt_walk_check(made, lo, hi, w->c, w->nc) : OK);
}

status
rt_walk_get(const struct rt_walk_want *w, const struct rt_walk **out) {
  key_of_walk(w, 0, 0);
  const struct made *known = cache_find();
  struct rt_walk *made = known ? known->walk : NULL;
  if (!known) {
    TRY(rt_walk_make(w, &made));
    TRY(keep_walk(made, 0, made ? made->n : 0, w));
  }
  *out = made;
  return OK;
}

status
rt_walk_get_cut(const struct rt_walk_want *w, idx_l lo, idx_l hi,
                const struct rt_walk **out) {
  const struct rt_walk *whole;
  TRY(rt_walk_get(w, &whole));
  assert(whole && hi > 0);
  key_of_walk(w, lo, hi);
  const struct made *known = cache_find();
  struct rt_walk *made = known ? known->walk : NULL;
  if (!known) {
    TRY(cut(whole, lo, hi, &made));
    TRY(keep_walk(made, lo, hi, w));
  }
  *out = made;
  return OK;
}

status
rt_stage_get(idx_l n, idx_l block, const struct rt_entries *c,
             uint32_t nentries, const struct rt_stage **out) {
  uint64_t head[] = {STAGE, (uint64_t)n, (uint64_t)block};
  cache.nkey = 0;
  key_words(head, 3);
  key_conflicts(c, nentries);
  const struct made *known = cache_find();
  struct rt_stage *made = known ? known->stage : NULL;
  if (!known) {
    TRY(rt_stage_make(n, block, c, nentries, &made));
    TRY(cache_keep((struct made){.stage = made},
                   rt_walk_checking ? rt_stage_check(made, c, nentries) : OK));
  }
  *out = made;
  return OK;
}

status
rt_margins_get(const struct rt_relation *r, struct rt_window w,
               const struct rt_margins **out) {
  uint64_t key[] = {MARGINS,        (uintptr_t)r,   r->version,
                    (uint64_t)w.lo, (uint64_t)w.hi, (uint64_t)w.first,
                    (uint64_t)w.end};
  cache.nkey = 0;
  key_words(key, sizeof key / sizeof *key);
  const struct made *known = cache_find();
  struct made made = {0};
  if (!known) {
    TRY(rt_margins_make(r, w, &made.margins));
    TRY(cache_keep(made, OK));
    known = cache_find();
  }
  *out = &known->margins;
  return OK;
}

void
rt_walk_cache_sweep(void) {
  kept_sweep(&cache.made, made_clear);
}

void
rt_walk_cache_clear(void) {
  rt_walk_seconds = 0;
  kept_clear(&cache.made, made_clear);
  free(cache.key);
  cache.key = NULL;
  cache.nkey = cache.capkey = 0;
}
