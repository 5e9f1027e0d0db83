/* How a launch goes over its elements, as numbers for reports. */
#include "base/arena.h"
#include "rt/mesh/order.h"
#include "rt/walk/launch.h"
#include "rt/walk/team.h"

#include <assert.h>

idx_l
rt_launch_border(const struct rt_walk *w) {
  assert(w->ntasks > 0);
  idx_l border = 0;
  for (idx_l i = w->task[w->ntasks - 1]; i < w->npieces; i++)
    border += w->piece[i].hi - w->piece[i].lo;
  return border;
}

/* Its maps, each once; room for nbinds. */
static uint32_t
maps_of(const struct rt_program *p, const struct rt_launch *l,
        const struct rt_relation **maps) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < l->nbinds; k++) {
    if (l->binds[k].kind != RT_BIND_MAP) continue;
    const struct rt_relation *m = p->maps[l->binds[k].index];
    uint32_t i = 0;
    while (i < n && maps[i] != m) i++;
    if (i == n) maps[n++] = m;
  }
  return n;
}

static double
locality_of(const struct rt_program *p, const struct rt_launch *l) {
  SCOPED const struct rt_relation **maps =
      mem_alloc(l->nbinds + 1, sizeof *maps);
  uint32_t n = maps_of(p, l, maps);
  return n ? rt_locality(maps, n) : -1;
}

static void
count_layouts(const struct rt_program *p, const struct rt_launch *l,
              struct rt_way *out) {
  for (uint32_t k = 0; k < l->nbinds; k++) {
    if (l->binds[k].kind != RT_BIND_SLOT) continue;
    const struct rt_shape *s = &p->dats[p->slots[l->binds[k].index].dat]->shape;
    if (s->dim == 1) continue;
    uint32_t block = l->offload ? s->device : s->block;
    ++*(block == 1 ? &out->aos : block ? &out->blocked : &out->soa);
  }
}

/* Bytes of all that it goes to, each dat and table once, but no more than its
 * elements move: a loop over a boundary sees little of the dats inside. */
static double
bytes_of(const struct rt_program *p, const struct rt_run *r) {
  const struct rt_launch *l = r->l;
  double sum = 0, moved = (double)l->bytes_per_element * r->n;
  for (uint32_t k = 0; k < l->nbinds; k++) {
    const struct rt_bind *b = &l->binds[k];
    bool seen = false;
    for (uint32_t i = 0; i < k && !seen; i++)
      seen = l->binds[i].kind == b->kind && l->binds[i].index == b->index;
    if (seen) continue;
    if (b->kind == RT_BIND_SLOT)
      sum += (double)p->scratch->bufs[b->index]->bytes;
    if (b->kind == RT_BIND_NUMBERS)
      sum += (double)p->sets[b->index]->n * sizeof(idx_g);
    if (b->kind == RT_BIND_MAP)
      sum += (double)p->maps[b->index]->arity * sizeof(idx_l) * r->n;
  }
  return sum < moved ? sum : moved;
}

static void
add_threads(const struct rt_run *r, struct rt_way *out) {
  const struct rt_walk *w = r->walk;
  out->threads = r->threads;
  out->serial = r->l->mode == RT_RUN_SERIAL;
  out->crowded = r->crowded;
  out->alone = r->threads > 1 && r->team && r->team->decided && r->team->alone;
  out->steps = 1;
  if (!w || r->kind == RT_WALK_RANGE || r->crowded) return;
  bool parts = r->kind == RT_WALK_PARTS || r->walk->again;
  if (r->kind == RT_WALK_IN_ORDER && !r->walk->again) return;
  out->kind = parts ? RT_WAY_PARTS : RT_WAY_COLOURS;
  out->steps = w->nsteps;
  out->blocks = parts ? w->ntasks - 1 : w->ntasks;
  if (parts) out->border = rt_launch_border(w);
}

void
rt_launch_walk(const struct rt_run *r, struct rt_way *out) {
  const struct rt_launch *l = r->l;
  *out = (struct rt_way){.n = r->n, .lanes = l->offload ? 0 : l->lanes};
  if (!l->offload) add_threads(r, out);
}

void
rt_launch_way(const struct rt_program *p, const struct rt_run *r,
              struct rt_way *out) {
  rt_launch_walk(r, out);
  out->team = p->scratch->nthreads;
  out->locality = locality_of(p, r->l);
  out->bytes = bytes_of(p, r);
  count_layouts(p, r->l, out);
}
