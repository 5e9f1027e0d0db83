/* How many threads a launch is split over, and whether they come: see team.c.
 * */
#ifndef RT_TEAM_H
#define RT_TEAM_H

#include "base/kept.h"
#include "base/types.h"
#include "rt/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* What is known of the launches of a region; zero: nothing. */
struct rt_team {
  struct kept kept; /* first; used: in the sweep under way */
  int threads;      /* that it was measured with */
  uint32_t runs;    /* so far */
  uint32_t waiting; /* how threads waited then */
  enum rt_team_way way;
  bool decided, alone;
  bool fixed;       /* nothing to be measured */
  bool quiet;       /* together, while nobody else wants the processors */
  double recent[2]; /* seconds: alone, together; best, once decided means */
  double until;     /* clock: alone so long */
  double nap;       /* the next time alone */
  int trial;        /* runs together to come before that is decided anew */
  double sum;       /* of these, seconds */
};

/* That of launches of this function over n elements in this way, until a sweep
 * in which it is not marked as kept, or rt_team_clear. */
struct rt_team *rt_team_get(rt_region_fn fn, idx_l n, enum rt_team_way way);

/* Threads that elements [0, n) are split over, of at most `nthreads`. */
int rt_team_size(idx_l n, int nthreads);
/* Is the next run, split over `threads`, done by that many, or by one alone? */
bool rt_team_together(struct rt_team *t, int threads);
/* Does the next run have to be timed? */
bool rt_team_measures(const struct rt_team *t);
/* A run that had to be timed, by the clock. */
void rt_team_note(struct rt_team *t, bool together, double begin, double end);

#endif
