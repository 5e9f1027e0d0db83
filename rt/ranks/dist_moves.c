/* Who owns an element; elements, their values, and rows of maps move to their
 * owners (dist.c tells the idea). */
#include "rt/ranks/dist_impl.h"

#include "base/arena.h"
#include "rt/mesh/relation.h"
#include "rt/ranks/comm.h"

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
plan_moves(struct rt_part *p, int ranks) {
  SCOPED idx_l *start = mem_alloc((size_t)ranks + 1, sizeof *start);
  p->given = mem_alloc((size_t)ranks, sizeof *p->given);
  p->got = mem_alloc((size_t)ranks, sizeof *p->got);
  p->by_owner = mem_alloc((size_t)p->declared + 1, sizeof *p->by_owner);
  rt_group(p->to, p->declared, ranks, NULL, start, p->by_owner);
  for (int r = 0; r < ranks; r++)
    p->given[r] = (size_t)(start[r + 1] - start[r]);
}

/* Numbers of owned elements, sorted; GIVE *out by free. */
static status
move_elements(struct dist *d, struct rt_part *p, idx_g **out, size_t *n_out) {
  SCOPED idx_g *mine = mem_alloc((size_t)p->declared + 1, sizeof *mine);
  idx_g first = p->start[d->c->rank];
  if (!p->to) {
    p->to = mem_alloc((size_t)p->declared + 1, sizeof *p->to);
    for (idx_l e = 0; e < p->declared; e++) p->to[e] = d->c->rank;
  }
  plan_moves(p, d->c->size);
  for (idx_l i = 0; i < p->declared; i++) mine[i] = first + p->by_owner[i];
  TRY(rt_alltoall(d->c, mine, p->given, sizeof *mine, out, p->got));
  for (int r = 0; r < d->c->size; r++) *n_out += p->got[r];
  return OK;
}

status
dist_elements(struct dist *d, uint32_t s) {
  struct rt_part *p = &d->d->parts[s];
  struct maker *m = &d->sets[s];
  int32_t moved = p->to != NULL;
  size_t n = 0;
  TRY(rt_allreduce(d->c, &moved, 1, (struct type){TYPE_I32, 4}, ACC_MAX));
  p->moved = moved;
  if (moved) {
    TRY(move_elements(d, p, &m->mine, &n));
  } else {
    n = (size_t)p->declared;
    m->mine = mem_alloc(n + 1, sizeof *m->mine);
    for (size_t i = 0; i < n; i++) m->mine[i] = p->start[d->c->rank] + (idx_g)i;
  }
  if (n > INT32_MAX / 2)
    FAIL(ERR_MPI, "a rank would own %zu elements of a set", n);
  p->owned = (idx_l)n;
  m->members = rt_members_of(m->mine, p->owned);
  return OK;
}

status
rt_part_give(struct rt_comm *c, const struct rt_part *p, const void *declared,
             size_t bytes, void *owned) {
  if (!p->moved) {
    if (p->declared) memcpy(owned, declared, (size_t)p->declared * bytes);
    return OK;
  }
  SCOPED char *send = mem_alloc((size_t)p->declared + 1, bytes);
  for (idx_l i = 0; i < p->declared; i++)
    memcpy(send + (size_t)i * bytes,
           (const char *)declared + (size_t)p->by_owner[i] * bytes, bytes);
  return rt_alltoall_known(c, send, p->given, bytes, owned, p->got);
}

status
rt_part_return(struct rt_comm *c, const struct rt_part *p, const void *owned,
               size_t bytes, void *declared) {
  if (!p->moved) {
    if (p->declared) memcpy(declared, owned, (size_t)p->declared * bytes);
    return OK;
  }
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

status
dist_rows(struct dist *d, uint32_t k) {
  const struct rt_dist_map *m = &d->d->maps[k];
  const struct rt_part *p = &d->d->parts[m->from];
  size_t bytes = rt_dist_places(m, 1) * sizeof(idx_g);
  d->rows[k] = m->rows;
  if (p->moved) {
    d->rows[k] = d->given[k] = mem_alloc((size_t)p->owned + 1, bytes);
    TRY(rt_part_give(d->c, p, m->rows, bytes, d->given[k]));
  }
  find_places(d, k);
  return OK;
}
