/* Numbers by depth inside a rank's part.
 *
 * Problem. While values of others are on their way one loop's core may run.
 * What is deeper inside depends on them later still: the second loop could run
 * there, too, and the third, each a step farther away from what others own.
 * Loops that run one close behind the other (rt/walk/front_plan.c) want all of
 * that, and each of them elements that are a prefix of its set's.
 *
 * Idea. The depth of an element is how many entries of maps, in either
 * direction, lead from it to an element that the rank does not own: 1 or more
 * for owned ones, at most DEPTH_MAX. Owned elements lie by depth, the deepest
 * first, in each layer in the order that they had (`place`):
 *
 *   cells in a row, the last ones next to another rank's, and edges between
 *   cells   0 1 2 3 4 | 5      edges   e joins e and e + 1
 *   depth   9 7 5 3 1   0              8 6 4 2 0
 *
 * and neighbours differ by one at most. So if loop A has run on depth a and
 * more, a loop B that reads through a map what A made may run on depth a + 1
 * and more.
 *
 * Depths end where less than 7/8 of the part would be as deep, so that most of
 * it stays in the order that it had: maps to coarser grids lead to the border
 * from anywhere in few steps.
 *
 * The layers next to the border come last, each in its order. Elements outside
 * the core name others', so their depth is 1, and they were the last ones: the
 * core stays a prefix.
 *
 * Cost. Passes over all tables, forth and back, until nothing changes: three to
 * five on meshes in a good order. Local: how deep a part is decides nothing
 * that ranks do together.
 * Limits. Maps that are declared later count for nothing; whoever relies on
 * depths looks at the maps that it goes by. Sets whose rows others rely on to
 * follow each other (points, columns) stay as they are: they have one layer. */
#include "rt/ranks/dist.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OF = 8 }; /* all but one of so many are most */

struct depths {
  const struct rt_dist *d;
  uint8_t **of; /* by part and element */
};

static void
start(struct depths *x) {
  for (uint32_t s = 0; s < x->d->nparts; s++) {
    const struct rt_part *p = &x->d->parts[s];
    x->of[s] = mem_alloc((size_t)p->n + 1, 1);
    for (idx_l e = 0; e < p->owned; e++) x->of[s][e] = DEPTH_MAX;
  }
}

/* Neighbours are at most one deeper than each other. */
static bool
level_row(uint8_t *own, uint8_t *targets, const idx_l *at, uint32_t n) {
  uint8_t least = *own;
  for (uint32_t i = 0; i < n; i++)
    if (targets[at[i]] + 1 < least) least = (uint8_t)(targets[at[i]] + 1);
  bool changed = least < *own;
  *own = least;
  for (uint32_t i = 0; i < n; i++) {
    if (least + 1 >= targets[at[i]]) continue;
    targets[at[i]] = (uint8_t)(least + 1);
    changed = true;
  }
  return changed;
}

/* Rows that are known, in their order or against it. */
static bool
level_map(const struct depths *x, const struct rt_dist_map *m, bool back) {
  idx_l n = x->d->parts[m->from].level[x->d->depth - 1];
  uint8_t *from = x->of[m->from], *to = x->of[m->to];
  bool changed = false;
  for (idx_l i = 0; i < n; i++) {
    idx_l e = back ? n - 1 - i : i;
    uint32_t size = m->own
                        ? (uint32_t)(m->table_start[e + 1] - m->table_start[e])
                        : m->arity;
    changed |= level_row(&from[e], to, rt_dist_table_row(m, e), size);
  }
  return changed;
}

static void
find_depths(struct depths *x) {
  bool changed = true;
  start(x);
  for (bool back = false; changed; back = !back) {
    changed = false;
    for (uint32_t k = 0; k < x->d->nmaps; k++) {
      uint32_t m = back ? x->d->nmaps - 1 - k : k;
      changed |= level_map(x, &x->d->maps[m], back);
    }
  }
}

/* The largest depth of most elements of the parts; no element's is larger from
 * now on. */
static int
find_deepest(struct depths *x, const bool *by_depth) {
  idx_g n[DEPTH_MAX + 1] = {0}, all = 0, deeper = 0;
  int k = DEPTH_MAX;
  for (uint32_t s = 0; s < x->d->nparts; s++) {
    if (!by_depth[s]) continue;
    for (idx_l e = 0; e < x->d->parts[s].owned; e++) n[x->of[s][e]]++;
    all += x->d->parts[s].owned;
  }
  while (k > 1 && (deeper += n[k]) * MOST_OF < all * (MOST_OF - 1)) k--;
  for (uint32_t s = 0; s < x->d->nparts; s++)
    for (idx_l e = 0; e < x->d->parts[s].owned; e++)
      if (x->of[s][e] > k) x->of[s][e] = (uint8_t)k;
  return k;
}

/* Layers from the deepest on; elements of other ranks behind all. */
static int
class_of(const struct rt_part *p, const uint8_t *depth, idx_l e) {
  if (e >= p->owned) return DEPTH_MAX;
  assert(depth[e] > 0 && depth[e] <= DEPTH_MAX);
  assert(e < p->core || depth[e] == 1);
  return DEPTH_MAX - depth[e];
}

/* How many elements each layer has; false: they lie so already. */
static bool
count_layers(struct rt_part *p, const uint8_t *depth, idx_l *first) {
  int last = 0;
  bool ordered = true;
  for (idx_l e = 0; e < p->n; e++) {
    int k = class_of(p, depth, e);
    ordered &= k >= last;
    last = k;
    first[k + 1]++;
  }
  for (int k = 0; k <= DEPTH_MAX; k++) first[k + 1] += first[k];
  for (int k = 2; k <= DEPTH_MAX; k++) p->deep[k] = first[DEPTH_MAX - k + 1];
  assert(p->deep[1] == p->owned);
  return !ordered;
}

/* The part's elements in that order; NULL: they are. */
static idx_l *
row_of(struct rt_part *p, const uint8_t *depth) {
  idx_l first[DEPTH_MAX + 2] = {0};
  if (!count_layers(p, depth, first)) return NULL;
  idx_l *row = mem_alloc((size_t)p->n + 1, sizeof *row);
  for (idx_l e = 0; e < p->n; e++) row[first[class_of(p, depth, e)]++] = e;
  p->place = mem_alloc((size_t)p->owned + 1, sizeof *p->place);
  memcpy(p->place, row, (size_t)p->owned * sizeof *row);
  return row;
}

void
rt_dist_deepen(struct rt_dist *d, const bool *by_depth, bool any) {
  SCOPED uint8_t **of = mem_alloc(d->nparts + 1, sizeof *of);
  SCOPED idx_l **row = mem_alloc(d->nparts + 1, sizeof *row);
  struct depths x = {d, of};
  find_depths(&x);
  int deepest = any ? DEPTH_MAX : find_deepest(&x, by_depth);
  for (uint32_t s = 0; s < d->nparts; s++) {
    if (!by_depth[s]) continue;
    row[s] = row_of(&d->parts[s], of[s]);
    d->parts[s].deepest = deepest;
    for (int k = deepest + 1; k <= DEPTH_MAX; k++) d->parts[s].deep[k] = 0;
  }
  rt_dist_renumber(d, row);
  for (uint32_t s = 0; s < d->nparts; s++) {
    free(of[s]);
    free(row[s]);
  }
}
