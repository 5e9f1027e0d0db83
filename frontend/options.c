/* Options: from the environment and from op_init's arguments. */
#include "frontend/context.h"
#include "frontend/programs.h"

#include "base/log.h"
#include "lower/machine.h"
#include "lower/sanitize.h"
#include "rt/store/dev.h"
#include "rt/store/store.h"

#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

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

/* Nothing waits, and nobody needs to be told why. */
static void
debug_kernels(void) {
  fe.opt.eager = 1;
  fe.opt.defer_opaque = 0;
  fe.told_opaque = true;
  fe.nthreads = 1;
}

status
fe_options_read(int argc, char **argv) {
  TRY(opt_read(&fe.opt, getenv));
  log_level = fe.opt.log;
  for (int i = 1; argv && i < argc && argv[i]; i++) TRY(fe_argv_read(argv[i]));
  fe.base_index = OP_maps_base_index;
  if (rt_layout_choose(fe.opt.layout, 1, 0) < 0)
    FAIL(ERR_ARG, "OP2_LAYOUT=%s: expected auto, aos, soa or a block length",
         fe.opt.layout);
  status found = fe_passes_check(fe.opt.disable);
  if (found != OK) return err_prefix(found, "OP2_DISABLE=%s: ", fe.opt.disable);
  if (!fe_trial_option(fe.opt.trial))
    FAIL(ERR_ARG, "OP2_TRIAL=%s: expected milliseconds or never", fe.opt.trial);
  enum low_sanitize checks;
  status st = low_sanitize_find(fe.opt.sanitize, &checks);
  if (st == OK && checks == LOW_SANITIZE_address) st = rt_mem_guard();
  if (st != OK) return err_prefix(st, "OP2_SANITIZE=%s: ", fe.opt.sanitize);
  fe.nthreads = omp_get_max_threads();
  if (fe.opt.debug == OPT_debug_kernels) debug_kernels();
  fe.share = low_machine_share(low_machine_last_cache(LOW_CACHE_FOLDER));
  return OK;
}
