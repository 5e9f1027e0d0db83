/* The recording: records in order, their words, which begin the key of a
 * program, and what was captured with them. */
#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/ranks.h"
#include "frontend/values.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct fe_recs fe_recs;

/* realloc would not keep the alignment. */
static void
capture_move(char *to, size_t cap) {
  if (fe_recs.captured_cap) memcpy(to, fe_recs.captured, fe_recs.captured_cap);
  free(fe_recs.captured);
  fe_recs.captured = to;
  fe_recs.captured_cap = cap;
}

void
fe_capture_grow(size_t end) {
  size_t cap = round_up(end * 2, FE_ALIGN_MOST);
  capture_move(mem_aligned(FE_ALIGN_MOST, cap), cap);
}

status
fe_capture_room(const struct fe_call *c) {
  size_t end = fe_recs.captured_bytes + c->capture_bytes;
  size_t cap = round_up(end, FE_ALIGN_MOST);
  if (end <= fe_recs.captured_cap) return OK;
  char *fresh = aligned_alloc(FE_ALIGN_MOST, cap);
  if (!fresh)
    FAIL(ERR_MEMORY,
         "op_par_loop \"%s\": no memory for %zu bytes of global arguments",
         c->name, c->capture_bytes);
  capture_move(fresh, cap);
  return OK;
}

/* The most that it captures, on any rank. */
static size_t
rec_most_bytes(const struct fe_rec *r) {
  if (r->kind == FE_REC_LOOP) return fe_calls.all[r->what]->most_bytes;
  return r->kind == FE_REC_SET_GBL ? fe_all.gbls[r->what]->bytes : 0;
}

void
fe_record(enum fe_rec_kind kind, uint32_t what, const void *data,
          size_t bytes) {
  size_t at = fe_capture(data, bytes);
  fe_rec_push(&(struct fe_rec){.kind = kind,
                               .what = what,
                               .capture = at,
                               .step = fe_agree_steps(),
                               .said = fe_agree_said()},
              bytes);
}

/* ---- after a run --------------------------------------------------------- */

/* A record waits. */
static void
rec_mark(const struct fe_rec *r) {
  if (r->kind == FE_REC_LOOP) fe_rec_mark(fe_calls.all[r->what]);
  if (r->kind == FE_REC_SET_GBL)
    fe_all.gbls[r->what]->used_in = fe_recs.number + 1;
}

/* Some records leave: the others are marked next. */
static void
recs_leave(void) {
  fe_recs.number++;
  fe_recs.loops = fe_recs.opaque = 0;
}

/* A loop none of whose dats was freed, and whose results are no raw pointer's:
 * nothing is left to do when it is done. */
static inline bool
rec_plain(const struct fe_rec *r) {
  return r->kind == FE_REC_LOOP && !r->raw &&
         fe_calls.all[r->what]->alive == fe_handles_freed;
}

static void
rec_done_loop(const struct fe_call *c) {
  for (uint32_t u = 0; u < c->nuses; u++) {
    struct fe_dat *d = c->uses[u].dat;
    bool ends = d->freed && d->pinned && !d->parked;
    if (ends && !fe_waits(d->used_in)) fe_slot_park(d);
  }
}

static void
rec_done(struct fe_rec *r) {
  for (uint32_t i = 0; r->raw && i < fe_calls.all[r->what]->nraw; i++)
    fe_owed_gone(&r->raw[i]);
  switch (r->kind) {
  case FE_REC_LOOP: rec_done_loop(fe_calls.all[r->what]); break;
  case FE_REC_SET_GBL: break;
  case FE_REC_FREE_DAT: fe_slot_park(fe_all.dats[r->what]); break;
  case FE_REC_FREE_GBL: fe_all.gbls[r->what]->parked = true; break;
  }
  if (r->raw) free(r->raw);
}

void
fe_recs_done(void) {
  recs_leave();
  for (uint32_t i = 0; i < fe_recs.n; i++)
    if (!rec_plain(&fe_recs.all[i])) rec_done(&fe_recs.all[i]);
  fe_recs.n = fe_recs.nwords = 0;
  fe_recs.captured_bytes = fe_recs.bound_bytes = 0;
}

void
fe_recs_keep(const uint32_t *keep, uint32_t nkeep, bool skipped) {
  struct fe_rec *old = fe_recs.all;
  char *bytes = fe_recs.captured;
  uint32_t n = fe_recs.n, next = 0;
  size_t end = fe_recs.captured_bytes;
  fe_recs.all = NULL;
  fe_recs.captured = NULL;
  fe_recs.n = fe_recs.cap = fe_recs.nwords = 0;
  fe_recs.captured_bytes = fe_recs.captured_cap = fe_recs.bound_bytes = 0;
  recs_leave();
  for (uint32_t k = 0; k < nkeep; k++) {
    uint32_t i = keep[k];
    assert(i < n);
    size_t to = i + 1 < n ? old[i + 1].capture : end;
    struct fe_rec r = old[i];
    size_t align =
        r.kind == FE_REC_LOOP ? fe_calls.all[r.what]->capture_align : 0;
    if (align) fe_capture_align(align);
    r.capture = bytes ? fe_capture(bytes + old[i].capture, to - old[i].capture)
                      : 0; /* nothing was ever captured */
    r.skipped += skipped && r.skipped < 2;
    fe_rec_push(&r, rec_most_bytes(&r));
    rec_mark(&r);
  }
  for (uint32_t i = 0; i < n; i++) {
    if (next < nkeep && keep[next] == i)
      next++;
    else if (!rec_plain(&old[i]))
      rec_done(&old[i]);
  }
  assert(next == nkeep);
  free(old);
  free(bytes);
}

/* ---- what comes later ---------------------------------------------------- */

static struct fe_tail *tails; /* the last that was taken */

void
fe_recs_calls(void (*f)(struct fe_call *c)) {
  for (uint32_t i = 0; i < fe_recs.n; i++)
    if (fe_recs.all[i].kind == FE_REC_LOOP)
      f(fe_calls.all[fe_recs.all[i].what]);
  for (const struct fe_tail *t = tails; t; t = t->outer)
    for (uint32_t i = t->next; i < t->n; i++)
      if (t->recs[i].kind == FE_REC_LOOP) f(fe_calls.all[t->recs[i].what]);
}

void
fe_tail_take(uint64_t step, struct fe_tail *out) {
  uint32_t n = fe_recs.n;
  *out = (struct fe_tail){.outer = tails};
  tails = out;
  while (n && fe_recs.all[n - 1].step > step) n--;
  if (n == fe_recs.n) return;
  size_t from = fe_recs.all[n].capture;
  out->n = fe_recs.n - n;
  out->recs = mem_alloc(out->n, sizeof *out->recs);
  out->captured = mem_alloc(fe_recs.captured_bytes - from + 1, 1);
  memcpy(out->recs, fe_recs.all + n, out->n * sizeof *out->recs);
  if (fe_recs.captured_bytes > from)
    memcpy(out->captured, fe_recs.captured + from,
           fe_recs.captured_bytes - from);
  recs_leave();
  for (uint32_t i = 0; i < n; i++) rec_mark(&fe_recs.all[i]);
  out->end = fe_recs.captured_bytes - from;
  for (uint32_t i = 0; i < out->n; i++) {
    out->recs[i].capture -= from;
    fe_recs.bound_bytes -= rec_most_bytes(&out->recs[i]);
  }
  fe_recs.n = n;
  fe_recs.nwords = 2 * (size_t)n;
  fe_recs.captured_bytes = from;
}

void
fe_tail_next(struct fe_tail *t) {
  assert(t->next < t->n);
  struct fe_rec r = t->recs[t->next++];
  size_t end = t->next < t->n ? t->recs[t->next].capture : t->end;
  size_t from = r.capture;
  const struct fe_call *c = r.kind == FE_REC_LOOP ? fe_calls.all[r.what] : NULL;
  if (c && c->capture_align) fe_capture_align(c->capture_align);
  r.capture = fe_capture(t->captured + from, end - from);
  fe_rec_push(&r, rec_most_bytes(&r));
  rec_mark(&r);
}

/* Does what waits use what this record is about? */
static bool
waits_for(const struct fe_rec *r) {
  if (r->kind == FE_REC_FREE_DAT)
    return fe_waits(fe_all.dats[r->what]->used_in);
  return fe_waits(fe_all.gbls[r->what]->used_in);
}

void
fe_tail_do(struct fe_tail *t) {
  assert(t->next < t->n);
  struct fe_rec *r = &t->recs[t->next];
  assert(r->kind != FE_REC_LOOP);
  if (waits_for(r)) {
    fe_tail_next(t);
    return;
  }
  if (r->kind == FE_REC_SET_GBL) {
    struct fe_gbl *g = fe_all.gbls[r->what];
    memcpy(g->data, t->captured + r->capture, g->bytes);
    rt_cell_written(&g->cell, false);
  }
  rec_done(r);
  t->next++;
}

void
fe_tail_free(struct fe_tail *t) {
  assert(t->next == t->n && t == tails);
  tails = t->outer;
  free(t->recs);
  free(t->captured);
}

/* ---- what waits ---------------------------------------------------------- */

bool
fe_dat_host_reads(const struct fe_dat *d) {
  for (uint32_t i = 0; fe_waits(d->used_in) && i < fe_recs.n; i++) {
    const struct fe_rec *r = &fe_recs.all[i];
    if (r->kind != FE_REC_LOOP || fe_target_is_device(r->target)) continue;
    const struct fe_call *c = fe_calls.all[r->what];
    for (uint32_t u = 0; u < c->nuses; u++)
      if (c->uses[u].dat == d && c->uses[u].reads) return true;
  }
  return false;
}

bool
fe_dat_pending(const struct fe_dat *d, bool rw) {
  for (uint32_t i = 0; i < fe_all.ndats; i++) {
    const struct fe_dat *o = fe_all.dats[i];
    if (o->root == d->root &&
        (fe_waits(o->written_in) || (rw && fe_waits(o->used_in))))
      return true;
  }
  return false;
}

bool
fe_request_waits(const struct fe_request *rq) {
  switch (rq->want) {
  case FE_WANT_DAT: return fe_dat_pending(fe_all.dats[rq->index], false);
  case FE_WANT_DAT_RW: return fe_dat_pending(fe_all.dats[rq->index], true);
  case FE_WANT_GBL: return fe_waits(fe_all.gbls[rq->index]->used_in);
  case FE_WANT_ALL:
  case FE_WANT_RAW: break;
  }
  return fe_recs.n > 0;
}

void
fe_recording_clear(void) {
  free(fe_recs.all);
  free(fe_recs.words);
  free(fe_recs.captured);
  fe_recs = (struct fe_recs){.number = fe_recs.number + 1}; /* nothing waits */
}
