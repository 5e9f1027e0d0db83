/* Vertical axes: layers of a box named relative to splitters, whose positions a
 * program gives when it knows them (rt/mesh/levels.h has the arithmetic).
 *
 * An interval of levels is, at given positions, some layers of the box: a
 * subset of its points, made when a loop first runs there and kept until
 * splitters move. Intervals with the same layers share one.
 *
 * Cost. 4 bytes a point of each subset, and what loops over it need of maps. */
#include "frontend/axis.h"
#include "frontend/box.h"
#include "frontend/context.h"
#include "frontend/decl.h"

#include "rt/mesh/levels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- declarations -------------------------------------------------------- */

static const char decl[] = "op2_decl_axis";

static status
check_numbers(int nsplitters, int limit) {
  if (nsplitters < 2 || nsplitters > RT_SPLITTERS_MAX)
    FAIL(ERR_ARG, "%s: nsplitters: expected 2 to %d, found %d", decl,
         RT_SPLITTERS_MAX, nsplitters);
  if (limit >= 1 && limit <= RT_OFFSETS_MAX) return OK;
  FAIL(ERR_ARG, "%s: limit: expected 1 to %d, found %d", decl, RT_OFFSETS_MAX,
       limit);
}

static status
decl_axis(op_set set, int dimension, int nsplitters, int limit,
          struct fe_axis **out) {
  struct fe_set *s = (struct fe_set *)set;
  if (!fe_handle_is(set, FE_SET) || !s->box)
    FAIL(ERR_ARG, "%s: set: expected a box or grid, found %s", decl,
         fe_handle_found(set));
  if (dimension != s->box->ndim - 1)
    FAIL(ERR_ARG,
         "%s: dimension: expected %d, the last one of \"%s\": no other has "
         "axes so far; found %d",
         decl, s->box->ndim - 1, set->name, dimension);
  TRY(check_numbers(nsplitters, limit));
  *out = fe_axis_new(s, nsplitters, limit);
  return OK;
}

op2_axis
op2_decl_axis(op_set set, int dimension, int nsplitters, int limit) {
  struct fe_axis *x = NULL;
  if (fe_enter(decl))
    fe_leave(decl_axis(set, dimension, nsplitters, limit, &x));
  return (op2_axis)x;
}

/* ---- positions ----------------------------------------------------------- */

static const char place[] = "op2_axis_place";

static status
check_place(const struct fe_axis *x, const idx_l *at) {
  idx_l n = fe_box_layers(x->set->box), lo, hi;
  struct rt_axis levels = {x->nsplitters, x->limit};
  TRY(rt_splitters_check(&levels, at, n));
  for (uint32_t i = 0; i < x->nused; i++)
    TRY(rt_interval_layers(&x->used[i], at, n, &lo, &hi));
  return OK;
}

static status
axis_place(op2_axis axis, const idx_l_t *positions) {
  struct fe_axis *x = (struct fe_axis *)axis;
  if (!fe_handle_is(axis, FE_AXIS))
    FAIL(ERR_ARG, "%s: axis: expected a declared axis, found %s", place,
         fe_handle_found(axis));
  if (!positions)
    FAIL(ERR_ARG, "%s: positions: expected %d numbers, found NULL", place,
         x->nsplitters);
  size_t bytes = (size_t)x->nsplitters * sizeof *x->at;
  status st = check_place(x, positions);
  if (st != OK)
    return err_prefix(st, "%s: box \"%s\": ", place, x->set->pub.name);
  if (x->at && !memcmp(x->at, positions, bytes)) return OK;
  TRY(fe_axis_drop_layers(x));
  if (!x->at) x->at = mem_alloc((size_t)x->nsplitters, sizeof *x->at);
  memcpy(x->at, positions, bytes);
  return OK;
}

int
op2_axis_place(op2_axis axis, const idx_l_t *positions) {
  if (!fe_enter(place)) return ERR_STATE;
  return fe_leave_returned(axis_place(axis, positions));
}

/* ---- layers -------------------------------------------------------------- */

status
fe_axis_check(const struct fe_axis *x, const struct rt_interval *v) {
  idx_l lo, hi;
  assert(x->at);
  return rt_interval_layers(v, x->at, fe_box_layers(x->set->box), &lo, &hi);
}

static void
note_used(struct fe_axis *x, const struct rt_interval *v) {
  for (uint32_t i = 0; i < x->nused; i++)
    if (!memcmp(&x->used[i], v, sizeof *v)) return;
  VEC_PUSH(x->used, x->nused, x->capused, *v);
}

/* Points of layers lo to hi are consecutive; a rank has some of the layers. */
static status
layers_make(const struct fe_axis *x, struct fe_layers *l) {
  const struct fe_box *b = x->set->box;
  struct fe_area part = fe_box_part(b);
  int64_t first = part.lo[b->ndim - 1], end = part.hi[b->ndim - 1];
  int64_t lo = l->lo > first ? l->lo : first;
  int64_t hi = l->hi < end ? l->hi + 1 : end;
  idx_l plane = fe_box_plane_size(b);
  idx_l n = hi > lo ? (idx_l)(hi - lo) * plane : 0;
  idx_l *list = mem_alloc((size_t)n + 1, sizeof *list);
  for (idx_l i = 0; i < n; i++) list[i] = (idx_l)(lo - first) * plane + i;
  SCOPED_STR name = STR_INIT;
  str_printf(&name, "%s_layers_%d_%d", x->set->pub.name, l->lo, l->hi);
  return fe_subset_make("op2_par_loop_levels", x->set, n, list, name.s, OK,
                        &l->points);
}

status
fe_axis_points(struct fe_axis *x, const struct rt_interval *v,
               struct fe_set **out) {
  struct fe_layers l = {0};
  assert(x->at);
  *out = NULL;
  TRY(rt_interval_layers(v, x->at, fe_box_layers(x->set->box), &l.lo, &l.hi));
  note_used(x, v);
  if (l.hi < l.lo) return OK;
  for (uint32_t i = 0; i < x->nlayers && !*out; i++)
    if (x->layers[i].lo == l.lo && x->layers[i].hi == l.hi)
      *out = x->layers[i].points;
  if (*out) return OK;
  TRY(layers_make(x, &l));
  VEC_PUSH(x->layers, x->nlayers, x->caplayers, l);
  *out = l.points;
  return OK;
}
