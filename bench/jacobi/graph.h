/* The graph of the Jacobi benchmark: every inner node of an ni x nj grid and
 * the edges to its neighbours; values of one element type (REAL, as
 * kernels.h). */
#ifndef BENCH_JACOBI_GRAPH_H
#define BENCH_JACOBI_GRAPH_H

#include <stdlib.h>

#include "../take.h"

struct graph {
  int ni, nj, nnode, nedge;
  int *edge; /* [nedge, 2] */
  REAL *A;   /* [nedge] */
  REAL *r;   /* [nnode] */
};

static inline void
graph_add_edges(struct graph *g, int i, int j) {
  static const int step[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  for (int k = 0; k < 4; k++) {
    int ii = i + step[k][0], jj = j + step[k][1];
    if (ii < 0 || ii >= g->ni || jj < 0 || jj >= g->nj) continue;
    g->edge[2 * g->nedge] = i + j * g->ni;
    g->edge[2 * g->nedge + 1] = ii + jj * g->ni;
    g->A[g->nedge++] = JACOBI_KIND == JACOBI_INTEGER ? 2 : (REAL)0.25;
  }
}

static inline void
graph_make(struct graph *g, int ni, int nj) {
  *g = (struct graph){.ni = ni, .nj = nj, .nnode = ni * nj};
  g->edge = bench_take(8 * (size_t)g->nnode, sizeof(int));
  g->A = bench_take(4 * (size_t)g->nnode, sizeof(REAL));
  g->r = bench_take(g->nnode, sizeof(REAL));
  for (int j = 0; j < nj; j++)
    for (int i = 0; i < ni; i++) graph_add_edges(g, i, j);
  for (int n = 0; n < g->nnode; n++)
    g->r[n] = JACOBI_KIND == JACOBI_INTEGER ? (REAL)(n * 7 % 5 + 100)
                                            : (REAL)(n % 3 == 0);
}

static inline void
graph_clear(struct graph *g) {
  free(g->edge);
  free(g->A);
  free(g->r);
}

#endif
