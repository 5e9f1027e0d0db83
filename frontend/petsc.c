/* Matrices in PETSc (rt/mesh/petsc.h), and op2_mat_petsc. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/matrix.h"
#include "frontend/ranks.h"

#include "rt/mesh/petsc.h"

status
fe_petsc_fill(const char *api, struct fe_mat *m, const struct op2_csr *a) {
  const struct fe_sparsity *s = m->sparsity;
  struct rt_petsc_rows rows = {.name = m->name,
                               .first = s->rt.first,
                               .rows = a->rows,
                               .columns = fe_map_rows(s->columns),
                               .rdim = m->rdim,
                               .cdim = m->cdim,
                               .start = (const int64_t *)a->row_ptr,
                               .col = (const idx_g *)a->column,
                               .wide = m->values->size / m->values->dim ==
                                       (int)sizeof(double),
                               .values = a->values};
  status st = rt_petsc_start(fe_ranks.comm, fe_in_parts());
  TRY(fe_agree(api, 0, err_prefix(st, "%s: ", api)));
  st = rt_petsc_fill(&m->petsc, &rows);
  return fe_agree(api, 0, err_prefix(st, "%s: ", api));
}

/* ---- op2_mat_petsc ------------------------------------------------------- */

static const char api[] = "op2_mat_petsc";

static status
check_type(const struct fe_mat *m) {
  struct type t = ((const struct fe_dat *)m->values)->type;
  if (t.kind == TYPE_F64 || t.kind == TYPE_F32) return OK;
  FAIL(ERR_ARG,
       "%s: matrix \"%s\": wrong type: expected double or float, found \"%s\"",
       api, m->name, m->values->type);
}

static status
mat_petsc(op2_mat mat, void **out) {
  struct op2_csr a;
  struct fe_mat *m = (struct fe_mat *)mat;
  const char *file = fe.file; /* of the call: the look has its own */
  int line = fe.line;
  TRY(fe_mat_check(api, mat));
  TRY(check_type(m));
  TRY(fe_mat_look(api, m, &a));
  op2_here(file, line);
  TRY(fe_petsc_fill(api, m, &a));
  *out = rt_petsc_handle(m->petsc);
  return OK;
}

void *
op2_mat_petsc(op2_mat mat) {
  void *out = NULL;
  if (fe_enter(api)) fe_leave(mat_petsc(mat, &out));
  return out;
}
