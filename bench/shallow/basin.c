/* Each of the ni x nj quadrilaterals becomes two triangles, A (which has the
 * bottom side) and B; the diagonal alternates as on a chess board:
 *
 *   3 --- 2    3 --- 2
 *   | B / |    | \ B |
 *   | / A |    | A \ |
 *   0 --- 1    0 --- 1
 *   i+j even    i+j odd
 */
#include "basin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../take.h"

/* Side s runs from corner s to corner s + 1, counter-clockwise. */
enum { BOTTOM, RIGHT, TOP, LEFT };

static const struct {
  int cell[2][3];  /* corners of A and B */
  int diagonal[2]; /* its corners, A on the left */
  int at[4];       /* which triangle has the side */
} halves[2] = {
    {{{0, 1, 2}, {0, 2, 3}}, {2, 0}, {0, 0, 1, 1}},
    {{{0, 1, 3}, {1, 2, 3}}, {1, 3}, {0, 1, 1, 0}},
};

/* Bent inside, so that no two areas are the same; straight at the walls. */
static void
make_nodes(struct basin *b) {
  const double turn = 2 * 3.14159265358979323846;
  for (int j = 0; j <= b->nj; j++)
    for (int i = 0; i <= b->ni; i++) {
      double *x = b->x + 2 * (i + j * (b->ni + 1));
      double s = (double)i / b->ni, t = (double)j / b->nj;
      double bend = 0.04 * sin(turn * s) * sin(turn * t);
      x[0] = s + bend;
      x[1] = t - bend;
    }
}

static int
corner(const struct basin *b, int i, int j, int k) {
  int right = k == 1 || k == 2, up = k >= 2;
  return i + right + (j + up) * (b->ni + 1);
}

static int
cell_at(const struct basin *b, int i, int j, int side) {
  return 2 * (i + j * b->ni) + halves[(i + j) & 1].at[side];
}

static void
set_side(const struct basin *b, int *node, int i, int j, int side) {
  node[0] = corner(b, i, j, side);
  node[1] = corner(b, i, j, (side + 1) % 4);
}

static void
make_cells(struct basin *b, int i, int j) {
  int *node = b->cell_node + 6 * (i + j * b->ni);
  for (int k = 0; k < 6; k++)
    node[k] = corner(b, i, j, halves[(i + j) & 1].cell[k / 3][k % 3]);
}

/* The diagonal, and the inner sides on the right and on top. */
static int
make_edges(struct basin *b, int e, int i, int j) {
  const int *diagonal = halves[(i + j) & 1].diagonal;
  int first = 2 * (i + j * b->ni);
  b->edge_node[2 * e] = corner(b, i, j, diagonal[0]);
  b->edge_node[2 * e + 1] = corner(b, i, j, diagonal[1]);
  b->edge_cell[2 * e] = first;
  b->edge_cell[2 * e + 1] = first + 1;
  e++;
  if (i + 1 < b->ni) {
    set_side(b, b->edge_node + 2 * e, i, j, RIGHT);
    b->edge_cell[2 * e] = cell_at(b, i, j, RIGHT);
    b->edge_cell[2 * e + 1] = cell_at(b, i + 1, j, LEFT);
    e++;
  }
  if (j + 1 < b->nj) {
    set_side(b, b->edge_node + 2 * e, i, j, TOP);
    b->edge_cell[2 * e] = cell_at(b, i, j, TOP);
    b->edge_cell[2 * e + 1] = cell_at(b, i, j + 1, BOTTOM);
    e++;
  }
  return e;
}

static int
make_walls(struct basin *b, int w, int i, int j) {
  int outside[4] = {j == 0, i == b->ni - 1, j == b->nj - 1, i == 0};
  for (int side = 0; side < 4; side++) {
    if (!outside[side]) continue;
    set_side(b, b->wall_node + 2 * w, i, j, side);
    b->wall_cell[w++] = cell_at(b, i, j, side);
  }
  return w;
}

void
basin_make(struct basin *b, int ni, int nj) {
  int e = 0, w = 0;
  *b = (struct basin){.ni = ni, .nj = nj};
  b->nnode = (ni + 1) * (nj + 1);
  b->ncell = 2 * ni * nj;
  b->nedge = 3 * ni * nj - ni - nj;
  b->nwall = 2 * (ni + nj);
  b->x = bench_take(b->nnode, 2 * sizeof(double));
  b->cell_node = bench_take(b->ncell, 3 * sizeof(int));
  b->edge_node = bench_take(b->nedge, 2 * sizeof(int));
  b->edge_cell = bench_take(b->nedge, 2 * sizeof(int));
  b->wall_node = bench_take(b->nwall, 2 * sizeof(int));
  b->wall_cell = bench_take(b->nwall, sizeof(int));
  make_nodes(b);
  for (int j = 0; j < nj; j++)
    for (int i = 0; i < ni; i++) {
      make_cells(b, i, j);
      e = make_edges(b, e, i, j);
      w = make_walls(b, w, i, j);
    }
}

void
basin_clear(struct basin *b) {
  free(b->x);
  free(b->cell_node);
  free(b->edge_node);
  free(b->edge_cell);
  free(b->wall_node);
  free(b->wall_cell);
  memset(b, 0, sizeof *b);
}
