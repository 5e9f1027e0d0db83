/* The five kernels of Airfoil and the constants they mention.
 *
 * Plain C with `restrict` (as compilers like it), also included by the C++
 * program and the references. Formulas: the scheme of the benchmark's
 * description; M. B. Giles et al., "Performance analysis of the OP2 framework",
 * 2011.
 */
#ifndef BENCH_AIRFOIL_KERNELS_H
#define BENCH_AIRFOIL_KERNELS_H

#include <math.h>

#include "mesh.h"

#ifdef __cplusplus
#define RESTRICT __restrict
#else
#define RESTRICT restrict
#endif

static double gam, gm1, cfl, eps, mach, qinf[4];

/* Single-precision literals, widened: so the published result was made. */
static inline void
airfoil_constants(void) {
  double p = 1.0, r = 1.0, u, e;
  gam = 1.4f;
  gm1 = gam - 1.0;
  cfl = 0.9f;
  eps = 0.05f;
  mach = 0.4f;
  u = sqrt(gam * p / r) * mach;
  e = p / (r * gm1) + 0.5 * u * u;
  qinf[0] = r;
  qinf[1] = r * u;
  qinf[2] = 0.0;
  qinf[3] = r * e;
}

static inline void
save_soln(const double *RESTRICT q, double *RESTRICT qold) {
  for (int n = 0; n < 4; n++) qold[n] = q[n];
}

/* Wave speed through the side from a to b. */
static inline double
side_speed(const double *a, const double *b, double u, double v, double c) {
  double dx = b[0] - a[0], dy = b[1] - a[1];
  return fabs(u * dy - v * dx) + c * sqrt(dx * dx + dy * dy);
}

/* Area over time step of one cell. */
static inline void
adt_calc(const double *RESTRICT x1, const double *RESTRICT x2,
         const double *RESTRICT x3, const double *RESTRICT x4,
         const double *RESTRICT q, double *RESTRICT adt) {
  double ri = 1.0 / q[0], u = ri * q[1], v = ri * q[2];
  double c = sqrt(gam * gm1 * (ri * q[3] - 0.5 * (u * u + v * v)));
  double sum = side_speed(x1, x2, u, v, c) + side_speed(x2, x3, u, v, c) +
               side_speed(x3, x4, u, v, c) + side_speed(x4, x1, u, v, c);
  *adt = sum / cfl;
}

static inline double
pressure(const double *q) {
  return gm1 * (q[3] - 0.5 / q[0] * (q[1] * q[1] + q[2] * q[2]));
}

/* Flux through an inner edge. */
static inline void
res_calc(const double *RESTRICT x1, const double *RESTRICT x2,
         const double *RESTRICT q1, const double *RESTRICT q2,
         const double *RESTRICT adt1, const double *RESTRICT adt2,
         double *RESTRICT res1, double *RESTRICT res2) {
  double dx = x1[0] - x2[0], dy = x1[1] - x2[1];
  double p1 = pressure(q1), p2 = pressure(q2);
  double vol1 = (q1[1] * dy - q1[2] * dx) / q1[0];
  double vol2 = (q2[1] * dy - q2[2] * dx) / q2[0];
  double mu = 0.5 * (*adt1 + *adt2) * eps, f;

  f = 0.5 * (vol1 * q1[0] + vol2 * q2[0]) + mu * (q1[0] - q2[0]);
  res1[0] += f;
  res2[0] -= f;
  f = 0.5 * (vol1 * q1[1] + p1 * dy + vol2 * q2[1] + p2 * dy) +
      mu * (q1[1] - q2[1]);
  res1[1] += f;
  res2[1] -= f;
  f = 0.5 * (vol1 * q1[2] - p1 * dx + vol2 * q2[2] - p2 * dx) +
      mu * (q1[2] - q2[2]);
  res1[2] += f;
  res2[2] -= f;
  f = 0.5 * (vol1 * (q1[3] + p1) + vol2 * (q2[3] + p2)) + mu * (q1[3] - q2[3]);
  res1[3] += f;
  res2[3] -= f;
}

/* Flux through a boundary edge: a wall, or the free stream beyond it. */
static inline void
bres_calc(const double *RESTRICT x1, const double *RESTRICT x2,
          const double *RESTRICT q1, const double *RESTRICT adt1,
          double *RESTRICT res1, const int *RESTRICT type) {
  double dx = x1[0] - x2[0], dy = x1[1] - x2[1];
  double p1 = pressure(q1);
  if (*type == MESH_WALL) {
    res1[1] += p1 * dy;
    res1[2] -= p1 * dx;
    return;
  }
  double vol1 = (q1[1] * dy - q1[2] * dx) / q1[0], p2 = pressure(qinf);
  double vol2 = (qinf[1] * dy - qinf[2] * dx) / qinf[0];
  double mu = *adt1 * eps;
  res1[0] += 0.5 * (vol1 * q1[0] + vol2 * qinf[0]) + mu * (q1[0] - qinf[0]);
  res1[1] += 0.5 * (vol1 * q1[1] + p1 * dy + vol2 * qinf[1] + p2 * dy) +
             mu * (q1[1] - qinf[1]);
  res1[2] += 0.5 * (vol1 * q1[2] - p1 * dx + vol2 * qinf[2] - p2 * dx) +
             mu * (q1[2] - qinf[2]);
  res1[3] += 0.5 * (vol1 * (q1[3] + p1) + vol2 * (qinf[3] + p2)) +
             mu * (q1[3] - qinf[3]);
}

static inline void
update(const double *RESTRICT qold, double *RESTRICT q, double *RESTRICT res,
       const double *RESTRICT adt, double *RESTRICT rms) {
  double sum = 0.0, adti = 1.0 / *adt;
  for (int n = 0; n < 4; n++) {
    double del = adti * res[n];
    q[n] = qold[n] - del;
    res[n] = 0.0;
    sum += del * del;
  }
  *rms += sum;
}

/* ---- what every program says about its answer ---------------------------- */

enum { AIRFOIL_CELLS = 720000, AIRFOIL_ITERS = 1000 };
#define AIRFOIL_RMS 1.060114637578e-4

/* Per cent by which `rms` misses the published result. */
static inline double
airfoil_miss(double rms) {
  return 100.0 * fabs(rms / AIRFOIL_RMS - 1.0);
}

#endif
