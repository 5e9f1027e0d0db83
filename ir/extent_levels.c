/* Extents in levels around a part of the mesh; extent.c has their meaning. */
#include "ir/extent.h"
#include "ir/extent_by.h"

#include <assert.h>
#include <stdlib.h>

enum { OWN = 0, VIA = 1 }; /* sides of an area */

static int
max(int a, int b) {
  return a > b ? a : b;
}

static struct ir_area
area_of(int own, int via) {
  return (struct ir_area){{own, via, -1, -1, -1, -1, -1, -1}};
}

static int
area_level(struct ir_area a) {
  return max(a.at[OWN], reach_named(a.at[VIA]));
}

/* ---- one argument -------------------------------------------------------- */

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

/* The level that has what rows of L_level list. */
static int
level_of_rows(const struct ir_trace *t, ir_ref rows, int level) {
  bool column = t->maps[rows].flags & IR_MAP_COLUMN;
  return column && !level ? 0 : level_over(t, rows, level, true);
}

/* Level to run over so that argument a's result is valid on `level`. */
static int
level_to_make(const struct ir_trace *t, const struct ir_arg *a, int level) {
  return ir_arg_direct(a) ? level
                          : level_over(t, ir_arg_through(a), level, false);
}

/* Past the limit the rest of what is needed is left to its owners. */
static struct ir_area
make(const struct ir_extent_walk *w, const struct ir_node *n,
     const struct ir_arg *a, struct ir_area need, bool *rest) {
  (void)n;
  bool column = ir_arg_in_column(w->t, a);
  int level = area_level(need), least = 0;
  if (!column) level = level_to_make(w->t, a, level);
  if (!column) least = level_to_make(w->t, a, 0);
  *rest = level > (column ? 0 : max(w->limit, least));
  return area_of(*rest ? least : level, -1);
}

static struct ir_area
operand(const struct ir_extent_walk *w, const struct ir_arg *a,
        struct ir_area run, struct ir_area shows) {
  const struct ir_trace *t = w->t;
  struct ir_area n = area_of(-1, -1);
  int level = run.at[OWN];
  assert(level >= 0);
  bool reads = a->access == ACC_READ || a->access == ACC_RW;
  int at = a->each ? level_of_rows(t, a->each - 1, level) : level;
  bool column = !level && ir_arg_in_column(t, a);
  bool named = a->map != IR_NONE && !t->maps[a->map].rows && !column;
  if (a->map != IR_NONE && !named && !column)
    at = level_over(t, a->map, at, true);
  if (reads) n = area_of(named ? -1 : at, named ? at : -1);
  if (a->out == IR_NONE) return n;
  bool rest = w->exchange[ir_same(t, a->out)];
  n.at[OWN] = max(n.at[OWN], rest ? 0 : area_level(shows));
  return n;
}

/* Who looks at data wants its own elements. */
static struct ir_area
look(const struct ir_extent_walk *w, const struct ir_arg *a) {
  (void)w;
  (void)a;
  return area_of(0, -1);
}

const struct ir_algebra ir_extent_levels = {
    .none = {{-1, -1, -1, -1, -1, -1, -1, -1}},
    .least = {{0, -1, -1, -1, -1, -1, -1, -1}},
    .make = make,
    .operand = operand,
    .look = look};

/* ---- all of them --------------------------------------------------------- */

static struct ir_need
need_of(struct ir_area a) {
  return (struct ir_need){a.at[OWN], a.at[VIA]};
}

struct ir_need
ir_extent_operand(const struct ir_extent *x, const struct ir_trace *t,
                  const struct ir_arg *a, int level) {
  struct ir_extent_walk w = {
      .by = &ir_extent_levels, .t = t, .exchange = x->exchange};
  struct ir_area shows = area_of(-1, -1);
  if (!ir_arg_on_dat(t, a) || a->in == IR_NONE) return need_of(shows);
  if (a->out != IR_NONE) {
    struct ir_need n = x->need[ir_same(t, a->out)];
    shows = area_of(n.own, n.via);
  }
  return need_of(operand(&w, a, area_of(level, -1), shows));
}

struct ir_extent
ir_extent_build(const struct ir_trace *t, int limit) {
  struct ir_extent_walk w = {.by = &ir_extent_levels, .t = t};
  ir_extent_run(&w, limit);
  struct ir_extent x = {
      .exec = mem_alloc((size_t)t->nnodes + 1, sizeof *x.exec),
      .need = mem_alloc((size_t)t->nvalues + 1, sizeof *x.need),
      .exchange = w.exchange};
  for (ir_ref n = 0; n < t->nnodes; n++) x.exec[n] = w.exec[n].at[OWN];
  for (ir_ref v = 0; v < t->nvalues; v++) x.need[v] = need_of(w.need[v]);
  free(w.exec);
  free(w.need);
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
