#include "scans.h"

#include "columns.h"

#include <stdlib.h>

/* ---- columns of sets and of boxes ------------------------------------------------- */

/* n elements of a column, from the lowest layer on. */
struct line {
  int first, step, n;
};

static int
line_count(const struct program *p, int whole) {
  return set_is_box(p, whole) ? box_plane(p, whole)
                              : p->sets[p->made[whole].over];
}

static struct line
line_at(const struct program *p, int whole, int b) {
  if (set_is_box(p, whole))
    return (struct line){b, box_plane(p, whole), box_layers(p, whole)};
  struct column c = column_at(p, whole, b);
  return (struct line){c.first, 1, c.n};
}

bool
scan_goes(const struct program *p, int whole) {
  const struct pmade *u = &p->made[whole];
  if (set_has_columns(p, whole)) return true;
  return set_is_box(p, whole) && !u->turns[u->ndim - 1];
}

int
loop_set(const struct program *p, const struct op *o) {
  return o->order ? set_whole(p, o->what) : o->what;
}

/* ---- over which elements ------------------------------------------------------------ */

static bool *
members(const struct program *p, int s) {
  bool *in = get_memory((size_t)p->sets[set_whole(p, s)] + 1, sizeof *in);
  for (int e = 0; e < p->sets[s]; e++) in[set_element(p, s, e)] = true;
  return in;
}

/* Layers from the lowest to the highest that arguments name, around the element's
 * own, less what the dats have beyond the domain. */
struct span {
  int low, high;
};

static struct span
layers_named(const struct world *w, const struct op *o) {
  struct span s = {0, 0};
  int whole = set_whole(w->p, o->what), last = w->p->made[whole].ndim - 1;
  for (int a = 0; a < o->nargs; a++) {
    const struct parg *g = &o->args[a];
    if (g->off || !g->layered) continue;
    struct area dat = dat_area(w, g->obj);
    int below = last < 0 ? 0 : dat.at[2 * last];
    int above = last < 0 ? 0 : dat.at[2 * last + 1];
    if (g->layer + below < s.low) s.low = g->layer + below;
    if (g->layer - above > s.high) s.high = g->layer - above;
  }
  return s;
}

/* Column by column, each in the scan's order. */
static void
scan_list(const struct world *w, const struct op *o, struct over *out) {
  const struct program *p = w->p;
  int whole = set_whole(p, o->what);
  bool *in = members(p, o->what);
  struct span s = layers_named(w, o);
  for (int b = 0; b < line_count(p, whole); b++) {
    struct line l = line_at(p, whole, b);
    for (int i = 0; i < l.n; i++) {
      int k = o->order == ORDER_BACKWARD ? l.n - 1 - i : i;
      int e = l.first + k * l.step;
      if (o->layered && (k < o->lo || k > o->hi)) continue;
      if (in[e] && k + s.low >= 0 && k + s.high < l.n) ADD(out->at, out->n, e);
    }
  }
  free(in);
}

void
scan_elements(const struct world *w, const struct op *o, struct over *out) {
  int plane = o->order ? 0 : box_plane(w->p, o->what);
  out->n = 0;
  out->at = get_memory(1, sizeof *out->at);
  if (o->order)
    scan_list(w, o, out);
  else
    for (int e = o->lo * plane; e < (o->hi + 1) * plane; e++)
      ADD(out->at, out->n, e);
}

/* ---- layer arguments ------------------------------------------------------------------ */

/* The layers of a box that a loop goes over, no scan; false: none. Of the box itself all,
 * as by a rule, of some of it those in which it has points. */
static bool
layers_of(const struct program *p, const struct op *o, int *lo, int *hi) {
  int whole = set_whole(p, o->what), plane = box_plane(p, whole);
  *lo = box_layers(p, whole);
  *hi = -1;
  if (o->layered && plane) *lo = o->lo, *hi = o->hi;
  if (!o->layered && o->what == whole) *hi = *lo - 1, *lo = 0;
  if (o->layered || o->what == whole) return *lo <= *hi;
  for (int e = 0; e < p->sets[o->what]; e++) {
    int k = set_element(p, o->what, e) / plane;
    if (k < *lo) *lo = k;
    if (k > *hi) *hi = k;
  }
  return *lo <= *hi;
}

struct area
layer_reach(const struct program *p, const struct op *o, const struct parg *g) {
  struct area x = {{0}};
  int whole = set_whole(p, o->what), last = p->made[whole].ndim - 1, lo, hi;
  if (o->order || !g->layered || last < 0 || p->made[whole].turns[last])
    return x;
  bool any = layers_of(p, o, &lo, &hi);
  if (!any && (o->layered || whole != o->what)) return x; /* of none */
  if (!any) lo = 0, hi = -1;
  x.at[2 * last] = -(lo + g->layer);
  x.at[2 * last + 1] = hi + g->layer + 1 - box_layers(p, whole);
  return x;
}

bool
only_reads(const struct param *m) {
  return m->access == 'R' && m->declared == 'R';
}

static bool
reaches_nothing(const struct area *x) {
  for (int k = 0; k < 2 * BOX_DIMS; k++)
    if (x->at[k] > 0) return false;
  return true;
}

/* Reads of what a halo has not are loop_reaches' to tell. */
bool
layer_fits(const struct program *p, const struct op *o, const struct param *m,
           const struct parg *g) {
  int whole = set_whole(p, o->what), to = p->dats[g->obj].set;
  struct area x = layer_reach(p, o, g);
  if (m->kind != P_DAT || g->map >= 0) return false;
  if (to != whole && !points_around(p, to, whole)) return false;
  if (o->order) return only_reads(m);
  if (set_has_columns(p, whole)) return layer_exists(p, o->what, g->layer);
  return set_is_box(p, whole) && (only_reads(m) || reaches_nothing(&x));
}

int
layer_target(const struct program *p, int s, const struct area *x, int e,
             const struct parg *g) {
  e = set_element(p, s, e);
  if (!set_is_box(p, set_whole(p, s))) return e + g->layer;
  return point_layer(p, p->dats[g->obj].set, x, e, g->layer);
}

/* ---- what a scan takes ------------------------------------------------------------------ */

static bool
is_dat(const struct op *o, int a) {
  const struct param *m = &o->row->params[a];
  return (m->kind == P_DAT || m->kind == P_VECTOR) && !o->args[a].off;
}

/* Is the memory of argument a written, of another dat or, unless its layer comes
 * before, of this one? */
static bool
reads_ahead(const struct program *p, const struct op *o, int a) {
  const struct parg *g = &o->args[a];
  int dl = o->order == ORDER_FORWARD ? g->layer : -g->layer;
  for (int b = 0; b < o->nargs; b++) {
    if (!is_dat(o, b) || only_reads(&o->row->params[b]) ||
        dat_root(p, o->args[b].obj) != dat_root(p, g->obj))
      continue;
    if (g->map >= 0 || o->args[b].obj != g->obj || dl > 0) return true;
  }
  return false;
}

static bool
scan_takes(const struct program *p, const struct op *o, int a) {
  const struct param *m = &o->row->params[a];
  const struct parg *g = &o->args[a];
  if (g->off || m->kind == P_GBL) return true;
  if (!is_dat(o, a)) return false;
  if (g->map < 0 && !g->layered) return true;
  if (!only_reads(m) || reads_ahead(p, o, a)) return false;
  return g->map < 0 ||
         (!p->maps[g->map].csr && p->maps[g->map].kind != MAP_LOCAL);
}

bool
scan_fits(const struct program *p, const struct op *o) {
  if (!o->order) return true;
  if (!scan_goes(p, set_whole(p, o->what))) return false;
  for (int a = 0; a < o->nargs; a++)
    if (!scan_takes(p, o, a)) return false;
  return true;
}

/* ---- drawing, and making simpler --------------------------------------------------------- */

void
scan_bend(struct rnd *r, struct op *o) {
  int from = rnd_below(r, o->nargs), to = rnd_below(r, o->nargs);
  for (int tries = 0; tries < o->nargs * o->nargs; tries++) {
    const struct param *x = &o->row->params[from], *y = &o->row->params[to];
    bool own = is_dat(o, to) && o->args[to].map < 0 && !o->args[to].layered;
    bool reads = is_dat(o, from) && x->kind == P_DAT && only_reads(x);
    if (own && reads && !only_reads(y) && x->type == y->type &&
        x->dim == y->dim) {
      int dl = 1 + rnd_chance(r, 25);
      o->args[from] =
          (struct parg){.obj = o->args[to].obj,
                        .map = -1,
                        .layered = true,
                        .layer = o->order == ORDER_FORWARD ? -dl : dl};
      return;
    }
    from = (from + 1) % o->nargs;
    if (tries % o->nargs == o->nargs - 1) to = (to + 1) % o->nargs;
  }
}

void
scan_turn(struct op *o) {
  o->order = o->order == ORDER_FORWARD ? ORDER_BACKWARD : ORDER_FORWARD;
  for (int a = 0; a < o->nargs; a++) o->args[a].layer *= -1;
}

/* Layers nearer by one, all of them. */
static bool
nearer(struct op *o) {
  bool any = false;
  for (int a = 0; a < o->nargs; a++) {
    int *dl = &o->args[a].layer;
    if (*dl < -1 || *dl > 1) *dl += *dl < 0 ? 1 : -1, any = true;
  }
  return any;
}

static bool
is_simpler(struct op *o, int what) {
  bool backward = o->order == ORDER_BACKWARD;
  if (what == 0 && o->order) return o->order = ORDER_NONE, true;
  if (what == 1 && backward) return scan_turn(o), true;
  if (what == 2) return nearer(o);
  if (what != 3 || o->kind != DO_LEVELS || o->nlevels != 1) return false;
  o->kind = DO_LOOP;
  o->x = o->y = o->nlevels = 0;
  return true;
}

struct program *
scan_simpler(const struct program *old, int k, int what) {
  struct program *p = program_clone(old);
  if (is_simpler(&p->ops[k], what)) return p;
  program_free(p);
  return NULL;
}
