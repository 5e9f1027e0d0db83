/* OP2_REPORT: what this machine can do, measured or, in part, from the cache on
 * disk. */
#include "frontend/ranks.h"
#include "frontend/report.h"

#include "base/str.h"
#include "lower/entry.h"
#include "lower/made.h"
#include "rt/device/device.h"
#include "rt/ranks/comm.h"

#include <string.h>

/* The figures are of so many threads beside so many ranks. */
static void
speeds_key(const struct fe_report *r, struct str *key) {
  str_printf(key, "speeds 10 of %zu bytes, %d threads, %d ranks",
             sizeof r->speeds, r->threads, r->ranks);
}

static bool
speeds_kept(struct fe_report *r, const struct str *key) {
  struct low_made m = {"speeds", "speeds", key, ""};
  struct low_entry e;
  if (!low_made_find(&m, &e)) return false;
  bool fits = e.n == sizeof r->speeds;
  if (fits) memcpy(&r->speeds, e.bytes, sizeof r->speeds);
  low_entry_clear(&e);
  return fits;
}

/* A device that is full has no room for it: then copies have no limits. */
static void
copies_measure(struct rt_device *d, struct rt_speeds *s) {
  if (rt_device_measure(d, &s->copy, &s->bus) != OK) s->copy = s->bus = 0;
}

/* What takes a moment and depends on the machine alone is kept. Kept figures
 * count if all ranks have them, as others' measuring takes memory's time. What
 * was measured while other work had the processors is of no use later: two
 * threads beside it wait for each other, and values far away took 30 times as
 * long. */
static status
rates_measure(struct fe_report *r) {
  SCOPED_STR key = STR_INIT;
  speeds_key(r, &key);
  int64_t kept = speeds_kept(r, &key);
  TRY(fe_join(&kept, 1, TYPE_I64, ACC_MIN));
  r->kept = kept;
  if (kept) return OK;
  bool crowded;
  status st = rt_speed_measure(r->threads, &r->speeds, &crowded);
  TRY(fe_agree("OP2_REPORT", 0, st));
  if (crowded) return OK;
  struct low_made m = {"speeds", "speeds", &key, ""};
  low_made_keep(&m, (const char *)&r->speeds, sizeof r->speeds);
  return OK;
}

/* What calls cost is measured each time: it depends on what else the machine
 * does, and takes some ten milliseconds. */
status
fe_report_measure(struct fe_report *r) {
  struct rt_speeds *s = &r->speeds;
  struct rt_device *d = rt_device_last();
  r->ranks = fe_ranked() ? fe_ranks.size : 1;
  TRY(rates_measure(r));
  status st = rt_speed_calls(r->threads, s);
  if (d) copies_measure(d, s);
  TRY(fe_agree("OP2_REPORT", 0, st));
  if (!fe_ranked()) return OK;
  TRY(rt_comm_measure(fe_ranks.comm, NULL, &s->wire));
  return rt_halo_measure(fe_ranks.comm, &s->message);
}
