/* Playing a program through the API, and comparing what it shows. */
#ifndef RANDOM_PLAY_H
#define RANDOM_PLAY_H

#include "interp.h"

/* What a player does besides the program. */
enum {
  PLAY_FLUSH = 1,        /* op2_flush after each operation */
  PLAY_FLUSH_SOME = 2,   /* ... after some */
  PLAY_RENUMBER = 4,     /* elements in another order */
  PLAY_OPAQUE_ONLY = 8,  /* for programs whose kernels carry no IR */
  PLAY_IR_ONLY = 16,     /* for programs whose kernels do */
  PLAY_NO_REALLOC = 32,  /* dats in the program's own memory */
  PLAY_NO_EFFECTS = 64,  /* kernels promise to have none */
  PLAY_PERMUTE = 128,    /* independent loops change places */
  PLAY_AUTO_SOA = 256,   /* op_init_soa */
  PLAY_BASE_ONE = 512,   /* maps count from 1 */
  PLAY_SAME_SUMS = 1024, /* sums have the same bits in all such modes */
  PLAY_DEVICE = 2048,    /* needs an OpenCL device */
  PLAY_TARGETS = 4096,   /* loops on devices and on the host in turn */
  PLAY_RANKS = 8192,     /* on several ranks, each of which plays all of it */
  PLAY_PEEK = 16384,     /* dat->data is read and written with no call before */
  PLAY_MIXED = 1 << 15,  /* in a program with files of another compiler */
  PLAY_OWN = 1 << 16,    /* each rank has options of its own */
  PLAY_REFUSED =
      1 << 17,          /* starts with options that ranks may not have apart */
  PLAY_APART = 1 << 18, /* at some loop one rank's flags differ: all are told */
  PLAY_ALONE = 1 << 19, /* PEEK by one rank, or all; no pointer is kept */
  PLAY_NEW_MAPS =
      1 << 20, /* some map is declared again before some operations */
  PLAY_PARTS =
      1 << 21, /* each rank declares a part, of which it has the values */
  PLAY_EAGER_SUMS = 1 << 22 /* globals have those of loops at their calls */
};

/* Is map *k declared again before operation `op`, under PLAY_NEW_MAPS? */
bool play_map_again(const struct program *p, int op, int *k);

struct failure {
  bool failed;
  int op, cell; /* nops: after the end */
  char type;
  union cell found, expected;
  char text[512];
  uint64_t sums;        /* hash of the bits of all values that are not exact */
  uint64_t global_sums; /* of those of globals */
};

/* How op_partition cuts sets, in place of what seeds choose; "none": not at all. */
extern const char *play_by;
/* Play it in the library as it is initialised; `seen` as the interpreter saw it. */
void play(const struct program *p, const struct seen *seen, unsigned flags,
          struct failure *out);
/* Start the library with another value of a shared option on one rank, all by the
 * number: an error on each. */
void play_refused(uint64_t number, struct failure *out);
/* Around a session of plays. */
void play_begin(unsigned flags);
void play_end(struct failure *out);

/* Number of the loop at which ranks come apart under PLAY_APART; nops: there is none. */
int play_apart_at(const struct program *p);

#endif
