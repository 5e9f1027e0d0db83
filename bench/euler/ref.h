/* The Euler equations on tetrahedra in plain C, without the library. On one thread
 * one loop per kernel; on more, OpenMP with coloured blocks. */
#ifndef BENCH_EULER_REF_H
#define BENCH_EULER_REF_H

#include "../colour.h"
#include "box.h"

enum { EREF_THREADS = 256, EREF_PAD = 8 };

struct eref {
  const struct box *b; /* KEEP */
  int threads;
  double *u, *old, *w, *sum, *grad, *low, *high, *phi, *r, *size;
  double dt, alpha, rms;                 /* rms: of the last step's residual */
  struct colouring nodes, edges, walls;  /* threads > 1 */
  double share[EREF_THREADS * EREF_PAD]; /* one cache line a thread */
};

/* Allocate, colour and set the first state. The caller clears it and keeps the
 * mesh until then. */
void eref_start(struct eref *f, const struct box *b, int threads, int block);
void eref_stop(struct eref *f);

/* One step of the length f->dt, which it finds first. */
void eref_step(struct eref *f);
/* As the kernels `totals` (sum[3]) and `excess` say. */
void eref_totals(const struct eref *f, double *sum);
double eref_excess(const struct eref *f);

#endif
