/* The recording: loops and other steps that wait, in order. */
#ifndef FRONTEND_RECORDING_H
#define FRONTEND_RECORDING_H

#include "base/arena.h"
#include "base/err.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

struct fe_call;
struct fe_dat;
struct fe_gbl;
struct fe_raw;

enum { FE_TARGETS_MAX = 16 };

enum fe_rec_kind {
  FE_REC_LOOP,
  FE_REC_SET_GBL,
  FE_REC_FREE_DAT,
  FE_REC_FREE_GBL
};
struct fe_rec {
  uint32_t kind;
  uint32_t what;      /* call id, gbl or dat index */
  uint32_t epoch;     /* of the kernel's constants */
  uint32_t skipped;   /* slices that left it out */
  uint32_t target;    /* of a loop: its number (targets.c) */
  bool unread;        /* the program overwrote all of `raw` meanwhile, unread */
  size_t capture;     /* offset of its bytes in fe_recs.captured */
  struct fe_raw *raw; /* of the raw globals it writes: calls.h */
  uint64_t step,
      said; /* steps said by then, with it, and their hash: agree.c */
};

/* Are both of one op_par_loop, on one target? */
static inline bool
fe_rec_same_loop(const struct fe_rec *a, const struct fe_rec *b) {
  return a->kind == FE_REC_LOOP && b->kind == FE_REC_LOOP &&
         a->what == b->what && a->target == b->target;
}

/* What a run is for. */
enum fe_want {
  FE_WANT_ALL,
  FE_WANT_DAT,
  FE_WANT_DAT_RW,
  FE_WANT_GBL,
  FE_WANT_RAW
};
/* Why (base/reasons.def). */
enum fe_reason {
#define REASON(name, counter, because, instead) FE_REASON_##name,
#include "base/reasons.def"
#undef REASON
  FE_REASON_COUNT
};
struct fe_request {
  enum fe_want want;
  uint32_t index; /* of the dat or gbl; FE_WANT_RAW: of the record */
  enum fe_reason reason;
  bool met; /* all ranks have come for it: fe_agree_look */
};

/* What waits. Behind it lie captured values. */
extern struct fe_recs {
  struct fe_rec *all;
  uint32_t n, cap;
  uint32_t loops, opaque; /* of these; and without IR */
  VEC(uint32_t, words);   /* the recording as words, grown with it */
  char *captured;
  size_t captured_bytes, captured_cap;
  size_t bound_bytes; /* that no rank has captured more than; the same on all */
  uint64_t number;    /* counts up when records leave it */
  bool some_unread;   /* some may be */
} fe_recs;

/* Do loops that wait use what such loops used in that recording (used_in,
 * written_in) the last? When records leave, those that stay say so anew: that
 * is cheaper than counting down for each that goes. */
static inline bool
fe_waits(uint64_t in) {
  return in == fe_recs.number + 1;
}

/* The first word of a record in the key of a program, taken apart: what it is
 * from bit WHAT on, below these whether it is unread, its target, kind, and
 * whether two slices left it out. */
enum { FE_WORD_UNREAD = 1 << 7, FE_WORD_WHAT = 8 };
static inline uint32_t
fe_word_kind(uint32_t word) {
  return word >> 1 & 3;
}
static inline uint32_t
fe_word_what(uint32_t word) {
  return word >> FE_WORD_WHAT;
}

/* Append a record that is no loop, of a step just said to other ranks, whether
 * it has to wait or not (fe_agree_step). `data`: captured bytes, NULL if none.
 * */
void fe_record(enum fe_rec_kind kind, uint32_t what, const void *data,
               size_t bytes);
/* What captured bytes are aligned to; those of a call with types of the program
 * to as much as they can ask for. */
enum { FE_ALIGN = 16, FE_ALIGN_MOST = 64 };
/* The next captured bytes begin at a multiple of `align`. */
static inline void
fe_capture_align(size_t align) {
  fe_recs.captured_bytes = round_up(fe_recs.captured_bytes, align);
}
/* Room for values that are so large that there may be none. ERR_MEMORY */
status fe_capture_room(const struct fe_call *c);
/* Room for as many captured bytes. */
void fe_capture_grow(size_t end);
/* Copy bytes into the recording's capture area; its offset. */
static inline size_t
fe_capture(const void *data, size_t bytes) {
  size_t at = fe_recs.captured_bytes;
  size_t end = at + round_up(bytes, FE_ALIGN);
  if (end > fe_recs.captured_cap) fe_capture_grow(end);
  if (bytes) memcpy(fe_recs.captured + at, data, bytes);
  fe_recs.captured_bytes = end;
  return at;
}

/* Append a record, which captures at most so many bytes on any rank. First word
 * of it: kind in the low bits, so that keys of different kinds differ; skipped
 * twice counts, as it makes the loop join the next slice. */
static inline void
fe_rec_push(const struct fe_rec *r, size_t most) {
  assert(r->what < 1u << (32 - FE_WORD_WHAT) && r->target < FE_TARGETS_MAX);
  uint32_t word = r->what << FE_WORD_WHAT | r->unread * FE_WORD_UNREAD |
                  r->target << 3 | r->kind << 1 | (r->skipped >= 2);
  VEC_PUSH(fe_recs.all, fe_recs.n, fe_recs.cap, *r);
  VEC_ROOM(fe_recs.words, fe_recs.nwords + 1, fe_recs.capwords);
  fe_recs.words[fe_recs.nwords++] = word;
  fe_recs.words[fe_recs.nwords++] = r->epoch;
  fe_recs.bound_bytes += most;
}

/* Record i turns out to be unread. */
static inline void
fe_rec_unread(uint32_t i) {
  assert(i < fe_recs.n && fe_recs.nwords == 2 * (size_t)fe_recs.n);
  fe_recs.all[i].unread = fe_recs.some_unread = true;
  fe_recs.words[2 * (size_t)i] |= FE_WORD_UNREAD;
}

/* Which records are unread, hashed; 0: none. */
static inline uint64_t
fe_recs_unread(void) {
  uint64_t all = 0;
  for (uint32_t i = 0; fe_recs.some_unread && i < fe_recs.n; i++)
    if (fe_recs.all[i].unread) all = (all + i + 1) * 0x9e3779b97f4a7c15;
  return all;
}
/* None counts as unread any more. */
static inline void
fe_recs_unread_forget(void) {
  for (uint32_t i = 0; fe_recs.some_unread && i < fe_recs.n; i++) {
    fe_recs.all[i].unread = false;
    fe_recs.words[2 * (size_t)i] &= ~(uint32_t)FE_WORD_UNREAD;
  }
  fe_recs.some_unread = false;
}

/* record.c: what[i] is what record i is of; of loops whose kernels know values
 * of constants, the records are of such as are right for all values then, until
 * the caller puts what[] back. ERR_STATE */
status fe_recs_of_all_values(uint32_t *what);

/* due.c: what must run before op_par_loop returns, the loop being the last
 * record. owed: its results wait. */
status fe_after_loop(const struct fe_call *c, bool owed);

/* ---- flush.c ------------------------------------------------------------ */

/* Run what the request needs. On failure nothing ran and all stays pending, but
 * for loops that were refused (refuse.c); with a handler these are no failure.
 * */
status fe_run(struct fe_request rq);
/* Run all that was recorded. As fe_run. */
status fe_run_all(enum fe_reason reason);

/* ---- reason.c ----------------------------------------------------------- */

struct str;
/* Before a run. */
void fe_reason_note(const struct fe_request *rq);
/* Something ran for it. */
void fe_reason_count(enum fe_reason reason);
const char *fe_reason_event(enum fe_reason reason);
/* A line: why the last flush was. */
void fe_reason_explain(struct str *out);
/* At op_exit: how often, on all ranks; under OP2_LOG=2 rank 0 tells it, with
 * what would avoid it. Collective. */
status fe_reason_report(void);
/* Behind that, for OP2_REPORT: as JSON, the elements of an array; a line for
 * each. */
void fe_reason_json(struct str *out);
void fe_reason_lines(void (*line)(void *user, const char *text), void *user);

/* ---- recording.c -------------------------------------------------------- */

/* f of the call of each loop that waits, or was taken away. */
void fe_recs_calls(void (*f)(struct fe_call *c));
/* Take away the records behind the step: what they leave is as if they had not
 * come yet. The owner gives each back, in order (fe_tail_next), and frees the
 * rest. */
struct fe_tail {
  struct fe_rec *recs;
  uint32_t n, next;
  char *captured; /* from their places in recs */
  size_t end;
  struct fe_tail *outer; /* taken before this one, and not all given back */
};
void fe_tail_take(uint64_t step, struct fe_tail *out);
void fe_tail_next(struct fe_tail *t);
void fe_tail_free(struct fe_tail *t);
/* The next is no loop: it has its effect, or becomes a record again where loops
 * wait for what it changes, as at its call. */
void fe_tail_do(struct fe_tail *t);
/* All records are done. */
void fe_recs_done(void);
/* These records, by number, become the recording; the others are done. skipped:
 * a slice has left them out. */
void fe_recs_keep(const uint32_t *keep, uint32_t nkeep, bool skipped);
/* Words of a program's key behind those of its records, of which the last
 * number where dats are. */
enum { FE_REQUEST_WORDS = 6, FE_WHERE_WORDS = 2 };
/* Do loops that wait write its memory; rw: or read it? */
bool fe_dat_pending(const struct fe_dat *d, bool rw);
/* Is there something to run for it? */
bool fe_request_waits(const struct fe_request *rq);

/* Targets of records, by number: targets.c. */
const char *fe_target_name(uint32_t target);

/* ---- of calls and constants that it names ------------------------------- */

/* The loop runs on the host, from now on. */
void fe_call_to_host(uint32_t id);
/* Watch a constant for deferred opaque kernels; has one changed; take the
 * values as seen; exchange memory and seen values, around a run. */
void fe_watch_add(const void *address, size_t size);
bool fe_watch_changed(void);
void fe_watch_note(void);
void fe_watch_swap(void);

#endif
