/* Local numbers of a part, tables by these, and links to those who have copies
 * of its elements or lend theirs (dist.c tells the idea). */
#include "rt/ranks/dist_impl.h"

#include "base/arena.h"
#include "rt/ranks/comm.h"

#include <assert.h>
#include <stdlib.h>

/* ---- local numbers ------------------------------------------------------ */

/* Which owned elements name others' through some map. */
static char *
find_border(const struct dist *d, uint32_t s) {
  const struct maker *from = &d->sets[s];
  char *border = mem_alloc((size_t)from->p->owned + 1, 1);
  for (uint32_t k = 0; k < d->d->nmaps; k++) {
    const struct rt_dist_map *m = &d->d->maps[k];
    if (m->from != s) continue;
    for (idx_l e = 0; e < from->p->owned; e++) {
      const idx_l *at = dist_places(d, k, e);
      uint32_t n = dist_row_size(d, k, e);
      for (uint32_t i = 0; i < n; i++)
        if (at[i] < 0) border[e] = 1;
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
  p->deep[1] = p->owned;
  p->deepest = 1;
}

void
dist_number(struct dist *d, uint32_t s) {
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
  idx_l i = rt_members_find(&m->members, g);
  if (i >= 0) return m->p->sorted[i];
  uintptr_t ghost = table_get(&m->known, &g, sizeof g, 0);
  return ghost ? m->p->owned + (idx_l)ghost - 1 : -1;
}

void
dist_table(struct dist *d, uint32_t k) {
  struct rt_dist_map *m = &d->d->maps[k];
  const struct maker *from = &d->sets[m->from], *to = &d->sets[m->to];
  idx_l owned = from->p->owned, n = owned + (idx_l)from->fetched;
  rt_dist_table_new(m, from->p->n, d->rows[k], owned, from->p->sorted,
                    d->fetched[k], n - owned);
  for (idx_l i = 0; i < n; i++) {
    struct rt_dist_row row = dist_row(d, k, i);
    idx_l *out = rt_dist_table_row(m, i < owned ? from->p->sorted[i] : i);
    const idx_l *at = i < owned ? dist_places(d, k, i) : NULL;
    for (uint32_t a = 0; a < row.n; a++) {
      bool own = at && at[a] >= 0;
      out[a] = own ? to->p->sorted[at[a]] : local_of(to, row.at[a]);
      assert(out[a] >= 0);
    }
  }
  idx_l last = to->p->n ? to->p->n - 1 : 0;
  for (idx_l e = n; !m->own && e < from->p->n; e++)
    for (uint32_t a = 0; a < m->arity; a++)
      m->table[(size_t)e * m->arity + a] = m->from == m->to ? e : last;
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

status
dist_links(struct dist *d, uint32_t s) {
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
