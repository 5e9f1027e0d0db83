/* OP2_REPORT: at op_exit, where the time went and what held each region up.
 *
 * Problem   A table of seconds says which region is slow, not whether it could
 *           be faster, nor what to change.
 *
 * Idea      Set what is known of each region (its bytes, its arithmetic by its
 *           kernels' IR, its walk, what came before it) against what this
 *           machine can do (rt/speed.c): rt/bound.c names the limit and the
 *           distance to it, report_words.c the change that follows. Beside the
 *           regions, clocks (clock.c) tell the rest: compiling, plans,
 *           recording, time outside the library.
 *
 * Cost      a fifth of a second at the first op_exit, then the figures come
 *           from the cache on disk; a tenth at op_init, 2 % between flushes
 *           (pace.c); some 100 ns a launch and a call
 * Limits    regions are classified by rank 0's numbers, their seconds are those
 *           of all ranks. Times of devices overlap those of the host. */
#include "frontend/report.h"
#include "frontend/context.h"
#include "frontend/ranks.h"

#include "base/log.h"
#include "base/str.h"
#include "lower/lower.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char report_file[] = "op2_report.json";

void
fe_report_start(void) {
  fe.report = strcmp(fe.opt.report, "0") != 0 && !fe.opt.bare;
  rt_timer_detail = fe.report;
  fe_clock_start();
  if (fe.report) rt_pace_begin(fe.nthreads, fe_ranked() ? fe_ranks.size : 1);
}

void
fe_report_stop(void) {
  rt_pace_drop();
}

/* ---- regions ------------------------------------------------------------- */

static void
region_add(void *user, const struct rt_timing *line) {
  struct fe_report *r = user;
  struct fe_region g = {.t = *line,
                        .b = rt_bounds_of(line, &r->speeds),
                        .least = line->seconds,
                        .most = line->seconds};
  VEC_PUSH(r->regions, r->n, r->cap, g);
}

static int
by_time(const void *a, const void *b) {
  const struct fe_region *x = a, *y = b;
  double s = x->most + x->b.took, t = y->most + y->b.took;
  return s < t ? 1 : s > t ? -1 : strcmp(x->t.name, y->t.name);
}

/* ---- times --------------------------------------------------------------- */

static enum fe_time
time_of(const char *name) {
  static const enum fe_time own[RT_TIMER_OWN] = {
      [RT_TIMER_COPY] = FE_TIME_COPIES,
      [RT_TIMER_UPLOAD] = FE_TIME_TRANSFERS,
      [RT_TIMER_ZERO] = FE_TIME_TRANSFERS,
      [RT_TIMER_DOWNLOAD] = FE_TIME_TRANSFERS,
      [RT_TIMER_EXCHANGE] = FE_TIME_RANKS,
      [RT_TIMER_REDUCE] = FE_TIME_RANKS};
  for (int k = 0; k < RT_TIMER_OWN; k++)
    if (!strcmp(name, rt_timer_own[k])) return own[k];
  return FE_TIME_REGIONS;
}

static double
positive(double x) {
  return x > 0 ? x : 0;
}

static void
times_make(struct fe_report *r) {
  double *t = r->times, sum = 0;
  for (uint32_t k = 0; k < r->n; k++)
    t[time_of(r->regions[k].t.name)] += r->regions[k].t.host;
  t[FE_TIME_COMPILE] = low_compile_seconds;
  t[FE_TIME_PROGRAMS] =
      positive(fe_clock_seconds(FE_CLOCK_PROGRAMS) - low_compile_seconds);
  t[FE_TIME_PLANS] = rt_walk_seconds;
  t[FE_TIME_MESH] = fe_clock_seconds(FE_CLOCK_MESH);
  t[FE_TIME_CONNECTING] = fe_ranks.connecting;
  t[FE_TIME_REPORT] = rt_pace_seconds();
  t[FE_TIME_RECORDING] = fe_clock_seconds(FE_CLOCK_RECORDING);
  for (int k = 0; k < FE_TIME_OTHER; k++) sum += t[k];
  t[FE_TIME_OTHER] = positive(r->inside - sum);
  t[FE_TIME_OUTSIDE] = positive(r->seconds - r->inside);
  memcpy(r->most, t, sizeof r->most);
}

/* ---- all ----------------------------------------------------------------- */

static status
report_make(struct fe_report *r) {
  rt_pace_end();
  TRY(fe_report_measure(r));
  rt_pace_set(&r->speeds);
  rt_timer_each(region_add, r);
  times_make(r);
  TRY(fe_report_join(r));
  if (r->n) qsort(r->regions, r->n, sizeof *r->regions, by_time);
  return OK;
}

static status
report_print(const struct fe_report *r) {
  bool named = strcmp(fe.opt.report, "1") != 0;
  const char *path = named ? fe.opt.report : report_file;
  SCOPED_STR text = STR_INIT, json = STR_INIT;
  fe_report_text(r, &text);
  fputs(text.s, stderr);
  fe_report_json(r, &json);
  int bad = str_write_file(&json, path);
  if (bad) FAIL(ERR_IO, "OP2_REPORT: cannot write %s: %s", path, strerror(bad));
  return OK;
}

status
fe_report_write(void) {
  struct fe_report r = {.seconds = timer_wall() - fe.started,
                        .inside = fe_clock_seconds(FE_CLOCK_INSIDE),
                        .threads = fe.nthreads};
  status st = report_make(&r);
  if (st == OK && op_is_root()) st = report_print(&r);
  free(r.regions);
  return st;
}
