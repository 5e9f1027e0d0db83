/* Slots of globals, captured values and indices.
 *
 * Globals are held as the region says (ir/holds.def): a copy is loaded once for
 * all elements; a sum goes through a slot that starts from the identity for
 * each element, so that elements are independent, and joins a register, or is
 * left in memory (each); running and drain work on the thread's accumulator.
 * Captured values are copies, or stay where they are if they are large. */
#include "lower/args.h"

#include "ir/hold.h"

#include <assert.h>

static struct low_bind
low_gbl_bind(struct low_args *g, const struct ir_arg *a, enum rt_bind_kind kind,
             uint32_t index) {
  const struct ir_dat *d = &g->m->t->dats[a->dat];
  return (struct low_bind){.kind = kind,
                           .index = index,
                           .type = d->type,
                           .dim = d->dim,
                           .block = 1,
                           .alone = true,
                           .stride = -1,
                           .written = access_info[a->access].writes};
}

static int32_t
low_whole_slot(struct low_args *g, struct low_bind b) {
  struct low_slot s = low_slot_blank(LOW_SLOT_WHOLE, b.type, b.dim);
  s.load = low_bind_get(g->r, b);
  g->r->binds[s.load].written |= b.written;
  return low_slot_get(g->r, s);
}

static int32_t
low_const_slot(struct low_args *g, struct low_bind b) {
  b.written = false;
  struct low_slot s = low_slot_blank(LOW_SLOT_CONST, b.type, b.dim);
  s.load = low_bind_get(g->r, b);
  return low_slot_get(g->r, s);
}

/* Scratch of one thread: nothing comes in, nothing goes out. */
static int32_t
low_work_slot(struct low_args *g, const struct ir_arg *a) {
  const struct ir_dat *d = &g->m->t->dats[a->dat];
  return low_slot_add(g->r, low_slot_blank(LOW_SLOT_CONST, d->type, d->dim));
}

int32_t
low_param_slot(struct low_args *g, const struct ir_arg *a) {
  assert(a->kind == IR_ARG_PARAM);
  if (a->access == ACC_WORK) return low_work_slot(g, a);
  struct low_capture cap = {g->node->tag, LOW_CAPTURE_PARAM,
                            g->m->t->dats[a->dat].tag};
  struct low_bind b =
      low_gbl_bind(g, a, RT_BIND_PARAM, low_number_param(g->m, cap));
  return b.dim * b.type.size > IR_HOLD_COPY_MAX ? low_whole_slot(g, b)
                                                : low_const_slot(g, b);
}

int32_t
low_index_slot(struct low_args *g, const struct ir_arg *a) {
  assert(ir_arg_info[a->kind].number.size);
  struct low_slot s =
      low_slot_blank(LOW_SLOT_INDEX, ir_arg_info[a->kind].number, 1);
  s.map = low_bind_numbers(g, a->map);
  if (a->map != IR_NONE) s.start = low_bind_start(g, a->map);
  s.entry = a->entry;
  return low_slot_get(g->r, s);
}

/* Of sets that lie here whole it is the index; of those in parts it is read
 * from a table of their elements, as a dat of these would be. */
int32_t
low_index_long_slot(struct low_args *g, const struct ir_arg *a) {
  assert(a->kind == IR_ARG_NUMBER);
  const struct ir_trace *t = g->m->t;
  bool mapped = a->map != IR_NONE;
  ir_ref set = mapped ? t->maps[a->map].to : g->node->set;
  if (!(t->sets[set].flags & IR_SET_PARTS)) return low_index_slot(g, a);
  struct low_slot s =
      low_slot_blank(LOW_SLOT_DAT, ir_arg_info[a->kind].number, 1);
  s.load = low_bind_of_numbers(g, set);
  if (mapped) s.map = low_bind_map(g, a->map);
  if (mapped) s.start = low_bind_start(g, a->map);
  s.entry = a->entry;
  return low_slot_get(g->r, s);
}

int32_t
low_length_slot(struct low_args *g, const struct ir_arg *a) {
  assert(a->kind == IR_ARG_LENGTH && a->map != IR_NONE);
  struct low_slot s =
      low_slot_blank(LOW_SLOT_LENGTH, ir_arg_info[a->kind].number, 1);
  s.start = low_bind_start(g, a->map);
  s.entry = g->m->t->maps[a->map].arity;
  if (g->m->t->regions[g->node->region].lengths)
    s.usual = g->m->t->maps[a->map].usual;
  return low_slot_get(g->r, s);
}

/* ---- reductions ---------------------------------------------------------- */

/* Argument with the payload of argument `a` of this node; nargs: none. */
static uint32_t
low_payload_of(const struct low_args *g, uint32_t a) {
  const struct ir_arg *args = ir_args(g->m->t, g->node);
  for (uint32_t k = 0; k < g->node->nargs; k++)
    if (args[k].kind == IR_ARG_INFO && args[k].info_of == a) return k;
  return g->node->nargs;
}

static bool
low_arg_reduces(const struct low_args *g, const struct ir_arg *a) {
  enum ir_hold how = low_hold_of(g, a);
  return a->kind == IR_ARG_GBL && how >= IR_HOLD_SUM && how <= IR_HOLD_RUNNING;
}

/* Of the same node one reduction, also of the same region on a device, whose
 * sums have an order of their own. */
static int32_t
low_reduction_add(struct low_args *g, struct rt_reduction x, uint32_t first,
                  bool share) {
  struct low_region *r = g->r;
  for (uint32_t k = first; share && k < r->nreductions; k++)
    if (r->reductions[k].global == x.global &&
        r->reductions[k].access == x.access && r->reductions[k].payload == -1)
      return (int32_t)k;
  VEC_PUSH(r->reductions, r->nreductions, r->capreductions, x);
  return (int32_t)r->nreductions - 1;
}

/* As many running values as a cache line has, or a block elements: the same
 * whatever else is in the region, and whatever vectors the processor has. */
static uint32_t
low_sum_lanes(const struct low_args *g, struct type type) {
  enum { LINE = 64 };
  uint32_t width = g->m->t->regions[g->node->region].width;
  uint32_t lanes = IR_WIDTH_MAX;
  while (lanes > width && lanes * type.size > LINE) lanes /= 2;
  return lanes;
}

static struct rt_reduction
low_reduction_of(const struct low_args *g, const struct ir_arg *a) {
  const struct ir_dat *d = &g->m->t->dats[a->dat];
  enum ir_hold how = low_hold_of(g, a);
  return (struct rt_reduction){
      .global = g->m->gbl_no[ir_root(g->m->t, a->dat)],
      .type = d->type,
      .dim = d->dim,
      .access = a->access,
      .payload = -1,
      .exact = how == IR_HOLD_EACH || how == IR_HOLD_DRAIN,
      .each = how == IR_HOLD_EACH,
      .lanes =
          how == IR_HOLD_SUM && !g->device ? low_sum_lanes(g, d->type) : 0};
}

void
low_reductions_find(struct low_args *g) {
  const struct ir_arg *args = ir_args(g->m->t, g->node);
  uint32_t n = g->node->nargs, first = g->device ? 0 : g->r->nreductions;
  for (uint32_t a = 0; a < n; a++) g->reductions[a] = -1;
  for (uint32_t a = 0; a < n; a++) {
    if (!low_arg_reduces(g, &args[a])) continue;
    uint32_t p = low_payload_of(g, a);
    g->reductions[a] =
        low_reduction_add(g, low_reduction_of(g, &args[a]), first, p == n);
    if (p == n) continue;
    struct rt_reduction info = low_reduction_of(g, &args[p]);
    info.access = args[a].access;
    info.payload = g->reductions[a];
    g->reductions[p] = low_reduction_add(g, info, first, false);
    g->payload = true;
  }
}

/* INC, MIN, MAX and payloads: on the thread's accumulator. */
static int32_t
low_reduction_slot(struct low_args *g, uint32_t number) {
  assert(g->reductions[number] >= 0);
  const struct ir_arg *a = &ir_args(g->m->t, g->node)[number];
  struct low_bind b =
      low_gbl_bind(g, a, RT_BIND_ACC, (uint32_t)g->reductions[number]);
  b.written = true;
  enum ir_hold how = low_hold_of(g, a);
  if (how == IR_HOLD_RUNNING || how == IR_HOLD_DRAIN)
    return low_whole_slot(g, b);
  struct low_slot s = low_slot_blank(
      how == IR_HOLD_EACH ? LOW_SLOT_INC : LOW_SLOT_SUM, b.type, b.dim);
  s.access = a->access;
  s.lanes = g->r->reductions[g->reductions[number]].lanes;
  s.store = low_bind_get(g->r, b);
  return low_slot_get(g->r, s);
}

int32_t
low_gbl_slot(struct low_args *g, uint32_t number) {
  const struct ir_arg *a = &ir_args(g->m->t, g->node)[number];
  assert(a->kind == IR_ARG_GBL || a->kind == IR_ARG_INFO);
  if (g->reductions[number] >= 0) return low_reduction_slot(g, number);
  struct low_bind b = low_gbl_bind(g, a, RT_BIND_GLOBAL, g->m->gbl_no[a->dat]);
  b.alone = !g->m->shared[ir_root(g->m->t, a->dat)];
  assert(b.alone || !g->device); /* each has a cell of its own there */
  if (a->access == ACC_WORK) return low_work_slot(g, a);
  return low_hold_of(g, a) == IR_HOLD_COPY ? low_const_slot(g, b)
                                           : low_whole_slot(g, b);
}
