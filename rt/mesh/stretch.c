/* Stretches: how they are found.
 *
 * Problem. Most maps have none, and looking for them must cost nothing there.
 *
 * Idea. Pairs of neighbouring rows at some places, spread over the map, say for
 * each entry whether it steps or is still, and how often a stretch ends; only
 * where that is seldom enough the whole map is read: once to count, once to
 * write down.
 *
 * Limits  maps of up to 32 entries; an entry steps or is still in the whole
 * map. */
#include "rt/mesh/stretch.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST_ENTRIES = 32, PLACES = 64, PAIRS = 64 };

/* Does the stretch of row e go on to row e + 1? */
static bool
goes_on(const struct rt_relation *r, uint32_t still, idx_l e) {
  const idx_l *row = r->table + (size_t)e * r->arity, *next = row + r->arity;
  for (uint32_t i = 0; i < r->arity; i++)
    if (next[i] - row[i] != !(still >> i & 1)) return false;
  return true;
}

/* Calls of fn for some pairs of rows, by the first of each. */
static void
some_pairs(const struct rt_relation *r,
           void (*fn)(const struct rt_relation *r, idx_l e, void *user),
           void *user) {
  idx_l n = r->from->n - 1, step = n / PLACES;
  for (idx_l p = 0; p < PLACES; p++) {
    idx_l lo = step > PAIRS ? p * step : p * PAIRS, hi = lo + PAIRS;
    for (idx_l e = lo; e < hi && e < n; e++) fn(r, e, user);
  }
}

/* What some pairs show. */
struct look {
  uint32_t still, pairs, ends;
  uint32_t steps[MOST_ENTRIES], stays[MOST_ENTRIES];
};

static void
look_at_steps(const struct rt_relation *r, idx_l e, void *user) {
  struct look *x = user;
  const idx_l *row = r->table + (size_t)e * r->arity, *next = row + r->arity;
  for (uint32_t i = 0; i < r->arity; i++) {
    x->steps[i] += next[i] - row[i] == 1;
    x->stays[i] += next[i] == row[i];
  }
}

static void
look_at_ends(const struct rt_relation *r, idx_l e, void *user) {
  struct look *x = user;
  x->pairs++;
  x->ends += !goes_on(r, x->still, e);
}

/* Are there any, as far as some pairs show? */
static bool
likely(const struct rt_relation *r, uint32_t least, uint32_t *still) {
  struct look x = {0};
  some_pairs(r, look_at_steps, &x);
  for (uint32_t i = 0; i < r->arity; i++)
    if (x.stays[i] > x.steps[i]) x.still |= 1U << i;
  some_pairs(r, look_at_ends, &x);
  *still = x.still;
  /* twice as many: they need not be alike everywhere */
  return x.pairs && (uint64_t)x.ends * least <= 2 * (uint64_t)x.pairs;
}

static idx_l
count(const struct rt_relation *r, uint32_t still, idx_l most) {
  idx_l n = 1;
  for (idx_l e = 0; e + 1 < r->from->n && n <= most; e++)
    n += !goes_on(r, still, e);
  return n;
}

static void
begin(const struct rt_relation *r, struct rt_stretches *s, idx_l k, idx_l e) {
  s->start[k] = e;
  for (uint32_t i = 0; i < r->arity; i++)
    s->first[(size_t)k * r->arity + i] = r->table[(size_t)e * r->arity + i];
}

static void
write_down(const struct rt_relation *r, struct rt_stretches *s) {
  idx_l k = 0;
  begin(r, s, 0, 0);
  for (idx_l e = 0; e + 1 < r->from->n; e++)
    if (!goes_on(r, s->still, e)) begin(r, s, ++k, e + 1);
  s->start[++k] = r->from->n;
  assert(k == s->n);
}

struct rt_stretches *
rt_stretches_new(idx_l n, uint32_t arity) {
  size_t starts = (size_t)n + 1, firsts = (size_t)n * arity;
  struct rt_stretches *s =
      mem_try(1, sizeof *s + (starts + firsts) * sizeof *s->start);
  if (!s) return NULL;
  s->n = n;
  s->start = (idx_l *)(s + 1);
  s->first = s->start + starts;
  return s;
}

status
rt_stretches_find(const struct rt_relation *r, uint32_t least,
                  struct rt_stretches **out) {
  assert(least > 0);
  uint32_t still;
  *out = NULL;
  bool fits = !r->start && r->arity && r->arity <= MOST_ENTRIES && r->table;
  if (!fits || r->from->n < 2 || !likely(r, least, &still)) return OK;
  idx_l most = r->from->n / (idx_l)least, n = count(r, still, most);
  if (n > most) return OK;
  *out = rt_stretches_new(n, r->arity);
  if (!*out) FAIL(ERR_MEMORY, "no memory for stretches of map \"%s\"", r->name);
  (*out)->still = still;
  write_down(r, *out);
  return OK;
}

void
rt_stretches_free(struct rt_stretches *s) {
  free(s);
}
