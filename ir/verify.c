/* The verifier: every rule of doc/ir.md, all failures reported.
 *
 * problem  Passes rewrite traces, and a wrong rewrite shows as wrong numbers,
 *          far away. A rule that is only in somebody's head is not kept.
 * idea     Check what the text of a trace promises, in layers: references in
 *          range (nothing else is looked at if that fails), arguments against
 *          declarations, versions in order, regions, and last the one thing
 *          that no layer shows alone: that no buffer is overwritten while
 *          somebody still reads what it held (check_buffers.c).
 * cost     O(args^2) per node, O(args * members of a buffer) for buffers.
 * limits   What kernels do with their arguments is taken on trust, and maps are
 *          known by their flags only.
 */
#include "ir/area.h"
#include "ir/check.h"

#include <assert.h>
#include <stdlib.h>

/* ---- references -------------------------------------------------------- */

static bool
in_range(ir_ref i, uint32_t n, bool none_allowed) {
  return i < n || (i == IR_NONE && none_allowed);
}

static uint32_t
known_flags(enum ir_flag_owner owner) {
  uint32_t all = 0;
  for (uint32_t i = 0; i < ir_flag_count; i++)
    if (ir_flag_info[i].owner == owner) all |= ir_flag_info[i].bit;
  return all;
}

/* What the relation is made from leads from its one set to the other. */
static void
refs_relation(struct ir_check *c, ir_ref i) {
  const struct ir_map *m = &c->t->maps[i], *of[IR_ROWS_OF] = {m, m};
  if (m->rows >= IR_ROWS_COUNT || m->from >= c->t->nsets ||
      m->to >= c->t->nsets) {
    ir_bad(c, "relation %%%s: unknown rows, or no such set", m->name);
    return;
  }
  uint32_t n = ir_rows_info[m->rows].of;
  for (uint32_t k = 0; k < n; k++) {
    if (m->of[k] >= i) {
      ir_bad(c, "relation %%%s: made from a later one", m->name);
      return;
    }
    of[k] = &c->t->maps[m->of[k]];
  }
  bool fits = true;
  if (m->rows == IR_ROWS_INVERSE)
    fits = of[0]->from == m->to && of[0]->to == m->from;
  if (m->rows == IR_ROWS_COMPOSED)
    fits = of[0]->from == m->from && of[0]->to == of[1]->from &&
           of[1]->to == m->to;
  if (!fits || m->arity != ir_rows_arity(c->t, m))
    ir_bad(c, "relation %%%s: it does not lead from %%%s to %%%s", m->name,
           c->t->sets[m->from].name, c->t->sets[m->to].name);
}

/* Points lie in the domain, or around one of as many dimensions. */
/* Points of the set by the sides of its box: so many of each colour. */
static void
refs_sides(struct ir_check *c, const struct ir_set *s,
           const struct ir_set *box) {
  idx_g domain = 1, all = 1;
  if (!box->side[0]) return;
  for (uint32_t d = 0; d < box->ndim; d++) {
    if (box->side[d] < 1 || box->side[d] > box->n / domain) {
      ir_bad(c, "set %%%s: its sides have more points than it", box->name);
      return;
    }
    domain *= box->side[d];
    all *= box->side[d] + s->area.at[2 * d] + s->area.at[2 * d + 1];
  }
  if (box->n % domain || s->n != box->n / domain * all)
    ir_bad(c, "set %%%s: it has not as many points as its sides say", s->name);
}

static void
refs_points(struct ir_check *c, const struct ir_set *s) {
  static const struct ir_area none;
  const struct ir_trace *t = c->t;
  bool known = s->box <= t->nsets && s->ndim <= IR_DIMS;
  const struct ir_set *box = s->box && known ? &t->sets[s->box - 1] : s;
  if (!known || box->box || box->ndim != s->ndim) {
    ir_bad(c, "set %%%s: its points are those of no box", s->name);
    return;
  }
  if (!s->box && !ir_area_same(&s->area, &none))
    ir_bad(c, "set %%%s: a domain has no points around it", s->name);
  for (int k = 0; k < IR_SIDES; k++)
    if (s->area.at[k] < 0)
      ir_bad(c, "set %%%s: it lacks points of its domain", s->name);
  bool lines = s->box && box->side[0] && s->n <= INT32_MAX;
  if (s->flags & IR_SET_SPACED && !lines)
    ir_bad(c, "set %%%s: spaced, but its lines are not known, or too many",
           s->name);
  refs_sides(c, s, box);
}

/* Does each entry lie where one of the first and one of the second lead? */
static bool
rule_adds_up(const struct ir_trace *t, const struct ir_map *m) {
  const struct ir_map *a = &t->maps[m->of[0]], *b = &t->maps[m->of[1]];
  if (m->rows != IR_ROWS_COMPOSED || !a->rule || !b->rule) return false;
  if (m->arity != a->arity * b->arity) return false;
  for (uint32_t k = 0; k < m->arity; k++) {
    struct ir_area at =
        ir_area_by(a->rule[k / b->arity], b->rule[k % b->arity]);
    if (!ir_area_same(&m->rule[k], &at)) return false;
  }
  return true;
}

/* A rule leads from points to points of as many dimensions. */
static void
refs_rule(struct ir_check *c, const struct ir_map *m) {
  const struct ir_set *from = &c->t->sets[m->from], *to = &c->t->sets[m->to];
  if (m->rows && !rule_adds_up(c->t, m))
    ir_bad(c, "relation %%%s: a rule that its own do not add up to", m->name);
  if (!from->ndim || from->ndim != to->ndim || !m->arity) {
    ir_bad(c, "map %%%s: a rule between sets of other points", m->name);
    return;
  }
  for (uint32_t k = 0; k < m->arity; k++)
    for (int d = 0; d < IR_DIMS; d++)
      if (m->rule[k].at[2 * d] + m->rule[k].at[2 * d + 1] < 0)
        ir_bad(c, "map %%%s: entry %u lies nowhere", m->name, k);
}

static void
refs_layers(struct ir_check *c, const struct ir_map *m) {
  const struct ir_rows_layers *l = &m->layers;
  if (m->rows != IR_ROWS_CSR || !(m->flags & IR_MAP_COLUMN))
    ir_bad(c, "map %%%s: layers, but its rows are not csr of columns", m->name);
  if (l->first < 0 || l->last < 0 || l->first >= l->height ||
      l->last >= l->height || l->apart < 1)
    ir_bad(c, "map %%%s: layers %d to %d, of %d", m->name, l->first, l->last,
           l->height);
}

static bool
starts_known(const struct ir_trace *t, ir_ref i) {
  const struct ir_map *m = &t->maps[i];
  if (!m->starts) return true;
  if (m->starts > i) return false; /* itself, or one that comes later */
  const struct ir_map *other = &t->maps[m->starts - 1];
  return other->rows == IR_ROWS_CSR && other->from == m->from;
}

/* What is known of rows that were given. */
static void
refs_csr(struct ir_check *c, ir_ref i) {
  const struct ir_map *m = &c->t->maps[i];
  const struct {
    bool said;
    const char *what;
  } facts[] = {{m->usual, "a usual length"},
               {m->step, "a step"},
               {m->starts, "starts of another"},
               {m->flags & IR_MAP_BESIDE, "beside"},
               {m->flags & IR_MAP_COUNTS, "counts"}};
  if (m->rows != IR_ROWS_CSR)
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
      if (facts[k].said)
        ir_bad(c, "map %%%s: %s, but its rows are not csr", m->name,
               facts[k].what);
  if (m->flags & IR_MAP_COUNTS && m->step != 1)
    ir_bad(c, "map %%%s: counts, but by another step than 1", m->name);
  if (!starts_known(c->t, i))
    ir_bad(c, "map %%%s: starts of no csr of its set before it", m->name);
}

static void
refs_sets_maps(struct ir_check *c) {
  const struct ir_trace *t = c->t;
  for (ir_ref i = 0; i < t->nsets; i++)
    if (t->sets[i].n < 0)
      ir_bad(c, "set %%%s: its size is negative", t->sets[i].name);
  for (ir_ref i = 0; i < t->nsets; i++)
    if (t->sets[i].flags & ~known_flags(IR_FLAGS_SET))
      ir_bad(c, "set %%%s: unknown flags", t->sets[i].name);
  for (ir_ref i = 0; i < t->nsets; i++)
    if (t->sets[i].flags & IR_SET_RCM && t->sets[i].flags & IR_SET_BISECT)
      ir_bad(c, "set %%%s: two numberings", t->sets[i].name);
  for (ir_ref i = 0; i < t->nsets; i++) refs_points(c, &t->sets[i]);
  for (ir_ref i = 0; i < t->nmaps; i++) {
    const struct ir_map *m = &t->maps[i];
    if (m->from >= t->nsets || m->to >= t->nsets)
      ir_bad(c, "map %%%s: no such set", m->name);
    else if (m->rule)
      refs_rule(c, m);
    if (m->from < t->nsets && t->sets[m->from].flags & IR_SET_SPACED)
      ir_bad(c, "map %%%s: it leads from a spaced set", m->name);
    if (!m->arity && !m->rows) ir_bad(c, "map %%%s: arity 0", m->name);
    if (m->rows) refs_relation(c, i);
    refs_csr(c, i);
    if (m->layers.height) refs_layers(c, m);
    if (m->flags & ~known_flags(IR_FLAGS_MAP))
      ir_bad(c, "map %%%s: unknown flags", m->name);
    bool along = m->rule && m->stretch && !(m->flags & IR_MAP_TURNS);
    if (m->flags & IR_MAP_LINES && !along)
      ir_bad(c,
             "map %%%s: lines without a rule and stretches, or across a "
             "period",
             m->name);
  }
}

static void
refs_dat(struct ir_check *c, ir_ref i) {
  const struct ir_trace *t = c->t;
  const struct ir_dat *d = &t->dats[i];
  bool on_set = ir_kind_on_set(d->kind);
  if (d->kind > IR_INLINE) ir_bad(c, "dat %%%s: unknown kind", d->name);
  if (on_set ? d->set >= t->nsets : d->set != IR_NONE)
    ir_bad(c, "dat %%%s: a dat lies on a set, as does an inline, nothing else",
           d->name);
  if ((d->kind == IR_INLINE) != (d->parts > 0))
    ir_bad(c, "dat %%%s: an inline has parts, nothing else does", d->name);
  if (d->type.kind >= TYPE_COUNT || !d->type.size || !d->dim)
    ir_bad(c, "dat %%%s: no such type or size", d->name);
  if (d->root >= t->ndats || t->dats[d->root].root != d->root)
    ir_bad(c, "dat %%%s: its storage has no storage of its own", d->name);
  else if (t->dats[d->root].kind != d->kind || (d->root > i))
    ir_bad(c, "dat %%%s: its storage is of another kind, or declared later",
           d->name);
  uint32_t known = d->kind == IR_DAT   ? known_flags(IR_FLAGS_DAT)
                   : d->kind == IR_GBL ? known_flags(IR_FLAGS_GBL)
                                       : 0;
  if (d->at ? !target_is_device(d->at) : (d->flags & IR_DAT_BOTH) != 0)
    ir_bad(c, "dat %%%s: where it lies is no device", d->name);
  if (d->flags & ~known) ir_bad(c, "dat %%%s: unknown flags", d->name);
  if (d->flags & IR_DAT_UNREAD && !(d->flags & IR_DAT_RAW))
    ir_bad(c, "dat %%%s: unread, and no raw pointer's", d->name);
  if (d->device > (d->kind == IR_DAT))
    ir_bad(c, "dat %%%s: no such layout on devices", d->name);
  bool stays = d->flags & IR_DAT_PINNED || d->at || d->root != i;
  if (d->flags & IR_DAT_AUTO && stays)
    ir_bad(c, "dat %%%s: its layout is not the library's to choose", d->name);
}

static void
refs_kernels(struct ir_check *c) {
  const struct ir_trace *t = c->t;
  for (ir_ref i = 0; i < t->nkernels; i++) {
    const struct ir_kernel *k = &t->kernels[i];
    if (k->flags & ~known_flags(IR_FLAGS_KERNEL))
      ir_bad(c, "kernel @%s: unknown flags", k->name);
    if ((k->copy_from < 0) != (k->copy_to < 0) ||
        (k->copy_from >= 0 && k->copy_from == k->copy_to))
      ir_bad(c, "kernel @%s: copies from and to must be two arguments",
             k->name);
  }
}

static void
refs_node(struct ir_check *c, ir_ref i) {
  const struct ir_trace *t = c->t;
  const struct ir_node *n = &t->nodes[i];
  if (n->op >= IR_OP_COUNT) {
    ir_bad_node(c, i, "unknown operation");
    return;
  }
  bool loop = n->op == IR_LOOP;
  if (loop ? n->kernel >= t->nkernels : n->kernel != IR_NONE)
    ir_bad_node(c, i, "loops have a kernel, other nodes none");
  if (loop ? n->set >= t->nsets : n->set != IR_NONE)
    ir_bad_node(c, i, "loops have a set, other nodes none");
  if (loop && n->set < t->nsets && t->sets[n->set].flags & IR_SET_SPACED)
    ir_bad_node(c, i, "it goes over a spaced set");
  if (loop ? n->each > t->nmaps : n->each > 0)
    ir_bad_node(c, i, "rows are of a relation, and of loops");
  if ((uint64_t)n->arg0 + n->nargs > t->nargs)
    ir_bad_node(c, i, "its arguments are not in the trace");
  if (!in_range(n->region, t->nregions, true))
    ir_bad_node(c, i, "no such region");
  if (n->flags & ~known_flags(IR_FLAGS_NODE))
    ir_bad_node(c, i, "unknown flags");
}

/* Does the argument's kind go with its dat's? */
static bool
arg_kind_fits(const struct ir_trace *t, const struct ir_arg *a) {
  uint8_t of = ir_arg_info[a->kind].of;
  if (of == IR_ARG_OF_NONE) return a->dat == IR_NONE;
  if (a->dat >= t->ndats) return false;
  return t->dats[a->dat].kind == of ||
         (a->kind == IR_ARG_DAT && t->dats[a->dat].kind == IR_INLINE);
}

static void
refs_arg(struct ir_check *c, ir_ref n, uint32_t k) {
  const struct ir_trace *t = c->t;
  const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
  if (a->kind >= IR_ARG_COUNT || a->access >= ACC_COUNT) {
    ir_bad_arg(c, n, k, "unknown kind or access");
    return;
  }
  if (!arg_kind_fits(t, a))
    ir_bad_arg(c, n, k, "a dat, gbl or param is used as something else");
  if (!in_range(a->map, t->nmaps, true) || a->each > t->nmaps)
    ir_bad_arg(c, n, k, "no such map");
  if (!in_range(a->in, t->nvalues, true) || !in_range(a->out, t->nvalues, true))
    ir_bad_arg(c, n, k, "no such version");
}

static void
refs_values(struct ir_check *c) {
  const struct ir_trace *t = c->t;
  for (ir_ref v = 0; v < t->nvalues; v++) {
    const struct ir_value *x = &t->values[v];
    if (x->dat >= t->ndats || t->dats[x->dat].root != x->dat ||
        t->dats[x->dat].kind == IR_PARAM)
      ir_bad(c, "value %u: versions belong to dats, gbls and inlines", v);
    if (!in_range(x->def, t->nnodes, true))
      ir_bad(c, "value %u: no such node defines it", v);
    if (x->same >= t->nvalues || t->values[x->same].same != x->same)
      ir_bad(c, "value %u: what it is the same as is not resolved", v);
    if (!in_range(x->buffer, t->nbuffers, true))
      ir_bad(c, "value %u: no such buffer", v);
  }
}

static void
refs_regions_buffers(struct ir_check *c) {
  const struct ir_trace *t = c->t;
  for (ir_ref i = 0; i < t->nregions; i++) {
    const struct ir_region *r = &t->regions[i];
    if (r->set >= t->nsets) ir_bad(c, "region %u: no such set", i);
    if (r->team >= IR_TEAM_COUNT) ir_bad(c, "region %u: no such team", i);
    if (r->walk >= IR_WALK_COUNT) ir_bad(c, "region %u: no such walk", i);
    if ((uint64_t)r->hold0 + r->nholds > t->nholds)
      ir_bad(c, "region %u: its holds are not in the trace", i);
    if (r->chain > t->nchains) ir_bad(c, "region %u: no such chain", i);
    if ((uint64_t)r->first + r->count > t->nnodes)
      ir_bad(c, "region %u: its nodes are not in the trace", i);
  }
  for (uint32_t i = 0; i < t->nholds; i++)
    if (t->holds[i].value >= t->nvalues || t->holds[i].how >= IR_HOLD_COUNT ||
        !t->holds[i].how)
      ir_bad(c, "hold %u: no such version, or way to hold it", i);
  for (ir_ref i = 0; i < t->nbuffers; i++)
    if (t->buffers[i].dat >= t->ndats)
      ir_bad(c, "buffer #%u: no member gives it a shape", i);
}

static void
refs_chains(struct ir_check *c) {
  const struct ir_trace *t = c->t;
  for (ir_ref i = 0; i < t->nchains; i++) {
    const struct ir_chain *x = &t->chains[i];
    if (x->piece) continue;
    if (x->box >= t->nsets || !x->nsides ||
        x->side[0].along >= t->sets[x->box].ndim)
      ir_bad(c, "chain #%u: no such box, or dimension of it", i);
    for (uint32_t k = 0; k < x->nown; k++)
      if (x->own[k] >= t->nbuffers) ir_bad(c, "chain #%u: no such buffer", i);
  }
}

void
ir_check_refs(struct ir_check *c) {
  const struct ir_trace *t = c->t;
  refs_sets_maps(c);
  for (ir_ref i = 0; i < t->ndats; i++) refs_dat(c, i);
  refs_kernels(c);
  for (ir_ref i = 0; i < t->nnodes; i++) refs_node(c, i);
  if (c->failures) return; /* the arguments may not be there */
  for (ir_ref i = 0; i < t->nnodes; i++)
    for (uint32_t k = 0; k < t->nodes[i].nargs; k++) refs_arg(c, i, k);
  refs_values(c);
  refs_regions_buffers(c);
  refs_chains(c);
}

/* How regions run. */
static void
check_schedule(struct ir_check *c) {
  struct ir_live live = ir_live_build(c->t);
  SCOPED bool *overlaps = ir_overlaps_build(c->t);
  struct ir_hold_facts f = {overlaps, &live, mem_alloc(c->t->nbuffers + 1, 1)};
  ir_check_walks(c, &f);
  ir_check_holds(c, &f);
  if (!c->failures) ir_check_chains(c, &live);
  ir_check_sums(c);
  free(f.touch);
  ir_live_free(&live);
}

int
ir_verify(const struct ir_trace *t, struct str *why) {
  struct ir_check c = {t, why, 0};
  ir_check_refs(&c);
  if (c.failures) return c.failures;
  ir_check_args(&c);
  ir_check_versions(&c);
  ir_check_regions(&c);
  ir_check_inlines(&c);
  ir_check_buffers(&c);
  ir_check_places(&c);
  if (!c.failures && t->nregions) check_schedule(&c);
  return c.failures;
}
