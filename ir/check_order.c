/* Verifier: versions in order, second names, frees, regions. */
#include "ir/check.h"

#include <assert.h>
#include <stdlib.h>

/* ---- versions ---------------------------------------------------------- */

struct versions {
  uint32_t *next; /* by root: the number that its next version must have */
  bool *freed;    /* by root: a FREE was passed */
  bool *fixed;    /* by root: pinned or overlapping memory, of one version */
};

static void
check_in(struct ir_check *c, struct versions *s, ir_ref n, uint32_t k) {
  const struct ir_trace *t = c->t;
  const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
  assert(a->in < t->nvalues); /* ir_check_refs */
  const struct ir_value *v = &t->values[a->in];
  if (v->def == IR_NONE && v->version)
    ir_bad_arg(c, n, k, "%s is defined nowhere", ir_value_text(t, a->in));
  else if (v->def != IR_NONE && v->def >= n)
    ir_bad_arg(c, n, k, "%s is defined later, by node %u",
               ir_value_text(t, a->in), v->def);
  if (ir_op_info[t->nodes[n].op].root && v->version + 1 != s->next[v->dat])
    ir_bad_arg(c, n, k, "%s is looked at, but %%%s.%u stands there by then",
               ir_value_text(t, a->in), t->dats[v->dat].name,
               s->next[v->dat] - 1);
  if (s->freed[v->dat])
    ir_bad_arg(c, n, k, "%%%s was freed before", t->dats[v->dat].name);
  bool reads = ir_reads_data(&t->nodes[n]) && !ir_deferred(&t->nodes[n]);
  if (reads && s->fixed[v->dat] && v->version + 1 < s->next[v->dat])
    ir_bad_arg(c, n, k, "%s is read, but its memory is fixed, and %%%s.%u's",
               ir_value_text(t, a->in), t->dats[v->dat].name,
               s->next[v->dat] - 1);
  if (a->out != IR_NONE && t->values[a->out].version != v->version + 1)
    ir_bad_arg(c, n, k, "%s grows out of %s, not out of the version before it",
               ir_value_text(t, a->out), ir_value_text(t, a->in));
}

/* The first argument that names this result speaks for all. */
static void
check_out(struct ir_check *c, struct versions *s, ir_ref n, uint32_t k) {
  const struct ir_trace *t = c->t;
  const struct ir_arg *a = ir_args(t, &t->nodes[n]);
  for (uint32_t j = 0; j < k; j++)
    if (a[j].out == a[k].out) return;
  const struct ir_value *v = &t->values[a[k].out];
  uint32_t want = s->next[v->dat]++;
  if (v->def != n)
    ir_bad_arg(c, n, k, "%s is defined by another node",
               ir_value_text(t, a[k].out));
  if (v->version != want)
    ir_bad_arg(c, n, k, "it defines %s where %%%s.%u comes next",
               ir_value_text(t, a[k].out), t->dats[v->dat].name, want);
}

static void
check_node_versions(struct ir_check *c, struct versions *s, ir_ref n) {
  const struct ir_trace *t = c->t;
  const struct ir_node *node = &t->nodes[n];
  const struct ir_arg *a = ir_args(t, node);
  for (uint32_t k = 0; k < node->nargs; k++)
    if (a[k].in != IR_NONE) check_in(c, s, n, k);
  for (uint32_t k = 0; k < node->nargs; k++)
    if (a[k].out != IR_NONE) check_out(c, s, n, k);
  if (node->op == IR_FREE && node->nargs && a->dat < t->ndats)
    s->freed[ir_root(t, a->dat)] = true;
}

/* Every version 0 is there, once, and each value is what some node made. */
static void
check_values(struct ir_check *c, const struct versions *s) {
  const struct ir_trace *t = c->t;
  SCOPED uint32_t *count = mem_alloc(t->ndats, sizeof *count);
  for (ir_ref v = 0; v < t->nvalues; v++) {
    const struct ir_value *x = &t->values[v];
    count[x->dat]++;
    if (x->version == 0 && x->def != IR_NONE)
      ir_bad(c, "%s is what the trace begins with, yet node %u defines it",
             ir_value_text(t, v), x->def);
  }
  for (ir_ref d = 0; d < t->ndats; d++) {
    if (t->dats[d].root != d || t->dats[d].kind == IR_PARAM) continue;
    if (count[d] != s->next[d] || t->dats[d].nvalues != s->next[d])
      ir_bad(c,
             "%%%s has %u values and counts %u, its nodes and its start "
             "make %u",
             t->dats[d].name, count[d], t->dats[d].nvalues, s->next[d]);
  }
}

/* ---- second names ------------------------------------------------------ */

/* What v must be the same as, by the nodes; v: nothing but itself. */
static ir_ref
same_by_nodes(const struct ir_trace *t, ir_ref v) {
  ir_ref def = t->values[v].def;
  if (def == IR_NONE || t->nodes[def].op != IR_ALIAS) return v;
  const struct ir_arg *a = ir_args(t, &t->nodes[def]);
  return t->nodes[def].nargs == 2 && a->in != IR_NONE ? ir_same(t, a->in) : v;
}

static void
check_sames(struct ir_check *c) {
  const struct ir_trace *t = c->t;
  for (ir_ref v = 0; v < t->nvalues; v++) {
    const struct ir_value *x = &t->values[v], *y = &t->values[x->same];
    bool start = x->version == 0 && y->version == 0;
    if (x->same == same_by_nodes(t, v) || (start && x->same == v)) continue;
    if (!start)
      ir_bad(c, "%s is said to be the same as %s, no alias makes it so",
             ir_value_text(t, v), ir_value_text(t, x->same));
    else if (!ir_same_shape(&t->dats[x->dat], &t->dats[y->dat]))
      ir_bad(c, "%s and %s share a buffer, but have different shapes",
             ir_value_text(t, v), ir_value_text(t, x->same));
  }
}

/* ---- deferred nodes ---------------------------------------------------- */

static void
check_deferred(struct ir_check *c) {
  const struct ir_trace *t = c->t;
  bool seen = false;
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const struct ir_node *node = &t->nodes[n];
    if (seen && !ir_deferred(node))
      ir_bad_node(c, n, "it stands behind deferred nodes, but is not deferred");
    seen |= ir_deferred(node);
    if (ir_deferred(node) && node->region != IR_NONE)
      ir_bad_node(c, n, "a deferred node is in no region");
  }
}

void
ir_check_versions(struct ir_check *c) {
  const struct ir_trace *t = c->t;
  struct versions s = {mem_alloc(t->ndats, sizeof *s.next),
                       mem_alloc(t->ndats, sizeof *s.freed),
                       ir_overlaps_build(t)};
  for (ir_ref d = 0; d < t->ndats; d++) {
    s.next[d] = 1;
    s.fixed[d] |= (t->dats[d].flags & IR_DAT_PINNED) != 0;
  }
  for (ir_ref n = 0; n < t->nnodes; n++) check_node_versions(c, &s, n);
  check_values(c, &s);
  check_sames(c);
  check_deferred(c);
  free(s.next);
  free(s.freed);
  free(s.fixed);
}

/* ---- regions ----------------------------------------------------------- */

/* Kernel after kernel on one element is loop after loop only if what two
 * members share stays with the element, or is only combined, or only read. */
static bool
args_agree(const struct ir_trace *t, ir_ref m, const struct ir_arg *x, ir_ref n,
           const struct ir_arg *y) {
  if (!ir_arg_has_value(x) || !ir_arg_has_value(y)) return true;
  if (ir_root(t, x->dat) != ir_root(t, y->dat)) return true;
  if (x->access == ACC_READ && y->access == ACC_READ) return true;
  if (x->dat != y->dat) return false; /* views: other elements lie there */
  if (ir_args_combine(x, y) || ir_arg_written_beside(t, m, x, y)) return true;
  bool old = x->kind == IR_ARG_DAT && x->access == ACC_READ && !x->each;
  if (old && ir_arg_writes_anew(t, &t->nodes[n], y)) return true;
  return ir_args_beside(t, x, y);
}

static void
check_members(struct ir_check *c, ir_ref m, ir_ref n) {
  assert(m < n);
  const struct ir_trace *t = c->t;
  const struct ir_arg *x = ir_args(t, &t->nodes[m]);
  const struct ir_arg *y = ir_args(t, &t->nodes[n]);
  for (uint32_t k = 0; k < t->nodes[n].nargs; k++)
    for (uint32_t j = 0; j < t->nodes[m].nargs; j++)
      if (!args_agree(t, m, &x[j], n, &y[k])) {
        ir_bad_arg(c, n, k,
                   "in one region with argument %u of node %u, which "
                   "touches %%%s at other elements",
                   j, m, t->dats[ir_root(t, x[j].dat)].name);
        break;
      }
}

static void
check_member(struct ir_check *c, ir_ref r, ir_ref n) {
  const struct ir_trace *t = c->t;
  const struct ir_node *node = &t->nodes[n];
  if (node->region != r)
    ir_bad_node(c, n, "it lies in the middle of region %u, but is not in it",
                r);
  if (node->op != IR_LOOP || node->set != t->regions[r].set) {
    ir_bad_node(c, n, "a region over %%%s holds loops over that set only",
                t->sets[t->regions[r].set].name);
    return;
  }
  if (!target_same(node->target, t->nodes[t->regions[r].first].target))
    ir_bad_node(c, n, "the loops of a region run on one target");
  if (t->regions[r].count > 1 &&
      t->kernels[node->kernel].flags & IR_KERNEL_EFFECTS)
    ir_bad_node(c, n, "a kernel with side effects shares no region");
  for (ir_ref m = t->regions[r].first; m < n; m++) check_members(c, m, n);
}

void
ir_check_regions(struct ir_check *c) {
  const struct ir_trace *t = c->t;
  for (ir_ref r = 0; r < t->nregions; r++) {
    const struct ir_region *g = &t->regions[r];
    if (!g->count) ir_bad(c, "region %u is empty", r);
    for (ir_ref n = g->first; n < g->first + g->count; n++)
      check_member(c, r, n);
  }
  for (ir_ref n = 0; n < t->nnodes; n++) {
    ir_ref r = t->nodes[n].region;
    if (r == IR_NONE) continue;
    const struct ir_region *g = &t->regions[r];
    if (n < g->first || n - g->first >= g->count)
      ir_bad_node(c, n, "it says region %u, which does not reach it", r);
  }
}
