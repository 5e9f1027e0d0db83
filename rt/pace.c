/* How much slower than at its best this machine is beside the loops.
 *
 * Problem. Rates are the best of short tries (speed.c), loops take what they
 * get. Who shares the processor, or its memory, makes both slower for tenths of
 * a second or for minutes: on two processors of a Xeon vectors took 1.0 to 2.9
 * times as long within four seconds, and the triad 1.5 times for a minute. A
 * region then looks further from its limit than it is.
 *
 * Idea. Between flushes, one short try after another, each of another kind, as
 * long as they take SHARE of the time; those that are missing, at the end. What
 * they took on average, over what the rates say, is the pace. A try that waited
 * for its processor counts as twice the shortest: waiting is not slow.
 *
 *   flush | triad | flush | flush | flops | flush | lines | ...
 *
 * cost    SHARE of the time of a program with a report, and what tries take
 *         from the caches; 192 MB
 * limits  one pace for the whole run and all regions; messages, copies and
 *         launches are measured at its end */
#include "base/arena.h"
#include "base/log.h"
#include "rt/plan.h"
#include "rt/speed_try.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SHARE 0.02
enum { ENOUGH = 16 }; /* tries of a kind */

struct tries {
  double sum, least;
  long n;
};

static struct {
  int threads; /* 0: nobody asks */
  double begun, setting_up, trying;
  double *x; /* NULL: there was no memory */
  idx_l *row;
  long turn;
  struct tries of[RT_PACE_COUNT];
} pace;

static void
pace_free(void) {
  if (pace.x) rt_mem_free(pace.x, RT_TRY_DOUBLES * sizeof *pace.x);
  free(pace.row);
  pace.x = NULL;
  pace.row = NULL;
  pace.threads = 0;
}

void
rt_pace_begin(int threads) {
  size_t bytes = RT_TRY_DOUBLES * sizeof *pace.x;
  double begin = timer_wall();
  pace_free(); /* where a program ended without op_exit's report */
  memset(&pace, 0, sizeof pace);
  pace.threads = threads;
  pace.x = rt_mem_new(bytes);
  if (pace.x) {
    memset(pace.x, 0, bytes);
    pace.row = mem_alloc(2 * RT_TRY_WINDOWS * RT_TRY_READS, sizeof *pace.row);
    rt_try_scatter(pace.row);
  }
  pace.begun = timer_wall();
  pace.setting_up = pace.begun - begin;
}

/* Seconds of one of its kind; 0: cannot be measured. */
static double
pace_measure(enum rt_pace what, long at) {
  switch (what) {
  case RT_PACE_ARITHMETIC: return rt_try_flops(pace.threads);
  case RT_PACE_ADDITIONS: return rt_try_additions(pace.threads);
  case RT_PACE_STREAM:
    return pace.x ? rt_try_stream(pace.x, at, pace.threads) : 0;
  case RT_PACE_LINES:
    return pace.x ? rt_try_lines(pace.x, pace.row, at, pace.threads) : 0;
  case RT_PACE_COUNT: break;
  }
  assert(0);
  return 0;
}

static void
pace_try(void) {
  long turn = pace.turn++;
  enum rt_pace what = (enum rt_pace)(turn % RT_PACE_COUNT);
  struct tries *of = &pace.of[what];
  double t = pace_measure(what, turn / RT_PACE_COUNT);
  if (!of->n++ || t < of->least) of->least = t;
  double most = RT_SPEED_OUTLIER * of->least;
  of->sum += t < most ? t : most;
}

void
rt_pace_take(void) {
  if (!pace.threads) return;
  double begin = timer_wall();
  if (pace.trying > SHARE * (begin - pace.begun)) return;
  pace_try();
  pace.trying += timer_wall() - begin;
}

/* What a try of the kind takes at the machine's best. */
static double
pace_known(enum rt_pace what, const struct rt_speeds *s) {
  const int far = RT_SPEED_SIZES - 1;
  bool all = s->threads > 1;
  switch (what) {
  case RT_PACE_ARITHMETIC: return s->flops[1] > 0 ? 1 / s->flops[1] : 0;
  case RT_PACE_ADDITIONS: return rt_try_additions_known(s);
  case RT_PACE_STREAM:
    return s->stream[far][all] > 0 ? 1 / s->stream[far][all] : 0;
  case RT_PACE_LINES: return s->line[far][all];
  case RT_PACE_COUNT: break;
  }
  assert(0);
  return 0;
}

void
rt_pace_end(void) {
  if (!pace.threads) return;
  while (pace.turn < ENOUGH * RT_PACE_COUNT) pace_try();
  pace_free();
}

void
rt_pace_set(struct rt_speeds *out) {
  for (int k = 0; k < RT_PACE_COUNT; k++) {
    double best = pace_known((enum rt_pace)k, out), n = (double)pace.of[k].n;
    out->pace[k] = best > 0 && n > 0 ? pace.of[k].sum / n / best : 0;
  }
}

double
rt_pace_seconds(void) {
  return pace.setting_up + pace.trying;
}
