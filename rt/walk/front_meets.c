/* What of a front's launches meets what.
 *
 * Problem. Which elements of two launches share memory, tables say, entry by
 * entry. Over ranks (front_layers.c) elements of one launch are in program
 * order layer by layer, but not across layers.
 *
 * Idea. A strand is what of a launch is in one order: all of its elements, or a
 * layer of a rank's part. Two strands meet in a layer of targets, each by a map
 * or at its own elements, where both go to the same memory and one writes. How
 * far each has come there margins say (rt/mesh/margins.h), of the elements of
 * the one strand and of the targets in that layer alone:
 *
 *   edges: strands of layers 0, 1, 2; cells likewise; edges of layer 1 name
 *   cells of layers 0 to 2, so they meet cells of layer 0 by margins of (edges
 *   of layer 1, cells of layer 0), and so on
 *
 * Strands of one launch meet as well, where its elements add to the same
 * targets: the one of a later layer waits, since its numbers are larger.
 *
 * Cost. Without ranks a strand a launch, and a pass over each map; else three
 * passes over each, and O(strands^2 * touches). */
#include "rt/walk/front_meets.h"

#include "base/arena.h"
#include "rt/mesh/relation.h"
#include "rt/ranks/dist.h"
#include "rt/walk/front_layers.h"

#include <assert.h>
#include <stdlib.h>

/* ---- strands ------------------------------------------------------------- */

static void
find_strands(struct rt_meets *m) {
  for (uint32_t i = 0; i < m->c->count; i++) {
    const struct rt_launch *l = &m->p->launches[m->c->first + i];
    int layers = rt_launch_layers(m->p, l);
    for (int k = 0; k < layers; k++) {
      struct rt_strand x = {i, rt_set_layer(m->p->sets[l->set], k), k};
      if (k && x.all.lo == x.all.hi) continue;
      VEC_PUSH(m->strands, m->n, m->capstrands, x);
    }
  }
}

idx_l
rt_strand_place(const struct rt_meets *m, uint32_t r, idx_l e) {
  const struct rt_part *part = m->p->sets[rt_strand_launch(m, r)->set]->part;
  return part && part->place ? part->place[e] : e;
}

idx_l
rt_strand_places(const struct rt_meets *m, uint32_t r) {
  const struct rt_set *set = m->p->sets[rt_strand_launch(m, r)->set];
  return set->part ? set->part->owned : set->n;
}

idx_l
rt_strand_at(const struct rt_meets *m, uint32_t r, idx_l lo, idx_l hi,
             int64_t place) {
  while (lo < hi) {
    idx_l mid = lo + (hi - lo) / 2;
    if (rt_strand_place(m, r, mid) < place)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* ---- which of them meet -------------------------------------------------- */

/* To the targets of a layer; *none: it names none of them. */
static status
find_way(const struct rt_meets *m, uint32_t r, uint32_t touch, int layer,
         struct rt_way_to *out, bool *none) {
  uint32_t map = m->c->touches[touch].map;
  const struct rt_strand *s = &m->strands[r];
  const struct rt_set *to = map == RT_DIRECT
                                ? m->p->sets[rt_strand_launch(m, r)->set]
                                : m->p->maps[map]->to;
  struct rt_range x = rt_set_layer(to, layer);
  *out = (struct rt_way_to){NULL, x.lo, x.hi};
  *none = x.lo == x.hi || (map == RT_DIRECT && layer != s->layer);
  if (*none || map == RT_DIRECT) return OK;
  const struct rt_margins *all;
  struct rt_window w = {s->all.lo, s->all.hi, 0, to->n};
  TRY(rt_margins_get(m->p->maps[map], w, &all));
  *none = all->least[0] >= x.hi || all->bound[all->n] <= x.lo;
  if (*none) return OK;
  w.first = x.lo;
  w.end = x.hi;
  TRY(rt_margins_get(m->p->maps[map], w, &out->margins));
  *none = rt_way_bound(out, s->all.hi) == x.lo;
  return OK;
}

/* Once, whatever they both go to. */
static void
add_meet(struct rt_meets *m, uint32_t r, struct rt_meet x) {
  for (uint32_t k = m->first[r]; k < m->nall; k++) {
    const struct rt_meet *y = &m->all[k];
    if (y->before == x.before && y->a.margins == x.a.margins &&
        y->b.margins == x.b.margins && y->a.first == x.a.first)
      return;
  }
  VEC_PUSH(m->all, m->nall, m->capall, x);
}

/* Where strands r and `before` go by touches a and b: neighbours are in the
 * same layer, or the next one. */
static status
find_meet(struct rt_meets *m, uint32_t r, uint32_t a, uint32_t before,
          uint32_t b) {
  int layer = m->strands[r].layer;
  for (int k = layer ? layer - 1 : 0; k <= layer + 1 && k < DEPTH_MAX; k++) {
    struct rt_meet x = {.before = before};
    bool none;
    TRY(find_way(m, r, a, k, &x.a, &none));
    if (!none) TRY(find_way(m, before, b, k, &x.b, &none));
    if (!none) add_meet(m, r, x);
  }
  return OK;
}

/* touch[i], touch[i + 1]: where those of launch i begin and end. */
static uint32_t *
find_touches(const struct rt_chain *c) {
  uint32_t *touch = mem_alloc((size_t)c->count + 1, sizeof *touch);
  for (uint32_t k = 0; k < c->ntouches; k++) touch[c->touches[k].launch + 1]++;
  for (uint32_t i = 0; i < c->count; i++) touch[i + 1] += touch[i];
  assert(touch[c->count] == c->ntouches);
  return touch;
}

/* Of two strands that are close enough. */
static status
find_meets_with(struct rt_meets *m, uint32_t r, uint32_t before,
                const uint32_t *touch) {
  const struct rt_chain *c = m->c;
  const uint32_t *own = &touch[m->strands[r].launch];
  const uint32_t *other = &touch[m->strands[before].launch];
  if (abs(m->strands[r].layer - m->strands[before].layer) > 2) return OK;
  for (uint32_t a = own[0]; a < own[1]; a++)
    for (uint32_t k = other[0]; k < other[1]; k++) {
      const struct rt_touch *x = &c->touches[a], *y = &c->touches[k];
      if (x->memory == y->memory && (x->writes || y->writes))
        TRY(find_meet(m, r, a, before, k));
    }
  return OK;
}

static status
find_meets(struct rt_meets *m) {
  SCOPED uint32_t *touch = find_touches(m->c);
  for (uint32_t r = 0; r < m->n; r++) {
    m->first[r] = m->nall;
    for (uint32_t before = 0; before <= r; before++)
      TRY(find_meets_with(m, r, before, touch));
  }
  m->first[m->n] = m->nall;
  return OK;
}

status
rt_meets_find(const struct rt_program *p, const struct rt_chain *c,
              struct rt_meets *out) {
  *out = (struct rt_meets){.p = p, .c = c};
  find_strands(out);
  out->first = mem_alloc((size_t)out->n + 1, sizeof *out->first);
  return find_meets(out);
}

void
rt_meets_clear(struct rt_meets *m) {
  free(m->strands);
  free(m->all);
  free(m->first);
  *m = (struct rt_meets){0};
}
