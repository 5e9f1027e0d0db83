#include "torus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../take.h"

/* Edges of square s: its lower side, its left side, its diagonal. */
enum { LOWER, LEFT, DIAGONAL, SIDES };

static void
square_edges(struct torus *t, int s, int below, int left) {
  const int cells[SIDES][2] = {
      [LOWER] = {2 * below + 1, 2 * s},
      [LEFT] = {2 * left, 2 * s + 1},
      [DIAGONAL] = {2 * s, 2 * s + 1},
  };
  memcpy(t->edge_cell + (size_t)s * SIDES * 2, cells, sizeof cells);
}

static void
square_cells(struct torus *t, int s, int above, int right) {
  const int edges[2][3] = {
      {SIDES * s + LOWER, SIDES * right + LEFT, SIDES * s + DIAGONAL},
      {SIDES * s + DIAGONAL, SIDES * above + LOWER, SIDES * s + LEFT},
  };
  memcpy(t->cell_edge + (size_t)s * 2 * 3, edges, sizeof edges);
}

static double
edge_length(int e) {
  return 1 + 0.2 * sin(0.01 * e);
}

static double
edge_distance(int e) {
  return 0.6 + 0.1 * cos(0.02 * e);
}

static void
measure(struct torus *t) {
  for (int e = 0; e < t->nedge; e++) t->along[e] = 1 / edge_distance(e);
  for (int c = 0; c < t->ncell; c++)
    for (int k = 3 * c; k < 3 * c + 3; k++) {
      int e = t->cell_edge[k];
      const int *cells = t->edge_cell + 2 * (size_t)e;
      t->cell_cell[k] = cells[0] == c ? cells[1] : cells[0];
      t->out[k] = cells[0] == c ? edge_length(e) : -edge_length(e);
      t->weight[k] = edge_length(e) * t->along[e];
    }
}

void
torus_make(struct torus *t, int ni, int nj) {
  size_t n = (size_t)ni * (size_t)nj;
  *t = (struct torus){.ncell = (int)(2 * n), .nedge = (int)(3 * n)};
  t->edge_cell = bench_take(6 * n, sizeof *t->edge_cell);
  t->cell_edge = bench_take(6 * n, sizeof *t->cell_edge);
  t->cell_cell = bench_take(6 * n, sizeof *t->cell_cell);
  t->along = bench_take(3 * n, sizeof *t->along);
  t->out = bench_take(6 * n, sizeof *t->out);
  t->weight = bench_take(6 * n, sizeof *t->weight);
  for (int j = 0; j < nj; j++)
    for (int i = 0; i < ni; i++) {
      int s = i + ni * j;
      square_edges(t, s, i + ni * ((j + nj - 1) % nj),
                   (i + ni - 1) % ni + ni * j);
      square_cells(t, s, i + ni * ((j + 1) % nj), (i + 1) % ni + ni * j);
    }
  measure(t);
}

void
torus_clear(struct torus *t) {
  free(t->edge_cell);
  free(t->cell_edge);
  free(t->cell_cell);
  free(t->along);
  free(t->out);
  free(t->weight);
}

double
torus_start(int c, int n, int k) {
  return 1 + sin(40.0 * c / n) * cos(0.3 * k) + 0.5 * sin(0.7 * c + k);
}

double
torus_matrix(int c, int layers, int row, int k) {
  double below = row > 0 ? 0.4 + 0.1 * sin(0.3 * row + c) : 0;
  double above = row + 1 < layers ? 0.4 + 0.1 * cos(0.3 * row + c) : 0;
  return k == 0 ? -below : k == 1 ? 1 + below + above : -above;
}
