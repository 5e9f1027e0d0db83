/* One thread or all of them?
 *
 * Problem. Entering a team of threads and leaving it costs a microsecond on an
 * idle machine, much more where another process has the processor. Boundary
 * edges of a mesh, or all of a small mesh, are worked off in less. How long an
 * element takes is not known beforehand: 1 ns or 100.
 *
 * And it changes: beside other work a thread may wait for its processor while
 * the others spin, so that two are several times slower than one.
 *
 * Idea. Measure, where the trace says so (pass team; `measured`). A launch
 * begins with
 *
 *   together x 2, alone x 3, together x 3
 *
 * and goes on with the way of its best run. The best of a few is what the
 * launch costs; worse ones are the machine's. (Elements, not time, say what is
 * short: on a busy machine the shortest launch takes long together.)
 *
 * Then it looks again now and then, at the mean of late runs, since what counts
 * is how it goes at this time:
 *
 *   together   slower than alone was: alone, for a while (`nap`)
 *   alone      the while is over: some runs together; if these are not faster,
 *              alone for twice as long as before, up to LONGEST
 *
 * Long ones (`busy`), for which entering a team is nothing beside the work, run
 * together, and are measured (2, 1 and 1 runs) where other work wants the
 * processors only.
 *
 * How threads wait for each other changes, too, where other work wants their
 * processors (rt/walk/waiters.c); then all is measured anew. Long runs are
 * timed each, short ones each SAMPLE-th.
 *
 * Launches of one region over as many elements share what was measured: a chain
 * of a hundred time steps has a hundred launches of each, which run seldom.
 *
 * The split stays: alone, one thread runs the parts of all, in their order and
 * with their accumulators. So what is decided here changes no bit of a result;
 * otherwise two runs of a program would differ by the clock. The number of
 * parts depends on the number of elements only: each has at least LEAST.
 *
 * cost  four or eight measured runs, of which some go the wrong way; alone,
 *       some runs together each LONGEST seconds
 * limit all threads or one, nothing in between */
#include "rt/walk/team.h"

#include "base/arena.h"
#include "rt/walk/waiters.h"

#include <assert.h>

enum { LEAST = RT_TEAM_LEAST / 2, COLD = 2, TRIES = 3, SAMPLE = 8 };

#define NAP 0.01         /* seconds alone, at first */
#define LONGEST 2.0      /* ... at most */
#define OFTEN 1e-4       /* runs of so many seconds are timed each */
#define SLOWER 1.2       /* than alone: worth a change */
#define OUTLIER 4.0      /* a run counts as at most so many means */
#define WEIGHT (1.0 / 4) /* of a run in the mean */

static idx_l least = LEAST;
static uint32_t waiting; /* how threads wait: when that changes, all is new */

void
rt_set_thread_least(idx_l n) {
  least = n >= 0 ? n : LEAST;
}

struct team_key {
  rt_region_fn fn;
  int64_t n, way;
};
/* Bound: programs hold them; a sweep drops the others. */
static struct keeper teams; /* struct team_key -> struct rt_team */

struct rt_team *
rt_team_get(rt_region_fn fn, idx_l n, enum rt_team_way way) {
  struct team_key key = {fn, n, way};
  struct rt_team *t = kept_find(&teams, &key, sizeof key);
  if (!t) {
    t = mem_alloc(1, sizeof *t);
    t->way = way;
    kept_add(&teams, &t->kept, &key, sizeof key);
  }
  return t;
}

void
rt_team_sweep(void) {
  kept_sweep(&teams, NULL);
}

void
rt_team_clear(void) {
  kept_clear(&teams, NULL);
  rt_waiters_clear();
}

int
rt_team_size(idx_l n, int nthreads) {
  assert(n >= 0 && nthreads >= 1);
  if (!least || n / least >= nthreads) return nthreads;
  return n / least > 1 ? (int)(n / least) : 1;
}

static int
tries_of(const struct rt_team *t) {
  return t->way == RT_TEAM_BUSY ? 1 : TRIES;
}

bool
rt_team_measures(const struct rt_team *t) {
  if (t->quiet) return t->runs % SAMPLE == 0;
  if (!t->decided || t->trial) return true;
  return !t->fixed && (t->recent[!t->alone] > OFTEN || t->runs % SAMPLE == 0);
}

bool
rt_team_together(struct rt_team *t, int threads) {
  assert(threads >= 1);
  if (t->threads != threads || t->waiting != waiting)
    *t = (struct rt_team){
        .kept = t->kept, .way = t->way, .threads = threads, .waiting = waiting};
  if (threads == 1 || t->way == RT_TEAM_ONE || t->way == RT_TEAM_ALL) {
    t->decided = t->fixed = true;
    t->alone = t->way == RT_TEAM_ONE;
  }
  t->quiet = !t->fixed && t->way == RT_TEAM_BUSY && !rt_waiters_nap();
  t->decided |= t->quiet;
  if (t->decided) {
    t->runs++;
    return threads > 1 && !t->alone;
  }
  return t->runs < COLD || t->runs >= (uint32_t)(COLD + tries_of(t));
}

/* One of the first runs. */
static void
note_first(struct rt_team *t, bool together, double seconds) {
  double *best = &t->recent[together];
  if (!*best || seconds < *best) *best = seconds;
  if (++t->runs < (uint32_t)(COLD + 2 * tries_of(t))) return;
  t->decided = true;
  t->alone = t->recent[0] <= t->recent[1];
  t->nap = NAP;
}

static void
go_alone(struct rt_team *t, double now) {
  t->alone = true;
  t->until = now + t->nap;
  t->nap = 2 * t->nap < LONGEST ? 2 * t->nap : LONGEST;
}

/* A run together, after a while alone: the first ones wake threads. */
static void
note_trial(struct rt_team *t, double seconds, double now) {
  assert(t->trial > 0 && t->decided);
  if (t->trial-- > TRIES) return;
  t->sum += seconds;
  if (t->trial) return;
  t->recent[1] = t->sum / TRIES;
  if (t->recent[1] > t->recent[0])
    go_alone(t, now);
  else
    t->nap = NAP;
}

static void
note_late(struct rt_team *t, bool together, double seconds, double now) {
  double *mean = &t->recent[together];
  if (seconds > OUTLIER * *mean) seconds = OUTLIER * *mean;
  *mean += WEIGHT * (seconds - *mean);
  if (together && *mean > SLOWER * t->recent[0]) {
    go_alone(t, now);
  } else if (!together && now > t->until) {
    t->alone = false;
    t->trial = COLD + TRIES;
    t->sum = 0;
  }
}

void
rt_team_note(struct rt_team *t, bool together, double begin, double end) {
  waiting = rt_waiters_look(end);
  if (t->quiet) return;
  if (!t->decided)
    note_first(t, together, end - begin);
  else if (t->trial)
    note_trial(t, end - begin, end);
  else
    note_late(t, together, end - begin, end);
}
