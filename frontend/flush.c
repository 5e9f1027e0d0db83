/* The whole way of a flush on one screen: request -> key -> look up -> (trace
 * -> passes -> lower) -> run -> commit.
 *
 * Problem. Passes and code generation take milliseconds; a time step takes as
 * long. A time loop asks for the same work again and again.
 *
 * Idea. The recording's words, the request, and the few facts of state that
 * shape code (which dats share a buffer, layouts) are the whole key of a
 * program (lookup.c). Only a recording never seen is traced and lowered.
 *
 * A look (fetch, a raw reduction) runs the slice that it needs; what the slice
 * left out stays recorded, in order, and counts how often it was left out, so
 * that it joins the next slice after two and shapes repeat.
 *
 * Errors. Nearly all that can fail comes before the first launch; then nothing
 * has changed and a retry works, but for loops without code: they are refused
 * (refuse.c). What fails later loses what the run writes (lost.c).
 */
#include "frontend/checkpoint.h"
#include "frontend/context.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"
#include "frontend/refuse.h"
#include "frontend/values.h"

#include "base/counters.h"
#include "base/fp.h"
#include "base/log.h"

/* ---- after a run -------------------------------------------------------- */

static void
commit(const struct fe_program *p) {
  if (p->nremaining)
    fe_recs_keep(p->remaining, p->nremaining, true);
  else
    fe_recs_done();
}

/* ---- flush -------------------------------------------------------------- */

/* The run failed in the middle: its loops are gone, and so is what they write.
 * */
static status
run_broke(const struct fe_program *p, status st) {
  struct str cause = STR_INIT;
  str_add(&cause, err_last());
  struct fe_cause why = {st, cause.s};
  fe_lost_mark(p, why);
  commit(p);
  fe_lost_drop(NULL, why);
  fe_lost_forget();
  err_set(st, "%s", cause.s);
  str_clear(&cause);
  return st;
}

/* The program *out, and *now what runs in its place, ready on all ranks.
 * *refused: one of them has no code for some loop. */
static status
program_ready(struct fe_request rq, struct fe_program **out,
              struct fe_program **now, bool *refused) {
  double begin = fe_clock_begin();
  status st = fe_program_find(rq, out);
  fe_clock_end(FE_CLOCK_PROGRAMS, begin);
  *refused = fe_is_refusal(st);
  bool trial = st == OK && fe_trial_wants(*out);
  if (trial) { /* all ranks take part */
    st = fe_agree_or_mend("running loops", rq.want, st, refused);
    if (*refused || st != OK) return st;
  }
  if (st == OK) *now = *out;
  if (trial) st = fe_trial_turn(rq, *out, now);
  if (st == OK) st = fe_program_prepare(*now, fe.nthreads);
  status all = fe_agree_or_mend("running loops", rq.want, st, refused);
  if (st == OK && (all != OK || *refused)) fe_program_cancel(*now);
  return all;
}

/* Code is made with plain arithmetic; loops run with that of their calls. */
static status
run_rounding(struct fe_program *p) {
  if (fe.fp_mode == fp_mode_plain()) return fe_program_run(p);
  uint32_t was = fp_mode_change(fe.fp_mode);
  status st = fe_program_run(p);
  fp_mode_change(was);
  return st;
}

/* `now` runs in the place of p. */
static status
run_program(struct fe_program *p, struct fe_program *now,
            enum fe_reason reason) {
  bool old_constants = fe_recs.opaque && fe_watch_changed();
  if (old_constants) fe_watch_swap();
  fe.up = FE_RUNNING;
  status st = run_rounding(now);
  fe.up = FE_UP;
  if (old_constants) fe_watch_swap();
  if (st != OK) fe_ranks_end();
  if (st != OK && fe_program_broken(now)) return run_broke(now, st);
  TRY(st);
  if (p->trial) fe_trial_ran(p);
  p->used = ++fe_programs.runs;
  if (fe_programs.last) fe_programs.last->next = p;
  fe_programs.last = p;
  commit(p);
  if (fe.mirror || fe.holds) TRY(fe_mirror_keep());
  counters[CNT_flushes]++;
  fe_reason_count(reason);
  counters[CNT_loops_run] += now->loops;
  counters[CNT_renames] += now->renames;
  counters[CNT_dead_loops] += now->dead;
  return OK;
}

/* Without the loops that cannot be compiled; all others run then. *ran: the
 * program that did. */
static status
run(struct fe_request rq, const struct fe_program **ran) {
  struct fe_program *p, *now;
  struct fe_refusal r = {OK, STR_INIT};
  bool refused;
  while (fe.lone_looks && !rq.met) {
    TRY(fe_agree_meet("running loops", &rq.met));
    if (!fe_request_waits(&rq)) return OK; /* it ran meanwhile */
  }
  status st = program_ready(rq, &p, &now, &refused);
  while (refused) {
    rq.want = FE_WANT_ALL;
    st = fe_refuse(rq, &r);
    refused = false;
    if (st == OK && fe_recs.n) st = program_ready(rq, &p, &now, &refused);
  }
  bool runs = st == OK && fe_recs.n;
  if (runs) st = run_program(p, now, rq.reason);
  if (runs && st == OK) *ran = now;
  return fe_refusal_end(&r, st);
}

/* Sets and maps that the library made for the loops that wait get their halos,
 * all at once. */
static status
settle(void) {
  for (bool met = false; !met && fe_recs.n && fe.unsettled_waits;)
    TRY(fe_agree_meet("running loops", &met));
  return fe_recs.n && fe.unsettled_waits ? fe_ranks_settle() : OK;
}

status
fe_run(struct fe_request rq) {
  if (fe.nviews) fe_views_close();
  if (!fe_recs.n) return OK;
  if (fe.opt.bare) return fe_bare_refuse("running loops");
  if (fe.unsettled_waits) TRY(settle());
  uint32_t was = fp_mode_change(fp_mode_plain());
  fe_reason_note(&rq);
  double begin = fe_clock_begin();
  double quick = fe_tiers_turn() ? timer_wall() : 0;
  const struct fe_program *ran = NULL;
  fe_told(FE_CLOCK_FLUSH, fe_reason_event(rq.reason), NULL, true);
  status st = run(rq, &ran);
  fe_told_flush(ran);
  if (fe.report) fe_clock_pace();
  fe_clock_end(FE_CLOCK_FLUSH, begin);
  if (quick > 0) fe_tiers_ran(timer_wall() - quick);
  fp_mode_change(was);
  return st;
}

status
fe_run_all(enum fe_reason reason) {
  return fe_run((struct fe_request){FE_WANT_ALL, 0, reason, false});
}

status
fe_run_for_call(void) {
  return fe_run_all(FE_REASON_SERVICE);
}
