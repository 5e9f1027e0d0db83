/* From declared parts to local numbers: owners, layers of halo, tables.
 *
 * Problem. Each rank declared some elements of each set, and rows of maps that
 * name elements anywhere. It is to own some (others perhaps than it declared),
 * and to know all elements that its loops will execute or read, to any depth
 * asked for, without any rank ever holding a whole mesh.
 *
 * Idea. Elements and rows first move to their owners. An owner also learns who
 * names its elements (the inverse of all maps). That is all it takes to grow
 * levels, one after the other:
 *
 *   odd    ask the owners of what came in last: who names these?
 *   even   ask the owners of what came in last: what do these name?
 *
 * For each element that is not owned its level is kept, and the least level
 * with an element that names it. Both also go to its owner, so that either side
 * can list what has to travel for any reach (rt/ranks/halo.c).
 *
 *   cells   a b | c d | e f    edges  ab bc cd de ef    rank 1 owns c d, cd de
 *   L_1 of rank 1: cells c d, edges cd de bc (names c)
 *   L_2: also cells b, e
 *
 * Who owns g? The rank that declared it knows; all know who declared it. If
 * nothing moved these are the same, and nobody has to be asked.
 *
 * cost    memory O(entries of the maps) per rank; rounds O(K * sets)
 * source  OP2's halos (Mudalige et al. 2013), here in any number of levels
 * limits  a rank sends to all ranks in each round (alltoall) */
#include "rt/ranks/dist.h"

#include "base/arena.h"
#include "base/table.h"
#include "rt/ranks/comm.h"
#include "rt/mesh/relation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* An element that is known here and not owned. */
struct ghost {
  idx_g g;
  int owner;
  uint8_t level, via; /* as in struct rt_link */
};

/* Element `by` of part `from`, owned by `owner`, names mine[t]. */
struct namer {
  idx_g by;
  uint32_t from;
  int owner;
};

/* One set while it is made. */
struct maker {
  struct rt_part *p;
  idx_g *mine;          /* owned, sorted */
  struct table known;   /* g -> ghost number + 1 */
  struct ghost *ghosts; /* level by level */
  uint32_t nghosts, capghosts;
  uint32_t before;         /* of them: in levels before the one that grows */
  uint32_t asked, fetched; /* whose namers are known; whose rows are here */
  size_t *first;           /* [owned + 1] into namers */
  struct namer *namers;
};

struct dist {
  struct rt_dist *d;
  struct rt_comm *c;
  struct maker *sets;
  idx_g **rows; /* per map: of owned elements, then of executed ghosts */
};

/* ---- who owns what ------------------------------------------------------ */

int
rt_part_home(const struct rt_part *p, int ranks, idx_g g) {
  int lo = 0, hi = ranks;
  assert(g >= 0 && g < p->total);
  while (hi - lo > 1) {
    int mid = (lo + hi) / 2;
    if (p->start[mid] <= g)
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

/* Position in a sorted list; -1. */
static idx_l
find_sorted(const idx_g *list, idx_l n, idx_g g) {
  idx_l lo = 0, hi = n;
  if (!n || g < list[0] || g > list[n - 1]) return -1;
  if (list[n - 1] - list[0] == n - 1) return (idx_l)(g - list[0]);
  while (lo < hi) {
    idx_l mid = lo + (hi - lo) / 2;
    if (list[mid] < g)
      lo = mid + 1;
    else
      hi = mid;
  }
  return list[lo] == g ? lo : -1;
}

struct owners {
  const struct rt_part *p;
  idx_g first;
  int rank;
};

static void
answer_owner(void *user, idx_g g, void *out) {
  const struct owners *o = user;
  int to = o->p->to ? o->p->to[g - o->first] : o->rank;
  memcpy(out, &to, sizeof to);
}

status
rt_part_owners(struct rt_comm *c, const struct rt_part *p, size_t n,
               const idx_g *g, int *out) {
  struct owners o = {p, p->start[c->rank], c->rank};
  SCOPED int *home = mem_alloc(n + 1, sizeof *home);
  for (size_t i = 0; i < n; i++) home[i] = rt_part_home(p, c->size, g[i]);
  return rt_ask(c, n, home, g, answer_owner, &o, sizeof *out, out);
}

/* Owners of elements of part s. Collective. */
static status
owners_of(struct dist *d, uint32_t s, size_t n, const idx_g *g, int *out) {
  const struct rt_part *p = &d->d->parts[s];
  if (p->moved) return rt_part_owners(d->c, p, n, g, out);
  for (size_t i = 0; i < n; i++) out[i] = rt_part_home(p, d->c->size, g[i]);
  return OK;
}

/* ---- elements and rows move to their owners ----------------------------- */

/* by_owner, and how many go to whom. */
static void
plan_moves(struct rt_part *p, int rank, int ranks) {
  SCOPED idx_l *start = mem_alloc((size_t)ranks + 1, sizeof *start);
  p->given = mem_alloc((size_t)ranks, sizeof *p->given);
  p->got = mem_alloc((size_t)ranks, sizeof *p->got);
  p->by_owner = mem_alloc((size_t)p->declared + 1, sizeof *p->by_owner);
  if (p->to)
    rt_group(p->to, p->declared, ranks, NULL, start, p->by_owner);
  else
    for (idx_l e = 0; e < p->declared; e++) p->by_owner[e] = e;
  for (int r = 0; r < ranks; r++)
    p->given[r] = (size_t)(p->to       ? start[r + 1] - start[r]
                           : r == rank ? p->declared
                                       : 0);
}

static status
move_elements(struct dist *d, uint32_t s) {
  struct rt_part *p = &d->d->parts[s];
  struct maker *m = &d->sets[s];
  int32_t moved = p->to != NULL;
  TRY(rt_allreduce(d->c, &moved, 1, (struct type){TYPE_I32, 4}, ACC_MAX));
  if (moved && !p->to) {
    p->to = mem_alloc((size_t)p->declared + 1, sizeof *p->to);
    for (idx_l e = 0; e < p->declared; e++) p->to[e] = d->c->rank;
  }
  p->moved = moved;
  plan_moves(p, d->c->rank, d->c->size);
  SCOPED idx_g *mine = mem_alloc((size_t)p->declared + 1, sizeof *mine);
  for (idx_l i = 0; i < p->declared; i++)
    mine[i] = p->start[d->c->rank] + p->by_owner[i];
  status st = rt_alltoall(d->c, mine, p->given, sizeof *mine, &m->mine, p->got);
  if (st != OK) return st;
  size_t n = 0;
  for (int r = 0; r < d->c->size; r++) n += p->got[r];
  if (n > INT32_MAX / 2)
    FAIL(ERR_MPI, "a rank would own %zu elements of a set", n);
  p->owned = (idx_l)n;
  return OK;
}

status
rt_part_give(struct rt_comm *c, const struct rt_part *p, const void *declared,
             size_t bytes, void *owned) {
  SCOPED char *send = mem_alloc((size_t)p->declared + 1, bytes);
  for (idx_l i = 0; i < p->declared; i++)
    memcpy(send + (size_t)i * bytes,
           (const char *)declared + (size_t)p->by_owner[i] * bytes, bytes);
  return rt_alltoall_known(c, send, p->given, bytes, owned, p->got);
}

status
rt_part_return(struct rt_comm *c, const struct rt_part *p, const void *owned,
               size_t bytes, void *declared) {
  SCOPED char *recv = mem_alloc((size_t)p->declared + 1, bytes);
  status s = rt_alltoall_known(c, owned, p->got, bytes, recv, p->given);
  for (idx_l i = 0; s == OK && i < p->declared; i++)
    memcpy((char *)declared + (size_t)p->by_owner[i] * bytes,
           recv + (size_t)i * bytes, bytes);
  return s;
}

static status
move_rows(struct dist *d, uint32_t k) {
  const struct rt_dist_map *m = &d->d->maps[k];
  const struct rt_part *p = &d->d->parts[m->from];
  size_t bytes = rt_dist_places(m, 1) * sizeof(idx_g);
  d->rows[k] = mem_alloc((size_t)p->owned + 1, bytes);
  return rt_part_give(d->c, p, m->rows, bytes, d->rows[k]);
}

/* ---- who names my elements ---------------------------------------------- */

struct naming {
  idx_g target, by;
};

/* Everything that names elements of this rank, map by map, collected. */
struct namings {
  struct naming *list;
  struct namer *who;
  size_t n, cap;
};

static void
namings_add(struct namings *all, const struct naming *got, size_t n,
            uint32_t from, int owner) {
  while (all->n + n > all->cap) {
    all->cap = all->cap ? 2 * all->cap : 1024;
    all->list = mem_grow(all->list, all->cap, sizeof *all->list);
    all->who = mem_grow(all->who, all->cap, sizeof *all->who);
  }
  for (size_t i = 0; i < n; i++, all->n++) {
    all->list[all->n] = got[i];
    all->who[all->n] = (struct namer){got[i].by, from, owner};
  }
}

/* Facts of the map that only owners of targets can know. */
static void
note_hits(struct rt_dist_map *m, const struct maker *to,
          const struct naming *got, size_t n) {
  SCOPED char *hit = mem_alloc((size_t)to->p->owned + 1, 1);
  idx_l seen = 0;
  for (size_t i = 0; i < n; i++) {
    idx_l t = find_sorted(to->mine, to->p->owned, got[i].target);
    assert(t >= 0);
    if (hit[t]) m->injective = false;
    seen += !hit[t];
    hit[t] = 1;
  }
  m->onto = seen == to->p->owned;
}

static void
note_repeats(struct rt_dist_map *m, const idx_g *rows, idx_l n) {
  for (idx_l e = 0; e < n; e++) {
    struct rt_dist_row row = rt_dist_row(m, rows, (size_t)e);
    for (uint32_t i = 1; i < row.n; i++)
      for (uint32_t j = 0; j < i; j++)
        if (row.at[i] == row.at[j]) m->repeats = true;
  }
}

/* Tell the owners of map k's targets who names them. */
static status
tell_targets(struct dist *d, uint32_t k, struct namings *all) {
  struct rt_dist_map *m = &d->d->maps[k];
  const struct maker *from = &d->sets[m->from], *to = &d->sets[m->to];
  size_t n = rt_dist_places(m, (size_t)from->p->owned), ngot, told = 0;
  SCOPED int *owner = mem_alloc(n + 1, sizeof *owner);
  SCOPED idx_g *target = mem_alloc(n + 1, sizeof *target);
  SCOPED size_t *counts = mem_alloc((size_t)d->c->size, sizeof *counts);
  SCOPED struct naming *tell = mem_alloc(n + 1, sizeof *tell), *got = NULL;
  for (idx_l e = 0; e < from->p->owned; e++) {
    struct rt_dist_row row = rt_dist_row(m, d->rows[k], (size_t)e);
    for (uint32_t i = 0; i < row.n; i++) {
      target[told] = row.at[i];
      tell[told++] = (struct naming){row.at[i], from->mine[e]};
    }
  }
  status st = owners_of(d, m->to, told, target, owner);
  if (st == OK)
    st = rt_send_items(d->c, told, owner, tell, sizeof *tell, &got, counts,
                       &ngot);
  m->injective = true;
  note_repeats(m, d->rows[k], from->p->owned);
  if (st == OK) {
    note_hits(m, to, got, ngot);
    const struct naming *at = got;
    for (int r = 0; r < d->c->size; at += counts[r++])
      namings_add(all, at, counts[r], m->from, r);
  }
  return st;
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

/* namers by target. */
static void
sort_namers(struct maker *m, const struct namings *all) {
  idx_l owned = m->p->owned;
  m->first = mem_alloc((size_t)owned + 2, sizeof *m->first);
  m->namers = mem_alloc(all->n + 1, sizeof *m->namers);
  SCOPED idx_l *t = mem_alloc(all->n + 1, sizeof *t);
  for (size_t i = 0; i < all->n; i++) {
    t[i] = find_sorted(m->mine, owned, all->list[i].target);
    m->first[t[i] + 2]++;
  }
  for (idx_l e = 0; e < owned; e++) m->first[e + 2] += m->first[e + 1];
  for (size_t i = 0; i < all->n; i++)
    m->namers[m->first[t[i] + 1]++] = all->who[i];
}

static status
find_namers(struct dist *d, uint32_t s) {
  struct namings all = {0};
  status st = OK;
  for (uint32_t k = 0; st == OK && k < d->d->nmaps; k++)
    if (d->d->maps[k].to == s) st = tell_targets(d, k, &all);
  if (st == OK) sort_namers(&d->sets[s], &all);
  free(all.list);
  free(all.who);
  return st;
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

/* Answer, for each asked element of mine, with all that name it. */
static status
answer_namers(struct dist *d, const struct maker *m, const idx_g *asked,
              const size_t *counts, struct namer **out, size_t *n_out) {
  SCOPED size_t *give = mem_alloc((size_t)d->c->size, sizeof *give);
  SCOPED size_t *got = mem_alloc((size_t)d->c->size, sizeof *got);
  SCOPED struct namer *list = NULL;
  size_t n = 0, cap = 0, i = 0;
  for (int r = 0; r < d->c->size; r++) {
    size_t before = n;
    for (size_t end = i + counts[r]; i < end; i++) {
      idx_l t = find_sorted(m->mine, m->p->owned, asked[i]);
      assert(t >= 0);
      for (size_t w = m->first[t]; w < m->first[t + 1]; w++)
        VEC_PUSH(list, n, cap, m->namers[w]);
    }
    give[r] = n - before;
  }
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
      add_namers(d, m->namers, m->first[m->p->owned], level);
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
  idx_l e = find_sorted(r->from->mine, r->from->p->owned, g);
  assert(e >= 0);
  memcpy(out, r->rows + rt_dist_places(r->map, (size_t)e),
         rt_dist_places(r->map, 1) * sizeof(idx_g));
}

static status
fetch_rows(struct dist *d, uint32_t k) {
  const struct rt_dist_map *m = &d->d->maps[k];
  const struct maker *from = &d->sets[m->from];
  size_t have = (size_t)from->p->owned + from->fetched;
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
    d->rows[k] = mem_grow(d->rows[k], have + n + 1, bytes);
    memcpy(d->rows[k] + rt_dist_places(m, have), got, n * bytes);
  }
  return st;
}

/* What the rows just fetched name (at level 2: the owned ones, too). */
static void
add_named(struct dist *d, uint32_t k, uint8_t level) {
  const struct rt_dist_map *m = &d->d->maps[k];
  const struct maker *from = &d->sets[m->from];
  struct maker *to = &d->sets[m->to];
  size_t owned = (size_t)from->p->owned, end = owned + from->before;
  size_t e = level == 2 ? 0 : owned + from->fetched;
  for (; e < end; e++) {
    uint8_t via = e < owned ? 0 : from->ghosts[e - owned].level;
    struct rt_dist_row row = rt_dist_row(m, d->rows[k], e);
    for (uint32_t i = 0; i < row.n; i++) {
      if (find_sorted(to->mine, to->p->owned, row.at[i]) >= 0) continue;
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
  status st = owners_of(d, s, n, g, owner);
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

static status
grow(struct dist *d, uint8_t level) {
  uint32_t n = d->d->nparts;
  for (uint32_t s = 0; s < n; s++) d->sets[s].before = d->sets[s].nghosts;
  TRY(level % 2 ? grow_naming(d, level) : grow_named(d, level));
  for (uint32_t s = 0; s < n; s++) sort_level(&d->sets[s]);
  return OK;
}

/* ---- local numbers ------------------------------------------------------ */

/* Which owned elements name others' through some map. */
static char *
find_border(const struct dist *d, uint32_t s) {
  const struct maker *from = &d->sets[s];
  char *border = mem_alloc((size_t)from->p->owned + 1, 1);
  for (uint32_t k = 0; k < d->d->nmaps; k++) {
    const struct rt_dist_map *m = &d->d->maps[k];
    const struct maker *to = &d->sets[m->to];
    if (m->from != s) continue;
    for (idx_l e = 0; e < from->p->owned; e++) {
      struct rt_dist_row row = rt_dist_row(m, d->rows[k], (size_t)e);
      for (uint32_t i = 0; i < row.n; i++)
        if (find_sorted(to->mine, to->p->owned, row.at[i]) < 0) border[e] = 1;
    }
  }
  return border;
}

static void
number_owned(struct dist *d, uint32_t s) {
  struct maker *m = &d->sets[s];
  struct rt_part *p = m->p;
  SCOPED char *border = find_border(d, s);
  idx_l next = 0;
  p->sorted = mem_alloc((size_t)p->owned + 1, sizeof *p->sorted);
  for (int pass = 0; pass < 2; pass++) {
    for (idx_l i = 0; i < p->owned; i++)
      if (border[i] == pass) {
        p->global[next] = m->mine[i];
        p->sorted[i] = next++;
      }
    if (!pass) p->core = next;
  }
}

static void
number_set(struct dist *d, uint32_t s) {
  struct maker *m = &d->sets[s];
  struct rt_part *p = m->p;
  p->n = p->owned + (idx_l)m->nghosts;
  p->global = mem_alloc((size_t)p->n + 1, sizeof *p->global);
  number_owned(d, s);
  for (int k = 0; k <= REACH_MAX; k++) p->level[k] = p->owned;
  for (uint32_t i = 0; i < m->nghosts; i++) {
    const struct ghost *g = &m->ghosts[i];
    p->global[p->owned + (idx_l)i] = g->g;
    for (int k = g->level; k <= REACH_MAX; k++) p->level[k]++;
  }
}

static idx_l
local_of(const struct maker *m, idx_g g) {
  idx_l i = find_sorted(m->mine, m->p->owned, g);
  if (i >= 0) return m->p->sorted[i];
  uintptr_t ghost = table_get(&m->known, &g, sizeof g, 0);
  return ghost ? m->p->owned + (idx_l)ghost - 1 : -1;
}

static void
make_table(struct dist *d, uint32_t k) {
  struct rt_dist_map *m = &d->d->maps[k];
  const struct maker *from = &d->sets[m->from], *to = &d->sets[m->to];
  idx_l owned = from->p->owned, n = owned + (idx_l)from->fetched;
  rt_dist_table_new(m, from->p->n, d->rows[k], n, from->p->sorted, owned);
  for (idx_l i = 0; i < n; i++) {
    struct rt_dist_row row = rt_dist_row(m, d->rows[k], (size_t)i);
    idx_l *out = rt_dist_table_row(m, i < owned ? from->p->sorted[i] : i);
    for (uint32_t a = 0; a < row.n; a++) {
      out[a] = local_of(to, row.at[a]);
      assert(out[a] >= 0);
    }
  }
  for (idx_l e = n; m->from == m->to && !m->own && e < from->p->n; e++)
    for (uint32_t a = 0; a < m->arity; a++)
      m->table[(size_t)e * m->arity + a] = e;
}

/* ---- links to neighbours ------------------------------------------------ */

/* What an owner is told of an element that another rank has. */
struct copied {
  idx_g g;
  uint8_t level, via;
};

static struct rt_link *
link_add(struct rt_link **links, uint32_t *n, int peer, size_t count) {
  *links = mem_grow(*links, *n + 1, sizeof **links);
  struct rt_link *l = &(*links)[(*n)++];
  *l = (struct rt_link){.peer = peer, .n = (idx_l)count};
  l->at = mem_alloc(count + 1, sizeof *l->at);
  l->level = mem_alloc(count + 1, 1);
  l->via = mem_alloc(count + 1, 1);
  return l;
}

static void
link_in(struct maker *m, int peer, size_t count) {
  struct rt_part *p = m->p;
  struct rt_link *l = link_add(&p->in, &p->nin, peer, count);
  idx_l k = 0;
  for (uint32_t i = 0; i < m->nghosts; i++) {
    if (m->ghosts[i].owner != peer) continue;
    l->at[k] = p->owned + (idx_l)i;
    l->level[k] = m->ghosts[i].level;
    l->via[k++] = m->ghosts[i].via;
  }
  assert((size_t)k == count);
}

static void
link_out(struct maker *m, int peer, const struct copied *g, size_t count) {
  struct rt_part *p = m->p;
  struct rt_link *l = link_add(&p->out, &p->nout, peer, count);
  for (size_t i = 0; i < count; i++) {
    l->at[i] = local_of(m, g[i].g);
    assert(l->at[i] >= 0 && l->at[i] < p->owned);
    l->level[i] = g[i].level;
    l->via[i] = g[i].via;
  }
}

static status
make_links(struct dist *d, uint32_t s) {
  struct maker *m = &d->sets[s];
  SCOPED int *to = mem_alloc(m->nghosts + 1, sizeof *to);
  SCOPED struct copied *tell = mem_alloc(m->nghosts + 1, sizeof *tell),
                       *got = NULL;
  SCOPED size_t *wants = mem_alloc((size_t)d->c->size, sizeof *wants);
  size_t *counts = mem_alloc((size_t)d->c->size, sizeof *counts), ngot;
  for (uint32_t i = 0; i < m->nghosts; i++) {
    const struct ghost *g = &m->ghosts[i];
    tell[i].g = g->g;
    tell[i].level = g->level;
    tell[i].via = g->via;
    wants[to[i] = g->owner]++;
  }
  status st = rt_send_items(d->c, m->nghosts, to, tell, sizeof *tell, &got,
                            counts, &ngot);
  const struct copied *at = got;
  for (int r = 0; st == OK && r < d->c->size; at += counts[r++]) {
    if (wants[r]) link_in(m, r, wants[r]);
    if (counts[r]) link_out(m, r, at, counts[r]);
  }
  free(counts);
  return st;
}

static status
agree_sizes(struct rt_dist *x) {
  size_t levels = (size_t)x->depth + 1, n = x->nparts * levels;
  SCOPED int64_t *most = mem_alloc(n + 1, sizeof *most);
  for (size_t i = 0; i < n; i++)
    most[i] = x->parts[i / levels].level[i % levels];
  status st =
      rt_allreduce(x->comm, most, n, (struct type){TYPE_I64, 8}, ACC_MAX);
  for (size_t i = 0; i < n; i++)
    x->parts[i / levels].most[i % levels] = most[i];
  return st;
}

/* ---- all of it ---------------------------------------------------------- */

static status
make(struct dist *d) {
  struct rt_dist *x = d->d;
  for (uint32_t s = 0; s < x->nparts; s++) TRY(move_elements(d, s));
  for (uint32_t k = 0; k < x->nmaps; k++) TRY(move_rows(d, k));
  for (uint32_t s = 0; s < x->nparts; s++) TRY(find_namers(d, s));
  TRY(agree_facts(d));
  for (int k = 1; k <= x->depth; k++) TRY(grow(d, (uint8_t)k));
  for (uint32_t s = 0; s < x->nparts; s++) number_set(d, s);
  for (uint32_t k = 0; k < x->nmaps; k++) make_table(d, k);
  for (uint32_t s = 0; s < x->nparts; s++) TRY(make_links(d, s));
  return agree_sizes(x);
}

status
rt_dist_make(struct rt_dist *x) {
  assert(x->depth > 0 && x->depth <= REACH_MAX && x->depth % 2 == 0);
  struct dist d = {.d = x,
                   .c = x->comm,
                   .sets = mem_alloc(x->nparts + 1, sizeof *d.sets),
                   .rows = mem_alloc(x->nmaps + 1, sizeof *d.rows)};
  for (uint32_t s = 0; s < x->nparts; s++) d.sets[s].p = &x->parts[s];
  status st = make(&d);
  for (uint32_t s = 0; s < x->nparts; s++) {
    struct maker *m = &d.sets[s];
    table_clear(&m->known);
    free(m->mine);
    free(m->ghosts);
    free(m->first);
    free(m->namers);
  }
  for (uint32_t k = 0; k < x->nmaps; k++) free(d.rows[k]);
  free(d.sets);
  free(d.rows);
  return st;
}

static void
links_free(struct rt_link *l, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    free(l[i].at);
    free(l[i].level);
    free(l[i].via);
  }
  free(l);
}

void
rt_part_clear(struct rt_part *p) {
  rt_lists_clear(p);
  links_free(p->in, p->nin);
  links_free(p->out, p->nout);
  free(p->to);
  free(p->global);
  free(p->sorted);
  free(p->by_owner);
  free(p->given);
  free(p->got);
  *p = (struct rt_part){0};
}
