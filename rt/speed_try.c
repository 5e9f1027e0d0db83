/* Tries by all threads at once. Those who wait for each other before they begin
 * have the machine together; without that one of two threads that came late
 * left memory to the other, which took 0.6 of the time.
 *
 * A launch waits for its last thread, and so does a try; but launches are
 * longer: what holds a thread up for some microseconds evens out in them, what
 * does for milliseconds does not. So the mean of all threads counts half, the
 * last one half. (By the last one alone loops bound by memory and by additions
 * on two threads were at 0.80 of their limit, by the mean those bound by
 * arithmetic at 1.14 to 1.18.) */
#include "base/arena.h"
#include "base/log.h"
#include "rt/plan.h"
#include "rt/speed_try.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

void
rt_tries_new(int threads, struct rt_tries *out) {
  const size_t n = (size_t)threads, bytes = RT_TRY_DOUBLES * sizeof *out->x;
  long windows = threads > RT_TRY_WINDOWS ? threads : RT_TRY_WINDOWS;
  size_t rows = (size_t)windows * RT_TRY_READS;
  *out = (struct rt_tries){.threads = threads, .windows = windows};
  out->x = rt_mem_new(bytes);
  out->row = mem_try(2 * rows, sizeof *out->row);
  out->to = rt_mem_new(n * RT_TRY_TARGETS * RT_TRY_ROW * sizeof *out->to);
  out->map = mem_try(RT_TRY_ADDS, sizeof *out->map);
  if (!out->x || !out->row || !out->to || !out->map) {
    rt_tries_free(out);
    return;
  }
  memset(out->x, 0, bytes);
  rt_try_scatter(out->row, (long)rows, RT_TRY_DOUBLES);
  memset(out->to, 0, n * RT_TRY_TARGETS * RT_TRY_ROW * sizeof *out->to);
  for (int i = 0; i < RT_TRY_ADDS; i++) out->map[i] = i % RT_TRY_TARGETS;
}

void
rt_tries_free(struct rt_tries *t) {
  const size_t n = (size_t)t->threads * RT_TRY_TARGETS * RT_TRY_ROW;
  if (t->x) rt_mem_free(t->x, RT_TRY_DOUBLES * sizeof *t->x);
  if (t->to) rt_mem_free(t->to, n * sizeof *t->to);
  free(t->row);
  free(t->map);
  *t = (struct rt_tries){.threads = t->threads};
}

double
rt_try_seconds(const struct rt_tries *t, rt_try_fn *warm, rt_try_fn *run,
               int *team) {
  double begin = HUGE_VAL, end = 0, sum = 0;
  int n = 0;
#pragma omp parallel num_threads(t->threads) if (t -> threads > 1)             \
    reduction(min : begin) reduction(max : end) reduction(+ : n, sum)
  {
    int thread = omp_get_thread_num();
    if (warm) warm(t, thread);
#pragma omp barrier
    begin = timer_wall();
    run(t, thread);
    end = timer_wall();
    sum = end - begin;
    n = 1;
  }
  *team = n;
  return (end - begin + sum / n) / 2;
}
