/* fem_matrix_petsc: the matrix as PETSc's users assemble it, by MatSetValues into
 * preallocated rows, with MatMult and the conjugate gradients of KSP. Ranks own
 * nodes row by row of the square, and cells with their first node. */
#include <petscksp.h>

#include <stdio.h>
#include <stdlib.h>

#include "../common.h"
#include "../take.h"
#include "csr.h"
#include "forms.h"
#include "kernels.h"

struct petsc {
  const struct square *s;
  struct csr rows;      /* for its rim */
  PetscInt first, last; /* own nodes */
  int cells, cells_end; /* own cells */
  Mat a;
  Vec x, y, u, b;
  KSP ksp;
  int iterations;
  bool converged;
};

/* ---- what is measured ---------------------------------------------------- */

static PetscErrorCode
add_cell(const struct petsc *f, int e) {
  const int *n = f->s->cell_node + 4 * e;
  PetscInt rows[4];
  double *xs[4], m[16] = {0};
  for (int a = 0; a < 4; a++) {
    xs[a] = f->s->x + 2 * n[a];
    rows[a] = f->rows.rim[n[a]] ? -1 : n[a]; /* left out */
  }
  stiffness(xs, m);
  return MatSetValues(f->a, 4, rows, 4, rows, m, ADD_VALUES);
}

static PetscErrorCode
try_assemble(const struct petsc *f) {
  PetscCall(MatZeroEntries(f->a));
  for (int e = f->cells; e < f->cells_end; e++) PetscCall(add_cell(f, e));
  for (PetscInt i = f->first; i < f->last; i++)
    if (f->rows.rim[i]) PetscCall(MatSetValue(f->a, i, i, 1, ADD_VALUES));
  PetscCall(MatAssemblyBegin(f->a, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(f->a, MAT_FINAL_ASSEMBLY);
}

static void
check(PetscErrorCode code) {
  if (code) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void
assemble(void *program) {
  check(try_assemble(program));
  MPI_Barrier(PETSC_COMM_WORLD);
}

static void
multiply_once(void *program) {
  struct petsc *f = program;
  check(MatMult(f->a, f->x, f->y));
  MPI_Barrier(PETSC_COMM_WORLD);
}

static PetscErrorCode
try_solve(struct petsc *f, double rtol, int most) {
  KSPConvergedReason why;
  PetscInt n;
  PetscCall(KSPSetTolerances(f->ksp, rtol, 0, PETSC_DEFAULT, most));
  PetscCall(VecSet(f->u, 0));
  PetscCall(KSPSetOperators(f->ksp, f->a, f->a));
  PetscCall(KSPSolve(f->ksp, f->b, f->u));
  PetscCall(KSPGetConvergedReason(f->ksp, &why));
  PetscCall(KSPGetIterationNumber(f->ksp, &n));
  f->iterations = (int)n;
  f->converged = why > 0;
  return 0;
}

static int
solve(void *program, double rtol, int most) {
  struct petsc *f = program;
  check(try_solve(f, rtol, most));
  return f->converged ? f->iterations : -1;
}

static PetscErrorCode
try_error(const struct petsc *f, double *sums) {
  const double *u;
  PetscCall(VecGetArrayRead(f->u, &u));
  for (PetscInt i = f->first; i < f->last; i++)
    inner_error(f->s->x + 2 * i, u + (i - f->first), &sums[0], &sums[1]);
  return VecRestoreArrayRead(f->u, &u);
}

static double
find_error(void *program, double *most_out) {
  struct petsc *f = program;
  double sums[2] = {0}, all[2];
  check(try_error(f, sums));
  MPI_Allreduce(&sums[0], &all[0], 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  MPI_Allreduce(&sums[1], &all[1], 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  *most_out = all[1];
  return sqrt(all[0] / f->s->nnode);
}

/* ---- begin --------------------------------------------------------------- */

/* Nodes, and the cells at them, of this rank: rows of the square, as even as
 * they get. */
static void
share_rows(struct petsc *f) {
  const struct square *s = f->s;
  int rank, size, width = s->ni + 1;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  int lo = (int)((long long)(s->nj + 1) * rank / size);
  int hi = (int)((long long)(s->nj + 1) * (rank + 1) / size);
  f->first = (PetscInt)lo * width;
  f->last = (PetscInt)hi * width;
  f->cells = s->ni * lo;
  f->cells_end = s->ni * (hi < s->nj ? hi : s->nj);
}

static PetscErrorCode
make_matrix(struct petsc *f) {
  PetscInt own = f->last - f->first;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, own, own, PETSC_DETERMINE,
                         PETSC_DETERMINE, 9, NULL, 6, NULL, &f->a));
  PetscCall(MatCreateVecs(f->a, &f->x, &f->y));
  PetscCall(VecDuplicate(f->x, &f->u));
  return VecDuplicate(f->x, &f->b);
}

static PetscErrorCode
right_side(struct petsc *f) {
  const struct square *s = f->s;
  double *all = bench_take(s->nnode, sizeof(double)), *b, *x;
  for (int e = 0; e < s->ncell; e++) {
    double *xs[4], *bs[4];
    for (int a = 0; a < 4; a++) {
      xs[a] = s->x + 2 * s->cell_node[4 * e + a];
      bs[a] = all + s->cell_node[4 * e + a];
    }
    load(xs, bs);
  }
  PetscCall(VecGetArrayWrite(f->b, &b));
  PetscCall(VecGetArrayWrite(f->x, &x));
  for (PetscInt i = f->first; i < f->last; i++) {
    b[i - f->first] = f->rows.rim[i] ? 0 : all[i];
    first_guess(s->x + 2 * i, x + (i - f->first));
  }
  PetscCall(VecRestoreArrayWrite(f->b, &b));
  free(all);
  return VecRestoreArrayWrite(f->x, &x);
}

/* The stopping rule of the library: the 2-norm of the residual itself. */
static PetscErrorCode
make_solver(struct petsc *f) {
  PC pc;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &f->ksp));
  PetscCall(KSPSetType(f->ksp, KSPCG));
  PetscCall(KSPGetPC(f->ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  return KSPSetNormType(f->ksp, KSP_NORM_UNPRECONDITIONED);
}

static PetscErrorCode
prepare(struct petsc *f, const struct square *s) {
  f->s = s;
  csr_make(&f->rows, s);
  share_rows(f);
  PetscCall(make_matrix(f));
  PetscCall(try_assemble(f)); /* which finds the rows */
  PetscCall(right_side(f));
  return make_solver(f);
}

int
main(int argc, char **argv) {
  static struct petsc f; /* the process' end frees it */
  struct bench_options o = {.size = {400, 400}, .iters = 30, .warmup = 5};
  struct square s;
  int rank, size;
  if (PetscInitializeNoArguments()) return 1;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  bench_speaks(rank == 0);
  if (!bench_parse(&o, argc, argv)) return 2;
  square_make(&s, o.size[0], o.size[1]);
  check(prepare(&f, &s));
  struct form form = {&f, assemble, multiply_once, solve, find_error};
  int wrong = forms_measure(&form, argv[0], &o, &s, size);
  PetscFinalize();
  return wrong;
}
