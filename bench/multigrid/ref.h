/* Multigrid in plain C, without the library. On one thread one loop per kernel; on
 * more, OpenMP with coloured blocks. */
#ifndef BENCH_MULTIGRID_REF_H
#define BENCH_MULTIGRID_REF_H

#include "../colour.h"
#include "levels.h"

enum { MREF_THREADS = 256, MREF_PAD = 8 };

struct mref {
  const struct levels *l; /* KEEP */
  int threads, k;         /* k: the level at hand */
  struct mref_level {
    double *b, *u, *flow;
    struct colouring nodes, edges, children; /* threads > 1 */
  } at[LEVELS_MOST];
  double share[MREF_THREADS * MREF_PAD]; /* one cache line a thread */
};

/* Allocate, colour and set the first state. The caller clears it and keeps the
 * meshes until then. */
void mref_start(struct mref *m, const struct levels *l, int threads, int block);
void mref_stop(struct mref *m);

void mref_cycle(struct mref *m);
double mref_rms(struct mref *m);
double mref_error(const struct mref *m);

#endif
