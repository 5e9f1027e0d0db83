/* How much slower than at its best this machine is beside the loops.
 *
 * Problem. Rates are the best of short tries (speed.c), loops take what they
 * get. Who shares the processor, or its memory, makes both slower for tenths of
 * a second or for minutes: on two processors of a Xeon vectors took 1.0 to 2.9
 * times as long within four seconds, and the triad 1.5 times for a minute. A
 * region then looks further from its limit than it is.
 *
 * Idea. Between flushes, one short try after another, each of another kind, so
 * that they take SHARE of the time; those that are missing, at the end. What
 * they took on average, over what the rates say, is the pace. A try that waited
 * for its processor counts as twice the shortest: waiting is not slow.
 *
 *   flush | triad | flush | flush | flops | flush | lines | ...
 *
 * After one the next has to wait, however long there was none: several in a row
 * empty the caches, and make the loops slow that they are beside. Ranks agree
 * at each flush, so that all wait for one's try: they take SHARE together.
 *
 * cost    SHARE of the time of a program with a report, and what tries take
 *         from the caches; 200 MB on each rank
 * limits  one pace for the whole run and all regions; messages, copies and
 *         launches are measured at its end */
#include "base/log.h"
#include "rt/speed_try.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

#define SHARE 0.02
enum { ENOUGH = 16, KEPT = 512 }; /* tries of a kind; the last ones */

static struct {
  pid_t process; /* 0: nobody asks */
  double share, next, setting_up, trying;
  struct rt_tries with;
  double of[RT_PACE_COUNT][KEPT];
  long turn;
} pace;

void
rt_pace_drop(void) {
  rt_tries_free(&pace.with);
  pace.process = 0;
}

void
rt_pace_begin(int threads, int ranks) {
  double begin = timer_wall();
  rt_pace_drop(); /* of a program that ended without op_exit */
  memset(&pace, 0, sizeof pace);
  pace.process = getpid();
  pace.share = SHARE / ranks;
  rt_tries_new(threads, &pace.with);
  pace.next = timer_wall();
  pace.setting_up = pace.next - begin;
}

/* Seconds of one of its kind; 0: cannot be measured. */
static double
pace_measure(enum rt_pace what) {
  if (what == RT_PACE_ARITHMETIC) return rt_try_flops(&pace.with);
  if (!pace.with.x) return 0;
  switch (what) {
  case RT_PACE_ADDITIONS: return rt_try_additions(&pace.with);
  case RT_PACE_STREAM: return rt_try_stream(&pace.with);
  case RT_PACE_LINES: return rt_try_lines(&pace.with);
  default: assert(0); return 0;
  }
}

static void
pace_try(void) {
  enum rt_pace what = (enum rt_pace)(pace.turn % RT_PACE_COUNT);
  pace.with.at = pace.turn / RT_PACE_COUNT;
  pace.of[what][pace.with.at % KEPT] = pace_measure(what);
  pace.turn++;
}

void
rt_pace_take(void) {
  if (!pace.process) return;
  double begin = timer_wall();
  if (begin < pace.next || pace.process != getpid()) return;
  pace_try();
  double end = timer_wall();
  pace.trying += end - begin;
  pace.next = end + (end - begin) / pace.share;
}

/* What a try of the kind takes at the machine's best. */
static double
pace_known(enum rt_pace what, const struct rt_speeds *s) {
  const int far = RT_SPEED_SIZES - 1;
  bool all = s->threads > 1;
  double stream = s->stream[far][all];
  switch (what) {
  case RT_PACE_ARITHMETIC: return s->flops_all > 0 ? 1 / s->flops_all : 0;
  case RT_PACE_ADDITIONS: return rt_try_additions_known(s);
  case RT_PACE_STREAM: return stream > 0 ? 1 / stream : 0;
  case RT_PACE_LINES: return s->line[far][all];
  default: assert(0); return 0;
  }
}

void
rt_pace_end(void) {
  if (!pace.process) return;
  while (pace.process == getpid() && pace.turn < ENOUGH * RT_PACE_COUNT)
    pace_try();
  rt_pace_drop();
}

void
rt_pace_set(struct rt_speeds *out) {
  long n = pace.turn / RT_PACE_COUNT; /* of each kind */
  for (int k = 0; k < RT_PACE_COUNT; k++) {
    double best = pace_known((enum rt_pace)k, out), mean = 0;
    if (n) mean = rt_speed_mean(pace.of[k], (size_t)(n < KEPT ? n : KEPT));
    out->pace[k] = best > 0 ? mean / best : 0;
  }
}

double
rt_pace_seconds(void) {
  return pace.setting_up + pace.trying;
}
