/* What extents are counted in: an algebra, of which there are two, and the walk
 * over a trace that is the same for both (extent.c). */
#ifndef IR_EXTENT_BY_H
#define IR_EXTENT_BY_H

#include "ir/ir.h"

struct ir_extent_walk;

/* Areas of one algebra are joined side by side (ir_area_join). extent_levels.c:
 * levels around a part, on tables; at[0] is `own`, at[1] `via` of ir_need, -1:
 * nothing. extent_areas.c: intervals around a box, on rules.
 *   none     the neutral one of joins: nothing is needed
 *   least    what a node runs over where nobody says more
 *   make     how far the node must run so that what argument a writes is there
 *            on `need`; *rest: that is further than it runs, the rest comes
 *            from elsewhere
 *   operand  what the argument needs of its old version, where its node runs
 *            over `run`: what it reads there, and `shows` of what it leaves
 *   look     what a node that runs no code wants of its argument */
struct ir_algebra {
  struct ir_area none, least;
  struct ir_area (*make)(const struct ir_extent_walk *w,
                         const struct ir_node *n, const struct ir_arg *a,
                         struct ir_area need, bool *rest);
  struct ir_area (*operand)(const struct ir_extent_walk *w,
                            const struct ir_arg *a, struct ir_area run,
                            struct ir_area shows);
  struct ir_area (*look)(const struct ir_extent_walk *w,
                         const struct ir_arg *a);
};
extern const struct ir_algebra ir_extent_levels, ir_extent_areas;

struct ir_extent_walk {
  const struct ir_algebra *by;
  const struct ir_trace *t;
  struct ir_area *exec; /* by node */
  struct ir_area *need; /* by value */
  bool *exchange;       /* by value: its maker runs over less */
  int limit;            /* of levels, for the unit at hand */
  bool readers;         /* of areas: what loops read, not what is looked at */
};

/* From the last node to the first; the arrays are allocated here. */
void ir_extent_run(struct ir_extent_walk *w, int limit);

#endif
