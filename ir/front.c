/* Fronts: what must hold so that regions may run piece by piece, one close
 * behind the other, instead of each over all of its elements.
 *
 * Problem   Loops over cells and edges of a mesh can't be in one region, and
 *           not in tiles (ir/chain.c) either: how far away a neighbour is, in
 *           numbers, tables alone say.
 *
 * Idea      A front is a chain of pieces. How far each region may go behind
 *           those before it depends on the entries of maps, so the runtime
 *           finds it (rt/walk/front_plan.c): no element runs before one of an
 *           earlier region with which it shares memory that one of them
 *           writes. What is left to say here is which regions are of such
 *           elements alone, and that nobody misses what only ends of loops
 *           bring: sums over all elements.
 *
 * Example   region over %edges walk parts chain #0 {
 *             %res.1 = loop @res ... (read %q.0 via %pecell[0:2],
 *                                     inc %res.0 via %pecell[0:2])
 *           }
 *           region over %cells walk range chain #0 {
 *             %q.1, %res.2, %rms.1 = loop @update ... (..., inc %rms.0)
 *           }
 *           %rms.2 = set read %zero, write %rms
 *           chain #0 : pieces 4096
 *
 *           update of the first cells runs when their edges have. The set may
 *           stand between regions: it waits until all have run, as the sum
 *           does. A third region that read %rms.1 could not be in the front.
 *
 * Ranks     Values of others come in between, so a front has what is deep
 *           enough inside a rank's part, and the rest runs where the regions
 *           stand (rt/walk/front_layers.c). From which depth on (`deep`)
 *           follows from how many entries lie between what two regions touch:
 *           region r touches targets of depth deep - far and more in the
 *           front, far 1 through maps, 0 at its own elements, and targets of
 *           depth deep - 1 + far and less behind it. A later one that meets it
 *           in memory that one of them writes has to stay above the latter. An
 *           exchange to `own via` takes what is of depth own, or via + 1, at
 *           most, when it is its turn. So regions that make and read in turn
 *           through maps lose a layer each:
 *
 *             region over %cells ... chain #0 deep 2      writes adt
 *             exchange %adt.1 to 0 via 1
 *             region over %edges ... chain #0 deep 3      reads adt, adds to
 *                                                         res, through maps
 *             region over %cells ... chain #0 deep 4      reads res
 *
 * Limits    loops over rows; maps by rule, which have tiles; regions whose
 *           order is settled: by colours, or serial. Every map counts as one
 *           that leads across layers, and increments of two regions as if
 *           their order showed, which it does in the last bits. */
#include "ir/front.h"
#include "ir/inner.h"
#include "ir/walk.h"

#include "base/target.h"

#include <assert.h>

/* Payloads go by the order of elements. A thread's come in theirs, those of the
 * gap behind it at last, and threads are joined in order, too; but elements
 * that meet have one thread where there is a payload. */
static bool
may_arg(const struct ir_trace *t, enum ir_walk walk, const struct ir_arg *a) {
  if (a->kind == IR_ARG_INFO) return walk == IR_WALK_RANGE;
  if (a->each) return false;
  if (a->map != IR_NONE && t->maps[a->map].rule) return false;
  return !ir_arg_writes(a) || ir_arg_on_dat(t, a) || ir_combines(a->access);
}

/* Over ranks elements claim extremes with payloads one by one; maps lead from a
 * layer to the next one where both sets lie by depth, or neither. */
static bool
may_parts(const struct ir_trace *t, const struct ir_region *g) {
  if (g->walk == IR_WALK_IN_ORDER) return false;
  IR_EACH_ARG(t, g, n, a) {
    if (a->kind == IR_ARG_INFO) return false;
    if (!ir_arg_on_dat(t, a) || a->map == IR_NONE) continue;
    const struct ir_map *m = &t->maps[a->map];
    if (t->sets[m->from].deepest != t->sets[m->to].deepest) return false;
  }
  return true;
}

static bool
may_loop(const struct ir_trace *t, enum ir_walk walk, const struct ir_node *n) {
  if (n->op != IR_LOOP || ir_deferred(n) || n->each) return false;
  if (n->flags & IR_NODE_SERIAL || ir_has_effects(t, n)) return false;
  for (uint32_t k = 0; k < n->nargs; k++)
    if (!may_arg(t, walk, &ir_args(t, n)[k])) return false;
  return true;
}

bool
ir_may_front(const struct ir_trace *t, ir_ref region) {
  const struct ir_region *g = &t->regions[region];
  if (g->walk != IR_WALK_RANGE && g->walk != IR_WALK_PARTS &&
      g->walk != IR_WALK_IN_ORDER)
    return false;
  if (target_is_device(t->nodes[g->first].target)) return false;
  bool parts = t->sets[g->set].flags & IR_SET_PARTS;
  if (ir_alone(t, region) || (g->core_first && !g->chain)) return false;
  if (parts && !may_parts(t, g)) return false;
  for (ir_ref n = g->first; n < g->first + g->count; n++)
    if (!may_loop(t, g->walk, &t->nodes[n])) return false;
  return true;
}

bool
ir_may_wait(const struct ir_node *n) {
  return ir_deferred(n) || n->op == IR_SET || n->op == IR_ALIAS ||
         n->op == IR_FREE || n->op == IR_EXCHANGE || n->op == IR_BEGIN ||
         n->op == IR_REDUCE;
}

/* ---- depths over ranks --------------------------------------------------- */

/* By buffer: the largest depth at which somebody read, or wrote, behind the
 * front; 0: nobody did, but for what others own. */
struct ir_depths {
  uint32_t *read, *written;
};

static ir_ref
memory_of(const struct ir_trace *t, const struct ir_arg *a, bool out) {
  ir_ref v = out ? a->out : a->in;
  return v == IR_NONE ? IR_NONE : ir_buffer_of(t, v);
}

/* Depth that argument a, of a region that comes next, asks for. */
static uint32_t
depth_asked(const struct ir_depths *x, const struct ir_trace *t,
            const struct ir_arg *a) {
  ir_ref in = memory_of(t, a, false), out = memory_of(t, a, true);
  uint32_t far = a->map != IR_NONE, most = 0;
  if (in != IR_NONE) most = x->written[in];
  if (out != IR_NONE && x->written[out] > most) most = x->written[out];
  if (out != IR_NONE && x->read[out] > most) most = x->read[out];
  return most + far + 1;
}

static void
depth_note(const struct ir_depths *x, const struct ir_trace *t,
           const struct ir_arg *a, uint32_t depth) {
  ir_ref in = memory_of(t, a, false), out = memory_of(t, a, true);
  if (in != IR_NONE && x->read[in] < depth) x->read[in] = depth;
  if (out != IR_NONE && x->written[out] < depth) x->written[out] = depth;
}

static void
exchanges_note(const struct ir_depths *x, const struct ir_trace *t, ir_ref from,
               ir_ref to) {
  for (ir_ref n = from; n < to; n++)
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
      const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
      if (t->nodes[n].op != IR_EXCHANGE) break;
      int depth =
          a->reach.via + 1 > a->reach.own ? a->reach.via + 1 : a->reach.own;
      if (depth > 0) depth_note(x, t, a, (uint32_t)depth);
    }
}

/* The least depth; the region runs from there on, or has one of its own. */
static uint32_t
region_deep(const struct ir_depths *x, const struct ir_trace *t,
            const struct ir_region *g) {
  uint32_t deep = 1;
  IR_EACH_ARG(t, g, n, a) {
    if (!ir_arg_on_dat(t, a)) continue;
    uint32_t asked = depth_asked(x, t, a);
    if (asked > deep) deep = asked;
  }
  uint32_t run = g->deep > deep ? g->deep : deep;
  IR_EACH_ARG(t, g, n, a) {
    if (ir_arg_on_dat(t, a)) depth_note(x, t, a, run - 1 + (a->map != IR_NONE));
  }
  return deep;
}

void
ir_front_depths(const struct ir_trace *t, ir_ref first, uint32_t count,
                uint32_t *deep) {
  SCOPED uint32_t *most = mem_alloc(2 * (size_t)t->nbuffers + 1, sizeof *most);
  struct ir_depths x = {most, most + t->nbuffers};
  assert(first + count <= t->nregions);
  for (uint32_t k = 0; k < count; k++) {
    const struct ir_region *g = &t->regions[first + k];
    bool parts = t->sets[g->set].flags & IR_SET_PARTS;
    if (k) exchanges_note(&x, t, g[-1].first + g[-1].count, g->first);
    deep[k] = region_deep(&x, t, g);
    if (!parts) deep[k] = 0;
  }
}

/* Over ranks: does anybody before `end` use the sum that node def has added to,
 * so that ranks have joined it by then? */
static bool
is_joined(const struct ir_trace *t, ir_ref def, ir_ref sum, ir_ref end) {
  const struct ir_node *d = &t->nodes[def];
  bool part = false;
  if (d->op != IR_LOOP || !(t->sets[d->set].flags & IR_SET_PARTS)) return true;
  for (uint32_t k = 0; k < d->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, d)[k];
    part |= a->out != IR_NONE && ir_same(t, a->out) == sum &&
            ir_combines(a->access);
  }
  for (ir_ref n = def + 1; part && n < end; n++)
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
      const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
      if (a->in != IR_NONE && ir_same(t, a->in) == sum &&
          !ir_combines(a->access))
        part = false;
    }
  return !part;
}

/* Globals that somebody looks at are as they were before the front, and whole
 * before its first region, which ends at node `end`. */
static bool
check_globals(const struct ir_trace *t, const struct ir_region *g, ir_ref begin,
              ir_ref end, struct str *why) {
  IR_EACH_ARG(t, g, n, a) {
    if (a->kind != IR_ARG_GBL || ir_arg_writes(a)) continue;
    ir_ref sum = ir_same(t, a->in), def = t->values[sum].def;
    if (def == IR_NONE || (def < begin && is_joined(t, def, sum, end)))
      continue;
    ir_print_value(t, a->in, why);
    str_add(why, " is read where it is not whole yet");
    return false;
  }
  return true;
}

bool
ir_front_goes_on(const struct ir_trace *t, ir_ref first, ir_ref r,
                 struct str *why) {
  const struct ir_region *g = &t->regions[r];
  assert(first <= r && r < t->nregions);
  ir_ref end = r > first ? g[-1].first + g[-1].count : g->first;
  for (ir_ref n = end; n < g->first; n++)
    if (!ir_may_wait(&t->nodes[n])) {
      str_printf(why, "node %u cannot wait until all regions have run", n);
      return false;
    }
  const struct ir_region *f = &t->regions[first];
  if (ir_may_front(t, r))
    return check_globals(t, g, f->first, f->first + f->count, why);
  str_printf(why, "region %u cannot run in pieces", r);
  return false;
}

bool
ir_front_holds(const struct ir_trace *t, ir_ref first, uint32_t count,
               struct str *why) {
  assert(count && first + count <= t->nregions);
  SCOPED uint32_t *deep = mem_alloc(count, sizeof *deep);
  for (ir_ref r = first; r < first + count; r++)
    if (!ir_front_goes_on(t, first, r, why)) return false;
  ir_front_depths(t, first, count, deep);
  for (uint32_t k = 0; k < count; k++) {
    uint32_t own = t->regions[first + k].deep;
    uint32_t most = t->sets[t->regions[first + k].set].deepest;
    if (own >= deep[k] && own <= most && (own > 0) == (deep[k] > 0)) continue;
    str_printf(why, "region %u runs from depth %u on, expected %u to %u",
               first + k, own, deep[k], most);
    return false;
  }
  return true;
}
