/* Chebyshev smoothing: s products with the matrix of a weighted graph at a time.
 *
 *   A u = D u - W u,  (W u)_a = sum of w u_b over the edges a-b,
 *   D_a = 1.0625 times the sum of w at a: symmetric, positive definite
 *
 * One smoothing is s steps for A u = b, with z = D^-1 (b - A u), on the part
 * [least, most] of the eigenvalues of D^-1 A, which lie in [0.0588, 1.942]:
 *
 *   theta = (most + least) / 2, delta = (most - least) / 2, sigma = theta / delta
 *   first step   d = z / theta,                               rho = 1 / sigma
 *   the others   d = rho' rho d + 2 rho' / delta z,           rho' = 1 / (2 sigma - rho)
 *   each         u += d
 *
 * so that s steps are a polynomial of D^-1 A of degree s: the same chain of products
 * that methods with matrix powers have. Method: Y. Saad, "Iterative methods for
 * sparse linear systems", 2003, algorithm 12.1.
 *
 * As edges, flow collects W u and is set to zero where it was used; as rows, a node
 * goes over its neighbours, of which there are as many weights.
 */
#ifndef BENCH_CHEBYSHEV_KERNELS_H
#define BENCH_CHEBYSHEV_KERNELS_H

#include <math.h>

#define CHEBYSHEV_MOST 1.9420
#define CHEBYSHEV_LEAST (CHEBYSHEV_MOST / 8)

/* A small number of a place in space, smooth. */
static inline double
chebyshev_wave(const double *x) {
  return x[0] * (1 - x[1]) + x[1] * x[2] - x[2] * x[2];
}

/* A weight: 1 over the square of an edge's length, as finite volumes have. */
static inline double
chebyshev_weight(const double *xa, const double *xb) {
  double d[3] = {xb[0] - xa[0], xb[1] - xa[1], xb[2] - xa[2]};
  return 1e-3 / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static inline void
exchange(const double *restrict w, const double *restrict ua,
         const double *restrict ub, double *restrict fa, double *restrict fb) {
  *fa += *w * *ub;
  *fb += *w * *ua;
}

/* ab[0] d + ab[1] z */
static inline void
chebyshev_step(const double *ab, double b, double diagonal, double flow,
               double *d, double *u) {
  double z = (b + flow) / diagonal - *u;
  *d = ab[0] * *d + ab[1] * z;
  *u += *d;
}

static inline void
advance(const double *restrict ab, const double *restrict b,
        const double *restrict diagonal, double *restrict flow,
        double *restrict d, double *restrict u) {
  chebyshev_step(ab, *b, *diagonal, *flow, d, u);
  *flow = 0;
}

/* n: the neighbours of a node; w, u: a weight and a value of each. */
static inline double
chebyshev_row(int n, double **w, double **u) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += *w[i] * *u[i];
  return sum;
}

/* As rows a node's new value is no neighbour's yet: next is u of the step after. */
static inline void
advance_row(const int *n, double **w, double **u, const double *ab,
            const double *b, const double *diagonal, double *d,
            const double *own, double *next) {
  double value = *own;
  chebyshev_step(ab, *b, *diagonal, chebyshev_row(*n, w, u), d, &value);
  *next = value;
}

static inline void
norm(const double *restrict b, const double *restrict diagonal,
     const double *restrict u, double *restrict flow, double *restrict sum) {
  double left = *b + *flow - *diagonal * *u;
  *sum += left * left;
  *flow = 0;
}

static inline void
norm_row(const int *n, double **w, double **u, const double *b,
         const double *diagonal, const double *own, double *sum) {
  double left = *b + chebyshev_row(*n, w, u) - *diagonal * *own;
  *sum += left * left;
}

/* Coefficients of step k, from rho, which it renews. */
static inline void
chebyshev_next(int k, double *rho, double *ab) {
  double theta = 0.5 * (CHEBYSHEV_MOST + CHEBYSHEV_LEAST);
  double delta = 0.5 * (CHEBYSHEV_MOST - CHEBYSHEV_LEAST);
  double old = *rho;
  *rho = k ? 1 / (2 * theta / delta - old) : delta / theta;
  ab[0] = k ? *rho * old : 0;
  ab[1] = k ? 2 * *rho / delta : 1 / theta;
}

#endif
