#include "areas.h"

#include "scans.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool
is_dat(const struct op *o, int a) {
  const struct param *m = &o->row->params[a];
  bool dat = m->kind == P_DAT || m->kind == P_VECTOR;
  return dat && !o->args[a].off;
}

static bool
is_spread(const struct program *p, int dat) {
  return p->dats[dat].temp && p->made[p->dats[dat].set].points;
}

/* Argument a is a temporary that the loop may write. */
static bool
writes_spread(const struct program *p, const struct op *o, int a) {
  return is_dat(o, a) && o->row->params[a].declared != 'R' &&
         is_spread(p, o->args[a].obj);
}

static struct area
halo_of(const struct program *p, int dat) {
  struct area x;
  memcpy(x.at, p->made[p->dats[dat].set].halo, sizeof x.at);
  return x;
}

struct area
dat_area(const struct world *w, int dat) {
  return is_spread(w->p, dat) ? w->dats[dat].made : halo_of(w->p, dat);
}

/* How far the argument's entries lead out of the box. */
static struct area
reach_of(const struct program *p, const struct op *o, int a) {
  const struct parg *g = &o->args[a];
  const struct param *m = &o->row->params[a];
  const struct pmap *map = g->map >= 0 ? &p->maps[g->map] : NULL;
  if (g->layered) return layer_reach(p, o, g);
  if (!map || !map_is_rule(map)) return (struct area){{0}};
  if (map->kind == MAP_TABLE) return rule_reach(p, map, 0, map->arity);
  if (m->kind == P_VECTOR) return rule_reach(p, map, 0, m->count);
  return rule_reach(p, map, g->idx, g->idx + 1);
}

static void
keep_within(struct area *x, const struct area *most, const struct area *less) {
  for (int k = 0; k < 2 * BOX_DIMS; k++) {
    int n = most->at[k] - less->at[k];
    if (n < 0) n = 0;
    if (n < x->at[k]) x->at[k] = n;
  }
}

/* Does the argument keep its loop in the domain? */
static bool
keeps_inside(const struct program *p, const struct op *o, int a) {
  const struct param *m = &o->row->params[a];
  const struct parg *g = &o->args[a];
  if (g->off) return false;
  if (m->kind == P_GBL) return m->declared != 'R';
  if (!is_dat(o, a)) return true; /* an index, a payload */
  if (g->map < 0)
    return m->declared != 'R' && (g->layer || !is_spread(p, g->obj));
  return m->declared != 'R' || !map_has_no_table(&p->maps[g->map]);
}

/* Around the domain of its box. */
static struct area
loop_area(const struct world *w, const struct op *o) {
  static const struct area none;
  struct area x;
  bool any = false;
  if (o->order || o->layered) return none;
  for (int k = 0; k < 2 * BOX_DIMS; k++) x.at[k] = INT_MAX;
  for (int a = 0; a < o->nargs; a++) {
    if (keeps_inside(w->p, o, a)) return none;
    if (!is_dat(o, a)) continue;
    struct area reach = reach_of(w->p, o, a), dat = dat_area(w, o->args[a].obj);
    struct area halo = halo_of(w->p, o->args[a].obj);
    any |= writes_spread(w->p, o, a);
    if (writes_spread(w->p, o, a)) keep_within(&x, &halo, &none);
    if (o->row->params[a].declared != 'W') keep_within(&x, &dat, &reach);
  }
  return any && set_is_box(w->p, o->what) ? x : none;
}

struct over
loop_over(const struct world *w, const struct op *o) {
  struct over v = {.x = loop_area(w, o)};
  if (o->order || o->layered)
    scan_elements(w, o, &v);
  else if (set_is_box(w->p, o->what))
    v.n = area_size(w->p, o->what, &v.x);
  else
    v.n = w->p->sets[o->what];
  return v;
}

void
over_clear(struct over *v) {
  free(v->at);
}

int
over_element(const struct over *v, int i) {
  return v->at ? v->at[i] : i;
}

bool
loop_reaches(const struct world *w, const struct op *o, const struct area *x) {
  for (int a = 0; a < o->nargs; a++) {
    if (!is_dat(o, a) || o->row->params[a].declared == 'W') continue;
    struct area reach = reach_of(w->p, o, a), dat = dat_area(w, o->args[a].obj);
    for (int k = 0; k < 2 * BOX_DIMS; k++)
      if (reach.at[k] + x->at[k] > dat.at[k]) return false;
  }
  return true;
}

void
loop_made(struct world *w, const struct op *o, const struct area *x) {
  for (int a = 0; a < o->nargs; a++)
    if (writes_spread(w->p, o, a)) w->dats[o->args[a].obj].made = *x;
}

void
store_made(const struct program *p, int dat, struct store *s) {
  s->made = halo_of(p, dat);
}
