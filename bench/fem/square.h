/* The unit square in ni x nj bent quadrilaterals: the mesh of the
 * finite-element benchmark. */
#ifndef BENCH_FEM_SQUARE_H
#define BENCH_FEM_SQUARE_H

#ifdef __cplusplus
extern "C" {
#endif

struct square {
  int ni, nj, nnode, ncell, nbnode;
  double *x;      /* [nnode, 2] */
  int *cell_node; /* [ncell, 4], counter-clockwise */
  int *bnode;     /* [nbnode]: nodes on the boundary, each once */
};

/* Make the mesh; ni, nj >= 1. The caller clears it. */
void square_make(struct square *s, int ni, int nj);
void square_clear(struct square *s);

#ifdef __cplusplus
}
#endif
#endif
