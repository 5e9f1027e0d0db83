/* op2_write_vtk: pictures of the mesh and its values, in series.
 *
 * Problem. Viewers want mesh and values together, all steps as one series, and
 * no viewer reads everything: ParaView from 5.12 and VTK from 9.3 read VTKHDF,
 * older ones XDMF.
 *
 * Idea. One HDF5 file in VTKHDF's layout holds all values once; an XDMF text
 * beside it names the same data sets. A path is a series: the first call of a
 * run begins the files, later ones add a step each. What a series consists of
 * (mesh, dats) stays, since readers index every array by the step.
 *
 * Cost. Values are written once, at the speed of op_fetch_data_hdf5_file; a
 * copy of this rank's connectivity with the first step and of its coordinates
 * with each; the text is written anew each time. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/values.h"
#include "frontend/vtk.h"

#include "base/hash.h"

#include <math.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct {
  VEC(struct vtk_series *, series);
} begun; /* since op_init */

/* A call as it was passed. */
struct vtk_call {
  const char *path;
  double time;
  op_map map;
  int cell;
  op_dat coordinates;
  int n;
  const op_dat *dats;
};

/* ---- kinds of cells ------------------------------------------------------ */

/* Those whose nodes VTK and XDMF have in one order. In the order of preference
 * where the program names none. */
static const struct vtk_cell cells[] = {
    {1, 1, 0, "vertex", "Polyvertex"},
    {3, 2, 1, "line", "Polyline"},
    {5, 3, 2, "triangle", "Triangle"},
    {10, 4, 3, "tetrahedron", "Tetrahedron"},
    {9, 4, 2, "quadrilateral", "Quadrilateral"},
    {14, 5, 3, "pyramid", "Pyramid"},
    {13, 6, 3, "wedge", "Wedge"},
    {12, 8, 3, "hexahedron", "Hexahedron"},
    {21, 3, 1, "quadratic edge", "Edge_3"},
    {22, 6, 2, "quadratic triangle", "Triangle_6"},
    {23, 8, 2, "quadratic quadrilateral", "Quadrilateral_8"},
    {24, 10, 3, "quadratic tetrahedron", "Tetrahedron_10"},
};
enum { NCELLS = sizeof cells / sizeof *cells };

static status
cell_named(const struct vtk_call *c, const struct vtk_cell **out) {
  SCOPED_STR known = STR_INIT;
  for (int i = 0; i < NCELLS; i++) {
    if (cells[i].number == c->cell) *out = &cells[i];
    str_printf(&known, "%s%d %s", i ? ", " : "", cells[i].number,
               cells[i].name);
  }
  if (!*out)
    FAIL(ERR_ARG, "vtk_cell_type: expected 0 or one of %s, found %d", known.s,
         c->cell);
  if ((*out)->nodes != c->map->dim)
    FAIL(ERR_ARG,
         "vtk_cell_type %d (%s): map \"%s\": expected rows of %d, found %d",
         c->cell, (*out)->name, c->map->name, (*out)->nodes, c->map->dim);
  return OK;
}

static status
cell_of(const struct vtk_call *c, const struct vtk_cell **out) {
  *out = NULL;
  if (c->cell) return cell_named(c, out);
  for (int i = 0; i < NCELLS && !*out; i++)
    if (cells[i].nodes == c->map->dim && cells[i].dim <= c->coordinates->dim)
      *out = &cells[i];
  if (!*out)
    FAIL(ERR_ARG,
         "vtk_cell_type 0: map \"%s\": no kind of cell has %d nodes in %d "
         "dimensions; name it",
         c->map->name, c->map->dim, c->coordinates->dim);
  return OK;
}

/* ---- checks -------------------------------------------------------------- */

static const struct type *
type_of(op_dat d) {
  return &((const struct fe_dat *)d)->type;
}

static status
check_path(const struct vtk_call *c) {
  if (!c->path || !*c->path)
    FAIL(ERR_ARG, "path: expected a file name, found %s",
         c->path ? "\"\"" : "NULL");
  size_t n = strlen(c->path);
  if (n >= 5 && !strcmp(c->path + n - 5, ".xdmf"))
    FAIL(ERR_ARG,
         "path: expected the HDF5 file's (\"....vtkhdf\"), beside which the "
         "XDMF text lies, found \"%s\"",
         c->path);
  return OK;
}

static status
check_mesh(const struct vtk_call *c) {
  op_dat x = c->coordinates;
  if (!fe_handle_is(c->map, FE_MAP))
    FAIL(ERR_ARG, "cells_to_nodes: expected a declared map, found %s",
         fe_handle_found(c->map));
  if (((const struct fe_map *)c->map)->rt.start)
    FAIL(ERR_ARG,
         "cells_to_nodes: map \"%s\": expected rows of one length, found rows "
         "of their own lengths",
         c->map->name);
  if (!fe_handle_is(x, FE_DAT))
    FAIL(ERR_ARG, "coordinates: expected a declared dat, found %s",
         fe_handle_found(x));
  if (!fe_points_like(x->set, c->map->to))
    FAIL(ERR_ARG,
         "coordinates \"%s\": wrong set: expected \"%s\", to which map \"%s\" "
         "leads, found \"%s\"",
         x->name, c->map->to->name, c->map->name, x->set->name);
  if (x->dim > 3)
    FAIL(ERR_ARG, "coordinates \"%s\": dim: expected 1, 2 or 3, found %d",
         x->name, x->dim);
  if (type_class(*type_of(x)) != 'F')
    FAIL(ERR_ARG,
         "coordinates \"%s\": type: expected double or float, found \"%s\"",
         x->name, x->type);
  return OK;
}

static status
check_dat(const struct vtk_call *c, int i) {
  op_dat d = c->dats[i];
  if (!fe_handle_is(d, FE_DAT))
    FAIL(ERR_ARG, "dat %d: expected a declared dat, found %s", i,
         fe_handle_found(d));
  if (!fe_points_like(d->set, c->map->from) &&
      !fe_points_like(d->set, c->map->to))
    FAIL(ERR_ARG,
         "dat \"%s\": wrong set: expected \"%s\" or \"%s\" of map \"%s\", "
         "found \"%s\"",
         d->name, c->map->from->name, c->map->to->name, c->map->name,
         d->set->name);
  if (type_class(*type_of(d)) == 'B')
    FAIL(ERR_ARG, "dat \"%s\": type: expected numbers, found \"%s\"", d->name,
         d->type);
  for (int k = 0; k < i; k++)
    if (c->dats[k]->set == d->set && !strcmp(c->dats[k]->name, d->name))
      FAIL(ERR_ARG, "expected one dat \"%s\" on \"%s\", found two", d->name,
           d->set->name);
  return OK;
}

static status
check_call(const struct vtk_call *c) {
  TRY(check_path(c));
  if (!isfinite(c->time))
    FAIL(ERR_ARG, "time: expected a finite number, found %g", c->time);
  TRY(check_mesh(c));
  if (c->n < 0) FAIL(ERR_ARG, "n: expected 0 or more, found %d", c->n);
  if (c->n && !c->dats)
    FAIL(ERR_ARG, "dats: expected %d dats, found NULL", c->n);
  for (int i = 0; i < c->n; i++) TRY(check_dat(c, i));
  return OK;
}

/* ---- series -------------------------------------------------------------- */

static void
series_free(struct vtk_series *s) {
  for (uint32_t i = 0; i < s->nfields; i++) free(s->fields[i].name);
  free(s->fields);
  free(s->path);
  free(s->text_path);
  str_clear(&s->grids);
  free(s);
}

void
fe_vtk_clear(void) {
  for (uint32_t i = 0; i < begun.nseries; i++) series_free(begun.series[i]);
  free(begun.series);
  memset(&begun, 0, sizeof begun);
}

/* The path with another ending, or with one. */
static char *
text_path(const char *path) {
  SCOPED_STR s = STR_INIT;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  str_addn(&s, path, dot && dot > name ? (size_t)(dot - path) : strlen(path));
  str_add(&s, ".xdmf");
  return fe_text_copy(s.s);
}

/* Names of dats may be paths; those of arrays are not. */
static char *
array_name(const char *name) {
  char *copy = fe_text_copy(name);
  for (char *p = copy; *p; p++)
    if (*p == '/') *p = '_';
  return copy;
}

static struct vtk_series *
series_new(const struct vtk_call *c, const struct vtk_cell *cell) {
  struct vtk_series *s = mem_alloc(1, sizeof *s);
  s->path = fe_text_copy(c->path);
  s->text_path = text_path(c->path);
  s->cell = cell;
  s->npoints = fe_set_total((const struct fe_set *)c->map->to);
  s->ncells = fe_set_total((const struct fe_set *)c->map->from);
  s->point_type = *type_of(c->coordinates);
  s->grids = (struct str)STR_INIT;
  for (int i = 0; i < c->n; i++) {
    op_dat d = c->dats[i];
    struct vtk_field f = {.name = array_name(d->name),
                          .dim = d->dim,
                          .type = *type_of(d),
                          .on_nodes = !fe_points_like(d->set, c->map->from)};
    VEC_PUSH(s->fields, s->nfields, s->capfields, f);
  }
  return s;
}

static struct vtk_series *
series_find(const char *path) {
  for (uint32_t i = 0; i < begun.nseries; i++)
    if (!strcmp(begun.series[i]->path, path)) return begun.series[i];
  return NULL;
}

static status
check_same_field(const struct vtk_series *s, const struct vtk_series *now,
                 uint32_t i) {
  const struct vtk_field *a = &s->fields[i], *b = &now->fields[i];
  if (strcmp(a->name, b->name) || a->on_nodes != b->on_nodes ||
      a->dim != b->dim || !type_same(a->type, b->type))
    FAIL(ERR_ARG,
         "dat %u: expected \"%s\" (%d of %s on %s), as in the series so far, "
         "found \"%s\" (%d of %s on %s)",
         i, a->name, a->dim, type_text(a->type),
         a->on_nodes ? "nodes" : "cells", b->name, b->dim, type_text(b->type),
         b->on_nodes ? "nodes" : "cells");
  return OK;
}

/* The call as a series of its own fits the one that it is a step of. */
static status
check_same(const struct vtk_series *s, const struct vtk_series *now) {
  if (s->npoints != now->npoints || s->ncells != now->ncells ||
      s->cell != now->cell || !type_same(s->point_type, now->point_type))
    FAIL(ERR_ARG,
         "expected the mesh of the series so far (%lld of %s, %lld nodes of "
         "%s), found %lld of %s, %lld nodes of %s",
         (long long)s->ncells, s->cell->name, (long long)s->npoints,
         s->point_type.size == 8 ? "double" : "float", (long long)now->ncells,
         now->cell->name, (long long)now->npoints,
         now->point_type.size == 8 ? "double" : "float");
  if (s->nfields != now->nfields)
    FAIL(ERR_ARG, "n: expected %u dats, as in the series so far, found %u",
         s->nfields, now->nfields);
  for (uint32_t i = 0; i < s->nfields; i++) TRY(check_same_field(s, now, i));
  return OK;
}

static status
check_time(const struct vtk_series *s, double time) {
  if (time > s->time) return OK;
  FAIL(ERR_ARG,
       "time: expected more than %.17g, that of the step before, "
       "found %.17g",
       s->time, time);
}

/* The series of this call, and whether it begins now; then it is the caller's.
 */
static status
series_get(const struct vtk_call *c, struct vtk_series **out, bool *new_out) {
  const struct vtk_cell *cell;
  TRY(check_call(c));
  TRY(cell_of(c, &cell));
  struct vtk_series *now = series_new(c, cell);
  *out = series_find(c->path);
  *new_out = !*out;
  if (!*out) {
    *out = now;
    return OK;
  }
  status st = check_same(*out, now);
  if (st == OK) st = check_time(*out, c->time);
  series_free(now);
  return st;
}

/* ---- the call ------------------------------------------------------------ */

/* What ranks must have alike, besides handles. */
static uint64_t
words_of(const struct vtk_call *c) {
  uint64_t h = hash_text((uint64_t)c->cell, c->path), time;
  memcpy(&time, &c->time, sizeof time);
  h = hash_word(hash_word(h, time), (uint64_t)c->n);
  return h;
}

/* Run what the values need; mirrors are current then. */
static status
look_all(const struct vtk_call *c) {
  struct fe_dat *d;
  TRY(fe_access_begin("coordinates", c->coordinates, false, &d));
  for (int i = 0; i < c->n; i++)
    TRY(fe_access_begin("dat", c->dats[i], false, &d));
  return OK;
}

static status
write_step(const struct vtk_call *c, struct vtk_series *s) {
  struct vtk_step p = {.s = s,
                       .time = c->time,
                       .map = (const struct fe_map *)c->map,
                       .coordinates = (const struct fe_dat *)c->coordinates,
                       .dats = c->dats};
  assert(s);
  TRY(look_all(c));
  TRY(fe_vtk_write(&p));
  status st = fe_agree("op2_write_vtk", 1, fe_xdmf_write(&p));
  s->steps++; /* it is in the HDF5 file, whatever became of the text */
  s->time = c->time;
  return st;
}

static status
write_vtk(const struct vtk_call *c) {
  struct vtk_series *s = NULL;
  bool begins = false;
  status st = series_get(c, &s, &begins);
  st = fe_agree("op2_write_vtk", words_of(c), st);
  if (st == OK) st = write_step(c, s);
  if (begins && s && s->steps)
    VEC_PUSH(begun.series, begun.nseries, begun.capseries, s);
  else if (begins && s)
    series_free(s);
  return st;
}

int
op2_write_vtk(const char *path, double time, op_map cells_to_nodes,
              int vtk_cell_type, op_dat coordinates, int n,
              const op_dat *dats) {
  struct vtk_call c = {path, time, cells_to_nodes, vtk_cell_type, coordinates,
                       n,    dats};
  if (!fe_enter("op2_write_vtk")) return ERR_STATE;
  status st = write_vtk(&c);
  if (st != OK)
    err_prefix(st, "op2_write_vtk%s%s%s: ", path ? " \"" : "", path ? path : "",
               path ? "\"" : "");
  return fe_leave_returned(st);
}
