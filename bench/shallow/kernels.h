/* Shallow water with a passive tracer, by finite volumes on triangles.
 *
 *   u = (h, h vx, h vy, h c):  depth, momentum, amount of tracer
 *   du/dt + div F(u) = 0,      F.n = (v.n) u + g h^2/2 (0, nx, ny, 0)
 *
 * Fluxes after Rusanov: the mean of both sides' fluxes plus half the larger wave
 * speed |v.n| + sqrt(g h) times the jump. A reflecting wall is an edge to a
 * mirrored cell. In time Heun's method (Shu and Osher 1988); the step is cfl
 * times the least of (2 area / perimeter) / speed over the cells. The residual r
 * collects what flows into a cell and is set to zero where it was used. Method:
 * R. J. LeVeque, "Finite volume methods for hyperbolic problems", 2002.
 */
#ifndef BENCH_SHALLOW_KERNELS_H
#define BENCH_SHALLOW_KERNELS_H

#include <math.h>

static double gravity = 9.81, cfl = 0.45;

/* Depth and tracer of water at rest, exactly: sums of what differs from them
 * stay accurate on any mesh. */
#define SHALLOW_REST 1.0

/* A smooth hill of height 1 and radius 1/4 about (x, y); no libm, so that all
 * programs start from the same bits. */
static inline double
shallow_hill(double x, double y, double atx, double aty) {
  double d = 1 - 16 * ((x - atx) * (x - atx) + (y - aty) * (y - aty));
  return d > 0 ? d * d : 0;
}

static inline double
shallow_distance(const double *a, const double *b) {
  return sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]));
}

/* size = (area, 2 area / perimeter); a hill of water, and beside it a patch
 * with more tracer. */
static inline void
start_cell(const double *restrict x0, const double *restrict x1,
           const double *restrict x2, double *restrict size,
           double *restrict u) {
  double twice =
      (x1[0] - x0[0]) * (x2[1] - x0[1]) - (x2[0] - x0[0]) * (x1[1] - x0[1]);
  double around = shallow_distance(x0, x1) + shallow_distance(x1, x2) +
                  shallow_distance(x2, x0);
  double x = (x0[0] + x1[0] + x2[0]) / 3, y = (x0[1] + x1[1] + x2[1]) / 3;
  size[0] = 0.5 * twice;
  size[1] = twice / around;
  u[0] = SHALLOW_REST + 0.25 * shallow_hill(x, y, 0.375, 0.4375);
  u[1] = 0;
  u[2] = 0;
  u[3] = u[0] * (SHALLOW_REST + shallow_hill(x, y, 0.5, 0.5));
}

/* The largest step that this cell allows. */
static inline void
time_step(const double *restrict u, const double *restrict size,
          double *restrict dt) {
  double speed = sqrt(u[1] * u[1] + u[2] * u[2]) / u[0] + sqrt(gravity * u[0]);
  double most = cfl * size[1] / speed;
  *dt = most < *dt ? most : *dt;
}

/* One component's flux without pressure; vl, vr, s are times the edge's
 * length. */
static inline double
shallow_carry(double vl, double vr, double s, double ul, double ur) {
  return 0.5 * (vl * ul + vr * ur + s * (ul - ur));
}

/* Flux through the edge a-b, out of the cell left of it into the other one. */
static inline void
edge_flux(const double *restrict a, const double *restrict b,
          const double *restrict ul, const double *restrict ur,
          double *restrict rl, double *restrict rr) {
  double nx = b[1] - a[1], ny = a[0] - b[0], length = sqrt(nx * nx + ny * ny);
  double vl = (ul[1] * nx + ul[2] * ny) / ul[0];
  double vr = (ur[1] * nx + ur[2] * ny) / ur[0];
  double sl = fabs(vl) + length * sqrt(gravity * ul[0]);
  double sr = fabs(vr) + length * sqrt(gravity * ur[0]);
  double s = sl > sr ? sl : sr;
  double p = 0.25 * gravity * (ul[0] * ul[0] + ur[0] * ur[0]), f;

  f = shallow_carry(vl, vr, s, ul[0], ur[0]);
  rl[0] -= f;
  rr[0] += f;
  f = shallow_carry(vl, vr, s, ul[1], ur[1]) + p * nx;
  rl[1] -= f;
  rr[1] += f;
  f = shallow_carry(vl, vr, s, ul[2], ur[2]) + p * ny;
  rl[2] -= f;
  rr[2] += f;
  f = shallow_carry(vl, vr, s, ul[3], ur[3]);
  rl[3] -= f;
  rr[3] += f;
}

/* Flux into a reflecting wall. Beyond it h, c and the velocity along the wall
 * are the same and v.n is opposite: neither water nor tracer passes, and all
 * momentum is along the normal n: h (v.n)^2 + speed h v.n + g h^2/2. */
static inline void
wall_flux(const double *restrict a, const double *restrict b,
          const double *restrict u, double *restrict r) {
  double nx = b[1] - a[1], ny = a[0] - b[0], length = sqrt(nx * nx + ny * ny);
  double v = (u[1] * nx + u[2] * ny) / (u[0] * length);
  double speed = fabs(v) + sqrt(gravity * u[0]);
  double push = u[0] * (v * v + speed * v + 0.5 * gravity * u[0]);
  r[1] -= push * nx;
  r[2] -= push * ny;
}

/* old = u, u += dt/area r */
static inline void
first_stage(double *restrict u, double *restrict old, double *restrict r,
            const double *restrict size, const double *restrict dt) {
  double k = *dt / size[0];
  for (int n = 0; n < 4; n++) {
    old[n] = u[n];
    u[n] += k * r[n];
    r[n] = 0;
  }
}

/* u = (old + u + dt/area r) / 2 */
static inline void
second_stage(const double *restrict old, double *restrict u, double *restrict r,
             const double *restrict size, const double *restrict dt) {
  double k = *dt / size[0];
  for (int n = 0; n < 4; n++) {
    u[n] = 0.5 * (old[n] + u[n] + k * r[n]);
    r[n] = 0;
  }
}

/* sum = area, water and tracer beyond rest; the largest depth. */
static inline void
totals(const double *restrict u, const double *restrict size,
       double *restrict sum, double *restrict deepest) {
  sum[0] += size[0];
  sum[1] += size[0] * (u[0] - SHALLOW_REST);
  sum[2] += size[0] * (u[3] - SHALLOW_REST);
  *deepest = *deepest > u[0] ? *deepest : u[0];
}

#endif
