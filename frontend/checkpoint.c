/* op2_checkpoint: the dats that the rest of the run needs, in a file.
 *
 * Problem. A run that ends in the middle is to go on from a file as if nothing
 * had happened. Saving all dats does that, but most need not be saved: meshes
 * never change, and much of what a time step computes is overwritten by the
 * next one before anybody reads it. What the *coming* loops do decides, and
 * they are not known yet.
 *
 * Idea. op2_checkpoint opens the file and waits. The values are those of the
 * call, P; which ones go to the file is decided dat by dat, by what the program
 * does with each *first* after P:
 *
 *   never written since its declaration    as declared: nothing at all is saved
 *   a loop reads it, or writes a part      saved, before that loop is recorded
 *   a loop writes all of it, proven        left out
 *   the host looks at it or changes it     saved, before it does
 *   freed (a temporary)                    left out
 *   nothing yet, when the window ends      saved
 *
 * No value of P is lost by waiting: a dat that is undecided has not been
 * written since P, or it would be decided. The window ends when all dats are
 * decided, when the loop comes round with which it began (a period of the time
 * loop is over: what it has not touched it will not decide), at op2_flush,
 * op_exit or the next op2_checkpoint. Airfoil, one step after P:
 *
 *   save_soln  reads q, writes qold    q saved, qold left out
 *   adt_calc   reads x q, writes adt   adt left out; x is as declared
 *   res_calc   increments res          res saved: the window ends
 *
 * 8 of 13 values a cell. It costs a look at each loop's arguments while the
 * window is open. What is pending at P stays pending; saving a dat runs the
 * loops that its value needs, as a fetch does.
 *
 * Why it is right. A program that restarts declares everything again, calls
 * op2_restart and goes on behind P with the same loops: it is in the same state
 * but for the dats left out, and of these it writes every value before it reads
 * one, as the first run did. "All of it" is what the kernel's IR proves, the
 * same fact that lets the trace forget old values; kernels without IR prove
 * nothing, so what they touch is saved. What the host can see with no call is
 * always saved, at P: the program's own memory (OP_NO_REALLOC, overlays,
 * OP2_MIRROR) and dats whose mirror is current. A program that goes on
 * otherwise than the first run did, which only a changed program can, is still
 * never wrong: a dat that was left out has no value after a restart, and
 * reading it before all of it is written is an error (restart.c).
 * OP2_CHECKPOINT=all leaves nothing out and writes the file at the call.
 *
 * Crashes. The file takes the place of the former one when it is whole and on
 * disk (rt/io/io.c): a crash, also inside the window, leaves the former one.
 *
 * Globals (op2_gbl) are all saved, at P. Constants and raw globals are the
 * program's own. Data are in the program's numbering, so that neither the
 * number of threads nor that of ranks counts.
 *
 * Source. Deciding by the first access after the call, and "never written":
 * I. Z. Reguly, G. R. Mudalige, M. B. Giles, "Design and Development of Domain
 * Specific Active Libraries with Proxy Applications", IEEE CLUSTER 2015, and
 * OPS's ops_checkpointing.cpp. There the library chooses when to save,
 * restarting replays the loops up to that point without running them, and the
 * region ends after some seconds; here the program chooses, jumps to the point
 * itself, and the region ends with the period. That what was left out cannot be
 * read is new here.
 *
 * Limits. The file is not there when op2_checkpoint returns, but a step later;
 * op2_flush behind it ends the window. A failure while the window is open is
 * reported by the call that met it. */
#include "frontend/calls.h"
#include "frontend/checkpoint.h"
#include "frontend/context.h"
#include "frontend/ranks.h"

#include "base/str.h"
#include "rt/io/io.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* One that waits for its decision. The key is that of P: temporaries may go. */
struct undecided {
  struct fe_dat *dat;
  char *key;
};

static struct {
  struct rt_file *file; /* NULL: none is open */
  const char *at;       /* where the program asked for it */
  int line;
  uint32_t loops; /* recorded in the window */
  VEC(struct undecided, undecided);
} window;

/* ---- the window ---------------------------------------------------------- */

static void
window_clear(void) {
  for (uint32_t i = 0; i < window.nundecided; i++) {
    window.undecided[i].dat->undecided = false;
    free(window.undecided[i].key);
  }
  free(window.undecided);
  memset(&window, 0, sizeof window);
  fe_calls.window = NULL;
  fe.saving = false;
}

static void
abandon(void) {
  rt_io_close(window.file, false);
  window_clear();
}

/* The checkpoint failed: no file, and a message with the place where it was
 * asked for. */
static status
fail(status st) {
  SCOPED_STR said = STR_INIT;
  str_printf(&said, "op2_checkpoint(\"%s\")", rt_io_path(window.file));
  if (window.at) str_printf(&said, " of %s:%d", window.at, window.line);
  str_printf(&said, ": %s", err_last());
  abandon();
  err_set(st, "%s", said.s);
  return st;
}

/* Decide undecided[i]; the last one takes its place. */
static status
decide(uint32_t i, const char *state) {
  struct undecided u = window.undecided[i];
  assert(u.dat->undecided);
  window.undecided[i] = window.undecided[--window.nundecided];
  u.dat->undecided = false;
  status st = !strcmp(state, FE_SAVED)
                  ? fe_saved_dat(window.file, u.dat, u.key)
                  : fe_saved_note(window.file, u.dat, u.key, state);
  free(u.key);
  return st;
}

static uint32_t
undecided_find(const struct fe_dat *d) {
  uint32_t i = 0;
  while (window.undecided[i].dat != d) i++;
  assert(i < window.nundecided);
  return i;
}

static status
finish(void) {
  while (window.nundecided) TRY(decide(0, FE_SAVED));
  struct rt_file *f = window.file;
  window.file = NULL;
  window_clear();
  return fe_saved_close(f);
}

status
fe_checkpoint_finish(void) {
  for (bool met = false; !met && window.file;)
    TRY(fe_agree_meet("a checkpoint", &met));
  if (!window.file) return OK;
  status st = finish();
  return st == OK || !window.file ? st : fail(st);
}

/* Inside another call, whose place in the program stays. */
static void
report(status st) {
  const char *file = fe.file;
  int line = fe.line;
  if (st != OK) fe_error(window.file ? fail(st) : st);
  op2_here(file, line);
}

static status
loop_decides(const struct fe_call *c) {
  if (c == fe_calls.window || window.loops == (uint32_t)fe.opt.max_loops)
    return finish();
  if (!fe_calls.window) fe_calls.window = c;
  window.loops++;
  for (uint32_t u = 0; u < c->nuses; u++) {
    if (!c->uses[u].dat->undecided) continue;
    bool full = c->uses[u].writes && !c->uses[u].reads;
    TRY(decide(undecided_find(c->uses[u].dat), full ? FE_LEFT_OUT : FE_SAVED));
  }
  return window.nundecided ? OK : finish();
}

void
fe_checkpoint_loop(const struct fe_call *c) {
  report(loop_decides(c));
}

void
fe_checkpoint_look(struct fe_dat *d) {
  if (d->undecided) report(decide(undecided_find(d), FE_SAVED));
}

void
fe_checkpoint_drop(struct fe_dat *d) {
  if (d->undecided) report(decide(undecided_find(d), FE_LEFT_OUT));
}

/* ---- op2_checkpoint ------------------------------------------------------ */

/* Can the program see the values with no call of this library? */
static bool
in_sight(const struct fe_dat *d) {
  return d->pinned || fe.mirror ||
         (d->rt.mirror_current && !fe_waits(d->written_in));
}

static status
dat_begin(struct fe_dat *d) {
  SCOPED_STR key = STR_INIT;
  if (d->lost) return fe_void_check("op2_checkpoint", d);
  fe_dat_key(d, &key);
  if (d->void_since) return fe_saved_note(window.file, d, key.s, FE_LEFT_OUT);
  if (!d->written && !d->pinned)
    return fe_saved_note(window.file, d, key.s, FE_AS_DECLARED);
  if (in_sight(d) || fe.opt.checkpoint == OPT_checkpoint_all)
    return fe_saved_dat(window.file, d, key.s);
  struct undecided u = {d, fe_text_copy(key.s)};
  VEC_PUSH(window.undecided, window.nundecided, window.capundecided, u);
  d->undecided = true;
  return OK;
}

static status
begin(void) {
  TRY(rt_io_put_int(window.file, "/", FE_CHECKPOINT_MARK,
                    FE_CHECKPOINT_VERSION));
  for (uint32_t i = 0; i < fe_all.naged_gbls; i++)
    if (!fe_all.aged_gbls[i]->freed)
      TRY(fe_saved_gbl(window.file, fe_all.aged_gbls[i]));
  for (uint32_t i = 0; i < fe_all.naged; i++)
    if (!fe_all.aged[i]->freed) TRY(dat_begin(fe_all.aged[i]));
  return window.nundecided ? OK : finish();
}

static status
checkpoint(const char *path) {
  if (!path) FAIL(ERR_ARG, "op2_checkpoint: expected a file name, found NULL");
  TRY(fe_checkpoint_finish());
  if (fe.nviews) fe_views_close();
  struct rt_file *f;
  TRY(fe_agree("op2_checkpoint", 0, OK));
  status st = rt_io_open(path, RT_IO_CREATE, fe_ranks.comm, &f);
  if (st != OK) return err_prefix(st, "op2_checkpoint: ");
  window.file = f;
  fe.saving = true;
  window.at = fe.file;
  window.line = fe.line;
  st = begin();
  return st == OK || !window.file ? st : fail(st);
}

int
op2_checkpoint(const char *path) {
  return fe_enter("op2_checkpoint") ? fe_leave_returned(checkpoint(path))
                                    : ERR_STATE;
}
