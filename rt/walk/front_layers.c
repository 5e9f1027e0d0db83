/* Layers of a rank's part, for fronts over ranks.
 *
 * Problem. Loops over ranks need values of others in between. Only what is deep
 * enough inside can run without: less of each loop than of the one before it.
 *
 * Idea. Owned elements lie by depth (rt/ranks/part_depth.c). Each launch of a
 * front says from which depth on it runs there (`deep`, found by ir/front.c);
 * on the others it runs behind the front, where the program has it, as values
 * of others come. Since neighbours differ by one in depth, and `deep` grows by
 * as many steps as lie between what launches touch, no element of the front
 * needs one that is left behind by an earlier launch, nor spoils what it reads:
 *
 *   depth            6+      5      4      3      2      1  | others'
 *   edges, deep 3    front   front  front  front  behind
 *   cells, deep 4    front   front  front  behind
 *   edges, deep 6    front   behind
 *
 * Elements lie in program order inside each layer, not across them. So a
 * front (front_plan.c) takes the layers for strands of their own, each behind
 * those of its launch with which it shares targets: increments come in the
 * order of numbers, as without a front.
 *
 * Depths are those of the maps that were there when sets were spread: the maps
 * by which launches go are looked at, and where one leads too far there is no
 * front. */
#include "rt/walk/front_layers.h"

#include "base/arena.h"
#include "rt/mesh/margins.h"
#include "rt/ranks/dist.h"

#include <assert.h>

/* Elements of the set of depth k and more are [0, deep_end(set, k)). */
static idx_l
deep_end(const struct rt_set *set, int k) {
  if (k > DEPTH_MAX) return 0;
  return k > 0 ? set->part->deep[k] : set->part->n;
}

struct rt_range
rt_set_layer(const struct rt_set *set, int k) {
  assert(0 <= k && k < DEPTH_MAX);
  if (!set->part) return (struct rt_range){0, k ? 0 : set->n};
  int depth = DEPTH_MAX - k;
  return (struct rt_range){deep_end(set, depth + 1), deep_end(set, depth)};
}

int
rt_launch_layers(const struct rt_program *p, const struct rt_launch *l) {
  assert(l->deep >= 0 && l->deep <= DEPTH_MAX);
  if (!p->sets[l->set]->part) return 1;
  return l->deep ? DEPTH_MAX + 1 - l->deep : 0;
}

idx_l
rt_launch_deep(const struct rt_program *p, const struct rt_launch *l) {
  const struct rt_set *set = p->sets[l->set];
  if (!set->part) return set->n;
  return l->deep ? deep_end(set, l->deep) : 0;
}

/* Elements of depth k, before n, name targets of depth k - 1 to k + 1. */
static status
layer_holds(const struct rt_relation *r, int k, idx_l n, bool *holds) {
  struct rt_window all = {deep_end(r->from, k + 1), deep_end(r->from, k), 0,
                          r->to->n};
  const struct rt_margins *m;
  if (all.hi > n) all.hi = n;
  if (all.lo >= all.hi) return OK;
  TRY(rt_margins_get(r, all, &m));
  *holds &= m->least[0] >= deep_end(r->to, k + 2) &&
            m->bound[m->n] <= deep_end(r->to, k - 1);
  return OK;
}

/* Of the elements that a launch runs over. */
static status
map_holds(const struct rt_relation *r, int level, bool *holds) {
  bool one = !r->from->part && !r->to->part;
  *holds &= one || (r->from->part && r->to->part);
  for (int k = 0; *holds && !one && k <= DEPTH_MAX; k++)
    TRY(layer_holds(r, k, r->from->part->level[level], holds));
  return OK;
}

/* Does somebody write where the touch goes? */
static bool
is_written(const struct rt_chain *c, const struct rt_touch *x) {
  for (uint32_t i = 0; i < c->ntouches; i++)
    if (c->touches[i].memory == x->memory && c->touches[i].writes) return true;
  return false;
}

status
rt_layers_hold(const struct rt_program *p, const struct rt_chain *c,
               bool *holds) {
  SCOPED bool *seen = mem_alloc((size_t)p->nmaps + 1, sizeof *seen);
  *holds = true;
  for (uint32_t i = 0; i < c->ntouches; i++) {
    const struct rt_touch *x = &c->touches[i];
    if (x->map == RT_DIRECT || seen[x->map] || !is_written(c, x)) continue;
    int level = 0;
    for (uint32_t k = i; k < c->ntouches; k++) {
      int other = p->launches[c->first + c->touches[k].launch].level;
      if (c->touches[k].map == x->map && other > level) level = other;
    }
    TRY(map_holds(p->maps[x->map], level, holds));
    seen[x->map] = true;
  }
  return OK;
}
