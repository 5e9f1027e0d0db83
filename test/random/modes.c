/* Modes: eager execution and the default always, others by the draw. An option is
 * read when the library starts, so a mode is an environment. */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT */
#include "modes.h"

#include "play.h"
#include "run.h"

#include "../programs/rank_options.h"
#include "../programs/ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL_PASSES "slice,rename,dce,fuse,storage,hold"
#define OPENCL "OP2_TARGET=opencl"
/* Loops with I/O cannot run on a device: these modes do without them. */
#define ON_DEVICE (PLAY_DEVICE | PLAY_IR_ONLY | PLAY_NO_EFFECTS)

/* Under mpirun (--ranks): each rank plays all. Loops with I/O and overlays need one
 * rank. */
/* Looks of peeks.c would keep mirrors current there. */
#define RANKS "OP2_DECLARE=whole OP2_MIRROR=0"
#define IN_RANKS (PLAY_RANKS | PLAY_NO_EFFECTS)
/* ... or each declares a part of all. */
#define PARTS "OP2_DECLARE=parts OP2_MIRROR=0"
#define IN_PARTS (IN_RANKS | PLAY_PARTS)

/* Nothing is made before, and code is replaced at some time. */
#define TIERS "OP2_TIERS=always OP2_CACHE=0"

struct mode modes[] = {
    {"eager", "OP2_EAGER=1", 1, 0, 0},
    {"default", "", 2, 0, 0},
    {"one-thread", "", 1, 0, 1},
    {"three-threads", "", 3, 0, 1},
    {"seq", "OP2_TARGET=seq", 2, 0, 1},
    {"eager-three", "OP2_EAGER=1", 3, 0, 1},
    {"no-slice", "OP2_DISABLE=slice", 2, 0, 1},
    {"no-rename", "OP2_DISABLE=rename", 2, 0, 1},
    {"no-dce", "OP2_DISABLE=dce", 2, 0, 1},
    {"no-fuse", "OP2_DISABLE=fuse", 2, 0, 1},
    {"trials", "OP2_TRIAL=0", 2, 0, 1},
    {"quick", "OP2_OPTIMISE=0 OP2_TEAM=all", 2, 0, 1},
    {"tiers", TIERS " OP2_TEAM=all", 2, 0, 1},
    {"tiers-eager", TIERS " OP2_EAGER=1", 1, 0, 1},
    {"tiers-trials", TIERS " OP2_TRIAL=0", 2, 0, 1},
    {"only-slice", "OP2_DISABLE=rename,dce,fuse", 1, 0, 1},
    {"only-rename", "OP2_DISABLE=slice,dce,fuse", 1, 0, 1},
    {"only-dce", "OP2_DISABLE=slice,rename,fuse", 1, 0, 1},
    {"only-fuse", "OP2_DISABLE=slice,rename,dce", 1, 0, 1},
    {"no-passes", "OP2_DISABLE=" ALL_PASSES, 3, 0, 1},
    {"aos", "OP2_LAYOUT=aos OP2_LATE=always", 2, 0, 1},
    {"soa", "OP2_LAYOUT=soa", 2, 0, 1},
    {"blocks-of-8", "OP2_LAYOUT=8", 3, 0, 1},
    {"blocks-of-4", "OP2_LAYOUT=4 OP2_LATE=always", 1, 0, 1},
    {"gather", "OP2_GATHER=always OP2_CHECK=1", 2, 0, 1},
    {"stretches", "OP2_STRETCHES=always OP2_CHECK=1", 2, 0, 1},
    {"stretches-soa", "OP2_STRETCHES=always OP2_LAYOUT=soa OP2_IR_STRESS=1", 3,
     0, 1},
    {"streams", "OP2_STREAMS=always OP2_STRETCHES=always OP2_CHECK=1", 3, 0, 1},
    {"streams-soa", "OP2_STREAMS=always OP2_LAYOUT=soa OP2_IR_STRESS=1", 2, 0,
     1},
    {"inline", "OP2_INLINE=always OP2_CHECK=1", 2, 0, 1},
    {"inline-all",
     "OP2_INLINE=always OP2_TEAM=all OP2_LAYOUT=soa OP2_STRETCHES=always "
     "OP2_TILE_ROWS=2 OP2_IR_STRESS=1",
     3, 0, 1},
    {"runs", "OP2_RUNS=always OP2_CHECK=1", 1, 0, 1},
    {"runs-kept", "OP2_RUNS=kept OP2_CHECK=1", 1, 0, 1},
    {"runs-all",
     "OP2_RUNS=kept OP2_TEAM=all OP2_LAYOUT=soa OP2_RENUMBER=rcm "
     "OP2_IR_STRESS=1",
     3, 0, 1},
    {"places", "OP2_PLACE=1 OP2_CHECK=1", 2, 0, 1},
    {"places-three", "OP2_PLACE=2 OP2_TEAM=all OP2_IR_STRESS=1", 3, 0, 1},
    {"tiles", "OP2_TILE_ROWS=1 OP2_TEAM=all OP2_CHECK=1", 3, 0, 1},
    {"tiles-soa", "OP2_TILE_ROWS=2 OP2_TEAM=all OP2_LAYOUT=soa OP2_IR_STRESS=1",
     2, 0, 1},
    {"tiles-1x1", "OP2_TILE_COLUMNS=1 OP2_TILE_ROWS=1 OP2_TEAM=all", 2, 0, 1},
    {"tiles-5x3", "OP2_TILE_COLUMNS=5 OP2_TILE_ROWS=3 OP2_TEAM=all OP2_CHECK=1",
     3, 0, 1},
    {"pieces", "OP2_TILE_PIECE=1 OP2_CHECK=1", 1, 0, 1},
    {"pieces-all", "OP2_TILE_PIECE=3 OP2_TEAM=all OP2_LATE=always OP2_CHECK=1",
     3, 0, 1},
    {"pieces-rcm",
     "OP2_TILE_PIECE=2 OP2_TEAM=all OP2_RENUMBER=rcm OP2_LAYOUT=soa "
     "OP2_IR_STRESS=1",
     2, 0, 1},
    {"gather-rcm", "OP2_GATHER=always OP2_RENUMBER=rcm OP2_IR_STRESS=1", 3, 0,
     1},
    {"rcm", "OP2_RENUMBER=rcm OP2_CHECK=1", 1, 0, 1},
    {"rcm-three", "OP2_RENUMBER=rcm", 3, 0, 1},
    {"rcm-eager", "OP2_RENUMBER=rcm OP2_EAGER=1", 2, 0, 1},
    {"rcm-soa", "OP2_RENUMBER=rcm OP2_LAYOUT=soa", 2, 0, 1},
    {"rcm-no-realloc", "OP2_RENUMBER=rcm", 2, PLAY_NO_REALLOC, 2},
    {"bisect", "OP2_RENUMBER=bisect", 2, 0, 1},
    {"bisect-permuted", "OP2_RENUMBER=bisect OP2_LAYOUT=8", 1, PLAY_PERMUTE, 1},
    {"checked", "OP2_CHECK=1", 3, 0, 1},
    {"watched", "OP2_CHECK=nan", 3, 0, 1},
    {"native", "OP2_DEBUG=kernels", 2, 0, 1},
    {"stress", "OP2_IR_STRESS=1 OP2_CHECK=1", 1, 0, 1},
    {"bound-3", "OP2_TRACE_MAX_LOOPS=3", 1, 0, 1},
    {"bound-bytes", "OP2_TRACE_MAX_BYTES=100", 1, 0, 1},
    {"blocks",
     "OP2_BLOCK_SIZE=4 OP2_THREADING=colours OP2_LATE=always OP2_CHECK=1", 3, 0,
     1},
    {"blocks-soa", "OP2_BLOCK_SIZE=16 OP2_THREADING=colours OP2_LAYOUT=soa", 2,
     0, 1},
    {"mirror", "OP2_MIRROR=1", 1, 0, 1},
    {"mirror-peeks", "OP2_MIRROR=1", 2, PLAY_PEEK, 1},
    {"looks", "", 2, PLAY_PEEK | PLAY_IR_ONLY, 2},
    {"looks-rcm-soa", "OP2_RENUMBER=rcm OP2_LAYOUT=soa OP2_CHECK=1", 1,
     PLAY_PEEK | PLAY_IR_ONLY, 2},
    {"opencl-looks", OPENCL, 1, ON_DEVICE | PLAY_PEEK, 1},
    {"reproducible", "OP2_REPRODUCIBLE=1", 2, PLAY_SAME_SUMS, 1},
    {"reproducible-3", "OP2_REPRODUCIBLE=1 OP2_TEAM=all OP2_CHECK=1", 3,
     PLAY_SAME_SUMS, 0},
    {"reproducible-pieces",
     "OP2_REPRODUCIBLE=1 OP2_TILE_PIECE=3 OP2_TEAM=all OP2_CHECK=1", 3,
     PLAY_SAME_SUMS, 1},
    {"reproducible-pieces-soa",
     "OP2_REPRODUCIBLE=1 OP2_TILE_PIECE=1 OP2_TEAM=all OP2_LAYOUT=soa", 2,
     PLAY_SAME_SUMS, 0},
    {"alone-eager", "OP2_EAGER=1 OP2_DISABLE=number", 1, PLAY_EAGER_SUMS, 1},
    {"alone", "OP2_DISABLE=number", 1, PLAY_EAGER_SUMS, 0},
    {"alone-soa",
     "OP2_DISABLE=number OP2_LAYOUT=soa OP2_RUNS=always OP2_TRACE_MAX_LOOPS=9 "
     "OP2_IR_STRESS=1",
     1, PLAY_EAGER_SUMS, 0},
    {"no-realloc", "", 1, PLAY_NO_REALLOC, 2},
    {"no-realloc-blocks", "OP2_LAYOUT=8", 2, PLAY_NO_REALLOC, 2},
    {"flush-each", "", 1, PLAY_FLUSH, 1},
    {"flush-some", "", 2, PLAY_FLUSH_SOME, 1},
    {"renumbered", "", 2, PLAY_RENUMBER, 4},
    {"new-maps", "", 2, PLAY_NEW_MAPS | PLAY_FLUSH_SOME, 1},
    {"new-maps-rcm", "OP2_RENUMBER=rcm", 1, PLAY_NEW_MAPS, 1},
    {"permuted", "", 2, PLAY_PERMUTE, 1},
    {"auto-soa", "", 2, PLAY_AUTO_SOA, 1},
    {"base-one", "", 1, PLAY_BASE_ONE, 1},
    {"opencl", OPENCL, 2, ON_DEVICE, 1},
    {"opencl-eager", OPENCL " OP2_EAGER=1", 1, ON_DEVICE, 1},
    {"opencl-gather", OPENCL " OP2_GATHER=always OP2_CHECK=1", 1, ON_DEVICE, 1},
    {"opencl-colours", OPENCL " OP2_THREADING=colours", 1, ON_DEVICE, 1},
    {"opencl-atomic", OPENCL " OP2_INCREMENTS=atomic", 1, ON_DEVICE, 1},
    {"opencl-staged", OPENCL " OP2_INCREMENTS=staged OP2_CHECK=1", 1, ON_DEVICE,
     1},
    {"opencl-reads",
     OPENCL " OP2_INCREMENTS=staged OP2_READS=staged OP2_CHECK=1", 1, ON_DEVICE,
     1},
    {"opencl-staged-rcm", OPENCL " OP2_INCREMENTS=staged OP2_RENUMBER=rcm", 2,
     ON_DEVICE | PLAY_TARGETS, 1},
    {"opencl-no-passes", OPENCL " OP2_DISABLE=" ALL_PASSES, 1, ON_DEVICE, 1},
    {"opencl-mixed", OPENCL, 2, ON_DEVICE | PLAY_TARGETS, 1},
    {"opencl-mixed-rcm",
     OPENCL " OP2_RENUMBER=rcm OP2_LAYOUT=soa OP2_CHECK=1 OP2_IR_STRESS=1", 1,
     ON_DEVICE | PLAY_TARGETS | PLAY_FLUSH_SOME, 1},
    {"opencl-no-realloc", OPENCL, 1, ON_DEVICE | PLAY_NO_REALLOC, 1},
    {"opencl-fallback", OPENCL " OP2_OFFLOAD_FALLBACK=host", 1,
     PLAY_DEVICE | PLAY_IR_ONLY, 1},
    {"opaque-deferred", "OP2_DEFER_OPAQUE=1 OP2_MIRROR=0", 2,
     PLAY_OPAQUE_ONLY | PLAY_NO_EFFECTS, 3},
    {"opaque-deferred-8", "OP2_DEFER_OPAQUE=1 OP2_MIRROR=0 OP2_LAYOUT=8", 1,
     PLAY_OPAQUE_ONLY | PLAY_NO_EFFECTS, 3},
    {"ranks", RANKS, 1, IN_RANKS, 0},
    {"ranks-tiers", RANKS " " TIERS, 1, IN_RANKS, 0},
    {"ranks-eager", RANKS " OP2_EAGER=1 OP2_LAYOUT=soa OP2_OVERLAP=0", 1,
     IN_RANKS, 0},
    {"ranks-auto",
     RANKS " OP2_HALO_LIMIT=auto OP2_HALO_COSTS=0.1,1000,5 OP2_IR_STRESS=1", 2,
     IN_RANKS, 0},
    {"ranks-deep", RANKS " OP2_HALO_LIMIT=6 OP2_CHECK=1 OP2_IR_STRESS=1", 1,
     IN_RANKS, 0},
    {"ranks-gather", RANKS " OP2_GATHER=always OP2_CHECK=1", 2, IN_RANKS, 0},
    {"ranks-tiles", RANKS " OP2_TILE_PIECE=7 OP2_TILE_ROWS=1 OP2_IR_STRESS=1",
     2, IN_RANKS, 0},
    {"ranks-pieces", RANKS " OP2_TILE_PIECE=1 OP2_CHECK=1", 1, IN_RANKS, 0},
    {"ranks-pieces-all",
     RANKS " OP2_TILE_PIECE=3 OP2_TEAM=all OP2_HALO_LIMIT=6 OP2_RENUMBER=rcm "
           "OP2_LATE=always OP2_CHECK=1",
     3, IN_RANKS, 0},
    {"ranks-rcm", RANKS " OP2_RENUMBER=rcm OP2_CHECK=1", 2, IN_RANKS, 0},
    {"ranks-bisect-deep", RANKS " OP2_RENUMBER=bisect OP2_HALO_LIMIT=6", 1,
     IN_RANKS, 0},
    {"ranks-bound-bytes", RANKS " OP2_TRACE_MAX_BYTES=100", 1, IN_RANKS, 0},
    {"ranks-no-passes", RANKS " OP2_DISABLE=" ALL_PASSES, 2,
     IN_RANKS | PLAY_FLUSH_SOME, 0},
    {"ranks-reproducible", RANKS " OP2_REPRODUCIBLE=1", 1,
     IN_RANKS | PLAY_SAME_SUMS, 0},
    {"ranks-reproducible-3",
     RANKS " OP2_REPRODUCIBLE=1 OP2_HALO_LIMIT=6 OP2_LAYOUT=soa OP2_CHECK=1", 3,
     IN_RANKS | PLAY_SAME_SUMS, 0},
    {"ranks-watched", RANKS " OP2_CHECK=nan", 1, IN_RANKS, 0},
    {"ranks-new-maps", RANKS, 2, IN_RANKS | PLAY_NEW_MAPS, 0},
    {"ranks-new-maps-deep",
     RANKS " OP2_HALO_LIMIT=6 OP2_RENUMBER=rcm OP2_TILE_PIECE=3 OP2_CHECK=1", 1,
     IN_RANKS | PLAY_NEW_MAPS | PLAY_FLUSH_SOME, 0},
    {"ranks-looks", "OP2_DECLARE=whole", 1, IN_RANKS | PLAY_PEEK | PLAY_IR_ONLY,
     0},
    {"ranks-looks-alone", "OP2_DECLARE=whole", 1,
     IN_RANKS | PLAY_PEEK | PLAY_ALONE | PLAY_IR_ONLY, 0},
    {"ranks-opencl", RANKS " " OPENCL, 1, IN_RANKS | ON_DEVICE, 0},
    {"ranks-opencl-eager", RANKS " " OPENCL " OP2_EAGER=1", 1,
     IN_RANKS | ON_DEVICE, 0},
    {"ranks-opencl-mixed",
     RANKS " " OPENCL " OP2_INCREMENTS=staged OP2_READS=staged OP2_CHECK=1 "
           "OP2_IR_STRESS=1",
     1, IN_RANKS | ON_DEVICE | PLAY_TARGETS | PLAY_FLUSH_SOME, 0},
    {"ranks-opencl-deep",
     RANKS " " OPENCL " OP2_HALO_LIMIT=6 OP2_THREADING=colours OP2_LAYOUT=soa",
     1, IN_RANKS | ON_DEVICE | PLAY_TARGETS, 0},
    {"ranks-plain", "OP2_DECLARE=whole", 1, IN_RANKS | PLAY_PEEK | PLAY_MIXED,
     0},
    {"ranks-own-options", RANKS " OP2_THREADING=colours", 1,
     IN_RANKS | PLAY_OWN, 0},
    {"ranks-shared-options", RANKS, 1, IN_RANKS | PLAY_REFUSED, 0},
    {"ranks-apart", RANKS, 1, IN_RANKS | PLAY_APART, 0},
    {"parts", PARTS, 1, IN_PARTS, 0},
    {"parts-eager", PARTS " OP2_EAGER=1 OP2_LAYOUT=soa OP2_OVERLAP=0", 1,
     IN_PARTS, 0},
    {"parts-auto",
     PARTS " OP2_HALO_LIMIT=auto OP2_HALO_COSTS=0.1,1000,5 OP2_IR_STRESS=1", 2,
     IN_PARTS, 0},
    {"parts-deep", PARTS " OP2_HALO_LIMIT=6 OP2_CHECK=1 OP2_IR_STRESS=1", 1,
     IN_PARTS, 0},
    {"parts-pieces", PARTS " OP2_TILE_PIECE=2 OP2_CHECK=1", 1,
     IN_PARTS | PLAY_FLUSH_SOME, 0},
    {"parts-rcm", PARTS " OP2_RENUMBER=rcm OP2_CHECK=1", 2,
     IN_PARTS | PLAY_FLUSH_SOME, 0},
    {"parts-watched", PARTS " OP2_CHECK=nan", 1, IN_PARTS, 0},
    {"parts-mirror", "OP2_DECLARE=parts OP2_MIRROR=1", 1, IN_PARTS, 0},
    {"parts-new-maps", PARTS " OP2_HALO_LIMIT=6", 2, IN_PARTS | PLAY_NEW_MAPS,
     0},
    {"parts-looks", "OP2_DECLARE=parts", 1, IN_PARTS | PLAY_PEEK | PLAY_IR_ONLY,
     0},
    {"parts-opencl", PARTS " " OPENCL, 1, IN_PARTS | ON_DEVICE, 0},
    {"plain", "", 2, PLAY_PEEK | PLAY_MIXED, 3},
    {"plain-calls", "", 2, PLAY_MIXED, 2},
    {"plain-rcm-soa", "OP2_RENUMBER=rcm OP2_LAYOUT=soa OP2_CHECK=1", 1,
     PLAY_PEEK | PLAY_MIXED, 3},
    {"plain-no-realloc", "", 2, PLAY_PEEK | PLAY_MIXED | PLAY_NO_REALLOC, 3},
    {"opaque-deferred-flush", "OP2_DEFER_OPAQUE=1 OP2_MIRROR=0", 2,
     PLAY_OPAQUE_ONLY | PLAY_NO_EFFECTS | PLAY_FLUSH_SOME, 3},
};
const size_t nmodes = sizeof modes / sizeof *modes;
_Static_assert(sizeof modes / sizeof *modes <= MODES_MAX, "a figure for each");

static const char *device = "opencl";

/* The mode's environment on that device. */
static void
mode_aim(struct mode *m) {
  const char *rest = m->env;
  size_t size = strlen(rest) + strlen(device) + 16;
  if (!strncmp(rest, OPENCL, strlen(OPENCL)))
    rest += strlen(OPENCL);
  else if (strstr(rest, "OP2_TARGET="))
    return;
  else
    m->flags |= ON_DEVICE;
  if (m->flags & PLAY_TARGETS) m->share *= 4; /* what is new there */
  char *env = get_memory(size, 1);            /* lives as long as the table */
  snprintf(env, size, "OP2_TARGET=%s %s", device, rest);
  m->env = env;
}

void
modes_start(void) {
  const char *target = getenv("OP2_TARGET");
  if (!target || (strncmp(target, "opencl", 6) && strncmp(target, "cuda", 4)))
    return;
  char *name = get_memory(strlen(target) + 1, 1);
  device = strcpy(name, target);
  for (size_t m = 0; m < nmodes; m++) mode_aim(&modes[m]);
}

bool
mode_is_for(const struct mode *m) {
  if (m->flags & PLAY_DEVICE && !mode_have_device()) return false;
  if (run_mixed) return !(m->flags & PLAY_IR_ONLY);
  unsigned others = run_opaque ? PLAY_IR_ONLY : PLAY_OPAQUE_ONLY;
  return !(m->flags & (others | PLAY_MIXED));
}

/* The cards, not shuffled. */
static uint64_t
deck_make(size_t **deck) {
  int n = 0;
  for (size_t m = 0; m < nmodes; m++)
    for (int k = 0; k < modes[m].share && mode_is_for(&modes[m]); k++)
      ADD(*deck, n, m);
  return (uint64_t)n;
}

/* Card number k of an endless row of decks, each shuffled anew. */
static size_t
deck_card(uint64_t k) {
  size_t *deck = NULL;
  uint64_t n = deck_make(&deck);
  struct rnd r = {k / n * 0x9e3779b97f4a7c15 + 1};
  for (uint64_t i = 0; i <= k % n; i++) {
    uint64_t with = i + (uint64_t)rnd_below(&r, (int)(n - i));
    size_t m = deck[i];
    deck[i] = deck[with];
    deck[with] = m;
  }
  size_t card = deck[k % n];
  free(deck);
  return card;
}

void
modes_draw(uint64_t number, size_t **list, int *n) {
  *n = 0;
  ADD(*list, *n, MODE_EAGER);
  ADD(*list, *n, MODE_DEFAULT);
  for (uint64_t k = 2 * number; k < 2 * number + 2; k++) {
    size_t m = deck_card(k);
    ADD(*list, *n, m);
    /* those that give the same sums are compared with each other */
    unsigned alike = modes[m].flags & (PLAY_SAME_SUMS | PLAY_EAGER_SUMS);
    for (size_t i = m + 1; i < nmodes && alike; i++)
      if (modes[i].flags & alike) ADD(*list, *n, i);
  }
}

static const char *const variables[] = {
    "OP2_EAGER",        "OP2_DISABLE",         "OP2_CHECK",
    "OP2_IR_STRESS",    "OP2_TRACE_MAX_LOOPS", "OP2_TRACE_MAX_BYTES",
    "OP2_DEFER_OPAQUE", "OP2_MIRROR",          "OP2_REPRODUCIBLE",
    "OP2_LAYOUT",       "OP2_BLOCK_SIZE",      "OP2_TARGET",
    "OP2_RENUMBER",     "OP2_THREADING",       "OP2_OFFLOAD_FALLBACK",
    "OP2_INCREMENTS",   "OP2_DECLARE",         "OP2_HALO_LIMIT",
    "OP2_HALO_COSTS",   "OP2_OVERLAP",         "OP2_CUDA_GRAPHS",
    "OP2_CACHE",        "OP2_CACHE_SIZE",      "OP2_COMPILE_THREADS",
    "OP2_TEAM",         "OP2_DEVICE_TIMES",    "OP2_READS",
    "OP2_DEBUG",        "OP2_BUNDLE",          "OP2_TIERS"};

/* Options of this rank's own: each by its number, or as they were. */
static void
mode_own(void) {
  static struct rnd r;
  if (!r.state) r.state = (uint64_t)check_rank() * 77 + 5;
  for (size_t k = 0; k < NOWN; k++) {
    unsetenv(own_values[k][0]);
    int which = rnd_below(&r, 6);
    if (which < 3) setenv(own_values[k][0], own_values[k][1 + which], 1);
  }
}

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
  /* files of another compiler promise nothing, but here nobody peeks */
  if (run_mixed && !(m->flags & (PLAY_PEEK | PLAY_MIXED)))
    setenv("OP2_MIRROR", "0", 0);
  if (m->flags & PLAY_OWN) mode_own();
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

bool
mode_have_device(void) {
  static int have = -1;
  int32_t (*platforms)(uint32_t, void **, uint32_t *);
  uint32_t n = 0;
  const char *asan = getenv("ASAN_OPTIONS");
  if (!strncmp(device, "cuda", 4)) have = 1; /* it was asked for */
  if (have < 0 && asan && !strstr(asan, "detect_leaks=0"))
    have = 0; /* PoCL leaks */
  if (have >= 0) return have;
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  void *f = library ? dlsym(library, "clGetPlatformIDs") : NULL;
  memcpy(&platforms, &f, sizeof f);
  have = f && !platforms(0, NULL, &n) && n > 0;
  return have;
}

const char *
mode_target(uint64_t seed, int op) {
  const char *const targets[] = {device, "openmp", device, "seq", device};
  return targets[(seed * 31 + (uint64_t)op * 7 + seed / 5) % 5];
}
