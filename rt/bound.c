/* What a region is held up by.
 *
 * Problem   A bandwidth alone says that a region is slow, not why.
 *
 * Idea      For each limit, the seconds that the region would take if it were
 *           the only one (a roofline with more roofs), from what its code does
 *           (struct rt_effort), how it ran (struct rt_way) and what the machine
 *           can do (struct rt_speeds):
 *
 *             memory      bytes / bandwidth of the data's size; a line that is
 *                         written unread is read all the same, so it counts
 *                         twice, unless it is stored past the caches; what
 *                         others of its chain have brought already by that of
 *                         a cache
 *             arithmetic  flops / rate + divisions / their rate + functions
 *             latency     elements named by maps * share that needs a cache
 *                         line of its own, out of order * seconds of such a
 *                         line
 *             conflicts   elements added to * seconds of one, and components
 *                         more * seconds of such a one, and of one that a
 *                         register keeps (ir/hold_run.c); and what
 *                         the longest of the three takes where one thread
 *                         runs elements that all could, if they did not meet
 *             fork-join   launches, and steps of each that gather threads
 *
 *           and for what came before it: messages and copies, by their number
 *           and their bytes.
 *
 *           The longest is the one that holds. Starting launches and gathering
 *           threads overlaps nothing, so a run takes at least that and the
 *           longest of the others. Its distance is how much longer it took:
 *           near 1 it is explained; far from 1 none of these is what takes the
 *           time.
 *
 *           Lines out of order and what else moves queue for the same memory:
 *           a run takes at least the sum of both. A loop of two such reads
 *           beside a map and two values in order took 1.09 times as long as its
 *           lines alone on one thread, 1.10 to 1.16 on two, and 1.02, 1.00
 *           times as long as the sum.
 *
 * Example   2e9 bytes at 1e10 bytes/s are 0.2 s, 1e9 flops at 1e10 are 0.1 s;
 *           it took 0.3 s: memory, distance 1.5.
 *
 *           All rates are a quiet machine's; how much slower it was beside the
 *           loops is a factor (pace.c).
 *
 * Limits    What else overlaps, and what does not, is not modelled: a region
 *           near two limits may take their sum. Data count as in the cache that
 *           holds one call's, whatever ran in between. */
#include "rt/bound.h"

#include <assert.h>
#include <string.h>

/* Lines an entry up to which those of neighbours follow each other, so that the
 * processor asks for them ahead: meshes in order have 0.07. */
static const double in_order = 0.1;

/* Sizes below are those of caches of one processor; and the one that holds what
 * regions of a chain leave for each other. */
enum { OWN_CACHES = 1, CHAIN_CACHE = 1 };

/* A function of <math.h>, in additions: a polynomial, or a call. */
static const double function_flops = 25;

const double rt_speed_bytes[RT_SPEED_SIZES] = {256 << 10, 4 << 20, 24 << 20,
                                               192 << 20};

static const char *const texts[] = {
#define BOUND(name, text, what) text,
#include "rt/bound.def"
#undef BOUND
};

const char *
rt_bound_text(enum rt_bound b) {
  assert(b < RT_BOUND_COUNT);
  return texts[b];
}

int
rt_speed_size(double bytes) {
  int k = 0;
  while (k < RT_SPEED_SIZES - 1 && bytes > 2 * rt_speed_bytes[k]) k++;
  return k;
}

static double
over(double x, double rate) {
  return rate > 0 ? x / rate : 0;
}

/* Threads that elements run on. */
static double
threads_of(const struct rt_way *w) {
  return w->alone || w->threads < 1 ? 1 : w->threads;
}

/* Times as long as at this machine's best. */
static double
pace(const struct rt_speeds *s, enum rt_pace what) {
  return s->pace[what] > 0 ? s->pace[what] : 1;
}

/* Small caches are the processor's own. */
static enum rt_pace
pace_of(int size, enum rt_pace far) {
  return size < OWN_CACHES ? RT_PACE_ARITHMETIC : far;
}

/* Times as long as alone that each of all threads computes. */
static double
crowd(const struct rt_speeds *s) {
  return s->flops_all > 0 ? s->flops[1] / s->flops_all : 1;
}

/* Seconds of all arithmetic on one thread. */
static double
arithmetic(const struct rt_timing *l, const struct rt_speeds *s) {
  int v = l->way.lanes > 1;
  double flops = l->work.flops + function_flops * l->work.maths;
  return pace(s, RT_PACE_ARITHMETIC) *
         (over(flops, s->flops[v]) + over(l->work.slow, s->slow[v]));
}

/* Seconds of bytes that move, on one thread, or on all. */
static double
stream(double bytes, const struct rt_speeds *s, int size, bool all) {
  return pace(s, pace_of(size, RT_PACE_STREAM)) *
         over(bytes, s->stream[size][all]);
}

/* Share of the elements named by maps that need a line of their own. */
static double
apart(const struct rt_timing *l) {
  double x = (l->way.locality - in_order) / (1 - in_order);
  return x > 0 ? x : 0;
}

/* Seconds of those lines on one thread. */
static double
latency(const struct rt_timing *l, const struct rt_speeds *s, int size,
        bool all) {
  return pace(s, pace_of(size, RT_PACE_LINES)) * l->work.far * apart(l) *
         s->line[size][all];
}

/* Bytes that come with those lines; more of an element follows in order. */
static double
latency_bytes(const struct rt_timing *l) {
  double lines = RT_LINE * l->work.far;
  return apart(l) * (l->work.named < lines ? l->work.named : lines);
}

/* Seconds of adding through maps on one thread. */
static double
additions(const struct rt_timing *l, const struct rt_speeds *s) {
  double more = l->work.adds - l->work.targets;
  return pace(s, RT_PACE_ADDITIONS) *
         (s->add * l->work.targets + s->more * more + s->kept * l->work.kept);
}

/* Share of the elements that one thread runs while others could. */
static double
alone_share(const struct rt_way *w) {
  if (w->team < 2 || w->alone || w->n <= 0) return 0;
  if (w->serial || w->crowded) return 1;
  return w->kind == RT_WAY_PARTS ? (double)w->border / w->n : 0;
}

double
rt_bytes_moved(const struct rt_timing *l) {
  double moved = l->bytes + l->work.unread - l->work.inside;
  return moved > 0 ? moved : 0;
}

/* Seconds of what others of the chain have brought. */
static double
near(const struct rt_timing *l, const struct rt_speeds *s, int size, bool all) {
  double bytes = l->bytes + l->work.unread - rt_bytes_moved(l);
  return stream(bytes, s, size < CHAIN_CACHE ? size : CHAIN_CACHE, all);
}

/* Seconds of all bytes, wherever they come from. */
static double
memory(const struct rt_timing *l, const struct rt_speeds *s, int size,
       bool all) {
  return stream(rt_bytes_moved(l), s, size, all) + near(l, s, size, all);
}

static double
longest(const double *x, int n) {
  double most = 0;
  for (int k = 0; k < n; k++)
    if (x[k] > most) most = x[k];
  return most;
}

/* What the run waits for memory at least: lines out of order, and all else in
 * order. The one of these that takes longer is the limit then. */
static double
waits(const struct rt_timing *l, const struct rt_speeds *s,
      const double *seconds) {
  double lines = seconds[RT_BOUND_LATENCY], moved = rt_bytes_moved(l);
  double rest = moved > 0 ? 1 - latency_bytes(l) / moved : 0;
  if (lines <= 0) return seconds[RT_BOUND_MEMORY];
  double brought =
      near(l, s, rt_speed_size(l->way.bytes), threads_of(&l->way) > 1);
  double ordered = seconds[RT_BOUND_MEMORY] - brought;
  return lines + (rest > 0 ? rest : 0) * ordered + brought;
}

static void
run_limits(const struct rt_timing *l, const struct rt_speeds *s, double *out) {
  const struct rt_way *w = &l->way;
  int size = rt_speed_size(w->bytes);
  double n = threads_of(w), calls = (double)l->calls;
  double lone[] = {memory(l, s, size, false), arithmetic(l, s),
                   latency(l, s, size, false)};
  out[RT_BOUND_MEMORY] = memory(l, s, size, n > 1);
  out[RT_BOUND_ARITHMETIC] = lone[1] / n * (n > 1 ? crowd(s) : 1);
  out[RT_BOUND_LATENCY] = latency(l, s, size, n > 1) / n;
  out[RT_BOUND_CONFLICTS] =
      additions(l, s) / n + alone_share(w) * longest(lone, 3);
  out[RT_BOUND_FORK_JOIN] =
      calls * (s->launch + (n > 1 ? (double)w->steps * s->fork : 0));
}

/* Seconds of what came before, of so much each and by such a rate. */
static double
moves(const struct rt_timing *l, enum rt_before what, double each,
      double rate) {
  return (double)l->before[what].n * each + over(l->before[what].bytes, rate);
}

struct rt_bounds
rt_bounds_of(const struct rt_timing *l, const struct rt_speeds *s) {
  static const enum rt_bound of[RT_BEFORE_COUNT] = {
      [RT_BEFORE_EXCHANGE] = RT_BOUND_EXCHANGE,
      [RT_BEFORE_TRANSFER] = RT_BOUND_TRANSFER,
      [RT_BEFORE_COMPILE] = RT_BOUND_COMPILE};
  struct rt_bounds b = {.took = l->seconds, .run = RT_BOUND_UNKNOWN};
  if (l->way.lanes) run_limits(l, s, b.seconds);
  double alone[RT_BOUND_COUNT];
  memcpy(alone, b.seconds, sizeof alone);
  bool lines = alone[RT_BOUND_LATENCY] > alone[RT_BOUND_MEMORY];
  alone[lines ? RT_BOUND_LATENCY : RT_BOUND_MEMORY] = waits(l, s, b.seconds);
  for (int k = RT_BOUND_MEMORY; k <= RT_BOUND_FORK_JOIN; k++)
    if (alone[k] > alone[b.run]) b.run = (enum rt_bound)k;
  double work = longest(alone, RT_BOUND_FORK_JOIN);
  b.which = b.run;
  b.least = work + b.seconds[RT_BOUND_FORK_JOIN];
  b.run_distance = over(l->seconds, b.least);
  b.seconds[RT_BOUND_EXCHANGE] =
      moves(l, RT_BEFORE_EXCHANGE, s->message, s->wire);
  b.seconds[RT_BOUND_TRANSFER] = moves(l, RT_BEFORE_TRANSFER, s->copy, s->bus);
  for (int k = 0; k < RT_BEFORE_COUNT; k++) {
    if (l->before[k].seconds <= b.took) continue;
    b.took = l->before[k].seconds;
    b.which = of[k];
    b.least = b.seconds[b.which];
  }
  b.distance = over(b.took, b.least);
  return b;
}
