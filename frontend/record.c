/* Recording: what op_par_loop does when nothing is new.
 *
 * Problem. A time loop makes the same calls again and again. Checking them,
 * making IR and looking up code each time would cost microseconds per loop.
 *
 * Idea. Every op_par_loop statement, with the words it passed, is an interned
 * fe_call whose checks were done once. A call is first compared, word by word,
 * with the call that followed the previous one last time (prediction); only a
 * mismatch goes to the table. What is appended is the call's number and the
 * constants' epoch: two words, which together with the request are the key of
 * the program that a flush needs. Values that count at the call (READ globals,
 * start values of raw reductions, constants that vary) are copied behind it.
 *
 * Rounding. What waits was recorded with one rounding mode, and runs with it. A
 * program that changes the mode (fesetround) first has that run; while its mode
 * is not op_init's, or does not round to nearest, each loop runs at its call,
 * alone, and no constant is folded: LLVM rounds to nearest what it computes.
 *
 * In programs with boxes, and of scans, what a call goes over is found out
 * first (fe_box_place, fe_scan_place); the predicted call knows the set that
 * was asked for, too, so that the same words need no more than to be compared,
 * unless a temporary with a halo is among them.
 *
 * Cost. 690 instructions for a predicted loop of 6 arguments (55 ns on a Zen 3,
 * 3.5 GHz), of which the program takes 120 to put them together; no allocation.
 * Texts that the program cannot change are compared by address, what was freed
 * is asked for only after some handle was, what waits has a stamp (fe_waits)
 * rather than a count. In a flush each such loop takes 16 more.
 */
#include "frontend/calls.h"
#include "frontend/checkpoint.h"
#include "frontend/context.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"

#include "base/counters.h"
#include "base/fp.h"
#include "op2_blob.h"

#include <assert.h>

enum { CAPTURE_LARGE = 1 << 20 };

/* Copy what the loop must see as it is now. owed: its results wait. */
static void
fe_capture_globals(const struct fe_call *c, const op_arg *args, bool owed,
                   struct fe_rec *r) {
  assert(r->capture % (c->capture_align ? c->capture_align : FE_ALIGN) == 0);
  if (c->nraw) r->raw = mem_alloc(c->nraw, sizeof *r->raw);
  uint32_t nraw = 0;
  for (uint32_t a = 0; a < c->nargs; a++) {
    const struct fe_arg *fa = &c->args[a];
    if (!fa->bytes) continue;
    if (!fa->share || fa->share == a + 1) {
      fe_recs.captured_bytes = r->capture + fa->capture;
      fe_capture(args[a].data, fa->share ? fa->span : fa->bytes);
    }
    if (!fa->raw) continue;
    assert(r->raw && nraw < c->nraw);
    r->raw[nraw] = (struct fe_raw){args[a].data, NULL};
    if (owed) fe_owed_wait(&r->raw[nraw], fa->bytes);
    nraw++;
  }
}

/* Data that only a mirror holds are copied before a loop that reads them waits:
 * the program may write the mirror meanwhile (op_upload_dat). */
static status
loop_read_mirrors(const struct fe_call *c, uint32_t target) {
  const struct fe_use *end = c->uses + c->nuses;
  for (const struct fe_use *u = c->uses; u < end; u++) {
    struct rt_dat *d = &u->dat->rt;
    if (d->buf_current && !d->buf->stale) continue;
    bool alone = rt_dat_mirror_alone(d) && !fe_target_is_device(target);
    if ((d->buf_current && !alone) || fe_waits(u->dat->written_in)) continue;
    bool told = fe.looks && !fe.mirror && u->dat->temp; /* of what it wrote */
    if (u->reads) TRY(rt_dat_keep(d, told));
  }
  return OK;
}

static void
fe_record_loop(struct fe_call *c, const op_arg *args, uint32_t target,
               bool owed) {
  if (c->capture_align) fe_capture_align(c->capture_align);
  struct fe_rec r; /* each field by itself: clearing it all takes longer */
  r.kind = FE_REC_LOOP;
  r.what = c->id;
  r.epoch = r.skipped = 0;
  r.unread = false;
  r.target = target;
  r.capture = fe_recs.captured_bytes;
  r.raw = NULL;
  r.step = fe_ranked() ? fe_agree_steps() : 0;
  r.said = fe_ranked() ? fe_agree_said() : 0;
  if (c->capture_bytes) fe_capture_globals(c, args, owed, &r);
  if (c->kernel->nconsts) r.epoch = fe_consts_capture(c->kernel);
  fe_rec_push(&r, c->most_bytes);
  fe_rec_mark(c);
  for (uint32_t u = 0; fe_all.nvoid && u < c->nuses; u++)
    fe_void_clear(c->uses[u].dat);
  counters[CNT_loops]++;
}

/* The program has raw globals, whatever this one's place says. */
static status
lone_looks_begin(void) {
  if (fe.owed_off || fe.opt.eager || fe.opt.bare || fe.mirror || fe_watches())
    return OK;
  return fe_lone_looks_begin();
}

static status
loop_run(struct fe_call *c, const op_arg *args, uint32_t target) {
  if (c->nraw && fe_ranked() && !fe.lone_looks) TRY(lone_looks_begin());
  bool owed = c->nraw && !fe_watches() && fe_owed_may(c, args);
  fe_agree_loop(c);
  fe_record_loop(c, args, target, owed);
  fe_calls.last = c;
  fe_calls.predicted = c->next;
  return fe_after_loop(c, owed);
}

/* OP2_CHECK=nan: the loop by itself, and what it makes. */
static status
loop_watched(struct fe_call *c, const op_arg *args, uint32_t target) {
  struct nan_loop *values;
  TRY(fe_nan_before(c, args, &values));
  return fe_nan_after(values, loop_run(c, args, target));
}

/* The interned call, found by prediction or in the table. */
static status
loop_find(const struct fe_loop *l, struct fe_call **out) {
  struct fe_call *c = fe_calls.predicted;
  if (c && fe_call_matches(c, l) && !fe_kernel_outdated(c->kernel)) {
    *out = c;
    return OK;
  }
  if (l->types) TRY(fe_call_check_types(l));
  TRY(fe_call_get(l, out));
  if (fe_kernel_outdated((*out)->kernel)) TRY(fe_call_get(l, out));
  (*out)->asked = l->asked;
  (*out)->order = l->order;
  if (fe_calls.last) fe_calls.last->next = *out;
  return OK;
}

/* Deferred opaque loops see constants as they are now. What one rank has
 * changed makes all run. */
static status
watch_before(const struct fe_call *c) {
  for (bool met = false; !met && fe_recs.opaque;)
    TRY(fe_agree_meet("watching constants", &met));
  uint64_t changed = fe_recs.opaque && fe_watch_changed();
  if (fe_recs.opaque) {
    TRY(fe_agree("watching constants", 0, OK));
    TRY(fe_join(&changed, 1, TYPE_U64, ACC_MAX));
  }
  if (changed) TRY(fe_run_all(FE_REASON_CHANGE));
  if (c->kernel->opaque) fe_watch_note();
  return OK;
}

void
fe_rounding_start(void) {
  fe.fp_home = fe.fp_mode = fp_mode();
  fe.fp_away = !fp_mode_nearest(fe.fp_home);
}

static status
rounding_changed(uint32_t mode) {
  TRY(fe_run_all(FE_REASON_CHANGE));
  fe.fp_mode = mode;
  fe.fp_away = mode != fe.fp_home || !fp_mode_nearest(mode);
  return OK;
}

/* Will the loop read values that only the mirror has, of a set that is not
 * spread? They are copied now, in the order of the set's part. */
static bool
reads_unspread(const struct fe_call *c) {
  for (uint32_t u = 0; u < c->nuses; u++) {
    const struct fe_dat *d = c->uses[u].dat;
    if (c->uses[u].reads && !d->rt.part && !d->rt.buf_current &&
        !fe_waits(d->written_in))
      return true;
  }
  return false;
}

/* Must sets be spread before the loop is recorded? What the program does not
 * see of that can wait for the flush; not where a rank may look alone, or has
 * at dat->data (fe.mirror): others could have declared more by then; nor where
 * values are kept to find who makes a NaN. */
static bool
settles_now(const struct fe_call *c) {
  return fe.unsettled_seen || fe.lone_looks || fe.mirror || fe_watches() ||
         reads_unspread(c);
}

/* Sets and maps were declared: they are numbered, or spread over ranks. */
static status
loop_settle(const struct fe_call *c) {
  if (fe_ranked() && settles_now(c)) return fe_ranks_settle();
  if (fe_ranked()) {
    fe.unsettled_waits = true;
    return OK;
  }
  double begin = fe_clock_begin();
  status st = fe_number(c->moves);
  fe_clock_end(FE_CLOCK_MESH, begin);
  return st;
}

/* The loop as it is placed: found, checked against what waits, recorded. */
static inline status
loop_take(struct fe_loop *l) {
  struct fe_call *c;
  uint32_t target = 0, mode = fp_mode();
  status st = loop_find(l, &c);
  if (st == OK && op2_gbl_owed && c->ncaptured) st = fe_owed_args(c, l->args);
  if (st == OK && mode != fe.fp_mode) st = rounding_changed(mode);
  if (st == OK && (fe_recs.opaque || c->kernel->opaque)) st = watch_before(c);
  bool met = false;
  while (st == OK && !met && fe.unsettled && fe_ranked() && settles_now(c))
    st = fe_agree_meet("sets over the ranks", &met);
  if (st == OK && fe.unsettled) st = loop_settle(c);
  if (st == OK && fe_all.nvoid) st = fe_void_check_loop(c);
  for (met = false; st == OK && !met && fe.saving;)
    st = fe_agree_meet("a checkpoint", &met);
  if (st == OK && fe.saving) fe_checkpoint_loop(c);
  if (st == OK && fe.pins) st = fe_overlap_dats(c, l->args);
  if (st == OK && c->nraw && c->ncaptured > 1) c = fe_overlap_call(c, l->args);
  if (st == OK && fe.target) st = fe_target_choose(c, &target);
  if (st == OK && fe.opt.strict_blocks) st = fe_strict_check(c);
  if (st == OK)
    st = fe.opt.bare ? fe_bare_check(c) : loop_read_mirrors(c, target);
  if (st == OK && c->capture_bytes > CAPTURE_LARGE) st = fe_capture_room(c);
  if (st == OK)
    st = (fe_watches() ? loop_watched : loop_run)(c, l->args, target);
  return st;
}

static inline bool
loop_enter(const struct fe_loop *l, const char *api) {
  fe.file = l->file;
  fe.line = l->line;
  if (!fe_enter(api)) return false;
  if (fe.nviews) fe_views_close();
  return true;
}

static void
loop_plain(struct fe_loop *l) {
  if (loop_enter(l, "op_par_loop")) fe_leave(loop_take(l));
}

/* Is it the predicted call, and placed as that was? */
static bool
loop_placed_before(struct fe_loop *l) {
  struct fe_call *c = fe_calls.predicted;
  if (!c || !c->asked || c->asked != l->set || c->order != l->order)
    return false;
  l->set = c->set_handle;
  l->each = c->each;
  if (fe_call_matches(c, l)) return true;
  l->set = c->asked;
  l->each = NULL;
  return false;
}

/* Over what it goes follows from its arguments: in a program with boxes, or a
 * scan. */
static status
loop_place(struct fe_loop *l) {
  struct fe_placed placed = {.always = true};
  if (loop_placed_before(l)) return loop_take(l);
  status st = fe.boxed ? fe_box_place(l, &placed) : OK;
  if (!placed.always) l->asked = NULL;
  if (st == OK && l->order) st = fe_scan_place(l);
  if (st == OK) st = loop_take(l);
  if (st == OK && fe.boxed) fe_box_recorded(l->name, &placed);
  return st;
}

static void
loop_placed(struct fe_loop *l) {
  if (loop_enter(l, l->order ? "op2_par_loop_scan" : "op_par_loop"))
    fe_leave(loop_place(l));
}

status
fe_loop_record(const struct fe_loop *l) {
  op_arg args[2 * FE_MAX_ARGS];
  struct fe_loop with = fe.masked ? fe_mat_masked(l, args) : *l;
  with.asked = with.set;
  return loop_place(&with);
}

static inline void
loop_any(struct fe_loop *l) {
  if (l->order || fe.boxed)
    loop_placed(l);
  else
    loop_plain(l);
}

static void
loop_masked(struct fe_loop *l) {
  op_arg args[2 * FE_MAX_ARGS];
  struct fe_loop with = fe_mat_masked(l, args);
  loop_any(&with);
}

/* `order` 0: no scan. */
static inline void
loop_at(const char *file, int line, void (*kernel)(void), const char *name,
        op_set set, int order, int nargs, const op_arg *args,
        const char *const *types, int ntypes) {
  struct fe_loop l = {.file = file,
                      .line = line,
                      .function = kernel,
                      .name = name,
                      .set = set,
                      .asked = set,
                      .nargs = nargs,
                      .args = args,
                      .types = types,
                      .ntypes = ntypes,
                      .order = order};
  if (fe.masked)
    loop_masked(&l);
  else
    loop_any(&l);
}

void
op2_par_loop_at(const char *file, int line, void (*kernel)(void),
                const char *name, op_set set, int nargs, const op_arg *args) {
  loop_at(file, line, kernel, name, set, 0, nargs, args, NULL, 0);
}

void
op2_par_loop_typed_at(const char *file, int line, void (*kernel)(void),
                      const char *name, op_set set, int nargs,
                      const op_arg *args, const char *const *param_types,
                      int nparams) {
  loop_at(file, line, kernel, name, set, 0, nargs, args, param_types, nparams);
}

/* An order of 0 is a wrong one, not that of a plain loop. */
void
op2_par_loop_scan_at(const char *file, int line, void (*kernel)(void),
                     const char *name, op_set set, int order, int nargs,
                     const op_arg *args, const char *const *param_types,
                     int nparams) {
  loop_at(file, line, kernel, name, set, order ? order : -1, nargs, args,
          param_types, nparams);
}

/* ---- flush --------------------------------------------------------------- */

void
op2_flush(void) {
  if (!fe_enter("op2_flush")) return;
  status st = fe_checkpoint_finish();
  if (st == OK) st = fe_run_all(FE_REASON_ASKED);
  fe_leave(st);
}

size_t
op2_pending(void) {
  return fe_recs.loops;
}

status
fe_recs_of_all_values(uint32_t *what) {
  status st = OK;
  for (uint32_t i = 0; i < fe_recs.n; i++) what[i] = fe_recs.all[i].what;
  for (uint32_t i = 0; st == OK && i < fe_recs.n; i++) {
    struct fe_rec *r = &fe_recs.all[i];
    struct fe_call *c = r->kind == FE_REC_LOOP ? fe_calls.all[r->what] : NULL;
    if (!c || !c->kernel->base) continue;
    st = fe_call_of_all_values(c, &c);
    if (st == OK) r->what = c->id;
  }
  return st;
}
