/* Loops over levels (op2_par_loop_levels): several kernels, each of which holds
 * in an interval of an axis.
 *
 * Problem. The bottom, the top and layers between want kernels of their own,
 * and where one ends and another begins depends on positions that a program
 * sets while it runs.
 *
 * Idea. The intervals of all kernels cut the axis into loop intervals
 * (rt/mesh/levels.h). In each of them every kernel that holds there is an
 * ordinary loop over the layers' points, named after the call and the levels:
 *
 *   "solve" F1 (0,1)-(2,-1)     "solve (0,1)-(1,-1)" F1, F2
 *           F2 (0,1)-(1,-1)     "solve (1,1)-(2,-1)" F1, F3
 *           F3 (1,1)-(3,-1)     "solve (2,1)-(3,-1)" F3
 *
 * so passes, code and devices see loops over subsets as ever. In an order it is
 * scans, one behind the other; a scan has one kernel. */
#include "frontend/axis.h"
#include "frontend/calls.h"
#include "frontend/context.h"

#include "rt/mesh/levels.h"

#include <assert.h>

static const char api[] = "op2_par_loop_levels";

/* The call, with its name; loop: all but function, types, name and set. */
struct levels {
  const char *name;
  struct fe_axis *axis;
  struct rt_axis levels; /* its numbers */
  op2_levels items;
  bool gaps;
  int order;
  int n; /* loop intervals */
  struct rt_loop_interval at[RT_INTERVALS_MAX];
  struct fe_loop loop;
};

/* ---- checks -------------------------------------------------------------- */

static status
check_handles(const struct levels *v, op_set set) {
  const struct fe_axis *x = v->axis;
  if (!v->name) FAIL(ERR_ARG, "%s: name: expected a text, found NULL", api);
  if (!fe_handle_is(x, FE_AXIS))
    FAIL(ERR_ARG, "%s \"%s\": axis: expected a declared axis, found %s", api,
         v->name, fe_handle_found(x));
  if (set != &x->set->pub)
    FAIL(ERR_ARG,
         "%s \"%s\": set: expected box \"%s\", whose axis it is, found %s", api,
         v->name, x->set->pub.name, fe_handle_found(set));
  if (x->at) return OK;
  FAIL(ERR_STATE,
       "%s \"%s\": axis: expected splitters that were placed (op2_axis_place), "
       "found none",
       api, v->name);
}

static status
check_order(struct levels *v, int order) {
  v->gaps = order & OP2_GAPS;
  v->order = order & ~OP2_GAPS;
  if (v->order == OP2_PARALLEL || v->order == OP2_FORWARD ||
      v->order == OP2_BACKWARD)
    return OK;
  FAIL(ERR_ARG,
       "%s \"%s\": order: expected OP2_PARALLEL, OP2_FORWARD or OP2_BACKWARD, "
       "found %d",
       api, v->name, v->order);
}

static struct rt_interval
interval_of(const struct op2_level *l) {
  return (struct rt_interval){{l->on.from_splitter, l->on.from_offset},
                              {l->on.to_splitter, l->on.to_offset}};
}

static status
check_items(const struct levels *v) {
  size_t n = v->items.n;
  if (n < 1 || n > RT_ITEMS_MAX || !v->items.at)
    FAIL(ERR_ARG, "%s \"%s\": items: expected 1 to %d, found %zu%s", api,
         v->name, RT_ITEMS_MAX, n, v->items.at ? "" : " at NULL");
  for (size_t i = 0; i < n; i++) {
    struct rt_interval at = interval_of(&v->items.at[i]);
    if (!v->items.at[i].kernel)
      FAIL(ERR_ARG,
           "%s \"%s\": item %zu: kernel: expected a function, found "
           "NULL",
           api, v->name, i);
    status st = rt_interval_check(&v->levels, &at);
    if (st != OK)
      return err_prefix(st, "%s \"%s\": item %zu: ", api, v->name, i);
  }
  return OK;
}

/* ---- loop intervals ------------------------------------------------------ */

static bool
is_one(uint64_t bits) {
  return !(bits & (bits - 1));
}

/* A scan has one kernel. */
static status
check_scan(const struct levels *v, const struct rt_loop_interval *at) {
  if (v->order == OP2_PARALLEL || is_one(at->items)) return OK;
  SCOPED_STR where = STR_INIT;
  rt_interval_print(&where, &at->at);
  FAIL(ERR_ARG,
       "%s \"%s\": %s: expected one item in order %s, where a layer goes "
       "through several kernels before the next one does: not there so far; "
       "found more",
       api, v->name, where.s,
       v->order == OP2_FORWARD ? "OP2_FORWARD" : "OP2_BACKWARD");
}

static status
find_intervals(struct levels *v) {
  struct rt_interval of[RT_ITEMS_MAX];
  const struct fe_axis *x = v->axis;
  for (size_t i = 0; i < v->items.n; i++) of[i] = interval_of(&v->items.at[i]);
  status st =
      rt_loop_intervals(&v->levels, (int)v->items.n, of, v->gaps, v->at, &v->n);
  for (int k = 0; k < v->n && st == OK; k++)
    st = fe_axis_check(x, &v->at[k].at);
  if (st != OK) return err_prefix(st, "%s \"%s\": ", api, v->name);
  for (int k = 0; k < v->n; k++) TRY(check_scan(v, &v->at[k]));
  return OK;
}

/* ---- loops --------------------------------------------------------------- */

static status
record_interval(struct levels *v, const struct rt_loop_interval *at) {
  struct fe_set *points;
  SCOPED_STR name = STR_INIT;
  TRY(fe_axis_points(v->axis, &at->at, &points));
  if (!points) return OK;
  str_printf(&name, "%s ", v->name);
  rt_interval_print(&name, &at->at);
  v->loop.name = name.s;
  v->loop.set = &points->pub;
  for (size_t i = 0; i < v->items.n; i++) {
    const struct op2_level *item = &v->items.at[i];
    if (!(at->items >> i & 1)) continue;
    v->loop.function = item->kernel;
    v->loop.types = item->param_types;
    v->loop.ntypes = (int)item->nparams;
    TRY(fe_loop_record(&v->loop));
  }
  return OK;
}

static status
record(struct levels *v, op_set set, int order) {
  TRY(check_handles(v, set));
  v->levels = (struct rt_axis){v->axis->nsplitters, v->axis->limit};
  TRY(check_order(v, order));
  TRY(check_items(v));
  TRY(find_intervals(v));
  v->loop.order = v->order == OP2_PARALLEL ? 0 : v->order;
  assert(v->n >= 1);
  for (int k = 0; k < v->n; k++) {
    int at = v->order == OP2_BACKWARD ? v->n - 1 - k : k;
    TRY(record_interval(v, &v->at[at]));
  }
  return OK;
}

void
op2_par_loop_levels_at(const char *file, int line, const char *name, op_set set,
                       op2_axis axis, int order, op2_levels items, int nargs,
                       const op_arg *args) {
  struct levels v = {
      .name = name,
      .axis = (struct fe_axis *)axis,
      .items = items,
      .loop = {.file = file, .line = line, .nargs = nargs, .args = args}};
  op2_here(file, line);
  if (!fe_enter(api)) return;
  if (fe.nviews) fe_views_close();
  fe_leave(record(&v, set, order));
}
