/* Compressible flow without friction in a closed box, by vertex-centred finite
 * volumes on tetrahedra.
 *
 *   u = (rho, rho v, rho E),  w = (rho, v, p),  p = (gamma - 1) (rho E - rho v^2/2)
 *   F.n = (v.n) u + p (0, n, v.n)
 *
 * Gradients of w after Green and Gauss over the dual cells. A limiter phi of each
 * node and component, of Barth and Jespersen: the largest in [0, 1] with which the
 * linear function stays between the least and the largest value of the node and its
 * neighbours at the middles of all edges. Fluxes after Rusanov between both sides'
 * values there; walls push with the node's pressure. In time five stages u = old +
 * alpha dt r / volume, alpha = 1/4 1/6 3/8 1/2 1; dt is cfl times the least of
 * size / speed over the nodes. r collects what flows in, sum what gradients come from;
 * both are set to zero where they were used. Method: T. J. Barth and D. C.
 * Jespersen, "The design and application of upwind schemes on unstructured meshes",
 * 1989; A. Jameson, W. Schmidt and E. Turkel 1981.
 */
#ifndef BENCH_EULER_KERNELS_H
#define BENCH_EULER_KERNELS_H

#include <math.h>

#define EULER_GAMMA 1.4
/* Density and density of energy at rest, far from the hill: sums are of what
 * differs from them. */
#define EULER_RHO 1.0
#define EULER_ENERGY 2.5
/* Bounds hold to this: without it, where a node has the largest value, a change
 * that is but rounding would switch its gradient off. */
#define EULER_SLACK 1e-3
enum { EULER_STAGES = 5 };

static double cfl = 0.8;

/* A smooth hill of height 1 and radius 1/4; no libm, so that all programs start
 * from the same bits. */
static inline double
euler_hill(const double *x, double a, double b, double c) {
  double d = 1 - 16 * ((x[0] - a) * (x[0] - a) + (x[1] - b) * (x[1] - b) +
                       (x[2] - c) * (x[2] - c));
  return d > 0 ? d * d : 0;
}

/* At rest, with more pressure at one place and more gas beside it. */
static inline void
start_node(const double *restrict x, double *restrict u) {
  u[0] = EULER_RHO + 0.5 * euler_hill(x, 0.5, 0.4375, 0.5);
  u[1] = 0;
  u[2] = 0;
  u[3] = 0;
  u[4] = EULER_ENERGY + 1.5 * euler_hill(x, 0.375, 0.4375, 0.5);
}

static inline double
euler_pressure(const double *u) {
  double v2 = (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0];
  return (EULER_GAMMA - 1) * (u[4] - 0.5 * v2);
}

/* A node's size is its volume over the area around it. */
static inline void
add_area(const double *restrict n, double *restrict a, double *restrict b) {
  double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  *a += area;
  *b += area;
}
static inline void
node_size(const double *restrict volume, double *restrict size) {
  *size = *volume / *size;
}

/* The largest step that this node allows; old = u. */
static inline void
begin_step(const double *restrict u, const double *restrict size,
           double *restrict old, double *restrict dt) {
  double speed = sqrt(u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0] +
                 sqrt(EULER_GAMMA * euler_pressure(u) / u[0]);
  double most = cfl * *size / speed;
  for (int c = 0; c < 5; c++) old[c] = u[c];
  *dt = most < *dt ? most : *dt;
}

/* w of u; the least and the largest value so far are the node's own, and nothing
 * limits it yet. */
static inline void
begin_stage(const double *restrict u, double *restrict w, double *restrict low,
            double *restrict high, double *restrict phi) {
  w[0] = u[0];
  w[1] = u[1] / u[0];
  w[2] = u[2] / u[0];
  w[3] = u[3] / u[0];
  w[4] = euler_pressure(u);
  for (int c = 0; c < 5; c++) {
    low[c] = w[c];
    high[c] = w[c];
    phi[c] = 1;
  }
}

/* sum, grad [5][3]: the mean of w times the dual face. */
static inline void
gradient(const double *restrict n, const double *restrict wa,
         const double *restrict wb, double *restrict ga, double *restrict gb) {
  for (int c = 0; c < 5; c++) {
    double w = 0.5 * (wa[c] + wb[c]);
    for (int d = 0; d < 3; d++) {
      ga[3 * c + d] += w * n[d];
      gb[3 * c + d] -= w * n[d];
    }
  }
}
static inline void
wall_gradient(const double *restrict n, const double *restrict w,
              double *restrict g) {
  for (int c = 0; c < 5; c++)
    for (int d = 0; d < 3; d++) g[3 * c + d] += w[c] * n[d];
}
static inline void
end_gradient(const double *restrict volume, double *restrict sum,
             double *restrict g) {
  for (int c = 0; c < 15; c++) {
    g[c] = sum[c] / *volume;
    sum[c] = 0;
  }
}

/* Both ends of an edge see the other's values. */
static inline void
extremes(const double *restrict wa, const double *restrict wb,
         double *restrict la, double *restrict lb, double *restrict ha,
         double *restrict hb) {
  for (int c = 0; c < 5; c++) {
    la[c] = wb[c] < la[c] ? wb[c] : la[c];
    lb[c] = wa[c] < lb[c] ? wa[c] : lb[c];
    ha[c] = wb[c] > ha[c] ? wb[c] : ha[c];
    hb[c] = wa[c] > hb[c] ? wa[c] : hb[c];
  }
}

/* How much component c changes on the way from a node to the edge's middle, d. */
static inline double
euler_change(const double *g, int c, const double *d) {
  return g[3 * c] * d[0] + g[3 * c + 1] * d[1] + g[3 * c + 2] * d[2];
}

/* How much of the change v from w stays within the bounds; 1: all. */
static inline double
euler_room(double v, double w, double low, double high) {
  double room = (v > 0 ? high - w : w - low) + EULER_SLACK, size = fabs(v);
  return size > room ? room / size : 1;
}

static inline void
limit(const double *restrict xa, const double *restrict xb,
      const double *restrict wa, const double *restrict wb,
      const double *restrict ga, const double *restrict gb,
      const double *restrict la, const double *restrict lb,
      const double *restrict ha, const double *restrict hb, double *restrict pa,
      double *restrict pb) {
  double d[3] = {0.5 * (xb[0] - xa[0]), 0.5 * (xb[1] - xa[1]),
                 0.5 * (xb[2] - xa[2])};
  for (int c = 0; c < 5; c++) {
    double fa = euler_room(euler_change(ga, c, d), wa[c], la[c], ha[c]);
    double fb = euler_room(-euler_change(gb, c, d), wb[c], lb[c], hb[c]);
    pa[c] = fa < pa[c] ? fa : pa[c];
    pb[c] = fb < pb[c] ? fb : pb[c];
  }
}

/* rho E of w */
static inline double
euler_energy(const double *w) {
  return w[4] / (EULER_GAMMA - 1) +
         0.5 * w[0] * (w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
}

/* Flux through the dual face of the edge, out of end a into end b. */
static inline void
edge_flux(const double *restrict n, const double *restrict xa,
          const double *restrict xb, const double *restrict wa,
          const double *restrict wb, const double *restrict ga,
          const double *restrict gb, const double *restrict pa,
          const double *restrict pb, double *restrict ra, double *restrict rb) {
  double d[3] = {0.5 * (xb[0] - xa[0]), 0.5 * (xb[1] - xa[1]),
                 0.5 * (xb[2] - xa[2])};
  double a[5], b[5], ua[5], ub[5], f[5];
  for (int c = 0; c < 5; c++) {
    a[c] = wa[c] + pa[c] * euler_change(ga, c, d);
    b[c] = wb[c] - pb[c] * euler_change(gb, c, d);
  }
  double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  double va = a[1] * n[0] + a[2] * n[1] + a[3] * n[2];
  double vb = b[1] * n[0] + b[2] * n[1] + b[3] * n[2];
  double sa = fabs(va) + area * sqrt(EULER_GAMMA * a[4] / a[0]);
  double sb = fabs(vb) + area * sqrt(EULER_GAMMA * b[4] / b[0]);
  double s = sa > sb ? sa : sb, p = 0.5 * (a[4] + b[4]);
  ua[0] = a[0];
  ub[0] = b[0];
  for (int c = 1; c < 4; c++) {
    ua[c] = a[0] * a[c];
    ub[c] = b[0] * b[c];
  }
  ua[4] = euler_energy(a);
  ub[4] = euler_energy(b);
  for (int c = 0; c < 5; c++)
    f[c] = 0.5 * (va * ua[c] + vb * ub[c] + s * (ua[c] - ub[c]));
  for (int c = 0; c < 3; c++) f[1 + c] += p * n[c];
  f[4] += 0.5 * (va * a[4] + vb * b[4]);
  for (int c = 0; c < 5; c++) {
    ra[c] -= f[c];
    rb[c] += f[c];
  }
}

static inline void
wall_flux(const double *restrict n, const double *restrict w,
          double *restrict r) {
  for (int c = 0; c < 3; c++) r[1 + c] -= w[4] * n[c];
}

static inline void
stage(const double *restrict old, const double *restrict volume,
      double *restrict r, double *restrict u, const double *restrict alpha,
      const double *restrict dt) {
  double k = *alpha * *dt / *volume;
  for (int c = 0; c < 5; c++) {
    u[c] = old[c] + k * r[c];
    r[c] = 0;
  }
}

/* The last one; sum = squares of how fast the density changes. */
static inline void
last_stage(const double *restrict old, const double *restrict volume,
           double *restrict r, double *restrict u, const double *restrict dt,
           double *restrict sum) {
  double k = *dt / *volume, rate = r[0] / *volume;
  *sum += rate * rate;
  for (int c = 0; c < 5; c++) {
    u[c] = old[c] + k * r[c];
    r[c] = 0;
  }
}

/* sum = volume, mass and energy beyond rest. */
static inline void
totals(const double *restrict u, const double *restrict volume,
       double *restrict sum) {
  sum[0] += *volume;
  sum[1] += *volume * (u[0] - EULER_RHO);
  sum[2] += *volume * (u[4] - EULER_ENERGY);
}

static inline double
euler_beyond(double v, double low, double high) {
  double over = v - high, under = low - v;
  return over > under ? over : under;
}

/* The most by which a limited value at the middle of an edge is beyond its
 * node's bounds. */
static inline void
excess(const double *restrict xa, const double *restrict xb,
       const double *restrict wa, const double *restrict wb,
       const double *restrict ga, const double *restrict gb,
       const double *restrict la, const double *restrict lb,
       const double *restrict ha, const double *restrict hb,
       const double *restrict pa, const double *restrict pb,
       double *restrict most) {
  double d[3] = {0.5 * (xb[0] - xa[0]), 0.5 * (xb[1] - xa[1]),
                 0.5 * (xb[2] - xa[2])};
  for (int c = 0; c < 5; c++) {
    double a = wa[c] + pa[c] * euler_change(ga, c, d);
    double b = wb[c] - pb[c] * euler_change(gb, c, d);
    double ea = euler_beyond(a, la[c], ha[c]);
    double eb = euler_beyond(b, lb[c], hb[c]);
    double e = ea > eb ? ea : eb;
    *most = e > *most ? e : *most;
  }
}

#endif
