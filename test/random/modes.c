/* Modes: eager execution and the default always, others by the draw. An option is
 * read when the library starts, so a mode is an environment. */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT */
#include "modes.h"

#include "play.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL_PASSES "slice,rename,dce,fuse"

const struct mode modes[] = {
    {"eager", "OP2_EAGER=1", 1, 0},
    {"default", "", 2, 0},
    {"one-thread", "", 1, 0},
    {"three-threads", "", 3, 0},
    {"seq", "OP2_TARGET=seq", 2, 0},
    {"eager-three", "OP2_EAGER=1", 3, 0},
    {"no-slice", "OP2_DISABLE=slice", 2, 0},
    {"no-rename", "OP2_DISABLE=rename", 2, 0},
    {"no-dce", "OP2_DISABLE=dce", 2, 0},
    {"no-fuse", "OP2_DISABLE=fuse", 2, 0},
    {"only-slice", "OP2_DISABLE=rename,dce,fuse", 1, 0},
    {"only-rename", "OP2_DISABLE=slice,dce,fuse", 1, 0},
    {"only-dce", "OP2_DISABLE=slice,rename,fuse", 1, 0},
    {"only-fuse", "OP2_DISABLE=slice,rename,dce", 1, 0},
    {"no-passes", "OP2_DISABLE=" ALL_PASSES, 3, 0},
    {"aos", "OP2_LAYOUT=aos", 2, 0},
    {"soa", "OP2_LAYOUT=soa", 2, 0},
    {"blocks-of-8", "OP2_LAYOUT=8", 3, 0},
    {"blocks-of-4", "OP2_LAYOUT=4", 1, 0},
    {"checked", "OP2_CHECK=1", 3, 0},
    {"stress", "OP2_IR_STRESS=1 OP2_CHECK=1", 1, 0},
    {"bound-3", "OP2_TRACE_MAX_LOOPS=3", 1, 0},
    {"bound-bytes", "OP2_TRACE_MAX_BYTES=100", 1, 0},
    {"blocks", "OP2_BLOCK_SIZE=4 OP2_CHECK=1", 3, 0},
    {"blocks-soa", "OP2_BLOCK_SIZE=16 OP2_LAYOUT=soa", 2, 0},
    {"mirror", "OP2_MIRROR=1", 1, 0},
    {"reproducible", "OP2_REPRODUCIBLE=1", 2, PLAY_SAME_SUMS},
    {"reproducible-3", "OP2_REPRODUCIBLE=1", 3, PLAY_SAME_SUMS},
    {"no-realloc", "", 1, PLAY_NO_REALLOC},
    {"no-realloc-blocks", "OP2_LAYOUT=8", 2, PLAY_NO_REALLOC},
    {"flush-each", "", 1, PLAY_FLUSH},
    {"flush-some", "", 2, PLAY_FLUSH_SOME},
    {"renumbered", "", 2, PLAY_RENUMBER},
    {"permuted", "", 2, PLAY_PERMUTE},
    {"auto-soa", "", 2, PLAY_AUTO_SOA},
    {"base-one", "", 1, PLAY_BASE_ONE},
    {"opaque-deferred", "OP2_DEFER_OPAQUE=1", 2,
     PLAY_OPAQUE_ONLY | PLAY_NO_EFFECTS},
    {"opaque-deferred-8", "OP2_DEFER_OPAQUE=1 OP2_LAYOUT=8", 1,
     PLAY_OPAQUE_ONLY | PLAY_NO_EFFECTS},
    {"opaque-deferred-flush", "OP2_DEFER_OPAQUE=1", 2,
     PLAY_OPAQUE_ONLY | PLAY_NO_EFFECTS | PLAY_FLUSH_SOME},
};
const size_t nmodes = sizeof modes / sizeof *modes;

static const char *const variables[] = {
    "OP2_EAGER",        "OP2_DISABLE",         "OP2_CHECK",
    "OP2_IR_STRESS",    "OP2_TRACE_MAX_LOOPS", "OP2_TRACE_MAX_BYTES",
    "OP2_DEFER_OPAQUE", "OP2_MIRROR",          "OP2_REPRODUCIBLE",
    "OP2_LAYOUT",       "OP2_BLOCK_SIZE",      "OP2_TARGET"};

void
mode_enter(const struct mode *m) {
  for (size_t k = 0; k < sizeof variables / sizeof *variables; k++)
    unsetenv(variables[k]);
  for (const char *s = m->env; *s;) {
    char name[64], value[64];
    int n = 0;
    if (sscanf(s, "%63[^=]=%63s%n", name, value, &n) != 2) break;
    setenv(name, value, 1);
    s += n;
    while (*s == ' ') s++;
  }
  void (*threads)(int);
  void *f = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
  memcpy(&threads, &f, sizeof f);
  if (f) threads(m->threads);
}

size_t
mode_find(const char *name) {
  size_t k = 0;
  while (k < nmodes && strcmp(modes[k].name, name)) k++;
  return k;
}
