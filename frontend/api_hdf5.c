/* Meshes, data and constants in HDF5 files, laid out as OP2 has them:
 *
 *   set       int, shape [1]: its size
 *   map       int or long long, [from, dim]
 *             attributes size (of from), dim, type
 *   dat       its type, [set, dim]
 *             attributes size (bytes of an element), dim, type
 *   constant  its type, [dim]           attributes dim, type
 *
 * in the program's numbering, map entries with the program's
 * OP_MAPS_BASE_INDEX. Names are paths. On reading only shapes and types count,
 * so that files of other tools will do. Each rank reads and writes its own
 * rows. */
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/rows.h"
#include "frontend/values.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- checks ----------------------------------------------------- */

/* Of the call under way: it failed because a data set is not in its file. OP2
 * goes on then. */
static bool absent;

static status
find_data(struct rt_file *f, const char *name, struct rt_data *out) {
  TRY(rt_io_find(f, name, out));
  absent = !out->found;
  if (!out->found)
    FAIL(ERR_IO, "\"%s\": expected a data set \"%s\", found none",
         rt_io_path(f), name);
  if (out->rank > 2)
    FAIL(ERR_IO,
         "\"%s\": \"%s\": wrong shape: expected at most 2 dimensions, found %d",
         rt_io_path(f), name, out->rank);
  return OK;
}

/* The file's part of a call: with the call's name before the message. */
static status
say(const char *api, status st) {
  return st == OK ? OK : err_prefix(st, "%s: ", api);
}

/* End of a call that reads. */
static void
leave_reading(status st) {
  if (st != OK && absent)
    fe_error_told(st);
  else if (st != OK)
    fe_error(st);
  absent = false;
  fe.file = NULL;
}

/* ---- sets ---------------------------------------------------------------- */

static status
set_size(struct rt_file *f, const char *name, bool infer, long long *out) {
  struct rt_data d;
  struct rt_rows one = {
      .n = 1, .hi = 1, .dim = 1, .flat = true, .type = {TYPE_I64, sizeof *out}};
  TRY(find_data(f, name, &d));
  *out = d.n;
  if (!infer) {
    TRY(fe_file_shape(f, name, &d, &one));
    TRY(rt_io_read(f, name, &one, out));
  }
  idx_g most = (idx_g)INT32_MAX * (fe_ranks.whole ? 1 : fe_ranks.size);
  if (*out < 0 || *out > most)
    FAIL(ERR_IO, "\"%s\": \"%s\": expected a size of 0 to %lld, found %lld",
         rt_io_path(f), name, (long long)most, *out);
  return OK;
}

/* Of n elements those of this rank: parts as equal as can be. */
static idx_l
part_of(idx_g n) {
  idx_g ranks = fe_ranks.size, r = fe_ranks.rank;
  if (fe_ranks.whole) return (idx_l)n;
  return (idx_l)(n / ranks + (r < n % ranks));
}

static status
set_from(const char *file, const char *data, bool infer, const char *name,
         struct fe_set **out) {
  struct rt_file *f;
  long long n = 0;
  TRY(fe_file_texts(file, data));
  TRY(fe_file_open("reading", file, RT_IO_READ, &f));
  TRY(fe_file_close(f, false, set_size(f, data, infer, &n)));
  return fe_decl_set(part_of(n), name, out);
}

static op_set
decl_set(const char *api, const char *file, const char *data, bool infer,
         const char *name) {
  struct fe_set *s = NULL;
  if (fe_enter(api))
    leave_reading(say(api, set_from(file, data, infer, name, &s)));
  return (op_set)s;
}

op_set
op_decl_set_hdf5(char const *file, char const *name) {
  return decl_set("op_decl_set_hdf5", file, name, false, name);
}

op_set
op_decl_set_hdf5_infer_size(char const *file, char const *name,
                            char const *data) {
  return decl_set("op_decl_set_hdf5_infer_size", file, data, true, name);
}

/* ---- maps ---------------------------------------------------------------- */

static status
map_read(struct rt_file *f, const char *name, const struct rt_rows *r,
         void **out) {
  struct rt_data d;
  TRY(find_data(f, name, &d));
  TRY(fe_file_shape(f, name, &d, r));
  return fe_rows_read(f, name, r, out);
}

/* On several ranks, before anything is declared on any of them: entries count
 * rows of `to`, as those before them of `from`. */
static status
check_entries(op_set to, const char *name, const struct rt_rows *r,
              const long long *rows) {
  idx_g n = fe_ranked() ? (r->hi - r->lo) * r->dim : 0;
  status st = OK;
  assert(rows);
  for (idx_g i = 0; st == OK && i < n; i++)
    st = fe_ranks_check_entry("op_decl_map", name, to, r->lo + i / r->dim,
                              (uint32_t)(i % r->dim), rows[i] - fe.base_index,
                              fe.base_index);
  return fe_agree("op_decl_map_hdf5", 1, st);
}

/* Rows that were read become those of declared elements, with numbers of such.
 */
static status
entries_become_numbers(op_set from, op_set to, struct rt_rows *r, void **rows) {
  if (!fe_in_parts()) return OK;
  TRY(fe_rows_spread(from, r, rows));
  long long *entry = *rows;
  size_t n = (size_t)(r->hi - r->lo) * r->dim;
  SCOPED idx_g *number = mem_alloc(n + 1, sizeof *number);
  for (size_t i = 0; i < n; i++) number[i] = entry[i] - fe.base_index;
  TRY(fe_entries_of_rows((struct fe_set *)to, n, number, number));
  for (size_t i = 0; i < n; i++) entry[i] = number[i] + fe.base_index;
  return OK;
}

static status
map_from(op_set from, op_set to, int dim, const char *file, const char *name,
         struct fe_map **out) {
  struct rt_file *f;
  void *rows = NULL;
  TRY(fe_file_texts(file, name));
  TRY(fe_check_map_args("op_decl_map", from, to, name));
  TRY(fe_check_arity("op_decl_map", name, dim));
  struct rt_rows r = fe_rows_seen(from, dim, (struct type){TYPE_I64, 8});
  TRY(fe_ranks_unmoved(from, name));
  TRY(fe_file_open("reading", file, RT_IO_READ, &f));
  TRY(fe_file_close(f, false, map_read(f, name, &r, &rows)));
  status st = check_entries(to, name, &r, rows);
  if (st == OK) st = entries_become_numbers(from, to, &r, &rows);
  if (st == OK) st = fe_decl_map(from, to, dim, NULL, rows, name, out);
  fe_rows_free(rows, &r);
  return st == OK ? OK : err_prefix(st, "\"%s\": ", file);
}

op_map
op_decl_map_hdf5(op_set from, op_set to, int dim, char const *file,
                 char const *name) {
  const char *api = "op_decl_map_hdf5";
  struct fe_map *m = NULL;
  if (fe_enter(api))
    leave_reading(say(api, map_from(from, to, dim, file, name, &m)));
  return (op_map)m;
}

/* ---- dats ---------------------------------------------------------------- */

/* The type's name as dats have it; a user type takes its size from the file. */
static status
type_of(const char *type, size_t user_size, struct type *out) {
  if (type && type_from_name(type, user_size, out, NULL)) return OK;
  FAIL(ERR_ARG, "type: expected a type name, found \"%s\"",
       type ? type : "NULL");
}

static status
dat_read(struct rt_file *f, const struct fe_dat_args *a, struct rt_rows *r,
         void **out) {
  struct rt_data d;
  TRY(find_data(f, a->name, &d));
  TRY(type_of(a->type, d.type.kind == TYPE_BYTES ? d.type.size : 0, &r->type));
  TRY(fe_file_shape(f, a->name, &d, r));
  return fe_rows_read(f, a->name, r, out);
}

static status
dat_rows(struct fe_dat_args *a, const char *file, struct rt_rows *r) {
  struct rt_file *f;
  TRY(fe_file_texts(file, a->name));
  TRY(fe_file_open("reading", file, RT_IO_READ, &f));
  return fe_file_close(f, false, dat_read(f, a, r, &a->data));
}

static status
dat_from(struct fe_dat_args *a, const char *file, struct fe_dat **out) {
  TRY(fe_check_dat_args(a));
  struct rt_rows r = fe_rows_seen(a->set, a->dim, (struct type){0});
  TRY(say(a->api, dat_rows(a, file, &r)));
  a->elem_size = r.type.size;
  status st = say(a->api, fe_rows_place(a->set, &r, &a->data));
  if (st == OK) st = fe_decl_dat(a, out);
  fe_rows_free(a->data, &r);
  return st;
}

op_dat
op_decl_dat_hdf5(op_set set, int dim, char const *type, char const *file,
                 char const *name) {
  struct fe_dat *d = NULL;
  struct fe_dat_args a = {.api = "op_decl_dat_hdf5",
                          .set = set,
                          .dim = dim,
                          .type = type,
                          .name = name,
                          .copy = true};
  if (fe_enter(a.api)) leave_reading(dat_from(&a, file, &d));
  return (op_dat)d;
}

static status
dat_write(struct rt_file *f, const struct fe_dat *d, const char *name) {
  TRY(fe_file_put(f, name, d));
  TRY(rt_io_put_int(f, name, "size", d->pub.size));
  TRY(rt_io_put_int(f, name, "dim", d->pub.dim));
  return rt_io_put_text(f, name, "type", d->pub.type, 0);
}

static status
dat_to(const struct fe_dat *d, const char *file, const char *name) {
  struct rt_file *f;
  TRY(fe_file_texts(file, name));
  TRY(fe_file_open("writing", file, RT_IO_UPDATE, &f));
  return fe_file_close(f, true, dat_write(f, d, name));
}

/* name NULL: the dat's. */
static status
fetch_to(const char *api, op_dat dat, const char *file, const char *name) {
  struct fe_dat *d;
  TRY(fe_access_begin(api, dat, false, &d));
  return say(api, dat_to(d, file, name ? name : d->pub.name));
}

static void
fetch_file(const char *api, op_dat dat, const char *file, const char *name) {
  if (fe_enter(api)) fe_leave(fetch_to(api, dat, file, name));
}

void
op_fetch_data_hdf5_file(op_dat dat, char const *file) {
  fetch_file("op_fetch_data_hdf5_file", dat, file, NULL);
}

void
op_fetch_data_hdf5_file_path(op_dat dat, char const *file, char const *path) {
  fetch_file("op_fetch_data_hdf5_file_path", dat, file, path ? path : "");
}

/* ---- constants ----------------------------------------------------------- */

struct constant {
  const char *name;
  int dim;
  const char *type;
  void *data;
};

static status
check_constant(const struct constant *c) {
  if (c->dim < 1)
    FAIL(ERR_ARG, "\"%s\": dim: expected 1 or more, found %d", c->name, c->dim);
  if (!c->data)
    FAIL(ERR_ARG, "\"%s\": expected an address, found NULL", c->name);
  return OK;
}

/* To memory of its own first: nothing changes if a value does not fit. */
static status
constant_read(struct rt_file *f, const struct constant *c) {
  struct rt_data d;
  struct rt_rows r = fe_rows_one(c->dim, (struct type){0}, false);
  void *values = NULL;
  TRY(find_data(f, c->name, &d));
  TRY(type_of(c->type, d.type.kind == TYPE_BYTES ? d.type.size : 0, &r.type));
  if (d.n * d.dim != c->dim)
    FAIL(ERR_IO, "\"%s\": \"%s\": wrong shape: expected %d values, found %lld",
         rt_io_path(f), c->name, c->dim, (long long)(d.n * d.dim));
  if (d.rank == 2)
    r = (struct rt_rows){
        .n = d.n, .hi = d.n, .dim = (uint32_t)d.dim, .type = r.type};
  TRY(fe_rows_read(f, c->name, &r, &values));
  memcpy(c->data, values, (size_t)c->dim * r.type.size);
  fe_rows_free(values, &r);
  return OK;
}

static status
constant_get(const struct constant *c, const char *file) {
  struct rt_file *f;
  TRY(fe_file_texts(file, c->name));
  TRY(check_constant(c));
  TRY(fe_file_open("reading", file, RT_IO_READ, &f));
  return fe_file_close(f, false, constant_read(f, c));
}

void
op_get_const_hdf5(char const *name, int dim, char const *type, char *data,
                  char const *file) {
  struct constant c = {name, dim, type, data};
  if (fe_enter("op_get_const_hdf5"))
    leave_reading(say("op_get_const_hdf5", constant_get(&c, file)));
}

/* OP2 knows these types by these names only. */
static const char *
constant_type(const struct constant *c, struct type t) {
  switch (t.kind) {
  case TYPE_F64: return "double";
  case TYPE_F32: return "float";
  case TYPE_I32: return "int";
  case TYPE_I64: return "long long";
  }
  return c->type;
}

static status
constant_write(struct rt_file *f, const struct constant *c, struct type t) {
  struct rt_rows r = fe_rows_one(c->dim, t, true);
  TRY(rt_io_write(f, c->name, &r, c->data));
  TRY(rt_io_put_int(f, c->name, "dim", c->dim));
  return rt_io_put_text(f, c->name, "type", constant_type(c, t), 0);
}

static status
constant_put(const struct constant *c, const char *file) {
  struct rt_file *f;
  struct type t;
  TRY(fe_file_texts(file, c->name));
  TRY(check_constant(c));
  TRY(type_of(c->type, 0, &t));
  TRY(fe_file_open("writing", file, RT_IO_UPDATE, &f));
  return fe_file_close(f, true, constant_write(f, c, t));
}

void
op_write_const_hdf5(char const *name, int dim, char const *type, char *data,
                    char const *file) {
  struct constant c = {name, dim, type, data};
  if (fe_enter("op_write_const_hdf5"))
    fe_leave(say("op_write_const_hdf5", constant_put(&c, file)));
}

/* ---- all of it ----------------------------------------------------------- */

/* Two things of one name cannot lie in one file. */
static status
check_fresh(struct rt_file *f, const char *name) {
  struct rt_data d;
  TRY(rt_io_find(f, name, &d));
  if (d.found)
    FAIL(ERR_IO, "\"%s\": expected one set, map or dat \"%s\", found two",
         rt_io_path(f), name);
  return OK;
}

static status
set_write(struct rt_file *f, const op_set_core *s) {
  long long size = fe_rows_total((const struct fe_set *)s);
  int narrow = (int)size;
  bool wide = narrow != size;
  struct rt_rows r = fe_rows_one(
      1, wide ? (struct type){TYPE_I64, 8} : (struct type){TYPE_I32, 4}, true);
  TRY(check_fresh(f, s->name));
  return rt_io_write(f, s->name, &r, wide ? (void *)&size : (void *)&narrow);
}

static status
table_write(struct rt_file *f, const struct fe_map *m,
            const struct rt_rows *r) {
  size_t n = (size_t)(r->hi - r->lo) * r->dim, size = r->type.size;
  bool as_is = !fe_ranked() && !fe.base_index && !m->start;
  if (as_is) return rt_io_write(f, m->pub.name, r, m->pub.map);
  SCOPED idx_g *rows = NULL;
  TRY(fe_rows_of_map(m, &rows));
  SCOPED void *t = mem_alloc(n + 1, size);
  for (size_t i = 0; i < n; i++) {
    long long entry = rows[i] < 0 ? -1 : rows[i] + fe.base_index;
    if (size == sizeof(int))
      ((int *)t)[i] = (int)entry;
    else
      ((long long *)t)[i] = entry;
  }
  return rt_io_write(f, m->pub.name, r, t);
}

enum { MAP_TYPE_ROOM = 10 }; /* bytes of the attribute, as in OP2 */

static status
map_write(struct rt_file *f, const struct fe_map *m) {
  const char *name = m->pub.name;
  bool wide = fe_set_total((struct fe_set *)m->pub.to) >= INT32_MAX;
  struct rt_rows r = fe_rows_own(m->pub.from, m->pub.dim,
                                 wide ? (struct type){TYPE_I64, 8}
                                      : (struct type){TYPE_I32, 4});
  TRY(check_fresh(f, name));
  TRY(table_write(f, m, &r));
  TRY(rt_io_put_int(f, name, "size", r.n));
  TRY(rt_io_put_int(f, name, "dim", m->pub.dim));
  return rt_io_put_text(f, name, "type", wide ? "long long" : "int",
                        MAP_TYPE_ROOM);
}

/* An overlay's values are those of the dat that it lies over, or of the first
 * overlay there, if that was freed. */
static bool
is_part(const struct fe_dat *d) {
  return d->base && (!d->base->freed || d->root != d->index);
}

/* Set i: what programs know, and points only once (fe_points_like). */
static bool
is_dumped(uint32_t i) {
  const struct fe_set *s = fe_all.sets[i];
  bool again = false;
  for (uint32_t k = 0; s->box && k < i; k++)
    again |= fe_points_like(&s->pub, &fe_all.sets[k]->pub);
  return !s->hidden && !s->freed && !again;
}

static status
dump_all(struct rt_file *f) {
  for (uint32_t i = 0; i < fe_all.nsets; i++)
    if (is_dumped(i)) TRY(set_write(f, &fe_all.sets[i]->pub));
  for (uint32_t i = 0; i < fe_all.nmaps; i++) {
    const struct fe_map *m = fe_all.maps[i];
    if (!m->hidden && !m->freed) TRY(map_write(f, m));
  }
  for (uint32_t i = 0; i < fe_all.naged; i++) {
    struct fe_dat *d = fe_all.aged[i];
    if (d->freed || is_part(d)) continue;
    TRY(fe_access_begin("dat", &d->pub, false, &d));
    TRY(check_fresh(f, d->pub.name));
    TRY(dat_write(f, d, d->pub.name));
  }
  return OK;
}

static status
dump(const char *file) {
  struct rt_file *f;
  TRY(fe_file_texts(file, "-"));
  TRY(fe_file_open("op_dump_to_hdf5", file, RT_IO_CREATE, &f));
  return fe_file_close(f, true, dump_all(f));
}

void
op_dump_to_hdf5(char const *file) {
  if (fe_enter("op_dump_to_hdf5")) fe_leave(say("op_dump_to_hdf5", dump(file)));
}
