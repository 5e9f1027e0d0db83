/* The timing table: one line per kernel or region name, in order of first
 * use. Bound: a program that makes up ever new names has a last line for those
 * above MOST. */
#include "base/arena.h"
#include "base/table.h"
#include "rt/device/device.h"
#include "rt/plan.h"

#include <assert.h>
#include <string.h>

struct line {
  const char *name;
  long long calls;
  double seconds, bytes;
  double measured; /* seconds of `nmeasured` runs on devices, which stand for */
  long long nmeasured, runs; /* as many */
};

enum { MOST = 4096, NEW = 8 /* runs on devices */ };
static const char rest[] = "(other names)";

static struct {
  struct table numbers; /* name -> number + 1 */
  struct arena names;
  struct line *lines;
  uint32_t n, cap;
} timers;

uint32_t
rt_timer_get(const char *name) {
  uintptr_t known = table_get(&timers.numbers, name, strlen(name), 0);
  if (known) return (uint32_t)(known - 1);
  if (timers.n >= MOST) name = rest;
  uintptr_t *slot = table_slot(&timers.numbers, name, strlen(name));
  if (!*slot) {
    struct line line = {.name = arena_str(&timers.names, name)};
    VEC_PUSH(timers.lines, timers.n, timers.cap, line);
    *slot = timers.n;
  }
  return (uint32_t)(*slot - 1);
}

void
rt_timer_add(uint32_t timer, double seconds, uint64_t bytes) {
  assert(timer < timers.n);
  struct line *line = &timers.lines[timer];
  line->calls++;
  line->seconds += seconds;
  line->bytes += (double)bytes;
}

void
rt_timer_seconds(uint32_t timer, double seconds) {
  assert(timer < timers.n);
  timers.lines[timer].measured += seconds;
  timers.lines[timer].nmeasured++;
}

bool
rt_timer_measures(uint32_t timer, bool sparse) {
  assert(timer < timers.n);
  return timers.lines[timer].runs++ < NEW || !sparse;
}

/* Of the host, and of devices. */
static double
line_seconds(const struct line *l) {
  if (!l->nmeasured) return l->seconds;
  return l->seconds + l->measured / (double)l->nmeasured * (double)l->runs;
}

void (*rt_timer_hook)(const char *name, double begin, double end);

void
rt_timer_span(uint32_t timer, double begin, double end, uint64_t bytes,
              bool call) {
  rt_timer_add(timer, end - begin, bytes);
  timers.lines[timer].calls -= !call;
  if (rt_timer_hook) rt_timer_hook(timers.lines[timer].name, begin, end);
}

void
rt_timer_given(uint32_t timer, double begin, double end, uint64_t bytes) {
  rt_timer_add(timer, 0, bytes);
  if (rt_timer_hook) rt_timer_hook(timers.lines[timer].name, begin, end);
}

void
rt_timer_each(void (*fn)(void *user, const char *name, long long calls,
                         double seconds, double bytes),
              void *user) {
  rt_devices_times();
  for (uint32_t i = 0; i < timers.n; i++) {
    const struct line *l = &timers.lines[i];
    if (l->calls) fn(user, l->name, l->calls, line_seconds(l), l->bytes);
  }
}

void
rt_timer_reset(void) {
  rt_devices_times();
  for (uint32_t i = 0; i < timers.n; i++)
    timers.lines[i] = (struct line){.name = timers.lines[i].name};
}
