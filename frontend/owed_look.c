/* Looks at raw globals whose results are owed (owed.c): they run the loops that
 * the program did not wait for. */
#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"
#include "frontend/values.h"

#include "base/log.h"
#include "base/str.h"
#include "op2_blob.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

/* The record that makes it. */
static uint32_t
record_of(const struct fe_raw *raw) {
  for (uint32_t i = fe_recs.n; i-- > 0;) {
    const struct fe_rec *r = &fe_recs.all[i];
    if (r->raw && raw >= r->raw && raw < r->raw + fe_calls.all[r->what]->nraw)
      return i;
  }
  assert(!"what is owed has a record or has come");
  return fe_recs.n;
}

/* All ranks have come for what a record makes, or it has come (*came), and
 * nothing like it waits any more. */
static status
look_with_all(const struct fe_rec *r, bool *came) {
  static const char what[] = "a raw global";
  SCOPED_STR loop = STR_INIT; /* its call may be gone afterwards */
  bool mine;
  TRY(fe_agree_look(what, FE_LOOKED_GBL, r->step, came));
  if (!*came) return OK;
  const struct fe_call *c = fe_calls.all[r->what];
  str_printf(&loop, "op_par_loop \"%s\" at %s:%d", c->name, c->file, c->line);
  TRY(fe_look_alone(FE_LOOKED_GBL, what, &mine));
  if (mine)
    LOG_WARN("%s: rank %d reads a raw global that it writes where others do "
             "not: such results are delivered at the call from here on "
             "(op2_gbl_get on all ranks would let them wait)",
             loop.s, fe_ranks.rank);
  return OK;
}

status
fe_owed_run(uint32_t rec, enum fe_reason reason) {
  bool met = fe.lone_looks && !fe.owed_off, came = false;
  if (met) TRY(look_with_all(&fe_recs.all[rec], &came));
  return came ? OK : fe_run((struct fe_request){FE_WANT_RAW, rec, reason, met});
}

static status
run_for(const struct fe_owed *o) {
  return fe_owed_run(record_of(o->raw), FE_REASON_VALUE);
}

/* A child has none of the threads that loops run on: it gets values. */
static void
before_fork(void) {
  const struct fe_owed *o;
  while (fe.up == FE_UP && (o = fe_owed_waiting()))
    if (run_for(o) != OK) return; /* told at the look */
}

void
fe_owed_wait(struct fe_raw *raw, size_t bytes) {
  static bool watched;
  if (!watched) watched = !pthread_atfork(before_fork, NULL, NULL);
  fe_owed_add(raw, bytes);
}

/* What is owed is not read any more. Where that is all that a record gives to
 * raw globals, passes know of it. */
static void
overwrite(struct fe_owed *o) {
  struct fe_raw *raw = o->raw;
  fe_owed_remove(o);
  if (!raw) return;
  uint32_t i = record_of(raw);
  if (i == fe_recs.n || fe.up == FE_RUNNING) return;
  const struct fe_rec *r = &fe_recs.all[i];
  for (uint32_t k = 0; k < fe_calls.all[r->what]->nraw; k++)
    if (r->raw[k].to) return;
  fe_rec_unread(i);
}

void
op2_gbl_drop(const void *at, size_t bytes) {
  for (struct fe_owed *o; (o = fe_owed_find(at, bytes));) overwrite(o);
}

/* All that is owed to this memory reaches it. */
static status
settle(const char *at, size_t bytes) {
  for (struct fe_owed *o; (o = fe_owed_find(at, bytes));) {
    if (o->raw) {
      TRY(run_for(o));
      continue; /* it has come, or its loop was lost */
    }
    memcpy(o->to, o->value, o->bytes);
    fe_owed_remove(o);
  }
  return OK;
}

/* Memory of which the program's code has not said so is no longer the one that
 * it was owed to. */
status
fe_owed_args(const struct fe_call *c, const op_arg *args) {
  for (uint32_t a = 0; a < c->nargs; a++) {
    size_t bytes = c->args[a].bytes;
    if (bytes && args[a].sent) TRY(settle(args[a].data, bytes));
    if (bytes && !args[a].sent) op2_gbl_drop(args[a].data, bytes);
  }
  return OK;
}

/* The place of a call whose arguments are under way stays known. */
void
op2_gbl_look(const void *at, size_t bytes) {
  if (!fe_owed_find(at, bytes) || fe.up == FE_RUNNING) return;
  const char *file = fe.file, *api = fe.api;
  int was = errno;
  fe.api = NULL;
  status st = settle(at, bytes);
  if (st != OK) fe_error(st);
  fe.file = file;
  fe.api = api;
  errno = was;
}

void
op2_gbl_store(const void *at, size_t bytes) {
  for (struct fe_owed *o; (o = fe_owed_inside(at, bytes));) overwrite(o);
  op2_gbl_look(at, bytes);
}
