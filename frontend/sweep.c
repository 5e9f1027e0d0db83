/* What is kept of the past, and what goes.
 *
 * Problem. A program whose recordings are new in each step (maps that it makes
 * anew, temporaries of ever new shapes, loop names with a number in them) makes
 * a program of the library in each, with its code, plans and tables.
 *
 * Idea. Programs are counted. Before there are more than OP2_PROGRAMS, or more
 * than PROGRAM_BYTES of them, the half that was not used for longest goes, and
 * with it whatever only these needed: everything else hangs on programs.
 *
 *   programs --> calls --> kernels, slots of parked dats and globals, what is
 *                          left of freed sets and maps
 *            --> code, names of launches, teams      marked by those that stay
 *            --> numbers of states in their keys     the same
 *            --> rows of inverse maps                the same
 *            --> plans, tables on devices, exchanges not asked for since the
 *                                                    last sweep: made anew at
 *                                                    need
 *
 * What is not here has a bound of its own: recording and captured bytes
 * (OP2_TRACE_MAX_*), buffers (rt/store/pool.c), lines of timing (rt/timing.c),
 * events of the timeline (dump.c), the cache on disk. Sets, maps, dats, globals
 * and sections of a profile live as long as their handles, hence as the program
 * wants.
 *
 * Over ranks all sweep at the same program: they make the same ones in the same
 * order, so that only their number counts there. */
#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"

#include <stdlib.h>

enum { PROGRAM_BYTES = 256 << 20 };

/* ---- programs ----------------------------------------------------------- */

/* The ones used last come first. */
static int
by_use(const void *a, const void *b) {
  const struct fe_program *x = *(struct fe_program *const *)a;
  const struct fe_program *y = *(struct fe_program *const *)b;
  return x->used < y->used ? 1 : x->used > y->used ? -1 : 0;
}

/* ---- what stays with them ----------------------------------------------- */

static void
keep_call(struct fe_call *c) {
  if (!c) return;
  c->kept = true;
  if (c->base) c->base->kept = true; /* found by its id */
}

/* Calls and states that its key names, what its tables name. */
static void
keep_of_program(struct fe_program *p) {
  for (size_t i = 0; i + FE_REQUEST_WORDS < p->nwords; i += 2)
    if (fe_word_kind(p->words[i]) == FE_REC_LOOP)
      keep_call(fe_calls.all[fe_word_what(p->words[i])]);
  fe_states_keep(p->words + p->nwords - FE_REQUEST_WORDS, FE_REQUEST_WORDS);
  fe_program_keep(p);
  if (fe_trial_other(p)) fe_program_keep(fe_trial_other(p));
}

static void
keep_of_call(struct fe_call *c) {
  for (uint32_t u = 0; u < c->nuses; u++) c->uses[u].dat->called = true;
  for (uint32_t a = 0; c->nhandles && a < c->nargs; a++)
    if (c->args[a].gbl) c->args[a].gbl->called = true;
  c->kernel->kept = true;
  fe_graves_note(c);
}

static void
mark(void) {
  fe_graves_unmark();
  for (uint32_t i = 0; i < fe_all.ndats; i++) fe_all.dats[i]->called = false;
  for (uint32_t i = 0; i < fe_all.ngbls; i++) fe_all.gbls[i]->called = false;
  for (uint32_t i = 0; i < fe_programs.n; i++)
    keep_of_program(fe_programs.all[i]);
  fe_recs_calls(keep_call);
  keep_call(fe_calls.last);
  keep_call(fe_calls.predicted);
  if (fe_calls.last) keep_call(fe_calls.last->next); /* it may be under way */
  keep_call((struct fe_call *)fe_calls.window);
  for (uint32_t i = 0; i < fe_calls.n; i++)
    if (fe_calls.all[i] && fe_calls.all[i]->kept) keep_of_call(fe_calls.all[i]);
}

/* ---- the rest goes ------------------------------------------------------ */

static void
calls_drop(void) {
  for (uint32_t i = 0; i < fe_calls.n; i++) {
    struct fe_call *c = fe_calls.all[i];
    if (c && c->kept && c->next && !c->next->kept) c->next = NULL;
  }
  for (uint32_t i = 0; i < fe_calls.n; i++) {
    struct fe_call *c = fe_calls.all[i];
    if (c && !c->kept) fe_call_drop(c);
    if (c && fe_calls.all[i]) c->kept = false;
  }
}

void
fe_sweep(void) {
  bool many = fe_programs.n >= (uint32_t)fe.opt.programs;
  bool large = !fe_ranked() && fe_programs.bytes >= PROGRAM_BYTES;
  if (!many && !large) return;
  fe_tiers_finish();
  qsort(fe_programs.all, fe_programs.n, sizeof *fe_programs.all, by_use);
  fe_programs_drop(fe_programs.n / 2);
  mark();
  calls_drop();
  fe_graves_dig();
  fe_graves_sweep();
  fe_kernels_sweep();
  fe_states_sweep();
  fe_plans_sweep();
  fe_number_rows_sweep();
  fe_targets_sweep();
  fe_ranks_sweep();
}
