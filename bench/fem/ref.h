/* The finite-element solver in plain C, without the library. */
#ifndef BENCH_FEM_REF_H
#define BENCH_FEM_REF_H

#include "../colour.h"
#include "square.h"

enum { FREF_THREADS = 256, FREF_PAD = 8 };

struct fref {
  const struct square *s; /* KEEP */
  int threads;
  double *K, *b, *u, *r, *p, *v;
  double alpha, beta;
  const double *factor; /* what multiply is applied to */
  struct colouring nodes, cells;
  double total[FREF_THREADS * FREF_PAD]; /* one cache line a thread */
};

/* Allocate and colour; the caller clears it and keeps the mesh until then. */
void fref_start(struct fref *f, const struct square *s, int threads, int block);
void fref_stop(struct fref *f);

/* Assemble, set the boundary, first residual; returns r . r. */
double fref_begin(struct fref *f);
/* One step of conjugate gradients from r . r = rr; returns the new one. */
double fref_step(struct fref *f, double rr);
/* Root mean square of the nodes' errors, and the largest one. */
double fref_error(const struct fref *f, double *most_out);

#endif
