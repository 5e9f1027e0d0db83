/* Times of regions on devices, by the devices' own clocks.
 *
 * Problem. A launch returns before it has run: the host's clock tells how long
 * it took to give it, and whoever waits next (a reduction, a fetch) gets all
 * the time. To wait after each launch would make it honest and slow.
 *
 * Idea. Around what a region gives to a device the driver opens a span: events
 * of OpenCL's profiling, or two CUDA events. Spans are kept, and read when the
 * device has been waited for: when the table is asked for, or when there are
 * many. A span is read once and counts for one line of the table.
 *
 *   launch A   [ span ]            launch B   [ span ]   ...   op_timing_output
 *   host       give                give                  ...   wait, read all
 *
 * What a span covers: the kernels of the region, those that combine its sums
 * too. Small values that travel before and after count for nothing; (upload)
 * and (download) are the host's times, which it spends on copying.
 *
 * Not all for ever: where thousands have been measured, one batch in SPARSE is,
 * chosen by a hash of its number, since programs have periods of their own, and
 * what is left out counts as the mean of its line (rt/timing.c). A line that is
 * new is measured in any case.
 *
 * Cost  on OpenCL an event a command (PoCL: 2 us a region), on CUDA two a
 *       region, each recorded by the host and the card: an iteration of Airfoil
 *       on 5 184 cells on an H100 took 86 us with all measured and 66 so, with
 *       deferred globals 50 and 26. OP2_DEVICE_TIMES=0: none, and the table has
 *       no times for these regions.
 * Limits  The timeline of OP2_TRACE shows when regions were given, not when
 *         they ran. */
#include "rt/device/device.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/log.h"
#include "rt/plan.h"

#include <assert.h>
#include <stdlib.h>

enum {
  SPANS_MOST = 1024, /* of a device; then it is waited for */
  SPARSE = 16        /* one batch in so many is measured after as many */
};

bool rt_device_times = true;

void
rt_dev_times_choose(struct rt_device *d) {
  bool many = d->measured >= SPANS_MOST;
  d->sparse = many && hash_word(0, d->batches++) % SPARSE;
}

status
rt_dev_span_begin(struct rt_device *d, uint32_t timer) {
  assert(!d->span);
  if (!rt_device_times || !d->driver->span_begin) return OK;
  if (!rt_timer_measures(timer, d->sparse)) return OK;
  d->measured++;
  return d->driver->span_begin(d, &d->span);
}

status
rt_dev_span_end(struct rt_device *d, uint32_t timer) {
  struct rt_dev_span s = {d->span, timer};
  if (!s.span) return OK;
  d->span = NULL;
  VEC_PUSH(d->spans, d->nspans, d->spans_cap, s);
  TRY(d->driver->span_end(d, s.span));
  if (d->nspans >= SPANS_MOST) rt_dev_times(d);
  return OK;
}

void
rt_dev_times(struct rt_device *d) {
  status st = d->nspans ? d->driver->finish(d) : OK;
  for (uint32_t k = 0; k < d->nspans; k++) {
    double seconds = 0;
    status read = d->driver->span_take(d, d->spans[k].span, &seconds);
    if (st == OK) st = read;
    if (read == OK) rt_timer_seconds(d->spans[k].timer, seconds);
  }
  if (st != OK) LOG_WARN("times of regions were lost: %s", err_last());
  d->nspans = 0;
}
