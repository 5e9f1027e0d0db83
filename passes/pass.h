/* The pass driver: one loop runs all passes over a trace. */
#ifndef PASSES_PASS_H
#define PASSES_PASS_H

#include "ir/live.h"

/* Options of one run; zero is the default. */
struct pass_options {
  const char *disable; /* comma-separated names left out, NULL: none */
  const char
      *pipeline; /* "dce,fuse{max=8}"; NULL: all of passes.def in order */
  const char
      *with;   /* "halo{limit=2}": passes of the default pipeline with other
                       options; NULL: none */
  bool verify; /* verify after each pass (always done in debug builds) */
  bool stress; /* print, re-parse and compare after each pass */
  /* called after each pass with the trace as it stands; NULL: none */
  void (*after)(void *user, const char *pass, const struct ir_trace *t);
  void *user;
};

/* Run the pipeline on `*t`. Stress mode replaces the trace by its re-parsed
 * copy (tags and remarks are carried over), hence the pointer to pointer. A
 * name in `disable` switches the pass off as passes.def says. Errors: unknown
 * pass or option in the pipeline, unknown name in `disable` (ERR_ARG, found
 * before anything runs), a pass that broke the trace (ERR_STATE, with every
 * failure of the verifier). */
status pass_run(struct ir_trace **t, const struct pass_options *o);
/* Are all of these, comma-separated, passes? ERR_ARG names one that is not. */
status pass_check_names(const char *names);
/* Names and one-liners of all passes. */
void pass_list(struct str *out);

/* ---- for pass files ------------------------------------------------------ */

/* What a pass may need, keep or spoil. */
enum pass_fact {
  /* made by the driver (ir_overlaps_build, ...) */
  PASS_OVERLAPS = 1,
  PASS_UNITS = 2,
  PASS_LIVE = 256,
  /* written into the trace by passes: fuse, storage, place, halo (exchanges,
   * too), colour, hold, width, stretch, runs, late, tile, ahead, stream,
   * sums, team and cores */
  PASS_REGIONS = 4,
  PASS_BUFFERS = 8,
  PASS_PLACES = 16,
  PASS_LEVELS = 32,
  PASS_WALKS = 64,
  PASS_HOLDS = 128,
  PASS_CORES = 512,
  PASS_WIDTHS = 1024,
  PASS_SUMS = 2048,
  PASS_TEAMS = 4096,
  PASS_STRETCHES = 8192,
  PASS_CHAINS = 16384,
  PASS_STREAMS = 32768, /* of holds: those that are stream */
  PASS_RUNS = 65536,    /* and run, */
  PASS_LATE = 131072,   /* and late */
  PASS_ASKS = 262144,   /* of regions: what they ask for ahead */
  /* what is there before anybody says how regions run, and how they do */
  PASS_PLACED = PASS_REGIONS | PASS_BUFFERS | PASS_PLACES | PASS_LEVELS,
  PASS_SCHEDULE = PASS_WALKS | PASS_HOLDS | PASS_WIDTHS | PASS_SUMS |
                  PASS_TEAMS | PASS_CORES | PASS_STRETCHES | PASS_CHAINS |
                  PASS_STREAMS | PASS_RUNS | PASS_LATE | PASS_ASKS
};

struct pass_ctx {
  const bool *overlaps; /* what the pass needs; else NULL */
  const int32_t *unit_of;
  int32_t nunits;
  const struct ir_live *live;
  const char *args; /* text between { and }, "" if none */
};
/* Value of `key=<number>` among the pass's arguments, else `def`. */
long pass_arg(const struct pass_ctx *c, const char *key, long def);

/* Is the machine behind this target of a device a GPU? Option `gpu`: any is. */
bool pass_on_gpu(const struct pass_ctx *c, const char *target);

/* As ir_reorder; besides, every `in` becomes the version that is current where
 * its node now stands. So nodes whose accesses commute may change places, and
 * FREE and LIVE follow when writers before them leave. cost O(trace) */
void pass_reorder(struct ir_trace *t, const ir_ref *perm, uint32_t n_keep);
/* Asserts that nodes which depend on each other (ir_dep) keep their order. Not
 * LIVE: it follows. cost O(nodes * nodes), in debug builds only */
void pass_check_order(const struct ir_trace *t, const ir_ref *perm);
/* Put a node that only reads in at `at`: ir_insert_node. target: of data that
 * move, NULL. */
void pass_insert(struct ir_trace *t, ir_ref at, enum ir_op op,
                 const char *target, const struct ir_arg *args, uint32_t n);
/* For remarks: "update (airfoil.c:44)" and "%q.1"; in the trace's arena. */
const char *pass_node_text(struct ir_trace *t, ir_ref n);
const char *pass_value_text(struct ir_trace *t, ir_ref v);

/* True: the trace is no longer what it was, but for remarks. */
#define PASS(name, needs, keeps, options, off, what)                           \
  bool pass_##name(struct ir_trace *t, const struct pass_ctx *c);
#include "passes/passes.def"
#undef PASS

#endif
