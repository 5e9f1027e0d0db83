/* How far loops on boxes reach, and over which points they run.
 *
 * Problem. What a loop reads at an offset must be there, or it is an error at
 * its call. A temporary of op2_decl_dat_box_temp is to have values in its halo,
 * too: those that the loop that writes it would make there. How far these can
 * be made depends on what that loop reads, which may be such temporaries again.
 *
 * Idea. Each temporary knows how far around the domain it is `made`, at this
 * point of the program. A loop that writes some directly runs over X:
 *
 *   X = min of the widths of all that it writes,
 *       of widths (temporaries: made) less the reach, of all that it reads
 *
 * on each side of each dimension, and no less than 0. A reach is less than 0 on
 * a side if all that is read lies on the other. These are made up to X then.
 * What the loop reads has to be there X + reach away from the domain.
 *
 *   a has widths 1, 2;  b 4, 3;  c 3, 4
 *   a <- f(b by -1, 1; c by 0, 1)   X = min(1, 4 - 1, 3) = 1 below,
 *                                   min(2, 3 - 1, 4 - 1) = 2 above
 *
 * A loop that cannot run there runs over the domain: one over a subset, one
 * that writes globals, asks for its index, or goes through a table, which is of
 * the domain. So does one that writes dats of the program's, too, whose halo it
 * leaves alone. A temporary that is made less far than declared keeps why, for
 * the error of a loop that needs more.
 *
 * What such a loop does not read is not known to be wanted: X is as large as
 * can be, eager and deferred alike.
 *
 * Cost. Comparisons of the sides of each argument, at each call, in programs
 * with boxes. */
#include "frontend/box.h"
#include "frontend/calls.h"
#include "frontend/context.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What of it the loop needs around its points: of an argument. */
struct touch {
  int arg;
  struct fe_dat *dat;
  const struct fe_box *box; /* of the dat; NULL: it is on another set */
  struct fe_halo reach;
  bool direct, reads, writes;
};

/* Those of all arguments on dats of boxes: handles are looked up once a call.
 */
struct touches {
  int n;
  struct touch at[FE_MAX_ARGS];
};

/* ---- arguments ----------------------------------------------------------- */

/* How many the program gave. */
static int
shown(const struct fe_loop *l) {
  return l->nargs - l->nhidden;
}

/* How far the entries lie outside that the argument names: less than none on a
 * side if all lie on the other. */
static struct fe_halo
reach_of(const op_arg *a) {
  const struct fe_map *m = (const struct fe_map *)a->map;
  if (!m->rule) return ((const struct fe_set *)m->pub.to)->halo;
  int first = a->idx < 0 ? 0 : a->idx, n = a->idx < 0 ? -a->idx : 1;
  if (first >= m->rule->count) return (struct fe_halo){{0}}; /* check.c tells */
  if (n > m->rule->count) n = m->rule->count;
  return fe_rule_span(m->rule, first, n);
}

/* How far the layer lies outside that the argument names; scans go over those
 * that have it. */
static struct fe_halo
layer_reach(const struct fe_loop *l, const op_arg *a,
            const struct fe_box *of_dat) {
  const struct fe_set *set = (const struct fe_set *)l->set;
  bool here = set->box == of_dat || (set->whole && set->whole->box == of_dat);
  if (l->order || !here) return (struct fe_halo){{0}}; /* check.c tells */
  return fe_box_layer_reach(set, of_dat, a->idx);
}

/* False: none on a dat of a box, or a wrong one, which check.c tells. */
static bool
touch_of(const struct fe_loop *l, const op_arg *a, struct touch *out) {
  bool layer = a->argtype == OP2_ARG_LAYER;
  bool dat = a->argtype == OP_ARG_DAT || a->argtype == OP2_ARG_PACKED || layer;
  *out = (struct touch){.direct = !a->map && !(layer && a->idx)};
  if (!a->opt || !dat || !fe_handle_is(a->dat, FE_DAT)) return false;
  out->dat = (struct fe_dat *)a->dat;
  out->box = ((const struct fe_set *)a->dat->set)->box;
  if (!out->box) return false;
  bool map = fe_handle_is(a->map, FE_MAP) || fe_handle_is(a->map, FE_RULE);
  if (a->map && !map) return false;
  if (a->map) out->reach = reach_of(a);
  if (layer) out->reach = layer_reach(l, a, out->box);
  out->writes = a->acc != OP_READ;
  out->reads = a->acc != OP_WRITE;
  return true;
}

static void
touches_find(const struct fe_loop *l, struct touches *out) {
  out->n = 0;
  for (int i = 0; i < shown(l); i++) {
    struct touch *x = &out->at[out->n];
    if (!touch_of(l, &l->args[i], x)) continue;
    x->arg = i;
    out->n++;
  }
}

/* How far around the domain it has values. */
static const struct fe_halo *
there(const struct fe_dat *d) {
  return d->spreads ? &d->made : &((const struct fe_set *)d->pub.set)->halo;
}

/* ---- over which points --------------------------------------------------- */

/* Why the argument keeps its loop in the domain; NULL: it does not. */
static const char *
kept_by(const op_arg *a) {
  if (!a->opt) return NULL;
  switch (a->argtype) {
  case OP_ARG_GBL:
  case OP2_ARG_HANDLE: return a->acc == OP_READ ? NULL : "it writes a global";
  case OP_ARG_IDX:
  case OP2_ARG_NUMBER: return "it asks for an index";
  case OP_ARG_DAT:
  case OP2_ARG_PACKED:
    if (a->map && a->acc != OP_READ) return "it writes through a map";
    if (a->map && !fe_handle_is(a->map, FE_RULE))
      return "it goes through a table";
    return NULL;
  case OP2_ARG_LAYER:
    return a->idx && a->acc != OP_READ ? "it writes another layer" : NULL;
  default: return "it has an argument that is no dat";
  }
}

/* At most so far on side k, since the dat has no more. */
static void
keep_within(struct fe_placed *p, int k, int most, const char *dat) {
  if (most < 0) most = 0;
  if (p->made.at[k] <= most) return;
  bool first = p->made.at[k] == INT32_MAX;
  p->made.at[k] = most;
  if (first) return;
  snprintf(p->why, sizeof p->why, "it has no more of \"%.60s\"", dat);
}

static void
keep_in_domain(struct fe_placed *p, const char *why) {
  p->made = (struct fe_halo){{0}};
  snprintf(p->why, sizeof p->why, "%s", why);
}

/* What it writes directly, of which some spreads: as far as all are wide. */
static bool
spread_over(const struct touches *t, struct fe_placed *p) {
  bool any = false;
  for (int k = 0; k < FE_BOX_SIDES; k++) p->made.at[k] = INT32_MAX;
  for (int i = 0; i < t->n; i++) {
    const struct touch *x = &t->at[i];
    if (!x->writes || !x->direct) continue;
    any |= x->dat->spreads;
    const struct fe_set *on = (struct fe_set *)x->dat->pub.set;
    for (int k = 0; k < FE_BOX_SIDES; k++)
      keep_within(p, k, x->dat->spreads ? on->halo.at[k] : 0, x->dat->pub.name);
  }
  if (!any) p->made = (struct fe_halo){{0}};
  return any;
}

/* The largest halo around the domain over which the loop can run. */
static void
find_points(const struct fe_loop *l, const struct touches *t,
            struct fe_placed *p) {
  const struct fe_set *set = (const struct fe_set *)l->set;
  if (!spread_over(t, p)) return;
  if (!set->box) keep_in_domain(p, "it goes over a subset");
  if (l->order) keep_in_domain(p, "it is a scan");
  for (int i = 0; i < shown(l); i++)
    if (kept_by(&l->args[i])) keep_in_domain(p, kept_by(&l->args[i]));
  for (int i = 0; i < t->n; i++) {
    const struct touch *x = &t->at[i];
    if (x->writes && x->direct && !x->dat->spreads)
      keep_in_domain(p, "it writes a dat that is no temporary of a box, too");
    for (int k = 0; x->reads && k < 2 * x->box->ndim; k++)
      if (!x->box->periodic[k / 2])
        keep_within(p, k, there(x->dat)->at[k] - x->reach.at[k],
                    x->dat->pub.name);
  }
}

/* ---- is it there? -------------------------------------------------------- */

static status
fail_short(const struct fe_loop *l, const struct touch *x, int k, int need) {
  const struct fe_dat *d = x->dat;
  const char *side = k % 2 ? "above" : "below";
  if (d->short_of)
    FAIL(ERR_ARG,
         "op_par_loop \"%s\": argument %d: temporary \"%s\": expected values "
         "%d beyond the domain, %s in dimension %d, found %d: %s",
         l->name, x->arg, d->pub.name, need, side, k / 2, there(d)->at[k],
         d->short_of);
  FAIL(ERR_ARG,
       "op_par_loop \"%s\": argument %d: dat \"%s\": expected a halo of %d, %s "
       "in dimension %d, found %d",
       l->name, x->arg, d->pub.name, need, side, k / 2, there(d)->at[k]);
}

/* A write that lands in a halo. */
static status
fail_write(const struct fe_loop *l, const struct touch *x, int k) {
  FAIL(ERR_ARG,
       "op_par_loop \"%s\": argument %d: dat \"%s\": loops write the domain: "
       "expected OP_READ through entries that lie %d beyond it in dimension %d",
       l->name, x->arg, x->dat->pub.name, x->reach.at[k], k / 2);
}

static status
check_there(const struct fe_loop *l, const struct fe_halo *runs,
            const struct touch *x) {
  for (int k = 0; k < 2 * x->box->ndim; k++) {
    int need = x->reach.at[k] + runs->at[k];
    if (x->box->periodic[k / 2]) continue;
    if (x->writes && !x->direct && x->reach.at[k] > 0)
      return fail_write(l, x, k);
    if (x->reads && need > there(x->dat)->at[k])
      return fail_short(l, x, k, need);
  }
  return OK;
}

/* ---- a loop -------------------------------------------------------------- */

static void
note_written(const struct touches *t, struct fe_placed *p) {
  for (int i = 0; i < t->n; i++)
    if (t->at[i].writes && t->at[i].dat->spreads) p->dat[p->n++] = t->at[i].dat;
}

/* The box whose points or subset it is; NULL: none. */
static const struct fe_box *
box_of(const struct fe_set *s) {
  return s->box ? s->box : s->whole ? s->whole->box : NULL;
}

status
fe_box_place(struct fe_loop *l, struct fe_placed *p) {
  struct touches t;
  p->n = 0;
  p->always = true;
  p->made = (struct fe_halo){{0}};
  p->why[0] = 0;
  if (fe_handle_is(l->set, FE_POINTS))
    FAIL(ERR_ARG,
         "op_par_loop \"%s\": set: expected a box, whose domain loops go over, "
         "found \"%s\", on which dats with a halo lie",
         l->name ? l->name : "", l->set->name);
  if (!l->name || !fe_handle_is(l->set, FE_SET) || shown(l) < 0 ||
      shown(l) > FE_MAX_ARGS)
    return OK; /* check.c tells */
  const struct fe_box *box = box_of((struct fe_set *)l->set);
  touches_find(l, &t);
  if (box) find_points(l, &t, p);
  for (int i = 0; i < t.n; i++) {
    p->always &= !t.at[i].dat->spreads;
    TRY(check_there(l, &p->made, &t.at[i]));
  }
  note_written(&t, p);
  if (!p->n || !((struct fe_set *)l->set)->box) return OK;
  struct fe_set *points;
  TRY(fe_box_around("op_par_loop", box, &p->made, false, &points));
  l->set = &points->pub;
  return OK;
}

/* How far dat d of box b, of a layer argument, goes on beyond the domain. */
static void
layers_within(const struct fe_box *b, const struct fe_dat *d, int by,
              struct fe_scan *s) {
  int k = 2 * (b->ndim - 1);
  const struct fe_halo *h = there(d);
  int low = fe_halo_width((int64_t)by + h->at[k]);
  int high = fe_halo_width((int64_t)by - h->at[k + 1]);
  if (low < s->low) s->low = low;
  if (high > s->high) s->high = high;
}

status
fe_box_layers_find(const struct fe_loop *l, struct fe_scan *s) {
  struct touch x;
  const struct fe_box *b = box_of((const struct fe_set *)l->set);
  int last = b->ndim - 1;
  if (b->periodic[last])
    FAIL(ERR_ARG,
         "op2_par_loop_scan \"%s\": set: expected a box whose last dimension "
         "is OP2_HALO, since a scan begins at one end, found \"%s\", in which "
         "dimension %d is OP2_PERIODIC",
         l->name, l->set->name, last);
  if (b->cut[last] > 1)
    FAIL(
        ERR_ARG,
        "op2_par_loop_scan \"%s\": set: expected a box whose last dimension is "
        "whole on each rank, found \"%s\", of which dimension %d is cut into "
        "%d: boxes of three and more dimensions keep it whole (one of them may "
        "have one point)",
        l->name, l->set->name, last, b->cut[last]);
  for (int i = 0; i < shown(l); i++)
    if (l->args[i].argtype == OP2_ARG_LAYER && touch_of(l, &l->args[i], &x) &&
        x.box == b)
      layers_within(b, x.dat, l->args[i].idx, s);
  return OK;
}

static void
say_short(struct fe_dat *d, const char *loop, const char *why) {
  char text[320];
  snprintf(text, sizeof text, "loop \"%.80s\" made it, and %s", loop,
           *why ? why : "what else it writes is narrower");
  if (d->short_of && !strcmp(d->short_of, text)) return;
  free(d->short_of);
  d->short_of = fe_text_copy(text);
}

static bool
is_whole(const struct fe_dat *d) {
  const struct fe_set *on = (const struct fe_set *)d->pub.set;
  return !memcmp(&d->made, &on->halo, sizeof on->halo);
}

void
fe_box_recorded(const char *loop, const struct fe_placed *p) {
  for (uint32_t i = 0; i < p->n; i++) {
    struct fe_dat *d = p->dat[i];
    d->made = p->made;
    if (is_whole(d))
      fe_box_whole(d);
    else
      say_short(d, loop, p->why);
  }
}
