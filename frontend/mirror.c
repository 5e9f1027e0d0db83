/* dat->data without a call before it.
 *
 * Problem. OP2's programs read dat->data, and write there, as plain memory. The
 * loops that make the values may still wait; later loops may have a copy.
 *
 * Idea. op2cc puts a look in front of each such place in the files that it
 * compiles (lower/llvm/blob_looks.c), which runs what the dat needs: nothing is
 * paid for code that never runs. A place whose pointer lives on holds the dat:
 * it lies in the memory that the program sees from then on, and loops that use
 * it run at their call.
 *
 * A file of another compiler says by a constructor (op2.h) that it is there.
 * Nobody knows where it reads: then all loops run at their call and all dats
 * lie in the memory that the program sees.
 *
 * On several ranks a look takes all of them: what a dat needs may need
 * messages. Mostly all come by it, and it is an agreement as before a fetch.
 * When one rank looks alone, the others learn of it at their next agreement,
 * whatever it is for (agree.c). They have recorded more by then. From there on
 * all keep mirrors current (fe.mirror): loops run at their call, what they
 * wrote is brought to the mirrors, and each loop takes the mirrors as written.
 * The others lay aside what they recorded behind the look, run the rest with
 * that rank, and give themselves the laid aside loops one by one, as that rank
 * will at its calls. A place that holds a dat does the same to all ranks at
 * once.
 *
 *   rank 0   A B look ................ C run   D run   fetch
 *   rank 1   A B C D fetch: take C D | C run | D run | fetch again
 *                  both: run A B, sync
 *
 * A program with an MPI library of its own could wait there, for the rank that
 * looks: its ranks keep mirrors current from the beginning, if it has such
 * places.
 */
#include "frontend/mirror.h"

#include "frontend/checkpoint.h"
#include "frontend/ranks.h"
#include "op2_blob.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

/* ---- where, and whether -------------------------------------------------- */

static void
say_plain(const char *file) {
  LOG_WARN(
      "%s was not compiled by op2cc and may read dat->data: each loop runs "
      "at its call (OP2_MIRROR=0 promises that it does not)",
      file);
}

/* Why mirrors have to be kept current; a line on it is printed. */
static bool
mirror_needed(void) {
  const char *plain = low_blob_plain();
  const struct op2_blob_peek *peek = low_blob_peeking(OP2_LOOK_READ);
  if (plain && !fe.comm.rank) say_plain(plain);
  if (plain) return true;
  if (!peek || !fe_ranked() || !rt_comm_linked()) return false;
  if (!fe.comm.rank)
    LOG_WARN("%s:%d reads dat->data with no call before it, in a program with "
             "MPI of its own: on several ranks each loop runs at its call "
             "(OP2_MIRROR=0 promises that op2_sync or its like stands before "
             "it)",
             peek->file, peek->line);
  return true;
}

status
fe_dat_pin(struct fe_dat *d) {
  if (d->pinned) return OK;
  assert(!fe_ranked() && !d->parked);
  fe_checkpoint_look(d);
  TRY(fe_run((struct fe_request){FE_WANT_ALL, 0}));
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
static status
mirror_turn_on(void) {
  fe.lone_looks = false;
  TRY(fe_run((struct fe_request){FE_WANT_ALL, 0}));
  fe.mirror = fe.mirror_written = true;
  if (fe_ranked()) return fe_mirror_keep();
  for (uint32_t i = 0; i < fe.ndats; i++)
    if (!fe.dats[i]->parked && !fe.dats[i]->freed) TRY(fe_dat_pin(fe.dats[i]));
  return OK;
}

static status mirror_catch_up(bool look, const char *what);

/* A shared object brought a file: it was opened by all ranks, or by none. */
static void
mirror_late(void) {
  if (fe.up != FE_UP || fe.mirror) return;
  fe.lone_looks = fe_ranked() && low_blob_peeking(OP2_LOOK_READ);
  if (!mirror_needed() || !fe_enter("dlopen")) return;
  status st = mirror_turn_on();
  if (st != OK) fe_error(st);
}

status
fe_mirror_start(void) {
  bool ask = fe.opt.mirror == OPT_mirror_auto;
  uint8_t kept[3] = {fe.opt.mirror == OPT_mirror_1, !ask,
                     ask && low_blob_peeking(OP2_LOOK_READ)};
  if (ask && mirror_needed()) {
    kept[0] = 1;
    kept[1] = low_blob_plain() || low_blob_peeking(OP2_LOOK_WRITE);
  }
  if (fe_ranked())
    TRY(rt_allreduce(&fe.comm, kept, 3, (struct type){TYPE_U8, 1}, ACC_MAX));
  fe.mirror = kept[0];
  fe.mirror_written = kept[1];
  fe.looks = ask && !fe.mirror;
  fe.lone_looks = fe.looks && fe_ranked() && kept[2];
  fe_agree_on_look(mirror_catch_up);
  low_blob_tell(fe.looks ? mirror_late : NULL);
  return OK;
}

void
fe_mirror_stop(void) {
  low_blob_tell(NULL);
}

/* ---- one rank alone ----------------------------------------------------- */

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
    if (st == OK) st = fe_run((struct fe_request){FE_WANT_ALL, 0});
  }
  return st;
}

static status
mirror_catch_up(bool look, const char *what) {
  uint64_t first, end = fe_agree_steps();
  struct fe_tail tail;
  TRY(fe_agree_first(look, what, &first));
  fe_tail_take(first, &tail);
  fe_agree_rewind(first, end);
  status st = mirror_turn_on();
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
  TRY(fe_agree_look((uint64_t)d->index << 2 | (uint64_t)kind, alone));
  if (*alone) {
    LOG_WARN("%s:%d reads dat->data of \"%s\" on rank %d and not on others: "
             "each loop runs at its call from here on",
             fe.file, fe.line, d->pub.name, fe.comm.rank);
    return mirror_catch_up(true, "dat->data");
  }
  if (kind != OP2_LOOK_HOLD) return OK;
  *alone = true;
  if (!fe.comm.rank)
    LOG_WARN("%s:%d holds dat->data of \"%s\": on several ranks each loop runs "
             "at its call from here on",
             fe.file, fe.line, d->pub.name);
  return mirror_turn_on();
}

/* ---- looks -------------------------------------------------------------- */

/* Nothing to do; `d` is a dat of this library. */
static bool
look_is_done(const struct fe_dat *d, int kind) {
  if (kind == OP2_LOOK_HOLD) return d->held;
  if (fe.nvoid || d->undecided || !rt_dat_mirror_current(&d->rt)) return false;
  if (d->pinned && fe.pending_loops) return false; /* others may lie there */
  if (kind == OP2_LOOK_WRITE) return d->viewed;
  return !d->pending_writers;
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
  fe.file = file;
  fe.line = line;
  status st = look(dat, kind);
  if (st != OK) fe_error(st);
  fe.file = NULL;
}
