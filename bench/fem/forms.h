/* What the programs fem_matrix* measure: to assemble the matrix of the square's
 * problem, a product with it, and a solution by conjugate gradients with the
 * inverse of the diagonal before it.
 *
 * Only the part of u that is 0 on the boundary is looked for. Rows and columns
 * of nodes there are left out of the matrix; its diagonal is 1. */
#ifndef BENCH_FEM_FORMS_H
#define BENCH_FEM_FORMS_H

#include "../common.h"
#include "square.h"

/* One program. Calls end when all is done that they ask for. */
struct form {
  void *program;
  void (*assemble)(void *program); /* once more, from 0 */
  void (*multiply)(void *program); /* y = A x, of vectors with some values */
  /* From u = 0 until the residual is so small relative to b; returns the
   * iterations, -1: not in so many. */
  int (*solve)(void *program, double rtol, int most);
  double (*error)(void *program, double *most_out); /* rms, largest */
};

/* Measure all three, o->iters times behind o->warmup, solutions five times; print
 * a line each and the result line, whose ms_per_iter is a solution's. Returns an
 * exit code. */
int forms_measure(const struct form *f, const char *argv0,
                  const struct bench_options *o, const struct square *s,
                  int threads);

/* Values of the matrix, and the places where row after row of them begins. */
int forms_nonzeros(const struct square *s);

#endif
