/* Binds: each thing that a region is given, once. */
#include "lower/args.h"

#include "ir/walk.h"

#include <assert.h>
#include <string.h>

static bool
low_bind_same(const struct low_bind *a, const struct low_bind *b) {
  return a->kind == b->kind && a->index == b->index;
}

int32_t
low_bind_get(struct low_region *r, struct low_bind b) {
  assert(b.stride < (int32_t)r->nbinds);
  for (uint32_t k = 0; k < r->nbinds; k++)
    if (low_bind_same(&r->binds[k], &b)) return (int32_t)k;
  VEC_PUSH(r->binds, r->nbinds, r->capbinds, b);
  return (int32_t)r->nbinds - 1;
}

int32_t
low_bind_dat(struct low_args *g, ir_ref dat, ir_ref buffer) {
  const struct ir_trace *t = g->m->t;
  assert(buffer < t->nbuffers);
  ir_ref root = ir_root(t, dat);
  bool view = dat != root;
  const struct ir_dat *d = &t->dats[view ? dat : t->buffers[buffer].dat];
  bool alone = !g->m->shared[root] && !(t->dats[root].flags & IR_DAT_PINNED);
  bool overlaps = g->device && g->m->shared[root];
  uint32_t block = d->block;
  if (g->device && !overlaps) block = d->dim > 1 ? d->device : 1;
  uint32_t slot = low_number_slot(g->m, buffer, view ? dat : IR_NONE);
  struct low_bind b = {.kind = RT_BIND_SLOT,
                       .index = slot,
                       .type = d->type,
                       .dim = d->dim,
                       .block = block,
                       .set = d->set,
                       .alone = alone,
                       .stride = -1};
  int32_t k = low_bind_get(g->r, b);
  if (b.block == 0 || overlaps) {
    struct low_bind s = {.kind = overlaps ? RT_BIND_OFFSET : RT_BIND_STRIDE,
                         .index = slot,
                         .stride = -1};
    int32_t stride = low_bind_get(g->r, s);
    g->r->binds[k].stride = stride;
  }
  return k;
}

int32_t
low_bind_column(struct low_args *g, ir_ref root) {
  const struct ir_trace *t = g->m->t;
  const struct ir_dat *d = &t->dats[root];
  uint32_t width = t->regions[g->node->region].width;
  struct low_bind b = {.kind = RT_BIND_SCRATCH,
                       .index = 1, /* where it lies: low_columns_place */
                       .type = d->type,
                       .dim = d->dim,
                       .block = d->dim > 1 && width ? width : 1,
                       .set = d->set,
                       .alone = true,
                       .written = true,
                       .stride = -1,
                       .column = root + 1,
                       .layers = t->maps[g->node->each - 1].layers.height};
  for (uint32_t k = 0; k < g->r->nbinds; k++) {
    if (g->r->binds[k].column == b.column) return (int32_t)k;
    b.index += g->r->binds[k].column > 0;
  }
  return low_bind_get(g->r, b);
}

static int32_t
low_bind_table(struct low_args *g, enum rt_bind_kind kind, uint32_t index,
               uint32_t arity) {
  struct low_bind b = {.kind = kind,
                       .index = index,
                       .arity = arity,
                       .stride = -1,
                       .alone = true};
  return low_bind_get(g->r, b);
}

int32_t
low_bind_map(struct low_args *g, ir_ref map) {
  assert(map < g->m->t->nmaps);
  return low_bind_table(g, RT_BIND_MAP, map, g->m->t->maps[map].arity);
}

int32_t
low_bind_targets(struct low_args *g, ir_ref map) {
  const struct ir_trace *t = g->m->t;
  int32_t step = t->maps[map].step;
  if (!step || !t->regions[g->node->region].steps) return low_bind_map(g, map);
  int32_t head = t->maps[map].flags & IR_MAP_COUNTS
                     ? low_bind_start(g, map)
                     : low_bind_table(g, RT_BIND_HEAD, map, 0);
  g->r->binds[head].step = step;
  return head;
}

/* The map itself, or one of those that the region goes by already whose
 * stretches begin where its own do. */
static ir_ref
beginning_alike(const struct low_args *g, ir_ref map) {
  const struct ir_trace *t = g->m->t;
  for (uint32_t k = 0; k < g->r->nbinds; k++) {
    const struct low_bind *b = &g->r->binds[k];
    if (b->kind == RT_BIND_BEGIN && ir_stretches_alike(t, b->index, map))
      return b->index;
  }
  return map;
}

int32_t
low_bind_stretches(struct low_args *g, ir_ref map) {
  int32_t first =
      low_bind_table(g, RT_BIND_FIRST, map, g->m->t->maps[map].arity);
  ir_ref of = beginning_alike(g, map);
  int32_t begin = low_bind_table(g, RT_BIND_BEGIN, of, 0);
  int32_t count = low_bind_table(g, RT_BIND_COUNT, of, 0);
  g->r->binds[first].stride = begin;
  g->r->binds[begin].stride = count;
  return first;
}

int32_t
low_bind_start(struct low_args *g, ir_ref map) {
  const struct ir_map *m = &g->m->t->maps[map];
  if (m->arity) return -1;
  return low_bind_table(g, RT_BIND_START, m->starts ? m->starts - 1 : map, 0);
}

void
low_bind_rows(struct low_args *g, uint32_t each, struct low_call *c) {
  assert(each <= g->m->t->nmaps);
  c->row = c->start = -1;
  if (!each) return;
  c->row = low_bind_targets(g, each - 1);
  const struct ir_map *rows = &g->m->t->maps[each - 1];
  g->r->binds[c->row].alike = ir_rows_alike(rows);
  g->r->binds[c->row].beside = rows->flags & IR_MAP_BESIDE;
  bool behind = rows->layers.apart == 1 && !(rows->flags & IR_MAP_BESIDE);
  if (behind) g->r->binds[c->row].ahead = rows->layers.height;
  c->start = low_bind_start(g, each - 1);
}

void
low_bind_layers(struct low_args *g, struct low_call *c) {
  const struct low_region *r = g->r;
  bool asked = c->row >= 0 && r->binds[c->row].ahead;
  for (uint32_t k = 0; k < r->nslots; k++)
    asked |= r->slots[k].call == g->call &&
             (low_bind_is_column(r, r->slots[k].load) ||
              low_bind_is_column(r, r->slots[k].store));
  c->layer = -1;
  if (!asked) return;
  const struct ir_rows_layers *l = &g->m->t->maps[g->node->each - 1].layers;
  c->layer = l->first;
  c->down = l->last < l->first;
}

int32_t
low_bind_numbers(struct low_args *g, ir_ref map) {
  const struct ir_trace *t = g->m->t;
  ir_ref set = map == IR_NONE ? g->node->set : t->maps[map].to;
  bool same = !(t->sets[set].flags & IR_SET_RENUMBERED);
  if (map == IR_NONE)
    return same ? -1 : low_bind_table(g, RT_BIND_ROWS, set, 1);
  return low_bind_table(g, same ? RT_BIND_MAP : RT_BIND_NAMED, map,
                        t->maps[map].arity);
}

int32_t
low_bind_of_numbers(struct low_args *g, ir_ref set) {
  assert(g->m->t->sets[set].flags & IR_SET_PARTS);
  struct low_bind b = {.kind = RT_BIND_NUMBERS,
                       .index = set,
                       .type = ir_arg_info[IR_ARG_NUMBER].number,
                       .dim = 1,
                       .block = 1,
                       .set = set,
                       .stride = -1,
                       .alone = true};
  return low_bind_get(g->r, b);
}

/* ---- kernels with their constants ---------------------------------------- */

static const void *
low_const_bytes(const struct low_args *g, uint32_t c) {
  const struct low_env *env = g->m->env;
  uint32_t tag = g->m->t->kernels[g->node->kernel].tag;
  return env->constant ? env->constant(env->user, tag, g->node->epoch, c)
                       : NULL;
}

static int32_t
low_const_bind(struct low_args *g, uint32_t c) {
  struct low_capture cap = {g->node->tag, LOW_CAPTURE_CONST, c};
  struct low_bind b = {.kind = RT_BIND_PARAM,
                       .index = low_number_param(g->m, cap),
                       .stride = -1,
                       .alone = true};
  return low_bind_get(g->r, b);
}

static void
low_instance_consts(struct low_args *g, struct low_instance *in) {
  uint32_t n = g->kernel->nconsts;
  in->folded = ARENA_ARRAY(&g->r->arena, const void *, n);
  in->binds = ARENA_ARRAY(&g->r->arena, int32_t, n);
  for (uint32_t c = 0; c < n; c++) {
    const void *bytes = low_const_bytes(g, c);
    size_t size = g->kernel->consts[c].size;
    if (bytes) in->folded[c] = arena_copy(&g->r->arena, bytes, size);
    in->binds[c] = bytes ? -1 : low_const_bind(g, c);
  }
}

static int32_t
low_address_bind(struct low_args *g, uint32_t tag) {
  struct low_bind b = {.kind = RT_BIND_ADDRESS,
                       .index = low_number_address(g->m, tag),
                       .stride = -1};
  return low_bind_get(g->r, b);
}

/* Does the instance serve this node, too? Not if it has constants captured at
 * its call: each call has its own. */
static bool
low_instance_serves(const struct low_instance *in, uint32_t tag,
                    uint32_t epoch) {
  if (in->tag != tag || in->epoch != epoch) return false;
  for (uint32_t c = 0; !in->kernel->opaque && c < in->kernel->nconsts; c++)
    if (in->binds[c] >= 0) return false;
  return true;
}

status
low_instance_get(struct low_args *g, uint32_t *out) {
  struct low_region *r = g->r;
  uint32_t tag = g->m->t->kernels[g->node->kernel].tag;
  for (uint32_t k = 0; k < r->ninstances; k++)
    if (low_instance_serves(&r->instances[k], tag, g->node->epoch)) {
      *out = k;
      return OK;
    }
  struct low_instance in = {
      .kernel = g->kernel, .tag = tag, .epoch = g->node->epoch, .address = -1};
  if (g->kernel->opaque)
    in.address = low_address_bind(g, tag);
  else
    low_instance_consts(g, &in);
  VEC_PUSH(r->instances, r->ninstances, r->capinstances, in);
  *out = r->ninstances - 1;
  return OK;
}
