/* Vectors of W doubles by the compilers' own vector types, for the loops of
 * loops_w.h: rows of memory in, columns out, and back.
 *
 * Included once for each W (4 or 8) by a file that undefines what this one
 * defines (VEC_END). Any machine compiles it: where vectors are narrower the
 * compiler takes several, where there are none scalars. */
#define VEC_GLUE2(name, w) name##_##w
#define VEC_GLUE(name, w) VEC_GLUE2(name, w)
#define V(name) VEC_GLUE(name, W)
#define vd V(vd)

typedef double vd __attribute__((vector_size(8 * W)));

#define INLINE static inline __attribute__((always_inline))

INLINE vd
V(load)(const double *p) {
  vd v;
  memcpy(&v, p, sizeof v);
  return v;
}

INLINE void
V(store)(double *p, vd v) {
  memcpy(p, &v, sizeof v);
}

INLINE vd
V(root)(vd x) {
  vd y = x;
  for (int i = 0; i < W; i++) y[i] = sqrt(x[i]);
  return y;
}

INLINE vd
V(magnitude)(vd x) {
  vd y = x;
  for (int i = 0; i < W; i++) y[i] = fabs(x[i]);
  return y;
}

/* v[i] = dat[n[i]] */
INLINE vd
V(gather1)(const double *dat, const int *n) {
  vd v = {0};
  for (int i = 0; i < W; i++) v[i] = dat[n[i]];
  return v;
}

#if W == 8
#define VEC_LO(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define VEC_HI(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define VEC_EVEN(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define VEC_ODD(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)

/* Row i of four, and row i + 4 behind it. */
INLINE vd
V(row)(const double *dat, int dim, const int *n, int i) {
  vec4 a, b;
  memcpy(&a, dat + (long)dim * n[i], sizeof a);
  memcpy(&b, dat + (long)dim * n[i + 4], sizeof b);
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

INLINE void
V(put_row)(double *dat, int dim, const int *n, int i, vd v) {
  vec4 a = __builtin_shufflevector(v, v, 0, 1, 2, 3);
  vec4 b = __builtin_shufflevector(v, v, 4, 5, 6, 7);
  memcpy(dat + (long)dim * n[i], &a, sizeof a);
  memcpy(dat + (long)dim * n[i + 4], &b, sizeof b);
}

/* Points n[i], n[i+2], n[i+4], n[i+6] side by side. */
INLINE vd
V(points)(const double *x, const int *n, int i) {
  vec2 a, b, c, d;
  memcpy(&a, x + 2 * (size_t)n[i], sizeof a);
  memcpy(&b, x + 2 * (size_t)n[i + 2], sizeof b);
  memcpy(&c, x + 2 * (size_t)n[i + 4], sizeof c);
  memcpy(&d, x + 2 * (size_t)n[i + 6], sizeof d);
  vec4 lo = __builtin_shufflevector(a, b, 0, 1, 2, 3);
  vec4 hi = __builtin_shufflevector(c, d, 0, 1, 2, 3);
  return __builtin_shufflevector(lo, hi, 0, 1, 2, 3, 4, 5, 6, 7);
}
#else
#define VEC_LO(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define VEC_HI(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)
#define VEC_EVEN(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define VEC_ODD(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)

INLINE vd
V(row)(const double *dat, int dim, const int *n, int i) {
  return V(load)(dat + (long)dim * n[i]);
}

INLINE void
V(put_row)(double *dat, int dim, const int *n, int i, vd v) {
  V(store)(dat + (long)dim * n[i], v);
}

INLINE vd
V(points)(const double *x, const int *n, int i) {
  vec2 a, b;
  memcpy(&a, x + 2 * (size_t)n[i], sizeof a);
  memcpy(&b, x + 2 * (size_t)n[i + 2], sizeof b);
  return __builtin_shufflevector(a, b, 0, 1, 2, 3);
}
#endif

/* out[c][i] = dat[n[i]][c], c < 4; rows of dat are dim long */
INLINE void
V(gather4)(vd out[4], const double *dat, int dim, const int *n) {
  vd a = V(row)(dat, dim, n, 0), b = V(row)(dat, dim, n, 1);
  vd c = V(row)(dat, dim, n, 2), d = V(row)(dat, dim, n, 3);
  vd lo1 = VEC_LO(a, b), lo2 = VEC_LO(c, d);
  vd hi1 = VEC_HI(a, b), hi2 = VEC_HI(c, d);
  out[0] = VEC_EVEN(lo1, lo2);
  out[1] = VEC_EVEN(hi1, hi2);
  out[2] = VEC_ODD(lo1, lo2);
  out[3] = VEC_ODD(hi1, hi2);
}

/* Columns back to rows: r[i] is row i, and row i + 4 behind it. */
INLINE void
V(rows_of)(vd r[4], const vd in[4]) {
  vd lo1 = VEC_LO(in[0], in[1]), lo2 = VEC_LO(in[2], in[3]);
  vd hi1 = VEC_HI(in[0], in[1]), hi2 = VEC_HI(in[2], in[3]);
  r[0] = VEC_EVEN(lo1, lo2);
  r[1] = VEC_EVEN(hi1, hi2);
  r[2] = VEC_ODD(lo1, lo2);
  r[3] = VEC_ODD(hi1, hi2);
}

/* dat[n[i]][c] = in[c][i] */
INLINE void
V(scatter4)(double *dat, int dim, const int *n, const vd in[4]) {
  vd r[4];
  V(rows_of)(r, in);
  for (int i = 0; i < 4; i++) V(put_row)(dat, dim, n, i, r[i]);
}

/* dat[n[i]][c] += in[c][i], row after row: rows may name one target twice */
INLINE void
V(add4)(double *dat, const int *n, const vd in[4]) {
  vd r[4];
  V(rows_of)(r, in);
  for (int i = 0; i < W; i++) {
    double *to = dat + 4 * (size_t)n[i];
    vec4 sum, part;
    memcpy(&part, (double *)&r[i % 4] + i / 4 * 4, sizeof part);
    memcpy(&sum, to, sizeof sum);
    sum += part;
    memcpy(to, &sum, sizeof sum);
  }
}

/* x[n[i]] of points: out[c][i] */
INLINE void
V(gather2)(vd out[2], const double *x, const int *n) {
  vd a = V(points)(x, n, 0), b = V(points)(x, n, 1);
  out[0] = VEC_LO(a, b);
  out[1] = VEC_HI(a, b);
}
