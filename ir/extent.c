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
 *           runs. Kernels with side effects run over L_0 only, if they can.
 */
#include "ir/extent.h"

#include <assert.h>
#include <stdlib.h>

static int
max(int a, int b) {
  return a > b ? a : b;
}

static void
need_more(struct ir_need *n, int own, int via) {
  n->own = max(n->own, own);
  n->via = max(n->via, via);
}

/* ---- one unit: a region, or a node outside of regions ------------------- */

struct unit {
  ir_ref first, end;
  int limit;
};

/* The level that holds all that rows of L_level name (forth), or all elements
 * whose rows name some of L_level. */
static int
level_over(const struct ir_trace *t, ir_ref relation, int level, bool forth) {
  const struct ir_map *m = &t->maps[relation];
  switch (m->rows) {
  case IR_ROWS_INVERSE: return level_over(t, m->of[0], level, !forth);
  case IR_ROWS_COMPOSED:
    level = level_over(t, m->of[!forth], level, forth);
    return level_over(t, m->of[forth], level, forth);
  default: return forth ? reach_named(level) : ir_level_naming(level);
  }
}

/* Level to run over so that argument a's result is valid on `level`. */
static int
level_to_make(const struct ir_trace *t, const struct ir_arg *a, int level) {
  return ir_arg_direct(a) ? level
                          : level_over(t, ir_arg_through(a), level, false);
}

/* Level to run over for the result of argument a; past the limit the rest of
 * what is needed is left to its owners. */
static int
result_level(struct ir_extent *x, const struct ir_trace *t,
             const struct ir_arg *a, int limit) {
  ir_ref v = ir_same(t, a->out);
  int level = level_to_make(t, a, ir_need_level(x->need[v]));
  if (level <= max(limit, level_to_make(t, a, 0))) return level;
  x->exchange[v] = true;
  return level_to_make(t, a, 0);
}

/* How far the unit runs. */
static int
unit_level(struct ir_extent *x, const struct ir_trace *t,
           const struct unit *u) {
  assert(u->first < u->end && u->end <= t->nnodes);
  int level = 0;
  for (ir_ref n = u->first; n < u->end; n++)
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
      const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
      if (ir_arg_on_dat(t, a) && a->out != IR_NONE)
        level = max(level, result_level(x, t, a, u->limit));
    }
  return level;
}

struct ir_need
ir_extent_operand(const struct ir_extent *x, const struct ir_trace *t,
                  const struct ir_arg *a, int level) {
  struct ir_need n = {-1, -1};
  assert(level >= 0);
  if (!ir_arg_on_dat(t, a) || a->in == IR_NONE) return n;
  bool reads = a->access == ACC_READ || a->access == ACC_RW;
  int at = a->each ? level_over(t, a->each - 1, level, true) : level;
  bool named = a->map != IR_NONE && !t->maps[a->map].rows;
  if (a->map != IR_NONE && !named) at = level_over(t, a->map, at, true);
  if (reads) need_more(&n, named ? -1 : at, named ? at : -1);
  if (a->out == IR_NONE) return n;
  ir_ref v = ir_same(t, a->out);
  need_more(&n, x->exchange[v] ? 0 : ir_need_level(x->need[v]), -1);
  return n;
}

static void
operand_need(struct ir_extent *x, const struct ir_trace *t,
             const struct ir_arg *a, int level) {
  struct ir_need n = ir_extent_operand(x, t, a, level);
  if (n.own >= 0 || n.via >= 0)
    need_more(&x->need[ir_same(t, a->in)], n.own, n.via);
}

/* Again while results that the unit itself uses ask for more: one loop of a
 * region may add through a map to what the next adds to directly. */
static void
unit_extent(struct ir_extent *x, const struct ir_trace *t,
            const struct unit *u) {
  int level = unit_level(x, t, u), before;
  do {
    before = level;
    for (ir_ref n = u->end; n-- > u->first;) {
      x->exec[n] = level;
      for (uint32_t k = 0; k < t->nodes[n].nargs; k++)
        operand_need(x, t, &ir_args(t, &t->nodes[n])[k], level);
    }
    level = unit_level(x, t, u);
  } while (level > before);
}

/* ---- all of them -------------------------------------------------------- */

/* A node that runs no code here: who looks at data wants its own elements. */
static void
look_extent(struct ir_extent *x, const struct ir_trace *t,
            const struct ir_node *n) {
  if (n->op == IR_FREE || (!ir_reads_data(n) && !ir_deferred(n))) return;
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, n)[k];
    if (ir_arg_on_dat(t, a) && a->in != IR_NONE)
      need_more(&x->need[ir_same(t, a->in)], 0, -1);
  }
}

static struct unit
unit_ending(const struct ir_trace *t, ir_ref end, int limit) {
  assert(0 < end && end <= t->nnodes);
  ir_ref r = t->nodes[end - 1].region;
  struct unit u = {r == IR_NONE ? end - 1 : t->regions[r].first, end, limit};
  assert(r == IR_NONE || u.first + t->regions[r].count == end);
  for (ir_ref n = u.first; n < end; n++)
    if (ir_has_effects(t, &t->nodes[n])) u.limit = 0;
  return u;
}

struct ir_extent
ir_extent_build(const struct ir_trace *t, int limit) {
  struct ir_extent x = {
      .exec = mem_alloc((size_t)t->nnodes + 1, sizeof *x.exec),
      .need = mem_alloc((size_t)t->nvalues + 1, sizeof *x.need),
      .exchange = mem_alloc((size_t)t->nvalues + 1, sizeof *x.exchange)};
  for (ir_ref v = 0; v < t->nvalues; v++) x.need[v] = (struct ir_need){-1, -1};
  for (ir_ref n = t->nnodes; n > 0;) {
    struct unit u = unit_ending(t, n, limit);
    x.exec[n - 1] = -1;
    if (ir_runs(&t->nodes[n - 1]))
      unit_extent(&x, t, &u);
    else
      look_extent(&x, t, &t->nodes[n - 1]);
    n = u.first;
  }
  for (ir_ref v = 0; v < t->nvalues; v++) {
    x.need[v] = x.need[ir_same(t, v)];
    x.exchange[v] = x.exchange[ir_same(t, v)];
  }
  return x;
}

void
ir_extent_free(struct ir_extent *x) {
  free(x->exec);
  free(x->need);
  free(x->exchange);
  *x = (struct ir_extent){0};
}

void
ir_extent_print(const struct ir_trace *t, const struct ir_extent *x,
                struct str *out) {
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const struct ir_node *node = &t->nodes[n];
    if (x->exec[n] < 0) continue;
    str_printf(out, "%s", ir_op_info[node->op].text);
    if (node->kernel != IR_NONE)
      str_printf(out, " @%s", t->kernels[node->kernel].name);
    str_printf(out, " runs over level %d\n", x->exec[n]);
  }
  for (ir_ref v = 0; v < t->nvalues; v++) {
    struct ir_need n = x->need[v];
    if (n.own < 0 && n.via < 0) continue;
    ir_print_value(t, v, out);
    if (n.own >= 0) str_printf(out, " own %d", n.own);
    if (n.via >= 0) str_printf(out, " via %d", n.via);
    str_add(out, x->exchange[v] ? ", exchanged\n" : "\n");
  }
}
