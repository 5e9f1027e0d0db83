/* Levels of an axis: layers named by the splitter that they lie next to, so
 * that loops say where they run before anybody knows how many layers there are.
 *
 *   limit 2     (0,-2) (0,-1) | (0,1) (0,2)   (1,-2) (1,-1) | (1,1) (1,2)
 *   index          0      1   |   2     3        4      5   |   6     7
 *                       splitter 0                     splitter 1
 *
 * Level (s, o) is the layer at(s) + o - 1 for o > 0, the first behind the
 * splitter being 1, and at(s) + o for o < 0. Levels that two splitters give are
 * ordered by index whatever lies between these.
 *
 * Intervals of items cut the axis into loop intervals, in each of which the
 * same items hold: they begin where an item begins or the level behind its end
 * is. Since both are next to the same splitter as the ends of items,
 * consecutive loop intervals meet at all positions of splitters. */
#ifndef RT_MESH_LEVELS_H
#define RT_MESH_LEVELS_H

#include "base/err.h"
#include "base/str.h"
#include "base/types.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  RT_SPLITTERS_MAX = 1024,
  RT_OFFSETS_MAX = 1024, /* the largest limit */
  RT_ITEMS_MAX = 64,
  RT_INTERVALS_MAX = 2 * RT_ITEMS_MAX - 1
};

/* Offsets are -limit to -1 and 1 to limit. */
struct rt_axis {
  int nsplitters, limit;
};

struct rt_level {
  int splitter, offset;
};

struct rt_interval { /* both ends belong to it */
  struct rt_level from, to;
};

/* The items that hold there, a bit each. */
struct rt_loop_interval {
  struct rt_interval at;
  uint64_t items;
};

int rt_level_index(const struct rt_axis *x, struct rt_level l);
struct rt_level rt_level_of(const struct rt_axis *x, int index);
/* "(0,1)-(2,-1)" */
void rt_interval_print(struct str *to, const struct rt_interval *v);

/* ERR_ARG: no level of the axis; an end at the largest offset
 * towards outside, beyond which there is no level; an end before the begin. */
status rt_interval_check(const struct rt_axis *x, const struct rt_interval *v);
/* The loop intervals of 1 to RT_ITEMS_MAX items, checked ones, in ascending
 * order; out: [2 n - 1]. Those in which no item holds are left out if `gaps`,
 * else ERR_ARG. */
status rt_loop_intervals(const struct rt_axis *x, int n,
                         const struct rt_interval *items, bool gaps,
                         struct rt_loop_interval *out, int *n_out);

/* Positions of splitters, [nsplitters], among so many layers: each from 0 to
 * `layers`, none below the one before. ERR_ARG */
status rt_splitters_check(const struct rt_axis *x, const idx_l *at,
                          idx_l layers);
/* The interval's layers lo to hi, both included, with splitters there; none
 * where hi is lo - 1. ERR_ARG: levels overlap (hi is less), or
 * leave the layers */
status rt_interval_layers(const struct rt_interval *v, const idx_l *at,
                          idx_l layers, idx_l *lo, idx_l *hi);

#endif
