/* Running programs in child processes, so that a crash ends no more than that. */
#ifndef RANDOM_RUN_H
#define RANDOM_RUN_H

#include "kinds.h"
#include "modes.h"
#include "play.h"

/* Programs and modes of one child: each mode is one session of the library. */
struct batch {
  const struct program **programs;
  int nprograms;
  size_t *modes;
  int nmodes;
};

struct result {
  bool failed;
  int program; /* number in the batch; nprograms: at op_exit */
  size_t mode;
  bool crashed; /* failure.text says how; op is the last one begun */
  struct failure failure;
  struct failure *all; /* of sums */
};

/* Figures of all batches. */
struct figures {
  long long programs, plays, compiles, hits, loops, regions, renames;
  long long by_mode[MODES_MAX], by_kind[KINDS_MAX];
};
extern struct figures figures;

/* Play all programs in all modes; the first failure. */
void run_batch(const struct batch *b, struct result *out);
/* The same in this process: it is one rank of several. */
void run_here(const struct batch *b, struct result *out);
/* One program in one mode; seconds until it counts as hanging. */
bool run_fails(const struct program *p, size_t mode, struct result *out);

extern bool run_apart;    /* ranks came apart: this process can only end */
extern uint64_t run_bits; /* of all sums in reproducible modes */
extern bool run_ranks;    /* this process is one of several ranks */
extern bool run_parts;  /* ... and programs are cut down to what suits parts */
extern bool run_mixed;  /* some do, and files say that they are plain */
extern bool run_opaque; /* the kernels of this executable carry no IR */

#endif
