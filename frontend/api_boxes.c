/* Declarations of boxes and grids, and of dats on them. */
#include "frontend/box.h"
#include "frontend/context.h"
#include "frontend/decl.h"

#include <string.h>

/* ---- sets ---------------------------------------------------------------- */

/* n and boundary of b->ndim dimensions. */
static status
check_extent(const char *api, const char *name, const idx_g_t *n,
             const int *boundary, struct fe_box *b) {
  if (!n)
    FAIL(ERR_ARG, "%s \"%s\": n: expected %d numbers, found NULL", api, name,
         b->ndim);
  for (int d = 0; d < b->ndim; d++) {
    int kind = boundary ? boundary[d] : OP2_HALO;
    if (n[d] < 0 || n[d] > INT32_MAX)
      FAIL(ERR_ARG, "%s \"%s\": n[%d]: expected 0 to %d, found %lld", api, name,
           d, INT32_MAX, n[d]);
    if (kind != OP2_HALO && kind != OP2_PERIODIC)
      FAIL(ERR_ARG,
           "%s \"%s\": boundary[%d]: expected OP2_PERIODIC or OP2_HALO, found "
           "%d",
           api, name, d, kind);
    b->n[d] = (idx_l)n[d];
    b->periodic[d] = kind == OP2_PERIODIC;
  }
  return OK;
}

static status
check_name(const char *api, const char *name) {
  if (name) return OK;
  FAIL(ERR_ARG, "%s: name: expected a text, found NULL", api);
}

static status
decl_box(const char *api, const char *name, const idx_g_t *n,
         const int *boundary, struct fe_box *b, struct fe_set **out) {
  TRY(check_extent(api, name, n, boundary, b));
  TRY(fe_box_make(api, name, b, out));
  fe_set_publish(*out);
  return OK;
}

static const char box[] = "op2_decl_box";
static const char grid[] = "op2_decl_grid";

op_set
op2_decl_box(int ndim, const idx_g_t *n, const int *boundary,
             const char *name) {
  struct fe_set *s = NULL;
  struct fe_box b = {.ndim = ndim, .colours = 1};
  if (!fe_enter(box)) return NULL;
  status st = check_name(box, name);
  if (st == OK && (ndim < 1 || ndim > FE_BOX_DIMS))
    st = err_set(ERR_ARG, "%s \"%s\": ndim: expected 1 to %d, found %d", box,
                 name, FE_BOX_DIMS, ndim);
  if (st == OK) st = decl_box(box, name, n, boundary, &b, &s);
  fe_leave(st);
  return (op_set)s;
}

enum { COLOURS_MAX = 64 };

op_set
op2_decl_grid(const idx_g_t *n, int colours, const int *boundary,
              const char *name) {
  struct fe_set *s = NULL;
  struct fe_box b = {.ndim = 2, .colours = colours, .grid = true};
  if (!fe_enter(grid)) return NULL;
  status st = check_name(grid, name);
  if (st == OK && (colours < 1 || colours > COLOURS_MAX))
    st = err_set(ERR_ARG, "%s \"%s\": colours: expected 1 to %d, found %d",
                 grid, name, COLOURS_MAX, colours);
  if (st == OK) st = decl_box(grid, name, n, boundary, &b, &s);
  fe_leave(st);
  return (op_set)s;
}

/* ---- what lies here ------------------------------------------------------ */

/* A set of op2_decl_box or op2_decl_grid? */
static status
check_box(const char *api, const char *name, op_set set) {
  if (fe_handle_is(set, FE_SET) && ((struct fe_set *)set)->box) return OK;
  FAIL(ERR_ARG, "%s%s%s%s: set: expected a box or grid, found %s", api,
       name ? " \"" : "", name ? name : "", name ? "\"" : "",
       fe_handle_found(set));
}

static const char local[] = "op2_box_local";

static status
box_local(op_set set, idx_g_t *lo, idx_g_t *hi) {
  TRY(check_box(local, NULL, set));
  if (!lo || !hi)
    FAIL(ERR_ARG, "%s: %s: expected room for numbers, found NULL", local,
         lo ? "hi" : "lo");
  const struct fe_box *b = ((struct fe_set *)set)->box;
  struct fe_area part = fe_box_part(b);
  for (int d = 0; d < b->ndim; d++) {
    lo[d] = part.lo[d];
    hi[d] = part.hi[d];
  }
  return OK;
}

int
op2_box_local(op_set set, idx_g_t *lo, idx_g_t *hi) {
  if (!fe_enter(local)) return ERR_STATE;
  return fe_leave_returned(box_local(set, lo, hi));
}

/* ---- dats ---------------------------------------------------------------- */

static status
halo_of(const char *api, const char *name, const struct fe_box *b,
        const int *lo_hi, struct fe_halo *out) {
  *out = (struct fe_halo){{0}};
  if (!lo_hi)
    FAIL(ERR_ARG, "%s \"%s\": lo_hi: expected %d widths, found NULL", api, name,
         2 * b->ndim);
  for (int k = 0; k < 2 * b->ndim; k++) {
    if (lo_hi[k] < 0)
      FAIL(ERR_ARG, "%s \"%s\": lo_hi[%d]: expected 0 or more, found %d", api,
           name, k, lo_hi[k]);
    if (lo_hi[k] && b->periodic[k / 2])
      FAIL(ERR_ARG,
           "%s \"%s\": lo_hi[%d]: expected 0 in dimension %d, which is "
           "OP2_PERIODIC: offsets come in again there; found %d",
           api, name, k, k / 2, lo_hi[k]);
    out->at[k] = lo_hi[k];
  }
  return OK;
}

/* Its set, with the halo that the program gives, takes the dat. */
static status
decl_dat(struct fe_dat_args *a, const int *lo_hi, struct fe_dat **out) {
  struct fe_halo halo;
  struct fe_set *points;
  if (!a->name) FAIL(ERR_ARG, "%s: name: expected a text, found NULL", a->api);
  TRY(check_box(a->api, a->name, a->set));
  const struct fe_box *b = ((struct fe_set *)a->set)->box;
  TRY(halo_of(a->api, a->name, b, lo_hi, &halo));
  if (a->temp) TRY(fe_check_temp_name(a->api, a->name));
  TRY(fe_box_around(a->api, b, &halo, true, &points));
  if (a->temp) TRY(fe_points_keep(points)); /* loops go over them */
  a->set = &points->pub;
  TRY(fe_decl_dat(a, out));
  return fe.mirror && points->padded ? fe_ghosts_fill(*out) : OK;
}

op_dat
op2_decl_dat_box_at(op_set set, const int *lo_hi, int dim, const char *type,
                    size_t elem_size, const char *ctype, void *data,
                    const char *name) {
  struct fe_dat *d = NULL;
  struct fe_dat_args a = {.api = "op2_decl_dat_box",
                          .set = set,
                          .dim = dim,
                          .type = type,
                          .elem_size = elem_size,
                          .ctype = ctype,
                          .data = data,
                          .name = name,
                          .points = true};
  if (fe_enter(a.api)) fe_leave(decl_dat(&a, lo_hi, &d));
  return (op_dat)d;
}

op_dat
op2_decl_dat_box_temp(op_set set, const int *lo_hi, int dim, const char *type,
                      const char *name) {
  struct fe_dat *d = NULL;
  struct fe_dat_args a = {.api = "op2_decl_dat_box_temp",
                          .set = set,
                          .dim = dim,
                          .type = type,
                          .name = name,
                          .temp = true,
                          .points = true,
                          .spreads = true};
  if (fe_enter(a.api)) fe_leave(decl_dat(&a, lo_hi, &d));
  return (op_dat)d;
}
