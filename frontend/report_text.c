/* OP2_REPORT as a table: regions by time, what was beside them, flushes. */
#include "frontend/context.h"
#include "frontend/recording.h"
#include "frontend/report.h"

#include "base/numbers.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

enum { LINES = 40 }; /* regions in the table; all are in the file */

/* Loops are set against that, not against the machine's best. */
static void
add_pace(const struct rt_speeds *s, struct str *out) {
  if (!s->pace[RT_PACE_STREAM]) return; /* there was no memory to try */
  str_printf(out,
             "    beside the loops it took %.2f times as long for memory, "
             "%.2f for values far away,\n    %.2f for arithmetic, %.2f for "
             "additions\n",
             s->pace[RT_PACE_STREAM], s->pace[RT_PACE_LINES],
             s->pace[RT_PACE_ARITHMETIC], s->pace[RT_PACE_ADDITIONS]);
}

static void
add_machine(const struct fe_report *r, struct str *out) {
  const struct rt_speeds *s = &r->speeds;
  const int far = RT_SPEED_SIZES - 1;
  str_printf(out,
             "  this machine, %s, best of short tries:\n"
             "    memory %.1f GB/s by one thread, %.1f by all; caches",
             r->kept ? "rates measured earlier" : "measured now",
             1e-9 * s->stream[far][0], 1e-9 * s->stream[far][1]);
  for (int k = 0; k < far; k++)
    str_printf(out, "%s%.0f", k ? ", " : " ", 1e-9 * s->stream[k][0]);
  str_printf(
      out,
      ";\n    a thread %.1f Gflop/s, in vectors %.1f; a value far away "
      "%.1f ns, in cache %.1f;\n    a component added through a map %.2f ns; "
      "a launch %.0f ns, on all threads %.0f more\n",
      1e-9 * s->flops[0], 1e-9 * s->flops[1], 1e9 * s->line[far][0],
      1e9 * s->line[0][0], 1e9 * s->add, 1e9 * s->launch, 1e9 * s->fork);
  add_pace(s, out);
  if (s->message > 0)
    str_printf(out, "    messages %.1f us, %.2f GB/s\n", 1e6 * s->message,
               1e-9 * s->wire);
  if (s->bus > 0)
    str_printf(out, "    copies to the device %.1f us, %.2f GB/s\n",
               1e6 * s->copy, 1e-9 * s->bus);
}

static void
add_share(double x, double of, struct str *out) {
  if (of > 0)
    str_printf(out, " %5.0f%%", 100 * x / of);
  else
    str_add(out, "      -");
}

static void
add_seconds(const struct fe_report *r, const struct fe_region *g,
            struct str *out) {
  str_printf(out, "%8lld %10.4f", g->t.calls, g->least);
  if (r->ranks > 1) str_printf(out, " %10.4f", g->most);
}

/* What stands in brackets has no limits. */
static void
add_bound(const struct fe_region *g, struct str *out) {
  if (g->t.name[0] == '(') {
    str_printf(out, " %-10s %8s  ", "", "");
    return;
  }
  str_printf(out, " %-10s ", rt_bound_text(g->b.which));
  if (g->b.distance > 0)
    str_printf(out, "%8.2f  ", g->b.distance);
  else
    str_printf(out, "%8s  ", "-");
}

static void
add_region(const struct fe_report *r, const struct fe_region *g,
           struct str *out) {
  const struct rt_timing *t = &g->t;
  double rate = fe_report_rate(g);
  add_seconds(r, g, out);
  str_printf(out, " %7.2f", 1e-9 * rate);
  add_share(t->seconds > 0 ? rt_bytes_moved(t) / t->seconds : 0,
            fe_report_stream(r, g), out);
  str_printf(out, "%s%7.2f", t->work.open ? ">" : " ",
             t->seconds > 0 ? 1e-9 * t->work.flops / t->seconds : 0);
  add_bound(g, out);
  str_printf(out, "%s\n", t->name);
  if (t->name[0] == '(') return;
  str_add(out, "         walk: ");
  fe_report_walk(t, out);
  for (int k = 0; k < RT_BEFORE_COUNT; k++)
    if (t->before[k].seconds > 0)
      str_printf(out, "\n         %s before it: %.4f s",
                 rt_bound_text((enum rt_bound)(RT_BOUND_EXCHANGE + k)),
                 t->before[k].seconds);
  if (g->b.which != g->b.run && t->way.lanes)
    str_printf(out, "\n         its run: %s, distance %.2f",
               rt_bound_text(g->b.run), g->b.run_distance);
  str_printf(out, "\n         would help: %s\n", fe_report_advice(t, &g->b));
}

static void
add_regions(const struct fe_report *r, struct str *out) {
  if (r->differ)
    str_add(out, "  ranks ran different regions: these are rank 0's\n");
  str_printf(out,
             "   calls %10s%s    GB/s stream  Gflop/s %-10s distance  "
             "region\n",
             r->ranks > 1 ? "least (s)" : "time (s)",
             r->ranks > 1 ? "   most (s)" : "", "bound");
  for (uint32_t k = 0; k < r->n && k < LINES; k++)
    add_region(r, &r->regions[k], out);
  if (r->n > LINES)
    str_printf(out, "  and %u more, in the file\n", r->n - LINES);
}

static void
add_times(const struct fe_report *r, struct str *out) {
  static const char *const names[] = {
#define TIME(name, text, json) text,
      FE_TIMES(TIME)
#undef TIME
  };
  str_printf(out, "  where the time went%s\n",
             r->ranks > 1 ? ": rank 0, most of all ranks" : "");
  for (int k = 0; k < FE_TIME_COUNT; k++) {
    if (r->most[k] < 5e-5) continue;
    str_printf(out, "    %8.4f s", r->times[k]);
    if (r->ranks > 1) str_printf(out, " %8.4f s", r->most[k]);
    str_printf(out, " %4.0f%%  %s\n", 100 * r->times[k] / r->seconds, names[k]);
  }
}

static void
add_flush(void *out, const char *text) {
  str_printf(out, "  %s\n", text);
}

void
fe_report_text(const struct fe_report *r, struct str *out) {
  SCOPED_NUMBERS;
  str_printf(out,
             "op2lazy: report: %.4f s since op_init; %d rank%s of %d "
             "thread%s\n",
             r->seconds, r->ranks, r->ranks == 1 ? "" : "s", r->threads,
             r->threads == 1 ? "" : "s");
  add_machine(r, out);
  add_regions(r, out);
  add_times(r, out);
  fe_reason_lines(add_flush, out);
}
