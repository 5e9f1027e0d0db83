/* Matrices: shared with PETSc, or copied through coordinates (COO).
 *
 * Shared are double values in blocks of one, on one process, where PETSc keeps
 * them as the library does: row by row, ascending. Over ranks it keeps the
 * diagonal part first, and blocks are no blocks in rows of its default type; so
 * there it is told once where each value goes, and gets all of them each time.
 * A type that PETSc's database names for the matrix, as those of devices, is
 * filled so, too: "-a_mat_type aijcusparse" of matrix "a".
 * Values that moved in memory since the last look are a matrix anew: PETSc has
 * no call that changes the place. */
#include "rt/petsc/petsc.h"

#include "base/arena.h"
#include "base/str.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t
count(const struct rt_petsc_rows *a) {
  return (size_t)a->start[a->rows] * (size_t)a->rdim * (size_t)a->cdim;
}

static bool
shares(const struct rt_petsc_rows *a) {
  int size;
  MPI_Comm_size(pets_comm(), &size);
  return size == 1 && a->wide && a->rdim == 1 && a->cdim == 1;
}

/* Asked when it is made: what the database says later is for later matrices.
 * PETSc has no prefixes that begin with "-". */
static PetscErrorCode
decide(struct rt_petsc_mat *m, const struct rt_petsc_rows *a) {
  PetscBool has = PETSC_FALSE;
  SCOPED_STR prefix = STR_INIT;
  if (m->mat) return 0;
  str_printf(&prefix, "%s_", a->name);
  if (*a->name != '-')
    PetscCall(PetscOptionsHasName(NULL, prefix.s, "-mat_type", &has));
  m->typed = has;
  return 0;
}

static PetscErrorCode
set_type(struct rt_petsc_mat *m, const struct rt_petsc_rows *a) {
  SCOPED_STR prefix = STR_INIT;
  PetscCall(MatSetType(m->mat, MATAIJ));
  if (!m->typed) return 0;
  str_printf(&prefix, "%s_", a->name);
  PetscCall(MatSetOptionsPrefix(m->mat, prefix.s));
  PetscCall(MatSetFromOptions(m->mat));
  return 0;
}

/* All numbers are PETSc's PetscInt, of 32 bits in most builds. */
static status
check(const struct rt_petsc_rows *a) {
  idx_g last = a->first + a->rows;
  for (int64_t k = 0; k < a->start[a->rows]; k++)
    if (a->col[k] >= last) last = a->col[k] + 1;
  int dim = a->rdim > a->cdim ? a->rdim : a->cdim;
  if (last <= PETSC_MAX_INT / dim && count(a) <= PETSC_MAX_INT) return OK;
  FAIL(ERR_ARG,
       "matrix \"%s\": expected numbers of rows, columns and values up to "
       "%lld, PETSc's, found %lld rows or columns of %d, %lld values",
       a->name, (long long)PETSC_MAX_INT, (long long)last, dim,
       (long long)count(a));
}

/* ---- shared -------------------------------------------------------------- */

static void
tables_make(struct rt_petsc_mat *m, const struct rt_petsc_rows *a) {
  size_t rows = (size_t)a->rows, n = count(a);
  m->start = mem_alloc(rows + 1, sizeof *m->start);
  m->col = mem_alloc(n + 1, sizeof *m->col);
  for (size_t i = 0; i <= rows; i++) m->start[i] = (PetscInt)a->start[i];
  for (size_t k = 0; k < n; k++) m->col[k] = (PetscInt)a->col[k];
}

static PetscErrorCode
share(struct rt_petsc_mat *m, const struct rt_petsc_rows *a) {
  static PetscScalar none; /* a matrix without values has no place for them */
  PetscScalar *values = count(a) ? (PetscScalar *)a->values : &none;
  if (m->mat && m->shared == a->values) return 0;
  if (m->mat) PetscCall(MatDestroy(&m->mat));
  if (!m->start) tables_make(m, a);
  PetscCall(MatCreateSeqAIJWithArrays(pets_comm(), a->rows, a->columns,
                                      m->start, m->col, values, &m->mat));
  m->shared = a->values;
  return 0;
}

/* ---- copied -------------------------------------------------------------- */

/* Coordinates of all values, in their order. */
static void
coordinates(const struct rt_petsc_rows *a, PetscInt *row, PetscInt *col) {
  size_t n = 0;
  for (idx_l e = 0; e < a->rows; e++)
    for (int64_t k = a->start[e]; k < a->start[e + 1]; k++)
      for (int i = 0; i < a->rdim * a->cdim; i++, n++) {
        row[n] = (PetscInt)((a->first + e) * a->rdim + i / a->cdim);
        col[n] = (PetscInt)(a->col[k] * a->cdim + i % a->cdim);
      }
  assert(n == count(a));
}

static PetscErrorCode
places_make(struct rt_petsc_mat *m, const struct rt_petsc_rows *a) {
  size_t n = count(a);
  SCOPED PetscInt *row = mem_alloc(n + 1, sizeof *row);
  SCOPED PetscInt *col = mem_alloc(n + 1, sizeof *col);
  coordinates(a, row, col);
  PetscCall(MatCreate(pets_comm(), &m->mat));
  PetscCall(MatSetSizes(m->mat, a->rows * a->rdim, a->columns * a->cdim,
                        PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSizes(m->mat, a->rdim, a->cdim));
  PetscCall(set_type(m, a));
  PetscCall(MatSetPreallocationCOO(m->mat, (PetscCount)n, row, col));
  return 0;
}

static PetscErrorCode
copy(struct rt_petsc_mat *m, const struct rt_petsc_rows *a) {
  const float *from = a->values;
  size_t n = count(a);
  if (!m->mat) PetscCall(places_make(m, a));
  if (a->wide)
    return MatSetValuesCOO(m->mat, (const PetscScalar *)a->values,
                           INSERT_VALUES);
  if (!m->copy) m->copy = mem_alloc(n + 1, sizeof *m->copy);
  for (size_t i = 0; i < n; i++) m->copy[i] = (PetscScalar)from[i];
  return MatSetValuesCOO(m->mat, m->copy, INSERT_VALUES);
}

/* ---- both ---------------------------------------------------------------- */

static PetscErrorCode
fill(struct rt_petsc_mat *m, const struct rt_petsc_rows *a) {
  PetscCall(decide(m, a));
  PetscCall(shares(a) && !m->typed ? share(m, a) : copy(m, a));
  PetscCall(PetscObjectSetName((PetscObject)m->mat, a->name));
  /* what PETSc has found in the former values is void */
  PetscCall(MatAssemblyBegin(m->mat, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(m->mat, MAT_FINAL_ASSEMBLY));
  return 0;
}

status
pets_fill(struct rt_petsc_mat **m, const struct rt_petsc_rows *a) {
  TRY(check(a));
  struct rt_petsc_mat *made = *m ? *m : mem_alloc(1, sizeof *made);
  if (!*m) *made = (struct rt_petsc_mat){0};
  *m = made;
  bool fresh = !made->mat;
  pets_enter();
  PetscErrorCode code = fill(made, a);
  if (code && fresh) (void)MatDestroy(&made->mat); /* half of one */
  return pets_leave(code, "matrix", a->name);
}

void
pets_free(struct rt_petsc_mat *m) {
  if (m->mat) (void)MatDestroy(&m->mat);
  free(m->start);
  free(m->col);
  free(m->copy);
  free(m);
}
