/* Orders of elements, what they do to maps, and how good one is.
 *
 * Problem. Is it worth half a second to renumber a mesh? Elements that follow
 * each other should find what they point to in few cache lines. The distance of
 * consecutive targets does not say that: a good numbering of a plane mesh jumps
 * by a row of cells at every other entry, all the time.
 *
 * Idea. Count lines. Take windows of consecutive entries, and in each count the
 * distinct lines that they touch. Over the entries this is the
 * share of accesses that a small cache does not serve:
 *
 *   row by row          0.07     edges of a plane mesh, their two cells
 *   reverse Cuthill-McKee 0.08
 *   random              1.00
 *
 * A small mesh has few lines, so that its windows share them: it counts as
 * good, and all of it is in the cache anyway.
 *
 * Cost: WINDOWS * WINDOW entries of each map; 0.2 ms for Airfoil's five maps.
 * Limits: knows nothing of sizes of caches, nor of how often a map is used. */
#include "rt/mesh/order.h"

#include "base/arena.h"
#include "rt/mesh/relation.h"
#include "rt/store/store.h"

#include <assert.h>
#include <stdlib.h>

enum { WINDOW = 512, WINDOWS = 32, LINE = 8, SLOTS = 4 * WINDOW };

uint64_t
rt_version_new(void) {
  static uint64_t last = UINT64_MAX; /* downwards; maps count upwards */
  return last--;
}

struct rt_order *
rt_order_new(idx_l n, idx_l *row) {
  struct rt_order *o = mem_alloc(1, sizeof *o);
  *o = (struct rt_order){.n = n,
                         .owned = n,
                         .rows = n,
                         .row = row,
                         .at = mem_alloc((size_t)n + 1, sizeof *o->at),
                         .version = rt_version_new()};
  assert(n >= 0 && row);
  for (idx_l e = 0; e < n; e++) o->at[row[e]] = e;
  return o;
}

struct rt_order *
rt_order_spread(idx_l n, idx_l owned, idx_l rows, bool whole, idx_l *row) {
  assert(0 <= owned && owned <= n && rows >= 0);
  struct rt_order *o = mem_alloc(1, sizeof *o);
  *o = (struct rt_order){.n = n,
                         .owned = owned,
                         .rows = rows,
                         .row = row,
                         .spread = true,
                         .whole = whole,
                         .version = rt_version_new()};
  return o;
}

struct rt_order *
rt_order_spaced(idx_l rows, struct rt_spacing lines) {
  assert(lines.line > 0 && lines.line <= lines.pitch && lines.lead >= 0);
  assert(rows % lines.line == 0);
  struct rt_order *o = mem_alloc(1, sizeof *o);
  idx_l n = lines.lead + rows / lines.line * lines.pitch;
  *o = (struct rt_order){.n = n,
                         .owned = n,
                         .rows = rows,
                         .lines = lines,
                         .version = rt_version_new()};
  return o;
}

void
rt_order_free(struct rt_order *o) {
  if (!o) return;
  free(o->row);
  free(o->at);
  free(o);
}

void
rt_relation_translate(const struct rt_relation *m, const idx_l *given,
                      const int64_t *start, bool named, idx_l *out,
                      int64_t *out_start) {
  const struct rt_order *from = m->from->order, *to = m->to->order;
  struct rt_relation program = *m;
  assert(!from || from->row);
  program.table = given;
  program.start = start;
  if (start) rt_relation_starts(&program, from ? from->row : NULL, out_start);
  rt_relation_renumber(&program, from ? from->row : NULL,
                       to && !named ? to->at : NULL, out);
  if (!to || named || !to->lines.line) return;
  int64_t n = rt_relation_entries(&program);
  for (int64_t k = 0; k < n; k++) out[k] = rt_spaced(to->lines, out[k]);
}

/* Lines seen in a window: a line is in the set if its slot has this stamp. */
struct lines {
  uint64_t slot[SLOTS]; /* stamp in the upper half, line in the lower */
  uint64_t stamp;
};

/* Add a line; false: it was there. */
static bool
lines_add(struct lines *s, uint32_t line) {
  uint64_t want = s->stamp << 32 | line;
  assert(s->stamp <= UINT32_MAX);
  uint32_t i = line * 2654435761u;
  for (i %= SLOTS; s->slot[i] >> 32 == s->stamp; i = (i + 1) % SLOTS)
    if (s->slot[i] == want) return false;
  s->slot[i] = want;
  return true;
}

/* Windows of entries, evenly over the table. */
static void
sample(const struct rt_relation *m, struct lines *seen, int64_t *lines,
       int64_t *entries) {
  int64_t total = rt_relation_entries(m);
  int64_t window = total < WINDOW ? total : WINDOW;
  for (int64_t w = 0; w < WINDOWS; w++) {
    const idx_l *t = m->table + (total - window) / (WINDOWS - 1) * w;
    seen->stamp++;
    for (int64_t i = 0; i < window; i++)
      *lines += lines_add(seen, (uint32_t)t[i] / LINE);
    *entries += window;
  }
}

double
rt_locality(const struct rt_relation *const *maps, uint32_t nmaps) {
  SCOPED struct lines *seen = mem_alloc(1, sizeof *seen);
  double bad = 0, all = 0;
  for (uint32_t k = 0; k < nmaps; k++) {
    int64_t lines = 0, entries = 0;
    double weight = (double)rt_relation_entries(maps[k]);
    sample(maps[k], seen, &lines, &entries);
    if (!entries) continue;
    bad += weight * (double)lines / (double)entries;
    all += weight;
  }
  return all > 0 ? bad / all : 0;
}
