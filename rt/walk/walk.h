/* Walks: in which order a launch goes over its elements, and what may run at
 * once. Runners (launch.c, rt/device/offload.c) go by a walk alone; makers
 * differ in what a task is:
 *
 *   range     a share of the places, cut at multiples of RT_UNIT; places are
 *             those of an order, or of a list, if it has one
 *   parts     a thread's consecutive elements; behind these, in one task, those
 *             that meet another part's (parts.c)
 *   in order  the same, with sums in the order of elements, over ranks in that
 *             of the program's
 *   colours   a block of elements; a step for each colour (colour.c)
 *   cut       what another walk has of some elements: the core, or the rest
 */
#ifndef RT_WALK_H
#define RT_WALK_H

#include "rt/plan.h"

/* Cuts between shares of elements are at multiples of this. */
enum { RT_UNIT = 64 };

/* Where share t of k begins, of n things. */
static inline int64_t
rt_share(int64_t n, int t, int k) {
  assert(k > 0 && t >= 0 && t <= k);
  return n / k * t + (n % k < t ? n % k : t);
}

struct rt_range {
  idx_l lo, hi; /* [lo, hi) */
};

/* step s    tasks [step[s], step[s+1]), at once; one step after another
 * task k    pieces [task[k], task[k+1]), one after another
 * piece i   places [piece[i].lo, piece[i].hi), one after another
 * place x   element at[x]; at NULL: element x
 *
 * Tasks of a step share no target of what the walk was made for. There may be
 * steps without tasks, tasks and pieces without elements. */
struct rt_walk {
  uint64_t id; /* process-wide unique */
  idx_l n;     /* elements */
  idx_l nsteps, ntasks, npieces;
  idx_l *step, *task;
  struct rt_range *piece;
  const idx_l *at;
  idx_l *own; /* memory of `at`; NULL: KEEP, it is another's */
  /* In order, in two steps: pieces of the last one that were in the first, too,
   * and run again (again.c). NULL: no element runs twice. */
  char *again;
  /* For devices, NULL unless asked for: task k is block[k], which covers
   * elements [block[k] * length, ...) up to the next; elements of one colour in
   * it share no target, colour[e] in [0, ncolours[block]). */
  idx_l length, *block, *colour, *ncolours;
};

/* ---- walk.c -------------------------------------------------------------- */

enum rt_walk_kind {
  RT_WALK_RANGE, /* by rt_walk_range */
  RT_WALK_COLOURS,
  RT_WALK_COLOURS_FOR, /* ... as many blocks a colour as `tasks` need */
  RT_WALK_PARTS,       /* `tasks` of them */
  RT_WALK_IN_ORDER     /* the same, or one task where they do not pay */
};

/* What makes a walk safe, and what it is of. */
struct rt_walk_want {
  enum rt_walk_kind kind;
  idx_l n;     /* elements [0, n) */
  idx_l block; /* elements of a block; of COLOURS* */
  int tasks;
  const struct rt_entries *c; /* writes that must not meet */
  uint32_t nc;
  bool elements; /* of COLOURS: colours inside blocks, for devices */
  /* of IN_ORDER: the set, which says the program's order, or NULL; over ranks
   * its L_level */
  const struct rt_set *set;
  int level;
};

/* That walk, from the cache or made; *out NULL: it does not pay (COLOURS_FOR,
 * PARTS). Keys are compared in full. KEEP until the next sweep, or clear.
 * ERR_MEMORY; ERR_STATE if the checker finds a fault */
status rt_walk_get(const struct rt_walk_want *w, const struct rt_walk **out);
/* Elements [lo, hi) of it, in its order. */
status rt_walk_get_cut(const struct rt_walk_want *w, idx_l lo, idx_l hi,
                       const struct rt_walk **out);
/* The relation's margins (rt/mesh/margins.h), from the same cache, made if they
 * are not there. KEEP as above. ERR_MEMORY */
struct rt_margins;
struct rt_window;
status rt_margins_get(const struct rt_relation *r, struct rt_window w,
                      const struct rt_margins **out);
/* Places [lo, hi) in `tasks` shares. *io: GIVE, NULL or what an earlier call
 * left, which stays if it is that. ERR_MEMORY */
status rt_walk_range(idx_l lo, idx_l hi, int tasks, const idx_l *at,
                     struct rt_walk **io);

/* ---- makers; use rt_walk_get -------------------------------------------- */

/* One with room for so many; all zero. NULL: no memory. */
struct rt_walk *rt_walk_new(idx_l nsteps, idx_l ntasks, idx_l npieces);
void rt_walk_free(struct rt_walk *w); /* TAKE; NULL is allowed */
/* A fresh one, GIVE. ERR_MEMORY */
status rt_walk_make(const struct rt_walk_want *w, struct rt_walk **out);
status rt_colours_make(const struct rt_walk_want *w, struct rt_walk **out);
status rt_parts_make(const struct rt_walk_want *w, struct rt_walk **out);
status rt_in_order_make(const struct rt_walk_want *w, struct rt_walk **out);

/* ---- walk_check.c -------------------------------------------------------- */

/* Elements [lo, hi) run once each, but for those that run again, and nothing
 * else; no step has a target in two tasks, no block one in two elements of a
 * colour; in order each target that the last step shares has all its elements
 * there, and tasks go up. ERR_STATE names the
 * first that is otherwise. It shares no code with the makers. On in debug
 * builds and under OP2_CHECK. */
status rt_walk_check(const struct rt_walk *w, idx_l lo, idx_l hi,
                     const struct rt_entries *c, uint32_t nc);

#endif
