/* The square's matrix in compressed rows, for programs without the library. */
#ifndef BENCH_FEM_CSR_H
#define BENCH_FEM_CSR_H

#include "square.h"

struct csr {
  int n;
  int *start, *column; /* [n + 1], ascending in each row */
  int *place; /* [ncell, 16]: of each local value; -1: of the boundary */
  char *rim;  /* [n]: is the node on the boundary? */
};

/* Rows of all nodes. The caller clears it. */
void csr_make(struct csr *c, const struct square *s);
void csr_clear(struct csr *c);

/* The place of a value that is there. */
int csr_find(const struct csr *c, int row, int column);

#endif
