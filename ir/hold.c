/* How operands of a region may be held.
 *
 * Problem   Kernels of one region share elements: what one writes the next one
 *           reads, two names may mean one buffer, and sometimes elements meet
 *           in memory. To load and store around each call would always be
 *           right, and slow; to keep everything in registers is fast and wrong
 *           as soon as one case is forgotten. Who chooses (pass hold) and who
 *           checks (verifier) must agree on the cases.
 *
 * Idea      Of dats, by how the region touches the operand's buffers
 *           (ir/walk.h):
 *
 *             place      memory that several dats share and somebody writes; a
 *                        kernel without IR, which may reach beyond its element;
 *                        on hosts also, in AoS, what is only read, what a call
 *                        only adds through one map whose rows name nobody
 *                        twice, and the element itself where all loops of the
 *                        region have nothing else of the dat
 *             staged     elements meet there, and not all arguments only add
 *             column     the same, of scans, for what nobody outside wants
 *                        (hold_column.c)
 *             add        increments or extremes through maps, nothing else
 *             copy       all else; what is written at the element itself need
 *                        not be stored (register) if nobody outside reads it;
 *                        what walk staged only reads, through maps of rows of
 *                        one length, blocks may copy into local memory first
 *                        (local), if there is room (ir/cost.c)
 *
 *           Of globals, by access: what is added to or an extreme starts anew
 *           for each element (sum), unless the kernel compares with what came
 *           before, for a payload goes with it, or it is large (running); where
 *           sums are to be exact, each, or drain of large ones. What is read is
 *           a copy, or the memory where it is large; what is written is the
 *           memory.
 *
 * Example   %adt.1 = loop @adt_calc (read %q.0, write %adt)
 *           %b.1 = loop @b (read %adt.1, write %b)          free %adt.1
 *
 *             %q.0  copy, staged      %adt.1  register, copy, staged
 *             %b.1  copy, staged
 *
 * Cost      O(arguments of the region) for each argument.
 * Limits    a sum may also be held as running: other bits, the same meaning. */
#include "ir/hold.h"
#include "ir/inner.h"
#include "ir/walk.h"

#include <assert.h>

const struct ir_hold_info ir_hold_info[IR_HOLD_COUNT] = {
    [IR_HOLD_NONE] = {"", "not chosen yet"},
#define HOLD(name, text, of, meaning) [IR_HOLD_##name] = {text, meaning},
#include "ir/holds.def"
#undef HOLD
};

enum ir_hold
ir_hold_before(enum ir_hold how) {
  switch (how) {
  case IR_HOLD_KEPT:
  case IR_HOLD_STREAM: return IR_HOLD_COPY;
  case IR_HOLD_RUN:
  case IR_HOLD_LATE: return IR_HOLD_ADD;
  case IR_HOLD_SLIDE: return IR_HOLD_REGISTER;
  case IR_HOLD_THROUGH: return IR_HOLD_STAGED;
  default: return how;
  }
}

#define BIT(name) (1U << IR_HOLD_##name)

ir_ref
ir_operand(const struct ir_trace *t, const struct ir_arg *a) {
  if (!ir_arg_has_value(a)) return IR_NONE;
  if (ir_arg_writes(a)) return a->out;
  return a->in == IR_NONE ? IR_NONE : ir_same(t, a->in);
}

/* ---- dats ---------------------------------------------------------------- */

/* Is version v made in node n's region, and of no use outside? */
static bool
dat_stays_inside(const struct ir_trace *t, ir_ref n, ir_ref v,
                 const struct ir_hold_facts *f) {
  assert(v < t->nvalues && n < t->nnodes);
  ir_ref root = t->values[v].dat, def = t->values[v].def;
  if (def == IR_NONE || ir_unit_end(t, def) != ir_unit_end(t, n)) return false;
  return !f->overlaps[root] && !(t->dats[root].flags & IR_DAT_PINNED) &&
         !ir_live_at(f->live, v, ir_unit_end(t, n));
}

/* The buffer that node n needs the root's old version from; IR_NONE. */
static ir_ref
dat_old_buffer(const struct ir_trace *t, ir_ref n, ir_ref root) {
  const struct ir_node *x = &t->nodes[n];
  for (uint32_t k = 0; k < x->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, x)[k];
    if (ir_arg_on_dat(t, a) && ir_root(t, a->dat) == root && a->in != IR_NONE)
      return ir_buffer_of(t, a->in);
  }
  return IR_NONE;
}

/* May blocks copy what the argument reads into local memory? */
static bool
dat_by_blocks(const struct ir_trace *t, ir_ref n, const struct ir_arg *a,
              const struct ir_hold_facts *f) {
  const struct ir_node *x = &t->nodes[n];
  const struct ir_dat *d = &t->dats[a->dat];
  if (x->region == IR_NONE || t->regions[x->region].walk != IR_WALK_STAGED ||
      ir_in_place(t, x) || ir_arg_direct(a) || a->each ||
      ir_arg_any_length(t, a))
    return false;
  return !f->overlaps[ir_root(t, a->dat)] && ir_in_words(d->type);
}

/* May threads keep all that the region has of it, by columns? */
static bool
dat_by_columns(const struct ir_trace *t, ir_ref n, ir_ref root,
               const struct ir_hold_facts *f) {
  ir_ref region = t->nodes[n].region;
  if (region == IR_NONE || !ir_may_hold_columns(t, region, root)) return false;
  IR_EACH_ARG(t, &t->regions[region], m, a)
  if (ir_arg_on(t, a, root) && ir_arg_writes(a) &&
      !dat_stays_inside(t, m, a->out, f))
    return false;
  return true;
}

/* ---- where they are ------------------------------------------------------ */

/* Does the argument reach its elements, rows of components, by one path on a
 * host? */
static bool
dat_has_places(const struct ir_trace *t, ir_ref n, const struct ir_arg *a) {
  return !target_is_device(t->nodes[n].target) && !a->own && !a->each &&
         !ir_arg_any_length(t, a) && t->dats[a->dat].block == 1;
}

/* Do all arguments by which node n adds to the root go through entries of one
 * map, whose rows name nobody twice? Then they are different elements, of which
 * a kernel may take no notice. */
static bool
dat_adds_apart(const struct ir_trace *t, ir_ref n, const struct ir_arg *a) {
  const struct ir_node *x = &t->nodes[n];
  if (a->access != ACC_INC || t->maps[a->map].flags & IR_MAP_REPEATS)
    return false;
  for (uint32_t k = 0; k < x->nargs; k++) {
    const struct ir_arg *b = &ir_args(t, x)[k];
    bool same = b->entry < a->entry + ir_arg_count(a) &&
                a->entry < b->entry + ir_arg_count(b);
    if (b != a && ir_arg_on(t, b, ir_root(t, a->dat)) &&
        (b->map != a->map || same))
      return false;
  }
  return true;
}

/* Is all that the region has of the root, and all that it has in this buffer,
 * the element itself there, by one argument of each loop, and some version that
 * it makes wanted outside? */
static bool
dat_stays_there(const struct ir_trace *t, ir_ref n, ir_ref root, ir_ref buffer,
                const struct ir_hold_facts *f) {
  ir_ref last = IR_NONE;
  bool wanted = false;
  IR_EACH_ARG(t, &t->regions[t->nodes[n].region], m, b) {
    if (b->kind != IR_ARG_DAT || !ir_arg_has_value(b)) continue;
    bool writes = ir_arg_writes(b), on = ir_root(t, b->dat) == root;
    ir_ref in = ir_buffer_of(t, b->in);
    ir_ref out = writes ? ir_buffer_of(t, b->out) : IR_NONE;
    if (!on && (in == buffer || out == buffer)) return false;
    if (!on) continue;
    if (!ir_arg_direct(b) || !dat_has_places(t, m, b) || m == last ||
        (in != IR_NONE && in != buffer) || (writes && out != buffer))
      return false;
    wanted |= writes && !dat_stays_inside(t, m, b->out, f);
    last = m;
  }
  return wanted;
}

static unsigned
dat_holds(const struct ir_trace *t, ir_ref n, const struct ir_arg *a,
          const struct ir_hold_facts *f) {
  bool writes = ir_arg_writes(a);
  if (ir_arg_inline(t, a)) return BIT(REGISTER);
  ir_ref in = writes ? dat_old_buffer(t, n, ir_root(t, a->dat))
                     : ir_buffer_of(t, a->in);
  ir_ref out = writes ? ir_buffer_of(t, a->out) : IR_NONE;
  unsigned old = in != IR_NONE ? f->touch[in] : 0U;
  unsigned new = out != IR_NONE ? f->touch[out] : 0U, touch = old | new;
  bool moves = in != IR_NONE && out != IR_NONE && in != out;
  bool shared = f->overlaps[ir_root(t, a->dat)] && touch & IR_TOUCH_WRITES;
  bool reaches = ir_in_place(t, &t->nodes[n]) && t->dats[a->dat].block == 1;
  if (!moves && (shared || reaches)) return BIT(PLACE);
  if (ir_touch_meets(old) || ir_touch_meets(new))
    return BIT(STAGED) |
           (dat_by_columns(t, n, ir_root(t, a->dat), f) ? BIT(COLUMN) : 0U);
  bool there = !moves && dat_has_places(t, n, a);
  if (touch & IR_COMBINES_FAR)
    return BIT(ADD) | (there && dat_adds_apart(t, n, a) ? BIT(PLACE) : 0U);
  bool inside = dat_stays_inside(t, n, ir_operand(t, a), f);
  bool local = !(touch & IR_TOUCH_WRITES) && dat_by_blocks(t, n, a, f);
  there &= !(touch & IR_TOUCH_WRITES) ||
           dat_stays_there(t, n, ir_root(t, a->dat), writes ? out : in, f);
  return BIT(COPY) | BIT(STAGED) | (inside ? BIT(REGISTER) : 0U) |
         (local ? BIT(LOCAL) : 0U) | (there ? BIT(PLACE) : 0U);
}

/* ---- globals ------------------------------------------------------------- */

static bool
reduces(const struct ir_trace *t, const struct ir_node *n,
        const struct ir_arg *a) {
  return a->kind == IR_ARG_GBL && !ir_in_place(t, n) &&
         (a->access == ACC_INC || a->access == ACC_MIN || a->access == ACC_MAX);
}

static unsigned
reduction_holds(const struct ir_trace *t, const struct ir_node *n,
                const struct ir_arg *a) {
  assert(access_info[a->access].writes && a->dat < t->ndats);
  const struct ir_dat *d = &t->dats[a->dat];
  bool number = d->type.kind < TYPE_BYTES && d->type.kind != TYPE_BOOL;
  bool fits = number && d->dim <= IR_HOLD_SUM_MAX;
  bool exact = number && a->access == ACC_INC && !target_is_device(n->target);
  return (fits ? BIT(SUM) : 0) | (fits && exact ? BIT(EACH) : 0) |
         (exact ? BIT(DRAIN) : 0) | BIT(RUNNING);
}

static unsigned
gbl_holds(const struct ir_trace *t, const struct ir_node *n,
          const struct ir_arg *a) {
  if (a->kind == IR_ARG_INFO)
    return reduces(t, n, ir_args(t, n) + a->info_of) ? BIT(RUNNING)
                                                     : BIT(PLACE);
  if (!access_info[a->access].writes) return BIT(COPY) | BIT(PLACE);
  if (!reduces(t, n, a)) return BIT(PLACE);
  return ir_arg_has_payload(t, n, a) ? BIT(RUNNING) : reduction_holds(t, n, a);
}

unsigned
ir_holds_of(const struct ir_trace *t, ir_ref n, const struct ir_arg *a,
            const struct ir_hold_facts *f) {
  assert(ir_operand(t, a) != IR_NONE);
  return a->kind == IR_ARG_DAT ? dat_holds(t, n, a, f)
                               : gbl_holds(t, &t->nodes[n], a);
}

/* ---- several elements at once -------------------------------------------- */

static enum ir_hold
hold_in(const struct ir_trace *t, const struct ir_region *g, ir_ref operand) {
  for (uint32_t k = g->hold0; k < g->hold0 + g->nholds; k++)
    if (t->holds[k].value == operand) return t->holds[k].how;
  return IR_HOLD_NONE;
}

/* Is what the argument works on each element's own, as it is held? Not memory
 * that others may reach, nor what the kernel sees of other elements. */
static bool
arg_of_element(const struct ir_trace *t, const struct ir_arg *a,
               enum ir_hold how, const bool *overlaps) {
  bool writes = ir_arg_writes(a);
  if (a->kind != IR_ARG_DAT)
    return how == IR_HOLD_SUM || how == IR_HOLD_EACH ||
           (!writes && (how == IR_HOLD_COPY || how == IR_HOLD_PLACE));
  ir_ref root = ir_root(t, a->dat);
  bool alone = !overlaps[root] && !(t->dats[root].flags & IR_DAT_PINNED);
  return how != IR_HOLD_PLACE && (!writes || (how != IR_HOLD_STAGED && alone));
}

/* Is what the argument works on each column's own, of columns that lie beside
 * each other? Blocks move it to memory (the thread's or all's) and back at each
 * step along them. */
static bool
arg_of_columns(const struct ir_trace *t, const struct ir_arg *a,
               enum ir_hold how, const bool *overlaps) {
  ir_ref root = ir_root(t, a->dat);
  return (how == IR_HOLD_STAGED || ir_held_by_column(how)) &&
         ir_arg_column_own(t, a) && ir_rows_alike(&t->maps[a->each - 1]) &&
         !a->vector && !overlaps[root] &&
         !(t->dats[root].flags & IR_DAT_PINNED);
}

/* Bytes of a component that each element has for itself, 1 for none; 0: there
 * is no code for several. */
static size_t
arg_width(const struct ir_trace *t, const struct ir_region *g,
          const struct ir_arg *a, const bool *overlaps) {
  size_t number = ir_arg_info[a->kind].number.size;
  if (a->kind == IR_ARG_INFO || a->kind == IR_ARG_LENGTH) return 0;
  if (ir_arg_any_length(t, a)) return 0;
  if (number) return a->each ? 0 : number;
  ir_ref v = ir_operand(t, a);
  enum ir_hold how = v == IR_NONE ? IR_HOLD_NONE : hold_in(t, g, v);
  bool far = a->each && !a->own && ir_arg_writes(a);
  if (v == IR_NONE && a->kind != IR_ARG_DAT) return 1;
  if (how == IR_HOLD_STAGED && !a->each) return 0; /* at no step of a row */
  if (far && (v == IR_NONE || !arg_of_columns(t, a, how, overlaps))) return 0;
  if (!far && v != IR_NONE && !arg_of_element(t, a, how, overlaps)) return 0;
  if (a->kind != IR_ARG_DAT && !ir_arg_writes(a)) return 1;
  const struct ir_dat *d = &t->dats[a->dat];
  bool fits = d->type.kind != TYPE_BYTES && d->dim <= IR_WIDTH_COMPONENTS;
  return fits ? d->type.size : 0;
}

/* Does the call write another element of the same storage, too? Then the last
 * one wins where both are one. */
static bool
arg_written_twice(const struct ir_trace *t, const struct ir_node *n,
                  const struct ir_arg *a) {
  if (!a->each || a->own || a->kind != IR_ARG_DAT || !ir_arg_writes(a))
    return false;
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *b = &ir_args(t, n)[k];
    if (ir_arg_on(t, b, ir_root(t, a->dat)) && ir_arg_writes(b) &&
        (b->map != a->map || b->entry != a->entry))
      return true;
  }
  return false;
}

size_t
ir_widest_component(const struct ir_trace *t, ir_ref region,
                    const bool *overlaps) {
  assert(region < t->nregions);
  const struct ir_region *g = &t->regions[region];
  size_t widest = 1;
  if (g->walk == IR_WALK_NONE || g->walk == IR_WALK_SERIAL) return 0;
  for (ir_ref n = g->first; n < g->first + g->count; n++)
    if (target_is_device(t->nodes[n].target) ||
        t->kernels[t->nodes[n].kernel].flags & IR_KERNEL_OPAQUE)
      return 0;
  IR_EACH_ARG(t, g, n, a) {
    size_t bytes = arg_width(t, g, a, overlaps);
    if (!bytes || arg_written_twice(t, &t->nodes[n], a)) return 0;
    if (bytes > widest) widest = bytes;
  }
  return widest;
}

uint64_t
ir_arg_spelt(const struct ir_trace *t, const struct ir_arg *a) {
  if (!ir_arg_has_value(a)) return 1;
  uint32_t dim = t->dats[a->dat].dim;
  return ir_arg_count(a) *
         (uint64_t)(dim > IR_WIDTH_COMPONENTS ? IR_SPELT_LOOP : dim);
}

/* ---- sums over ranks ----------------------------------------------------- */

static uint8_t
arg_sum_use(const struct ir_trace *t, const struct ir_node *n,
            const struct ir_arg *a) {
  if (a->access == ACC_WORK || n->op == IR_FREE) return ACC_WORK;
  if (a->kind != IR_ARG_GBL || !ir_combines(a->access) ||
      n->region == IR_NONE || !(t->sets[n->set].flags & IR_SET_PARTS) ||
      ir_arg_has_payload(t, n, a))
    return ACC_READ;
  enum ir_hold how = hold_in(t, &t->regions[n->region], ir_operand(t, a));
  return how == IR_HOLD_SUM || how == IR_HOLD_RUNNING ? a->access : ACC_READ;
}

uint8_t
ir_sum_use(const struct ir_trace *t, ir_ref first, ir_ref end, ir_ref root) {
  uint8_t use = ACC_WORK;
  for (ir_ref n = first; n < end; n++)
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
      const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
      if (!ir_arg_on(t, a, root)) continue;
      uint8_t as = arg_sum_use(t, &t->nodes[n], a);
      if (as != ACC_WORK) use = use == ACC_WORK || use == as ? as : ACC_READ;
    }
  return use;
}

uint8_t
ir_sum_access(const struct ir_trace *t, ir_ref n, const struct ir_arg *a) {
  bool begins = t->nodes[n].op == IR_BEGIN;
  for (uint32_t k = 0; k < t->nargs; k++) {
    const struct ir_arg *x = &t->args[k];
    if (x->kind == IR_ARG_GBL && ir_combines(x->access) &&
        (begins ? x->in : x->out) == a->in)
      return x->access;
  }
  return ACC_READ;
}

ir_ref
ir_dropped(const struct ir_trace *t, ir_ref n) {
  const struct ir_arg *args = ir_args(t, &t->nodes[n]);
  switch (t->nodes[n].op) {
  case IR_SET: return ir_root(t, args[1].dat);
  case IR_FREE: return ir_root(t, args[0].dat);
  default: return IR_NONE;
  }
}
