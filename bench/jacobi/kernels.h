/* Jacobi's iteration on a graph, for one element type.
 *
 * Nodes of an ni x nj grid; edge (a, b) carries A(a, b) and adds A u(b) beta to
 * du(a). `update` takes du into u: it increments u *and reads it*, all under
 * OP_INC, as OP2's own example does, so that only a look at the kernel tells
 * that this increment must see the current value.
 *
 * Define REAL (the C type), REAL_NAME (OP2's name) and JACOBI_KIND before:
 *   JACOBI_FLOATING  the five-point Laplacian, converging
 *   JACOBI_INTEGER   the same shape in exact arithmetic, bounded for ever
 */
#ifndef BENCH_JACOBI_KERNELS_H
#define BENCH_JACOBI_KERNELS_H

#define JACOBI_FLOATING 0
#define JACOBI_INTEGER 1

static inline void
res(const REAL *A, const REAL *u, REAL *du, const REAL *beta) {
  *du += *beta * *A * *u;
}

#if JACOBI_KIND == JACOBI_INTEGER
typedef long long jacobi_sum;
#define JACOBI_SUM_NAME "ll"
/* du is 2 (sum of four neighbours), so that the largest u becomes at most 3/4
 * of itself plus r. */
static inline REAL
change(REAL u, REAL du, REAL r) {
  return du / 32 - u / 2 + r;
}
#else
typedef REAL jacobi_sum;
#define JACOBI_SUM_NAME REAL_NAME
static inline REAL
change(REAL u, REAL du, REAL r) {
  return du - u + r;
}
#endif

static inline void
update(const REAL *r, REAL *du, REAL *u, jacobi_sum *u_sum, REAL *u_max) {
  *u += change(*u, *du, *r);
  *du = 0;
  *u_sum += (jacobi_sum)*u * *u;
  *u_max = *u_max > *u ? *u_max : *u;
}

#endif
