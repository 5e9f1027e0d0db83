/* Slots of globals, captured values and indices.
 *
 * A global that is only read, and a captured value, are loaded once for all
 * elements (large ones stay where they are). Sums and extremes of few
 * components go through a slot that starts from the identity for each element,
 * so that elements are independent; the running value stays in a register, or,
 * where sums are to be exact, each element's own goes to memory. A
 * MIN or MAX with a payload needs to see the running value, since the kernel
 * compares with it: it works on the thread's accumulator itself, in element
 * order, and so do sums of many components (histograms). A global that is
 * written or read-written is its memory, and one thread runs the elements in
 * order; so is every global of an opaque kernel. */
#include "lower/args.h"

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
low_value_slot(struct low_args *g, struct low_bind b) {
  b.written = false;
  if (b.dim * b.type.size > LOW_WHOLE) return low_whole_slot(g, b);
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
  if (a->access == ACC_WORK) return low_work_slot(g, a);
  struct low_capture cap = {g->node->tag, LOW_CAPTURE_PARAM,
                            g->m->t->dats[a->dat].tag};
  return low_value_slot(g, low_gbl_bind(g, a, RT_BIND_PARAM,
                                        low_number_param(g->m, cap)));
}

int32_t
low_index_slot(struct low_args *g, const struct ir_arg *a) {
  struct low_slot s =
      low_slot_blank(LOW_SLOT_INDEX, (struct type){TYPE_I32, 4}, 1);
  s.map = low_bind_numbers(g, a->map);
  s.entry = a->entry;
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
  return a->kind == IR_ARG_GBL && !low_kernel_in_place(g->kernel) &&
         (a->access == ACC_INC || a->access == ACC_MIN || a->access == ACC_MAX);
}

static int32_t
low_reduction_add(struct low_args *g, struct rt_reduction x, bool share) {
  struct low_region *r = g->r;
  for (uint32_t k = 0; share && k < r->nreductions; k++)
    if (r->reductions[k].global == x.global &&
        r->reductions[k].access == x.access && r->reductions[k].payload == -1)
      return (int32_t)k;
  VEC_PUSH(r->reductions, r->nreductions, r->capreductions, x);
  return (int32_t)r->nreductions - 1;
}

/* Bools are or'ed, in any order. */
static bool
low_sum_is_exact(const struct low_args *g, const struct ir_arg *a) {
  uint32_t kind = g->m->t->dats[a->dat].type.kind;
  return g->m->env->exact && !g->device && a->access == ACC_INC &&
         a->kind == IR_ARG_GBL && kind < TYPE_BYTES && kind != TYPE_BOOL;
}

static struct rt_reduction
low_reduction_of(const struct low_args *g, const struct ir_arg *a) {
  const struct ir_dat *d = &g->m->t->dats[a->dat];
  return (struct rt_reduction){.global = g->m->gbl_no[ir_root(g->m->t, a->dat)],
                               .type = d->type,
                               .dim = d->dim,
                               .access = a->access,
                               .payload = -1,
                               .exact = low_sum_is_exact(g, a)};
}

void
low_reductions_find(struct low_args *g) {
  const struct ir_arg *args = ir_args(g->m->t, g->node);
  uint32_t n = g->node->nargs;
  for (uint32_t a = 0; a < n; a++) g->reductions[a] = -1;
  for (uint32_t a = 0; a < n; a++) {
    if (!low_arg_reduces(g, &args[a])) continue;
    uint32_t p = low_payload_of(g, a);
    g->reductions[a] =
        low_reduction_add(g, low_reduction_of(g, &args[a]), p == n);
    if (p == n) continue;
    struct rt_reduction info = low_reduction_of(g, &args[p]);
    info.access = args[a].access;
    info.payload = g->reductions[a];
    g->reductions[p] = low_reduction_add(g, info, false);
    g->payload = true;
  }
}

static bool
low_sum_fits(const struct low_args *g, uint32_t number) {
  const struct ir_dat *d =
      &g->m->t->dats[ir_args(g->m->t, g->node)[number].dat];
  return d->dim <= LOW_SUM_MAX && d->type.kind < TYPE_BYTES &&
         d->type.kind != TYPE_BOOL;
}

/* INC, MIN, MAX and payloads: on the thread's accumulator. */
static int32_t
low_reduction_slot(struct low_args *g, uint32_t number) {
  const struct ir_arg *a = &ir_args(g->m->t, g->node)[number];
  struct low_bind b =
      low_gbl_bind(g, a, RT_BIND_ACC, (uint32_t)g->reductions[number]);
  b.written = true;
  bool running =
      a->kind == IR_ARG_INFO || low_payload_of(g, number) < g->node->nargs;
  if (running || !low_sum_fits(g, number)) return low_whole_slot(g, b);
  struct rt_reduction *x = &g->r->reductions[g->reductions[number]];
  x->each = x->exact;
  struct low_slot s =
      low_slot_blank(x->each ? LOW_SLOT_INC : LOW_SLOT_SUM, b.type, b.dim);
  s.access = a->access;
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
  if (a->access == ACC_WORK) return low_work_slot(g, a);
  if (!b.written) return low_value_slot(g, b);
  return low_whole_slot(g, b);
}
