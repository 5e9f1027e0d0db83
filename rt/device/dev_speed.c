/* What copies to and from a device take: for reports.
 *
 * As regions' data go: from memory of rt_mem_new, written anew before, and the
 * host waits. (Copies right after each other took 0.87 of that on PoCL, whose
 * threads were still awake.) Of several tries the middle one counts: the first
 * finds memory that nobody has touched, and by the best of all later ones a
 * usual copy is a tenth too slow.
 *
 * cost  some tens of milliseconds, 64 MiB here and there, given back */
#include "rt/device/device.h"

#include "base/arena.h"
#include "base/log.h"
#include "rt/bound.h"
#include "rt/store/store.h"

#include <string.h>

enum { SHORT = 64, LONG = 64 << 20, TRIES = 5 };

/* Seconds of `bytes` there and back, half of it. */
static status
copy_seconds(struct rt_device *d, void *there, void *here, size_t bytes,
             double *out) {
  double tries[TRIES];
  for (int k = 0; k < TRIES; k++) {
    memset(here, k, bytes);
    double begin = timer_wall();
    TRY(d->driver->write(d, there, here, bytes));
    TRY(d->driver->read(d, here, there, bytes));
    tries[k] = (timer_wall() - begin) / 2;
  }
  *out = rt_speed_middle(tries, TRIES);
  return OK;
}

status
rt_device_measure(struct rt_device *d, double *each, double *rate) {
  double few = 0, many = 0;
  void *there;
  char *here = rt_mem_new(LONG);
  if (!here) FAIL(ERR_MEMORY, "no memory to measure copies: %d bytes", LONG);
  status st = d->driver->mem_new(d, LONG, &there);
  if (st == OK) {
    memset(here, 0, LONG);
    st = copy_seconds(d, there, here, SHORT, &few);
    if (st == OK) st = copy_seconds(d, there, here, LONG, &many);
    d->driver->mem_free(d, there);
  }
  rt_mem_free(here, LONG);
  *each = few;
  *rate = many > few ? LONG / (many - few) : 0;
  return st;
}
