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
#include "rt/mesh/margins.h"

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

/* row: an order of the part without levels, which becomes one with them. */
static void
cut_into_levels(const struct rt_part *p, int depth, idx_l *row) {
  idx_l next[REACH_MAX + 2] = {0, p->core, p->owned};
  SCOPED idx_l *out = mem_alloc((size_t)p->n + 1, sizeof *out);
  for (int k = 2; k <= depth; k++) next[k + 1] = p->level[k - 1];
  for (idx_l i = 0; i < p->n; i++)
    out[next[class_of(p, depth, row[i])]++] = row[i];
  assert(!p->n || next[depth + 1] == p->n);
  memcpy(row, out, (size_t)p->n * sizeof *row);
}

/* ---- all of them -------------------------------------------------------- */

static uint32_t
renumber_all(struct rt_dist *d, const struct local *l) {
  SCOPED idx_l **row = mem_alloc(d->nparts + 1, sizeof *row);
  uint32_t n = 0;
  for (uint32_t s = 0; s < d->nparts; s++) {
    row[s] = l->mesh[s].row;
    if (!row[s]) continue;
    cut_into_levels(&d->parts[s], d->depth, row[s]);
    n++;
  }
  rt_dist_renumber(d, row);
  for (uint32_t s = 0; s < d->nparts; s++) free(row[s]);
  return n;
}

static uint32_t
drift_in_core(const struct rt_dist *d, uint32_t k,
              const struct rt_relation *r) {
  struct rt_window w = {0, d->parts[d->maps[k].from].core, 0,
                        d->parts[d->maps[k].to].core};
  struct rt_margins m;
  if (rt_margins_make(r, w, &m) != OK) return 0;
  uint32_t drift = 1 + (uint32_t)rt_margins_drift(&m);
  rt_margins_clear(&m);
  return drift;
}

void
rt_dist_measure(const struct rt_dist *d, double *locality, uint32_t *drift) {
  struct local l;
  local_init(&l, d, NULL);
  for (uint32_t k = 0; k < d->nmaps; k++) {
    locality[k] = rt_locality(&l.samples[k], 1);
    drift[k] = drift_in_core(d, k, l.all[k]);
  }
  local_clear(&l);
}

status
rt_dist_order(struct rt_dist *d, enum rt_renumber_by by, const uint64_t *bytes,
              const bool *settled, struct rt_dist_ordered *out) {
  struct local l;
  *out = (struct rt_dist_ordered){0};
  local_init(&l, d, bytes);
  for (uint32_t s = 0; s < d->nparts; s++) l.mesh[s].settled = settled[s];
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
