/* Multigrid for Poisson's equation by linear elements on triangles.
 *
 *   -div grad u = f in the unit square, u = 0 on its boundary; chosen so that
 *   u = x (1 - x) y (1 - y),  f = 2 x (1 - x) + 2 y (1 - y)
 *
 * A level's matrix is a graph: (A u)_a = sum of w (u_a - u_b) over the edges a-b.
 * A V-cycle smooths by damped Jacobi, sums up what is left on the next level (half
 * to each parent), solves there from zero, adds what its parents found to each
 * node, and smooths again. flow collects -A u and is set to zero where it was
 * used; inverse is 0 on the boundary, which nothing changes. Method: W. L. Briggs,
 * V. E. Henson and S. F. McCormick, "A multigrid tutorial", 2000.
 */
#ifndef BENCH_MULTIGRID_KERNELS_H
#define BENCH_MULTIGRID_KERNELS_H

#include <math.h>

#define MULTIGRID_DAMPING 0.8
/* Sweeps before, after, and on the coarsest level. */
enum { MULTIGRID_BEFORE = 2, MULTIGRID_AFTER = 2, MULTIGRID_LAST = 8 };

static inline double
multigrid_exact(const double *x) {
  return x[0] * (1 - x[0]) * x[1] * (1 - x[1]);
}

static inline void
source(const double *restrict x, const double *restrict load,
       double *restrict b) {
  *b = *load * 2 * (x[0] * (1 - x[0]) + x[1] * (1 - x[1]));
}

static inline void
exchange(const double *restrict w, const double *restrict ua,
         const double *restrict ub, double *restrict fa, double *restrict fb) {
  double f = *w * (*ub - *ua);
  *fa += f;
  *fb -= f;
}

static inline void
relax(const double *restrict b, const double *restrict inverse,
      double *restrict flow, double *restrict u) {
  *u += MULTIGRID_DAMPING * *inverse * (*b + *flow);
  *flow = 0;
}

static inline void
begin_level(double *restrict b, double *restrict u) {
  *b = 0;
  *u = 0;
}

/* What is left, half to each parent: all where they are the same. */
static inline void
restrict_to(const double *restrict b, const double *restrict inverse,
            double *restrict flow, double *pa, double *pb) {
  double left = *inverse > 0 ? *b + *flow : 0;
  *pa += 0.5 * left;
  *pb += 0.5 * left;
  *flow = 0;
}

static inline void
prolong(const double *inverse, const double *pa, const double *pb, double *u) {
  *u += *inverse > 0 ? 0.5 * (*pa + *pb) : 0;
}

static inline void
norm(const double *restrict b, const double *restrict inverse,
     double *restrict flow, double *restrict sum) {
  double left = *inverse > 0 ? *b + *flow : 0;
  *sum += left * left;
  *flow = 0;
}

static inline void
error(const double *restrict x, const double *restrict u,
      double *restrict most) {
  double e = fabs(*u - multigrid_exact(x));
  *most = e > *most ? e : *most;
}

#endif
