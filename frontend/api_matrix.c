/* Matrices: a dat of blocks on the nonzeros of a sparsity (api_sparsity.c).
 *
 *   assembling  an argument through the map element -> nonzeros, as one block
 *               (lower/packed.h) of [row entry][r][column entry][c]: mat_arg.c
 *   products,   loops over rows: mat_loops.c
 *   rows        */
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/matrix.h"

#include "rt/mesh/petsc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- declaration --------------------------------------------------------- */

static struct fe_mat *mats;

static const char decl[] = "op2_decl_mat";

static status
check_decl(op2_sparsity sparsity, int rdim, int cdim, const char *type,
           const char *name) {
  struct type t;
  if (!name) FAIL(ERR_ARG, "%s: name: expected a text, found NULL", decl);
  if (!fe_handle_is(sparsity, FE_SPARSITY))
    FAIL(ERR_ARG, "%s \"%s\": sparsity: expected a declared one, found %s",
         decl, name, fe_handle_found(sparsity));
  if (rdim < 1 || cdim < 1 || rdim > FE_ARITY_MAX || cdim > FE_ARITY_MAX)
    FAIL(ERR_ARG,
         "%s \"%s\": expected blocks of 1 to %d rows and columns, found %d x "
         "%d",
         decl, name, FE_ARITY_MAX, rdim, cdim);
  if (!type || !type_from_name(type, 0, &t, NULL) || t.kind == TYPE_BYTES ||
      t.kind == TYPE_BOOL)
    FAIL(ERR_ARG, "%s \"%s\": type: expected one with arithmetic, found \"%s\"",
         decl, name, type ? type : "NULL");
  return OK;
}

status
fe_mat_chars(const struct fe_mat *m, const char *api, op_set set,
             const char *what, op_dat *out) {
  size_t bytes = strlen(m->name) + strlen(what) + 2;
  SCOPED char *name = mem_alloc(bytes, 1);
  snprintf(name, bytes, "%s_%s", m->name, what);
  struct fe_dat *d;
  TRY(fe_decl_dat(&(struct fe_dat_args){.api = api,
                                        .set = set,
                                        .dim = 1,
                                        .type = "char",
                                        .name = name,
                                        .temp = true,
                                        .inner = true},
                  &d));
  *out = &d->pub;
  return OK;
}

static status
decl_mat(op2_sparsity sparsity, int rdim, int cdim, const char *type,
         const char *name, struct fe_mat **out) {
  TRY(check_decl(sparsity, rdim, cdim, type, name));
  struct fe_sparsity *s = (struct fe_sparsity *)sparsity;
  struct fe_dat *values;
  TRY(fe_decl_dat(&(struct fe_dat_args){.api = decl,
                                        .set = s->nonzeros,
                                        .dim = rdim * cdim,
                                        .type = type,
                                        .name = name,
                                        .temp = true,
                                        .inner = true},
                  &values));
  struct fe_mat *m = mem_alloc(1, sizeof *m);
  *m = (struct fe_mat){.next = mats,
                       .name = fe_text_copy(name),
                       .sparsity = s,
                       .values = &values->pub,
                       .rdim = rdim,
                       .cdim = cdim};
  mats = m;
  s->nmats++;
  fe_handle_add(m, FE_MAT);
  *out = m;
  return OK;
}

op2_mat
op2_decl_mat(op2_sparsity sparsity, int rdim, int cdim, const char *type,
             const char *name) {
  struct fe_mat *m = NULL;
  if (fe_enter(decl)) fe_leave(decl_mat(sparsity, rdim, cdim, type, name, &m));
  return (op2_mat)m;
}

static void
mat_drop(struct fe_mat *m) {
  free(m->home);
  free(m->name);
  free(m);
}

status
fe_mat_free(struct fe_mat *m) {
  int st = op_free_dat_temp(m->values);
  if (!st && m->mask) st = op_free_dat_temp(m->mask);
  if (st) return (status)st;
  rt_petsc_free(m->petsc);
  fe.masked -= m->masked;
  struct fe_mat **at = &mats;
  while (*at != m) at = &(*at)->next;
  *at = m->next;
  m->sparsity->nmats--;
  fe_handle_free(m);
  mat_drop(m);
  return OK;
}

void
fe_mats_release(void) {
  for (struct fe_mat *m = mats; m; m = m->next) {
    rt_petsc_free(m->petsc);
    m->petsc = NULL;
  }
  rt_petsc_stop();
}

void
fe_mats_clear(void) {
  fe.masked = 0;
  while (mats) {
    struct fe_mat *m = mats;
    mats = m->next;
    mat_drop(m);
  }
}

/* ---- arguments ----------------------------------------------------------- */

/* `data` is the matrix, `map` and `dat` are the maps; dim and idx the block's
 * rows and columns. */
op_arg
op2_arg_mat(op2_mat mat, op_map rows, op_map columns, int rdim, int cdim,
            char const *type, op_access acc) {
  return (op_arg){.index = -1,
                  .dat = (op_dat)columns,
                  .map = rows,
                  .dim = rdim,
                  .idx = cdim,
                  .data = (char *)mat,
                  .type = type,
                  .acc = acc,
                  .argtype = OP2_ARG_MAT,
                  .opt = 1};
}
