/* Data sets: what they are, and rows of them. */
#include "rt/hdf5/h5.h"

#include "base/str.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- types --------------------------------------------------------------- */

/* HDF5's type for a type of dats; TYPE_BYTES: opaque bytes. The caller drops
 * it. */
static hid_t
type_native(struct type t) {
  switch (t.kind) {
  case TYPE_F64: return H5Tcopy(H5T_NATIVE_DOUBLE);
  case TYPE_F32: return H5Tcopy(H5T_NATIVE_FLOAT);
  case TYPE_I32: return H5Tcopy(H5T_NATIVE_INT);
  case TYPE_U32: return H5Tcopy(H5T_NATIVE_UINT);
  case TYPE_I64: return H5Tcopy(H5T_NATIVE_LLONG);
  case TYPE_U64: return H5Tcopy(H5T_NATIVE_ULLONG);
  case TYPE_I16: return H5Tcopy(H5T_NATIVE_SHORT);
  case TYPE_U16: return H5Tcopy(H5T_NATIVE_USHORT);
  case TYPE_I8: return H5Tcopy(H5T_NATIVE_SCHAR);
  case TYPE_U8:
  case TYPE_BOOL: return H5Tcopy(H5T_NATIVE_UCHAR);
  }
  return H5Tcreate(H5T_OPAQUE, t.size);
}

/* The type of dats of this class, sign and size; size 0: there is none. */
static struct type
type_known(H5T_class_t cls, bool sign, size_t size) {
  static const struct {
    H5T_class_t cls;
    bool sign;
    struct type type;
  } known[] = {
      {H5T_FLOAT, true, {TYPE_F64, 8}},   {H5T_FLOAT, true, {TYPE_F32, 4}},
      {H5T_INTEGER, true, {TYPE_I32, 4}}, {H5T_INTEGER, false, {TYPE_U32, 4}},
      {H5T_INTEGER, true, {TYPE_I64, 8}}, {H5T_INTEGER, false, {TYPE_U64, 8}},
      {H5T_INTEGER, true, {TYPE_I16, 2}}, {H5T_INTEGER, false, {TYPE_U16, 2}},
      {H5T_INTEGER, true, {TYPE_I8, 1}},  {H5T_INTEGER, false, {TYPE_U8, 1}}};
  if (cls == H5T_OPAQUE)
    return (struct type){TYPE_BYTES, size <= UINT32_MAX ? (uint32_t)size : 0};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].cls == cls && known[i].sign == sign &&
        known[i].type.size == size)
      return known[i].type;
  return (struct type){TYPE_BYTES, 0};
}

static void
type_describe(hid_t type, struct rt_data *out) {
  static const char *const words[] = {
      [H5T_INTEGER] = "integer",    [H5T_FLOAT] = "float",
      [H5T_TIME] = "time",          [H5T_STRING] = "text",
      [H5T_BITFIELD] = "bit field", [H5T_OPAQUE] = "opaque value",
      [H5T_COMPOUND] = "compound",  [H5T_REFERENCE] = "reference",
      [H5T_ENUM] = "enumeration",   [H5T_VLEN] = "variable-length value",
      [H5T_ARRAY] = "array"};
  H5T_class_t cls = H5Tget_class(type);
  size_t size = H5Tget_size(type);
  bool sign = cls != H5T_INTEGER || H5Tget_sign(type) == H5T_SGN_2;
  bool word = cls >= 0 && (size_t)cls < sizeof words / sizeof *words;
  out->type = type_known(cls, sign, size);
  snprintf(out->text, sizeof out->text, "%zu-byte %s%s", size,
           sign ? "" : "unsigned ", word ? words[cls] : "unknown type");
}

/* ---- what there is ------------------------------------------------------- */

static void
shape_describe(hid_t space, struct rt_data *out) {
  hsize_t dims[2] = {1, 1};
  out->rank = H5Sget_simple_extent_ndims(space);
  if (out->rank > 2) return;
  H5Sget_simple_extent_dims(space, dims, NULL);
  out->n = (idx_g)dims[0];
  out->dim = (idx_g)dims[1];
}

status
h5_find(struct rt_h5 *f, const char *name, struct rt_data *out) {
  *out = (struct rt_data){.found = h5_has(f, name)};
  if (!out->found) return OK;
  SCOPED_ID data = H5Dopen2(f->id, name, H5P_DEFAULT);
  if (data < 0) return h5_fail(f, name, "expected a data set");
  SCOPED_ID space = H5Dget_space(data), type = H5Dget_type(data);
  if (space < 0 || type < 0) return h5_fail(f, name, "has no shape or type");
  shape_describe(space, out);
  type_describe(type, out);
  return OK;
}

/* ---- rows ---------------------------------------------------------------- */

/* Rows [lo, hi) of a data set's space, and as many values in memory. Some rank
 * of several may have none. */
static hid_t
rows_select(hid_t space, const struct rt_rows *r) {
  hsize_t count[2] = {(hsize_t)(r->hi - r->lo), r->dim};
  hsize_t start[2] = {(hsize_t)r->lo, 0}, all = count[0] * count[1];
  hid_t memory = H5Screate_simple(1, &all, NULL);
  assert(0 <= r->lo && r->lo <= r->hi && r->hi <= r->n);
  if (H5Sget_simple_extent_ndims(space) == 0) return memory;
  if (all) {
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
  } else {
    H5Sselect_none(space);
    if (memory >= 0) H5Sselect_none(memory);
  }
  return memory;
}

/* A value that the program's type cannot hold, or not to the last digit. */
static H5T_conv_ret_t
value_lost(H5T_conv_except_t what, hid_t from, hid_t to, void *src, void *dst,
           void *user) {
  (void)what, (void)from, (void)to, (void)src, (void)dst;
  *(bool *)user = true;
  return H5T_CONV_ABORT;
}

/* May values of the file's type become `to`? Integers are looked at one by one
 * (value_lost); floats only become wider, since HDF5 rounds them in silence. */
static bool
type_converts(hid_t from, struct type to) {
  H5T_class_t cls = H5Tget_class(from);
  char want = type_class(to);
  if (cls == H5T_INTEGER) return want != 'B';
  if (cls == H5T_FLOAT) return want == 'F' && H5Tget_size(from) <= to.size;
  return cls == H5T_OPAQUE && want == 'B' && H5Tget_size(from) == to.size;
}

static status
check_bools(const struct rt_h5 *f, const char *name, const struct rt_rows *r,
            const unsigned char *v) {
  size_t n = (size_t)(r->hi - r->lo) * r->dim;
  for (size_t i = 0; i < n; i++)
    if (v[i] > 1)
      FAIL(ERR_IO, "\"%s\": \"%s\": expected 0 or 1 (bool), found %d", f->path,
           name, v[i]);
  return OK;
}

/* How values go: together with those of the other ranks. The caller drops it.
 * */
static hid_t
transfer_new(const struct rt_h5 *f) {
  hid_t how = H5Pcreate(H5P_DATASET_XFER);
#ifdef H5_HAVE_PARALLEL
  if (f->parallel) H5Pset_dxpl_mpio(how, H5FD_MPIO_COLLECTIVE);
#else
  (void)f;
#endif
  return how;
}

static status
rows_read(struct rt_h5 *f, const char *name, hid_t data,
          const struct rt_rows *r, void *out) {
  bool lost = false;
  SCOPED_ID space = H5Dget_space(data), memory = rows_select(space, r);
  SCOPED_ID type = type_native(r->type), how = transfer_new(f);
  H5Pset_type_conv_cb(how, value_lost, &lost);
  if (H5Dread(data, type, memory, space, how, out) < 0) {
    status st = h5_fail(f, name, "cannot be read");
    if (!lost) return st;
    FAIL(ERR_IO,
         "\"%s\": \"%s\": expected values that fit %s, found one that would be "
         "changed",
         f->path, name, type_text(r->type));
  }
  return r->type.kind == TYPE_BOOL ? check_bools(f, name, r, out) : OK;
}

status
h5_read(struct rt_h5 *f, const char *name, const struct rt_rows *r, void *out) {
  struct rt_data d = {0};
  SCOPED_ID data = H5Dopen2(f->id, name, H5P_DEFAULT);
  if (data < 0) return h5_fail(f, name, "cannot be opened");
  SCOPED_ID type = H5Dget_type(data);
  type_describe(type, &d);
  if (!type_converts(type, r->type))
    FAIL(ERR_IO,
         "\"%s\": \"%s\": wrong type: expected values that can be read as %s "
         "without loss, found %s",
         f->path, name, type_text(r->type), d.text);
  return r->n ? rows_read(f, name, data, r, out) : OK;
}

/* ---- writing ------------------------------------------------------------- */

/* Bytes in a piece with a checksum: what HDF5 keeps of a data set at once; rows
 * in one of a data set that grows, at least. */
enum { CHECKED = 1 << 20, GROWN = 64 };

/* Values carry checksums (Fletcher's, of HDF5), which HDF5 compares when they
 * are read. A data set of no values has none. */
static hid_t
data_how(const struct rt_rows *r) {
  hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t row = (hsize_t)r->dim * r->type.size;
  hsize_t chunk[2] = {row < CHECKED ? CHECKED / row : 1, r->dim};
  if (chunk[0] > (hsize_t)r->n) chunk[0] = (hsize_t)r->n;
  if (r->grows && chunk[0] < GROWN) chunk[0] = GROWN;
  if (!chunk[0]) return how;
  H5Pset_chunk(how, r->flat ? 1 : 2, chunk);
  H5Pset_fletcher32(how);
  return how;
}

static hid_t
data_make(struct rt_h5 *f, const char *name, const struct rt_rows *r,
          hid_t type) {
  hsize_t dims[2] = {(hsize_t)r->n, r->dim};
  hsize_t most[2] = {r->grows ? H5S_UNLIMITED : dims[0], r->dim};
  SCOPED_ID space = H5Screate_simple(r->flat ? 1 : 2, dims, most);
  SCOPED_ID links = H5Pcreate(H5P_LINK_CREATE), how = data_how(r);
  H5Pset_create_intermediate_group(links, 1);
  return H5Dcreate2(f->id, name, type, space, links, how, H5P_DEFAULT);
}

/* A data set that is there already: of this shape and type? */
static status
check_like(struct rt_h5 *f, const char *name, const struct rt_rows *r) {
  struct rt_data d;
  TRY(h5_find(f, name, &d));
  bool fits = d.n == r->n || (r->grows && d.n < r->n);
  if (d.rank > 2 || !fits || d.dim != (idx_g)r->dim)
    FAIL(ERR_IO,
         "\"%s\": \"%s\" is there already: expected %lld rows of %u, found "
         "%lld of %lld",
         f->path, name, (long long)r->n, r->dim, (long long)d.n,
         (long long)d.dim);
  struct type t = r->type;
  if (t.kind == TYPE_BOOL) t.kind = TYPE_U8;
  if (!type_same(d.type, t))
    FAIL(ERR_IO,
         "\"%s\": \"%s\" is there already: wrong type: expected %s, found %s",
         f->path, name, type_text(r->type), d.text);
  return OK;
}

static status
rows_write(struct rt_h5 *f, const char *name, hid_t data, hid_t type,
           const struct rt_rows *r, const void *values) {
  SCOPED_ID space = H5Dget_space(data), memory = rows_select(space, r);
  SCOPED_ID how = transfer_new(f);
  bool good = H5Dwrite(data, type, memory, space, how, values) >= 0;
  return good ? OK : h5_fail(f, name, "cannot be written");
}

static status
data_grow(struct rt_h5 *f, const char *name, hid_t data,
          const struct rt_rows *r) {
  hsize_t dims[2] = {(hsize_t)r->n, r->dim};
  bool good = H5Dset_extent(data, dims) >= 0;
  return good ? OK : h5_fail(f, name, "cannot be made larger");
}

status
h5_write(struct rt_h5 *f, const char *name, const struct rt_rows *r,
         const void *values) {
  bool there = h5_has(f, name);
  assert(!r->flat || r->dim == 1);
  if (there) TRY(check_like(f, name, r));
  SCOPED_ID type = type_native(r->type);
  hid_t data =
      there ? H5Dopen2(f->id, name, H5P_DEFAULT) : data_make(f, name, r, type);
  status st = OK;
  if (data < 0) st = h5_fail(f, name, "cannot be made");
  if (st == OK && there && r->grows) st = data_grow(f, name, data, r);
  /* with MPI, HDF5 (1.10.8) fails on data sets of no size */
  if (st == OK && r->n) st = rows_write(f, name, data, type, r, values);
  /* what HDF5 has kept back is written now, and may fail */
  if (data >= 0 && H5Dclose(data) < 0 && st == OK)
    st = h5_fail(f, name, "cannot be written");
  return st;
}

/* ---- parts of others ----------------------------------------------------- */

/* HDF5 takes the name of what is shown as a pattern, in which "%%" is "%". */
static void
pattern_of(const char *name, struct str *out) {
  for (; *name; name++)
    str_addn(out, *name == '%' ? "%%" : name, *name == '%' ? 2 : 1);
}

status
h5_show(struct rt_h5 *f, const char *name, const struct rt_part_of *of) {
  hsize_t start[2] = {(hsize_t)of->from, of->first};
  hsize_t count[2] = {(hsize_t)of->n, of->last - of->first};
  assert(of->n > 0 && of->first < of->last);
  SCOPED_ID data = H5Dopen2(f->id, of->name, H5P_DEFAULT);
  if (data < 0) return h5_fail(f, of->name, "cannot be opened");
  SCOPED_ID type = H5Dget_type(data), from = H5Dget_space(data);
  SCOPED_ID space = H5Screate_simple(count[1] > 1 ? 2 : 1, count, NULL);
  SCOPED_ID links = H5Pcreate(H5P_LINK_CREATE);
  SCOPED_ID how = H5Pcreate(H5P_DATASET_CREATE);
  SCOPED_STR pattern = STR_INIT;
  pattern_of(of->name, &pattern);
  H5Pset_create_intermediate_group(links, 1);
  if (H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
      H5Pset_virtual(how, space, ".", pattern.s, from) < 0)
    return h5_fail(f, of->name, "cannot be shown in part");
  if (h5_has(f, name) && H5Ldelete(f->id, name, H5P_DEFAULT) < 0)
    return h5_fail(f, name, "cannot be made anew");
  SCOPED_ID shown =
      H5Dcreate2(f->id, name, type, space, links, how, H5P_DEFAULT);
  return shown < 0 ? h5_fail(f, name, "cannot be made") : OK;
}
