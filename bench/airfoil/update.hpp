/* The newest form of `update`: also the largest change and the cell it is
 * in. */
#ifndef BENCH_AIRFOIL_UPDATE_HPP
#define BENCH_AIRFOIL_UPDATE_HPP

#include "kernels.h"

/* `max_del` takes part by OP_MAX, `max_cell` is its payload. */
inline void
update_max(const double *qold, double *q, double *res, const double *adt,
           double *rms, double *max_del, const int *cell, int *max_cell) {
  double adti = 1.0 / *adt;
  for (int n = 0; n < 4; n++) {
    double del = adti * res[n];
    q[n] = qold[n] - del;
    res[n] = 0.0;
    *rms += del * del;
    if (del * del > *max_del) {
      *max_del = del * del;
      *max_cell = *cell;
    }
  }
}

#endif
