/* Sparsities and matrices: what stands behind their handles. */
#ifndef FRONTEND_MATRIX_H
#define FRONTEND_MATRIX_H

#include "base/err.h"
#include "base/types.h"
#include "rt/mesh/sparsity.h"

#define OP2_NO_MACROS 1
#include "op2.h"

/* One pair of maps that elements are assembled by, and where element e's local
 * matrix goes: entry i * columns->dim + j of `at` is the nonzero of row
 * rows[e][i] and column columns[e][j]. */
struct fe_coupling {
  op_map rows, columns, at;
};

struct fe_sparsity { /* op2_sparsity */
  struct fe_sparsity *next;
  char *name;
  op_set rows, columns, nonzeros;
  struct rt_sparsity rt; /* of this rank's declared rows */
  op_map entries;        /* row -> its nonzeros */
  op_map targets;        /* row -> their columns */
  op_map diagonal;       /* row -> (row, row); NULL: rows are not columns */
  struct fe_coupling *couplings;
  uint32_t ncouplings;
  uint32_t nmats; /* that are not freed */
};

struct rt_petsc_mat;

struct fe_mat { /* op2_mat */
  struct fe_mat *next;
  char *name;
  struct fe_sparsity *sparsity;
  op_dat values; /* on its nonzeros, a block each, row after row */
  op_dat mask;   /* on its nonzeros, a char each: 0: contributions are dropped;
                    NULL: there was none yet */
  bool masked;   /* it counts */
  int rdim, cdim;
  void *home; /* the values as looked at last, where rows have moved; NULL */
  struct rt_petsc_mat *petsc; /* it in PETSc, as it was last; NULL: not there */
};

/* Free what is behind the handle, which is void then. */
status fe_sparsity_free(struct fe_sparsity *s);
status fe_mat_free(struct fe_mat *m);

/* Is it a matrix? ERR_ARG */
status fe_mat_check(const char *api, op2_mat mat);
/* What op2_mat_csr gives: runs what the values need. */
status fe_mat_look(const char *api, struct fe_mat *m, struct op2_csr *out);

/* petsc.c: m->petsc with these values. ERR_STATE: PETSc is missing, or goes
 * through another MPI library; what it says. Collective. */
status fe_petsc_fill(const char *api, struct fe_mat *m,
                     const struct op2_csr *a);

/* A temporary of a char for each element, of the library's: matrix_what. */
status fe_mat_chars(const struct fe_mat *m, const char *api, op_set set,
                    const char *what, op_dat *out);

/* to [r] = 1 / A[e][e][r][r] for each row e, 1 where that is 0: a loop. A has a
 * diagonal. ERR_COMPILE */
status fe_mat_inverse_diagonal(const struct fe_mat *m, op_dat to);

#endif
