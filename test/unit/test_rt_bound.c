/* What holds a region up, from given numbers: each limit is named where it is the
 * longest, with its distance; what came before a run counts where it took longer. */
#include "frontend/report.h"

#include "base/str.h"

#include <criterion/criterion.h>
#include <string.h>

/* A machine of round figures. */
static const struct rt_speeds machine = {
    .threads = 2,
    .stream = {{40e9, 80e9}, {20e9, 40e9}, {15e9, 30e9}, {10e9, 20e9}},
    .line = {{1e-9, 1e-9}, {4e-9, 4e-9}, {6e-9, 6e-9}, {8e-9, 10e-9}},
    .flops = {4e9, 32e9},
    .slow = {0.5e9, 1e9},
    .add = 1e-9,
    .more = 0.25e-9,
    .kept = 0.25e-9,
    .fork = 1e-6,
    .launch = 1e-7,
    .message = 2e-6,
    .wire = 1e9,
    .copy = 1e-5,
    .bus = 1e10};

/* 1e6 elements of 200 bytes, ten calls in a second, on both threads. */
static struct rt_timing
line(void) {
  return (struct rt_timing){.name = "region",
                            .calls = 10,
                            .seconds = 1,
                            .elements = 1e7,
                            .way = {.n = 1000000,
                                    .threads = 2,
                                    .team = 2,
                                    .steps = 1,
                                    .lanes = 8,
                                    .locality = -1,
                                    .bytes = 2e8}};
}

static void
check(const struct rt_timing *t, enum rt_bound which, double distance) {
  struct rt_bounds b = rt_bounds_of(t, &machine);
  cr_expect_str_eq(rt_bound_text(b.which), rt_bound_text(which));
  cr_expect_float_eq(b.distance, distance, 1e-3 * distance + 1e-12,
                     "distance %g, expected %g", b.distance, distance);
  cr_expect(*fe_report_advice(t, &b));
}

Test(rt_bound, memory) {
  struct rt_timing t = line();
  t.bytes = 1e10;
  check(&t, RT_BOUND_MEMORY, 2); /* 0.5 s at 20 GB/s */
  t.way.threads = 1;
  check(&t, RT_BOUND_MEMORY, 1);
  t.way.bytes = 1e6; /* from the last cache */
  check(&t, RT_BOUND_MEMORY, 2);
}

/* Lines that are written unread are read, too. */
Test(rt_bound, memory_written_unread) {
  struct rt_timing t = line();
  t.bytes = 1e10;
  t.work.unread = 5e9;
  check(&t, RT_BOUND_MEMORY, 1 / 0.75);
  t.work.inside = 1e10; /* all that was read stays in tiles: at 40 GB/s */
  check(&t, RT_BOUND_MEMORY, 2);
}

/* All that moves are lines out of order: what the chain has brought adds. */
Test(rt_bound, latency_beside_what_a_chain_has_brought) {
  struct rt_timing t = line();
  t.bytes = 2e10;
  t.work.inside = 1e10; /* 0.25 s from a cache of 4 MB */
  t.work.named = 1e10;
  t.work.far = 1.6e8; /* 0.8 s on two threads */
  t.way.locality = 1;
  check(&t, RT_BOUND_LATENCY, 1 / 1.05);
}

Test(rt_bound, arithmetic) {
  struct rt_timing t = line();
  t.bytes = 1e9;
  t.work.flops = 1.6e10;
  check(&t, RT_BOUND_ARITHMETIC, 4);
  t.work.slow = 1e9; /* half a second on two threads */
  check(&t, RT_BOUND_ARITHMETIC, 1 / 0.75);
  t.work.slow = 0;
  t.way.lanes = 1;
  check(&t, RT_BOUND_ARITHMETIC, 0.5);
}

/* A machine that was slower beside the loops: each limit by its own pace, what
 * lies in a processor's caches by that of arithmetic. */
Test(rt_bound, pace) {
  struct rt_speeds slow = machine;
  struct rt_timing t = line();
  slow.pace[RT_PACE_STREAM] = 2;
  slow.pace[RT_PACE_ARITHMETIC] = 1.5;
  slow.pace[RT_PACE_ADDITIONS] = 3;
  slow.pace[RT_PACE_LINES] = 1.25;
  t.bytes = 1e10;
  t.work = (struct rt_effort){
      .flops = 6.4e9, .slow = 1e8, .far = 1e7, .targets = 1e8, .adds = 1e8};
  t.way.locality = 1;
  struct rt_bounds b = rt_bounds_of(&t, &slow);
  cr_expect_float_eq(b.seconds[RT_BOUND_MEMORY], 2 * 0.5, 1e-9);
  cr_expect_float_eq(b.seconds[RT_BOUND_ARITHMETIC], 1.5 * 0.15, 1e-9);
  cr_expect_float_eq(b.seconds[RT_BOUND_CONFLICTS], 3 * 0.05, 1e-9);
  cr_expect_float_eq(b.seconds[RT_BOUND_LATENCY], 1.25 * 0.05, 1e-9);
  t.way.bytes = 4e5;
  b = rt_bounds_of(&t, &slow);
  cr_expect_float_eq(b.seconds[RT_BOUND_MEMORY], 1.5 * 0.125, 1e-9);
  cr_expect_float_eq(b.seconds[RT_BOUND_LATENCY], 1.5 * 0.005, 1e-9);
  slow.pace[RT_PACE_ARITHMETIC] = 0; /* unknown */
  b = rt_bounds_of(&t, &slow);
  cr_expect_float_eq(b.seconds[RT_BOUND_MEMORY], 0.125, 1e-9);
}

/* Where threads share what computes, all of them are slower than one. */
Test(rt_bound, threads_that_share_a_core) {
  struct rt_speeds shared = machine;
  struct rt_timing t = line();
  shared.flops_all = 20e9; /* of 32 */
  t.work.flops = 6.4e9;
  struct rt_bounds b = rt_bounds_of(&t, &shared);
  cr_expect_float_eq(b.seconds[RT_BOUND_ARITHMETIC], 0.16, 1e-9);
  t.way.threads = 1;
  b = rt_bounds_of(&t, &shared);
  cr_expect_float_eq(b.seconds[RT_BOUND_ARITHMETIC], 0.2, 1e-9);
}

/* All that pace.c says is there, and its memory is given back. */
Test(rt_pace, tries) {
  struct rt_speeds s = machine;
  rt_pace_take();
  rt_pace_end();
  rt_pace_set(&s);
  for (int k = 0; k < RT_PACE_COUNT; k++) cr_expect_eq(s.pace[k], 0);
  s.flops_all = 20e9;
  rt_pace_begin(1, 1);
  rt_pace_begin(2, 1); /* the first one never ended */
  rt_pace_take();
  rt_pace_end();
  rt_pace_take();
  rt_pace_set(&s);
  for (int k = 0; k < RT_PACE_COUNT; k++) cr_expect_gt(s.pace[k], 0);
  cr_expect_gt(rt_pace_seconds(), 0);
}

Test(rt_speed, mean_of_tries) {
  const double tries[] = {4, 5, 3, 1000};
  cr_expect_eq(rt_speed_mean(tries, 4), (4 + 5 + 3 + 6) / 4.0);
  cr_expect_eq(rt_speed_mean(tries, 1), 4);
}

Test(rt_bound, latency) {
  struct rt_timing t = line();
  t.bytes = 1e9;
  t.work.far = 1e8;
  t.work.named = 1e9;
  t.way.locality = 1;
  check(&t, RT_BOUND_LATENCY, 2);
  t.way.locality = 0.55; /* half of them on lines of their own */
  check(&t, RT_BOUND_LATENCY, 1 / (0.25 + 0.025));
  t.way.locality = 0.05; /* neighbours share lines: memory again */
  check(&t, RT_BOUND_MEMORY, 20);
  t.way.locality = 1;
  t.way.threads = 1; /* which nobody keeps waiting */
  check(&t, RT_BOUND_LATENCY, 1.25);
}

/* All that moves waits for the same memory as those lines, which are of 64 bytes. */
Test(rt_bound, latency_beside_what_moves) {
  struct rt_timing t = line();
  t.bytes = 8e9;
  t.work.far = 1e8;
  t.work.named = 4e9; /* each has 40 bytes */
  t.way.locality = 1;
  check(&t, RT_BOUND_LATENCY, 1 / (0.5 + 0.2));
  t.work.named = 7.4e9; /* of 74 a line of its own brings 64 */
  check(&t, RT_BOUND_LATENCY, 1 / (0.5 + 0.08));
  t.way.locality = 0.55; /* half of them on lines of their own */
  check(&t, RT_BOUND_MEMORY, 1 / (0.25 + 0.24));
  cr_expect_float_eq(rt_bounds_of(&t, &machine).seconds[RT_BOUND_LATENCY], 0.25,
                     1e-9);
  t.work.flops = 2.88e10; /* 0.45 s: longer than either, but not than both */
  check(&t, RT_BOUND_MEMORY, 1 / (0.25 + 0.24));
  t.work.flops = 3.2e10;
  check(&t, RT_BOUND_ARITHMETIC, 1 / 0.5);
}

Test(rt_bound, conflicts_of_additions) {
  struct rt_timing t = line();
  t.bytes = 1e9;
  t.work.adds = 1e9;
  t.work.targets = 1e9; /* a component each */
  check(&t, RT_BOUND_CONFLICTS, 2);
  t.work.targets = 2.5e8; /* four each: 0.25 s and 0.1875 s, by two threads */
  check(&t, RT_BOUND_CONFLICTS, 2 / 0.4375);
  t.work.kept = 5e8; /* in registers: 0.125 s more */
  check(&t, RT_BOUND_CONFLICTS, 2 / 0.5625);
}

Test(rt_bound, conflicts_of_order) {
  struct rt_timing t = line();
  t.bytes = 8e9;
  t.way.serial = true;
  t.way.threads = 1;
  t.work.adds = t.work.targets = 1e7;
  check(&t, RT_BOUND_CONFLICTS, 1 / 0.81);
  t.way.serial = false;
  t.way.threads = 2;
  t.way.kind = RT_WAY_PARTS;
  t.way.border = 900000; /* nearly all of it */
  check(&t, RT_BOUND_CONFLICTS, 1 / (0.9 * 0.8 + 0.005));
}

Test(rt_bound, fork_join) {
  struct rt_timing t = line();
  t.calls = 100000;
  t.way.steps = 4;
  check(&t, RT_BOUND_FORK_JOIN, 1 / (1e5 * 4.1e-6));
  t.way.alone = true; /* nobody is called */
  check(&t, RT_BOUND_FORK_JOIN, 1 / (1e5 * 1e-7));
}

/* Starts overlap nothing: they add to the longest of the others, and only there. */
Test(rt_bound, starts_add) {
  struct rt_timing t = line();
  t.bytes = 1e10;
  t.calls = 100000;
  t.way.steps = 4;
  check(&t, RT_BOUND_MEMORY, 1 / (0.5 + 0.41));
  cr_expect_float_eq(rt_bounds_of(&t, &machine).seconds[RT_BOUND_MEMORY], 0.5,
                     1e-9);
  t.bytes = 4e9;
  check(&t, RT_BOUND_FORK_JOIN, 1 / (0.2 + 0.41));
  t.before[RT_BEFORE_TRANSFER].seconds = 2;
  t.before[RT_BEFORE_TRANSFER].bytes = 1e10;
  check(&t, RT_BOUND_TRANSFER, 2);
}

/* What came before a run that took longer than this. */
Test(rt_bound, before) {
  struct rt_timing t = line();
  t.bytes = 1e10;
  t.before[RT_BEFORE_EXCHANGE].seconds = 0.9;
  check(&t, RT_BOUND_MEMORY, 2);
  t.before[RT_BEFORE_EXCHANGE].seconds = 1.5;
  t.before[RT_BEFORE_EXCHANGE].n = 1000;
  t.before[RT_BEFORE_EXCHANGE].bytes = 1e6;
  check(&t, RT_BOUND_EXCHANGE, 1.5 / 3e-3);
  t.before[RT_BEFORE_TRANSFER].seconds = 2;
  t.before[RT_BEFORE_TRANSFER].bytes = 1e10;
  t.before[RT_BEFORE_TRANSFER].n = 25000;
  check(&t, RT_BOUND_TRANSFER, 2 / 1.25);
  t.before[RT_BEFORE_COMPILE].seconds = 3;
  check(&t, RT_BOUND_COMPILE, 0); /* no limit is known */
  cr_expect_eq(rt_bounds_of(&t, &machine).run, RT_BOUND_MEMORY);
  cr_expect_float_eq(rt_bounds_of(&t, &machine).run_distance, 2, 1e-3);
}

/* A device's limits are not known, what came before is. */
Test(rt_bound, device) {
  struct rt_timing t = line();
  t.bytes = 1e10;
  t.way.lanes = 0;
  check(&t, RT_BOUND_UNKNOWN, 0);
  t.before[RT_BEFORE_TRANSFER].seconds = 2;
  t.before[RT_BEFORE_TRANSFER].bytes = 1e10;
  check(&t, RT_BOUND_TRANSFER, 2);
}

/* ---- words --------------------------------------------------------------- */

static void
advises(const struct rt_timing *t, const char *words) {
  struct rt_bounds b = rt_bounds_of(t, &machine);
  const char *text = fe_report_advice(t, &b);
  cr_expect(strstr(text, words), "\"%s\" is not in: %s", words, text);
}

Test(report_words, advice) {
  struct rt_timing t = line();
  t.work.far = 1e8;
  t.way.locality = 1;
  advises(&t, "OP2_RENUMBER");
  t.seconds = 10; /* too far from any limit */
  advises(&t, "none of the limits");
  t.way.serial = true; /* that explains it */
  advises(&t, "an order that does not matter");
  t = line();
  t.work.flops = 1.6e10;
  t.way.lanes = 1;
  advises(&t, "in vectors");
  t.way.lanes = 8;
  t.work.slow = 4e9;
  advises(&t, "divisions");
  t = line();
  t.work.adds = t.work.targets = 1e9;
  advises(&t, "OP2_GATHER");
  t.way.crowded = true;
  advises(&t, "hubs");
}

static void
walks(const struct rt_timing *t, const char *expected) {
  SCOPED_STR text = STR_INIT;
  fe_report_walk(t, &text);
  cr_expect_str_eq(text.s, expected);
}

Test(report_words, walk) {
  struct rt_timing t = line();
  walks(&t, "2 shares; vectors of 8 elements");
  t.way.kind = RT_WAY_PARTS;
  t.way.blocks = 2;
  t.way.border = 50;
  t.way.aos = 2;
  t.way.locality = 0.07;
  walks(&t, "2 parts, then 50 of 1000000 elements on one thread; vectors of 8 "
            "elements; AoS 2; its maps take 70 lines for 1000 entries");
  t.way = (struct rt_way){.serial = true, .lanes = 1, .locality = -1};
  walks(&t, "in the program's order, on one thread; not in vectors over "
            "elements: its elements run in order");
  t.way = (struct rt_way){.lanes = 0, .soa = 3, .locality = -1};
  walks(&t, "on a device; SoA 3");
}
