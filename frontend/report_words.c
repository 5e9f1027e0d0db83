/* OP2_REPORT in words: how a region runs, and the one change that would help
 * most. Words follow from numbers alone, so that tests can ask for each. */
#include "frontend/report.h"

#include "base/str.h"

#include <assert.h>

/* Locality above which elements that follow each other do not share lines: what
 * a mesh has before it is renumbered. */
static const double scattered = 0.4;
/* Distance up to which a limit is all there is to say of a serial region. */
static const double explained = 1.5;

static void
add_threads(const struct rt_way *w, struct str *out) {
  if (w->serial)
    str_add(out, "in the program's order, on one thread");
  else if (w->crowded)
    str_add(out, "on one thread: writes meet too often for parts or colours");
  else if (w->kind == RT_WAY_PARTS)
    str_printf(out, "%d parts, then %d of %d elements on one thread", w->blocks,
               w->border, w->n);
  else if (w->kind == RT_WAY_COLOURS)
    str_printf(out, "%d colours of %d blocks", w->steps, w->blocks);
  else if (w->threads > 1)
    str_printf(out, "%d shares", w->threads);
  else
    str_add(out, "one share");
  if (w->alone) str_add(out, ", all on one thread, which was faster");
}

const char *
fe_report_scalar(const struct rt_timing *t) {
  const struct rt_way *w = &t->way;
  if (w->lanes != 1) return "";
  if (w->serial) return "its elements run in order";
  if (t->work.open) return "kernels without IR, or loops of unknown length";
  return "elements share what they write, or LLVM made no vectors of it";
}

static void
add_lanes(const struct rt_timing *t, struct str *out) {
  if (!t->way.lanes)
    str_add(out, "on a device");
  else if (t->way.lanes > 1)
    str_printf(out, "; vectors of %u elements", t->way.lanes);
  else
    str_printf(out, "; not in vectors over elements: %s", fe_report_scalar(t));
}

void
fe_report_walk(const struct rt_timing *t, struct str *out) {
  const struct rt_way *w = &t->way;
  if (w->lanes) add_threads(w, out);
  add_lanes(t, out);
  if (w->aos) str_printf(out, "; AoS %u", w->aos);
  if (w->soa) str_printf(out, "; SoA %u", w->soa);
  if (w->blocked) str_printf(out, "; AoSoA %u", w->blocked);
  if (w->locality >= 0)
    str_printf(out, "; its maps take %.0f lines for 1000 entries",
               1000 * w->locality);
}

/* ---- rates --------------------------------------------------------------- */

double
fe_report_rate(const struct fe_region *g) {
  return g->t.seconds > 0 ? g->t.bytes / g->t.seconds : 0;
}

double
fe_report_stream(const struct fe_report *r, const struct fe_region *g) {
  const struct rt_way *w = &g->t.way;
  if (!w->lanes) return 0; /* a device's */
  return r->speeds.stream[rt_speed_size(w->bytes)][w->threads > 1 && !w->alone];
}

/* ---- advice -------------------------------------------------------------- */

static const char *
advice_memory(const struct rt_timing *t) {
  if (t->way.locality > scattered)
    return "numbers that keep neighbours together (OP2_RENUMBER=rcm)";
  return "fewer bytes: loops over the same data in one region (op2_explain "
         "says what keeps them apart), smaller types";
}

static const char *
advice_arithmetic(const struct rt_timing *t) {
  if (t->way.lanes == 1) return "code in vectors: see why it is not";
  if (t->work.slow > t->work.flops / 8)
    return "fewer divisions and roots: multiply by what was divided once";
  if (t->work.maths > t->work.flops / 50)
    return "fewer calls of <math.h>: tables, or values kept from step to step";
  return "fewer operations for an element: what does not change, kept in a dat";
}

static const char *
advice_latency(const struct rt_timing *t) {
  if (t->way.locality > scattered)
    return "numbers that keep neighbours together (OP2_RENUMBER=rcm)";
  return "fewer elements named: values that edges need, kept on edges";
}

static const char *
advice_serial(void) {
  return "an order that does not matter: kernels compiled by op2cc that write "
         "their arguments only, each as it was declared";
}

static const char *
advice_conflicts(const struct rt_timing *t) {
  const struct rt_way *w = &t->way;
  if (w->serial) return advice_serial();
  if (w->crowded)
    return "targets that fewer elements share (hubs split into several), or "
           "more elements for each thread";
  if (w->kind == RT_WAY_PARTS &&
      (int64_t)w->border * (w->threads - 1) > w->n / 10)
    return "parts with short borders (OP2_RENUMBER=bisect or rcm)";
  return "fewer components added through maps (OP2_GATHER=always, which makes "
         "sums where they land, is mostly slower)";
}

static const char *
advice_fork(const struct rt_timing *t) {
  if (t->way.kind == RT_WAY_COLOURS)
    return "fewer colours: OP2_THREADING=auto, a larger OP2_BLOCK_SIZE";
  if (t->way.threads > 1 && !t->way.alone)
    return "more elements for a thread: fewer threads (OMP_NUM_THREADS), loops "
           "in one region";
  return "more elements for a launch, or loops in one region (op2_explain says "
         "what keeps them apart)";
}

const char *
fe_report_advice(const struct rt_timing *t, const struct rt_bounds *b) {
  switch (b->which) {
  case RT_BOUND_EXCHANGE:
    return "fewer exchanges: OP2_HALO_LIMIT, a number or auto, runs loops "
           "redundantly instead; even parts, if ranks wait";
  case RT_BOUND_TRANSFER:
    return "values that stay on the device: op2_explain says who wants them "
           "elsewhere";
  case RT_BOUND_COMPILE:
    return "longer runs, or later starts from the cache (OP2_CACHE=1) or the "
           "program (op2cc --bundle); constants that keep their values";
  default: break;
  }
  if (b->which == RT_BOUND_UNKNOWN)
    return "a profile of the device: its limits are not known";
  if (t->way.serial && b->distance > explained) return advice_serial();
  if (b->distance > FE_REPORT_FAR)
    return "none of the limits known here explains it: other work on the "
           "machine, code without IR, a profile of the loop";
  switch (b->which) {
  case RT_BOUND_MEMORY: return advice_memory(t);
  case RT_BOUND_ARITHMETIC: return advice_arithmetic(t);
  case RT_BOUND_LATENCY: return advice_latency(t);
  case RT_BOUND_CONFLICTS: return advice_conflicts(t);
  default: break;
  }
  assert(b->which == RT_BOUND_FORK_JOIN);
  return advice_fork(t);
}
