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
#include "frontend/checkpoint.h"
#include "frontend/rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the file ------------------------------------------------------------ */

static void
saved_key(const char *group, const char *name, uint32_t nth, struct str *out) {
  str_printf(out, "%s/", group);
  for (const char *c = *name ? name : "%"; *c; c++)
    if (strchr("/#%.", *c))
      str_printf(out, "%%%02X", (unsigned)*c);
    else
      str_addn(out, c, 1);
  if (nth > 1) str_printf(out, "#%u", nth);
}

void
fe_dat_key(const struct fe_dat *d, struct str *out) {
  uint32_t nth = 1;
  for (uint32_t i = 0; i < fe.ndats; i++)
    nth += !fe.dats[i]->freed && fe.dats[i]->born < d->born &&
           !strcmp(fe.dats[i]->pub.name, d->pub.name);
  saved_key("dats", d->pub.name, nth, out);
}

void
fe_gbl_key(const struct fe_gbl *g, struct str *out) {
  uint32_t nth = 1;
  for (uint32_t i = 0; i < g->index; i++)
    nth += !fe.gbls[i]->freed && !strcmp(fe.gbls[i]->name, g->name);
  saved_key("globals", g->name, nth, out);
}

/* ---- saving -------------------------------------------------------------- */

/* One that waits for its decision. The key is that of P: temporaries may go. */
struct fe_undecided {
  struct fe_dat *dat;
  char *key;
};

static status
entry_describe(const char *key, const char *state, const struct fe_dat *d) {
  struct rt_file *f = fe.checkpoint.file;
  TRY(rt_io_put_text(f, key, "state", state, 0));
  TRY(rt_io_put_text(f, key, "name", d->pub.name, 0));
  TRY(rt_io_put_text(f, key, "set", d->pub.set->name, 0));
  TRY(rt_io_put_int(f, key, "elements", fe_rows_own(d->pub.set, 1, d->type).n));
  TRY(rt_io_put_int(f, key, "size", d->pub.size));
  TRY(rt_io_put_int(f, key, "dim", d->pub.dim));
  TRY(rt_io_put_text(f, key, "kind", type_text(d->type), 0));
  return rt_io_put_text(f, key, "type", d->pub.type, 0);
}

static status
dat_note(const struct fe_dat *d, const char *key, const char *state) {
  struct rt_rows none = fe_rows_own(d->pub.set, d->pub.dim, d->type);
  none.n = none.lo = none.hi = 0;
  TRY(rt_io_write(fe.checkpoint.file, key, &none, ""));
  return entry_describe(key, state, d);
}

static status
dat_save(struct fe_dat *d, const char *key) {
  struct rt_rows r = fe_rows_own(d->pub.set, d->pub.dim, d->type);
  const void *values;
  void *kept;
  TRY(fe_agree_turn("op2_checkpoint"));
  TRY(fe_look_at("op2_checkpoint", d, false));
  TRY(fe_rows_values(d, &values, &kept));
  status st = rt_io_write(fe.checkpoint.file, key, &r, values);
  free(kept);
  if (st != OK) return st;
  counters[CNT_checkpoint_dats]++;
  counters[CNT_checkpoint_bytes] += (r.hi - r.lo) * d->pub.size;
  return entry_describe(key, FE_SAVED, d);
}

static status
gbl_save(struct fe_gbl *g) {
  struct str key = STR_INIT;
  struct rt_rows r = fe_rows_one(g->dim, g->type, true);
  status st = OK;
  if (g->pending) st = fe_run((struct fe_request){FE_WANT_GBL, g->index});
  if (st == OK) st = fe_gbl_check("op2_checkpoint", g);
  fe_gbl_key(g, &key);
  if (st == OK) st = rt_io_write(fe.checkpoint.file, key.s, &r, g->data);
  if (st == OK)
    st = rt_io_put_text(fe.checkpoint.file, key.s, "name", g->name, 0);
  if (st == OK)
    st = rt_io_put_text(fe.checkpoint.file, key.s, "kind", type_text(g->type),
                        0);
  str_clear(&key);
  return st;
}

/* ---- the window ---------------------------------------------------------- */

static void
window_clear(void) {
  struct fe_checkpoint *w = &fe.checkpoint;
  for (uint32_t i = 0; i < w->nundecided; i++) {
    w->undecided[i].dat->undecided = false;
    free(w->undecided[i].key);
  }
  free(w->undecided);
  *w = (struct fe_checkpoint){0};
}

static void
abandon(void) {
  rt_io_close(fe.checkpoint.file, false);
  window_clear();
}

/* The checkpoint failed: no file, and a message with the place where it was
 * asked for. */
static status
fail(status st) {
  struct str said = STR_INIT;
  str_printf(&said, "op2_checkpoint(\"%s\")", rt_io_path(fe.checkpoint.file));
  if (fe.checkpoint.at)
    str_printf(&said, " of %s:%d", fe.checkpoint.at, fe.checkpoint.line);
  str_printf(&said, ": %s", err_last());
  abandon();
  err_set(st, "%s", said.s);
  str_clear(&said);
  return st;
}

/* Decide undecided[i]; the last one takes its place. */
static status
decide(uint32_t i, const char *state) {
  struct fe_checkpoint *w = &fe.checkpoint;
  struct fe_undecided u = w->undecided[i];
  assert(u.dat->undecided);
  w->undecided[i] = w->undecided[--w->nundecided];
  u.dat->undecided = false;
  status st = !strcmp(state, FE_SAVED) ? dat_save(u.dat, u.key)
                                       : dat_note(u.dat, u.key, state);
  free(u.key);
  return st;
}

static uint32_t
undecided_find(const struct fe_dat *d) {
  uint32_t i = 0;
  while (fe.checkpoint.undecided[i].dat != d) i++;
  assert(i < fe.checkpoint.nundecided);
  return i;
}

static status
finish(void) {
  while (fe.checkpoint.nundecided) TRY(decide(0, FE_SAVED));
  struct rt_file *f = fe.checkpoint.file;
  fe.checkpoint.file = NULL;
  window_clear();
  status st = rt_io_close(f, true);
  if (st != OK) return err_prefix(st, "op2_checkpoint: ");
  counters[CNT_checkpoints]++;
  return OK;
}

status
fe_checkpoint_finish(void) {
  if (!fe.checkpoint.file) return OK;
  TRY(fe_agree_turn("a checkpoint"));
  if (!fe.checkpoint.file) return OK;
  status st = finish();
  return st == OK || !fe.checkpoint.file ? st : fail(st);
}

/* Inside another call, whose place in the program stays. */
static void
report(status st) {
  const char *file = fe.file;
  int line = fe.line;
  if (st != OK) fe_error(fe.checkpoint.file ? fail(st) : st);
  op2_here(file, line);
}

static status
loop_decides(const struct fe_call *c) {
  struct fe_checkpoint *w = &fe.checkpoint;
  if (c == w->first || w->loops == (uint32_t)fe.opt.max_loops) return finish();
  if (!w->first) w->first = c;
  w->loops++;
  for (uint32_t u = 0; u < c->nuses; u++) {
    if (!c->uses[u]->undecided) continue;
    bool full = c->use_writes[u] && !c->use_reads[u];
    TRY(decide(undecided_find(c->uses[u]), full ? FE_LEFT_OUT : FE_SAVED));
  }
  return w->nundecided ? OK : finish();
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
         (d->rt.mirror_current && !d->pending_writers);
}

static status
dat_begin(struct fe_dat *d) {
  struct fe_checkpoint *w = &fe.checkpoint;
  struct str key = STR_INIT;
  status st = OK;
  if (d->lost) return fe_void_check("op2_checkpoint", d);
  fe_dat_key(d, &key);
  if (d->void_since) {
    st = dat_note(d, key.s, FE_LEFT_OUT);
  } else if (!d->written && !d->pinned) {
    st = dat_note(d, key.s, FE_AS_DECLARED);
  } else if (in_sight(d) || fe.opt.checkpoint == OPT_checkpoint_all) {
    st = dat_save(d, key.s);
  } else {
    struct fe_undecided u = {d, mem_alloc(key.len + 1, 1)};
    strcpy(u.key, key.s);
    VEC_PUSH(w->undecided, w->nundecided, w->capundecided, u);
    d->undecided = true;
  }
  str_clear(&key);
  return st;
}

static status
begin(void) {
  TRY(rt_io_put_int(fe.checkpoint.file, "/", FE_CHECKPOINT_MARK,
                    FE_CHECKPOINT_VERSION));
  for (uint32_t i = 0; i < fe.ngbls; i++)
    if (!fe.gbls[i]->freed) TRY(gbl_save(fe.gbls[i]));
  for (uint32_t i = 0; i < fe.ndats; i++)
    if (!fe.dats[i]->freed) TRY(dat_begin(fe.dats[i]));
  return fe.checkpoint.nundecided ? OK : finish();
}

static status
checkpoint(const char *path) {
  if (!path) FAIL(ERR_ARG, "op2_checkpoint: expected a file name, found NULL");
  TRY(fe_checkpoint_finish());
  if (fe.nviews) fe_views_close();
  struct rt_file *f;
  TRY(fe_agree("op2_checkpoint", 0, OK));
  status st = rt_io_open(path, RT_IO_CREATE, &fe.comm, &f);
  if (st != OK) return err_prefix(st, "op2_checkpoint: ");
  fe.checkpoint.file = f;
  fe.checkpoint.at = fe.file;
  fe.checkpoint.line = fe.line;
  st = begin();
  return st == OK || !fe.checkpoint.file ? st : fail(st);
}

int
op2_checkpoint(const char *path) {
  if (!fe_enter("op2_checkpoint")) return ERR_STATE;
  status st = checkpoint(path);
  if (st != OK) fe_error_returned(st);
  fe.file = NULL;
  return (int)st;
}
