/* Options under which ranks come apart, or may: for each that all ranks have to share
 * two values, one of which is not its default; for each rank's own some that change
 * no result. Every option of the library is in one of the lists, or left out. */
#ifndef TEST_RANK_OPTIONS_H
#define TEST_RANK_OPTIONS_H

#include <stddef.h>
#include <string.h>

static const char *const shared_values[][3] = {
    {"OP2_REPORT", "1", "0"},
    {"OP2_OFFLOAD_FALLBACK", "host", "error"},
    {"OP2_DECLARE", "whole", "parts"},
    {"OP2_HALO_LIMIT", "auto", "0"},
    {"OP2_HALO_COSTS", "1,1000,5", "1,1000,6"},
    {"OP2_OVERLAP", "0", "1"},
    {"OP2_WAIT", "spin", "nap"},
    {"OP2_EAGER", "1", "0"},
    {"OP2_DISABLE", "fuse", "dce"},
    {"OP2_TRACE_MAX_LOOPS", "7", "1000"},
    {"OP2_TRACE_MAX_BYTES", "7", "16M"},
    {"OP2_PROGRAMS", "7", "1000"},
    {"OP2_DEFER_OPAQUE", "1", "0"},
    {"OP2_MIRROR", "0", "1"},
    {"OP2_REPRODUCIBLE", "1", "0"},
    {"OP2_CHECKPOINT", "all", "needed"},
    {"OP2_FILES", "root", "auto"},
    {"OP2_LAYOUT", "soa", "8"},
    {"OP2_RENUMBER", "rcm", "0"},
    {"OP2_VECTOR_MATH", "0", "1"},
    {"OP2_THREADING", "colours", "auto"},
    {"OP2_INCREMENTS", "atomic", "auto"},
    {"OP2_GATHER", "always", "never"},
    {"OP2_STRETCHES", "always", "auto"},
    {"OP2_STREAMS", "always", "auto"},
    {"OP2_INLINE", "always", "auto"},
    {"OP2_RUNS", "always", "auto"},
    {"OP2_LATE", "always", "auto"},
    {"OP2_PLACE", "1", "0"},
    {"OP2_STRICT_BLOCKS", "1", "0"},
    {"OP2_TILE_ROWS", "1", "0"},
    {"OP2_TILE_COLUMNS", "1", "0"},
    {"OP2_TILE_PIECE", "1", "0"},
    {"OP2_READS", "staged", "direct"},
    {"OP2_TRIAL", "never", "1000"},
    {"OP2_STATIC", "1", "0"},
    {"OP2_CHECK", "1", "0"},
    {"OP2_DEBUG", "kernels", "0"},
};

static const char *const own_values[][4] = {
    {"OP2_BLOCK_SIZE", "4", "16", "0"},
    {"OP2_DEVICE_TIMES", "0", "1", "1"},
    {"OP2_CUDA_GRAPHS", "0", "1", "1"},
    {"OP2_CACHE", "1", "1", "0"},
    {"OP2_CACHE_SIZE", "256M", "100M", "200M"},
    {"OP2_BUNDLE", "1", "0", "1"},
    {"OP2_COMPILE_THREADS", "1", "2", "0"},
    {"OP2_OPTIMISE", "1", "0", "1"},
    {"OP2_TEAM", "auto", "one", "all"},
    {"OP2_TIERS", "auto", "always", "never"},
    {"OP2_IR_STRESS", "0", "1", "0"},
};

/* Files and messages, the same for all for other reasons, and the sanitizers' own. */
static const char *const own_others[] = {
    "OP2_TRACE",    "OP2_TRACE_DIR", "OP2_TARGET",       "OP2_CACHE_DIR",
    "OP2_SANITIZE", "OP2_LOG",       "KOKKOS_TOOLS_LIBS"};

enum {
  NSHARED = sizeof shared_values / sizeof *shared_values,
  NOWN = sizeof own_values / sizeof *own_values,
  NOTHERS = sizeof own_others / sizeof *own_others
};

/* Those of the library, by their mark. */
static const char *const library_shared[] = {
#define RANKS_all(env) env,
#define RANKS_own(env)
#define OPT(field, env, type, def, ranks, line) RANKS_##ranks(env)
#include "../../base/opt.def"
#undef OPT
#undef RANKS_all
#undef RANKS_own
};
static const char *const library_own[] = {
#define RANKS_all(env)
#define RANKS_own(env) env,
#define OPT(field, env, type, def, ranks, line) RANKS_##ranks(env)
#include "../../base/opt.def"
#undef OPT
#undef RANKS_all
#undef RANKS_own
};

/* An option of the library that is in no list here; NULL: none. */
static inline const char *
rank_option_missing(void) {
  for (size_t i = 0; i < sizeof library_shared / sizeof *library_shared; i++) {
    size_t k = 0;
    while (k < NSHARED && strcmp(shared_values[k][0], library_shared[i])) k++;
    if (k == NSHARED) return library_shared[i];
  }
  for (size_t i = 0; i < sizeof library_own / sizeof *library_own; i++) {
    size_t k = 0, j = 0;
    while (k < NOWN && strcmp(own_values[k][0], library_own[i])) k++;
    while (j < NOTHERS && strcmp(own_others[j], library_own[i])) j++;
    if (k == NOWN && j == NOTHERS) return library_own[i];
  }
  return NULL;
}

#endif
