/* Values around a loop under OP2_CHECK=nan: where they lie, which count. */
#include "frontend/context.h"
#include "frontend/nan.h"
#include "frontend/ranks.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Where the row of e begins in the map's table. */
static size_t
begin_of(const struct fe_map *m, idx_l e) {
  return m->start ? (size_t)m->start[e] : (size_t)e * (size_t)m->pub.dim;
}

uint32_t
fe_nan_count(const struct nan_loop *n, uint32_t a, idx_l e) {
  const struct fe_arg *fa = &n->c->args[a];
  if (!fa->vector) return 1;
  if (!fa->map->start) return fa->vector;
  return (uint32_t)(begin_of(fa->map, e + 1) - begin_of(fa->map, e));
}

idx_l
fe_nan_row(const struct nan_loop *n, uint32_t a, uint32_t k, idx_l e) {
  const struct fe_arg *fa = &n->c->args[a];
  if (!fa->map) return e;
  return fa->map->pub.map[begin_of(fa->map, e) + fa->entry + k];
}

bool
fe_nan_is_number(const struct fe_arg *fa) {
  return fe_arg_number(fa->kind).size > 0;
}

bool
fe_nan_number(const struct nan_loop *n, uint32_t a, idx_l e, idx_g *out) {
  const struct fe_arg *fa = &n->c->args[a];
  const op_set_core *of = fa->map ? fa->map->pub.to : n->c->set_handle;
  if (fa->kind == FE_ARG_IDX) *out = fe_nan_row(n, a, 0, e);
  if (fa->kind == FE_ARG_NUMBER)
    *out = fe_set_number((const struct fe_set *)of, fe_nan_row(n, a, 0, e)) -
           fe.base_index;
  if (fa->kind == FE_ARG_LENGTH)
    *out = (idx_g)(begin_of(fa->map, e + 1) - begin_of(fa->map, e));
  return fe_nan_is_number(fa);
}

struct nan_dat *
fe_nan_dat(const struct nan_loop *n, uint32_t a) {
  uint32_t u = 0;
  while (n->c->uses[u].dat != n->c->args[a].dat) u++;
  return &n->dats[u];
}

char *
fe_nan_at(const struct nan_loop *n, enum nan_when when, uint32_t a, uint32_t k,
          idx_l e) {
  const struct fe_arg *fa = &n->c->args[a];
  if (!fa->dat) {
    const struct nan_gbl *g = &n->gbls[a];
    return when == NAN_AFTER ? (char *)g->after
           : when == NAN_NOW ? g->now
                             : g->before;
  }
  const struct nan_dat *d = fe_nan_dat(n, a);
  char *base = when == NAN_AFTER ? fa->dat->rt.mirror
               : when == NAN_NOW ? d->now
                                 : d->before;
  return base + (size_t)fe_nan_row(n, a, k, e) * (size_t)fa->dat->pub.size;
}

static bool
has_value(const struct fe_arg *fa) {
  return fa->kind != FE_ARG_OFF && !fe_nan_is_number(fa) &&
         fa->access != ACC_WORK;
}

bool
fe_nan_result(const struct fe_arg *fa) {
  return has_value(fa) && access_info[fa->access].writes;
}

/* The old value of a sum or an extreme goes into that alone. */
bool
fe_nan_input(const struct fe_arg *fa) {
  return has_value(fa) && (fa->access == ACC_READ || fa->access == ACC_RW);
}

/* Component c of values of this type; integers are finite. */
static double
component(struct type t, const char *p, uint32_t c) {
  double d = 0;
  float f = 0;
  if (t.kind == TYPE_F64) memcpy(&d, p + c * sizeof d, sizeof d);
  if (t.kind == TYPE_F32) memcpy(&f, p + c * sizeof f, sizeof f);
  return t.kind == TYPE_F32 ? (double)f : d;
}

static bool
all_finite(const struct fe_arg *fa, const char *p) {
  for (uint32_t c = 0; c < fa->dim; c++)
    if (!isfinite(component(fa->type, p, c))) return false;
  return true;
}

bool
fe_nan_inputs_finite(const struct nan_loop *n, enum nan_when when, idx_l e) {
  for (uint32_t a = 0; a < n->c->nargs; a++) {
    if (!fe_nan_input(&n->c->args[a])) continue;
    for (uint32_t k = 0; k < fe_nan_count(n, a, e); k++)
      if (!all_finite(&n->c->args[a], fe_nan_at(n, when, a, k, e)))
        return false;
  }
  return true;
}

bool
fe_nan_made(const struct nan_loop *n, uint32_t a, const char *was,
            const char *is, uint32_t *component_out, double *value_out) {
  const struct fe_arg *fa = &n->c->args[a];
  bool full = fa->access == ACC_WRITE && !fa->partial;
  assert(fe_nan_result(fa));
  for (uint32_t c = 0; c < fa->dim; c++) {
    double v = component(fa->type, is, c);
    if (isfinite(v) || !(full || isfinite(component(fa->type, was, c))))
      continue;
    *component_out = c;
    *value_out = v;
    return true;
  }
  return false;
}
