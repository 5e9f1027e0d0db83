#include "square.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../take.h"

/* Bent inside, straight at the boundary, so that it stays the unit square. */
static void
make_nodes(struct square *s) {
  const double turn = 2 * 3.14159265358979323846;
  for (int j = 0; j <= s->nj; j++)
    for (int i = 0; i <= s->ni; i++) {
      double *x = s->x + 2 * (i + j * (s->ni + 1));
      double a = (double)i / s->ni, b = (double)j / s->nj;
      double bend = 0.05 * sin(turn * a) * sin(turn * b);
      x[0] = a + bend;
      x[1] = b - bend;
    }
}

static void
make_cells(struct square *s) {
  for (int j = 0; j < s->nj; j++)
    for (int i = 0; i < s->ni; i++) {
      int *n = s->cell_node + 4 * (i + j * s->ni);
      n[0] = i + j * (s->ni + 1);
      n[1] = n[0] + 1;
      n[2] = n[1] + s->ni + 1;
      n[3] = n[0] + s->ni + 1;
    }
}

static void
make_boundary(struct square *s) {
  int k = 0;
  for (int j = 0; j <= s->nj; j++)
    for (int i = 0; i <= s->ni; i++)
      if (i == 0 || j == 0 || i == s->ni || j == s->nj)
        s->bnode[k++] = i + j * (s->ni + 1);
}

void
square_make(struct square *s, int ni, int nj) {
  *s = (struct square){.ni = ni, .nj = nj};
  s->nnode = (ni + 1) * (nj + 1);
  s->ncell = ni * nj;
  s->nbnode = 2 * (ni + nj);
  s->x = bench_take(s->nnode, 2 * sizeof(double));
  s->cell_node = bench_take(s->ncell, 4 * sizeof(int));
  s->bnode = bench_take(s->nbnode, sizeof(int));
  make_nodes(s);
  make_cells(s);
  make_boundary(s);
}

void
square_clear(struct square *s) {
  free(s->x);
  free(s->cell_node);
  free(s->bnode);
  memset(s, 0, sizeof *s);
}
