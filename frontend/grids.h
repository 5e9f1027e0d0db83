/* Neighbours in an icosahedral grid, by rule. */
#ifndef FRONTEND_GRIDS_H
#define FRONTEND_GRIDS_H

/* Colours of grids: of cells, of edges, of vertices. */
enum { FE_GRID_CELLS = 2, FE_GRID_EDGES = 3, FE_GRID_VERTICES = 1 };

/* Of an element of colour c at (i, j): at[c * count + k] is neighbour k, at
 * (i + .i, j + .j). */
struct fe_neighbour {
  int i, colour, j;
};
struct fe_neighbours {
  int from, to, count; /* colours of both grids */
  const struct fe_neighbour *at;
};

/* NULL: there are none between grids of so many colours. */
const struct fe_neighbours *fe_neighbours_of(int from, int to);

#endif
