/* What this machine does, measured: additions through maps, launches, threads.
 *
 * Launches are measured as they are: a program of one launch that does next to
 * nothing is run by one thread and by all, with the clock read as exec.c does,
 * and prepared before each run: what threads read of it is new to them (a tenth
 * of what entering a team takes).
 *
 * cost  some milliseconds, some ten where threads have to be woken */
#include "base/arena.h"
#include "base/log.h"
#include "rt/bound.h"
#include "rt/speed_try.h"
#include "rt/walk/launch.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 27, SHORT = 99 };

/* ---- additions ----------------------------------------------------------- */

enum { TARGETS = RT_TRY_TARGETS, ADDS = RT_TRY_ADDS, MANY = RT_TRY_ROW };

/* So many vectors of components to each element that the map names; unrolled,
 * as code of loops is. */
#define EACH(n, statement)                                                     \
  _Pragma("GCC unroll 16") for (int k = 0; k < n; k++) statement
#define ADD(name, n, attr)                                                     \
  attr static void name##_add(void *to, const idx_l *map) {                    \
    name *at = to, one = {0};                                                  \
    one += 1;                                                                  \
    for (int i = 0; i < ADDS; i++) EACH(n, at[n * map[i] + k] += one);         \
  }
/* The same, and to another element in a register, until RUN elements later it
 * is the next one's turn: ir/hold_run.c. */
enum { RUN = 4 };
#define KEEP(name, n, attr)                                                    \
  attr static void name##_keep(void *to, const idx_l *map) {                   \
    name *at = to, one = {0}, sum[n] = {0};                                    \
    idx_l last = map[0];                                                       \
    one += 1;                                                                  \
    for (int i = 0; i < ADDS; i++) {                                           \
      if (map[i / RUN] != last) {                                              \
        EACH(n, at[n * last + k] = sum[k]);                                    \
        last = map[i / RUN];                                                   \
        EACH(n, sum[k] = at[n * last + k]);                                    \
      }                                                                        \
      EACH(n, sum[k] += one);                                                  \
      EACH(n, at[n * map[i] + k] += one);                                      \
    }                                                                          \
    EACH(n, at[n * last + k] = sum[k]);                                        \
  }
typedef double single;
typedef double two __attribute__((vector_size(16)));
typedef double four __attribute__((vector_size(32)));
ADD(single, 1, )
ADD(two, MANY / 2, )
KEEP(two, MANY / 2, )
#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))
ADD(four, MANY / 4, AVX2)
KEEP(four, MANY / 4, AVX2)
#endif

typedef void add_fn(void *to, const idx_l *map);

/* As code of loops adds. */
struct adding {
  add_fn *many, *keep;
};

static struct adding
adding_best(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return (struct adding){four_add, four_keep};
#endif
  return (struct adding){two_add, two_keep};
}

static void
add_once(const struct rt_tries *t, int thread) {
  adding_best().many(t->to + (long)thread * TARGETS * MANY, t->map);
}

enum { AGAIN = 8 };
static void
add_again(const struct rt_tries *t, int thread) {
  for (int k = 0; k < AGAIN; k++) add_once(t, thread);
}

double
rt_try_additions(const struct rt_tries *t) {
  int team;
  return rt_try_seconds(t, add_once, add_again, &team) / AGAIN / ADDS / MANY;
}

double
rt_try_additions_known(const struct rt_speeds *s) {
  return (s->add + (MANY - 1) * s->more) / MANY;
}

/* Seconds of an element, if that is less than before. */
static void
add_least(add_fn *add, void *to, const idx_l *map, double *least) {
  double begin = timer_wall();
  add(to, map);
  double t = (timer_wall() - begin) / ADDS;
  if (t < *least) *least = t;
}

static double
at_least_0(double x) {
  return x > 0 ? x : 0;
}

/* One target after the other: those that meet take longer. */
static status
measure_additions(struct rt_speeds *out) {
  const size_t bytes = (size_t)TARGETS * MANY * sizeof(double);
  void *to = rt_mem_new(bytes); /* as dats lie: vectors are whole */
  SCOPED idx_l *map = mem_alloc(ADDS, sizeof *map);
  if (!to) FAIL(ERR_MEMORY, "no memory to measure additions: %zu bytes", bytes);
  memset(to, 0, bytes);
  for (int i = 0; i < ADDS; i++) map[i] = i % TARGETS;
  const struct adding best = adding_best();
  double one = HUGE_VAL, many = HUGE_VAL, keep = HUGE_VAL;
  for (int k = 0; k < SHORT; k++) { /* all at the same times */
    add_least(single_add, to, map, &one);
    add_least(best.many, to, map, &many);
    add_least(best.keep, to, map, &keep);
  }
  double stored = (1 + 1. / RUN) * many;
  out->add = one;
  out->more = at_least_0(many - one) / (MANY - 1);
  out->kept = at_least_0(keep - stored) / (1 - 1. / RUN) / MANY;
  rt_mem_free(to, bytes);
  return OK;
}

/* ---- launches ------------------------------------------------------------ */

static void
count(void *const *ptr, int64_t lo, int64_t hi) {
  four *x = ptr[0];
  for (int64_t e = lo; e < hi; e += 4) x[e / 4] += 1;
}

struct rt_program *
rt_speed_program(const struct rt_set *set, const double *x) {
  struct rt_program *p = mem_alloc(1, sizeof *p);
  p->launches = mem_alloc(1, sizeof *p->launches);
  p->launches[0] = (struct rt_launch){.fn = count,
                                      .name = "count",
                                      .lanes = 4,
                                      .mode = RT_RUN_RANGE,
                                      .team = RT_TEAM_ALL};
  p->launches[0].binds = mem_alloc(1, sizeof(struct rt_bind));
  p->launches[0].binds[0].kind = RT_BIND_PARAM;
  p->launches[0].nbinds = 1;
  p->params = mem_alloc(1, sizeof *p->params);
  p->params[0] = x;
  p->sets = mem_alloc(1, sizeof *p->sets);
  p->sets[0] = set;
  p->nlaunches = p->nsets = p->nparams = 1;
  return p;
}

static int
by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double
rt_speed_middle(double *tries, size_t n) {
  assert(n);
  qsort(tries, n, sizeof *tries, by_value);
  return tries[n / 2];
}

double
rt_speed_mean(const double *tries, size_t n) {
  assert(n);
  double least = tries[0], sum = 0;
  for (size_t k = 1; k < n; k++)
    if (tries[k] < least) least = tries[k];
  for (size_t k = 0; k < n; k++) {
    double most = RT_SPEED_OUTLIER * least;
    sum += tries[k] < most ? tries[k] : most;
  }
  return sum / (double)n;
}

/* Of a launch over as few elements as all threads get shares of; of one thread,
 * over less. The middle of the tries: where the processors are is the system's
 * choice, and the best of them is not what many launches take. */
static status
launch_seconds(int threads, double *out) {
  enum { RUNS = 64 };
  idx_l n = threads > 1 ? RT_TEAM_LEAST / 2 * threads : 4;
  size_t bytes = (size_t)n * sizeof(double);
  struct rt_set set = {.n = n, .name = "measured"};
  double *x = rt_mem_new(bytes);
  if (!x) FAIL(ERR_MEMORY, "no memory to measure launches: %zu bytes", bytes);
  memset(x, 0, bytes);
  struct rt_program *p = rt_speed_program(&set, x);
  double tries[TRIES] = {0};
  status st = OK;
  for (int k = 0; st == OK && k < TRIES; k++) {
    for (int i = 0; st == OK && i < RUNS; i++) {
      st = rt_exec_prepare(p, threads);
      double begin = timer_wall();
      if (st == OK) st = rt_launch_run(p, &p->scratch->runs[0]);
      double after = timer_wall();
      tries[k] += (after - begin) / RUNS;
    }
  }
  *out = rt_speed_middle(tries, TRIES);
  rt_program_free(p);
  rt_mem_free(x, bytes);
  return st;
}

status
rt_speed_calls(int threads, struct rt_speeds *out) {
  double all = 0;
  TRY(measure_additions(out));
  TRY(launch_seconds(1, &out->launch));
  if (threads > 1) TRY(launch_seconds(threads, &all));
  out->fork = all > out->launch ? all - out->launch : 0;
  return OK;
}
