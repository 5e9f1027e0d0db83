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
#include "rt/ranks/dist_impl.h"

#include "base/arena.h"
#include "rt/ranks/comm.h"
#include "rt/mesh/relation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

status
dist_owners(struct dist *d, uint32_t s, size_t n, const idx_g *g, int *out) {
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
  m->members = rt_members_of(m->mine, p->owned);
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

/* Where entries stand among this rank's elements: searched for once. */
static void
find_places(struct dist *d, uint32_t k) {
  const struct rt_dist_map *m = &d->d->maps[k];
  const struct rt_members *to = &d->sets[m->to].members;
  const idx_g *rows = d->rows[k];
  size_t n = rt_dist_places(m, (size_t)d->d->parts[m->from].owned);
  d->places[k] = mem_alloc(n + 1, sizeof **d->places);
  for (size_t i = 0; i < n; i++) d->places[k][i] = rt_members_find(to, rows[i]);
}

static status
move_rows(struct dist *d, uint32_t k) {
  const struct rt_dist_map *m = &d->d->maps[k];
  const struct rt_part *p = &d->d->parts[m->from];
  size_t bytes = rt_dist_places(m, 1) * sizeof(idx_g);
  d->rows[k] = mem_alloc((size_t)p->owned + 1, bytes);
  TRY(rt_part_give(d->c, p, m->rows, bytes, d->rows[k]));
  find_places(d, k);
  return OK;
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
  TRY(dist_find_namers(d));
  for (int k = 1; k <= x->depth; k++) TRY(dist_grow(d, (uint8_t)k));
  for (uint32_t s = 0; s < x->nparts; s++) dist_number(d, s);
  for (uint32_t k = 0; k < x->nmaps; k++) dist_table(d, k);
  for (uint32_t s = 0; s < x->nparts; s++) TRY(dist_links(d, s));
  return agree_sizes(x);
}

status
rt_dist_make(struct rt_dist *x) {
  assert(x->depth > 0 && x->depth <= REACH_MAX && x->depth % 2 == 0);
  struct dist d = {.d = x,
                   .c = x->comm,
                   .sets = mem_alloc(x->nparts + 1, sizeof *d.sets),
                   .rows = mem_alloc(x->nmaps + 1, sizeof *d.rows),
                   .places = mem_alloc(x->nmaps + 1, sizeof *d.places)};
  for (uint32_t s = 0; s < x->nparts; s++) d.sets[s].p = &x->parts[s];
  status st = make(&d);
  for (uint32_t s = 0; s < x->nparts; s++) {
    struct maker *m = &d.sets[s];
    table_clear(&m->known);
    rt_members_clear(&m->members);
    free(m->mine);
    free(m->ghosts);
    free(m->others);
  }
  for (uint32_t k = 0; k < x->nmaps; k++) free(d.rows[k]);
  for (uint32_t k = 0; k < x->nmaps; k++) free(d.places[k]);
  free(d.sets);
  free(d.rows);
  free(d.places);
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
