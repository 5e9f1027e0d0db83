/* Attributes, as OP2 writes them: an int (or, above its range, a
 * long long) in one dimension of 1, a text of fixed length
 * in a scalar. Those of other tools are read, too. */
#include "rt/hdf5/h5.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* A former one goes: an attribute cannot change its size. */
static status
attr_put(struct rt_h5 *f, const char *name, const char *attr, hid_t type,
         hid_t space, const void *value) {
  SCOPED_ID object = H5Oopen(f->id, name, H5P_DEFAULT);
  if (object < 0) return h5_fail(f, name, "cannot be opened");
  if (H5Aexists(object, attr) > 0) H5Adelete(object, attr);
  SCOPED_ID a = H5Acreate2(object, attr, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool good = a >= 0 && H5Awrite(a, type, value) >= 0;
  return good ? OK : h5_fail(f, name, "cannot be given an attribute");
}

status
h5_put_int(struct rt_h5 *f, const char *name, const char *attr,
           long long value) {
  hsize_t one = 1;
  SCOPED_ID space = H5Screate_simple(1, &one, NULL);
  int narrow = (int)value;
  return narrow == value
             ? attr_put(f, name, attr, H5T_NATIVE_INT, space, &narrow)
             : attr_put(f, name, attr, H5T_NATIVE_LLONG, space, &value);
}

status
h5_put_ints(struct rt_h5 *f, const char *name, const char *attr,
            const int *values, size_t n) {
  hsize_t room = n;
  SCOPED_ID space = H5Screate_simple(1, &room, NULL);
  return attr_put(f, name, attr, H5T_NATIVE_INT, space, values);
}

status
h5_put_text(struct rt_h5 *f, const char *name, const char *attr,
            const char *text, size_t room) {
  size_t len = strlen(text);
  if (room < len) room = len;
  if (!room) room = 1;
  SCOPED char *padded = mem_alloc(room + 1, 1);
  memcpy(padded, text, len);
  SCOPED_ID type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, room);
  return attr_put(f, name, attr, type, space, padded);
}

/* The attribute and its type, which the caller drops; false: not there, or of
 * another class. */
static bool
attr_open(struct rt_h5 *f, const char *name, const char *attr, H5T_class_t cls,
          hid_t *attr_out, hid_t *type_out) {
  if (strcmp(name, "/") && !h5_has(f, name)) return false;
  if (H5Aexists_by_name(f->id, name, attr, H5P_DEFAULT) <= 0) return false;
  hid_t a = H5Aopen_by_name(f->id, name, attr, H5P_DEFAULT, H5P_DEFAULT);
  hid_t t = a < 0 ? -1 : H5Aget_type(a);
  SCOPED_ID space = a < 0 ? -1 : H5Aget_space(a);
  *attr_out = a;
  *type_out = t;
  return t >= 0 && H5Tget_class(t) == cls &&
         H5Sget_simple_extent_npoints(space) == 1;
}

status
h5_get_int(struct rt_h5 *f, const char *name, const char *attr, long long *out,
           bool *found_out) {
  SCOPED_ID a = -1, t = -1;
  *found_out = attr_open(f, name, attr, H5T_INTEGER, &a, &t);
  bool good = !*found_out || H5Aread(a, H5T_NATIVE_LLONG, out) >= 0;
  return good ? OK : h5_fail(f, name, "attribute cannot be read");
}

static bool
read_fixed(hid_t a, hid_t t, struct str *out) {
  size_t size = H5Tget_size(t);
  SCOPED char *text = mem_alloc(size + 1, 1);
  bool good = H5Aread(a, t, text) >= 0;
  if (good) str_add(out, text);
  return good;
}

static bool
read_variable(hid_t a, hid_t t, struct str *out) {
  char *text = NULL;
  if (H5Aread(a, t, &text) < 0) return false;
  if (text) str_add(out, text);
  H5free_memory(text);
  return true;
}

status
h5_get_text(struct rt_h5 *f, const char *name, const char *attr,
            struct str *out, bool *found_out) {
  SCOPED_ID a = -1, t = -1;
  *found_out = attr_open(f, name, attr, H5T_STRING, &a, &t);
  if (!*found_out) return OK;
  bool good = H5Tis_variable_str(t) > 0 ? read_variable(a, t, out)
                                        : read_fixed(a, t, out);
  return good ? OK : h5_fail(f, name, "attribute cannot be read");
}
