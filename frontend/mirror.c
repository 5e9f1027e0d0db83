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
 * Raw globals whose results wait (owed.c) are looked at in the same ways. A
 * rank that reads one alone turns off that they wait, no more: loops that write
 * raw globals run at their call from there on, the others as before; so do the
 * laid aside ones.
 *
 * A program with an MPI library of its own could wait there, for the rank that
 * looks: its ranks keep mirrors current from the beginning, if it has such
 * places, and results of raw globals do not wait.
 */
#include "frontend/context.h"
#include "frontend/ranks.h"
#include "frontend/values.h"

#include "base/log.h"
#include "lower/kernel.h"
#include "rt/ranks/comm.h"

#include "op2_blob.h"

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
  if (plain && !fe_ranks.rank) say_plain(plain);
  if (plain) return true;
  if (!peek || !fe_ranked() || !rt_comm_linked()) return false;
  if (!fe_ranks.rank)
    LOG_WARN("%s:%d reads dat->data with no call before it, in a program with "
             "MPI of its own: on several ranks each loop runs at its call "
             "(OP2_MIRROR=0 promises that op2_sync or its like stands before "
             "it)",
             peek->file, peek->line);
  return true;
}

/* Of all ranks: some may look alone at dat->data from now on. */
static status
lone_begin(void) {
  TRY(fe_agree_turn("dlopen"));
  if (fe.mirror || !low_blob_peeking(OP2_LOOK_READ)) return OK;
  fe.lone_dats = true;
  return fe_lone_looks_begin();
}

/* A shared object brought a file: it was opened by all ranks, or by none. */
static void
mirror_late(void) {
  if (fe.up != FE_UP || fe.mirror) return;
  if (!fe_ranked() && !mirror_needed()) return;
  if (!fe_enter("dlopen")) return;
  status st = fe_ranked() ? lone_begin() : OK;
  if (st == OK && !fe.mirror && (!fe_ranked() || mirror_needed()))
    st = fe_mirror_turn_on();
  if (st != OK) fe_error(st);
}

status
fe_mirror_start(void) {
  bool ask = fe.opt.mirror == OPT_mirror_auto;
  if (fe.opt.bare) return OK; /* there are none */
  uint8_t kept[4] = {fe.opt.mirror == OPT_mirror_1, !ask,
                     ask && low_blob_peeking(OP2_LOOK_READ),
                     fe_ranked() && rt_comm_linked()};
  if (ask && mirror_needed()) {
    kept[0] = 1;
    kept[1] = low_blob_plain() || low_blob_peeking(OP2_LOOK_WRITE);
  }
  TRY(fe_join(kept, 4, TYPE_U8, ACC_MAX));
  fe.mirror = kept[0];
  fe.mirror_written = kept[1];
  fe.looks = ask && !fe.mirror;
  fe.lone_looks = fe.lone_dats = fe.looks && fe_ranked() && kept[2];
  fe.owed_off = kept[3];
  fe_agree_on_look(fe_look_catch_up);
  low_blob_tell(fe.looks ? mirror_late : NULL);
  return OK;
}

void
fe_mirror_stop(void) {
  low_blob_tell(NULL);
}
