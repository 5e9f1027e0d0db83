/* Looks at matrices: op2_mat_csr. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/matrix.h"
#include "frontend/ranks.h"

#include "rt/ranks/dist.h"

status
fe_mat_check(const char *api, op2_mat mat) {
  if (fe_handle_is(mat, FE_MAT)) return OK;
  FAIL(ERR_ARG, "%s: matrix: expected a declared one, found %s", api,
       fe_handle_found(mat));
}

status
fe_mat_look(const char *api, const struct fe_mat *m, struct op2_csr *out) {
  const struct fe_set *rows = (const struct fe_set *)m->sparsity->rows;
  const struct rt_sparsity *r = &m->sparsity->rt;
  if (fe_in_parts() && rows->part->moved)
    FAIL(ERR_STATE,
         "%s: matrix \"%s\": expected rows where they were declared, found "
         "them moved by op_partition",
         api, m->name);
  const void *values = op2_dat_data(m->values);
  if (!values && r->start[r->rows])
    return err_set(ERR_STATE, "%s", op2_last_error());
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
  if (st == OK) st = fe_mat_look(api, (const struct fe_mat *)mat, &out);
  fe_leave(st);
  return out;
}
