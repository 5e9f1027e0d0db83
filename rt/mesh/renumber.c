/* New numbers for the sets of a mesh.
 *
 * Problem. Mesh generators, partitioners and refinement leave elements in
 * orders in which neighbours lie anywhere. Each indirect access is then a cache
 * miss, often a TLB miss, and a loop runs at a fifth of its speed.
 *
 * Idea. One set leads: it is ordered by its own graph (rt/mesh/graph.c), in
 * which two elements are neighbours if a row of a map names both. All others
 * follow it through maps, so that loops over any of them walk through memory:
 *
 *   a set that maps to an ordered one   by the numbers that its rows name: the
 *                                       lowest first, then the highest
 *   a set that an ordered one maps to   as the ordered set's rows meet it
 *
 *   Airfoil   cells   lead: edges make neighbours of two cells
 *             edges, bedges   by their lowest cell
 *             nodes   as the cells' corners meet them
 *
 * The set that leads is the one where a bad order costs most: entries of the
 * maps to it, times bytes of an element. Sets that are settled (their memory is
 * the program's, or they were numbered before) keep their numbers and lead or
 * pass on like others. Where nothing links two sets, each leads its own.
 *
 * Who shows a number to the program translates it (rt/store/store.h, struct
 * rt_order).
 *
 * Measured: Airfoil on 720 000 cells in random order, one thread, 6.3 times the
 * speed per iteration of the same with OP2_RENUMBER=0, and that of the mesh in
 * its generator's order (doc/performance.md).
 * Cost: 0.45 to 1.0 s there, tables of maps included; a third of it the graph's
 * walks, the rest passes in the old order: one counting sort or one pass a set.
 * Source: Cuthill and McKee 1969; George 1971; OP2's op_renumber does the same
 * by hand, with one map and a partitioner's order.
 * Limits: one pass, no weights of maps by how often loops use them. */
#include "rt/mesh/order.h"

#include "base/arena.h"
#include "rt/mesh/relation.h"

#include <assert.h>
#include <stdlib.h>

struct maker {
  struct rt_mesh_set *sets;
  idx_l **at; /* per set: new number of the current ones; NULL: the same */
  bool *done;
  uint32_t nsets;
  const struct rt_relation *const *maps;
  uint32_t nmaps;
  enum rt_renumber_by by;
};

static uint32_t
set_number(const struct maker *m, const struct rt_set *set) {
  uint32_t s = 0;
  while (s < m->nsets && m->sets[s].set != set) s++;
  return s;
}

static idx_l
number_at(const idx_l *at, idx_l e) {
  return at ? at[e] : e;
}

/* Set s is ordered by `row` (TAKE). */
static void
set_finish(struct maker *m, uint32_t s, idx_l *row) {
  idx_l n = m->sets[s].set->n;
  idx_l *at = mem_alloc((size_t)n + 1, sizeof *at);
  assert(!m->sets[s].row && !m->at[s] && !m->sets[s].settled);
  for (idx_l e = 0; e < n; e++) at[row[e]] = e;
  m->sets[s].row = row;
  m->at[s] = at;
}

/* ---- sets that follow --------------------------------------------------- */

/* By the numbers that a map names. */
static void
order_by_targets(struct maker *m, const struct rt_relation *map, uint32_t s,
                 uint32_t to) {
  idx_l n = map->from->n;
  SCOPED idx_l *low = mem_alloc((size_t)n + 1, sizeof *low);
  SCOPED idx_l *high = mem_alloc((size_t)n + 1, sizeof *high);
  idx_l *row = mem_alloc((size_t)n + 1, sizeof *row);
  SCOPED idx_l *out = mem_alloc((size_t)n + 1, sizeof *out);
  idx_l nkeys = map->to->n + 1; /* the last one: those that name nobody */
  assert(m->done[to] && !m->done[s]);
  SCOPED idx_l *start = mem_alloc((size_t)nkeys + 1, sizeof *start);
  for (idx_l e = 0; e < n; e++) {
    struct rt_row t = rt_row(map, e);
    low[e] = high[e] = map->to->n;
    for (uint32_t i = 0; i < t.n; i++) {
      idx_l x = number_at(m->at[to], t.at[i]);
      if (!i || x < low[e]) low[e] = x;
      if (!i || x > high[e]) high[e] = x;
    }
  }
  rt_group(high, n, nkeys, NULL, start, out);
  rt_group(low, n, nkeys, out, start, row);
  set_finish(m, s, row);
}

/* As the rows of an ordered set meet them; what nobody names comes last. Over
 * ranks rows of the last level name the last one, or 0, where there is none. */
static void
order_by_meeting(struct maker *m, const struct rt_relation *map, uint32_t s,
                 uint32_t from) {
  idx_l n = map->to->n, k = 0;
  idx_l *row = mem_alloc((size_t)n + 1, sizeof *row);
  SCOPED char *met = mem_alloc((size_t)n + 1, 1);
  const idx_l *lead = m->sets[from].row;
  assert(m->done[from] && !m->done[s]);
  for (idx_l i = 0; n && i < map->from->n; i++) {
    struct rt_row t = rt_row(map, number_at(lead, i));
    for (uint32_t j = 0; j < t.n; j++)
      if (!met[t.at[j]]) {
        met[t.at[j]] = 1;
        row[k++] = t.at[j];
      }
  }
  for (idx_l e = 0; e < n; e++)
    if (!met[e]) row[k++] = e;
  assert(k == n);
  set_finish(m, s, row);
}

/* The one with more entries; but a set whose targets keep their numbers goes by
 * the fewest it names: those who name the same one keep their order, so that
 * sums at it come in the program's order. */
static bool
links_better(const struct maker *m, const struct rt_relation *a,
             const struct rt_relation *b) {
  bool more = rt_relation_entries(a) > rt_relation_entries(b);
  bool settled = m->sets[set_number(m, a->to)].settled &&
                 m->sets[set_number(m, b->to)].settled;
  if (a->from == b->from && !m->done[set_number(m, a->from)] && settled)
    return !more;
  return more;
}

/* The best map between a set that is done and one that is not; NULL: none. */
static const struct rt_relation *
next_link(const struct maker *m) {
  const struct rt_relation *best = NULL;
  for (uint32_t k = 0; k < m->nmaps; k++) {
    uint32_t from = set_number(m, m->maps[k]->from);
    uint32_t to = set_number(m, m->maps[k]->to);
    if (from == m->nsets || to == m->nsets || m->done[from] == m->done[to])
      continue;
    if (!best || links_better(m, m->maps[k], best)) best = m->maps[k];
  }
  return best;
}

static void
follow(struct maker *m) {
  const struct rt_relation *map;
  while ((map = next_link(m))) {
    uint32_t from = set_number(m, map->from), to = set_number(m, map->to);
    uint32_t s = m->done[from] ? to : from;
    if (m->sets[s].settled) {
      /* keeps its numbers, and passes them on */
    } else if (s == from)
      order_by_targets(m, map, s, to);
    else
      order_by_meeting(m, map, s, from);
    m->done[s] = true;
  }
}

/* ---- the set that leads ------------------------------------------------- */

/* What a bad order of the set costs; 0: its elements have no graph. A rank may
 * have none of them, and rows that name number 0 all the same: see
 * order_by_meeting. */
static double
set_weight(const struct maker *m, uint32_t s) {
  double entries = 0;
  if (!m->sets[s].set->n) return 0;
  for (uint32_t k = 0; k < m->nmaps; k++)
    if (rt_graph_links(m->maps[k], m->sets[s].set))
      entries += (double)rt_relation_entries(m->maps[k]);
  return entries * (double)(m->sets[s].bytes + 1);
}

static uint32_t
next_lead(const struct maker *m) {
  uint32_t best = m->nsets;
  for (uint32_t s = 0; s < m->nsets; s++)
    if (!m->done[s] &&
        (best == m->nsets || set_weight(m, s) > set_weight(m, best)))
      best = s;
  return best;
}

static status
lead(struct maker *m, uint32_t s) {
  const struct rt_set *set = m->sets[s].set;
  struct rt_graph g;
  if (m->sets[s].settled || set_weight(m, s) == 0) return OK;
  TRY(rt_graph_make(set, m->maps, m->nmaps, &g));
  idx_l *row = mem_alloc((size_t)set->n + 1, sizeof *row);
  status st = m->by == RT_RENUMBER_RCM ? rt_graph_rcm(&g, row)
                                       : rt_graph_bisect(&g, row);
  rt_graph_clear(&g);
  if (st == OK)
    set_finish(m, s, row);
  else
    free(row);
  return st;
}

status
rt_renumber(struct rt_mesh_set *sets, uint32_t nsets,
            const struct rt_relation *const *maps, uint32_t nmaps,
            enum rt_renumber_by by) {
  struct maker m = {.sets = sets,
                    .at = mem_alloc(nsets + 1, sizeof *m.at),
                    .done = mem_alloc(nsets + 1, sizeof *m.done),
                    .nsets = nsets,
                    .maps = maps,
                    .nmaps = nmaps,
                    .by = by};
  status st = OK;
  for (uint32_t s = 0; s < nsets; s++) sets[s].row = NULL;
  for (uint32_t s; st == OK && (s = next_lead(&m)) < nsets;) {
    st = lead(&m, s);
    m.done[s] = true;
    if (st == OK) follow(&m);
  }
  for (uint32_t s = 0; s < nsets; s++) {
    free(m.at[s]);
    if (st == OK) continue;
    free(sets[s].row);
    sets[s].row = NULL;
  }
  free(m.at);
  free(m.done);
  return st;
}
