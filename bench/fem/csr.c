#include "csr.h"

#include <stdlib.h>
#include <string.h>

#include "../take.h"
#include "forms.h"

/* A node and those of the cells around it. */
static int
row_fill(const struct square *s, int i, int j, int *to) {
  int n = 0;
  for (int b = j - 1; b <= j + 1; b++)
    for (int a = i - 1; a <= i + 1; a++)
      if (a >= 0 && b >= 0 && a <= s->ni && b <= s->nj)
        to[n++] = a + b * (s->ni + 1);
  return n;
}

int
csr_find(const struct csr *c, int row, int column) {
  int k = c->start[row];
  while (c->column[k] != column) k++;
  return k;
}

static void
places_fill(struct csr *c, const struct square *s) {
  for (int e = 0; e < s->ncell; e++)
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) {
        int row = s->cell_node[4 * e + a], column = s->cell_node[4 * e + b];
        c->place[16 * e + 4 * a + b] =
            c->rim[row] || c->rim[column] ? -1 : csr_find(c, row, column);
      }
}

void
csr_make(struct csr *c, const struct square *s) {
  *c = (struct csr){.n = s->nnode};
  c->start = bench_take(c->n + 1, sizeof(int));
  c->column = bench_take(forms_nonzeros(s), sizeof(int));
  c->place = bench_take(16 * s->ncell, sizeof(int));
  c->rim = bench_take(c->n, 1);
  for (int j = 0; j <= s->nj; j++)
    for (int i = 0; i <= s->ni; i++) {
      int row = i + j * (s->ni + 1), at = c->start[row];
      c->start[row + 1] = at + row_fill(s, i, j, c->column + at);
    }
  for (int i = 0; i < s->nbnode; i++) c->rim[s->bnode[i]] = 1;
  places_fill(c, s);
}

void
csr_clear(struct csr *c) {
  free(c->start);
  free(c->column);
  free(c->place);
  free(c->rim);
  memset(c, 0, sizeof *c);
}
