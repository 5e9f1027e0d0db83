/* dat->data without a call before it: what is done at each look (mirror.c).
 */
#include "frontend/checkpoint.h"
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"
#include "frontend/values.h"

#include "base/log.h"

#include "op2_blob.h"

#include <assert.h>
#include <pthread.h>

/* ---- pinned -------------------------------------------------------------- */

status
fe_dat_pin(struct fe_dat *d) {
  if (d->pinned) return OK;
  assert(!fe_ranked() && !d->parked);
  fe_checkpoint_look(d);
  TRY(fe_run_all(FE_REASON_CALL));
  TRY(fe_number_fix((struct fe_set *)d->pub.set));
  TRY(fe_dat_sync(d));
  TRY(rt_dat_pin(&d->rt));
  d->pinned = true;
  fe.pins++;
  d->pub.user_managed = 1;
  fe.setup_id++;
  fe_state_update();
  return OK;
}

/* Dats declared before are brought there, too. */
status
fe_mirror_turn_on(void) {
  fe.lone_looks = false;
  TRY(fe_run_all(FE_REASON_CALL));
  fe.mirror = fe.mirror_written = true;
  if (fe_ranked()) return fe_mirror_keep();
  for (uint32_t i = 0; i < fe_all.ndats; i++)
    if (!fe_all.dats[i]->parked && !fe_all.dats[i]->freed)
      TRY(fe_dat_pin(fe_all.dats[i]));
  return OK;
}

/* ---- one rank alone ------------------------------------------------------ */

/* What this rank has recorded behind the look. In the end it is where it was.
 * */
static status
replay(struct fe_tail *t, uint64_t end) {
  status st = OK;
  while (t->next < t->n) {
    const struct fe_rec *r = &t->recs[t->next];
    fe_agree_rewind(r->step, end);
    if (st == OK && r->kind != FE_REC_LOOP) {
      fe_tail_do(t);
      continue;
    }
    fe_tail_next(t);
    if (st == OK) st = fe_run_all(FE_REASON_CALL);
  }
  return st;
}

status
fe_mirror_catch_up(bool look, const char *what) {
  uint64_t first, end = fe_agree_steps();
  struct fe_tail tail;
  TRY(fe_agree_first(look, what, &first));
  fe_tail_take(first, &tail);
  fe_agree_rewind(first, end);
  status st = fe_mirror_turn_on();
  if (st == OK) st = replay(&tail, end);
  while (tail.next < tail.n) fe_tail_next(&tail);
  fe_agree_rewind(end, end);
  fe_tail_free(&tail);
  return st;
}

/* All ranks are in the look, or *alone: they were not, and mirrors are current.
 * */
static status
look_with_all(const struct fe_dat *d, int kind, bool *alone) {
  TRY(fe_agree_look(d->born << 2 | (uint64_t)kind, alone));
  if (*alone) {
    LOG_WARN("%s:%d reads dat->data of \"%s\" on rank %d and not on others: "
             "each loop runs at its call from here on",
             fe.file, fe.line, d->pub.name, fe_ranks.rank);
    return fe_mirror_catch_up(true, "dat->data");
  }
  if (kind != OP2_LOOK_HOLD) return OK;
  *alone = true;
  if (!fe_ranks.rank)
    LOG_WARN("%s:%d holds dat->data of \"%s\": on several ranks each loop runs "
             "at its call from here on",
             fe.file, fe.line, d->pub.name);
  return fe_mirror_turn_on();
}

/* ---- looks --------------------------------------------------------------- */

/* Nothing to do; `d` is a dat of this library. */
static bool
look_is_done(const struct fe_dat *d, int kind) {
  if (kind == OP2_LOOK_HOLD) return d->held;
  if (fe_all.nvoid || d->undecided || !rt_dat_mirror_current(&d->rt))
    return false;
  if (d->pinned && fe_recs.loops) return false; /* others may lie there */
  if (((struct fe_set *)d->pub.set)->padded && !d->filled) return false;
  if (kind == OP2_LOOK_WRITE) return d->viewed;
  return !fe_waits(d->written_in);
}

static status
look(op_dat dat, int kind) {
  struct fe_dat *d = (struct fe_dat *)dat;
  if (fe.up == FE_RUNNING || fe.thread != (unsigned long)pthread_self())
    FAIL(ERR_STATE,
         "dat \"%s\": its data are not current, and are read %s; call op2_sync "
         "before, or set OP2_MIRROR=1",
         d->pub.name,
         fe.up == FE_RUNNING ? "by a kernel" : "in a second thread");
  bool alone = false;
  if (fe.lone_looks) TRY(look_with_all(d, kind, &alone));
  if (alone) return OK;
  TRY(fe_access_begin("dat->data", dat, kind != OP2_LOOK_READ, &d));
  if (kind == OP2_LOOK_WRITE) {
    d->viewed = true;
    fe.nviews++;
  }
  if (kind != OP2_LOOK_HOLD) return OK;
  TRY(fe_dat_pin(d));
  LOG_INFO("%s:%d holds dat->data of \"%s\": loops that use it run at their "
           "call from here on",
           fe.file, fe.line, d->pub.name);
  d->held = fe.holds = true;
  rt_dat_mirror_written(&d->rt);
  return OK;
}

void
op2_look_at(op_dat dat, int kind, const char *file, int line) {
  if (!fe.looks || fe.mirror || !fe_handle_is(dat, FE_DAT)) return;
  if (look_is_done((struct fe_dat *)dat, kind)) return;
  fe.api = "dat->data";
  fe.file = file;
  fe.line = line;
  fe_leave(look(dat, kind));
}
