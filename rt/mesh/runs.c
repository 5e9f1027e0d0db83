/* Runs of a relation: relation.h has what they are. */
#include "rt/mesh/relation.h"

#include <assert.h>

static idx_l
count(const struct rt_relation *r, uint32_t entry) {
  const idx_l *at = r->table + entry;
  size_t arity = r->arity;
  idx_l n = 1;
  assert(r->from->n > 0 && entry < r->arity);
  for (idx_l e = 1; e < r->from->n; e++, at += arity) n += at[0] != at[arity];
  return n;
}

struct rt_runs
rt_relation_runs(const struct rt_relation *r) {
  struct rt_runs best = {0};
  idx_l least = 0;
  if (!r->table || r->start || !r->arity || r->from->n <= 0) return best;
  for (uint32_t i = 0; i < r->arity; i++) {
    idx_l n = count(r, i);
    if (least && n >= least) continue;
    best.entry = i;
    least = n;
  }
  best.length = r->from->n / least;
  return best;
}
