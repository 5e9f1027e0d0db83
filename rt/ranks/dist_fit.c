/* A map to sets that are spread already: is all that it needs there?
 *
 * Problem. Particle codes and codes with sliding meshes declare a map in each
 * step. To spread all sets anew for each (rt/ranks/dist.c) costs all maps so
 * far, moves every dat, and is mostly in vain: the new map names neighbours, as
 * the old ones do.
 *
 * Idea. The parts are right for a map too if a loop through it finds what the
 * levels promise (rt/ranks/dist.h). For e in L_a of the set it begins at, and t
 * in its row:
 *
 *   1  t is known, and its `via` at most a: who asks for what L_a names gets t
 *   2  all that name an element of L_2j are in L_2j+1
 *
 * 1 is seen in the rows, those of others fetched from their owners. (t's level
 * needs no look: `via` is only as low as a where an element of L_a names t, so
 * that t is in the next even level.) 2 speaks of elements that may be missing,
 * so it is counted: the owner of t knows how many entries name it, all over the
 * ranks. Their sum over L_2j is the number of entries of rows of L_2j+1 that
 * lead to L_2j, or somebody is missing. Elements of the core still name owned
 * ones only: another rank's t would have them in its L_1, by 2, and they are
 * there only if they named one of its elements before.
 *
 *   points p q | r     cells a b | c     rank 0 owns p q, a b; q names b and c
 *   p: a, q: b, r: c fits; p: b, q: c, r: b does if r named b before; p: c does
 *   not: the owner of c has not heard of p
 *
 * cost    five rounds of messages; time and memory O(entries of rows here,
 *         elements around the part). Two ranks, 100 rows each, a map a step:
 *         0.3 to 0.6 ms a step; spreading all anew took 18 ms at the 100th, 190
 *         at the 400th
 * limits  numbers inside a part stay as they are, also where the new map would
 *         ask for others (part_order.c) */
#include "rt/ranks/dist.h"

#include "base/arena.h"
#include "rt/ranks/comm.h"
#include "rt/ranks/members.h"
#include "rt/mesh/relation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* An element of another rank that is known here. */
struct known {
  idx_g g;
  idx_l e;
};

/* Owned elements of a part, by global numbers. */
struct owned {
  const struct rt_part *p;
  idx_g *list;
  struct rt_members members;
};

struct fit {
  struct rt_comm *c;
  const struct rt_part *from, *to;
  struct rt_dist_map *m;
  int depth;
  struct owned own_from, own_to;
  idx_l nrows;          /* elements up to L_depth-1: whose rows count */
  idx_g *rows;          /* [nrows, arity]: global numbers, by local ones */
  struct known *ghosts; /* of `to`, sorted */
  int *owner;           /* of elements of `to`, [n] */
  uint8_t *via;         /* as in struct rt_link, [n] */
  int64_t *hits;        /* entries of all ranks that name it, [n of to] */
};

/* ---- what the parts know ------------------------------------------------ */

static int
known_order(const void *a, const void *b) {
  const struct known *x = a, *y = b;
  return x->g < y->g ? -1 : x->g > y->g;
}

static struct owned
owned_of(const struct rt_part *p) {
  struct owned o = {.p = p};
  o.list = mem_alloc((size_t)p->owned + 1, sizeof *o.list);
  for (idx_l i = 0; i < p->owned; i++) o.list[i] = p->global[p->sorted[i]];
  o.members = rt_members_of(o.list, p->owned);
  return o;
}

static void
owned_clear(struct owned *o) {
  rt_members_clear(&o->members);
  free(o->list);
}

/* Local number of an owned element; -1. */
static idx_l
owned_find(const struct owned *o, idx_g g) {
  idx_l i = rt_members_find(&o->members, g);
  return i < 0 ? -1 : o->p->sorted[i];
}

/* Local number of element g of `to`; -1: it is not known here. */
static idx_l
local_of(const struct fit *f, idx_g g) {
  idx_l e = owned_find(&f->own_to, g);
  if (e >= 0) return e;
  struct known key = {g, 0}, *found;
  found = bsearch(&key, f->ghosts, (size_t)(f->to->n - f->to->owned),
                  sizeof key, known_order);
  return found ? found->e : -1;
}

static int
level_of(const struct rt_part *p, idx_l e) {
  int k = 0;
  while (e >= p->level[k]) k++;
  return k;
}

/* Who owns each element that is known here, as links say. */
static int *
owners_of(const struct rt_part *p, int rank) {
  int *owner = mem_alloc((size_t)p->n + 1, sizeof *owner);
  for (idx_l e = 0; e < p->owned; e++) owner[e] = rank;
  for (uint32_t l = 0; l < p->nin; l++)
    for (idx_l i = 0; i < p->in[l].n; i++)
      owner[p->in[l].at[i]] = p->in[l].peer;
  return owner;
}

static void
look_around(struct fit *f) {
  const struct rt_part *p = f->to;
  f->ghosts = mem_alloc((size_t)(p->n - p->owned) + 1, sizeof *f->ghosts);
  for (idx_l e = p->owned; e < p->n; e++)
    f->ghosts[e - p->owned] = (struct known){p->global[e], e};
  qsort(f->ghosts, (size_t)(p->n - p->owned), sizeof *f->ghosts, known_order);
  f->owner = owners_of(p, f->c->rank);
  f->via = mem_alloc((size_t)p->n + 1, 1);
  for (uint32_t l = 0; l < p->nin; l++)
    for (idx_l i = 0; i < p->in[l].n; i++)
      f->via[p->in[l].at[i]] = p->in[l].via[i];
}

/* ---- rows --------------------------------------------------------------- */

static void
answer_row(void *user, idx_g g, void *out) {
  const struct fit *f = user;
  idx_l e = owned_find(&f->own_from, g);
  assert(e >= 0);
  memcpy(out, f->rows + (size_t)e * f->m->arity, f->m->arity * sizeof(idx_g));
}

/* Rows of owned elements come from who declared them, others' from their
 * owners. */
static status
rows_find(struct fit *f) {
  const struct rt_part *p = f->from;
  size_t arity = f->m->arity, bytes = arity * sizeof(idx_g);
  size_t n = (size_t)(f->nrows - p->owned);
  SCOPED idx_g *given = mem_alloc((size_t)p->owned * arity + 1, sizeof *given);
  f->rows = mem_alloc((size_t)f->nrows * arity + 1, sizeof *f->rows);
  status st = rt_part_give(f->c, p, f->m->rows, bytes, given);
  for (idx_l i = 0; st == OK && i < p->owned; i++)
    memcpy(f->rows + (size_t)p->sorted[i] * arity, given + (size_t)i * arity,
           bytes);
  SCOPED int *owner = owners_of(p, f->c->rank);
  if (st == OK)
    st = rt_ask(f->c, n, owner + p->owned, p->global + p->owned, answer_row, f,
                bytes, f->rows + (size_t)p->owned * arity);
  return st;
}

/* ---- who names what ----------------------------------------------------- */

static void
answer_hits(void *user, idx_g g, void *out) {
  const struct fit *f = user;
  memcpy(out, &f->hits[owned_find(&f->own_to, g)], sizeof *f->hits);
}

/* An entry that leads to another rank's element. */
struct tell {
  VEC(idx_g, target);
  VEC(int, owner);
};

/* Count entries of owned elements that lead to owned ones; list others. */
static void
hits_here(struct fit *f, struct tell *out) {
  size_t n = rt_dist_places(f->m, (size_t)f->from->owned);
  for (size_t i = 0; i < n; i++) {
    if (f->rows[i] < 0) continue; /* behind a row's end */
    idx_l t = local_of(f, f->rows[i]);
    if (t < 0) continue; /* it does not fit, whoever counts */
    if (t < f->to->owned) {
      f->hits[t]++;
      continue;
    }
    VEC_PUSH(out->target, out->ntarget, out->captarget, f->rows[i]);
    VEC_PUSH(out->owner, out->nowner, out->capowner, f->owner[t]);
  }
}

/* Count entries where their targets are owned, and tell who else has those. */
static status
hits_count(struct fit *f) {
  idx_l owned = f->to->owned;
  size_t ngot;
  struct tell tell = {0};
  f->hits = mem_alloc((size_t)f->to->n + 1, sizeof *f->hits);
  SCOPED size_t *counts = mem_alloc((size_t)f->c->size, sizeof *counts);
  SCOPED idx_g *got = NULL;
  hits_here(f, &tell);
  status st = rt_send_items(f->c, tell.ntarget, tell.owner, tell.target,
                            sizeof *tell.target, &got, counts, &ngot);
  free(tell.target);
  free(tell.owner);
  if (st != OK) return st;
  for (size_t i = 0; i < ngot; i++) f->hits[owned_find(&f->own_to, got[i])]++;
  return rt_ask(f->c, (size_t)(f->to->n - owned), f->owner + owned,
                f->to->global + owned, answer_hits, f, sizeof *f->hits,
                f->hits + owned);
}

/* ---- the two conditions ------------------------------------------------- */

/* An entry of an element of L_a: condition 1. */
static bool
entry_fits(const struct fit *f, int a, idx_l t) {
  return t >= 0 && (t < f->to->owned || f->via[t] <= a);
}

/* The table, as far as rows are known; seen[j]: entries of L_2j+1 that lead to
 * L_2j. False: some entry does not fit. */
static bool
table_make(struct fit *f, int64_t *seen) {
  struct rt_dist_map *m = f->m;
  for (idx_l e = 0; e < f->nrows; e++) {
    int a = level_of(f->from, e);
    struct rt_dist_row row = rt_dist_row(m, f->rows, (size_t)e);
    idx_l *out = rt_dist_table_row(m, e);
    for (uint32_t i = 0; i < row.n; i++) {
      idx_l t = local_of(f, row.at[i]);
      if (!entry_fits(f, a, t)) return false;
      *out++ = t;
      for (int j = 0; 2 * j < f->depth; j++)
        seen[j] += a <= 2 * j + 1 && t < f->to->level[2 * j];
    }
  }
  for (idx_l e = f->nrows; f->from == f->to && !m->own && e < f->from->n; e++)
    for (uint32_t i = 0; i < m->arity; i++) rt_dist_table_row(m, e)[i] = e;
  return true;
}

/* Condition 2. */
static bool
namers_known(const struct fit *f, const int64_t *seen) {
  int64_t sum = 0;
  idx_l t = 0;
  for (int j = 0; 2 * j < f->depth; j++) {
    while (t < f->to->level[2 * j]) sum += f->hits[t++];
    if (seen[j] != sum) return false;
  }
  return true;
}

static bool
row_repeats(struct rt_dist_row row) {
  for (uint32_t i = 1; i < row.n; i++)
    for (uint32_t j = 0; j < i; j++)
      if (row.at[i] == row.at[j]) return true;
  return false;
}

/* Does it fit on all ranks? If so, the facts that need all of them. */
static status
agree(const struct fit *f, bool *fits) {
  struct rt_dist_map *m = f->m;
  enum { UNFIT, NOT_ONTO, NOT_INJECTIVE, REPEATS, FACTS };
  int32_t fact[FACTS] = {!*fits};
  for (idx_l t = 0; t < f->to->owned; t++) {
    fact[NOT_ONTO] |= !f->hits[t];
    fact[NOT_INJECTIVE] |= f->hits[t] > 1;
  }
  for (idx_l e = 0; e < f->from->owned && !fact[REPEATS]; e++)
    fact[REPEATS] = row_repeats(rt_dist_row(m, f->rows, (size_t)e));
  TRY(rt_allreduce(f->c, fact, FACTS, (struct type){TYPE_I32, 4}, ACC_MAX));
  *fits = !fact[UNFIT];
  m->onto = !fact[NOT_ONTO];
  m->injective = !fact[NOT_INJECTIVE];
  m->repeats = fact[REPEATS];
  return OK;
}

status
rt_dist_fit(struct rt_comm *c, const struct rt_part *from,
            const struct rt_part *to, int depth, struct rt_dist_map *m,
            bool *fits) {
  struct fit f = {.c = c, .from = from, .to = to, .m = m, .depth = depth};
  int64_t seen[REACH_MAX + 1] = {0};
  assert(depth > 0 && depth <= REACH_MAX && depth % 2 == 0);
  f.nrows = from->level[depth - 1];
  f.own_from = owned_of(from);
  f.own_to = owned_of(to);
  look_around(&f);
  status st = rows_find(&f);
  if (st == OK) rt_dist_table_new(m, from->n, NULL, 0, NULL, f.rows, f.nrows);
  if (st == OK) st = hits_count(&f);
  *fits = st == OK && table_make(&f, seen) && namers_known(&f, seen);
  if (st == OK) st = agree(&f, fits);
  if (st != OK || !*fits) rt_dist_table_free(m);
  owned_clear(&f.own_from);
  owned_clear(&f.own_to);
  free(f.rows);
  free(f.ghosts);
  free(f.owner);
  free(f.via);
  free(f.hits);
  return st;
}
