/* Poisson's equation on the unit square by bilinear finite elements and
 * conjugate gradients.
 *
 *   -div grad u = f,  u = g on the boundary;  chosen so that
 *   u = sin(pi x) sin(pi y) + x + 2y,  f = 2 pi^2 sin(pi x) sin(pi y)
 *
 * Each cell keeps its 4 x 4 matrix K[a][b] = integral of grad phi_a . grad
 * phi_b, by 2 x 2 Gauss points; products with the matrix are loops over cells.
 * Method: any book on finite elements; Hestenes and Stiefel 1952.
 */
#ifndef BENCH_FEM_KERNELS_H
#define BENCH_FEM_KERNELS_H

#include <math.h>

#define FEM_PI 3.14159265358979323846

static inline double
fem_exact(const double *x) {
  return sin(FEM_PI * x[0]) * sin(FEM_PI * x[1]) + x[0] + 2 * x[1];
}

static inline double
fem_source(double x, double y) {
  return 2 * FEM_PI * FEM_PI * sin(FEM_PI * x) * sin(FEM_PI * y);
}

/* Shape functions of the reference square [-1, 1]^2 at (s, t), and
 * gradients. */
static inline void
fem_shapes(double s, double t, double *phi, double *ds, double *dt) {
  phi[0] = 0.25 * (1 - s) * (1 - t);
  phi[1] = 0.25 * (1 + s) * (1 - t);
  phi[2] = 0.25 * (1 + s) * (1 + t);
  phi[3] = 0.25 * (1 - s) * (1 + t);
  ds[0] = -0.25 * (1 - t);
  ds[1] = 0.25 * (1 - t);
  ds[2] = 0.25 * (1 + t);
  ds[3] = -0.25 * (1 + t);
  dt[0] = -0.25 * (1 - s);
  dt[1] = -0.25 * (1 + s);
  dt[2] = 0.25 * (1 + s);
  dt[3] = 0.25 * (1 - s);
}

/* Gradients of the cell's shape functions at (s, t), and where that is;
 * returns the area that the point stands for. */
static inline double
fem_gradients(double s, double t, double **x, double *phi, double *gx,
              double *gy, double *at) {
  double ds[4], dt[4], xs = 0, xt = 0, ys = 0, yt = 0;
  at[0] = at[1] = 0;
  fem_shapes(s, t, phi, ds, dt);
  for (int a = 0; a < 4; a++) {
    xs += ds[a] * x[a][0];
    xt += dt[a] * x[a][0];
    ys += ds[a] * x[a][1];
    yt += dt[a] * x[a][1];
    at[0] += phi[a] * x[a][0];
    at[1] += phi[a] * x[a][1];
  }
  double det = xs * yt - xt * ys;
  for (int a = 0; a < 4; a++) {
    gx[a] = (yt * ds[a] - ys * dt[a]) / det;
    gy[a] = (xs * dt[a] - xt * ds[a]) / det;
  }
  return det;
}

/* Add what one Gauss point (s, t), weight 1, gives to K and to the right
 * side. */
static inline void
fem_point(double s, double t, double **x, double *K, double *rhs) {
  double phi[4], gx[4], gy[4], at[2];
  double det = fem_gradients(s, t, x, phi, gx, gy, at);
  double f = fem_source(at[0], at[1]) * det;
  for (int a = 0; a < 4; a++) {
    rhs[a] += f * phi[a];
    for (int b = 0; b < 4; b++)
      K[4 * a + b] += det * (gx[a] * gx[b] + gy[a] * gy[b]);
  }
}

/* Matrix and right side of one cell. x by a vector argument, b by entries. */
static inline void
element(double **x, double *K, double *b0, double *b1, double *b2, double *b3) {
  const double at = 0.57735026918962576451;
  double rhs[4] = {0, 0, 0, 0};
  for (int i = 0; i < 16; i++) K[i] = 0;
  fem_point(-at, -at, x, K, rhs);
  fem_point(at, -at, x, K, rhs);
  fem_point(at, at, x, K, rhs);
  fem_point(-at, at, x, K, rhs);
  *b0 += rhs[0];
  *b1 += rhs[1];
  *b2 += rhs[2];
  *b3 += rhs[3];
}

/* The same by themselves: m += the cell's matrix, b += its right side. */
static inline void
stiffness(double **x, double *m) {
  const double at = 0.57735026918962576451;
  for (int k = 0; k < 4; k++) {
    double phi[4], gx[4], gy[4], place[2];
    double det = fem_gradients(k & 1 ? at : -at, k & 2 ? at : -at, x, phi, gx,
                               gy, place);
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++)
        m[4 * a + b] += det * (gx[a] * gx[b] + gy[a] * gy[b]);
  }
}

static inline void
load(double **x, double **b) {
  const double at = 0.57735026918962576451;
  for (int k = 0; k < 4; k++) {
    double phi[4], gx[4], gy[4], place[2];
    double det = fem_gradients(k & 1 ? at : -at, k & 2 ? at : -at, x, phi, gx,
                               gy, place);
    for (int a = 0; a < 4; a++)
      *b[a] += fem_source(place[0], place[1]) * det * phi[a];
  }
}

/* Boundary values. */
static inline void
dirichlet(const double *x, double *u) {
  *u = fem_exact(x);
}

/* v += K p, one cell; both by vector arguments. */
static inline void
multiply(const double *K, double **p, double **v) {
  for (int a = 0; a < 4; a++) {
    double sum = 0;
    for (int b = 0; b < 4; b++) sum += K[4 * a + b] * *p[b];
    *v[a] += sum;
  }
}

/* Boundary nodes are known: no residual, no direction there. */
static inline void
clamp(double *v) {
  *v = 0;
}

/* r = b - v, p = r, v = 0: the start; rr = r . r */
static inline void
begin(const double *b, double *v, double *r) {
  *r = *b - *v;
  *v = 0;
}

static inline void
first_direction(const double *r, double *p, double *rr) {
  *p = *r;
  *rr += *r * *r;
}

static inline void
dot(const double *p, const double *v, double *pv) {
  *pv += *p * *v;
}

static inline void
advance(const double *p, double *v, double *u, double *r, const double *alpha,
        double *rr) {
  *u += *alpha * *p;
  *r -= *alpha * *v;
  *v = 0;
  *rr += *r * *r;
}

static inline void
direction(const double *r, double *p, const double *beta) {
  *p = *r + *beta * *p;
}

/* The part of u that is 0 on the boundary: x + 2y has no Laplacian. */
static inline double
fem_inner(const double *x) {
  return sin(FEM_PI * x[0]) * sin(FEM_PI * x[1]);
}

/* Something to multiply with. */
static inline void
first_guess(const double *x, double *u) {
  *u = x[0] * (1 - x[0]) * x[1];
}

/* Largest and summed squared error at the nodes; of that part. */
static inline void
inner_error(const double *x, const double *u, double *sum, double *most) {
  double e = fabs(*u - fem_inner(x));
  *sum += e * e;
  *most = *most > e ? *most : e;
}

/* Largest and summed squared error at the nodes. */
static inline void
error(const double *x, const double *u, double *sum, double *most) {
  double e = fabs(*u - fem_exact(x));
  *sum += e * e;
  *most = *most > e ? *most : e;
}

#endif
