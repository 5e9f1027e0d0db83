/* Rows of global numbers that are made from others' rows. */
#include "rt/ranks/dist.h"

#include "base/arena.h"
#include "rt/ranks/comm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void
rt_dist_permuted(const struct rt_dist_map *m, idx_l n, const int *perm,
                 idx_g *out) {
  for (idx_l e = 0; e < n; e++) {
    struct rt_dist_row row = rt_dist_row(m, m->rows, (size_t)e);
    for (uint32_t i = 0; i < row.n; i++) *out++ = row.at[perm[i]];
  }
}

/* Rows of b that this rank declared, `first` being the number of the first. */
struct declared {
  const struct rt_dist_map *b;
  idx_g first;
};

static void
answer_row(void *user, idx_g g, void *out) {
  const struct declared *d = user;
  assert(g >= d->first);
  struct rt_dist_row row =
      rt_dist_row(d->b, d->b->rows, (size_t)(g - d->first));
  memcpy(out, row.at, row.n * sizeof *row.at);
}

status
rt_dist_composed(struct rt_comm *c, const struct rt_part *through,
                 const struct rt_dist_map *a, idx_l n,
                 const struct rt_dist_map *b, bool here, idx_g *out) {
  size_t entries = rt_dist_entries(a, (size_t)n);
  struct declared d = {b, through->start[c->rank]};
  if (here) {
    for (size_t i = 0; i < entries; i++)
      answer_row(&d, a->rows[i], out + i * b->arity);
    return OK;
  }
  SCOPED int *home = mem_alloc(entries + 1, sizeof *home);
  for (size_t i = 0; i < entries; i++)
    home[i] = rt_part_home(through, c->size, a->rows[i]);
  return rt_ask(c, entries, home, a->rows, answer_row, &d,
                b->arity * sizeof *out, out);
}
