/* What an argument of op2_arg_mat stands for: one block through a map of the
 * sparsity, and a mask of its entries through the same map. */
#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/matrix.h"

#include <stdio.h>
#include <string.h>

static const struct fe_coupling *
coupling_of(const struct fe_mat *m, const void *rows, const void *columns) {
  const struct fe_sparsity *s = m->sparsity;
  for (uint32_t k = 0; k < s->ncouplings; k++)
    if (s->couplings[k].rows == rows && s->couplings[k].columns == columns)
      return &s->couplings[k];
  return NULL;
}

#define ARG_FAIL(fmt, ...)                                                     \
  FAIL(ERR_ARG, "op_par_loop \"%s\": argument %d: " fmt, loop, arg, __VA_ARGS__)

status
fe_mat_arg(const char *loop, int arg, const op_arg *a, op_arg *out,
           uint32_t *cols, uint32_t *cdim) {
  if (!fe_handle_is(a->data, FE_MAT))
    ARG_FAIL("matrix: expected a declared one, found %s",
             fe_handle_found(a->data));
  const struct fe_mat *m = (const struct fe_mat *)a->data;
  if (a->dim != m->rdim || a->idx != m->cdim)
    ARG_FAIL("wrong block: expected %d x %d of matrix \"%s\", found %d x %d",
             m->rdim, m->cdim, m->name, a->dim, a->idx);
  const struct fe_coupling *c = coupling_of(m, a->map, a->dat);
  if (!c) {
    char rows[128];
    snprintf(rows, sizeof rows, "%s", fe_handle_found(a->map));
    ARG_FAIL("wrong maps: expected a pair of sparsity \"%s\", found %s and %s",
             m->sparsity->name, rows, fe_handle_found(a->dat));
  }
  *out = op2_arg_dat_packed(m->values, c->at->dim, c->at, m->rdim * m->cdim,
                            a->type, a->acc);
  *cols = (uint32_t)c->columns->dim;
  *cdim = (uint32_t)m->cdim;
  return OK;
}

/* ---- masks --------------------------------------------------------------- */

/* The mask of argument a, as an argument of its own. */
static bool
mask_arg(const op_arg *args, int a, op_arg *out) {
  const op_arg *of = &args[a];
  if (of->argtype != OP2_ARG_MAT || of->acc == OP_READ || !of->opt ||
      !fe_handle_is(of->data, FE_MAT))
    return false;
  const struct fe_mat *m = (const struct fe_mat *)of->data;
  const struct fe_coupling *c = coupling_of(m, of->map, of->dat);
  if (!m->masked || !c) return false;
  *out = op2_arg_dat_packed(m->mask, c->at->dim, c->at, 1, "char", OP_READ);
  out->argtype = OP2_ARG_MASK;
  out->size = a;
  return true;
}

struct fe_loop
fe_mat_masked(const struct fe_loop *l, op_arg args[2 * FE_MAX_ARGS]) {
  struct fe_loop with = *l;
  if (l->nargs < 1 || l->nargs > FE_MAX_ARGS) return with;
  memcpy(args, l->args, (size_t)l->nargs * sizeof *args);
  with.args = args;
  for (int a = 0; a < l->nargs; a++)
    if (mask_arg(l->args, a, &args[with.nargs])) with.nargs++;
  with.nhidden = with.nargs - l->nargs;
  return with;
}
