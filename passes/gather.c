/* Gather: increments and extremes through a map are computed where they land.
 *
 * Problem   A loop over edges that adds to both cells of an edge meets with its
 *           neighbours in memory: parts, colours or atomic operations keep them
 *           apart, each increment is a read and a write of memory, and no loop
 *           over cells can join it, as sums are whole only when all edges are
 *           done.
 *
 * Idea      Run it over the targets. The rows of the inverse map list, for each
 *           cell, the edges that name it; the kernel runs for each of these,
 *           reads what the edge would have read (via %e), and of what it adds
 *           only the part that belongs to this cell is taken (own). Elements no
 *           longer meet, sums are in the order of the program's edges for any
 *           threads and numbering, and pass fuse sees a loop over cells.
 *
 * Example   %res.1 = loop @flux over %edges (
 *               read %w.0, read %q.0 via %pecell[0],
 *               inc %res.0 via %pecell[0], inc %res.0 via %pecell[1])
 *           becomes
 *           relation %pecell_rows : %cells -> %edges inverse %pecell
 *           %res.1 = loop @flux over %cells for %e in %pecell_rows (
 *               read %w.0 via %e, read %q.0 via %e %pecell[0],
 *               inc %res.0 own via %e %pecell[0],
 *               inc %res.0 own via %e %pecell[1])
 *
 *           A map of one entry leads from its rows back to the cell: what goes
 *           through it is the cell's own (read %q.0, inc %res.0). Not extremes:
 *           of two zeros the one that is there first would stay.
 *
 * Cost      O(arguments). The kernel runs once for each entry that it adds
 *           through, not once for each element; rows are built once for each
 *           map (rt_relation_inverse).
 *
 * Source    owner computes: Rogers and Pingali, Process decomposition through
 *           locality of reference, 1989; edge loops of finite-volume codes as
 *           loops over points: Loehner, Applied CFD Techniques, 2008.
 *
 * Measured  where it would have to pay it does not yet, so that it is taken on
 *           request only (`always`). Airfoil's res_calc, bres_calc and update
 *           in one region, 2 880 000 cells on an H100: 541 us for 394 apart,
 *           with sums by atomic operations; shallow water's edges 190 for 185.
 *           On the host, 240 000 cells and one thread, a step takes 2.0 times
 *           as long: the kernel runs twice for each edge, and arithmetic binds
 *           both forms (bench/limit). Reading the
 *           cell's own values once, and its neighbour's alone from memory, made
 *           507 us of 541 on Airfoil, 206 of 190 on shallow water, 29.1 ms of
 *           31 on the host (a Zen 5): not kept. On the host finding rows,
 *           edges and neighbours lane by lane is what takes the time.
 *
 * Ahead     By hand, Euler's gradients, extremes and limiter of a stage in one
 *           loop over 100 000 nodes that goes over its row twice (sums stay in
 *           registers; of the neighbour w is read, then x alone): 8 ms on one
 *           thread of that machine, where the loops over edges and nodes take
 *           16. That is with a padded table, entry j of 8 rows side by side
 *           (edge, neighbour, which end this one is), edges asked for 12 steps
 *           ahead; 9.6 without asking, 21 with rows as they are here. So first
 *           such a table as a relation kind, and a fact of kernels: on which
 *           arguments depends what goes to which end? Then loops join that read
 *           no more than themselves and their neighbours' inputs. (As it is,
 *           `always` takes Euler's step from 150 ms to 500, one thread.)
 *
 * Limits    all increments and extremes go through one map whose rows name
 *           nobody twice; the loop writes nothing else, has no sums over
 *           elements and is shown no numbers; sets that lie over ranks keep
 *           their loops, and no loop goes over spaced ones (number.c). */
#include "ir/inner.h"
#include "passes/pass.h"

#include <assert.h>

/* ---- may it be? ---------------------------------------------------------- */

/* Why argument a keeps the loop from it; NULL: it does not. *map: the one that
 * increments and extremes go through, IR_NONE before the first. */
static const char *
combined_why_not(const struct ir_trace *t, const struct ir_arg *a,
                 const bool *overlaps, ir_ref *map) {
  const struct ir_map *m = &t->maps[a->map];
  if (*map != IR_NONE && *map != a->map)
    return "it combines through several maps";
  *map = a->map;
  if (m->rows) return "it combines through no map of the program";
  if (t->sets[m->to].flags & IR_SET_SPACED)
    return "it combines with points whose lines lie apart";
  if (m->flags & IR_MAP_REPEATS) return "rows of its map name an element twice";
  if (overlaps[ir_root(t, a->dat)])
    return "several dats share the memory that it combines with";
  return NULL;
}

static const char *
arg_why_not(const struct ir_trace *t, const struct ir_arg *a,
            const bool *overlaps, ir_ref *map) {
  bool reads = a->access == ACC_READ;
  if (ir_arg_any_length(t, a)) return "it goes through rows of any length";
  switch (a->kind) {
  case IR_ARG_OFF: return NULL;
  case IR_ARG_PARAM:
  case IR_ARG_GBL:
    return reads ? NULL : "it writes more than what it combines through a map";
  case IR_ARG_DAT: break;
  default: return "it is shown numbers of elements";
  }
  if (reads) return NULL;
  if (!ir_combines(a->access) || a->map == IR_NONE)
    return "it writes more than what it combines through a map";
  return combined_why_not(t, a, overlaps, map);
}

static const char *
why_not(const struct ir_trace *t, const struct ir_node *n, const bool *overlaps,
        ir_ref *map) {
  uint32_t flags = t->kernels[n->kernel].flags;
  *map = IR_NONE;
  if (flags & (IR_KERNEL_OPAQUE | IR_KERNEL_EFFECTS))
    return "its kernel proves too little";
  if (n->flags & IR_NODE_SERIAL) return "it runs in element order";
  if (t->sets[n->set].flags & IR_SET_PARTS) return "its set lies over ranks";
  for (uint32_t k = 0; k < n->nargs; k++) {
    const char *why = arg_why_not(t, &ir_args(t, n)[k], overlaps, map);
    if (why) return why;
  }
  return NULL;
}

static bool
adds_through_map(const struct ir_trace *t, const struct ir_node *n) {
  if (n->op != IR_LOOP || ir_deferred(n) || n->each) return false;
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, n)[k];
    if (a->kind == IR_ARG_DAT && ir_combines(a->access) && !ir_arg_direct(a))
      return true;
  }
  return false;
}

/* ---- the loop over targets ----------------------------------------------- */

/* The rows of the inverse of a map, declared at need. */
static ir_ref
rows_of(struct ir_trace *t, ir_ref map) {
  for (ir_ref k = 0; k < t->nmaps; k++)
    if (t->maps[k].rows == IR_ROWS_INVERSE && t->maps[k].of[0] == map) return k;
  struct ir_map rows = {
      .name = arena_printf(&t->arena, "%s_rows", t->maps[map].name),
      .from = t->maps[map].to,
      .to = t->maps[map].from,
      .rows = IR_ROWS_INVERSE,
      .of = {map},
      .tag = t->maps[map].tag};
  return ir_add_map(t, rows);
}

static void
gather_node(struct ir_trace *t, ir_ref i, ir_ref map) {
  ir_ref rows = rows_of(t, map);
  struct ir_node *n = &t->nodes[i];
  assert(n->set == t->maps[map].from);
  n->set = t->maps[map].to;
  n->each = rows + 1;
  for (uint32_t k = 0; k < n->nargs; k++) {
    struct ir_arg *a = &ir_args(t, n)[k];
    if (a->kind != IR_ARG_DAT) continue;
    bool plain = a->access == ACC_READ || a->access == ACC_INC;
    bool back = a->map == map && t->maps[map].arity == 1 && plain;
    if (back && !a->vector) { /* T ** is of entries */
      a->map = IR_NONE;
      continue;
    }
    a->each = n->each;
    a->own = a->access != ACC_READ;
  }
}

bool
pass_gather(struct ir_trace *t, const struct pass_ctx *c) {
  bool always = pass_arg(c, "always", 0), changed = false;
  for (ir_ref n = 0; n < t->nnodes && always; n++) {
    ir_ref map;
    if (!adds_through_map(t, &t->nodes[n])) continue;
    const char *why = why_not(t, &t->nodes[n], c->overlaps, &map);
    if (why)
      ir_remark(t, "gather: %s stays as it is: %s", pass_node_text(t, n), why);
    if (why) continue;
    gather_node(t, n, map);
    ir_remark(
        t, "gather: %s runs over %%%s, whose rows of %%%s it goes through",
        pass_node_text(t, n), t->sets[t->nodes[n].set].name, t->maps[map].name);
    changed = true;
  }
  return changed;
}
