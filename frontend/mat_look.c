/* Looks at matrices: op2_mat_csr. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/matrix.h"
#include "frontend/rows.h"
#include "frontend/values.h"

#include <stdlib.h>

status
fe_mat_check(const char *api, op2_mat mat) {
  if (fe_handle_is(mat, FE_MAT)) return OK;
  FAIL(ERR_ARG, "%s: matrix: expected a declared one, found %s", api,
       fe_handle_found(mat));
}

/* Where op_partition has moved rows, a copy comes back from where they are. */
static status
values_of(const char *api, struct fe_mat *m, const void **out) {
  struct fe_dat *d;
  TRY(fe_access_begin(api, m->values, false, &d));
  free(m->home);
  m->home = NULL;
  return fe_rows_declared(d, out, &m->home);
}

status
fe_mat_look(const char *api, struct fe_mat *m, struct op2_csr *out) {
  const struct rt_sparsity *r = &m->sparsity->rt;
  const void *values;
  TRY(values_of(api, m, &values));
  *out = (struct op2_csr){r->rows, (const idx_g_t *)r->start,
                          (const idx_g_t *)r->col, values};
  return OK;
}

struct op2_csr
op2_mat_csr(op2_mat mat) {
  static const char api[] = "op2_mat_csr";
  struct op2_csr out = {0};
  if (!fe_enter(api)) return out;
  status st = fe_mat_check(api, mat);
  if (st == OK) st = fe_mat_look(api, (struct fe_mat *)mat, &out);
  fe_leave(st);
  return out;
}
