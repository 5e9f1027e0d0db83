#include "levels.h"

#include "scans.h"

#include <stdlib.h>
#include <string.h>

static bool
refuse(struct world *w, const char *why) {
  w->why = why;
  return false;
}

/* ---- levels ------------------------------------------------------------------------- */

/* Levels are numbered from the first splitter's lowest one on. */
static int
level_number(const struct paxis *x, const int *level) {
  int offset = level[1] < 0 ? level[1] : level[1] - 1;
  return 2 * x->limit * level[0] + x->limit + offset;
}

static void
level_of(const struct paxis *x, int number, int *level) {
  int offset = number % (2 * x->limit) - x->limit;
  level[0] = number / (2 * x->limit);
  level[1] = offset < 0 ? offset : offset + 1;
}

static int
level_count(const struct paxis *x) {
  return 2 * x->limit * x->nsplitters;
}

static bool
level_exists(const struct paxis *x, const int *level) {
  int size = abs(level[1]);
  return level[0] >= 0 && level[0] < x->nsplitters && size && size <= x->limit;
}

/* No kernel may begin at the lowest level that a splitter names, nor end at its
 * highest. */
static bool
interval_exists(const struct paxis *x, const struct plevel *v) {
  return level_exists(x, v->from) && level_exists(x, v->to) &&
         v->from[1] != -x->limit && v->to[1] != x->limit &&
         level_number(x, v->from) <= level_number(x, v->to);
}

bool
axes_settle(const struct program *p) {
  for (int k = 0; k < p->naxes; k++)
    if (!set_is_box(p, p->axes[k].set)) return false;
  return true;
}

/* ---- where they are ------------------------------------------------------------------ */

/* Up to two layers before the first, and up to three times some between others; what
 * would be outside is at the end. */
int
axis_position(const struct program *p, int axis, int formula, int k) {
  int n = box_layers(p, p->axes[axis].set), at = formula % 3;
  for (int i = 0, digits = formula / 3; i < k; i++, digits /= 4)
    at += digits % 4 * (1 + n / 8);
  return at < n ? at : n;
}

static int
level_layer(const struct program *p, int axis, int formula, int number) {
  int level[2];
  level_of(&p->axes[axis], number, level);
  int at = axis_position(p, axis, formula, level[0]);
  return level[1] < 0 ? at + level[1] : at + level[1] - 1;
}

/* Layers of levels first to last: none if *hi is *lo - 1. False: they overlap, or
 * leave the box. */
static bool
find_layers(const struct program *p, int axis, int formula, int first, int last,
            int *lo, int *hi) {
  int n = box_layers(p, p->axes[axis].set);
  *lo = level_layer(p, axis, formula, first);
  *hi = level_layer(p, axis, formula, last);
  return *hi == *lo - 1 || (*hi >= *lo && *lo >= 0 && *hi < n);
}

void
axes_begin(struct world *w) {
  const struct program *p = w->p;
  w->axes = get_memory((size_t)p->naxes, sizeof *w->axes);
  for (int k = 0; k < p->naxes; k++) {
    size_t n = (size_t)level_count(&p->axes[k]);
    w->axes[k].used = get_memory(n * n, sizeof *w->axes[k].used);
  }
}

void
axes_end(struct world *w) {
  for (int k = 0; k < w->p->naxes; k++) free(w->axes[k].used);
  free(w->axes);
}

/* Shows whether it is refused, as levels of loops before would overlap, or leave the
 * box; then splitters stay where they are. */
bool
place_run(struct world *w, const struct op *o, struct seen *seen) {
  int n = level_count(&w->p->axes[o->what]), lo, hi;
  struct placed *x = &w->axes[o->what];
  bool ok = true;
  for (int i = 0; ok && i < n * n; i++)
    ok =
        !x->used[i] || find_layers(w->p, o->what, o->x, i / n, i % n, &lo, &hi);
  if (ok) x->some = true, x->formula = o->x;
  see_number(seen, 'i', !ok);
  return true;
}

/* ---- parts, in which the same kernels hold ---------------------------------------------- */

/* Levels first to last, one of which begins or ends an interval; kernels, a bit for
 * each; their layers. */
struct part {
  int first, last, lo, hi;
  unsigned holds;
};

static unsigned
held_at(const struct paxis *x, const struct op *o, int number) {
  unsigned bits = 0;
  for (int k = 0; k < o->nlevels; k++)
    if (level_number(x, o->levels[k].from) <= number &&
        number <= level_number(x, o->levels[k].to))
      bits |= 1u << k;
  return bits;
}

/* Does an interval begin there, or has one ended just below? */
static bool
is_cut(const struct paxis *x, const struct op *o, int number) {
  for (int k = 0; k < o->nlevels; k++)
    if (level_number(x, o->levels[k].from) == number ||
        level_number(x, o->levels[k].to) + 1 == number)
      return true;
  return false;
}

/* Parts that some kernel holds in, ascending; *gaps: there are others between. */
static struct part *
find_parts(const struct paxis *x, const struct op *o, int *n_out, bool *gaps) {
  struct part *parts = NULL;
  unsigned before = 0;
  int n = 0;
  *gaps = false;
  for (int number = 0; number < level_count(x); number++) {
    unsigned bits = held_at(x, o, number);
    if (bits && n && !before) *gaps = true;
    before = bits;
    if (bits && (!n || is_cut(x, o, number)))
      ADD(parts, n, ((struct part){.first = number, .holds = bits}));
    if (bits) parts[n - 1].last = number;
  }
  *n_out = n;
  return parts;
}

static bool
params_alike(const struct row *a, const struct row *b) {
  if (a->nparams != b->nparams || a->effect != b->effect) return false;
  for (int k = 0; k < a->nparams; k++) {
    const struct param *x = &a->params[k], *y = &b->params[k];
    if (x->kind != y->kind || x->access != y->access ||
        x->declared != y->declared || x->count != y->count ||
        x->ref != y->ref || x->type != y->type || x->dim != y->dim ||
        x->optional != y->optional || x->packed != y->packed)
      return false;
  }
  return true;
}

static bool
kernels_fit(struct world *w, const struct op *o) {
  const struct paxis *x = &w->p->axes[o->x];
  if (o->what != x->set) return refuse(w, "an axis of another box");
  if (!w->axes[o->x].some) return refuse(w, "splitters that are nowhere");
  if (!o->nlevels || o->row != o->levels[0].row)
    return refuse(w, "no kernel for levels");
  for (int k = 0; k < o->nlevels; k++) {
    if (!params_alike(o->row, o->levels[k].row))
      return refuse(w, "kernels with other parameters");
    if (!interval_exists(x, &o->levels[k]))
      return refuse(w, "an interval that is none");
  }
  return true;
}

/* Some of the parts may be empty. */
static bool
parts_fit(struct world *w, const struct op *o, struct part *parts, int n) {
  bool any = false;
  for (int k = 0; k < n; k++) {
    struct part *v = &parts[k];
    if (!find_layers(w->p, o->x, w->axes[o->x].formula, v->first, v->last,
                     &v->lo, &v->hi))
      return refuse(w, "levels overlap");
    if (o->order && v->holds & (v->holds - 1))
      return refuse(w, "several kernels at a level in order");
    any |= v->hi >= v->lo;
  }
  return any || refuse(w, "nothing runs");
}

/* ---- running them ------------------------------------------------------------------------ */

/* All that loops with these arguments change. */
struct kept {
  union cell *v;
  double *err;
  bool due;
  struct area made;
};

static struct kept *
keep_stores(struct world *w, const struct op *o) {
  struct kept *kept = get_memory((size_t)o->nargs, sizeof *kept);
  for (int a = 0; a < o->nargs; a++) {
    const struct store *s = arg_store(w, o, a);
    if (!s) continue;
    size_t n = (size_t)s->n;
    kept[a].v = get_memory(n, sizeof *s->v);
    kept[a].err = get_memory(n, sizeof *s->err);
    memcpy(kept[a].v, s->v, n * sizeof *s->v);
    memcpy(kept[a].err, s->err, n * sizeof *s->err);
    kept[a].due = s->due;
    kept[a].made = s->made;
  }
  return kept;
}

/* Puts them back if `undo`. */
static void
kept_free(struct world *w, const struct op *o, struct kept *kept, bool undo) {
  for (int a = 0; a < o->nargs; a++) {
    struct store *s = arg_store(w, o, a);
    if (s && undo) {
      memcpy(s->v, kept[a].v, (size_t)s->n * sizeof *s->v);
      memcpy(s->err, kept[a].err, (size_t)s->n * sizeof *s->err);
      s->due = kept[a].due;
      s->made = kept[a].made;
    }
    free(kept[a].v);
    free(kept[a].err);
  }
  free(kept);
}

/* Its kernels, each over all layers before the next; what the last loop shows stands
 * in `seen`. */
static bool
part_run(struct world *w, const struct op *o, const struct part *v,
         struct seen *seen) {
  if (v->hi < v->lo) return true;
  for (int k = 0; k < o->nlevels; k++) {
    struct op loop = {.kind = DO_LOOP,
                      .what = o->what,
                      .row = o->levels[k].row,
                      .args = o->args,
                      .nargs = o->nargs,
                      .order = o->order,
                      .layered = true,
                      .lo = v->lo,
                      .hi = v->hi};
    if (!(v->holds >> k & 1)) continue;
    seen_clear(seen);
    if (!world_run(w, &loop, seen)) return false;
  }
  return true;
}

static bool
parts_run(struct world *w, const struct op *o, const struct part *parts, int n,
          struct seen *seen) {
  struct ref_globals constants = ref_globals;
  struct kept *kept = keep_stores(w, o);
  bool ok = true;
  for (int i = 0; ok && i < n; i++)
    ok = part_run(w, o, &parts[o->order == ORDER_BACKWARD ? n - 1 - i : i],
                  seen);
  kept_free(w, o, kept, !ok);
  if (!ok) {
    ref_globals = constants;
    seen_clear(seen);
    return false;
  }
  int all = level_count(&w->p->axes[o->x]);
  for (int i = 0; i < n; i++)
    w->axes[o->x].used[parts[i].first * all + parts[i].last] = true;
  return true;
}

bool
levels_run(struct world *w, const struct op *o, struct seen *seen) {
  int n;
  bool gaps;
  if (!kernels_fit(w, o)) return false;
  struct part *parts = find_parts(&w->p->axes[o->x], o, &n, &gaps);
  bool ok = !gaps || o->y || refuse(w, "levels without a kernel");
  ok = ok && parts_fit(w, o, parts, n) && parts_run(w, o, parts, n, seen);
  free(parts);
  return ok;
}

/* ---- drawing -------------------------------------------------------------------------------- */

void
axes_draw(struct program *p, struct rnd *r, int box) {
  for (int k = 0; k <= (int)rnd_chance(r, 30); k++)
    ADD(p->axes, p->naxes,
        ((struct paxis){.set = box,
                        .nsplitters = 2 + rnd_below(r, 4),
                        .limit = 1 + rnd_below(r, 3)}));
}

enum scan_order
levels_order(const struct program *p, struct rnd *r, int axis) {
  int order = rnd_below(r, 4) - 1;
  if (order < 0 || !scan_goes(p, p->axes[axis].set)) return ORDER_NONE;
  return (enum scan_order)order;
}

/* A level at which a kernel may begin, and above the one at which one may end. */
static int
draw_cut(const struct paxis *x, struct rnd *r, int least) {
  for (int tries = 0; tries < 20; tries++) {
    int number = least + rnd_below(r, level_count(x) - least);
    if (number % (2 * x->limit)) return number;
  }
  return -1;
}

/* From one cut to another; in order, or often, from where the last one ended. */
static bool
draw_interval(const struct paxis *x, struct rnd *r, struct op *o, int *at) {
  struct plevel *v = &o->levels[o->nlevels - 1];
  bool behind = o->nlevels > 1 && (o->order || rnd_chance(r, 50));
  int from = behind ? *at : draw_cut(x, r, behind ? *at : 0);
  if (behind && o->y && rnd_chance(r, 50)) from = draw_cut(x, r, *at);
  int end = from < 0 ? -1 : draw_cut(x, r, from);
  if (from < 0 || end <= from) return false;
  level_of(x, from, v->from);
  level_of(x, end - 1, v->to);
  *at = end;
  return true;
}

bool
levels_draw(const struct program *p, struct rnd *r, struct op *o,
            const struct row *const *rows, int nrows) {
  const struct paxis *x = &p->axes[o->x];
  int at = 0, want = 1 + rnd_below(r, 4);
  o->y = rnd_chance(r, 30);
  for (int tries = 0; o->nlevels < want && tries < 30; tries++) {
    const struct row *row = tries ? rows[rnd_below(r, nrows)] : o->row;
    if (!params_alike(o->row, row)) continue;
    ADD(o->levels, o->nlevels, ((struct plevel){.row = row}));
    if (!draw_interval(x, r, o, &at)) o->nlevels--;
    if (!o->nlevels) return false;
  }
  return o->nlevels > 0;
}

void
levels_drop(struct op *o, int k) {
  for (int i = k; i + 1 < o->nlevels; i++) o->levels[i] = o->levels[i + 1];
  o->nlevels--;
  if (o->nlevels) o->row = o->levels[0].row;
}
