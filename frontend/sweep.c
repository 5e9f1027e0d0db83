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
 *   programs --> calls --> kernels, slots of parked dats and globals
 *            --> code, names of launches, teams      marked by those that stay
 *            --> numbers of states in their keys     the same
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
#include "frontend/ranks.h"

#include "lower/device.h"
#include "rt/device/device.h"
#include "rt/walk/team.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAM_BYTES = 256 << 20 };

/* ---- programs ----------------------------------------------------------- */

size_t
fe_program_bytes(const struct fe_program *p) {
  const struct rt_program *rt = p->low.program;
  size_t bytes = sizeof *p + p->nwords * sizeof *p->words + strlen(p->before) +
                 strlen(p->after) + strlen(p->explain);
  for (uint32_t i = 0; i < rt->nlaunches; i++)
    bytes += sizeof *rt->launches +
             rt->launches[i].nbinds * sizeof *rt->launches[i].binds;
  return bytes + rt->ncmds * sizeof *rt->cmds + rt->nslots * sizeof *rt->slots;
}

/* The ones used last come first. */
static int
by_use(const void *a, const void *b) {
  const struct fe_program *x = *(struct fe_program *const *)a;
  const struct fe_program *y = *(struct fe_program *const *)b;
  return x->used < y->used ? 1 : x->used > y->used ? -1 : 0;
}

static void
programs_drop(uint32_t keep) {
  for (uint32_t i = keep; i < fe.nprograms; i++) fe.programs[i]->gone = true;
  for (uint32_t i = 0; i < keep; i++) {
    struct fe_program *p = fe.programs[i];
    if (p->next && p->next->gone) p->next = NULL;
  }
  for (uint32_t i = keep; i < fe.nprograms; i++) {
    struct fe_program *p = fe.programs[i];
    table_remove(&fe.program_ids, p->words, p->nwords * sizeof *p->words);
    fe.program_bytes -= p->bytes;
    if (fe.last_program == p) fe.last_program = NULL;
    fe_program_free(p);
    counters[CNT_programs_dropped]++;
  }
  fe.nprograms = keep;
}

/* ---- what stays with them ----------------------------------------------- */

static void
keep_call(struct fe_call *c) {
  if (!c) return;
  c->kept = true;
  if (c->base) c->base->kept = true; /* found by its id */
}

/* Slots that its tables name, code. */
static void
keep_of_tables(const struct fe_program *p) {
  for (uint32_t i = 0; i < p->low.program->ndats; i++)
    fe.dats[p->low.dat_tags[i]]->called = true;
  for (uint32_t i = 0; i < p->low.program->nglobals; i++)
    if (!p->globals[i].raw) fe.gbls[p->globals[i].gbl]->called = true;
  rt_exec_keep(p->low.program);
  low_sweep_keep(&p->low);
}

/* Calls and states that its key names, what its tables name. */
static void
keep_of_program(struct fe_program *p) {
  for (size_t i = 0; i + FE_REQUEST_WORDS < p->nwords; i += 2)
    if (fe_word_kind(p->words[i]) == FE_REC_LOOP)
      keep_call(fe.calls[fe_word_what(p->words[i])]);
  for (size_t i = p->nwords - FE_REQUEST_WORDS; i < p->nwords; i++) {
    ids_keep(&fe.states, p->words[i]);
    ids_keep(&fe.reaches, p->words[i]);
  }
  keep_of_tables(p);
  if (fe_trial_other(p)) keep_of_tables(fe_trial_other(p));
}

static void
keep_of_call(struct fe_call *c) {
  for (uint32_t u = 0; u < c->nuses; u++) c->uses[u]->called = true;
  for (uint32_t a = 0; c->nhandles && a < c->nargs; a++)
    if (c->args[a].gbl) c->args[a].gbl->called = true;
  c->kernel->kept = true;
}

static void
mark(void) {
  for (uint32_t i = 0; i < fe.ndats; i++) fe.dats[i]->called = false;
  for (uint32_t i = 0; i < fe.ngbls; i++) fe.gbls[i]->called = false;
  for (uint32_t i = 0; i < fe.nprograms; i++) keep_of_program(fe.programs[i]);
  for (uint32_t i = 0; i < fe.nrecs; i++)
    if (fe.recs[i].kind == FE_REC_LOOP) keep_call(fe.calls[fe.recs[i].what]);
  keep_call(fe.last_call);
  keep_call(fe.predicted);
  if (fe.last_call) keep_call(fe.last_call->next); /* it may be under way */
  keep_call((struct fe_call *)fe.checkpoint.first);
  ids_keep(&fe.states, fe.state_id);
  for (uint32_t i = 0; i < fe.ncalls; i++)
    if (fe.calls[i] && fe.calls[i]->kept) keep_of_call(fe.calls[i]);
}

/* ---- the rest goes ------------------------------------------------------ */

static void
calls_drop(void) {
  for (uint32_t i = 0; i < fe.ncalls; i++) {
    struct fe_call *c = fe.calls[i];
    if (c && c->kept && c->next && !c->next->kept) c->next = NULL;
  }
  for (uint32_t i = 0; i < fe.ncalls; i++) {
    struct fe_call *c = fe.calls[i];
    if (c && !c->kept) fe_call_drop(c);
    if (c && fe.calls[i]) c->kept = false;
  }
}

static bool
low_is_used(const struct low_kernel *low) {
  for (uint32_t i = 0; i < fe.nkernels; i++)
    if (fe.kernels[i]->low == low) return true;
  return false;
}

static void
kernels_drop(void) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < fe.nkernels; i++) {
    struct fe_kernel *k = fe.kernels[i];
    if (!k->kept) {
      fe_kernel_free(k);
      continue;
    }
    k->kept = false;
    k->index = n;
    fe.kernels[n++] = k;
  }
  fe.nkernels = n;
  low_kernels_sweep(low_is_used);
}

void
fe_sweep(void) {
  bool many = fe.nprograms >= (uint32_t)fe.opt.programs;
  bool large = !fe_ranked() && fe.program_bytes >= PROGRAM_BYTES;
  if (!many && !large) return;
  qsort(fe.programs, fe.nprograms, sizeof *fe.programs, by_use);
  programs_drop(fe.nprograms / 2);
  mark();
  calls_drop();
  kernels_drop();
  ids_sweep(&fe.states);
  ids_sweep(&fe.reaches);
  low_sweep_end();
  rt_team_sweep();
  rt_walk_cache_sweep();
  rt_devices_sweep();
  rt_halo_sweep(fe.halo);
}
