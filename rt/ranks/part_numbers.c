/* Other local numbers of parts: in their tables, links and maps, which hold
 * them. Global numbers, and what the program sees by them, do not change. */
#include "rt/ranks/dist.h"

#include "base/arena.h"
#include "rt/mesh/relation.h"

#include <assert.h>
#include <stdlib.h>

static void
links_renumber(struct rt_link *links, uint32_t n, const idx_l *at) {
  for (uint32_t k = 0; k < n; k++)
    for (idx_l i = 0; i < links[k].n; i++) links[k].at[i] = at[links[k].at[i]];
}

static void
part_renumber(struct rt_part *p, const idx_l *at) {
  idx_g *global = mem_alloc((size_t)p->n + 1, sizeof *global);
  for (idx_l e = 0; e < p->n; e++) global[at[e]] = p->global[e];
  free(p->global);
  p->global = global;
  for (idx_l i = 0; i < p->owned; i++) p->sorted[i] = at[p->sorted[i]];
  links_renumber(p->in, p->nin, at);
  links_renumber(p->out, p->nout, at);
  assert(!p->nlists && "lists of exchanges hold numbers");
}

/* NULL: numbers stay. */
static void
map_renumber(const struct rt_dist *d, struct rt_dist_map *m, const idx_l *row,
             const idx_l *at) {
  struct rt_set from = {.n = d->parts[m->from].n};
  struct rt_set to = {.n = d->parts[m->to].n};
  struct rt_relation r = {.from = &from,
                          .to = &to,
                          .arity = m->own ? 0 : m->arity,
                          .table = m->table,
                          .start = m->table_start};
  if (!row && !at) return;
  idx_l *table = mem_alloc(rt_relation_bytes(&r) + 1, 1);
  int64_t *start = NULL;
  if (m->own) {
    start = mem_alloc((size_t)from.n + 1, sizeof *start);
    rt_relation_starts(&r, row, start);
  }
  rt_relation_renumber(&r, row, at, table);
  rt_dist_table_free(m);
  m->table = table;
  m->table_start = start;
}

/* at[e]: the new number of element e. */
static idx_l *
numbers_of(const struct rt_part *p, const idx_l *row) {
  idx_l *at = mem_alloc((size_t)p->n + 1, sizeof *at);
  for (idx_l i = 0; i < p->n; i++) {
    assert(0 <= row[i] && row[i] < p->n);
    at[row[i]] = i;
  }
  return at;
}

void
rt_dist_renumber(struct rt_dist *d, idx_l *const *row) {
  SCOPED idx_l **at = mem_alloc(d->nparts + 1, sizeof *at);
  for (uint32_t s = 0; s < d->nparts; s++) {
    if (!row[s]) continue;
    at[s] = numbers_of(&d->parts[s], row[s]);
    part_renumber(&d->parts[s], at[s]);
  }
  for (uint32_t k = 0; k < d->nmaps; k++) {
    struct rt_dist_map *m = &d->maps[k];
    map_renumber(d, m, row[m->from], at[m->to]);
  }
  for (uint32_t s = 0; s < d->nparts; s++) free(at[s]);
}
