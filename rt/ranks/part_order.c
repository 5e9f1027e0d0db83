/* New numbers inside a rank's part.
 *
 * Problem. Local numbers go level by level, and inside a level by global
 * numbers. On a mesh in bad order, or after a partitioner has dealt elements
 * out, neighbours lie anywhere inside a level (rt/mesh/renumber.c says what
 * that costs).
 *
 * Idea. The part, halo included, is a mesh like any other: it is numbered as
 * one rank's would be, and then cut into levels again, stably. What loops run
 * over stays a prefix, and each level is in the order in which a walk through
 * the mesh meets it:
 *
 *   numbers       core 0 1 2 3 | rest 4 5 | level 1: 6 7
 *   walk          6 2 0 4 5 3 7 1
 *   new order     2 0 3 1 | 4 5 | 6 7
 *
 * Few elements are outside the core, so it loses little against one rank's
 * order. Both ends of a link list shared elements in one order; the lists stay,
 * the numbers in them change. Global numbers, and what the program sees by
 * them, do not.
 *
 * Cost. That of rt_renumber, and a pass over tables and links. Local: what a
 * rank decides here decides nothing that ranks do together.
 * Limits. Rows of the last level are not known here: its elements keep their
 * order unless others name them. */
#include "rt/ranks/dist.h"
#include "rt/mesh/order.h"

#include "base/arena.h"
#include "rt/mesh/relation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The part as sets and maps of one rank. `ran`: only the elements with rows. */
struct local {
  struct rt_set *sets, *ran;
  struct rt_relation *maps, *sampled;
  const struct rt_relation **all, **samples;
  struct rt_mesh_set *mesh;
};

static void
local_init(struct local *l, const struct rt_dist *d, const uint64_t *bytes) {
  l->sets = mem_alloc(2 * (size_t)d->nparts + 1, sizeof *l->sets);
  l->ran = l->sets + d->nparts;
  l->maps = mem_alloc(2 * (size_t)d->nmaps + 1, sizeof *l->maps);
  l->sampled = l->maps + d->nmaps;
  l->all = mem_alloc(2 * (size_t)d->nmaps + 1, sizeof *l->all);
  l->samples = l->all + d->nmaps;
  l->mesh = mem_alloc(d->nparts + 1, sizeof *l->mesh);
  for (uint32_t s = 0; s < d->nparts; s++) {
    l->sets[s].n = d->parts[s].n;
    l->ran[s].n = d->parts[s].level[d->depth - 1];
    l->mesh[s] =
        (struct rt_mesh_set){.set = &l->sets[s], .bytes = bytes ? bytes[s] : 0};
  }
  for (uint32_t k = 0; k < d->nmaps; k++) {
    const struct rt_dist_map *m = &d->maps[k];
    l->maps[k] = (struct rt_relation){.from = &l->sets[m->from],
                                      .to = &l->sets[m->to],
                                      .arity = m->own ? 0 : m->arity,
                                      .table = m->table,
                                      .start = m->table_start};
    l->sampled[k] = l->maps[k];
    l->sampled[k].from = &l->ran[m->from];
    l->all[k] = &l->maps[k];
    l->samples[k] = &l->sampled[k];
  }
}

static void
local_clear(struct local *l) {
  free(l->sets);
  free(l->maps);
  free(l->all);
  free(l->mesh);
}

/* ---- one set ------------------------------------------------------------ */

/* Where the class of element e ends: core, the rest of L_0, each level. */
static int
class_of(const struct rt_part *p, int depth, idx_l e) {
  int k = 1;
  if (e < p->core) return 0;
  if (e < p->owned) return 1;
  while (k < depth && e >= p->level[k]) k++;
  return k + 1;
}

/* at[e]: the new number of e, from the order `row` of the part without levels.
 * */
static idx_l *
cut_into_levels(const struct rt_part *p, int depth, const idx_l *row) {
  idx_l next[REACH_MAX + 2] = {0, p->core, p->owned};
  idx_l *at = mem_alloc((size_t)p->n + 1, sizeof *at);
  for (int k = 2; k <= depth; k++) next[k + 1] = p->level[k - 1];
  for (idx_l i = 0; i < p->n; i++)
    at[row[i]] = next[class_of(p, depth, row[i])]++;
  assert(!p->n || next[depth + 1] == p->n);
  return at;
}

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
map_renumber(struct rt_dist_map *m, const struct rt_relation *r,
             const idx_l *row, const idx_l *at) {
  if (!row && !at) return;
  idx_l *table = mem_alloc(rt_relation_bytes(r) + 1, 1);
  int64_t *start = NULL;
  if (m->own) {
    start = mem_alloc((size_t)r->from->n + 1, sizeof *start);
    rt_relation_starts(r, row, start);
  }
  rt_relation_renumber(r, row, at, table);
  rt_dist_table_free(m);
  m->table = table;
  m->table_start = start;
}

/* ---- all of them -------------------------------------------------------- */

static uint32_t
renumber_all(struct rt_dist *d, const struct local *l) {
  SCOPED idx_l **at = mem_alloc(d->nparts + 1, sizeof *at);
  uint32_t n = 0;
  for (uint32_t s = 0; s < d->nparts; s++) {
    if (!l->mesh[s].row) continue;
    idx_l *row = l->mesh[s].row;
    at[s] = cut_into_levels(&d->parts[s], d->depth, row);
    for (idx_l e = 0; e < d->parts[s].n; e++) row[at[s][e]] = e;
    part_renumber(&d->parts[s], at[s]);
    n++;
  }
  for (uint32_t k = 0; k < d->nmaps; k++) {
    struct rt_dist_map *m = &d->maps[k];
    map_renumber(m, l->all[k], l->mesh[m->from].row, at[m->to]);
  }
  for (uint32_t s = 0; s < d->nparts; s++) {
    free(at[s]);
    free(l->mesh[s].row);
  }
  return n;
}

void
rt_dist_locality(const struct rt_dist *d, double *of_maps) {
  struct local l;
  local_init(&l, d, NULL);
  for (uint32_t k = 0; k < d->nmaps; k++)
    of_maps[k] = rt_locality(&l.samples[k], 1);
  local_clear(&l);
}

status
rt_dist_order(struct rt_dist *d, enum rt_renumber_by by, const uint64_t *bytes,
              struct rt_dist_ordered *out) {
  struct local l;
  *out = (struct rt_dist_ordered){0};
  local_init(&l, d, bytes);
  status st = rt_renumber(l.mesh, d->nparts, l.all, d->nmaps, by);
  if (st == OK) out->sets = renumber_all(d, &l);
  for (uint32_t k = 0; k < d->nmaps; k++) {
    l.sampled[k].table = d->maps[k].table;
    l.sampled[k].start = d->maps[k].table_start;
  }
  if (st == OK) out->after = rt_locality(l.samples, d->nmaps);
  local_clear(&l);
  return st;
}
