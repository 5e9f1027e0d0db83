/* Chebyshev smoothing in plain C, without the library, over edges or over compressed
 * rows. On one thread one loop per kernel; on more, OpenMP, the edges in coloured
 * blocks. */
#ifndef BENCH_CHEBYSHEV_REF_H
#define BENCH_CHEBYSHEV_REF_H

#include "../colour.h"
#include "graph.h"

enum { CREF_THREADS = 256, CREF_PAD = 8 };

struct cref {
  const struct graph *g; /* KEEP */
  int threads, as_rows;
  double *u, *next, *d, *flow, ab[2];
  struct colouring nodes, edges;         /* threads > 1 */
  double share[CREF_THREADS * CREF_PAD]; /* one cache line a thread */
};

/* Allocate and colour. The caller clears it and keeps the graph until then. */
void cref_start(struct cref *c, const struct graph *g, int as_rows, int threads,
                int block);
void cref_stop(struct cref *c);

/* s steps. */
void cref_smooth(struct cref *c, int s);
/* Of what is left. */
double cref_rms(struct cref *c);

#endif
