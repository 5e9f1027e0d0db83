/* Triangles on a torus: the base of the columns.
 *
 * I x J squares, each cut in two along its diagonal, both directions periodic:
 * 2 I J cells, 3 I J edges, every cell with three of each. Lengths and widths
 * vary smoothly; all cells have area 1, so that what leaves one cell over an
 * edge is what the other gets. */
#ifndef BENCH_COLUMNS_TORUS_H
#define BENCH_COLUMNS_TORUS_H

struct torus {
  int ncell, nedge;
  int *edge_cell; /* [nedge, 2]: a flux is positive from the first on */
  int *cell_edge; /* [ncell, 3] */
  int *cell_cell; /* [ncell, 3]: beyond these edges */
  double *along;  /* [nedge]: 1 / distance of the cells */
  double *out;    /* [ncell, 3]: length of the edge, negative where it is the
                     second of the edge's cells */
  double *weight; /* [ncell, 3]: length by distance */
};

void torus_make(struct torus *t, int i, int j);
void torus_clear(struct torus *t);

/* What cell c of n holds in layer k at the start: between -1 and 3. */
double torus_start(int c, int n, int k);
/* Entry k of row `row` of column c's tridiagonal matrix, [a, b, c]: dominated by
 * b. */
double torus_matrix(int c, int layers, int row, int k);

#endif
