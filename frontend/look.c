/* dat->data without a call before it: what is done at each look, and when one
 * rank looks alone, at a raw global as well (mirror.c). */
#include "frontend/calls.h"
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
  fe.lone_looks = fe.lone_dats = false;
  TRY(fe_run_all(FE_REASON_CALL));
  fe.mirror = fe.mirror_written = true;
  if (fe_ranked()) return fe_mirror_keep();
  for (uint32_t i = 0; i < fe_all.ndats; i++)
    if (!fe_all.dats[i]->parked && !fe_all.dats[i]->freed)
      TRY(fe_dat_pin(fe_all.dats[i]));
  return OK;
}

/* ---- one rank alone ------------------------------------------------------ */

/* What this rank has recorded behind the look, each loop with what must run
 * before it returns. In the end it is where it was. */
static status
replay(struct fe_tail *t) {
  status st = OK;
  while (t->next < t->n) {
    const struct fe_rec *r = &t->recs[t->next];
    fe_agree_rewind(r->step, r->said);
    if (st == OK && r->kind != FE_REC_LOOP) {
      fe_tail_do(t);
      continue;
    }
    uint32_t loop = r->what;
    fe_tail_next(t);
    if (st == OK) st = fe_after_loop(fe_calls.all[loop], false);
  }
  return st;
}

/* What waits is brought, and nothing like it waits any more. */
static status
turn_off(enum fe_looked look) {
  if (look == FE_LOOKED_DAT) return fe_mirror_turn_on();
  fe.owed_off = true;
  fe.lone_looks = fe.lone_dats;
  return fe_run_all(FE_REASON_VALUE);
}

status
fe_look_alone(enum fe_looked looked, const char *what, bool *mine) {
  uint64_t end = fe_agree_steps(), said = fe_agree_said();
  struct fe_lone lone;
  struct fe_tail tail;
  TRY(fe_agree_first(looked, what, &lone));
  *mine = lone.mine;
  fe_recs_unread_forget();
  fe_tail_take(lone.step, &tail);
  fe_agree_rewind(lone.step, lone.said);
  status st = turn_off(lone.look);
  if (st == OK) st = replay(&tail);
  while (tail.next < tail.n) fe_tail_next(&tail);
  fe_agree_rewind(end, said);
  fe_tail_free(&tail);
  return st;
}

status
fe_look_catch_up(const char *what) {
  bool mine;
  return fe_look_alone(FE_LOOKED_NOT, what, &mine);
}

/* All ranks are in the look, or mirrors are current (fe.mirror). */
static status
look_with_all(const struct fe_dat *d, int kind) {
  uint64_t detail = d->born << 2 | (uint64_t)kind;
  bool alone = true, mine;
  while (alone && !fe.mirror) {
    TRY(fe_agree_look("dat->data", FE_LOOKED_DAT, detail, &alone));
    if (!alone) break;
    TRY(fe_look_alone(FE_LOOKED_DAT, "dat->data", &mine));
    if (mine)
      LOG_WARN("%s:%d reads dat->data of \"%s\" on rank %d and not on others: "
               "each loop runs at its call from here on",
               fe.file, fe.line, d->pub.name, fe_ranks.rank);
  }
  if (fe.mirror || kind != OP2_LOOK_HOLD) return OK;
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
  if (fe.lone_dats) TRY(look_with_all(d, kind));
  if (fe.mirror) return OK;
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
