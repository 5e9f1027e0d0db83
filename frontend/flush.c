/* The whole way of a flush on one screen: request -> key -> look up -> (trace
 * -> passes -> lower) -> run -> commit.
 *
 * Problem. Passes and code generation take milliseconds; a time step takes as
 * long. A time loop asks for the same work again and again.
 *
 * Idea. The recording's words, the request, and the few facts of state that
 * shape code (which dats share a buffer, layouts) are the whole key of a
 * program. First the program that followed the last one is tried: one memcmp.
 * Then the table, which compares whole keys. Only a recording never seen is
 * traced and lowered.
 *
 * A look (fetch, a raw reduction) runs the slice that it needs; what the slice
 * left out stays recorded, in order, and counts how often it was left out, so
 * that it joins the next slice after two and shapes repeat.
 *
 * Errors. Nearly all that can fail comes before the first launch; then nothing
 * has changed and a retry works, but for loops without code: they are refused
 * (refuse.c). What fails later loses what the run writes (lost.c).
 */
#include "base/fp.h"
#include "frontend/checkpoint.h"
#include "frontend/mirror.h"
#include "frontend/ranks.h"
#include "frontend/refuse.h"
#include "frontend/slots.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the key ------------------------------------------------------------ */

/* The request and the state stand behind the recording's words while looking
 * up. */
static void
words_close(struct fe_request rq) {
  uint32_t index = rq.want == FE_WANT_RAW ? 0 : rq.index;
  uint32_t want = (uint32_t)rq.want << 1 | fe.apart;
  uint32_t tail[FE_REQUEST_WORDS] = {
      want, index, fe.state_id, fe.setup_id, fe_residency_id(), fe_reach_id()};
  for (int i = 0; i < FE_REQUEST_WORDS; i++)
    VEC_PUSH(fe.words, fe.nwords, fe.capwords, tail[i]);
}

static void
program_keep(struct fe_program *p, const uint32_t *words, uint32_t n) {
  p->words = mem_alloc(n, sizeof *words);
  memcpy(p->words, words, n * sizeof *words);
  p->nwords = n;
  p->bytes = fe_program_bytes(p);
  fe.program_bytes += p->bytes;
  VEC_PUSH(fe.programs, fe.nprograms, fe.capprograms, p);
  *table_slot(&fe.program_ids, p->words, n * sizeof *words) = (uintptr_t)p;
}

status
fe_program_find(struct fe_request rq, struct fe_program **out) {
  struct fe_program *guess = fe.last_program ? fe.last_program->next : NULL;
  words_close(rq);
  fe.failed = IR_NONE;
  uint32_t n = fe.nwords;
  fe.nwords -= FE_REQUEST_WORDS; /* the recording itself is not closed */
  if (guess && guess->nwords == n &&
      !memcmp(guess->words, fe.words, n * sizeof *fe.words)) {
    counters[CNT_cache_hits]++;
    *out = guess;
    return OK;
  }
  uintptr_t id = table_get(&fe.program_ids, fe.words, n * sizeof *fe.words, 0);
  if (id) {
    counters[CNT_cache_hits]++;
    *out = (struct fe_program *)id;
    return OK;
  }
  bool changed;
  TRY(fe_layout_update(&changed));
  if (changed) return fe_program_find(rq, out);
  fe_sweep();
  TRY(fe_program_make(rq, out));
  program_keep(*out, fe.words, n);
  return OK;
}

/* ---- after a run -------------------------------------------------------- */

static void
rec_done_loop(const struct fe_call *c) {
  fe_rec_count(c, (uint32_t)-1);
  for (uint32_t u = 0; u < c->nuses; u++) {
    struct fe_dat *d = c->uses[u];
    if (d->freed && d->pinned && !d->pending_readers) fe_slot_park(d);
  }
}

static void
rec_done(struct fe_rec *r) {
  switch (r->kind) {
  case FE_REC_LOOP: rec_done_loop(fe.calls[r->what]); break;
  case FE_REC_SET_GBL: fe.gbls[r->what]->pending--; break;
  case FE_REC_FREE_DAT: fe_slot_park(fe.dats[r->what]); break;
  case FE_REC_FREE_GBL: fe.gbls[r->what]->parked = true; break;
  }
  free(r->raw);
}

void
fe_recs_keep(const uint32_t *keep, uint32_t nkeep, bool skipped) {
  struct fe_rec *old = fe.recs;
  char *bytes = fe.captured;
  uint32_t n = fe.nrecs, next = 0;
  size_t end = fe.captured_bytes;
  fe.recs = NULL;
  fe.captured = NULL;
  fe.nrecs = fe.caprecs = fe.nwords = 0;
  fe.captured_bytes = fe.captured_cap = fe.bound_bytes = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (next == nkeep || keep[next] != i) {
      rec_done(&old[i]);
      continue;
    }
    size_t to = i + 1 < n ? old[i + 1].capture : end;
    struct fe_rec r = old[i];
    size_t align = r.kind == FE_REC_LOOP ? fe.calls[r.what]->capture_align : 0;
    if (align) fe_capture_align(align);
    r.capture = bytes ? fe_capture(bytes + old[i].capture, to - old[i].capture)
                      : 0; /* nothing was ever captured */
    r.skipped += skipped && r.skipped < 2;
    fe_rec_push(r);
    next++;
  }
  assert(next == nkeep);
  free(old);
  free(bytes);
}

/* ---- what comes later --------------------------------------------------- */

void
fe_tail_take(uint64_t step, struct fe_tail *out) {
  uint32_t n = fe.nrecs;
  *out = (struct fe_tail){0};
  while (n && fe.recs[n - 1].step > step) n--;
  if (n == fe.nrecs) return;
  size_t from = fe.recs[n].capture;
  out->n = fe.nrecs - n;
  out->recs = mem_alloc(out->n, sizeof *out->recs);
  out->captured = mem_alloc(fe.captured_bytes - from + 1, 1);
  memcpy(out->recs, fe.recs + n, out->n * sizeof *out->recs);
  if (fe.captured_bytes > from)
    memcpy(out->captured, fe.captured + from, fe.captured_bytes - from);
  for (uint32_t i = 0; i < out->n; i++) {
    struct fe_rec *r = &out->recs[i];
    if (r->kind == FE_REC_LOOP) fe_rec_count(fe.calls[r->what], (uint32_t)-1);
    if (r->kind == FE_REC_SET_GBL) fe.gbls[r->what]->pending--;
  }
  out->end = fe.captured_bytes - from;
  for (uint32_t i = 0; i < out->n; i++) out->recs[i].capture -= from;
  fe.nrecs = n;
  fe.nwords = 2 * (size_t)n;
  fe.captured_bytes = from;
}

void
fe_tail_next(struct fe_tail *t) {
  assert(t->next < t->n);
  struct fe_rec r = t->recs[t->next++];
  size_t end = t->next < t->n ? t->recs[t->next].capture : t->end;
  size_t from = r.capture;
  const struct fe_call *c = r.kind == FE_REC_LOOP ? fe.calls[r.what] : NULL;
  if (c && c->capture_align) fe_capture_align(c->capture_align);
  r.capture = fe_capture(t->captured + from, end - from);
  fe_rec_push(r);
  if (c) fe_rec_count(c, 1);
  if (r.kind == FE_REC_SET_GBL) fe.gbls[r.what]->pending++;
}

void
fe_tail_do(struct fe_tail *t) {
  assert(t->next < t->n && !fe.nrecs);
  struct fe_rec *r = &t->recs[t->next];
  assert(r->kind != FE_REC_LOOP);
  if (r->kind == FE_REC_SET_GBL) {
    struct fe_gbl *g = fe.gbls[r->what];
    memcpy(g->data, t->captured + r->capture, g->bytes);
    g->pending++; /* rec_done takes it back */
  }
  rec_done(r);
  t->next++;
}

void
fe_tail_free(struct fe_tail *t) {
  assert(t->next == t->n);
  free(t->recs);
  free(t->captured);
}

/* ---- after a run -------------------------------------------------------- */

static void
commit(const struct fe_program *p) {
  if (p->nremaining) {
    fe_recs_keep(p->remaining, p->nremaining, true);
    return;
  }
  for (uint32_t i = 0; i < fe.nrecs; i++) rec_done(&fe.recs[i]);
  fe.nrecs = fe.nwords = 0;
  fe.captured_bytes = fe.bound_bytes = 0;
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
  status st = fe_program_find(rq, out);
  *refused = fe_is_refusal(st);
  bool trial = st == OK && fe_trial_wants(*out);
  /* Plans of all ranks' elements are made together; so are trials. */
  if (fe.opt.reproducible || trial) {
    st = fe_agree_or_mend("running loops", rq.want, st, refused);
    if (*refused || st != OK) return st;
  }
  if (st == OK) *now = *out;
  if (trial) st = fe_trial_turn(rq, *out, now);
  if (st == OK) st = rt_exec_prepare((*now)->low.program, fe.nthreads);
  status all = fe_agree_or_mend("running loops", rq.want, st, refused);
  if (st == OK && (all != OK || *refused)) rt_exec_cancel((*now)->low.program);
  return all;
}

/* Code is made with plain arithmetic; loops run with that of their calls. */
static status
run_rounding(struct fe_program *p) {
  uint32_t was = fp_mode_change(fe.fp_mode);
  status st = fe_program_run(p);
  fp_mode_change(was);
  return st;
}

/* `now` runs in the place of p. */
static status
run_program(struct fe_program *p, struct fe_program *now) {
  double begin = fe.opt.trace ? timer_wall() : 0;
  bool old_constants = fe.opaque_pending && fe_watch_changed();
  if (old_constants) fe_watch_swap();
  fe.up = FE_RUNNING;
  status st = run_rounding(now);
  fe.up = FE_UP;
  if (old_constants) fe_watch_swap();
  if (st != OK) fe_ranks_end();
  if (st != OK && now->low.program->broken) return run_broke(now, st);
  TRY(st);
  if (p->trial) fe_trial_ran(p);
  p->used = ++fe.runs;
  if (fe.last_program) fe.last_program->next = p;
  fe.last_program = p;
  commit(p);
  if (fe.mirror || fe.holds) TRY(fe_mirror_keep());
  counters[CNT_flushes]++;
  if (fe.opt.trace) fe_dump_event("flush", begin, timer_wall());
  return OK;
}

/* Without the loops that cannot be compiled; all others run then. */
static status
run(struct fe_request rq) {
  struct fe_program *p, *now;
  struct fe_refusal r = {OK, STR_INIT};
  bool refused;
  TRY(fe_agree_turn("running loops"));
  if (!fe.nrecs) return OK; /* they ran meanwhile */
  status st = program_ready(rq, &p, &now, &refused);
  while (refused) {
    rq = (struct fe_request){FE_WANT_ALL, 0};
    st = fe_refuse(rq, &r);
    refused = false;
    if (st == OK && fe.nrecs) st = program_ready(rq, &p, &now, &refused);
  }
  if (st == OK && fe.nrecs) st = run_program(p, now);
  return fe_refusal_end(&r, st);
}

status
fe_run(struct fe_request rq) {
  if (fe.nviews) fe_views_close();
  if (!fe.nrecs) return OK;
  uint32_t was = fp_mode_change(fp_mode_plain());
  status st = run(rq);
  fp_mode_change(was);
  return st;
}

bool
fe_dat_pending(const struct fe_dat *d, bool rw) {
  for (uint32_t i = 0; i < fe.ndats; i++) {
    const struct fe_dat *o = fe.dats[i];
    if (o->root == d->root &&
        (o->pending_writers || (rw && o->pending_readers)))
      return true;
  }
  return false;
}

status
fe_look(struct fe_dat *d, bool rw) {
  if (!fe_dat_pending(d, rw)) return OK;
  return fe_run((struct fe_request){rw ? FE_WANT_DAT_RW : FE_WANT_DAT,
                                    d->index});
}

void
op2_flush(void) {
  if (!fe_enter("op2_flush")) return;
  status st = fe_checkpoint_finish();
  if (st == OK) st = fe_run((struct fe_request){FE_WANT_ALL, 0});
  if (st != OK) fe_error(st);
  fe.file = NULL;
}

size_t
op2_pending(void) {
  return fe.pending_loops;
}
