/* What is due when a loop was recorded: some must have run before op_par_loop
 * returns. A loop that was laid aside (look.c) comes by here as well, when its
 * turn has come. */
#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"

/* Have so many bytes been captured that the trace has to end? Ranks may differ
 * in that (a constant that changed on one): they ask each other when one could
 * have. */
static status
check_bytes(bool *full) {
  uint64_t most = fe_recs.captured_bytes;
  bool met;
  *full = false;
  if (!fe_ranked()) {
    *full = most >= fe.opt.max_bytes;
    return OK;
  }
  if (fe_recs.bound_bytes < fe.opt.max_bytes) return OK;
  TRY(fe_agree_meet("bounding the trace", &met));
  if (!met) return OK;
  TRY(fe_agree("bounding the trace", 0, OK));
  TRY(fe_join(&most, 1, TYPE_U64, ACC_MAX));
  fe_recs.bound_bytes = most;
  *full = most >= (fe.opt.max_bytes + 1) / 2; /* else each loop would ask */
  return OK;
}

/* Where others were caught up with instead, the loop was among those that were
 * gone through: it has come by here. */
static status
run_now(enum fe_reason reason) {
  bool met;
  TRY(fe_agree_meet("running loops", &met));
  return met ? fe_run((struct fe_request){FE_WANT_ALL, 0, reason, true}) : OK;
}

status
fe_after_loop(const struct fe_call *c, bool owed) {
  if (fe.opt.eager || fe.mirror || fe.fp_away || fe_watches() ||
      (fe.holds && fe_call_pinned(c)))
    return run_now(FE_REASON_CALL);
  if (c->immediate) return run_now(FE_REASON_KERNEL);
  if (c->nraw && !fe.defer_globals && !owed)
    return fe_owed_run(fe_recs.n - 1, FE_REASON_RAW);
  bool full;
  TRY(check_bytes(&full));
  if (full || fe_recs.loops >= (uint32_t)fe.opt.max_loops)
    return run_now(FE_REASON_FULL);
  return OK;
}
