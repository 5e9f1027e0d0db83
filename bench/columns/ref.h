/* The operators in plain C with OpenMP, without the library: one loop nest an
 * operator, layers innermost. */
#ifndef BENCH_COLUMNS_REF_H
#define BENCH_COLUMNS_REF_H

#include "torus.h"

struct cref {
  const struct torus *t; /* KEEP */
  int layers, threads;
  double *p, *q;     /* of cells: state, and the next one */
  double *v, *g;     /* of edges */
  double *d, *l, *b; /* of cells */
  double *p1, *p2;
  double *m[3], *x, *cp, *dp; /* of cells: a matrix, its solution, sweeps */
};

void cref_start(struct cref *f, const struct torus *t, int layers, int threads);
void cref_stop(struct cref *f);

void cref_gradient(struct cref *f);
void cref_divergence(struct cref *f);
void cref_laplacian(struct cref *f);
void cref_solve(struct cref *f); /* one column after another */
void cref_step(struct cref *f);  /* the chain of eight; p and q change places */
double cref_sum(const struct cref *f, double *rms_out);

#endif
