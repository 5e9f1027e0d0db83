/* Extents in areas around a box: how far beyond its domain, on each side of
 * each dimension, loops must run and values be there.
 *
 * Problem   A temporary between two loops on a box is wanted where the second
 *           one reads it, which is further than the domain where that reads at
 *           offsets; what the first one reads is wanted further still.
 *
 * Idea      Rules say where entries lie, so that an interval a dimension is
 *           enough: what a loop over [a, b] reads by entries from c to d lies
 *           in [a + c, b + d]; what several want is from the least to the
 *           greatest.
 *           Nothing is needed before somebody reads it: an interval need not
 *           hold the domain. No loop runs outside of its own set, on which
 *           what others made, or the program put there, is left as it is.
 *           Through tables, and whatever else is no rule, all of a dat may be
 *           read and made.
 *
 * Example   %a.1 = loop @f0 ... (read %b.0 via %near[0:3] ..., write %a)
 *                  near: rule (-1) (0) (1)
 *           %e.1 = loop @f2 over %line (read %a.1 via %far[0:4], write %e)
 *                  far: rule (-1) (0) (1) (2)
 *           f2 runs over (0), a is needed on (-1:2), there f0 runs, and b is
 *           needed on (-2:3).
 *
 * Limits    of entries that differ by colour what holds all of them: boxes
 *           that are larger than needed by a line on some side. */
#include "ir/area.h"
#include "ir/extent.h"
#include "ir/extent_by.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

enum { NOWHERE = INT_MIN / 2 };

static bool
is_none(struct ir_area a) {
  return a.at[0] <= NOWHERE / 2;
}

/* ---- one argument -------------------------------------------------------- */

/* All of the dat's points; of other sets, as of a domain. */
static struct ir_area
all_of(const struct ir_trace *t, const struct ir_arg *a) {
  return t->sets[t->dats[a->dat].set].area;
}

/* By the rule that leads to what it touches; NULL: by no rule, or directly. */
static const struct ir_map *
rule_of(const struct ir_trace *t, const struct ir_arg *a) {
  bool named = a->map != IR_NONE && !a->each;
  return named && t->maps[a->map].rule ? &t->maps[a->map] : NULL;
}

/* Where its entries lead from points of `area`, or (forth false) from where
 * they lead into it. */
static struct ir_area
over(const struct ir_trace *t, const struct ir_arg *a, struct ir_area area,
     bool forth) {
  const struct ir_map *m = rule_of(t, a);
  struct ir_area sum = ir_extent_areas.none;
  assert(m && a->entry + ir_arg_count(a) <= m->arity);
  for (uint32_t k = a->entry; k < a->entry + ir_arg_count(a); k++)
    sum = ir_area_join(sum, forth ? ir_area_by(area, m->rule[k])
                                  : ir_area_from(area, m->rule[k]));
  return sum;
}

static struct ir_area
make(const struct ir_extent_walk *w, const struct ir_node *n,
     const struct ir_arg *a, struct ir_area need, bool *rest) {
  const struct ir_trace *t = w->t;
  *rest = false;
  if (is_none(need)) return need;
  struct ir_area own = n->set == IR_NONE ? all_of(t, a) : t->sets[n->set].area;
  if (rule_of(t, a))
    need = over(t, a, need, false);
  else if (!ir_arg_direct(a))
    return own;
  return ir_area_meet(need, own);
}

static struct ir_area
operand(const struct ir_extent_walk *w, const struct ir_arg *a,
        struct ir_area run, struct ir_area shows) {
  const struct ir_trace *t = w->t;
  struct ir_area read = w->by->none;
  if (a->access == ACC_READ || a->access == ACC_RW) {
    if (ir_arg_direct(a))
      read = run;
    else
      read = rule_of(t, a) ? over(t, a, run, true) : all_of(t, a);
  }
  return ir_area_join(read, shows);
}

/* Who looks at data may want all there is. */
static struct ir_area
look(const struct ir_extent_walk *w, const struct ir_arg *a) {
  const struct ir_dat *d = &w->t->dats[ir_root(w->t, a->dat)];
  if (!w->readers) return all_of(w->t, a);
  return d->flags & IR_DAT_TEMP ? w->by->none : w->by->least;
}

const struct ir_algebra ir_extent_areas = {
    .none = {{NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE,
              NOWHERE}},
    .least = {{0}},
    .make = make,
    .operand = operand,
    .look = look};

/* ---- all of them --------------------------------------------------------- */

struct ir_areas
ir_areas_build(const struct ir_trace *t, bool readers) {
  struct ir_extent_walk w = {
      .by = &ir_extent_areas, .t = t, .readers = readers};
  ir_extent_run(&w, 0);
  struct ir_areas x = {.exec = w.exec, .need = w.need};
  x.runs = mem_alloc((size_t)t->nnodes + 1, sizeof *x.runs);
  x.needed = mem_alloc((size_t)t->nvalues + 1, sizeof *x.needed);
  for (ir_ref n = 0; n < t->nnodes; n++) x.runs[n] = !is_none(w.exec[n]);
  for (ir_ref v = 0; v < t->nvalues; v++) x.needed[v] = !is_none(w.need[v]);
  free(w.exchange);
  return x;
}

void
ir_areas_free(struct ir_areas *x) {
  free(x->exec);
  free(x->need);
  free(x->runs);
  free(x->needed);
  *x = (struct ir_areas){0};
}

struct ir_area
ir_areas_read(const struct ir_trace *t, const struct ir_areas *x, ir_ref n,
              const struct ir_arg *a) {
  assert(n < t->nnodes && x->runs[n]);
  if (ir_arg_direct(a)) return x->exec[n];
  return rule_of(t, a) ? over(t, a, x->exec[n], true) : all_of(t, a);
}

bool
ir_areas_of(const struct ir_trace *t, const struct ir_areas *x, ir_ref dat,
            struct ir_area *out) {
  bool any = false;
  for (ir_ref v = 0; v < t->nvalues; v++) {
    if (t->values[v].dat != dat || !x->needed[v]) continue;
    *out = any ? ir_area_join(*out, x->need[v]) : x->need[v];
    any = true;
  }
  return any;
}

void
ir_areas_print(const struct ir_trace *t, const struct ir_areas *x,
               struct str *out) {
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const struct ir_node *node = &t->nodes[n];
    uint32_t ndim = node->set == IR_NONE ? 0 : t->sets[node->set].ndim;
    if (!x->runs[n] || !ndim) continue;
    str_printf(out, "%s", ir_op_info[node->op].text);
    if (node->kernel != IR_NONE)
      str_printf(out, " @%s", t->kernels[node->kernel].name);
    str_add(out, " runs over ");
    ir_print_area(ndim, &x->exec[n], out);
    str_add(out, "\n");
  }
  for (ir_ref v = 0; v < t->nvalues; v++) {
    const struct ir_dat *d = &t->dats[t->values[v].dat];
    uint32_t ndim = d->kind == IR_DAT ? t->sets[d->set].ndim : 0;
    if (!x->needed[v] || !ndim) continue;
    ir_print_value(t, v, out);
    str_add(out, " ");
    ir_print_area(ndim, &x->need[v], out);
    str_add(out, "\n");
  }
}
