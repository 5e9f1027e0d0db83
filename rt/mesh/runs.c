/* Runs of a relation: relation.h has what they are. */
#include "rt/mesh/relation.h"

#include <assert.h>

static idx_l
count(const struct rt_relation *r, idx_l n, uint32_t entry) {
  const idx_l *at = r->table + entry;
  size_t arity = r->arity;
  idx_l runs = 1;
  assert(0 < n && n <= r->from->n && entry < r->arity);
  for (idx_l e = 1; e < n; e++, at += arity) runs += at[0] != at[arity];
  return runs;
}

struct rt_runs
rt_relation_runs(const struct rt_relation *r, idx_l n) {
  struct rt_runs best = {0};
  idx_l least = 0;
  if (!r->table || r->start || !r->arity || n <= 0) return best;
  for (uint32_t i = 0; i < r->arity; i++) {
    idx_l runs = count(r, n, i);
    if (least && runs >= least) continue;
    best.entry = i;
    least = runs;
  }
  best.length = n / least;
  return best;
}
