/* Shallow water in plain C, without the library. On one thread one loop per
 * kernel; on more, OpenMP with coloured blocks. */
#ifndef BENCH_SHALLOW_REF_H
#define BENCH_SHALLOW_REF_H

#include "../colour.h"
#include "basin.h"

enum { SREF_THREADS = 256, SREF_PAD = 8 };

struct sref {
  const struct basin *b; /* KEEP */
  int threads;
  double *size, *u, *old, *r;
  double dt;
  struct colouring cells, edges, walls;  /* threads > 1 */
  double least[SREF_THREADS * SREF_PAD]; /* one cache line a thread */
};

/* Allocate, colour and set the first state. The caller clears it and keeps the
 * mesh until then. */
void sref_start(struct sref *s, const struct basin *b, int threads, int block);
void sref_stop(struct sref *s);

/* One step of the length s->dt, which it finds first. */
void sref_step(struct sref *s);
/* sum[3], and the largest depth: as the kernel `totals` says. */
void sref_totals(const struct sref *s, double *sum, double *deepest_out);

#endif
