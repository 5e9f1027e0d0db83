/* What may stay in a register while elements that follow each other add to it.
 *
 * Problem   Edges are mostly numbered by one of their ends, so that many in a
 *           row add to the same node. Each of them reads what the one before
 *           has just written to memory, and that is what all wait for.
 *
 * Idea      One entry of the map is chosen, the one with the longest runs. What
 *           goes through it is loaded when the target changes, and stored when
 *           that changes again. Meanwhile nobody else may reach the target: all
 *           that the region does to the dat's memory is to add to it through
 *           entries of this one map, whose rows name nobody twice, so that the
 *           other entries of an element are not the target at hand. What is
 *           added to each target and in which order stays as it was, and so do
 *           all bits.
 *
 *           What is read through that entry is the same, too, until the target
 *           changes, if the region writes nothing there (kept): loaded once for
 *           a run, where elements are worked on one by one. Lanes of vectors
 *           would have to be put together all the same.
 *
 * Example   map %ends : %edges -> %nodes x2 run=6
 *           region over %edges walk range width 4 {
 *             %f.1 = loop @exchange (read %u.0 via %ends[0], ...,
 *                 inc %f.0 via %ends[0], inc %f.0 via %ends[1])
 *             hold kept %u.0
 *             hold run %f.1                       entry 0 is held, 1 is not
 *           }
 *
 * Cost      O(arguments of the region).
 *
 * Limits    only code in blocks does it; what one element at a time adds goes
 *           to memory. Not for loops over rows, code by stretches, maps of more
 *           than 64 entries, and where an element adds more than IR_RUN_MOST
 *           components to the dat. */
#include "ir/hold.h"
#include "ir/inner.h"
#include "ir/walk.h"

#include <assert.h>

static ir_ref
root_made(const struct ir_trace *t, ir_ref v) {
  assert(v < t->nvalues && t->values[v].dat < t->ndats);
  return ir_root(t, t->values[v].dat);
}

/* Does the argument only add through a map that may have runs? */
static bool
adds(const struct ir_trace *t, const struct ir_arg *a) {
  if (a->kind != IR_ARG_DAT || !ir_combines(a->access)) return false;
  if (ir_arg_direct(a) || a->each || ir_arg_any_length(t, a)) return false;
  const struct ir_map *m = &t->maps[a->map];
  return m->run && m->arity <= 64 && !(m->flags & IR_MAP_REPEATS);
}

/* Entries that the argument names, as bits. */
static uint64_t
entries_of(const struct ir_arg *a) {
  uint64_t all = ir_arg_count(a) < 64 ? (1ULL << ir_arg_count(a)) - 1 : ~0ULL;
  assert(a->entry < 64);
  return all << a->entry;
}

/* What region g adds to the root; no length: it does more. */
static struct ir_run
run_of(const struct ir_trace *t, const struct ir_region *g, ir_ref root) {
  struct ir_run run = {0};
  ir_ref map = IR_NONE;
  uint64_t entries = 0;
  IR_EACH_ARG(t, g, n, a) {
    if (!ir_arg_on(t, a, root)) continue;
    if (!adds(t, a) || (map != IR_NONE && map != a->map))
      return (struct ir_run){0};
    map = a->map;
    entries |= entries_of(a);
  }
  for (uint64_t left = entries; left; left &= left - 1)
    run.components += t->dats[root].dim;
  bool held = map != IR_NONE && entries >> t->maps[map].run_entry & 1;
  run.length = held ? t->maps[map].run : 0;
  return run;
}

struct ir_run
ir_may_run(const struct ir_trace *t, ir_ref region, ir_ref v) {
  assert(region < t->nregions);
  const struct ir_region *g = &t->regions[region];
  ir_ref root = root_made(t, v);
  struct ir_run none = {0};
  if (target_is_device(t->nodes[g->first].target) || g->width < 2 ||
      g->stretches || ir_goes_by_rows(t, g))
    return none;
  struct ir_run run = run_of(t, g, root);
  return run.components <= IR_RUN_MOST ? run : none;
}

/* Does the region add along the runs of this map? */
static bool
adds_in_runs(const struct ir_trace *t, const struct ir_region *g, ir_ref map) {
  IR_EACH_ARG(t, g, n, a) {
    if (a->kind != IR_ARG_DAT || !ir_arg_writes(a) || a->map != map) continue;
    for (uint32_t k = g->hold0; k < g->hold0 + g->nholds; k++)
      if (t->holds[k].value == a->out && t->holds[k].how == IR_HOLD_RUN)
        return true;
  }
  return false;
}

bool
ir_may_keep(const struct ir_trace *t, ir_ref region, ir_ref v) {
  assert(region < t->nregions);
  const struct ir_region *g = &t->regions[region];
  ir_ref root = root_made(t, v);
  bool held = false;
  if (t->dats[root].dim > IR_RUN_MOST) return false;
  IR_EACH_ARG(t, g, n, a) {
    if (!ir_arg_on(t, a, root) && ir_operand(t, a) != v) continue;
    if (a->kind != IR_ARG_DAT || ir_arg_writes(a) || a->each ||
        ir_arg_direct(a) || ir_arg_any_length(t, a) || a->entry >= 64 ||
        !adds_in_runs(t, g, a->map))
      return false;
    held |= entries_of(a) >> t->maps[a->map].run_entry & 1;
  }
  return held;
}

bool
ir_keeps_reads(const struct ir_trace *t, const struct ir_region *g) {
  for (uint32_t k = g->hold0; k < g->hold0 + g->nholds; k++)
    if (t->holds[k].how == IR_HOLD_KEPT) return true;
  return false;
}
