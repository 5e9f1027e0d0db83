/* Clocks of OP2_REPORT: how long calls of the library took, and parts of them;
 * without that option none is read. What begins and ends, for
 * who listens. */
#include "frontend/context.h"

#include "base/event.h"
#include "base/log.h"
#include "rt/bound.h"

#include <assert.h>
#include <string.h>

static struct {
  double seconds[FE_CLOCK_COUNT];
  double entered; /* 0: the program runs */
  double parts;   /* of what op_par_loop runs, at its begin */
} clocks;

void
fe_clock_start(void) {
  memset(&clocks, 0, sizeof clocks);
  clocks.entered = fe.started;
}

/* What op_par_loop may do that is no recording. */
static double
parts(void) {
  return clocks.seconds[FE_CLOCK_FLUSH] + clocks.seconds[FE_CLOCK_MESH];
}

void
fe_clock_enter(void) {
  if (clocks.entered > 0) return; /* within another call */
  clocks.entered = timer_wall();
  clocks.parts = parts();
}

void
fe_clock_leave(void) {
  if (clocks.entered <= 0) return;
  double took = timer_wall() - clocks.entered;
  clocks.entered = 0;
  clocks.seconds[FE_CLOCK_INSIDE] += took;
  if (fe.api && !strcmp(fe.api, "op_par_loop"))
    clocks.seconds[FE_CLOCK_RECORDING] += took - (parts() - clocks.parts);
}

double
fe_clock_begin(void) {
  return fe.report ? timer_wall() : 0;
}

void
fe_clock_end(enum fe_clock clock, double begin) {
  assert(clock < FE_CLOCK_COUNT);
  if (begin <= 0) return;
  double took = timer_wall() - begin;
  clocks.seconds[clock] += took;
  bool look = clock == FE_CLOCK_FLUSH && clocks.entered <= 0;
  if (look) clocks.seconds[FE_CLOCK_INSIDE] += took; /* no call, but a look */
}

double
fe_clock_seconds(enum fe_clock clock) {
  assert(clock < FE_CLOCK_COUNT);
  double under_way = clock == FE_CLOCK_INSIDE && clocks.entered > 0
                         ? timer_wall() - clocks.entered
                         : 0;
  return clocks.seconds[clock] + under_way;
}

void
fe_clock_pace(void) {
  rt_pace_take();
}

void
fe_told(enum fe_clock section, const char *name, const char *words,
        bool begins) {
  static const enum event_kind kinds[FE_CLOCK_COUNT] = {
      [FE_CLOCK_FLUSH] = EVENT_flush,
      [FE_CLOCK_PROGRAMS] = EVENT_programs,
      [FE_CLOCK_MESH] = EVENT_mesh};
  assert(kinds[section]);
  struct event e = {.kind = kinds[section], .name = name, .words = words};
  (begins ? event_begin : event_end)(&e);
}

const char *
fe_told_name(const char *name) {
  return event_name(name);
}
