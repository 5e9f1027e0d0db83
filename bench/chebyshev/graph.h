/* A weighted graph for the Chebyshev benchmark, from the edges of tetrahedra
 * (bench/euler/box.h), as edges and as compressed rows. */
#ifndef BENCH_CHEBYSHEV_GRAPH_H
#define BENCH_CHEBYSHEV_GRAPH_H

#include "../euler/box.h"

#ifdef __cplusplus
extern "C" {
#endif

struct graph {
  struct box box;       /* edge [nedge, 2], x [nnode, 3] */
  struct box_rows rows; /* neighbours */
  int nentry;           /* 2 nedge */
  double *weight;       /* [nedge] */
  double *entry_weight; /* [nentry], of rows */
  int *entry;           /* [nentry]: 0, 1, 2, ..., the entries of each row */
  double *diagonal, *b; /* [nnode] */
};

/* Make the graph of ni x nj x nk hexahedra. The caller clears it. */
void graph_make(struct graph *g, int ni, int nj, int nk, unsigned seed);
void graph_clear(struct graph *g);

/* One line: neighbours of a node, bytes of an entry, of all that a step touches, and
 * that over the last cache. */
void graph_print(const struct graph *g, int as_rows);

#ifdef __cplusplus
}
#endif
#endif
