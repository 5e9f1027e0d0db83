/* The nine connectivities of an icosahedral grid.
 *
 * Vertices lie at i a + j b, where b is a turned by 120 degrees. The edges 0,
 * 1, 2 of (i, j) lead from its vertex along a, b and a + b; the last one cuts
 * the parallelogram of a and b into its two cells, 0 beside a and 1 beside b:
 *
 *            (i, j+1) --- 0 of j+1 --- (i+1, j+1)
 *                \                   /           \
 *                 1     cell 1      2   cell 0    1 of i+1
 *                  \             /                 \
 *                     (i, j) ---------- 0 --------- (i+1, j)
 *
 * Cells have their entries in one order in all three tables: neighbour k lies
 * behind edge k, opposite to vertex k. Vertices have theirs counterclockwise,
 * from a on: edge k leads to vertex k, cell k follows it. Edges have cell 0
 * first, and the edges of that cell, in its order, before those of cell 1. */
#include "frontend/grids.h"

#include <stddef.h>

#define C FE_GRID_CELLS
#define E FE_GRID_EDGES
#define V FE_GRID_VERTICES
#define ROWS (const struct fe_neighbour[])

static const struct fe_neighbours tables[] = {
    {C, C, 3,
     ROWS{{0, 1, 0}, {1, 1, 0}, {0, 1, -1}, {-1, 0, 0}, {0, 0, 1}, {0, 0, 0}}},
    {C, E, 3,
     ROWS{{0, 2, 0}, {1, 1, 0}, {0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 2, 0}}},
    {C, V, 3,
     ROWS{{1, 0, 0}, {0, 0, 0}, {1, 0, 1}, {1, 0, 1}, {0, 0, 0}, {0, 0, 1}}},
    {E, C, 2,
     ROWS{{0, 0, 0}, {0, 1, -1}, {-1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {0, 1, 0}}},
    {E, E, 4,
     ROWS{{0, 2, 0},
          {1, 1, 0},
          {0, 1, -1},
          {0, 2, -1},
          {-1, 2, 0},
          {-1, 0, 0},
          {0, 0, 1},
          {0, 2, 0},
          {1, 1, 0},
          {0, 0, 0},
          {0, 1, 0},
          {0, 0, 1}}},
    {E, V, 2,
     ROWS{{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, 0, 1}, {0, 0, 0}, {1, 0, 1}}},
    {V, C, 6,
     ROWS{{0, 0, 0},
          {0, 1, 0},
          {-1, 0, 0},
          {-1, 1, -1},
          {-1, 0, -1},
          {0, 1, -1}}},
    {V, E, 6,
     ROWS{
         {0, 0, 0}, {0, 2, 0}, {0, 1, 0}, {-1, 0, 0}, {-1, 2, -1}, {0, 1, -1}}},
    {V, V, 6,
     ROWS{
         {1, 0, 0}, {1, 0, 1}, {0, 0, 1}, {-1, 0, 0}, {-1, 0, -1}, {0, 0, -1}}},
};

const struct fe_neighbours *
fe_neighbours_of(int from, int to) {
  for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
    if (tables[k].from == from && tables[k].to == to) return &tables[k];
  return NULL;
}
