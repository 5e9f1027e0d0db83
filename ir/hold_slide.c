/* What blocks take from the element before.
 *
 * Problem   What is computed where others read it (passes/inline.c) is computed
 *           for each point that they name: of a flux on both sides of a point
 *           the left one is the right one of the point before, and was computed
 *           there.
 *
 * Idea      Along a line of a box the next element of a loop is the next point,
 *           so that one call makes of the next element what another one makes
 *           of this element, if all that it reads lies one point further: the
 *           same versions through entries of rules one further in the first
 *           dimension, and the same values otherwise. Then lanes of the former,
 *           moved by one, are those of the latter, but for the first one, which
 *           is the last of the block before (`slide`;
 *           lower/llvm/region_slide.c).
 *           For that a call has to be worth nothing but its result: it reads
 *           what was there before the region and stays, and what such calls
 *           made. Blocks that go from one to the next are those of a stretch.
 *
 * Example   map %near : %box -> %points x2 stretch=510 rule (0,0) (1,0)
 *           inline %g_flow : %box f64 x1 of 2
 *           region over %box walk range width 8 by stretches {
 *             %g_flow.1 = loop @g over %box (read %x.0 via %near[0],
 *                                            write %g_flow.0[0])
 *             %g_flow.2 = loop @g over %box (read %x.0 via %near[1],
 *                                            write %g_flow.1[1])
 *             %y.1 = loop @flow over %box (read %g_flow.2[0:2], write %y)
 *             hold slide %g_flow.1          the second call's, moved by one
 *             hold register %g_flow.2
 *
 * Cost      O(calls * arguments of the region) for each call, again for what it
 *           reads of others: LOOKS pairs of calls at most.
 *
 * Limits    one step along the first dimension; loops over a box, not over its
 *           halo, nor over grids of several colours; rules that come in again
 *           on another side; calls that read nothing of the element itself. */
#include "ir/hold.h"
#include "ir/walk.h"

#include <assert.h>

/* Pairs of calls that are looked at for one answer. */
enum { LOOKS = 4096 };

struct slide {
  const struct ir_trace *t;
  const struct ir_region *g;
  uint32_t looks;
};

/* A region whose blocks follow each other along lines. */
static bool
goes_along_lines(const struct ir_trace *t, const struct ir_region *g) {
  const struct ir_set *set = &t->sets[g->set];
  return g->width && g->stretches && !g->panel && set->ndim && !set->box &&
         !(set->flags & IR_SET_PARTS) && ir_colours_of(set) == 1;
}

/* The call that makes this part of an inline: there is one, which comes before
 * all that read it. */
static ir_ref
maker_of(const struct ir_trace *t, const struct ir_region *g, ir_ref dat,
         uint32_t part) {
  IR_EACH_ARG(t, g, n, a)
  if (ir_arg_writes(a) && a->dat == dat && a->entry == part) return n;
  return IR_NONE;
}

/* Was it there before the region, which leaves the dat or global alone? What
 * has a halo is not written beside where it was (pass inline). */
static bool
stays(const struct slide *s, ir_ref v) {
  const struct ir_trace *t = s->t;
  if (v == IR_NONE) return false;
  ir_ref def = t->values[ir_same(t, v)].def, buffer = ir_buffer_of(t, v);
  if (def != IR_NONE && def >= s->g->first) return false;
  IR_EACH_ARG(t, s->g, n, a) {
    if (!ir_arg_has_value(a) || a->out == IR_NONE) continue;
    if (t->values[a->out].dat == t->values[v].dat) return false;
    if (buffer != IR_NONE && ir_buffer_of(t, a->out) == buffer) return false;
  }
  return true;
}

/* Does entry i of map x name the point before that which entry j of y names? */
static bool
names_before(const struct ir_trace *t, const struct ir_map *x, uint32_t i,
             const struct ir_map *y, uint32_t j) {
  if (!ir_at_one_place(t, x, i) || !ir_at_one_place(t, y, j) ||
      x->still >> i & 1 || y->still >> j & 1)
    return false;
  for (uint32_t d = 0; d < IR_DIMS; d++)
    if (x->rule[i].at[2 * d + 1] + !d != y->rule[j].at[2 * d + 1]) return false;
  return true;
}

/* Does argument a read what lies one point before what b reads, each time? */
static bool
reads_before(struct slide *s, const struct ir_arg *a, const struct ir_arg *b) {
  const struct ir_trace *t = s->t;
  if (a->in != b->in || a->dat != b->dat || a->own || b->own || a->shift ||
      b->shift || !ir_arg_stretches(t, a) || !ir_arg_stretches(t, b))
    return false;
  const struct ir_map *x = &t->maps[a->map], *y = &t->maps[b->map];
  if (x->from != s->g->set || y->from != s->g->set || x->to != y->to)
    return false;
  for (uint32_t k = 0; k < ir_arg_count(a); k++)
    if (!names_before(t, x, a->entry + k, y, b->entry + k)) return false;
  return stays(s, a->in);
}

static bool is_before(struct slide *s, ir_ref n, ir_ref m);

/* Does a read what was made of one point before what b reads was? */
static bool
made_before(struct slide *s, const struct ir_arg *a, const struct ir_arg *b) {
  for (uint32_t k = 0; k < ir_arg_count(a); k++) {
    ir_ref n = maker_of(s->t, s->g, a->dat, a->entry + k);
    ir_ref m = maker_of(s->t, s->g, b->dat, b->entry + k);
    if (n == IR_NONE || m == IR_NONE || !is_before(s, n, m)) return false;
  }
  return true;
}

/* What two arguments say of two calls. */
enum says { NOTHING, NO, YES };

static enum says
results_say(const struct ir_trace *t, const struct ir_arg *a,
            const struct ir_arg *b) {
  const struct ir_dat *x = &t->dats[a->dat], *y = &t->dats[b->dat];
  bool alike = ir_arg_inline(t, a) && ir_arg_inline(t, b) &&
               a->access == ACC_WRITE && ir_arg_count(a) == 1 &&
               ir_arg_count(b) == 1 && x->dim == y->dim &&
               type_same(x->type, y->type);
  return alike ? NOTHING : NO;
}

static enum says
dats_say(struct slide *s, const struct ir_arg *a, const struct ir_arg *b) {
  bool made = ir_arg_inline(s->t, a);
  if (made != ir_arg_inline(s->t, b)) return NO;
  return (made ? made_before : reads_before)(s, a, b) ? YES : NO;
}

static enum says
args_say(struct slide *s, const struct ir_arg *a, const struct ir_arg *b) {
  if (a->kind != b->kind || a->access != b->access || a->vector != b->vector ||
      a->each || b->each)
    return NO;
  if (ir_arg_writes(a)) return results_say(s->t, a, b);
  if (a->kind == IR_ARG_OFF) return NOTHING;
  if (a->access != ACC_READ) return NO;
  if (a->kind == IR_ARG_DAT) return dats_say(s, a, b);
  if (a->kind == IR_ARG_PARAM) return a->dat == b->dat ? NOTHING : NO;
  bool alike = a->kind == IR_ARG_GBL && a->in == b->in && stays(s, a->in);
  return alike ? NOTHING : NO;
}

/* A call that is worth its one result, in registers, and runs for any element.
 */
static bool
makes_one(const struct ir_trace *t, const struct ir_node *n) {
  uint32_t results = 0;
  if (n->op != IR_LOOP || n->each || ir_deferred(n) ||
      n->flags & IR_NODE_SERIAL || target_is_device(n->target) ||
      t->kernels[n->kernel].flags & (IR_KERNEL_OPAQUE | IR_KERNEL_EFFECTS))
    return false;
  for (uint32_t k = 0; k < n->nargs; k++)
    results += ir_arg_writes(&ir_args(t, n)[k]);
  return results == 1;
}

/* Does call n make of the next element of a line what call m makes of this
 * one? */
static bool
is_before(struct slide *s, ir_ref n, ir_ref m) {
  const struct ir_trace *t = s->t;
  const struct ir_node *x = &t->nodes[n], *y = &t->nodes[m];
  bool any = false;
  if (!s->looks) return false;
  s->looks--;
  if (n == m || x->kernel != y->kernel || x->epoch != y->epoch ||
      x->nargs != y->nargs || !makes_one(t, x) || !makes_one(t, y))
    return false;
  for (uint32_t k = 0; k < x->nargs; k++) {
    enum says says = args_say(s, &ir_args(t, x)[k], &ir_args(t, y)[k]);
    if (says == NO) return false;
    any |= says == YES;
  }
  return any;
}

ir_ref
ir_slides_from(const struct ir_trace *t, ir_ref region, ir_ref v) {
  assert(region < t->nregions && v < t->nvalues);
  const struct ir_region *g = &t->regions[region];
  struct slide s = {.t = t, .g = g, .looks = LOOKS};
  ir_ref n = t->values[v].def, end = g->first + g->count;
  if (t->dats[t->values[v].dat].kind != IR_INLINE || !goes_along_lines(t, g) ||
      n == IR_NONE || n < g->first || n >= end)
    return IR_NONE;
  for (ir_ref m = g->first; m < end; m++)
    if (is_before(&s, n, m)) return m;
  return IR_NONE;
}
