/* VTKHDF: one step of a series in the HDF5 file.
 *
 *   VTKHDF                      Version 2.0, Type UnstructuredGrid
 *     NumberOfPoints Cells ConnectivityIds   [1]: the mesh has one part
 *     Points                    [blocks * points, 3]
 *     Connectivity Offsets Types             the cells, once
 *     CellData/q, PointData/t   [steps * cells, dim]
 *     Steps                     NSteps
 *       Values                  [steps]: times
 *       NumberOfParts           [steps]: 1
 *       PartOffsets CellOffsets ConnectivityIdOffsets     [steps]: 0
 *       PointOffsets            [steps]: first row of the step's coordinates
 *       CellDataOffsets/q PointDataOffsets/t   [steps]: first row of its values
 *
 *   XDMF                        the same values for readers of the text, which
 *                               take no rows of a data set: virtual data sets
 *     Points/b                  [points, 3]: block b
 *     CellData/q/s, PointData/t/s     [cells, dim]: step s; of more than
 *                               three components s_0, s_1, ... [cells]
 *
 * The mesh is written with the first step; coordinates again when they are
 * others than last time. Each rank writes its own rows, in the program's
 * numbering. The number of steps comes last: a reader of a file in the
 * making finds the steps that are whole. */
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/rows.h"
#include "frontend/vtk.h"

#include "base/hash.h"

#include <assert.h>
#include <string.h>

static const struct type whole = {TYPE_I64, 8};

/* ---- numbers that one rank knows ----------------------------------------- */

/* Row `step` of a data set of one number a step. */
static status
put_number(struct rt_file *f, const char *name, idx_g step, struct type type,
           const void *value) {
  struct rt_rows r = {.n = step + 1,
                      .lo = step,
                      .hi = fe_ranks.rank ? step : step + 1,
                      .dim = 1,
                      .flat = true,
                      .grows = true,
                      .type = type};
  return rt_io_write(f, name, &r, value);
}

static status
put_offset(struct rt_file *f, const char *name, idx_g step, idx_g offset) {
  return put_number(f, name, step, whole, &offset);
}

/* ---- the mesh ------------------------------------------------------------ */

/* Rows of one number each over what this rank has of a set, k for each. */
static struct rt_rows
flat_rows(const op_set_core *set, idx_g k, struct type type) {
  struct rt_rows r = fe_rows_own(set, 1, type);
  r.n *= k;
  r.lo *= k;
  r.hi *= k;
  r.flat = true;
  return r;
}

static status
put_connectivity(struct rt_file *f, const struct fe_map *m) {
  struct rt_rows r = flat_rows(m->pub.from, m->pub.dim, whole);
  SCOPED idx_g *node = NULL;
  TRY(fe_rows_of_map(m, &node));
  return rt_io_write(f, "VTKHDF/Connectivity", &r, node);
}

/* Where rows begin, and where the last one ends: that is the last rank's. */
static status
put_offsets(struct rt_file *f, const struct fe_map *m) {
  struct rt_rows r = flat_rows(m->pub.from, 1, whole);
  r.n++;
  if (fe_ranks.rank == fe_ranks.size - 1) r.hi++;
  SCOPED idx_g *at = mem_alloc((size_t)(r.hi - r.lo) + 1, sizeof *at);
  for (idx_g e = r.lo; e < r.hi; e++) at[e - r.lo] = e * m->pub.dim;
  return rt_io_write(f, "VTKHDF/Offsets", &r, at);
}

static status
put_types(struct rt_file *f, const struct fe_map *m, int number) {
  struct rt_rows r = flat_rows(m->pub.from, 1, (struct type){TYPE_U8, 1});
  size_t n = (size_t)(r.hi - r.lo);
  SCOPED unsigned char *types = mem_alloc(n + 1, 1);
  memset(types, number, n);
  return rt_io_write(f, "VTKHDF/Types", &r, types);
}

static status
put_mesh(struct rt_file *f, const struct vtk_step *p) {
  const struct vtk_series *s = p->s;
  static const int version[2] = {2, 0};
  TRY(put_offset(f, "VTKHDF/NumberOfPoints", 0, s->npoints));
  TRY(put_offset(f, "VTKHDF/NumberOfCells", 0, s->ncells));
  TRY(put_offset(f, "VTKHDF/NumberOfConnectivityIds", 0,
                 s->ncells * s->cell->nodes));
  TRY(rt_io_put_ints(f, "VTKHDF", "Version", version, 2));
  TRY(rt_io_put_text(f, "VTKHDF", "Type", "UnstructuredGrid", 0));
  TRY(put_connectivity(f, p->map));
  TRY(put_offsets(f, p->map));
  return put_types(f, p->map, s->cell->number);
}

/* ---- what XDMF reads ----------------------------------------------------- */

enum { WIDEST = 3 }; /* components of an array in XDMF, but for tensors */

int
fe_vtk_parts(const struct vtk_field *f) {
  return f->dim <= WIDEST ? 1 : f->dim;
}

void
fe_vtk_field(const struct vtk_field *f, struct str *out) {
  str_printf(out, "VTKHDF/%sData/%s", f->on_nodes ? "Point" : "Cell", f->name);
}

void
fe_vtk_shown_points(idx_g block, struct str *out) {
  str_printf(out, "XDMF/Points/%lld", (long long)block);
}

void
fe_vtk_shown_field(const struct vtk_field *f, idx_g step, int k,
                   struct str *out) {
  str_printf(out, "XDMF/%sData/%s/%lld", f->on_nodes ? "Point" : "Cell",
             f->name, (long long)step);
  if (k >= 0) str_printf(out, "_%d", k);
}

static status
show_points(struct rt_file *f, const struct vtk_series *s) {
  struct rt_part_of of = {"VTKHDF/Points", s->blocks * s->npoints, s->npoints,
                          0, 3};
  SCOPED_STR name = STR_INIT;
  if (!s->npoints) return OK;
  fe_vtk_shown_points(s->blocks, &name);
  return rt_io_show(f, name.s, &of);
}

/* The n rows of a step in the data set `name`. */
static status
show_field(struct rt_file *f, const struct vtk_field *field, const char *name,
           idx_g step, idx_g n) {
  int parts = fe_vtk_parts(field);
  for (int k = 0; n && k < parts; k++) {
    struct rt_part_of of = {name, step * n, n, 0, (uint32_t)field->dim};
    SCOPED_STR shown = STR_INIT;
    if (parts > 1) of.first = (uint32_t)k, of.last = of.first + 1;
    fe_vtk_shown_field(field, step, parts > 1 ? k : -1, &shown);
    TRY(rt_io_show(f, shown.s, &of));
  }
  return OK;
}

/* ---- coordinates --------------------------------------------------------- */

static uint64_t
hash_of(const char *bytes, size_t n) {
  uint64_t h = n, word = 0;
  for (; n >= sizeof word; n -= sizeof word, bytes += sizeof word) {
    memcpy(&word, bytes, sizeof word);
    h = hash_word(h, word);
  }
  word = 0;
  memcpy(&word, bytes, n);
  return hash_word(h, word);
}

/* Some rank's are others than those in the file; a first block is. */
static status
have_moved(const struct vtk_series *s, uint64_t hash, bool *out) {
  uint64_t moved = !s->blocks || hash != s->points_at;
  TRY(fe_join(&moved, 1, TYPE_U64, ACC_MAX));
  *out = moved;
  return OK;
}

/* Of so many components three: what is missing is 0. */
static void
widen(const char *from, size_t n, int dim, size_t size, char *to) {
  size_t row = (size_t)dim * size;
  assert(dim >= 1 && dim <= 3);
  for (size_t i = 0; i < n; i++) memcpy(to + 3 * size * i, from + row * i, row);
}

static status
put_points(struct rt_file *f, const struct vtk_step *p) {
  struct vtk_series *s = p->s;
  const op_dat_core *x = &p->coordinates->pub;
  struct rt_rows r = fe_rows_own(x->set, 3, p->coordinates->type);
  size_t n = (size_t)(r.hi - r.lo), size = r.type.size;
  const void *values;
  SCOPED void *kept = NULL;
  TRY(fe_rows_values(p->coordinates, &values, &kept));
  uint64_t hash = hash_of(values, n * (size_t)x->size);
  bool moved;
  TRY(have_moved(s, hash, &moved));
  if (!moved) return OK;
  SCOPED char *wide = mem_alloc(n + 1, 3 * size);
  widen(values, n, x->dim, size, wide);
  r.lo += s->blocks * s->npoints;
  r.hi += s->blocks * s->npoints;
  r.n = (s->blocks + 1) * s->npoints;
  r.grows = true;
  TRY(rt_io_write(f, "VTKHDF/Points", &r, wide));
  TRY(show_points(f, s));
  s->blocks++;
  s->points_at = hash;
  return OK;
}

/* ---- dats, steps --------------------------------------------------------- */

static status
put_field(struct rt_file *f, const struct vtk_field *field,
          const struct fe_dat *d, idx_g step) {
  struct rt_rows r = fe_rows_own(d->pub.set, field->dim, field->type);
  const char *kind = field->on_nodes ? "Point" : "Cell";
  const idx_g first = step * r.n;
  const void *values;
  SCOPED void *kept = NULL;
  SCOPED_STR name = STR_INIT, offsets = STR_INIT;
  assert(type_same(d->type, field->type) && d->pub.dim == field->dim);
  fe_vtk_field(field, &name);
  str_printf(&offsets, "VTKHDF/Steps/%sDataOffsets/%s", kind, field->name);
  TRY(fe_rows_values(d, &values, &kept));
  r.lo += first;
  r.hi += first;
  r.n += first;
  r.flat = field->dim == 1;
  r.grows = true;
  TRY(rt_io_write(f, name.s, &r, values));
  TRY(show_field(f, field, name.s, step, r.n - first));
  return put_offset(f, offsets.s, step, first);
}

static status
put_step(struct rt_file *f, const struct vtk_step *p) {
  const struct vtk_series *s = p->s;
  TRY(put_number(f, "VTKHDF/Steps/Values", s->steps, (struct type){TYPE_F64, 8},
                 &p->time));
  TRY(put_offset(f, "VTKHDF/Steps/NumberOfParts", s->steps, 1));
  TRY(put_offset(f, "VTKHDF/Steps/PartOffsets", s->steps, 0));
  TRY(put_offset(f, "VTKHDF/Steps/PointOffsets", s->steps,
                 (s->blocks - 1) * s->npoints));
  TRY(put_offset(f, "VTKHDF/Steps/CellOffsets", s->steps, 0));
  TRY(put_offset(f, "VTKHDF/Steps/ConnectivityIdOffsets", s->steps, 0));
  return rt_io_put_int(f, "VTKHDF/Steps", "NSteps", s->steps + 1);
}

static status
put_all(struct rt_file *f, const struct vtk_step *p) {
  const struct vtk_series *s = p->s;
  if (!s->steps) TRY(put_mesh(f, p));
  TRY(put_points(f, p));
  for (uint32_t i = 0; i < s->nfields; i++)
    TRY(put_field(f, &s->fields[i], (const struct fe_dat *)p->dats[i],
                  s->steps));
  return put_step(f, p);
}

status
fe_vtk_write(const struct vtk_step *p) {
  struct rt_file *f;
  bool first = !p->s->steps;
  assert(p->map->pub.dim == p->s->cell->nodes);
  TRY(rt_io_open(p->s->path, first ? RT_IO_CREATE : RT_IO_UPDATE, fe_ranks.comm,
                 &f));
  status st = put_all(f, p);
  SCOPED_STR said = STR_INIT;
  if (st != OK) str_add(&said, err_last());
  status closed = rt_io_close(f, st == OK);
  return st == OK ? closed : err_set(st, "%s", said.s);
}
