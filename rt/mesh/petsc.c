/* PETSc, before PETSc: the part that has it is opened, and its messages are
 * passed on. MPI's parts, which it brings along, look for symbols. */
#include "rt/mesh/petsc.h"

#include "base/module.h"
#include "rt/ranks/comm.h"

#include <assert.h>
#include <string.h>

static struct {
  bool tried;
  const struct rt_petsc *table; /* NULL: see `why` */
  struct str why;
} module = {.why = STR_INIT};

static status
module_get(void) {
  if (!module.tried)
    module.table =
        module_open_global("libop2lazy-petsc.so", "op2_rt_petsc", &module.why);
  module.tried = true;
  if (module.table) return OK;
  FAIL(ERR_STATE,
       "PETSc is not there: expected libop2lazy-petsc.so beside the library, "
       "which is built where PETSc of real doubles is (install "
       "libpetsc-real-dev and build the library again), found: %s",
       module.why.s);
}

/* Status of the other side, its message copied here. */
static status
other(status st) {
  return st == OK ? OK : err_set(st, "%s", module.table->error());
}

status
rt_petsc_start(struct rt_comm *c, bool parts) {
  TRY(module_get());
  const void *handle = c ? c->ops->handle(c) : NULL;
  assert(handle || !parts);
  if (handle && strcmp(c->ops->name, module.table->mpi))
    FAIL(ERR_STATE,
         "expected the MPI library that PETSc is built for, %s, found the "
         "program's, %s",
         module.table->mpi, c->ops->name);
  return other(module.table->start(parts ? handle : NULL));
}

void
rt_petsc_stop(void) {
  if (module.table) module.table->stop();
}

status
rt_petsc_fill(struct rt_petsc_mat **m, const struct rt_petsc_rows *a) {
  assert(module.table);
  return other(module.table->fill(m, a));
}

void *
rt_petsc_handle(const struct rt_petsc_mat *m) {
  return module.table->handle(m);
}

void
rt_petsc_free(struct rt_petsc_mat *m) {
  if (m) module.table->free(m);
}

status
rt_petsc_solve(const struct rt_petsc_mat *m, const char *options,
               const double *b, double *x, struct rt_petsc_end *out) {
  assert(m);
  return other(module.table->solve(m, options, b, x, out));
}
