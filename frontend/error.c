/* Errors of calls, and what is known about handles: below all other files. */
#include "frontend/axis.h"
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/matrix.h"
#include "frontend/ranks.h"

#include "base/table.h"
#include "rt/ranks/comm.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The public header's statuses are these. */
#define ERR(name, value, text)                                                 \
  _Static_assert((int)ERR_##name == (int)OP2_ERR_##name, "op2.h: " text);
#include "base/err.def"
#undef ERR

struct fe fe;

/* ---- errors -------------------------------------------------------------- */

static void
fe_where(void) {
  if (fe.file) err_prefix(OK, "%s:%d: ", fe.file, fe.line);
  fe.file = NULL;
}

status
fe_error_returned(status st) {
  fe_where();
  if (fe.handler) fe.handler((int)st, err_last(), fe.handler_user);
  return st;
}

status
fe_error(status st) {
  fe_error_returned(st);
  if (fe.handler) return st;
  fflush(stdout);
  if (!fe_ranked()) {
    fprintf(stderr, "op2lazy: error: %s\n", err_last());
    exit(1);
  }
  fprintf(stderr, "op2lazy: error: rank %d: %s\n", fe_ranks.rank, err_last());
  fflush(stderr);
  rt_comm_abort(fe_ranks.comm, 1);
  return st;
}

void
fe_error_told(status st) {
  fe_error_returned(st);
  if (fe.handler || fe_ranks.rank) return;
  fflush(stdout);
  fprintf(stderr, "op2lazy: error: %s\n", err_last());
}

void
fe_leave(status st) {
  if (st != OK) fe_error(st);
  if (fe.report) fe_clock_leave();
  fe.file = NULL;
}

int
fe_leave_returned(status st) {
  if (st != OK) fe_error_returned(st);
  if (fe.report) fe_clock_leave();
  fe.file = NULL;
  return (int)st;
}

bool
fe_enter_refused(const char *what) {
  const char *why = fe.up == FE_DOWN ? "op_init was not called"
                    : fe.up == FE_RUNNING
                        ? "called inside a kernel; OP2 calls are not possible "
                          "there"
                        : "called from a second thread; OP2 calls belong to "
                          "the thread that called op_init";
  fe_error(err_set(ERR_STATE, "%s: %s", what, why));
  return false;
}

void
op2_here(const char *file, int line) {
  fe.file = file;
  fe.line = line;
}

const char *
op2_last_error(void) {
  return err_last();
}

void
op2_set_error_handler(void (*handler)(int, const char *, void *), void *user) {
  fe.handler = handler;
  fe.handler_user = user;
}

char *
fe_text_copy(const char *s) {
  return strcpy(mem_alloc(strlen(s) + 1, 1), s);
}

/* ---- handles ------------------------------------------------------------- */

static struct table handles; /* address -> kind, and whether it was freed */

enum { FE_FREED = 16 }; /* added to the kind */

bool
fe_handle_is(const void *handle, enum fe_handle kind) {
  return table_get(&handles, &handle, sizeof handle, FE_HANDLE_NONE) == kind;
}

static const char *
handle_name(const void *handle, enum fe_handle kind) {
  switch (kind) {
  case FE_SET:
  case FE_POINTS: return ((const op_set_core *)handle)->name;
  case FE_MAP:
  case FE_RULE: return ((const op_map_core *)handle)->name;
  case FE_DAT: return ((const op_dat_core *)handle)->name;
  case FE_GBL: return ((const struct fe_gbl *)handle)->name;
  case FE_SPARSITY: return ((const struct fe_sparsity *)handle)->name;
  case FE_MAT: return ((const struct fe_mat *)handle)->name;
  case FE_AXIS: return ((const struct fe_axis *)handle)->set->pub.name;
  case FE_COPY:
  case FE_HANDLE_NONE: break;
  }
  return "";
}

const char *
fe_handle_found(const void *handle) {
  static char found[128];
  static const char *const kinds[FE_FREED] = {
      [FE_SET] = "set",    [FE_MAP] = "map",           [FE_DAT] = "dat",
      [FE_GBL] = "global", [FE_SPARSITY] = "sparsity", [FE_MAT] = "matrix",
      [FE_RULE] = "rule",  [FE_POINTS] = "points",     [FE_AXIS] = "axis"};
  uintptr_t known = table_get(&handles, &handle, sizeof handle, FE_HANDLE_NONE);
  if (!handle) return "NULL";
  if (!known || known == FE_COPY)
    snprintf(found, sizeof found, "%p, which is no handle", handle);
  else if (known & FE_FREED)
    snprintf(found, sizeof found, "a freed %s", kinds[known - FE_FREED]);
  else
    snprintf(found, sizeof found, "%s \"%s\"", kinds[known],
             handle_name(handle, known));
  return found;
}

void
fe_handle_add(const void *handle, enum fe_handle kind) {
  *table_slot(&handles, &handle, sizeof handle) = kind;
}

uint64_t fe_handles_freed;

void
fe_handle_free(const void *handle) {
  fe_handles_freed++;
  *table_slot(&handles, &handle, sizeof handle) |= FE_FREED;
}

void
fe_handle_forget(const void *handle) {
  table_remove(&handles, &handle, sizeof handle);
}

void
fe_handles_forget(void) {
  table_clear(&handles);
}
