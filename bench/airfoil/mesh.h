/* The NACA0012 mesh of the Airfoil benchmark: made from formulas for any size,
 * or read from a text file `new_grid.dat`.
 *
 *   nodes (3I+1)(J+1)   cells 3IJ   edges (3I-1)J + 3I(J-1) + I
 *   boundary edges I + 3I + 2J
 */
#ifndef BENCH_AIRFOIL_MESH_H
#define BENCH_AIRFOIL_MESH_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MESH_WALL = 1, MESH_FAR = 2 };

struct mesh {
  int nnode, ncell, nedge, nbedge;
  double *x;       /* [nnode, 2] */
  int *cell_node;  /* [ncell, 4], in order around the cell */
  int *edge_node;  /* [nedge, 2] */
  int *edge_cell;  /* [nedge, 2] */
  int *bedge_node; /* [nbedge, 2] */
  int *bedge_cell; /* [nbedge] */
  int *bedge_type; /* [nbedge], MESH_WALL or MESH_FAR */
};

/* Make Mesh(I, J); I, J >= 1. Coordinates are rounded to six decimals, so that
 * the mesh is the same as one that went through a file. The caller clears
 * it. */
void mesh_make(struct mesh *m, int I, int J);

/* Read or write the text form. False, with a message on stderr, on failure. */
bool mesh_read(struct mesh *m, const char *path);
bool mesh_write(const struct mesh *m, const char *path);

/* Give all sets new numbers: node[i] is that of node i, and so on. */
void mesh_renumber(struct mesh *m, const int *node, const int *cell,
                   const int *edge, const int *bedge);

/* Give all sets a random order (Fisher-Yates; the same seed gives the same). */
void mesh_shuffle(struct mesh *m, unsigned seed);

void mesh_clear(struct mesh *m);

#ifdef __cplusplus
}
#endif
#endif
