/* A x = b through a KSP, made for the call.
 *
 * Options are a database of their own, which stands before PETSc's while the
 * call lasts: what the program or PETSC_OPTIONS say is for the program's own
 * solvers, but what has the prefix that the call names (options.c). So each
 * option that is left over in the end is a mistake, and told.
 * x and b are copies, so that x is whole or untouched. */
#include "rt/petsc/petsc.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

struct run {
  const struct rt_petsc_mat *m;
  const char *options;
  const double *b;
  double *x; /* where it starts, and ends */
  struct rt_petsc_end end;
  PetscOptions own;
  KSP ksp;
  Vec vx, vb, vr;
  bool pushed;
  char unused[128]; /* an option that nothing has asked for; "": none */
};

/* A vector over memory of ours, or of its own. */
static PetscErrorCode
vectors(struct run *r) {
  PetscScalar *to;
  PetscInt n;
  PetscCall(MatCreateVecs(r->m->mat, &r->vx, &r->vb));
  PetscCall(VecDuplicate(r->vb, &r->vr));
  PetscCall(VecGetLocalSize(r->vx, &n));
  PetscCall(VecGetArrayWrite(r->vx, &to));
  memcpy(to, r->x, (size_t)n * sizeof *to);
  PetscCall(VecRestoreArrayWrite(r->vx, &to));
  PetscCall(VecGetArrayWrite(r->vb, &to));
  memcpy(to, r->b, (size_t)n * sizeof *to);
  PetscCall(VecRestoreArrayWrite(r->vb, &to));
  return 0;
}

/* It starts from x, but for what is no iteration: that refuses to. */
static PetscErrorCode
solver(struct run *r) {
  PetscBool once;
  PetscCall(KSPCreate(pets_comm(), &r->ksp));
  PetscCall(KSPSetOperators(r->ksp, r->m->mat, r->m->mat));
  PetscCall(KSPSetTolerances(r->ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 1000));
  PetscCall(KSPSetFromOptions(r->ksp));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)r->ksp, &once, KSPPREONLY,
                                      ""));
  PetscCall(KSPSetInitialGuessNonzero(r->ksp, !once));
  return 0;
}

static PetscErrorCode
iterate(struct run *r, double norm) {
  PetscInt iterations;
  KSPConvergedReason why;
  PetscReal left;
  PetscCall(KSPSolve(r->ksp, r->vb, r->vx));
  PetscCall(KSPGetIterationNumber(r->ksp, &iterations));
  PetscCall(KSPGetConvergedReason(r->ksp, &why));
  PetscCall(MatMult(r->m->mat, r->vx, r->vr));
  PetscCall(VecAYPX(r->vr, -1, r->vb));
  PetscCall(VecNorm(r->vr, NORM_2, &left));
  r->end = (struct rt_petsc_end){(int)iterations, left / norm, why > 0};
  return 0;
}

static PetscErrorCode
left_over(struct run *r) {
  char **names, **values;
  PetscInt n;
  PetscCall(PetscOptionsLeftGet(r->own, &n, &names, &values));
  if (n) strncpy(r->unused, names[0], sizeof r->unused - 1);
  PetscCall(PetscOptionsLeftRestore(r->own, &n, &names, &values));
  return 0;
}

static PetscErrorCode
solution(struct run *r) {
  const PetscScalar *from;
  PetscInt n;
  PetscCall(VecGetLocalSize(r->vx, &n));
  PetscCall(VecGetArrayRead(r->vx, &from));
  memcpy(r->x, from, (size_t)n * sizeof *from);
  PetscCall(VecRestoreArrayRead(r->vx, &from));
  return 0;
}

static PetscErrorCode
run(struct run *r) {
  PetscReal norm;
  PetscCall(PetscOptionsCreate(&r->own));
  PetscCall(pets_options(r->own, r->options));
  PetscCall(PetscOptionsPush(r->own));
  r->pushed = true;
  PetscCall(vectors(r));
  PetscCall(solver(r));
  PetscCall(VecNorm(r->vb, NORM_2, &norm));
  if (norm == 0) {
    r->end = (struct rt_petsc_end){0, 0, true};
    PetscCall(VecSet(r->vx, 0));
  } else {
    PetscCall(iterate(r, norm));
    PetscCall(left_over(r));
  }
  if (!*r->unused) PetscCall(solution(r));
  return 0;
}

static void
clear(struct run *r) {
  (void)KSPDestroy(&r->ksp);
  (void)VecDestroy(&r->vx);
  (void)VecDestroy(&r->vb);
  (void)VecDestroy(&r->vr);
  if (r->pushed) (void)PetscOptionsPop();
  (void)PetscOptionsDestroy(&r->own);
}

status
pets_solve(const struct rt_petsc_mat *m, const char *options, const double *b,
           double *x, struct rt_petsc_end *out) {
  struct run r = {.m = m, .options = options, .b = b, .x = x};
  pets_enter();
  PetscErrorCode code = run(&r);
  clear(&r);
  TRY(pets_leave(code, "petsc", options));
  if (*r.unused)
    FAIL(ERR_ARG, "petsc: expected options that this solver has, found \"-%s\"",
         r.unused);
  *out = r.end;
  return OK;
}
