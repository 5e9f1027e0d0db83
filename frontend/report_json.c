/* OP2_REPORT as a file: the same numbers, all regions. */
#include "frontend/context.h"
#include "frontend/recording.h"
#include "frontend/report.h"

#include "base/numbers.h"
#include "base/str.h"

#include <string.h>

static void
add_text(struct str *out, const char *name, const char *text) {
  str_printf(out, "\"%s\": ", name);
  str_json(out, text);
}

static void
add_machine(const struct fe_report *r, struct str *out) {
  const struct rt_speeds *s = &r->speeds;
  str_printf(out, "  \"machine\": {\"kept\": %s, \"sizes\": [",
             r->kept ? "true" : "false");
  for (int k = 0; k < RT_SPEED_SIZES; k++)
    str_printf(out,
               "%s{\"bytes\": %.0f, \"one\": %.4g, \"all\": %.4g, \"line\": "
               "%.4g, \"line_all\": %.4g}",
               k ? ", " : "", rt_speed_bytes[k], s->stream[k][0],
               s->stream[k][1], s->line[k][0], s->line[k][1]);
  str_printf(
      out,
      "],\n    \"flops\": %.4g, \"flops_vectors\": %.4g, \"slow\": %.4g, "
      "\"slow_vectors\": %.4g,\n    \"add\": %.4g, \"fork\": %.4g, "
      "\"launch\": %.4g, \"message\": %.4g, \"wire\": %.4g, "
      "\"copy\": %.4g, \"bus\": %.4g, \"more\": %.4g, \"kept_sum\": %.4g,\n    "
      "\"pace\": "
      "{\"memory\": %.4g, \"lines\": %.4g, \"arithmetic\": %.4g, "
      "\"additions\": %.4g}},\n",
      s->flops[0], s->flops[1], s->slow[0], s->slow[1], s->add, s->fork,
      s->launch, s->message, s->wire, s->copy, s->bus, s->more, s->kept,
      s->pace[RT_PACE_STREAM], s->pace[RT_PACE_LINES],
      s->pace[RT_PACE_ARITHMETIC], s->pace[RT_PACE_ADDITIONS]);
}

static void
add_times(const struct fe_report *r, struct str *out) {
  static const char *const names[] = {
#define TIME(name, text, json) json,
      FE_TIMES(TIME)
#undef TIME
  };
  str_add(out, "  \"times\": {");
  for (int k = 0; k < FE_TIME_COUNT; k++)
    str_printf(out, "%s\n    \"%s\": {\"rank0\": %.6g, \"most\": %.6g}",
               k ? "," : "", names[k], r->times[k], r->most[k]);
  str_add(out, "},\n");
}

static void
add_way(const struct rt_timing *t, struct str *out) {
  static const char *const kinds[] = {[RT_WAY_RANGE] = "range",
                                      [RT_WAY_PARTS] = "parts",
                                      [RT_WAY_COLOURS] = "colours"};
  const struct rt_way *w = &t->way;
  str_printf(
      out,
      "\n     \"walk\": {\"kind\": \"%s\", \"elements\": %d, \"border\": "
      "%d, \"steps\": %d, \"blocks\": %d, \"threads\": %d, \"serial\": "
      "%s, \"crowded\": %s, \"alone\": %s},",
      kinds[w->kind], w->n, w->border, w->steps, w->blocks, w->threads,
      w->serial ? "true" : "false", w->crowded ? "true" : "false",
      w->alone ? "true" : "false");
  str_printf(out,
             "\n     \"lanes\": %u, \"aos\": %u, \"soa\": %u, \"blocked\": %u, "
             "\"locality\": %.4g, ",
             w->lanes, w->aos, w->soa, w->blocked, w->locality);
  add_text(out, "no_vectors", fe_report_scalar(t));
}

static void
add_limits(const struct fe_region *g, struct str *out) {
  str_add(out, ",\n     ");
  add_text(out, "bound", rt_bound_text(g->b.which));
  str_printf(out, ", \"at_least\": %.6g, \"distance\": %.4g, ", g->b.least,
             g->b.distance);
  add_text(out, "run_bound", rt_bound_text(g->b.run));
  str_printf(out, ", \"run_distance\": %.4g,\n     \"limits\": {",
             g->b.run_distance);
  for (int k = 0; k < RT_BOUND_COUNT; k++)
    str_printf(out, "%s\"%s\": %.6g", k ? ", " : "",
               rt_bound_text((enum rt_bound)k), g->b.seconds[k]);
  str_add(out, "},\n     ");
  add_text(out, "would_help", fe_report_advice(&g->t, &g->b));
}

static void
add_region(const struct fe_report *r, const struct fe_region *g,
           struct str *out) {
  const struct rt_timing *t = &g->t;
  str_add(out, "    {");
  add_text(out, "name", t->name);
  str_printf(out,
             ", \"calls\": %lld, \"seconds\": {\"rank0\": %.6g, \"least\": "
             "%.6g, \"most\": %.6g},\n     \"bytes\": %.0f, \"rate\": %.4g, "
             "\"stream\": %.4g",
             t->calls, t->seconds, g->least, g->most, t->bytes,
             fe_report_rate(g), fe_report_stream(r, g));
  if (t->name[0] != '(') {
    str_printf(out,
               ",\n     \"flops\": %.6g, \"slow\": %.6g, \"functions\": %.6g, "
               "\"more\": %s, \"far\": %.6g, \"adds\": %.6g, "
               "\"targets\": %.6g, \"kept\": %.6g, \"unread\": %.6g, "
               "\"inside\": %.6g, "
               "\"named\": %.6g,",
               t->work.flops, t->work.slow, t->work.maths,
               t->work.open ? "true" : "false", t->work.far, t->work.adds,
               t->work.targets, t->work.kept, t->work.unread, t->work.inside,
               t->work.named);
    for (int k = 0; k < RT_BEFORE_COUNT; k++)
      str_printf(out, " \"%s_seconds\": %.6g,",
                 rt_bound_text((enum rt_bound)(RT_BOUND_EXCHANGE + k)),
                 t->before[k].seconds);
    add_way(t, out);
    add_limits(g, out);
  }
  str_add(out, "}");
}

void
fe_report_json(const struct fe_report *r, struct str *out) {
  SCOPED_NUMBERS;
  str_add(out, "{");
  add_text(out, "library", op2_version());
  str_printf(out,
             ", \"seconds\": %.6g, \"ranks\": %d, \"threads\": %d, "
             "\"ranks_differ\": %s,\n",
             r->seconds, r->ranks, r->threads, r->differ ? "true" : "false");
  add_machine(r, out);
  add_times(r, out);
  str_add(out, "  \"regions\": [");
  for (uint32_t k = 0; k < r->n; k++) {
    str_add(out, k ? ",\n" : "\n");
    add_region(r, &r->regions[k], out);
  }
  str_add(out, "],\n  \"flushes\": [");
  fe_reason_json(out);
  str_add(out, "]}\n");
}
