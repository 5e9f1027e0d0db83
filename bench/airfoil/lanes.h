/* Airfoil's indirect loops over elements [lo, hi), eight at a time.
 *
 * Problem: compilers don't vectorise a loop whose increments go through a map,
 * since two elements may share a target. Idea: what OP2's code generator does
 * for CPUs: eight elements are gathered into local arrays, component by
 * component; the kernel runs over the eight lanes, which share nothing; then
 * the lanes' increments are added one after another. What is left over runs
 * element by element. Example: res_calc needs x, q, adt of both ends (14 arrays
 * of eight) and leaves 8 arrays of increments. Cost: gathers and a scalar
 * scatter an edge, a vector division where there were eight. Source: G. R.
 * Mudalige et al., "Design and initial performance of a high-level unstructured
 * mesh framework on heterogeneous parallel systems", 2013; I. Z. Reguly et al.,
 * "Vectorizing unstructured mesh computations for many-core architectures",
 * 2016. Limits: eight doubles, AVX-512's width; narrower vectors are used in
 * pairs. Included by ref.c alone, after its own loops.
 */
#ifndef BENCH_AIRFOIL_LANES_H
#define BENCH_AIRFOIL_LANES_H

#include "kernels.h"

enum { LANES = 8 };

/* Without -fopenmp (the tests) the lanes are an ordinary loop. */
#ifdef _OPENMP
#define EACH_LANE _Pragma("omp simd simdlen(8)") for (int i = 0; i < LANES; i++)
#else
#define EACH_LANE for (int i = 0; i < LANES; i++)
#endif

/* out[c][i] = dat[map[arity*i + k]][c]. No `omp simd` here: the shuffles that
 * clang then makes of the gather cost a third of the whole iteration. */
static inline void
lanes_gather(double (*restrict out)[LANES], const double *restrict dat, int dim,
             const int *restrict map, int arity, int k) {
  for (int i = 0; i < LANES; i++) {
    const double *from = dat + dim * map[arity * i + k];
    for (int c = 0; c < dim; c++) out[c][i] = from[c];
  }
}

/* dat[map[arity*i + k]][c] += in[c][i], lane after lane */
static inline void
lanes_scatter4(double *restrict dat, const int *restrict map, int arity, int k,
               double in[4][LANES]) {
  for (int i = 0; i < LANES; i++) {
    double *to = dat + 4 * map[arity * i + k];
    for (int c = 0; c < 4; c++) to[c] += in[c][i];
  }
}

/* One lane as the kernels want it. */
#define LANE2(a) {a[0][i], a[1][i]}
#define LANE4(a) {a[0][i], a[1][i], a[2][i], a[3][i]}

LOOP void
adt_calc_lanes(int lo, int hi, const int *restrict cell_node,
               const double *restrict x, const double *restrict q,
               double *restrict adt) {
  int e = lo;
  for (; e + LANES <= hi; e += LANES) {
    double xs[4][2][LANES];
    const double *qe = q + 4 * e;
    for (int k = 0; k < 4; k++)
      lanes_gather(xs[k], x, 2, cell_node + 4 * e, 4, k);
    EACH_LANE {
      double x1[2] = LANE2(xs[0]), x2[2] = LANE2(xs[1]);
      double x3[2] = LANE2(xs[2]), x4[2] = LANE2(xs[3]);
      adt_calc(x1, x2, x3, x4, qe + 4 * i, adt + e + i);
    }
  }
  adt_calc_range(e, hi, cell_node, x, q, adt);
}

LOOP void
res_calc_lanes(int lo, int hi, const struct mesh *m, const double *restrict q,
               const double *restrict adt, double *restrict res) {
  int e = lo;
  for (; e + LANES <= hi; e += LANES) {
    const int *n = m->edge_node + 2 * e, *c = m->edge_cell + 2 * e;
    double x[2][2][LANES], qs[2][4][LANES], as[2][1][LANES], rs[2][4][LANES];
    for (int k = 0; k < 2; k++) {
      lanes_gather(x[k], m->x, 2, n, 2, k);
      lanes_gather(qs[k], q, 4, c, 2, k);
      lanes_gather(as[k], adt, 1, c, 2, k);
    }
    EACH_LANE {
      double x1[2] = LANE2(x[0]), x2[2] = LANE2(x[1]);
      double q1[4] = LANE4(qs[0]), q2[4] = LANE4(qs[1]);
      double r1[4] = {0, 0, 0, 0}, r2[4] = {0, 0, 0, 0};
      res_calc(x1, x2, q1, q2, &as[0][0][i], &as[1][0][i], r1, r2);
      for (int k = 0; k < 4; k++) {
        rs[0][k][i] = r1[k];
        rs[1][k][i] = r2[k];
      }
    }
    lanes_scatter4(res, c, 2, 0, rs[0]);
    lanes_scatter4(res, c, 2, 1, rs[1]);
  }
  res_calc_range(e, hi, m, q, adt, res);
}

LOOP void
bres_calc_lanes(int lo, int hi, const struct mesh *m, const double *restrict q,
                const double *restrict adt, double *restrict res) {
  int e = lo;
  for (; e + LANES <= hi; e += LANES) {
    const int *n = m->bedge_node + 2 * e, *c = m->bedge_cell + e;
    const int *bound = m->bedge_type + e;
    double x[2][2][LANES], qs[4][LANES], as[1][LANES], rs[4][LANES];
    for (int k = 0; k < 2; k++) lanes_gather(x[k], m->x, 2, n, 2, k);
    lanes_gather(qs, q, 4, c, 1, 0);
    lanes_gather(as, adt, 1, c, 1, 0);
    EACH_LANE {
      double x1[2] = LANE2(x[0]), x2[2] = LANE2(x[1]), q1[4] = LANE4(qs);
      double r1[4] = {0, 0, 0, 0};
      bres_calc(x1, x2, q1, &as[0][i], r1, bound + i);
      for (int k = 0; k < 4; k++) rs[k][i] = r1[k];
    }
    lanes_scatter4(res, c, 1, 0, rs);
  }
  bres_calc_range(e, hi, m, q, adt, res);
}

#undef LANE2
#undef LANE4
#endif
