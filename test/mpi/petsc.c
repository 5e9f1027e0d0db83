/* Matrices and solvers of PETSc over ranks that declare parts.
 *
 * RUN: 1
 * RUN: 2
 * RUN: 3 SLICE=skew
 * RUN: 4 PART=RANDOM
 * RUN: 3 PART=EXTERNAL SLICE=skew
 * RUN: 4 OP2_EAGER=1
 * RUN: 2 OP2_RENUMBER=rcm OP2_CHECK=1
 */
#include "slice.h"

#include "../programs/petsc.c"
