/* Kernels on boxes and icosahedral grids.
 *
 * Horizontal diffusion of fourth order with limited fluxes, as weather models have
 * it in each layer of the atmosphere (the COSMO model; stencil benchmarks):
 *
 *   lap = 4 x - (x west + x east + x south + x north)
 *   flx = lap east - lap,   0 where it leads uphill: flx (x east - x) > 0
 *   fly likewise to the north
 *   out = x - rate (flx - flx west + fly - fly south)
 *
 * Vertical advection, implicit, with exchanges w between a layer and the one below it:
 * in each column a tridiagonal system, by Thomas' algorithm,
 *
 *   (1 + r w + r w above) out - r w out below - r w above out above = x
 *
 * Diffusion of second order on the cells of an icosahedral grid: a gradient across
 * each edge, and what flows in over a cell's three edges.
 */
#ifndef BENCH_BOXES_KERNELS_H
#define BENCH_BOXES_KERNELS_H

/* Parts of what lies between two points, a step. */
#define DIFFUSION_RATE 0.025
#define ICOSAHEDRAL_RATE 0.25
#define ADVECTION_RATE 0.5

/* Values of an element, one above the other: a constant of the program. */
static int layers = 1;

static inline double
diffusion_lap(double x, double west, double east, double south, double north) {
  return 4 * x - (west + east + south + north);
}

static inline double
diffusion_flux(double lap, double lap_next, double x, double x_next) {
  double f = lap_next - lap;
  return f * (x_next - x) > 0 ? 0 : f;
}

static inline double
diffusion_out(double x, double flx_west, double flx, double fly_south,
              double fly) {
  return x - DIFFUSION_RATE * (flx - flx_west + fly - fly_south);
}

/* x: the point, then west, east, south, north */
static inline void
laplacian(double **x, double *lap) {
  *lap = diffusion_lap(x[0][0], x[1][0], x[2][0], x[3][0], x[4][0]);
}

/* The point and the next one along an axis. */
static inline void
limited_flux(double **lap, double **x, double *flux) {
  *flux = diffusion_flux(lap[0][0], lap[1][0], x[0][0], x[1][0]);
}

/* Each flux: of the point before along its axis, and of the point. */
static inline void
diffuse(const double *x, double **flx, double **fly, double *out) {
  *out = diffusion_out(*x, flx[0][0], flx[1][0], fly[0][0], fly[1][0]);
}

static inline void
add_square(const double *x, double *sum) {
  *sum += *x * *x;
}

static inline void
advect_bottom(const double *w_above, const double *x, double *c, double *d) {
  double up = ADVECTION_RATE * *w_above, m = 1 / (1 + up);
  *c = -up * m;
  *d = *x * m;
}

static inline void
advect_up(const double *w, const double *w_above, const double *x,
          const double *c_below, const double *d_below, double *c, double *d) {
  double low = ADVECTION_RATE * *w, up = ADVECTION_RATE * *w_above;
  double m = 1 / (1 + low + up + low * *c_below);
  *c = -up * m;
  *d = (*x + low * *d_below) * m;
}

static inline void
advect_top(const double *w, const double *x, const double *c_below,
           const double *d_below, double *out) {
  double low = ADVECTION_RATE * *w;
  *out = (*x + low * *d_below) / (1 + low + low * *c_below);
}

static inline void
advect_down(const double *c, const double *d, const double *above,
            double *out) {
  *out = *d - *c * *above;
}

/* Across an edge, from its cell of colour 0 to that of colour 1. */
static inline void
gradient(double **x, double *g) {
  *g = x[1][0] - x[0][0];
}

static inline void
gradient_levels(double **x, double *g) {
  for (int l = 0; l < layers; l++) g[l] = x[1][l] - x[0][l];
}

/* side: 1 of colour 0, -1 of colour 1 */
static inline void
flow_in(double **g, const double *side, double *x) {
  *x += ICOSAHEDRAL_RATE * *side * (g[0][0] + g[1][0] + g[2][0]);
}

static inline void
flow_in_levels(double **g, const double *side, double *x) {
  for (int l = 0; l < layers; l++)
    x[l] += ICOSAHEDRAL_RATE * *side * (g[0][l] + g[1][l] + g[2][l]);
}

static inline void
add_squares(const double *x, double *sum) {
  for (int l = 0; l < layers; l++) *sum += x[l] * x[l];
}

#endif
