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
 * Limits    loops over rows; maps by rule, which have tiles; ranks; regions
 *           whose order is settled: by colours, or serial. */
#include "ir/front.h"
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
  bool adds =
      a->access == ACC_INC || a->access == ACC_MIN || a->access == ACC_MAX;
  return !ir_arg_writes(a) || ir_arg_on_dat(t, a) || adds;
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
  if (ir_alone(t, region) || g->core_first) return false;
  if (t->sets[g->set].flags & IR_SET_PARTS) return false;
  for (ir_ref n = g->first; n < g->first + g->count; n++)
    if (!may_loop(t, g->walk, &t->nodes[n])) return false;
  return true;
}

bool
ir_may_wait(const struct ir_node *n) {
  return ir_deferred(n) || n->op == IR_SET || n->op == IR_ALIAS ||
         n->op == IR_FREE;
}

/* Globals that somebody looks at are as they were before the front. */
static bool
check_globals(const struct ir_trace *t, const struct ir_region *g, ir_ref begin,
              struct str *why) {
  IR_EACH_ARG(t, g, n, a) {
    if (a->kind != IR_ARG_GBL || ir_arg_writes(a)) continue;
    ir_ref def = t->values[ir_same(t, a->in)].def;
    if (def == IR_NONE || def < begin) continue;
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
  if (ir_may_front(t, r))
    return check_globals(t, g, t->regions[first].first, why);
  str_printf(why, "region %u cannot run in pieces", r);
  return false;
}

bool
ir_front_holds(const struct ir_trace *t, ir_ref first, uint32_t count,
               struct str *why) {
  assert(count && first + count <= t->nregions);
  for (ir_ref r = first; r < first + count; r++)
    if (!ir_front_goes_on(t, first, r, why)) return false;
  return true;
}
