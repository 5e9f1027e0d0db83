/* Orders of a graph: reverse Cuthill-McKee, recursive bisection.
 *
 * Problem. Elements that a loop touches together should lie together. Two
 * elements are touched together when a row of a map names both: these pairs are
 * the edges of a graph, and an order is wanted in which edges are short.
 *
 * Idea, Cuthill-McKee. Walk the graph breadth first from an element at its rim
 * and number elements as they are met, those with few neighbours first: each
 * level of the walk lies right behind the one before, so an edge is at most two
 * levels long. Backwards the order is no worse, and better for factorisations.
 *
 *   2 - 0 - 4        from 2:   2 | 1 0 | 3 4 | 5     levels
 *   |   |   |        reversed: 5 4 3 0 1 2
 *   1 - 3 - 5
 *
 * An element at the rim is the last one of a walk from anywhere.
 *
 * Idea, bisection. Halve the walk's order; halve each half by a walk of its own
 * (from its own rim, so that pieces stay round), down to LEAF elements. Edges
 * are short at every scale, which is what tiles and caches of unknown size ask
 * for; long edges remain at the cuts.
 *
 * Rows of many entries would make a complete graph each, so an entry of a long
 * one is linked to the LINKS / 2 before it and behind it in the row, round its
 * end. Links go both ways: a walk that is begun anew from its last element
 * meets all it met before.
 *
 * Cost: 4 bytes a link, and walks that jump as the old order does: RCM takes
 * two, bisection (over the graph in RCM's order, so that they are short jumps)
 * two for each halving.
 * Source: Cuthill and McKee 1969; George 1971 (reversal); George and Liu 1979
 * (elements at the rim); Simon 1991 (recursive graph bisection).
 * Limits: one thread. Levels of a three-dimensional mesh are large. */
#include "rt/mesh/order.h"

#include "base/arena.h"
#include "rt/mesh/relation.h"
#include "rt/store/store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 1024, LINKS = 8, SORT_INSERT = 32 };

/* ---- the graph ---------------------------------------------------------- */

bool
rt_graph_links(const struct rt_relation *m, const struct rt_set *set) {
  return m->to == set && (m->arity != 1 || m->from == set);
}

/* What a row names: its entries, and its own element in a map to the same set.
 * */
struct names {
  struct rt_row row;
  idx_l own;
  uint32_t n;
};

static struct names
row_names(const struct rt_relation *m, idx_l e) {
  struct rt_row row = rt_row(m, e);
  return (struct names){row, e, row.n + (m->from == m->to)};
}

static idx_l
name_at(const struct names *x, uint32_t i) {
  assert(x->n > 0);
  i %= x->n;
  return i < x->row.n ? x->row.at[i] : x->own;
}

static uint32_t
names_links(const struct names *x) {
  return x->n - 1 < LINKS ? x->n - 1 : LINKS;
}

/* The d-th that entry i is linked to, d in [1, links]. */
static idx_l
link_at(const struct names *x, uint32_t i, uint32_t d) {
  if (x->n - 1 > LINKS && d > LINKS / 2) d += x->n - 1 - LINKS;
  return name_at(x, i + d);
}

/* Links of one map: counted at start[e + 1] (no list yet), or listed from
 * start[e] on. */
static void
graph_add(struct rt_graph *g, const struct rt_relation *m) {
  for (idx_l r = 0; r < m->from->n; r++) {
    struct names x = row_names(m, r);
    uint32_t links = names_links(&x);
    for (uint32_t i = 0; i < x.n; i++) {
      idx_l e = name_at(&x, i);
      assert(e >= 0 && e < g->n);
      if (!g->list)
        g->start[e + 1] += links;
      else
        for (uint32_t d = 1; d <= links; d++)
          g->list[g->start[e]++] = link_at(&x, i, d);
    }
  }
}

static void
graph_add_all(struct rt_graph *g, const struct rt_set *set,
              const struct rt_relation *const *maps, uint32_t nmaps) {
  for (uint32_t k = 0; k < nmaps; k++)
    if (rt_graph_links(maps[k], set)) graph_add(g, maps[k]);
}

static size_t
start_bytes(const struct rt_graph *g) {
  return ((size_t)g->n + 1) * sizeof *g->start;
}

static size_t
list_bytes(const struct rt_graph *g) {
  return ((size_t)g->links + 1) * sizeof *g->list;
}

static status
no_memory(idx_l n) {
  FAIL(ERR_MEMORY, "no memory to renumber %d elements", n);
}

status
rt_graph_make(const struct rt_set *set, const struct rt_relation *const *maps,
              uint32_t nmaps, struct rt_graph *out) {
  struct rt_graph g = {.n = set->n};
  g.start = rt_mem_new(start_bytes(&g));
  if (!g.start) return no_memory(g.n);
  graph_add_all(&g, set, maps, nmaps);
  for (idx_l e = 0; e < g.n; e++) g.start[e + 1] += g.start[e];
  g.links = g.start[g.n];
  g.list = rt_mem_new(list_bytes(&g));
  if (!g.list) {
    rt_graph_clear(&g);
    return no_memory(g.n);
  }
  graph_add_all(&g, set, maps, nmaps);
  memmove(g.start + 1, g.start, (size_t)g.n * sizeof *g.start);
  g.start[0] = 0;
  assert(g.start[g.n] == g.links);
  *out = g;
  return OK;
}

void
rt_graph_clear(struct rt_graph *g) {
  if (g->start) rt_mem_free(g->start, start_bytes(g));
  if (g->list) rt_mem_free(g->list, list_bytes(g));
  *g = (struct rt_graph){0};
}

/* The same graph with its elements in this order. */
static status
graph_reorder(const struct rt_graph *g, const idx_l *row,
              struct rt_graph *out) {
  struct rt_graph o = {.n = g->n, .links = g->links};
  o.start = rt_mem_new(start_bytes(&o));
  o.list = rt_mem_new(list_bytes(&o));
  if (!o.start || !o.list) {
    rt_graph_clear(&o);
    return no_memory(g->n);
  }
  SCOPED idx_l *at = mem_alloc((size_t)g->n + 1, sizeof *at);
  for (idx_l e = 0; e < g->n; e++) at[row[e]] = e;
  int64_t k = 0;
  for (idx_l e = 0; e < g->n; e++) {
    for (int64_t i = g->start[row[e]]; i < g->start[row[e] + 1]; i++)
      o.list[k++] = at[g->list[i]];
    o.start[e + 1] = k;
  }
  assert(k == g->links);
  *out = o;
  return OK;
}

/* ---- walks -------------------------------------------------------------- */

/* A walk covers the elements of one part and leaves its number where it was. */
struct walker {
  const struct rt_graph *g;
  struct mark {
    uint32_t part, walk;
  } *mark;         /* of an element */
  uint32_t walk;   /* this one's number */
  uint64_t *fresh; /* neighbours just met: degree, element */
  uint32_t nfresh, capfresh;
};

static size_t
mark_bytes(const struct rt_graph *g) {
  return ((size_t)g->n + 1) * sizeof(struct mark);
}

static status
walker_init(struct walker *w, const struct rt_graph *g) {
  *w = (struct walker){.g = g, .mark = rt_mem_new(mark_bytes(g))};
  return w->mark ? OK : no_memory(g->n);
}

static void
walker_clear(struct walker *w) {
  rt_mem_free(w->mark, mark_bytes(w->g));
  free(w->fresh);
}

static int
key_order(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void
keys_sort(uint64_t *key, uint32_t n) {
  if (n > SORT_INSERT) {
    qsort(key, n, sizeof *key, key_order);
    return;
  }
  for (uint32_t i = 1; i < n; i++) {
    uint64_t k = key[i];
    uint32_t j = i;
    for (; j > 0 && key[j - 1] > k; j--) key[j] = key[j - 1];
    key[j] = k;
  }
}

static uint64_t
walk_key(const struct rt_graph *g, idx_l e) {
  int64_t degree = g->start[e + 1] - g->start[e];
  return (uint64_t)(degree < INT32_MAX ? degree : INT32_MAX) << 32 |
         (uint32_t)e;
}

/* Neighbours of e in its part not met yet, by degree, appended to row[n ..). */
static idx_l
walk_step(struct walker *w, idx_l e, idx_l *row, idx_l n) {
  const struct rt_graph *g = w->g;
  uint32_t part = w->mark[e].part;
  w->nfresh = 0;
  for (int64_t i = g->start[e]; i < g->start[e + 1]; i++) {
    struct mark *m = &w->mark[g->list[i]];
    if (m->part != part || m->walk == w->walk) continue;
    m->walk = w->walk;
    uint64_t key = walk_key(g, g->list[i]);
    VEC_PUSH(w->fresh, w->nfresh, w->capfresh, key);
  }
  keys_sort(w->fresh, w->nfresh);
  for (uint32_t i = 0; i < w->nfresh; i++)
    row[n++] = (idx_l)(uint32_t)w->fresh[i];
  return n;
}

/* Breadth first through the component of `from` in its part: row[0 .. result)
 * */
static idx_l
walk_from(struct walker *w, idx_l from, idx_l *row) {
  idx_l n = 1;
  w->walk++;
  w->mark[from].walk = w->walk;
  row[0] = from;
  for (idx_l i = 0; i < n; i++) n = walk_step(w, row[i], row, n);
  return n;
}

/* The same from its rim. */
static idx_l
walk_component(struct walker *w, idx_l from, idx_l *row) {
  idx_l n = walk_from(w, from, row);
  return n > 1 ? walk_from(w, row[n - 1], row) : n;
}

/* ---- orders ------------------------------------------------------------- */

static void
reverse(idx_l *row, idx_l n) {
  for (idx_l i = 0; i < n / 2; i++) {
    idx_l e = row[i];
    row[i] = row[n - 1 - i];
    row[n - 1 - i] = e;
  }
}

/* What belongs to no part any more. */
#define DONE UINT32_MAX

status
rt_graph_rcm(const struct rt_graph *g, idx_l *row) {
  struct walker w;
  TRY(walker_init(&w, g));
  idx_l n = 0;
  for (idx_l e = 0; e < g->n; e++) {
    if (w.mark[e].part == DONE) continue;
    idx_l k = walk_component(&w, e, row + n);
    for (idx_l i = n; i < n + k; i++) w.mark[row[i]].part = DONE;
    reverse(row + n, k);
    n += k;
  }
  assert(n == g->n);
  walker_clear(&w);
  return OK;
}

/* row[0 .. n), all of one part, in the order of walks through it. */
static void
walk_part(struct walker *w, idx_l *row, idx_l n, idx_l *from) {
  memcpy(from, row, (size_t)n * sizeof *from);
  uint32_t before = w->walk;
  for (idx_l i = 0, k = 0; i < n; i++) {
    if (w->mark[from[i]].walk > before) continue;
    k += walk_component(w, from[i], row + k);
  }
}

struct piece {
  idx_l lo, hi;
};

/* Halve, until parts have LEAF elements. */
static status
halve(const struct rt_graph *g, idx_l *row) {
  struct walker w;
  TRY(walker_init(&w, g));
  SCOPED idx_l *from = mem_alloc((size_t)g->n + 1, sizeof *from);
  struct piece todo[2 * 32] = {{0, g->n}}; /* halves: their depth is bounded */
  uint32_t ntodo = 1, parts = 0;
  for (idx_l e = 0; e < g->n; e++) row[e] = e;
  while (ntodo) {
    struct piece p = todo[--ntodo];
    idx_l n = p.hi - p.lo, half = p.lo + n / 2;
    parts++;
    for (idx_l i = p.lo; i < p.hi; i++) w.mark[row[i]].part = parts;
    walk_part(&w, row + p.lo, n, from);
    if (n <= LEAF) continue;
    assert(ntodo + 2 <= sizeof todo / sizeof *todo);
    todo[ntodo++] = (struct piece){half, p.hi};
    todo[ntodo++] = (struct piece){p.lo, half};
  }
  walker_clear(&w);
  return OK;
}

status
rt_graph_bisect(const struct rt_graph *g, idx_l *row) {
  struct rt_graph o = {0};
  SCOPED idx_l *first = mem_alloc((size_t)g->n + 1, sizeof *first);
  status st = rt_graph_rcm(g, first);
  if (st == OK) st = graph_reorder(g, first, &o);
  if (st == OK) st = halve(&o, row);
  for (idx_l e = 0; st == OK && e < g->n; e++) row[e] = first[row[e]];
  rt_graph_clear(&o);
  return st;
}
