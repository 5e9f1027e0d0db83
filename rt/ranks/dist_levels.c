/* Who names whose elements, and the levels around a part that grow from that
 * (dist.c tells the idea).
 *
 * That elements of this rank are named by others of it can be seen in its rows;
 * only what others name is told and kept. Who asks for all that name an element
 * gets both. */
#include "rt/ranks/dist_impl.h"

#include "base/arena.h"
#include "rt/ranks/comm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- who names my elements ---------------------------------------------- */

struct naming {
  idx_g target, by;
};

static void
note_repeats(struct rt_dist_map *m, const idx_g *rows, idx_l n) {
  for (idx_l e = 0; e < n && !m->repeats; e++) {
    struct rt_dist_row row = rt_dist_row(m, rows, (size_t)e);
    for (uint32_t i = 1; i < row.n; i++)
      for (uint32_t j = 0; j < i; j++)
        if (row.at[i] == row.at[j]) m->repeats = true;
  }
}

/* Facts of the map that only owners of targets can know: `got` is what others'
 * rows name. */
static void
note_hits(struct dist *d, uint32_t k, const struct naming *got, size_t n) {
  struct rt_dist_map *m = &d->d->maps[k];
  const struct maker *to = &d->sets[m->to];
  SCOPED char *hit = mem_alloc((size_t)to->p->owned + 1, 1);
  size_t entries = rt_dist_places(m, (size_t)d->sets[m->from].p->owned);
  idx_l seen = 0;
  m->injective = true;
  for (size_t i = 0; i < entries + n; i++) {
    idx_l t = i < entries
                  ? d->places[k][i]
                  : rt_members_find(&to->members, got[i - entries].target);
    if (t < 0) continue;
    if (hit[t]) m->injective = false;
    seen += !hit[t];
    hit[t] = 1;
  }
  m->onto = seen == to->p->owned;
}

/* Entries of owned elements' rows that name others' elements. */
static struct naming *
namings_of(const struct dist *d, uint32_t k, size_t *n_out) {
  const struct rt_dist_map *m = &d->d->maps[k];
  const struct maker *from = &d->sets[m->from];
  struct naming *list = NULL;
  size_t n = 0, cap = 0;
  for (idx_l e = 0; e < from->p->owned; e++) {
    struct rt_dist_row row = rt_dist_row(m, d->rows[k], (size_t)e);
    const idx_l *at = dist_places(d, k, e);
    for (uint32_t i = 0; i < row.n; i++)
      if (at[i] < 0)
        VEC_PUSH(list, n, cap, ((struct naming){row.at[i], from->mine[e]}));
  }
  *n_out = n;
  return list;
}

static void
others_add(struct maker *m, const struct naming *got, size_t n, uint32_t from,
           int owner) {
  for (size_t i = 0; i < n; i++) {
    idx_l t = rt_members_find(&m->members, got[i].target);
    assert(t >= 0);
    VEC_PUSH(m->others, m->nothers, m->capothers,
             ((struct namer){got[i].by, t, from, owner}));
  }
}

/* Tell the owners of map k's targets who names them. */
static status
tell_targets(struct dist *d, uint32_t k) {
  struct rt_dist_map *m = &d->d->maps[k];
  size_t n, ngot;
  SCOPED struct naming *tell = namings_of(d, k, &n), *got = NULL;
  SCOPED int *owner = mem_alloc(n + 1, sizeof *owner);
  SCOPED idx_g *target = mem_alloc(n + 1, sizeof *target);
  SCOPED size_t *counts = mem_alloc((size_t)d->c->size, sizeof *counts);
  for (size_t i = 0; i < n; i++) target[i] = tell[i].target;
  TRY(dist_owners(d, m->to, n, target, owner));
  TRY(rt_send_items(d->c, n, owner, tell, sizeof *tell, &got, counts, &ngot));
  note_repeats(m, d->rows[k], d->sets[m->from].p->owned);
  note_hits(d, k, got, ngot);
  const struct naming *at = got;
  for (int r = 0; r < d->c->size; at += counts[r++])
    others_add(&d->sets[m->to], at, counts[r], m->from, r);
  return OK;
}

/* The same facts over all ranks. */
static status
agree_facts(struct dist *d) {
  uint32_t n = d->d->nmaps;
  SCOPED int32_t *f = mem_alloc(3 * (size_t)n + 1, sizeof *f);
  for (uint32_t k = 0; k < n; k++) {
    f[3 * k] = !d->d->maps[k].onto;
    f[3 * k + 1] = !d->d->maps[k].injective;
    f[3 * k + 2] = d->d->maps[k].repeats;
  }
  status st = rt_allreduce(d->c, f, 3 * n, (struct type){TYPE_I32, 4}, ACC_MAX);
  for (uint32_t k = 0; k < n; k++) {
    d->d->maps[k].onto = !f[3 * k];
    d->d->maps[k].injective = !f[3 * k + 1];
    d->d->maps[k].repeats = f[3 * k + 2];
  }
  return st;
}

status
dist_find_namers(struct dist *d) {
  for (uint32_t k = 0; k < d->d->nmaps; k++) TRY(tell_targets(d, k));
  return agree_facts(d);
}

/* ---- levels ------------------------------------------------------------- */

/* Element g is in the level that grows, if it is in none before. `owner` -1:
 * not known yet. */
static struct ghost *
ghost_add(struct maker *m, idx_g g, int owner, uint8_t level) {
  uintptr_t *slot = table_slot(&m->known, &g, sizeof g);
  if (!*slot) {
    struct ghost fresh = {g, owner, level, RT_FAR};
    VEC_PUSH(m->ghosts, m->nghosts, m->capghosts, fresh);
    *slot = m->nghosts;
  }
  return &m->ghosts[*slot - 1];
}

static int
ghost_order(const void *a, const void *b) {
  const struct ghost *x = a, *y = b;
  if (x->owner != y->owner) return x->owner < y->owner ? -1 : 1;
  return x->g < y->g ? -1 : x->g > y->g;
}

/* A level has grown: its elements by owner, then number. */
static void
sort_level(struct maker *m) {
  uint32_t n = m->nghosts - m->before;
  if (n) qsort(m->ghosts + m->before, n, sizeof *m->ghosts, ghost_order);
  for (uint32_t i = m->before; i < m->nghosts; i++)
    *table_slot(&m->known, &m->ghosts[i].g, sizeof m->ghosts[i].g) = i + 1;
}

static void
add_namers(struct dist *d, const struct namer *w, size_t n, uint8_t level) {
  for (size_t i = 0; i < n; i++)
    if (w[i].owner != d->c->rank)
      ghost_add(&d->sets[w[i].from], w[i].by, w[i].owner, level);
}

/* In `list` all that name one of the asked, by target. */
struct naming_list {
  VEC(struct namer, list);
};

static int
namer_order(const void *a, const void *b) {
  const struct namer *x = a, *y = b;
  return (x->target > y->target) - (x->target < y->target);
}

/* Owned elements that name asked ones, asked[t]. */
static void
own_namers(const struct dist *d, uint32_t k, const char *asked,
           struct naming_list *out) {
  const struct rt_dist_map *m = &d->d->maps[k];
  const struct maker *from = &d->sets[m->from];
  size_t n = rt_dist_places(m, (size_t)from->p->owned);
  for (size_t i = 0; i < n; i++) {
    idx_l t = d->places[k][i];
    if (t >= 0 && asked[t])
      VEC_PUSH(
          out->list, out->nlist, out->caplist,
          ((struct namer){from->mine[i / m->arity], t, m->from, d->c->rank}));
  }
}

static struct naming_list
namers_of(const struct dist *d, const struct maker *m, const char *asked) {
  struct naming_list l = {0};
  for (uint32_t k = 0; k < d->d->nmaps; k++)
    if (&d->sets[d->d->maps[k].to] == m) own_namers(d, k, asked, &l);
  for (uint32_t i = 0; i < m->nothers; i++)
    if (asked[m->others[i].target])
      VEC_PUSH(l.list, l.nlist, l.caplist, m->others[i]);
  if (l.nlist) qsort(l.list, l.nlist, sizeof *l.list, namer_order);
  return l;
}

/* The first of target t. */
static uint32_t
namers_begin(const struct naming_list *l, idx_l t) {
  uint32_t lo = 0, hi = l->nlist;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (l->list[mid].target < t)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* Answer, for each asked element of mine, with all that name it. */
static status
answer_namers(struct dist *d, const struct maker *m, const idx_g *asked,
              const size_t *counts, struct namer **out, size_t *n_out) {
  SCOPED size_t *give = mem_alloc((size_t)d->c->size, sizeof *give);
  SCOPED size_t *got = mem_alloc((size_t)d->c->size, sizeof *got);
  SCOPED char *is_asked = mem_alloc((size_t)m->p->owned + 1, 1);
  SCOPED struct namer *list = NULL;
  size_t n = 0, cap = 0, i = 0, all = 0;
  for (int r = 0; r < d->c->size; r++) all += counts[r];
  for (; i < all; i++) is_asked[rt_members_find(&m->members, asked[i])] = 1;
  struct naming_list named = namers_of(d, m, is_asked);
  i = 0;
  for (int r = 0; r < d->c->size; r++) {
    size_t before = n;
    for (size_t end = i + counts[r]; i < end; i++) {
      idx_l t = rt_members_find(&m->members, asked[i]);
      for (uint32_t w = namers_begin(&named, t);
           w < named.nlist && named.list[w].target == t; w++)
        VEC_PUSH(list, n, cap, named.list[w]);
    }
    give[r] = n - before;
  }
  free(named.list);
  status st = rt_alltoall(d->c, list, give, sizeof *list, out, got);
  *n_out = 0;
  for (int r = 0; st == OK && r < d->c->size; r++) *n_out += got[r];
  return st;
}

/* Ask the owners of ghosts [asked, before) who names them. */
static status
ask_namers(struct dist *d, struct maker *m, uint8_t level) {
  size_t n = m->before - m->asked, ngot, nnamers;
  SCOPED idx_g *ask = mem_alloc(n + 1, sizeof *ask), *asked = NULL;
  SCOPED int *to = mem_alloc(n + 1, sizeof *to);
  SCOPED size_t *counts = mem_alloc((size_t)d->c->size, sizeof *counts);
  SCOPED struct namer *w = NULL;
  for (size_t i = 0; i < n; i++) {
    to[i] = m->ghosts[m->asked + i].owner;
    ask[i] = m->ghosts[m->asked + i].g;
  }
  m->asked = m->before;
  status st =
      rt_send_items(d->c, n, to, ask, sizeof *ask, &asked, counts, &ngot);
  if (st == OK) st = answer_namers(d, m, asked, counts, &w, &nnamers);
  if (st == OK) add_namers(d, w, nnamers, level);
  return st;
}

/* An odd level: who names elements of the one before? */
static status
grow_naming(struct dist *d, uint8_t level) {
  for (uint32_t s = 0; s < d->d->nparts; s++) {
    struct maker *m = &d->sets[s];
    if (level == 1)
      add_namers(d, m->others, m->nothers, level);
    else
      TRY(ask_namers(d, m, level));
  }
  return OK;
}

/* Rows of what is executed here and owned elsewhere: of ghosts [fetched,
 * before) of the set that map k begins at. */
struct row_answer {
  const struct maker *from;
  const struct rt_dist_map *map;
  const idx_g *rows;
};

static void
answer_row(void *user, idx_g g, void *out) {
  const struct row_answer *r = user;
  idx_l e = rt_members_find(&r->from->members, g);
  assert(e >= 0);
  memcpy(out, r->rows + rt_dist_places(r->map, (size_t)e),
         rt_dist_places(r->map, 1) * sizeof(idx_g));
}

static status
fetch_rows(struct dist *d, uint32_t k) {
  const struct rt_dist_map *m = &d->d->maps[k];
  const struct maker *from = &d->sets[m->from];
  size_t have = from->fetched;
  size_t n = from->before - from->fetched;
  struct row_answer r = {from, m, d->rows[k]};
  size_t bytes = rt_dist_places(m, 1) * sizeof(idx_g);
  SCOPED idx_g *ask = mem_alloc(n + 1, sizeof *ask);
  SCOPED int *to = mem_alloc(n + 1, sizeof *to);
  SCOPED idx_g *got = mem_alloc(n + 1, bytes);
  for (size_t i = 0; i < n; i++) {
    ask[i] = from->ghosts[from->fetched + i].g;
    to[i] = from->ghosts[from->fetched + i].owner;
  }
  status st = rt_ask(d->c, n, to, ask, answer_row, &r, bytes, got);
  if (st == OK) {
    d->fetched[k] = mem_grow(d->fetched[k], have + n + 1, bytes);
    memcpy(d->fetched[k] + rt_dist_places(m, have), got, n * bytes);
  }
  return st;
}

/* What the rows just fetched name (at level 2: the owned ones, too). */
static void
add_named(struct dist *d, uint32_t k, uint8_t level) {
  const struct rt_dist_map *m = &d->d->maps[k];
  const struct maker *from = &d->sets[m->from];
  struct maker *to = &d->sets[m->to];
  idx_l owned = from->p->owned, end = owned + (idx_l)from->before;
  idx_l e = level == 2 ? 0 : owned + (idx_l)from->fetched;
  for (; e < end; e++) {
    uint8_t via = e < owned ? 0 : from->ghosts[e - owned].level;
    struct rt_dist_row row = dist_row(d, k, e);
    for (uint32_t i = 0; i < row.n; i++) {
      idx_l t = e < owned ? dist_places(d, k, e)[i]
                          : rt_members_find(&to->members, row.at[i]);
      if (t >= 0) continue;
      struct ghost *g = ghost_add(to, row.at[i], -1, level);
      if (via < g->via) g->via = via;
    }
  }
}

/* Owners of ghosts that nobody told. */
static status
find_owners(struct dist *d, uint32_t s) {
  struct maker *m = &d->sets[s];
  size_t n = m->nghosts - m->before;
  SCOPED idx_g *g = mem_alloc(n + 1, sizeof *g);
  SCOPED int *owner = mem_alloc(n + 1, sizeof *owner);
  for (size_t i = 0; i < n; i++) g[i] = m->ghosts[m->before + i].g;
  status st = dist_owners(d, s, n, g, owner);
  for (size_t i = 0; st == OK && i < n; i++)
    m->ghosts[m->before + i].owner = owner[i];
  return st;
}

/* An even level: what do elements of the one before name? */
static status
grow_named(struct dist *d, uint8_t level) {
  struct rt_dist *x = d->d;
  for (uint32_t k = 0; k < x->nmaps; k++) TRY(fetch_rows(d, k));
  for (uint32_t k = 0; k < x->nmaps; k++) add_named(d, k, level);
  for (uint32_t s = 0; s < x->nparts; s++) {
    d->sets[s].fetched = d->sets[s].before;
    TRY(find_owners(d, s));
  }
  return OK;
}

status
dist_grow(struct dist *d, uint8_t level) {
  uint32_t n = d->d->nparts;
  for (uint32_t s = 0; s < n; s++) d->sets[s].before = d->sets[s].nghosts;
  TRY(level % 2 ? grow_naming(d, level) : grow_named(d, level));
  for (uint32_t s = 0; s < n; s++) sort_level(&d->sets[s]);
  return OK;
}
