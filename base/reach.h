/* How far around what a part of the mesh owns values are right. */
#ifndef BASE_REACH_H
#define BASE_REACH_H

#include <stdbool.h>
#include <stdint.h>

/* On L_own, and on all that elements of L_via name through maps (levels as in
 * ir/extent.c); -1: on nothing. */
struct reach {
  int8_t own, via;
};
enum { REACH_MAX = 30 };
/* Depth of an element that a rank owns: so many entries of maps, in either
 * direction, lead from it to one that the rank does not own; this at most. */
enum { DEPTH_MAX = 16 };
#define REACH_NONE ((struct reach){-1, -1})
#define REACH_OWNED ((struct reach){0, -1})
#define REACH_FULL ((struct reach){REACH_MAX, REACH_MAX})

static inline int8_t
reach_least(int8_t a, int8_t b) {
  return a < b ? a : b;
}
static inline int8_t
reach_most(int8_t a, int8_t b) {
  return a > b ? a : b;
}
static inline bool
reach_same(struct reach a, struct reach b) {
  return a.own == b.own && a.via == b.via;
}
/* The level that has all that elements of L_level name through maps. */
static inline int
reach_named(int level) {
  return level < 0 ? -1 : (level | 1) + 1;
}
static inline bool
reach_covers(struct reach have, struct reach want) {
  bool via = want.via <= have.via || reach_named(want.via) <= have.own;
  return want.own <= have.own && via;
}
/* What either has; what both have. */
static inline struct reach
reach_join(struct reach a, struct reach b) {
  return (struct reach){reach_most(a.own, b.own), reach_most(a.via, b.via)};
}
static inline struct reach
reach_meet(struct reach a, struct reach b) {
  return (struct reach){reach_least(a.own, b.own), reach_least(a.via, b.via)};
}
/* After a loop over L_level wrote: at the elements themselves it is right
 * there, or as far as what was there `before` and shows through (fresh: nothing
 * does); through maps it lacks at the rim what others would add. */
static inline struct reach
reach_written(struct reach before, int level, bool far, bool fresh) {
  struct reach here = {(int8_t)level, -1};
  if (!far)
    return fresh ? here : reach_meet(here, (struct reach){before.own, -1});
  int rim = level < 1 ? 0 : (level - 1) & ~1;
  return reach_meet(before, (struct reach){(int8_t)rim, -1});
}

#endif
