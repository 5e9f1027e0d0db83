/* The recording: records in order, their words, which begin the key of a
 * program, and what was captured with them. */
#include "frontend/slots.h"
#include "frontend/ranks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* realloc would not keep the alignment. */
static void
capture_move(char *to, size_t cap) {
  if (fe.captured_cap) memcpy(to, fe.captured, fe.captured_cap);
  free(fe.captured);
  fe.captured = to;
  fe.captured_cap = cap;
}

static void
capture_grow(size_t end) {
  size_t cap = round_up(end * 2, FE_ALIGN_MOST);
  capture_move(mem_aligned(FE_ALIGN_MOST, cap), cap);
}

void
fe_capture_align(size_t align) {
  fe.captured_bytes = round_up(fe.captured_bytes, align);
}

status
fe_capture_room(const struct fe_call *c) {
  size_t end = fe.captured_bytes + c->capture_bytes;
  size_t cap = round_up(end, FE_ALIGN_MOST);
  if (end <= fe.captured_cap) return OK;
  char *fresh = aligned_alloc(FE_ALIGN_MOST, cap);
  if (!fresh)
    FAIL(ERR_MEMORY,
         "op_par_loop \"%s\": no memory for %zu bytes of global arguments",
         c->name, c->capture_bytes);
  capture_move(fresh, cap);
  return OK;
}

size_t
fe_capture(const void *data, size_t bytes) {
  size_t at = fe.captured_bytes;
  size_t end = at + round_up(bytes, FE_ALIGN);
  if (end > fe.captured_cap) capture_grow(end);
  if (bytes) memcpy(fe.captured + at, data, bytes);
  fe.captured_bytes = end;
  return at;
}

static void
fe_words_add(uint32_t a, uint32_t b) {
  VEC_PUSH(fe.words, fe.nwords, fe.capwords, a);
  VEC_PUSH(fe.words, fe.nwords, fe.capwords, b);
}

/* First word of a record: kind in the low bits, so that keys of different kinds
 * differ; skipped twice counts, as it makes the loop join the next slice. */
static uint32_t
fe_rec_word(const struct fe_rec *r) {
  assert(r->what < 1u << 25 && r->target < FE_TARGETS_MAX);
  return r->what << 7 | r->target << 3 | r->kind << 1 | (r->skipped >= 2);
}

/* The most that it captures, on any rank. */
static size_t
rec_most_bytes(const struct fe_rec *r) {
  if (r->kind == FE_REC_LOOP) return fe.calls[r->what]->most_bytes;
  return r->kind == FE_REC_SET_GBL ? fe.gbls[r->what]->bytes : 0;
}

void
fe_rec_push(struct fe_rec r) {
  VEC_PUSH(fe.recs, fe.nrecs, fe.caprecs, r);
  fe_words_add(fe_rec_word(&r), r.epoch);
  fe.bound_bytes += rec_most_bytes(&r);
}

void
fe_record(enum fe_rec_kind kind, uint32_t what, const void *data,
          size_t bytes) {
  size_t at = fe_capture(data, bytes);
  fe_rec_push((struct fe_rec){
      .kind = kind, .what = what, .capture = at, .step = fe_agree_steps()});
}

/* ---- after a run --------------------------------------------------------- */

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
fe_recs_done(void) {
  for (uint32_t i = 0; i < fe.nrecs; i++) rec_done(&fe.recs[i]);
  fe.nrecs = fe.nwords = 0;
  fe.captured_bytes = fe.bound_bytes = 0;
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

/* ---- what comes later ---------------------------------------------------- */

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

/* ---- what waits ---------------------------------------------------------- */

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
