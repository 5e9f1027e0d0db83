/* Airfoil in plain C, without the library: what its results and times are
 * compared with. On one thread one loop per kernel; on more, OpenMP with
 * coloured blocks as OP2 generates it. With `simd` the indirect loops take
 * eight elements at a time, as OP2's vectorising code generator has it. */
#ifndef BENCH_AIRFOIL_REF_H
#define BENCH_AIRFOIL_REF_H

#include <stdbool.h>

#include "mesh.h"
#include "../colour.h"

enum { REF_THREADS = 256, REF_PAD = 8 };

struct ref {
  const struct mesh *m; /* KEEP */
  int threads;
  bool simd; /* set after ref_start: indirect loops as lanes.h has them */
  double *q, *qold, *adt, *res;
  struct colouring cells, edges, bedges; /* threads > 1 */
  double rms[REF_THREADS * REF_PAD];     /* one cache line a thread */
};

/* Start from the free stream. `threads` 1: sequential; `block`: elements in a
 * block of the coloured loops. Sets the constants of kernels.h. The caller
 * clears it and keeps the mesh until then. */
void ref_start(struct ref *r, const struct mesh *m, int threads, int block);
void ref_stop(struct ref *r);

/* One iteration (save_soln and twice the four others); returns
 * sqrt(rms / cells) of the second update. */
double ref_step(struct ref *r);

#endif
