/* Batches and CUDA graphs against a mock driver: what the stream sees is the same with
 * graphs and without, and nothing is left. */
#include "cuda_make.h"

#include "base/counters.h"
#include "rt/plan.h"

#include <stdlib.h>

static const char ptx[] = ".version 7.0\n"
                          ".visible .entry flux(\n.param .u64 a,\n"
                          ".param .u64 b,\n.param .u64 n)\n{ret;}\n"
                          ".visible .entry update(\n.param .u64 a)\n{ret;}";

/* A device with two kernels and two buffers. */
static struct rt_device *d;
static void *code, *flux, *update, *mem[2];

static void
open_code(void) {
  cr_assert_eq(d->driver->code_new(d, ptx, strlen(ptx), &code), OK);
  cr_assert_eq(d->driver->kernel_new(d, code, "flux", &flux), OK);
  cr_assert_eq(d->driver->kernel_new(d, code, "update", &update), OK);
}

static void
start(void) {
  mock_load();
  d = device(0);
  open_code();
  for (int k = 0; k < 2; k++)
    cr_assert_eq(d->driver->mem_new(d, 64, &mem[k]), OK);
  *mock->log = *mock->args = 0;
}

static void
end(void) {
  for (int k = 0; k < 2; k++) d->driver->mem_free(d, mem[k]);
  d->driver->code_free(d, code);
  check_end();
}

static void
launch_flux(int from, int64_t n, size_t items) {
  struct rt_dev_arg args[] = {
      {.mem = mem[from]}, {.mem = mem[!from]}, {.word = n}};
  cr_assert_eq(d->driver->launch(d, flux, args, 3, items, 64), OK, "%s",
               err_last());
}

static void
launch_update(int from) {
  struct rt_dev_arg args[] = {{.mem = mem[from]}, {.local = 32}};
  cr_assert_eq(d->driver->launch(d, update, args, 2, 64, 64), OK);
}

/* A flush: scalars go up, two kernels, and a copy. */
static status
flush(int from, int64_t n) {
  struct rt_device *at = NULL;
  cr_assert_eq(rt_device_batch(&at, d), OK);
  cr_assert_eq(d->driver->write(d, mem[from], &n, sizeof n), OK);
  launch_flux(from, n, 128 + 64 * (size_t)n);
  launch_update(!from);
  cr_assert_eq(d->driver->copy(d, mem[from], mem[!from], 16), OK);
  return rt_device_batch(&at, NULL);
}

#define FLUSH_1 "up8 launch:flux:3x64 launch:update:1x64+32 copy16 "
#define FLUSH_2 "up8 launch:flux:4x64 launch:update:1x64+32 copy16 "

Test(cuda_graph, a_batch_that_comes_again, .init = start) {
  cr_assert_eq(flush(0, 1), OK);
  cr_assert_str_eq(mock->log, FLUSH_1);
  *mock->log = 0;
  cr_assert_eq(flush(1, 2), OK);
  cr_assert_str_eq(mock->log, "made4 graph4: " FLUSH_2);
  *mock->log = 0;
  cr_assert_eq(flush(0, 2), OK); /* all but the grids have changed */
  cr_assert_str_eq(mock->log, "set0 set1 set2 set3 graph4: " FLUSH_2);
  cr_assert_eq(mock->execs, 1);
  cr_assert_eq(mock->launches, 6);
  cr_assert_eq(counters[CNT_graphs], 1);
  cr_assert_eq(counters[CNT_graph_launches], 2);
  end();
}

/* Zeros of one place, then of another. */
Test(cuda_graph, zeros_in_a_batch, .init = start) {
  static const int at[] = {0, 0, 1};
  static const char *const expected[] = {
      "zero16 launch:update:1x64+32 ",
      "made2 graph2: zero16 launch:update:1x64+32 ",
      "set0 set1 graph2: zero16 launch:update:1x64+32 "};
  for (int k = 0; k < 3; k++) {
    struct rt_device *in = NULL;
    char *x = mem[at[k]];
    memset(x, 1, 64);
    *mock->log = 0;
    cr_assert_eq(rt_device_batch(&in, d), OK);
    cr_assert_eq(d->driver->zero(d, x, 16), OK);
    launch_update(at[k]);
    cr_assert_eq(rt_device_batch(&in, NULL), OK);
    cr_assert_str_eq(mock->log, expected[k]);
    cr_assert(!x[0] && !x[15] && x[16] == 1);
  }
  end();
}

/* Only what has changed is set: here the place of the scalars in pinned memory. */
Test(cuda_graph, what_has_not_changed_stays, .init = start) {
  for (int k = 0; k < 3; k++) cr_assert_eq(flush(0, 1), OK);
  cr_assert_str_eq(mock->log,
                   FLUSH_1 "made4 graph4: " FLUSH_1 "set0 graph4: " FLUSH_1);
  end();
}

/* Pointers, sizes and numbers are those of the run without graphs. */
Test(cuda_graph, switched_off, .init = start) {
  static const int from[] = {0, 1, 0, 0, 1, 1}, n[] = {1, 2, 2, 3, 3, 3};
  char with[sizeof mock->args];
  for (int k = 0; k < 6; k++) cr_assert_eq(flush(from[k], n[k]), OK);
  cr_assert_eq(mock->execs, 1);
  cr_assert(strstr(mock->log, "graph4: "));
  strcpy(with, mock->args);
  *mock->args = *mock->log = 0;
  rt_cuda_graphs = false;
  for (int k = 0; k < 6; k++) cr_assert_eq(flush(from[k], n[k]), OK);
  cr_assert_not(strstr(mock->log, "graph"), "%s", mock->log);
  cr_assert_str_eq(mock->args, with);
  cr_assert_geq(strlen(with), 6 * 40);
  end();
}

/* What waits gives what stands before it, and sees it. */
Test(cuda_graph, a_read_splits_the_batch, .init = start) {
  for (int k = 0; k < 3; k++) {
    struct rt_device *at = NULL;
    int64_t n = 7 + k, back = 0;
    rt_device_batch(&at, d);
    d->driver->write(d, mem[0], &n, sizeof n);
    launch_flux(0, n, 64);
    cr_assert_eq(d->driver->read(d, &back, mem[0], sizeof back), OK);
    cr_assert_eq(back, n);
    launch_update(0);
    launch_update(1);
    *mock->log = 0;
    cr_assert_eq(rt_device_batch(&at, NULL), OK);
  }
  cr_assert_str_eq(mock->log,
                   "graph2: launch:update:1x64+32 launch:update:1x64+32 ");
  cr_assert_eq(mock->execs, 2);
  end();
}

/* Memory that the device has for long is whole after many flushes without a wait: the
 * ring of pinned memory gives what it holds before it is used again. */
Test(cuda_graph, pinned_memory_goes_round, .init = start) {
  size_t bytes = 5 << 20;
  char *from = malloc(bytes), *to = malloc(bytes);
  void *big;
  cr_assert_eq(d->driver->mem_new(d, bytes, &big), OK);
  for (int k = 0; k < 5; k++) {
    struct rt_device *at = NULL;
    memset(from, 'a' + k, bytes);
    rt_device_batch(&at, d);
    for (int again = 0; again < 4; again++)
      cr_assert_eq(d->driver->write(d, big, from, bytes), OK);
    launch_update(0);
    cr_assert_eq(rt_device_batch(&at, NULL), OK);
    cr_assert_eq(d->driver->read(d, to, big, bytes), OK);
    cr_assert_arr_eq(to, from, bytes);
  }
  cr_assert_gt(counters[CNT_graph_launches], 0);
  d->driver->mem_free(d, big);
  free(from);
  free(to);
  end();
}

/* Long lists are given in parts; one command is no graph. */
Test(cuda_graph, long_and_short_lists, .init = start) {
  for (int k = 0; k < 3; k++) {
    struct rt_device *at = NULL;
    *mock->log = *mock->args = 0;
    mock->launches = 0;
    rt_device_batch(&at, d);
    for (int i = 0; i < 513; i++) launch_update(i % 2);
    cr_assert_eq(mock->launches, 512);
    cr_assert_eq(rt_device_batch(&at, NULL), OK);
    cr_assert_eq(mock->launches, 513);
  }
  cr_assert(strstr(mock->log, "graph256: "));
  cr_assert_not(strstr(mock->log, "graph1: "));
  cr_assert_eq(mock->execs, 1); /* both halves are alike */
  end();
}

/* Many shapes: those not used for longest go. */
Test(cuda_graph, shapes_are_bounded, .init = start) {
  for (int n = 2; n < 102; n++)
    for (int twice = 0; twice < 2; twice++) {
      struct rt_device *at = NULL;
      *mock->log = *mock->args = 0;
      rt_device_batch(&at, d);
      for (int i = 0; i < n; i++) launch_update(0);
      cr_assert_eq(rt_device_batch(&at, NULL), OK);
    }
  cr_assert_eq(mock->execs, 64);
  cr_assert_eq(mock->graphs, 64);
  cr_assert_eq(counters[CNT_graphs], 100);
  end();
}

/* Graphs go before the functions that they launch. */
Test(cuda_graph, code_that_goes, .init = start) {
  for (int k = 0; k < 2; k++) cr_assert_eq(flush(0, 1), OK);
  cr_assert_eq(mock->execs, 1);
  d->driver->code_free(d, code);
  cr_assert_eq(mock->execs, 0);
  cr_assert_eq(mock->graphs, 0);
  open_code();
  for (int k = 0; k < 3; k++) cr_assert_eq(flush(0, 1), OK);
  cr_assert_eq(mock->execs, 1);
  end();
}

Test(cuda_graph, a_graph_that_is_refused, .init = start) {
  cr_assert_eq(flush(0, 1), OK);
  mock->fail_graph = 1;
  cr_assert_eq(flush(0, 1), ERR_MEMORY);
  cr_assert(strstr(err_last(), "cuGraphAdd"), "%s", err_last());
  cr_assert_eq(mock->graphs, 0);
  mock->fail_graph = 0;
  *mock->log = 0;
  cr_assert_eq(flush(0, 1), OK);
  cr_assert_str_eq(mock->log, "made4 graph4: " FLUSH_1);
  end();
}

Test(cuda_graph, a_launch_that_fails, .init = start) {
  for (int k = 0; k < 2; k++) cr_assert_eq(flush(0, 1), OK);
  mock->fail_at = mock->launches + 2;
  cr_assert_eq(flush(1, 1), ERR_DEVICE);
  cr_assert(strstr(err_last(), "cuGraphLaunch"), "%s", err_last());
  *mock->log = 0;
  cr_assert_eq(flush(1, 1), OK);
  cr_assert_str_eq(mock->log, "set0 graph4: " FLUSH_1);
  end();
}

/* A driver without graphs: one by one. */
Test(cuda_graph, an_old_driver) {
  mock_load_from(OP2_BUILD_DIR "/test/mock/old/libcuda.so.1");
  d = device(0);
  open_code();
  for (int k = 0; k < 2; k++)
    cr_assert_eq(d->driver->mem_new(d, 64, &mem[k]), OK);
  *mock->log = 0;
  for (int k = 0; k < 3; k++) cr_assert_eq(flush(0, 1), OK);
  cr_assert_str_eq(mock->log, FLUSH_1 FLUSH_1 FLUSH_1);
  end();
}

/* ---- times --------------------------------------------------------------- */

/* The mock's card takes a millisecond for a kernel. */
static double seconds[3];
static long long calls[3];

static void
note_line(void *user, const struct rt_timing *line) {
  (void)user;
  int k = line->name[0] - 'a';
  seconds[k] = line->seconds;
  calls[k] = line->calls;
}

/* Regions "a" and "b" of one and three kernels. */
static void
timed_flush(void) {
  struct rt_device *at = NULL;
  cr_assert_eq(rt_device_batch(&at, d), OK);
  for (int k = 0; k < 2; k++) {
    uint32_t timer = rt_timer_get(k ? "b" : "a");
    cr_assert_eq(rt_dev_span_begin(d, timer), OK);
    for (int i = 0; i < 1 + 2 * k; i++) launch_update(i % 2);
    cr_assert_eq(rt_dev_span_end(d, timer), OK);
    rt_timer_given(timer, 8);
  }
  cr_assert_eq(rt_device_batch(&at, NULL), OK);
}

static void
check_times(double flushes) {
  rt_timer_each(note_line, NULL);
  cr_assert_float_eq(seconds[0], 0.001 * flushes, 1e-7);
  cr_assert_float_eq(seconds[1], 0.003 * flushes, 1e-7);
  cr_assert_eq(calls[0], (long long)flushes);
  cr_assert_eq(calls[1], (long long)flushes);
}

#define A_B                                                                    \
  "event launch:update:1x64+32 event event launch:update:1x64+32 "             \
  "launch:update:1x64+32 launch:update:1x64+32 event "

Test(cuda_times, one_by_one, .init = start) {
  rt_cuda_graphs = false;
  for (int k = 0; k < 2; k++) timed_flush();
  cr_assert_str_eq(mock->log, A_B A_B); /* nothing waits */
  check_times(2);
  cr_assert_eq(mock->events, 8);
  timed_flush(); /* with the events that are there */
  check_times(3);
  cr_assert_eq(mock->events, 8);
  end();
}

Test(cuda_times, in_graphs, .init = start) {
  for (int k = 0; k < 3; k++) timed_flush();
  cr_assert_str_eq(mock->log,
                   A_B "made8 graph8: " A_B "set0 set2 set3 set7 graph8: " A_B);
  check_times(3);
  for (int k = 0; k < 4; k++) timed_flush();
  check_times(7);
  end();
}

/* Spans that nobody asks for: the device is waited for once in a while. */
Test(cuda_times, never_asked_for, .init = start) {
  for (int k = 0; k < 1500; k++) {
    timed_flush();
    if (k == 500) cr_assert_eq(d->nspans, 1002);
    *mock->log = *mock->args = 0;
  }
  cr_assert_lt(d->nspans, 1024);
  cr_assert_eq(mock->events, 2048);
  check_times(1500);
  end();
}

/* Of many flushes one in 16 is measured, and stands for those around it; a new
 * region in any case. */
Test(cuda_times, rare_after_many, .init = start) {
  int with = 0;
  for (int k = 0; k < 760; k++) {
    timed_flush();
    if (k >= 600) with += strstr(mock->log, "event") != NULL;
    *mock->log = *mock->args = 0;
  }
  cr_assert(0 < with && with < 30, "%d of 160", with);
  check_times(760);
  d->sparse = true;
  cr_assert_eq(rt_dev_span_begin(d, rt_timer_get("a")), OK);
  cr_assert_null(d->span);
  cr_assert_eq(rt_dev_span_begin(d, rt_timer_get("new")), OK);
  cr_assert_not_null(d->span);
  cr_assert_eq(rt_dev_span_end(d, rt_timer_get("new")), OK);
  end();
}

Test(cuda_times, closed_before_asked_for, .init = start) {
  timed_flush();
  end();
  rt_timer_each(note_line, NULL);
  cr_assert_float_eq(seconds[1], 0.003, 1e-7);
}

Test(cuda_times, switched_off, .init = start) {
  rt_device_times = false;
  timed_flush();
  cr_assert_not(strstr(mock->log, "event"), "%s", mock->log);
  rt_timer_each(note_line, NULL);
  cr_assert_eq(seconds[1], 0);
  cr_assert_eq(calls[1], 1);
  cr_assert_eq(mock->events, 0);
  end();
}

/* A launch that fails closes its span; what was not recorded has no time. */
Test(cuda_times, a_launch_that_fails, .init = start) {
  struct rt_dev_arg args[] = {{.mem = mem[0]}};
  mock->fail_launch = 1;
  cr_assert_eq(rt_dev_span_begin(d, rt_timer_get("a")), OK);
  cr_assert_eq(d->driver->launch(d, update, args, 1, 64, 64), ERR_DEVICE);
  cr_assert_eq(rt_dev_span_end(d, rt_timer_get("a")), OK);
  mock->fail_launch = 0;
  timed_flush();
  rt_timer_each(note_line, NULL);
  cr_assert_float_eq(seconds[1], 0.003, 1e-7);
  end();
}
