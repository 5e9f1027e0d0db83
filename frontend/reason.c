/* Why a flush ran: noted before it, told by op2_explain, the trace's line, the
 * timeline, counters, and (OP2_LOG=2, OP2_REPORT) a table at op_exit with what
 * would avoid it.
 *
 * Problem   Where loops ran too early nothing could be fused, and the program
 *           does not show where that was: a look, a global, a full trace all
 *           flush.
 *
 * Idea      Each request carries its reason (base/reasons.def); what it was for
 *           is kept as numbers, and becomes words only when somebody asks, so
 *           that a flush pays for a few stores.
 *
 * Example   flush: because a global must be right when its loop returns:
 *           argument 4 of loop "update", by op_par_loop (airfoil.c:158)
 *
 * Limits    A dat or loop that went since is not named. */
#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"

#include "base/counters.h"
#include "base/log.h"
#include "base/str.h"

#include <assert.h>

static const struct {
  const char *because, *instead, *event;
  enum counter count;
} reasons[] = {
#define REASON(name, counter, because, instead)                                \
  {because, instead, "flush: " because, CNT_flushes_##counter},
#include "base/reasons.def"
#undef REASON
};

/* The last flush of each reason; op2_explain tells the last of all. */
static struct why {
  const char *api, *file; /* literals */
  int line;
  uint32_t index; /* of the dat or global; of the loop's call */
  uint64_t born;  /* that dat's */
} last[FE_REASON_COUNT];
static enum fe_reason latest;

void
fe_reason_note(const struct fe_request *rq) {
  assert(rq->reason < FE_REASON_COUNT);
  struct why *w = &last[latest = rq->reason];
  *w = (struct why){fe.api, fe.file, fe.line, rq->index, 0};
  if (rq->want == FE_WANT_DAT || rq->want == FE_WANT_DAT_RW)
    w->born = fe_all.dats[rq->index]->born;
  if (rq->want == FE_WANT_RAW) w->index = fe_recs.all[rq->index].what;
}

void
fe_reason_count(enum fe_reason reason) {
  counters[reasons[reason].count]++;
}

const char *
fe_reason_event(enum fe_reason reason) {
  return reasons[reason].event;
}

/* ---- words --------------------------------------------------------------- */

static void
add_loop(const struct fe_call *c, struct str *out) {
  uint32_t a = 0;
  while (a < c->nargs && !c->args[a].raw) a++;
  if (a < c->nargs) str_printf(out, ": argument %u of loop \"%s\"", a, c->name);
}

/* What it was for, if that is still there. */
static void
add_object(enum fe_reason reason, const struct why *w, struct str *out) {
  const struct fe_dat *d = reason == FE_REASON_DAT && w->index < fe_all.ndats
                               ? fe_all.dats[w->index]
                               : NULL;
  if (d && !d->freed && d->born == w->born)
    str_printf(out, ": dat \"%s\"", d->pub.name);
  if (reason == FE_REASON_HANDLE && !fe_all.gbls[w->index]->freed)
    str_printf(out, ": global \"%s\"", fe_all.gbls[w->index]->name);
  if ((reason == FE_REASON_RAW || reason == FE_REASON_VALUE) &&
      w->index < fe_calls.n && fe_calls.all[w->index])
    add_loop(fe_calls.all[w->index], out);
}

static void
add_place(const struct why *w, struct str *out) {
  if (w->api) str_printf(out, ", by %s", w->api);
  if (w->file) str_printf(out, " (%s:%d)", w->file, w->line);
}

void
fe_reason_explain(struct str *out) {
  str_printf(out, "flush: because %s", reasons[latest].because);
  add_object(latest, &last[latest], out);
  add_place(&last[latest], out);
  str_add(out, "\n");
}

/* ---- at op_exit ---------------------------------------------------------- */

/* How often, on the rank with fewest and on that with most. */
static struct {
  int64_t least[FE_REASON_COUNT], most[FE_REASON_COUNT];
} totals;

static status
totals_join(void) {
  for (unsigned r = 0; r < FE_REASON_COUNT; r++)
    totals.least[r] = totals.most[r] = counters[reasons[r].count];
  TRY(fe_join(totals.least, FE_REASON_COUNT, TYPE_I64, ACC_MIN));
  return fe_join(totals.most, FE_REASON_COUNT, TYPE_I64, ACC_MAX);
}

static void
add_count(unsigned r, struct str *out) {
  str_printf(out, "%lld", (long long)totals.least[r]);
  if (totals.least[r] != totals.most[r])
    str_printf(out, " to %lld", (long long)totals.most[r]);
}

/* What the last one was for, and where, behind these words. */
static void
add_last(unsigned r, const char *words, struct str *out) {
  SCOPED_STR text = STR_INIT;
  add_object((enum fe_reason)r, &last[r], &text);
  add_place(&last[r], &text);
  if (text.len) str_printf(out, "%s%s", words, text.s);
}

void
fe_reason_lines(void (*line)(void *user, const char *text), void *user) {
  SCOPED_STR text = STR_INIT;
  for (unsigned r = 0; r < FE_REASON_COUNT; r++) {
    if (!totals.most[r]) continue;
    str_reset(&text);
    add_count(r, &text);
    str_printf(&text, " flush%s because %s", totals.most[r] == 1 ? "" : "es",
               reasons[r].because);
    add_last(r, "; the last", &text);
    if (*reasons[r].instead && totals.most[r] > 1)
      str_printf(&text, ". Instead: %s", reasons[r].instead);
    line(user, text.s);
  }
}

void
fe_reason_json(struct str *out) {
  bool first = true;
  for (unsigned r = 0; r < FE_REASON_COUNT; r++) {
    SCOPED_STR place = STR_INIT;
    if (!totals.most[r]) continue;
    add_last(r, "", &place);
    str_printf(out, "%s\n    {\"because\": ", first ? "" : ",");
    str_json(out, reasons[r].because);
    str_printf(out, ", \"least\": %lld, \"most\": %lld, \"last\": ",
               (long long)totals.least[r], (long long)totals.most[r]);
    str_json(out, place.len > 2 ? place.s + 2 : "");
    str_add(out, ", \"instead\": ");
    str_json(out, reasons[r].instead);
    str_add(out, "}");
    first = false;
  }
}

static void
log_line(void *user, const char *text) {
  (void)user;
  LOG_INFO("%s", text);
}

status
fe_reason_report(void) {
  TRY(totals_join());
  if (log_level >= 2 && !fe_ranks.rank) fe_reason_lines(log_line, NULL);
  return OK;
}
