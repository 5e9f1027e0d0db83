/* op_init, op_exit and options: the life of the context. */
#include "base/fp.h"
#include "frontend/checkpoint.h"
#include "frontend/mirror.h"
#include "frontend/ranks.h"
#include "frontend/slots.h"
#include "frontend/vars.h"

#include "lower/disk.h"
#include "passes/pass.h"
#include "rt/store/dev.h"
#include "rt/device/device.h"
#include "rt/io/io.h"

#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef OP2_VERSION
#define OP2_VERSION "0.1.0" /* the build gives the project's version */
#endif

#ifdef NDEBUG
enum { FE_DEBUG = 0 };
#else
enum { FE_DEBUG = 1 };
#endif

const char *
op2_version(void) {
  return "op2lazy " OP2_VERSION;
}

/* ---- options from argv -------------------------------------------------- */

extern int OP_part_size, OP_block_size, OP_cache_line_size, OP_maps_base_index;
extern int OP_diags, OP_auto_soa;

/* OP2's options: a word, or a word with a number behind '='. */
static const struct fe_argv_option {
  const char *word;
  int *number; /* NULL: a flag */
  bool *flag;
} fe_argv_options[] = {
    {"OP_PART_SIZE=", &OP_part_size, NULL},
    {"OP_BLOCK_SIZE=", &OP_block_size, NULL},
    {"OP_CACHE_LINE_SIZE=", &OP_cache_line_size, NULL},
    {"OP_MAPS_BASE_INDEX=", &OP_maps_base_index, NULL},
    {"OP_NO_REALLOC", NULL, &fe.no_realloc},
    {"OP_AUTO_SOA", NULL, &fe.auto_soa},
    {"-OP_NO_REALLOC", NULL, &fe.no_realloc},
    {"-OP_AUTO_SOA", NULL, &fe.auto_soa},
};

static status
fe_argv_read(const char *arg) {
  size_t n = sizeof fe_argv_options / sizeof *fe_argv_options;
  for (size_t i = 0; i < n; i++) {
    const struct fe_argv_option *o = &fe_argv_options[i];
    size_t len = strlen(o->word);
    if (strncmp(arg, o->word, len)) continue;
    if (o->flag) {
      if (arg[len]) continue;
      *o->flag = true;
      return OK;
    }
    char *end;
    errno = 0;
    long v = strtol(arg + len, &end, 10);
    if (end == arg + len || *end || errno || v < 0 || v > 1 << 24)
      FAIL(ERR_ARG, "op_init: %s: expected a number of 0 to %d", arg, 1 << 24);
    *o->number = (int)v;
    return OK;
  }
  if (!strncmp(arg, "OP_", 3) || !strncmp(arg, "-OP_", 4))
    LOG_WARN("option %s is not known, ignored", arg);
  return OK;
}

/* ---- init and exit ------------------------------------------------------ */

static status
fe_options_read(int argc, char **argv) {
  TRY(opt_read(&fe.opt, getenv));
  log_level = fe.opt.log;
  for (int i = 1; argv && i < argc && argv[i]; i++) TRY(fe_argv_read(argv[i]));
  fe.base_index = OP_maps_base_index;
  if (rt_layout_choose(fe.opt.layout, 1, 0) < 0)
    FAIL(ERR_ARG, "OP2_LAYOUT=%s: expected auto, aos, soa or a block length",
         fe.opt.layout);
  status found = pass_check_names(fe.opt.disable);
  if (found != OK) return err_prefix(found, "OP2_DISABLE=%s: ", fe.opt.disable);
  if (!fe_trial_option(fe.opt.trial))
    FAIL(ERR_ARG, "OP2_TRIAL=%s: expected milliseconds or never", fe.opt.trial);
  status st = low_sanitize_find(fe.opt.sanitize, &fe.sanitize);
  if (st == OK && fe.sanitize == LOW_SANITIZE_address) st = rt_mem_guard();
  if (st != OK) return err_prefix(st, "OP2_SANITIZE=%s: ", fe.opt.sanitize);
  fe.nthreads = omp_get_max_threads();
  return OK;
}

static void
fe_tell_unknown(const char *name, const char *nearest) {
  LOG_WARN("%s is not an option%s%s; op2-run --options lists them", name,
           nearest ? ", did you mean " : "", nearest ? nearest : "");
}

static void
fe_block_size_set(void) {
  int b = fe.opt.block_size ? fe.opt.block_size : OP_block_size;
  if (!b) b = OP_part_size;
  rt_set_block_size(b);
}

static void
fe_cache_open(void) {
  struct str machine = STR_INIT;
  low_machine_text(&machine);
  low_disk_open(fe.opt.cache_dir, fe.opt.cache_size, machine.s);
  low_disk_share(fe_ranked());
  str_clear(&machine);
}

/* What needs the memory of the program as it is. */
static void
fe_ranks_fit(void) {
  if (!fe_ranked()) return;
  if (fe.no_realloc && !fe.comm.rank)
    LOG_WARN("OP_NO_REALLOC: on several ranks data are copied, and the "
             "program's arrays stay as they are");
  fe.arrays_apart = fe.no_realloc;
  fe.no_realloc = false;
}

/* The library cannot go on; the handler hears of it before the process ends. */
static void
fe_exhausted(const char *message) {
  err_set(ERR_MEMORY, "%s", message);
  fe_error_returned(ERR_MEMORY);
}

/* What options decide for the whole process. */
static status
fe_start(int soa) {
  if (!fe.comm.rank) opt_unknown(environ, fe_tell_unknown);
  mem_told = fe_exhausted;
  if (soa) fe.auto_soa = true;
  OP_auto_soa = fe.auto_soa;
  low_set_threads(fe.opt.compile_threads);
  if (fe.opt.cache) fe_cache_open();
  rt_walk_checking = FE_DEBUG || fe.opt.check;
  fe_block_size_set();
  rt_set_overlap(fe.opt.overlap);
  rt_set_reproducible(fe.opt.reproducible);
  rt_cuda_graphs = fe.opt.cuda_graphs;
  rt_device_times = fe.opt.device_times;
  rt_io_set_root(fe.opt.files == OPT_files_root);
  rt_set_team(fe.opt.team == OPT_team_one   ? RT_TEAM_ALONE
              : fe.opt.team == OPT_team_all ? RT_TEAM_TOGETHER
                                            : RT_TEAM_MEASURED);
  fe_ranks_fit();
  TRY(fe_mirror_start());
  TRY(fe_targets_init());
  rt_timer_hook = fe.opt.trace ? fe_dump_event : NULL;
  return OK;
}

static void
fe_free_handles(void) {
  for (uint32_t i = 0; i < fe.ndats; i++) fe_slot_clear(fe.dats[i]);
  for (uint32_t i = 0; i < fe.nmaps; i++) fe_map_free(fe.maps[i]);
  fe_ranks_close();
  for (uint32_t i = 0; i < fe.nsets; i++) {
    rt_order_free((struct rt_order *)fe.sets[i]->rt.order);
    free((char *)fe.sets[i]->pub.name);
    free(fe.sets[i]);
  }
  for (uint32_t i = 0; i < fe.ngbls; i++) {
    free(fe.gbls[i]->name);
    free(fe.gbls[i]->data);
    free(fe.gbls[i]->lost);
    free(fe.gbls[i]);
  }
}

static void
fe_free_calls(void) {
  for (uint32_t i = 0; i < fe.ncalls; i++)
    if (fe.calls[i]) fe_call_free(fe.calls[i]);
  for (uint32_t i = 0; i < fe.nkernels; i++) fe_kernel_free(fe.kernels[i]);
}

static void
fe_clear(void) {
  fe_mirror_stop();
  for (uint32_t i = 0; i < fe.nprograms; i++) fe_program_free(fe.programs[i]);
  fe_free_calls();
  fe_free_handles();
  void *arrays[] = {fe.sets,         fe.maps,     fe.dats,     fe.gbls,
                    fe.kernels,      fe.calls,    fe.programs, fe.recs,
                    fe.words,        fe.captured, fe.watched,  fe.targets,
                    fe.target_stack, fe.free_ids};
  for (uint32_t i = 0; i < fe.nwatched; i++) free(fe.watched[i].seen);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  table_clear(&fe.handles);
  table_clear(&fe.copies);
  table_clear(&fe.call_ids);
  table_clear(&fe.overlaps);
  table_clear(&fe.target_names);
  table_clear(&fe.program_ids);
  ids_clear(&fe.states);
  arena_clear(&fe.arena);
  low_device_clear();
  rt_devices_close();
  rt_walk_cache_clear();
  rt_pool_clear();
  rt_team_clear();
  rt_timer_reset();
  low_clear();
  low_kernels_clear();
  low_disk_close();
  fe_dump_clear();
  rt_set_apart(false);
  fe_vars_clear();
}

/* As before op_init; only the handler stays. */
static void
fe_forget(void) {
  fe_clear();
  void (*handler)(int, const char *, void *) = fe.handler;
  void *user = fe.handler_user;
  memset(&fe, 0, sizeof fe);
  fe.handler = handler;
  fe.handler_user = user;
}

/* Without a handler the process ends here. With one, op_init may be called
 * again. */
static void
fe_init_failed(status st) {
  struct str message = STR_INIT;
  str_add(&message, err_last());
  if (fe.handler) fe_forget();
  fe_error(err_set(st, "%s", message.s));
  str_clear(&message);
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
  fe.fp_home = fe.fp_mode = fp_mode();
  fe.fp_away = !fp_mode_nearest(fe.fp_home);
  fe.diags = OP_diags = diags;
  if (!mpi) fe_mpi_forget();
  status st = fe_ranks_connect(mpi, communicator);
  if (st == OK) st = fe_agree("op_init", 0, fe_options_read(argc, argv));
  if (st == OK) st = fe_ranks_open();
  if (st == OK) st = fe_start(soa);
  if (st == OK)
    fe.up = FE_UP;
  else
    fe_init_failed(st);
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
  if (st == OK) st = fe_run((struct fe_request){FE_WANT_ALL, 0});
  if (st == OK) st = fe_targets_sync(false);
  if (st == OK && fe.opt.trace) {
    char *path = arena_printf(&fe.arena, "%s/timeline.json", fe.opt.trace_dir);
    st = fe_dump_timeline(path);
  }
  if (st != OK) {
    fe_error(st);
    return;
  }
  fe_forget();
}
