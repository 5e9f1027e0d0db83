/* Extent: how far around its own elements each loop must run.
 *
 * Problem   A part of the mesh (a rank's, a tile's, a thread's) that works
 *           alone on a chain of loops needs more than its own elements: a loop
 *           that increments through a map must also run for strangers that hit
 *           its targets, the values those read must be there, and so must what
 *           these were computed from. How far, for each loop and each input,
 *           depends on the whole chain behind it.
 *
 * Idea      Levels. L_0 of each set is what the part owns. With "names" for
 *           "has in its row of some map":
 *
 *             L_{2j+1}[S] = L_{2j}[S]   and all of S that name one of L_{2j}[*]
 *             L_{2j+2}[S] = L_{2j+1}[S] and all of S that one of L_{2j+1}[*]
 *             names
 *
 *           They are nested, so that "valid on" is one number and a loop's
 *           range a prefix if elements are stored by level. OP2's exec halo is
 *           L_1 without L_0, its nonexec halo L_2 without L_1.
 *
 *           A loop that runs over L_h uses what it reads directly on L_h, and
 *           through maps on all that L_h names: a subset of L_{(h|1)+1}. What
 *           it writes directly it makes on L_h; increments are complete on L_v
 *           if it ran over L_{(v+1)|1}. So, from the last node to the first: a
 *           node runs as far as the needs of its results ask, and its operands
 *           are needed as far as it runs. Loops of one region run as one.
 *
 *           A column lies with its element of the base: what stays in it, in
 *           scans, is there on L_0 for L_0, and made there; farther out it
 *           comes from its owners.
 *
 *           On boxes rules say where entries lie, and intervals do instead of
 *           levels: another algebra (extent_by.h) in the same walk.
 *
 *           Going on like that costs redundant work; past `limit` a version is
 *           asked for on L_0 only, and its halo comes from those who own it.
 *
 * Example   %adt.1 = loop @adt_calc over %cells (read %x.0 via %pcell[0], ...
 *               read %q.0, write %adt)
 *           %res.1 = loop @res_calc over %edges (read %x.0 via %pedge[0], ...
 *               read %q.0 via %pecell[0], read %adt.1 via %pecell[0], ...
 *               inc %res.0 via %pecell[0], ...)
 *           live %res.1
 *
 *           res_calc runs over 1, as strangers' edges hit own cells; it needs
 *           q and adt on what those name. adt_calc therefore runs over 2, or,
 *           with limit 1, over 0, and %adt.1 is exchanged. Version 0 of q is
 *           needed own 2, via 1; of x via 2; of res own 0.
 *
 * Cost      O(arguments).
 *
 * Source    overlap regions of communication-avoiding stencils (Demmel,
 *           Hoemmen, Mohiyuddin, Yelick 2008, section 2) and OP2's
 *           multi-layered halos (Ekanayake, Reguly, Luporini, Mudalige 2023),
 *           on versions here.
 *
 * Limits    levels count maps, not distances: each map counts as one that any
 *           loop may use, which makes levels larger than a chain that uses few
 *           needs. Reductions count elements of L_0 only, wherever their loop
 *           runs. Kernels with side effects, and those that are shown numbers
 *           of this rank, run over L_0 only, if they can.
 */
#include "ir/area.h"
#include "ir/extent_by.h"

#include <assert.h>
#include <stdlib.h>

/* ---- one unit: a region, or a node outside of regions ------------------- */

struct unit {
  ir_ref first, end;
  int limit;
};

static struct ir_area
result_area(struct ir_extent_walk *w, const struct ir_node *n,
            const struct ir_arg *a) {
  ir_ref v = ir_same(w->t, a->out);
  bool rest = false;
  struct ir_area run = w->by->make(w, n, a, w->need[v], &rest);
  w->exchange[v] |= rest;
  return run;
}

/* How far the unit runs. */
static struct ir_area
unit_area(struct ir_extent_walk *w, const struct unit *u) {
  const struct ir_trace *t = w->t;
  struct ir_area sum = w->by->none;
  assert(u->first < u->end && u->end <= t->nnodes);
  w->limit = u->limit;
  for (ir_ref n = u->first; n < u->end; n++)
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
      const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
      if (ir_arg_on_dat(t, a) && a->out != IR_NONE)
        sum = ir_area_join(sum, result_area(w, &t->nodes[n], a));
    }
  return ir_area_same(&sum, &w->by->none) ? w->by->least : sum;
}

static void
operand_need(struct ir_extent_walk *w, const struct ir_arg *a,
             struct ir_area run) {
  const struct ir_trace *t = w->t;
  struct ir_area shows = w->by->none;
  if (!ir_arg_on_dat(t, a) || a->in == IR_NONE) return;
  if (a->out != IR_NONE) shows = w->need[ir_same(t, a->out)];
  struct ir_area *need = &w->need[ir_same(t, a->in)];
  *need = ir_area_join(*need, w->by->operand(w, a, run, shows));
}

/* Again while results that the unit itself uses ask for more: one loop of a
 * region may add through a map to what the next adds to directly. */
static void
unit_extent(struct ir_extent_walk *w, const struct unit *u) {
  const struct ir_trace *t = w->t;
  struct ir_area run = unit_area(w, u), before;
  do {
    before = run;
    for (ir_ref n = u->end; n-- > u->first;) {
      w->exec[n] = run;
      for (uint32_t k = 0; k < t->nodes[n].nargs; k++)
        operand_need(w, &ir_args(t, &t->nodes[n])[k], run);
    }
    run = ir_area_join(before, unit_area(w, u));
  } while (!ir_area_same(&run, &before));
}

/* ---- all of them -------------------------------------------------------- */

/* A node that runs no code here. */
static void
look_extent(struct ir_extent_walk *w, const struct ir_node *n) {
  const struct ir_trace *t = w->t;
  if (n->op == IR_FREE || (!ir_reads_data(n) && !ir_deferred(n))) return;
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, n)[k];
    if (!ir_arg_on_dat(t, a) || a->in == IR_NONE) continue;
    struct ir_area *need = &w->need[ir_same(t, a->in)];
    *need = ir_area_join(*need, w->by->look(w, a));
  }
}

static struct unit
unit_ending(const struct ir_trace *t, ir_ref end, int limit) {
  assert(0 < end && end <= t->nnodes);
  ir_ref r = t->nodes[end - 1].region;
  struct unit u = {r == IR_NONE ? end - 1 : t->regions[r].first, end, limit};
  assert(r == IR_NONE || u.first + t->regions[r].count == end);
  for (ir_ref n = u.first; n < end; n++)
    if (ir_has_effects(t, &t->nodes[n]) ||
        ir_shows_own_numbers(t, &t->nodes[n]))
      u.limit = 0;
  return u;
}

static void
walk_begin(struct ir_extent_walk *w) {
  const struct ir_trace *t = w->t;
  w->exec = mem_alloc((size_t)t->nnodes + 1, sizeof *w->exec);
  w->need = mem_alloc((size_t)t->nvalues + 1, sizeof *w->need);
  w->exchange = mem_alloc((size_t)t->nvalues + 1, sizeof *w->exchange);
  for (ir_ref n = 0; n < t->nnodes; n++) w->exec[n] = w->by->none;
  for (ir_ref v = 0; v < t->nvalues; v++) w->need[v] = w->by->none;
}

void
ir_extent_run(struct ir_extent_walk *w, int limit) {
  const struct ir_trace *t = w->t;
  walk_begin(w);
  for (ir_ref n = t->nnodes; n > 0;) {
    struct unit u = unit_ending(t, n, limit);
    if (ir_runs(&t->nodes[n - 1]))
      unit_extent(w, &u);
    else
      look_extent(w, &t->nodes[n - 1]);
    n = u.first;
  }
  for (ir_ref v = 0; v < t->nvalues; v++) {
    w->need[v] = w->need[ir_same(t, v)];
    w->exchange[v] = w->exchange[ir_same(t, v)];
  }
}
