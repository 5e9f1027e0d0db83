/* Operators on columns: a step of diffusion, damped at small scales.
 *
 *   v  = grad p            over edges       g = v (nu + nu' v^2)
 *   d  = div g             over cells       l = laplace p
 *   p' = p + dt (d + l)                     b = laplace l
 *   p'' = p' - eps b                        q = p'' within bounds
 *
 * Sums over cells stay the same while no bound is met.
 *
 * And an implicit step of diffusion in each column, by Thomas' algorithm:
 * a x(k-1) + b x(k) + c x(k+1) = p(k), as one sweep up and one down. */
#ifndef BENCH_COLUMNS_KERNELS_H
#define BENCH_COLUMNS_KERNELS_H

#define COLUMNS_STEP 0.02
#define COLUMNS_DAMP 0.002

static inline void
gradient(const double *along, const double *p0, const double *p1, double *v) {
  *v = *along * (*p0 - *p1);
}

static inline void
flux(const double *v, double *g) {
  *g = *v * (1 + 0.1 * *v * *v);
}

static inline void
divergence(const double *out, const double *g0, const double *g1,
           const double *g2, double *d) {
  *d = -(out[0] * *g0 + out[1] * *g1 + out[2] * *g2);
}

static inline void
laplacian(const double *weight, const double *p, const double *p0,
          const double *p1, const double *p2, double *l) {
  *l = weight[0] * (*p0 - *p) + weight[1] * (*p1 - *p) + weight[2] * (*p2 - *p);
}

static inline void
advance(const double *p, const double *d, const double *l, double *next) {
  *next = *p + COLUMNS_STEP * (*d + *l);
}

static inline void
damp(const double *p, const double *b, double *next) {
  *next = *p - COLUMNS_DAMP * *b;
}

static inline void
limit(const double *p, double *q) {
  double x = *p < 1e3 ? *p : 1e3;
  *q = x > -1e3 ? x : -1e3;
}

/* Below and above the column there is nothing: a and c are 0 there. */
static inline void
eliminate_first(const double *b, const double *c, const double *p, double *cp,
                double *dp) {
  *cp = *c / *b;
  *dp = *p / *b;
}

static inline void
eliminate(const double *a, const double *b, const double *c, const double *p,
          const double *cp_below, const double *dp_below, double *cp,
          double *dp) {
  double m = 1 / (*b - *a * *cp_below);
  *cp = *c * m;
  *dp = (*p - *a * *dp_below) * m;
}

static inline void
copy(const double *from, double *to) {
  *to = *from;
}

static inline void
substitute(const double *cp, const double *dp, const double *above, double *x) {
  *x = *dp - *cp * *above;
}

static inline void
total(const double *p, double *sum, double *squares) {
  *sum += *p;
  *squares += *p * *p;
}

#endif
