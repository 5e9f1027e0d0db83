/* The unit square in 2 ni nj triangles: the mesh of the shallow-water
 * benchmark.
 *
 *   nodes (ni+1)(nj+1)   edges 3 ni nj - ni - nj   boundary edges 2 (ni + nj)
 */
#ifndef BENCH_SHALLOW_BASIN_H
#define BENCH_SHALLOW_BASIN_H

#ifdef __cplusplus
extern "C" {
#endif

struct basin {
  int ni, nj, nnode, ncell, nedge, nwall;
  double *x;      /* [nnode, 2] */
  int *cell_node; /* [ncell, 3], counter-clockwise */
  int *edge_node; /* [nedge, 2]: cell 0 is on the left of the way from 0 to 1 */
  int *edge_cell; /* [nedge, 2] */
  int *wall_node; /* [nwall, 2], the cell on the left, too */
  int *wall_cell; /* [nwall] */
};

/* Make the mesh; ni, nj >= 1. The caller clears it. */
void basin_make(struct basin *b, int ni, int nj);
void basin_clear(struct basin *b);

#ifdef __cplusplus
}
#endif
#endif
