/* The unit square in triangles on several levels: the meshes of the multigrid
 * benchmark. Each level is the graph of its edges; the next one has every second
 * node of each direction (and the last), so that a node lies at one of its nodes
 * or in the middle of two that an edge joins: its parents.
 */
#ifndef BENCH_MULTIGRID_LEVELS_H
#define BENCH_MULTIGRID_LEVELS_H

#ifdef __cplusplus
extern "C" {
#endif

enum { LEVELS_MOST = 32 };

struct level {
  int ni, nj, nnode, nedge;
  double *x;       /* [nnode, 2] */
  double *load;    /* [nnode], a third of the triangles around it */
  double *inverse; /* [nnode], 1 / diagonal; 0: on the boundary */
  double *weight;  /* [nedge], of linear elements for Laplace's operator */
  int *edge;       /* [nedge, 2] */
  int *parent;     /* [nnode, 2], on the next level; equal where it is there */
  int *number;     /* [ni + 1, nj + 1], the node at (i, j) */
};

struct levels {
  int n;
  struct level at[LEVELS_MOST]; /* 0 is the finest */
};

/* Levels of ni x nj quadrilaterals in two triangles each, down to 2 x 2; ni, nj >=
 * 2. seed: 0, numbers along lines; else in random order. The caller clears it. */
void levels_make(struct levels *l, int ni, int nj, unsigned seed);
void levels_clear(struct levels *l);

#ifdef __cplusplus
}
#endif
#endif
