/* Plans of fronts that several fronts share.
 *
 * Problem. A flush of many time steps has a front for every few of them, and
 * these are alike: the same launches over the same sets, which meet through the
 * same maps. Making each one's plan took a tenth of such a flush's time.
 *
 * Idea. A plan names launches by their places in the front, and elements. It
 * does not depend on which memory launches go to, only on which of them go to
 * the same. So it is another's plan if launches are alike one by one, and each
 * touch's memory was met first by the same touch:
 *
 *   res q0 -> r0, upd r0 -> q1      res q1 -> r0, upd r0 -> q0
 *   0 1 1 3                         0 1 1 3
 *
 * What elements that run again have saved is shared, too: fronts run one after
 * another.
 *
 * Gain. Airfoil, 720 000 cells, a flush of 100 deferred steps in 28 fronts, two
 * threads: all plans took 42 ms, 18 now; in the order of elements 94 and 21. */
#include "rt/walk/front_plan.h"

#include "base/arena.h"
#include "rt/walk/again.h"

#include <assert.h>
#include <stdlib.h>

status
rt_front_plan_new(const struct rt_program *p, const struct rt_chain *c,
                  int threads, struct rt_front_plan **out) {
  *out = mem_alloc(1, sizeof **out);
  status st = rt_front_plan_make(p, c, threads, *out);
  (*out)->users = 1;
  return st;
}

struct rt_front_plan *
rt_front_plan_ref(struct rt_front_plan *x) {
  assert(x->users);
  x->users++;
  return x;
}

void
rt_front_plan_unref(struct rt_front_plan *x) {
  if (!x) return;
  assert(x->users);
  if (--x->users) return;
  rt_front_plan_clear(x);
  free(x);
}

/* The first touch of the memory of touch i. */
static uint32_t
first_of(const struct rt_chain *c, uint32_t i) {
  uint32_t k = 0;
  while (c->touches[k].memory != c->touches[i].memory) k++;
  return k;
}

static bool
touches_fit(const struct rt_chain *c, const struct rt_chain *other) {
  if (c->ntouches != other->ntouches) return false;
  for (uint32_t i = 0; i < c->ntouches; i++) {
    const struct rt_touch *x = &c->touches[i], *y = &other->touches[i];
    if (x->launch != y->launch || x->map != y->map || x->writes != y->writes)
      return false;
    if (first_of(c, i) != first_of(other, i)) return false;
  }
  return true;
}

bool
rt_front_plan_fits(const struct rt_program *p, const struct rt_chain *c,
                   const struct rt_chain *other) {
  if (c->count != other->count || c->piece != other->piece) return false;
  for (uint32_t i = 0; i < c->count; i++) {
    const struct rt_launch *x = &p->launches[c->first + i];
    const struct rt_launch *y = &p->launches[other->first + i];
    if (x->set != y->set || x->mode != y->mode || x->deep != y->deep ||
        x->level != y->level || !rt_again_fits(p, x, y))
      return false;
  }
  return touches_fit(c, other);
}
