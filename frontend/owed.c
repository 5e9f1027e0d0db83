/* Results of raw globals that are owed to the program's memory.
 *
 * Problem. A raw global that a loop writes is to hold the result when
 * op_par_loop returns, since nobody sees the program read it. So each such loop
 * ends the recording.
 *
 * Idea. Where op2cc has seen all that a file does with a variable
 * (lower/llvm/blob_owed.c), it says so at the argument (op2_gbl_site) and puts
 * a look in front of each place that reads the variable or a part, a store in
 * front of each that writes there, and a drop where its memory begins. The
 * result is owed meanwhile: it waits in the library, first as a record, then as
 * a value, and only a look of the variable itself (or a store of a part of the
 * result) carries it to the program's memory. Nothing else ever
 * writes there, so that a frame that is gone (return, exception, longjmp) takes
 * no harm; what was owed to it goes when the memory gets its next use, which
 * begins with a drop.
 *
 * A loop that takes such memory gets what is owed to it before, as a look does.
 *
 * Here is the list of what is owed, which whoever records and delivers keeps;
 * looks, which run loops, are in owed_look.c.
 *
 * Over ranks a look takes all of them, since a sum takes messages. Mostly all
 * read a result, and come by. When one reads it alone (if (rank == 0) printf)
 * the others learn of it where they next meet, and from there on such results
 * are delivered at the call (mirror.c); in programs with MPI of their own, from
 * the beginning. Memory that one rank alone writes over is read on that rank no
 * more, yet may be on others: what passes leave out for that they leave out
 * where all have (agree.c).
 *
 * Limits. Loops that run at their call for another reason deliver there. */
#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/ranks.h"

#include "base/log.h"
#include "rt/ranks/comm.h"
#include "op2_blob.h"

#include <assert.h>
#include <stdlib.h>

unsigned op2_gbl_owed; /* of all threads; code of op2cc asks for it */
static _Thread_local struct fe_owed **owed;
static _Thread_local uint32_t nowed, capowed;

/* ---- the list ------------------------------------------------------------ */

bool
fe_owed_may(const struct fe_call *c, const op_arg *args) {
  if (!c->nraw || c->overlaps || c->immediate || fe.owed_off || fe.opt.eager ||
      fe.opt.bare || fe.mirror || fe.fp_away || fe.defer_globals)
    return false;
  for (uint32_t a = 0; a < c->nargs; a++)
    if (c->args[a].raw && !args[a].sent) return false;
  return true;
}

void
fe_owed_add(struct fe_raw *raw, size_t bytes) {
  struct fe_owed *o = mem_alloc(1, sizeof *o + bytes);
  *o = (struct fe_owed){raw->to, bytes, raw};
  raw->to = o->value;
  raw->owed = o;
  VEC_PUSH(owed, nowed, capowed, o);
  __atomic_fetch_add(&op2_gbl_owed, 1, __ATOMIC_RELAXED);
}

void
fe_owed_came(struct fe_raw *raw) {
  assert(raw->owed && raw->owed->raw == raw);
  raw->owed->raw = NULL;
  raw->owed = NULL;
}

struct fe_owed *
fe_owed_find(const char *at, size_t bytes) {
  for (uint32_t i = 0; i < nowed; i++)
    if (owed[i]->to < at + bytes && at < owed[i]->to + owed[i]->bytes)
      return owed[i];
  return NULL;
}

struct fe_owed *
fe_owed_inside(const char *at, size_t bytes) {
  for (uint32_t i = 0; i < nowed; i++)
    if (owed[i]->to >= at && owed[i]->to + owed[i]->bytes <= at + bytes)
      return owed[i];
  return NULL;
}

struct fe_owed *
fe_owed_waiting(void) {
  for (uint32_t i = 0; i < nowed; i++)
    if (owed[i]->raw) return owed[i];
  return NULL;
}

void
fe_owed_remove(struct fe_owed *o) {
  uint32_t i = 0;
  while (owed[i] != o) i++;
  assert(i < nowed);
  if (o->raw) *o->raw = (struct fe_raw){NULL, NULL};
  free(o);
  nowed--;
  for (; i < nowed; i++) owed[i] = owed[i + 1];
  __atomic_fetch_sub(&op2_gbl_owed, 1, __ATOMIC_RELAXED);
}

void
fe_owed_gone(struct fe_raw *raw) {
  if (raw->owed) fe_owed_remove(raw->owed);
}

/* ---- told ---------------------------------------------------------------- */

static const char *
why_not(const struct fe_call *c, const op_arg *a) {
  if (fe.owed_off)
    return rt_comm_linked() ? "the program calls MPI: a rank that reads it "
                              "alone may be waited for there"
                            : "a rank has read such a result alone";
  if (fe.opt.eager || fe.mirror || fe.fp_away)
    return "each loop runs at its call";
  if (c->immediate) return "its kernel has no IR, or effects";
  if (a->sent) return "its other globals are, or overlap";
  return a->map_data ? (const char *)a->map_data
                     : "its file was not compiled by op2cc";
}

void
fe_owed_tell(const struct fe_call *c, const op_arg *args) {
  bool may = fe_owed_may(c, args);
  if (log_level < 2 || fe.defer_globals || fe_ranks.rank) return;
  for (uint32_t a = 0; a < c->nargs; a++)
    if (c->args[a].raw)
      LOG_INFO("%s:%d: op_par_loop \"%s\" argument %u: %s%s", c->file, c->line,
               c->name, a,
               may ? "its result waits until it is read"
                   : "delivered at the call: ",
               may ? "" : why_not(c, &args[a]));
}
