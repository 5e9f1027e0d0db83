/* op_init and op_exit: the life of the context. */
#include "frontend/checkpoint.h"
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/kokkos.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"
#include "frontend/values.h"

#include "base/log.h"
#include "base/str.h"
#include "rt/io/io.h"

#include <pthread.h>
#include <unistd.h>

#ifndef OP2_VERSION
#define OP2_VERSION "0.1.0" /* the build gives the project's version */
#endif

extern int OP_diags, OP_auto_soa;

const char *
op2_version(void) {
  return "op2lazy " OP2_VERSION;
}

static void
fe_tell_unknown(const char *name, const char *nearest) {
  LOG_WARN("%s is not an option%s%s; op2-run --options lists them", name,
           nearest ? ", did you mean " : "", nearest ? nearest : "");
}

/* What needs the memory of the program as it is. */
static void
fe_ranks_fit(void) {
  if (!fe_ranked()) return;
  if (fe.no_realloc && !fe_ranks.rank)
    LOG_WARN("OP_NO_REALLOC: on several ranks data are copied, and the "
             "program's arrays stay as they are");
  fe.arrays_apart = fe.no_realloc;
  fe.no_realloc = false;
}

/* The library cannot go on; the handler hears of it before the process ends, if
 * that is on the program's thread. */
static void
fe_exhausted(const char *message) {
  if ((unsigned long)pthread_self() != fe.thread) return;
  err_set(ERR_MEMORY, "%s", message);
  fe_error_returned(ERR_MEMORY);
}

/* As before op_init; only the handler stays. */
static void
fe_forget(void) {
  fe_tiers_stop();
  fe_mats_release();
  fe_mirror_stop();
  fe_programs_clear();
  fe_calls_clear();
  fe_handles_clear();
  fe_recording_clear();
  fe_targets_clear();
  fe_states_clear();
  fe_parts_stop();
  fe_kokkos_stop();
  fe_report_stop();
  fe_timeline_clear();
  fe_mats_clear();
  fe_sparsities_clear();
  fe_vtk_clear();
  fe_vars_clear();
  arena_clear(&fe.arena);
  fe = (struct fe){.handler = fe.handler, .handler_user = fe.handler_user};
}

/* What options decide for the whole process. */
static void
fe_start(void) {
  if (!fe_ranks.rank) opt_unknown(environ, fe_tell_unknown);
  mem_told = fe_exhausted;
  fe_kokkos_start(fe.opt.kokkos);
  fe_timeline_start();
  fe_parts_start(fe_ranked());
  rt_io_set_root(fe.opt.files == OPT_files_root);
  fe_ranks_fit();
  fe_report_start(); /* threads are as they stay */
}

/* Without a handler the process ends here. With one, op_init may be called
 * again. */
static void
fe_init_failed(status st) {
  SCOPED_STR message = STR_INIT;
  str_add(&message, err_last());
  if (fe.handler) fe_forget();
  fe_error(err_set(st, "%s", message.s));
}

static void
fe_init(const char *mpi, const void *communicator, int argc, char **argv,
        int diags, int soa) {
  if (fe.up) {
    fe_error(err_set(ERR_STATE, "op_init: %s",
                     fe.up == FE_UP ? "called twice without op_exit"
                                    : "called inside a kernel"));
    return;
  }
  fe.started = timer_wall();
  fe.thread = (unsigned long)pthread_self();
  fe_rounding_start();
  OP_diags = diags;
  if (!mpi) fe_mpi_forget();
  status st = fe_ranks_connect(mpi, communicator);
  if (st == OK) st = fe_agree("op_init", 0, fe_options_read(argc, argv));
  if (st == OK) st = fe_ranks_open();
  if (st == OK && fe.opt.bare) st = fe_bare_start(); /* all ranks alike now */
  if (soa) fe.auto_soa = true;
  OP_auto_soa = fe.auto_soa;
  if (st == OK) fe_start();
  if (st == OK) st = fe_mirror_start();
  if (st == OK) st = fe_targets_init();
  if (st == OK)
    fe.up = FE_UP;
  else
    fe_init_failed(st);
  if (fe.report) fe_clock_leave();
}

void
op_init_soa(int argc, char **argv, int diags, int soa) {
  fe_init(NULL, NULL, argc, argv, diags, soa);
}

void
op2_mpi_init_at(int argc, char **argv, int diags, int soa, const char *mpi,
                const void *communicator) {
  fe_init(mpi, communicator, argc, argv, diags, soa);
}

void
op_init(int argc, char **argv, int diags) {
  op_init_soa(argc, argv, diags, 0);
}

void
op_exit(void) {
  if (!fe_enter("op_exit")) return;
  status st = fe_agree("op_exit", 0, OK);
  if (st == OK) st = fe_checkpoint_finish();
  if (fe.opt.bare)
    fe_bare_end();
  else if (st == OK)
    st = fe_run_all(FE_REASON_EXIT);
  if (st == OK) st = fe_reason_report();
  if (st == OK) st = fe_targets_sync(false);
  if (fe.report) st = fe_agree("OP2_REPORT", 0, st);
  if (st == OK && fe.report) st = fe_report_write();
  if (st == OK && fe.opt.trace) {
    char *path = arena_printf(&fe.arena, "%s/timeline.json", fe.opt.trace_dir);
    st = fe_timeline_write(path);
  }
  if (st != OK) {
    fe_error(st);
    return;
  }
  fe_forget();
}
