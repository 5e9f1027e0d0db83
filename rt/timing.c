/* The timing table: one line per kernel or region name, in order of first
 * use. Bound: a program that makes up ever new names has a last line for those
 * above MOST. */
#include "base/arena.h"
#include "base/table.h"
#include "rt/device/device.h"
#include "rt/plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct line {
  const char *name;
  long long calls;
  double host, bytes;
  struct rt_timing *more; /* what is kept in detail; NULL: nothing */
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

const char *const rt_timer_own[RT_TIMER_OWN] = {
    [RT_TIMER_COPY] = "(copy)",         [RT_TIMER_UPLOAD] = "(upload)",
    [RT_TIMER_ZERO] = "(zero)",         [RT_TIMER_DOWNLOAD] = "(download)",
    [RT_TIMER_EXCHANGE] = "(exchange)", [RT_TIMER_REDUCE] = "(reduce)"};

uint32_t
rt_timer_of(enum rt_timer_own what) {
  static uint32_t known[RT_TIMER_OWN]; /* number + 1: lines stay */
  assert(what < RT_TIMER_OWN);
  if (!known[what]) known[what] = rt_timer_get(rt_timer_own[what]) + 1;
  return known[what] - 1;
}

const char *
rt_timer_name(uint32_t timer) {
  assert(timer < timers.n);
  return timers.lines[timer].name;
}

void
rt_timer_add(uint32_t timer, double seconds, uint64_t bytes) {
  assert(timer < timers.n);
  struct line *line = &timers.lines[timer];
  line->calls++;
  line->host += seconds;
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
  if (!l->nmeasured) return l->host;
  return l->host + l->measured / (double)l->nmeasured * (double)l->runs;
}

void
rt_timer_part(uint32_t timer, double seconds, uint64_t bytes, bool call) {
  rt_timer_add(timer, seconds, bytes);
  timers.lines[timer].calls -= !call;
}

void
rt_timer_given(uint32_t timer, uint64_t bytes) {
  rt_timer_add(timer, 0, bytes);
}

/* ---- launches on the host ------------------------------------------------ */

/* Reading the clock costs 25 to 90 ns. Launches that take less than SHORT
 * seconds are timed once in EACH runs. */
#define SHORT 2e-6
enum { EACH = 16 };

bool
rt_launch_timed(struct rt_launch *l) {
  assert(l->untimed < EACH);
  if (l->seconds <= 0 || l->took >= SHORT || l->untimed + 1 == EACH)
    return true;
  l->untimed++;
  return false;
}

double
rt_launch_took(struct rt_launch *l, double seconds) {
  double all = seconds * (l->untimed + 1);
  l->seconds += l->seconds > 0 ? all : seconds;
  l->took = seconds;
  l->untimed = 0;
  return all;
}

/* ---- in detail ----------------------------------------------------------- */

bool rt_timer_detail;

static struct rt_timing *
line_more(uint32_t timer) {
  assert(timer < timers.n);
  struct line *l = &timers.lines[timer];
  if (!l->more) l->more = mem_alloc(1, sizeof *l->more);
  return l->more;
}

void
rt_timer_way(uint32_t timer, const struct rt_way *way) {
  if (rt_timer_detail) line_more(timer)->way = *way;
}

void
rt_timer_work(uint32_t timer, const struct rt_effort *each, double n) {
  assert(n >= 0);
  if (!rt_timer_detail) return;
  struct rt_timing *t = line_more(timer);
  t->elements += n;
  t->work.flops += n * each->flops;
  t->work.slow += n * each->slow;
  t->work.maths += n * each->maths;
  t->work.far += n * each->far;
  t->work.adds += n * each->adds;
  t->work.kept += n * each->kept;
  t->work.targets += n * each->targets;
  t->work.unread += n * each->unread;
  t->work.inside += n * each->inside;
  t->work.named += n * each->named;
  t->work.open |= each->open;
}

void
rt_timer_before(uint32_t timer, enum rt_before what, double seconds,
                double bytes, long long n) {
  assert(what < RT_BEFORE_COUNT);
  if (!rt_timer_detail) return;
  struct rt_timing *t = line_more(timer);
  t->before[what].seconds += seconds;
  t->before[what].bytes += bytes;
  t->before[what].n += n;
}

void
rt_timer_each(void (*fn)(void *user, const struct rt_timing *line),
              void *user) {
  rt_devices_times();
  for (uint32_t i = 0; i < timers.n; i++) {
    const struct line *l = &timers.lines[i];
    struct rt_timing t = {0};
    if (l->more) t = *l->more;
    t.name = l->name;
    t.calls = l->calls;
    t.seconds = line_seconds(l);
    t.bytes = l->bytes;
    t.host = l->host;
    if (t.calls) fn(user, &t);
  }
}

void
rt_timer_reset(void) {
  rt_devices_times();
  for (uint32_t i = 0; i < timers.n; i++) {
    free(timers.lines[i].more);
    timers.lines[i] = (struct line){.name = timers.lines[i].name};
  }
}
