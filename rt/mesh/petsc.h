/* Matrices and solvers of PETSc, which lives in a shared object of its own
 * (rt/petsc/), opened with the first call that needs it.
 *
 * It starts PETSc unless the program has. Arrays come from the library. All
 * functions are collective over the ranks of the communicator. PETSc's own
 * errors are ERR_STATE and end with its words. */
#ifndef RT_MESH_PETSC_H
#define RT_MESH_PETSC_H

#include "base/err.h"
#include "base/types.h"

#include <stdbool.h>

/* The rows of this rank, as op2_csr has them: blocks of rdim x cdim values. */
struct rt_petsc_rows {
  const char *name; /* of the matrix */
  idx_g first;      /* global number of the first row */
  idx_l rows, columns;
  int rdim, cdim;
  const int64_t *start; /* [rows + 1] */
  const idx_g *col;
  bool wide;          /* values are double, else float */
  const void *values; /* KEEP while the matrix is in use */
};

/* How a solver ended: see op2_solve_info. */
struct rt_petsc_end {
  int iterations;
  double residual;
  bool converged;
};

struct rt_comm;
struct rt_petsc_mat; /* one that PETSc has */

/* Open and start it, if that is still to do. `parts`: matrices lie over the
 * ranks, else each rank is alone. ERR_STATE: it was built without PETSc, or
 * PETSc for another MPI library; ERR_MPI. */
status rt_petsc_start(struct rt_comm *c, bool parts);
/* PETSc ends, if it began here. Matrices are freed before. */
void rt_petsc_stop(void);
/* *m (NULL: none yet) with these values; its rows stay the same. On one process
 * values that are double in blocks of one are shared as long as they stay at
 * their place, others are copied. */
status rt_petsc_fill(struct rt_petsc_mat **m, const struct rt_petsc_rows *a);
void *rt_petsc_handle(const struct rt_petsc_mat *m); /* its Mat */
void rt_petsc_free(struct rt_petsc_mat *m);          /* NULL: nothing */
/* x = A^-1 b from x on, with these options and no others. ERR_ARG: one that
 * nothing has asked for. x is as it was unless OK. */
status rt_petsc_solve(const struct rt_petsc_mat *m, const char *options,
                      const double *b, double *x, struct rt_petsc_end *out);

/* ---- what rt/petsc/ shows: op2_rt_petsc --------------------------------- */

struct rt_petsc {
  const char *version; /* first: see base/module.h */
  const char *mpi;     /* the MPI library that PETSc goes through */
  const char *(*error)(void);
  /* communicator: an MPI_Comm *, KEEP; NULL: this process alone. Again: does
   * nothing. */
  status (*start)(const void *communicator);
  void (*stop)(void);
  status (*fill)(struct rt_petsc_mat **m, const struct rt_petsc_rows *a);
  void *(*handle)(const struct rt_petsc_mat *m);
  void (*free)(struct rt_petsc_mat *m);
  status (*solve)(const struct rt_petsc_mat *m, const char *options,
                  const double *b, double *x, struct rt_petsc_end *out);
};

#endif
