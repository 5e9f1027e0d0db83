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

#include <stdlib.h>

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

struct team_key {
  rt_region_fn fn;
  int64_t n;
};
struct team_entry {
  struct rt_team team; /* first: what others see */
  struct team_key key;
};

/* Bound: programs hold them; a sweep drops the others. */
static struct {
  struct table known; /* struct team_key -> struct team_entry */
  struct team_entry **all;
  uint32_t n, cap;
} teams;

struct rt_team *
rt_team_get(rt_region_fn fn, idx_l n) {
  struct team_key key = {fn, n};
  uintptr_t *slot = table_slot(&teams.known, &key, sizeof key);
  if (!*slot) {
    struct team_entry *e = mem_alloc(1, sizeof *e);
    e->key = key;
    *slot = (uintptr_t)e;
    VEC_PUSH(teams.all, teams.n, teams.cap, e);
  }
  return &((struct team_entry *)*slot)->team;
}

void
rt_team_sweep(void) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < teams.n; i++) {
    struct team_entry *e = teams.all[i];
    if (e->team.kept) {
      e->team.kept = false;
      teams.all[n++] = e;
      continue;
    }
    table_remove(&teams.known, &e->key, sizeof e->key);
    free(e);
  }
  teams.n = n;
}

void
rt_team_clear(void) {
  for (uint32_t i = 0; i < teams.n; i++) free(teams.all[i]);
  free(teams.all);
  table_clear(&teams.known);
  teams.all = NULL;
  teams.n = teams.cap = 0;
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
