/* How far around the domains of boxes pending loops run, and dats are wanted:
 * their trace, and its extents (ir/extent_areas.c). Nothing runs. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/programs.h"

#include "ir/extent.h"

#include <assert.h>

/* Those of all that is pending. */
static struct ir_areas
pending_areas(struct ir_trace **t_out) {
  *t_out = fe_trace_pending();
  return ir_areas_build(*t_out, true);
}

/* From the first point, and from the last one, of each dimension. */
static void
area_out(const struct ir_area *a, uint32_t ndim, int *lo_hi) {
  for (uint32_t d = 0; d < ndim; d++) {
    lo_hi[2 * d] = -a->at[2 * d];
    lo_hi[2 * d + 1] = a->at[2 * d + 1];
  }
}

static status
check_room(const char *api, const int *lo_hi) {
  if (lo_hi) return OK;
  FAIL(ERR_ARG, "%s: lo_hi: expected room for numbers, found NULL", api);
}

/* ---- of a dat ------------------------------------------------------------ */

static const char of_dat[] = "op2_trace_extents";

/* The dat of the trace with this storage; IR_NONE: none. */
static ir_ref
dat_find(const struct ir_trace *t, uint32_t root) {
  for (ir_ref i = 0; i < t->ndats; i++)
    if (t->dats[i].kind == IR_DAT && t->dats[i].tag == root) return i;
  return IR_NONE;
}

static status
trace_extents(op_dat dat, int *lo_hi) {
  TRY(check_room(of_dat, lo_hi));
  struct fe_set *domain = NULL;
  int ndim = 0;
  if (fe_handle_is(dat, FE_DAT))
    ndim = fe_points_of((const struct fe_set *)dat->set, &domain);
  if (!domain)
    FAIL(ERR_ARG, "%s: dat: expected one on a box or grid, found %s", of_dat,
         fe_handle_found(dat));
  struct ir_trace *t;
  struct ir_areas x = pending_areas(&t);
  struct ir_area area;
  ir_ref found = dat_find(t, ((struct fe_dat *)dat)->root);
  bool any = found != IR_NONE && ir_areas_of(t, &x, found, &area);
  if (any) area_out(&area, (uint32_t)ndim, lo_hi);
  ir_areas_free(&x);
  ir_trace_free(t);
  if (any) return OK;
  FAIL(ERR_ARG,
       "%s: dat: expected one that pending loops want, found dat \"%s\", which "
       "none does",
       of_dat, dat->name);
}

int
op2_trace_extents(op_dat dat, int *lo_hi) {
  if (!fe_enter(of_dat)) return ERR_STATE;
  return fe_leave_returned(trace_extents(dat, lo_hi));
}

/* ---- of a loop ----------------------------------------------------------- */

static const char of_loop[] = "op2_trace_compute_extent";

/* The node of this loop, which is there. */
static ir_ref
loop_node(const struct ir_trace *t, int loop) {
  ir_ref n = 0;
  while (t->nodes[n].op != IR_LOOP || loop-- > 0) n++;
  assert(n < t->nnodes);
  return n;
}

static status
compute_extent(int loop, int *lo_hi) {
  TRY(check_room(of_loop, lo_hi));
  size_t loops = op2_pending();
  if (loop < 0 || (size_t)loop >= loops)
    FAIL(ERR_ARG,
         "%s: loop: expected one of %zu that are pending, from 0, found %d",
         of_loop, loops, loop);
  struct ir_trace *t;
  struct ir_areas x = pending_areas(&t);
  ir_ref n = loop_node(t, loop);
  uint32_t rows = t->nodes[n].each; /* of a scan, which goes over a domain */
  const struct ir_set *set =
      &t->sets[rows ? t->maps[rows - 1].to : t->nodes[n].set];
  status st = OK;
  if (set->ndim && rows)
    area_out(&(struct ir_area){{0}}, set->ndim, lo_hi);
  else if (set->ndim)
    area_out(&x.exec[n], set->ndim, lo_hi);
  else
    st = err_set(ERR_ARG,
                 "%s: loop: expected one over a box or grid, found %d, \"%s\", "
                 "over set \"%s\"",
                 of_loop, loop, t->kernels[t->nodes[n].kernel].name, set->name);
  ir_areas_free(&x);
  ir_trace_free(t);
  return st;
}

int
op2_trace_compute_extent(int loop, int *lo_hi) {
  if (!fe_enter(of_loop)) return ERR_STATE;
  return fe_leave_returned(compute_extent(loop, lo_hi));
}
