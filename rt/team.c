/* One thread or all of them?
 *
 * Problem. Entering a team of threads and leaving it costs a microsecond on an
 * idle machine, much more where another process has the processor. Boundary edges
 * of a mesh, or all of a small mesh, are worked off in less. How long an element
 * takes is not known beforehand: 1 ns or 100.
 *
 * Idea. Measure. From LONG elements on all threads run, always. A shorter launch
 * begins with
 *
 *   together x 2, alone x 3, together x 3
 *
 * and then stays with the way of its best run. The best of a few is what the
 * launch costs; worse ones are the machine's. (Elements, not time, say what is
 * short: on a busy machine the shortest launch takes long together.)
 *
 * Launches of one region over as many elements share what was measured: a chain of
 * a hundred time steps has a hundred launches of each, which run seldom.
 *
 * The split stays: alone, one thread runs the parts of all, in their order and
 * with their accumulators. So what is decided here changes no bit of a result;
 * otherwise two runs of a program would differ by the clock. The number of parts
 * depends on the number of elements only: each has at least LEAST.
 *
 * cost  eight measured runs, of which three or five go the wrong way. */
#include "rt/team.h"

#include "base/arena.h"
#include "base/table.h"

enum { LEAST = 512, LONG = 1 << 16, COLD = 2, TRIES = 3 };

static idx_l least = LEAST;
static enum rt_team_way way = RT_TEAM_MEASURED;

void
rt_set_thread_least(idx_l n) {
  least = n >= 0 ? n : LEAST;
}

void
rt_set_team(enum rt_team_way w) {
  way = w;
}

static struct table teams; /* function, elements -> struct rt_team */
static struct arena team_arena;

struct rt_team *
rt_team_get(rt_region_fn fn, idx_l n) {
  struct {
    rt_region_fn fn;
    int64_t n;
  } key = {fn, n};
  uintptr_t *slot = table_slot(&teams, &key, sizeof key);
  if (!*slot) *slot = (uintptr_t)ARENA_NEW(&team_arena, struct rt_team);
  return (struct rt_team *)*slot;
}

void
rt_team_clear(void) {
  table_clear(&teams);
  arena_clear(&team_arena);
}

int
rt_team_size(idx_l n, int nthreads) {
  if (!least || n / least >= nthreads) return nthreads;
  return n / least > 1 ? (int)(n / least) : 1;
}

bool
rt_team_measures(const struct rt_team *t) {
  return !t->decided;
}

bool
rt_team_together(struct rt_team *t, idx_l n, int threads) {
  if (t->threads != threads) *t = (struct rt_team){.threads = threads};
  if (threads == 1 || n >= LONG || way != RT_TEAM_MEASURED) {
    t->decided = true;
    t->alone = way == RT_TEAM_ALONE;
  }
  if (t->decided) return threads > 1 && !t->alone;
  return t->runs < COLD || t->runs >= COLD + TRIES;
}

void
rt_team_note(struct rt_team *t, bool together, double seconds) {
  double *best = &t->best[together];
  if (!*best || seconds < *best) *best = seconds;
  if (++t->runs < COLD + 2 * TRIES) return;
  t->decided = true;
  t->alone = t->best[0] <= t->best[1];
}
