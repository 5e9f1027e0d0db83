/* The part with PETSc, inside: see rt/mesh/petsc.h. */
#ifndef RT_PETSC_PETSC_H
#define RT_PETSC_PETSC_H

#include "rt/mesh/petsc.h"

#include <petscksp.h>

struct rt_petsc_mat {
  Mat mat;
  PetscInt *start, *col; /* of shared values; NULL */
  const void *shared;    /* where they lie; NULL: they are copied */
  PetscScalar *copy;     /* of values that are no doubles; NULL */
  bool typed;            /* its type is PETSc's database's, so it is copied */
};

/* PETSc's calls return into the library from here on, in place of printing and
 * ending the program; the words of the first error are kept. */
void pets_enter(void);
/* The program's own way again. OK, or ERR_STATE: what was tried on what, and
 * PETSc's words. */
status pets_leave(PetscErrorCode code, const char *tried, const char *name);

/* The communicator of matrices. */
MPI_Comm pets_comm(void);

/* Into `own` what the text says, and what PETSc's database, the one in use, has
 * under the text's prefix. */
PetscErrorCode pets_options(PetscOptions own, const char *text);

status pets_solve(const struct rt_petsc_mat *m, const char *options,
                  const double *b, double *x, struct rt_petsc_end *out);
status pets_fill(struct rt_petsc_mat **m, const struct rt_petsc_rows *a);
void pets_free(struct rt_petsc_mat *m);

#endif
