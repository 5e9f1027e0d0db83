/* Which elements of which launch come next in a front: front_plan.c. */
#ifndef RT_FRONT_PLAN_H
#define RT_FRONT_PLAN_H

#include "rt/walk/walk.h"

struct rt_again;

/* Elements [lo, hi) of launch `launch` of the chain run: for the first time,
 * or again. Or what they write is seen to, around that (again.h). */
enum rt_piece_kind {
  RT_PIECE_RUN,
  RT_PIECE_AGAIN,
  RT_PIECE_SAVE,
  RT_PIECE_BEGIN,
  RT_PIECE_END
};
struct rt_piece {
  uint32_t launch;
  idx_l lo, hi;
  enum rt_piece_kind kind;
  struct rt_again *again; /* KEEP; NULL: of RUN */
};

/* Thread t runs pieces [begin[t], begin[t + 1]), one after another; when all
 * have, thread t runs those from begin[threads + t] on, up to
 * begin[threads + t + 1]. */
struct rt_front_plan {
  int threads; /* 0: there is no room for a front */
  struct rt_piece *pieces;
  uint32_t *begin; /* [2 * threads + 1] */
  uint32_t npieces, cap;
  struct rt_again **again; /* all of pieces */
  uint32_t nagain, capagain;
  uint32_t users; /* of a shared one */
  idx_l turns;    /* pieces of its first launch */
  double behind;  /* share of all elements that run when all threads have */
};

/* Of chain c, on so many threads. GIVE: clear. cost a pass over relations
 * through which its launches meet, and O(turns * launches^2).
 * ERR_MEMORY; ERR_STATE if the checker (rt_walk_checking) finds a fault */
status rt_front_plan_make(const struct rt_program *p, const struct rt_chain *c,
                          int threads, struct rt_front_plan *out);
void rt_front_plan_clear(struct rt_front_plan *x);
/* front_share.c. One for several fronts, of which one runs at a time. GIVE,
 * even if it cannot be made (then of no threads): unref frees it with its last
 * user (NULL: nothing). Errors: make's */
status rt_front_plan_new(const struct rt_program *p, const struct rt_chain *c,
                         int threads, struct rt_front_plan **out);
struct rt_front_plan *rt_front_plan_ref(struct rt_front_plan *x);
void rt_front_plan_unref(struct rt_front_plan *x);
/* Is chain c's plan that of `other`, too: are their launches alike, and do they
 * meet alike? cost O(touches^2) if so, most often O(1) if not */
bool rt_front_plan_fits(const struct rt_program *p, const struct rt_chain *c,
                        const struct rt_chain *other);
/* Every element of each launch runs once, but for those that run again, and
 * none before an element of an earlier launch, or beside one of its own, with
 * which it meets. Of launches in order, elements that meet come in theirs. It
 * shares no code with the maker. cost O(entries * threads). ERR_STATE names the
 * first that does. */
status rt_front_check(const struct rt_program *p, const struct rt_chain *c,
                      const struct rt_front_plan *x);

#endif
