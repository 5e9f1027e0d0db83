/* The unit cube in tetrahedra: the mesh of the Euler and Chebyshev benchmarks.
 *
 * Of ni x nj x nk hexahedra about half, drawn by a fixed rule, become five
 * tetrahedra each, the others twelve about a node in their middle. So nodes
 * inside have from 6 to 26 neighbours, and those at an edge of the cube fewer.
 * Nodes inside are moved by up to a tenth of a hexahedron's side.
 *
 * Around each node lies its part of the median-dual mesh: faces through the
 * middles of edges, triangles and tetrahedra.
 */
#ifndef BENCH_EULER_BOX_H
#define BENCH_EULER_BOX_H

#ifdef __cplusplus
extern "C" {
#endif

struct box {
  int ni, nj, nk, nnode, ntet, nedge, nwall;
  double *x;           /* [nnode, 3] */
  double *volume;      /* [nnode], of the dual cell */
  int *tet;            /* [ntet, 4], of positive volume */
  int *edge;           /* [nedge, 2] */
  double *normal;      /* [nedge, 3], area of the dual face, towards end 1 */
  int *wall;           /* [nwall], nodes on the surface, each once */
  double *wall_normal; /* [nwall, 3], area of their part of it, outwards */
};

/* Make the mesh; ni, nj, nk >= 1. seed: 0, numbers along the lines of the cube;
 * else all sets in random order. The caller clears it. */
void box_make(struct box *b, int ni, int nj, int nk, unsigned seed);
void box_clear(struct box *b);

/* Rows of neighbours, as compressed rows: row n is col[ptr[n] .. ptr[n + 1]), in
 * the order of edges; from[k]: the edge of entry k. Each to be freed. */
struct box_rows {
  long long *ptr; /* [nnode + 1] */
  int *col, *from;
};
void box_rows_make(struct box_rows *r, const struct box *b);
void box_rows_clear(struct box_rows *r);

#ifdef __cplusplus
}
#endif
#endif
