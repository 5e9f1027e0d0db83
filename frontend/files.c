/* What calls on HDF5 files begin and end with: a file opened, checked and
 * closed, all of a dat written and read. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/rows.h"
#include "frontend/values.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

status
fe_file_texts(const char *file, const char *name) {
  if (!file) FAIL(ERR_ARG, "expected a file name, found NULL");
  if (!name || !name[strspn(name, "/")])
    FAIL(ERR_ARG, "expected the name of a data set, found \"%s\"",
         name ? name : "NULL");
  return OK;
}

status
fe_file_shape(struct rt_file *f, const char *name, const struct rt_data *d,
              const struct rt_rows *r) {
  if (d->n == r->n && d->dim == (idx_g)r->dim) return OK;
  FAIL(ERR_IO,
       "\"%s\": \"%s\": wrong shape: expected [%lld, %u], found [%lld, %lld]",
       rt_io_path(f), name, (long long)r->n, r->dim, (long long)d->n,
       (long long)d->dim);
}

status
fe_file_close(struct rt_file *f, bool keep, status st) {
  SCOPED_STR said = STR_INIT;
  if (st != OK) str_add(&said, err_last());
  status closed = rt_io_close(f, keep && st == OK);
  if (st != OK) err_set(st, "%s", said.s);
  return st != OK ? st : closed;
}

status
fe_file_open(const char *api, const char *path, enum rt_io_mode mode,
             struct rt_file **out) {
  TRY(fe_agree(api, (uint64_t)mode, OK));
  return rt_io_open(path, mode, fe_ranks.comm, out);
}

/* ---- whole dats ---------------------------------------------------------- */

status
fe_file_check(struct rt_file *f, const char *name, const struct rt_rows *r) {
  struct rt_data d;
  TRY(rt_io_find(f, name, &d));
  if (!d.found)
    FAIL(ERR_IO, "\"%s\": expected a data set \"%s\", found none",
         rt_io_path(f), name);
  return fe_file_shape(f, name, &d, r);
}

status
fe_file_fits(struct rt_file *f, const char *name, const struct rt_rows *r) {
  struct rt_data d;
  TRY(rt_io_find(f, name, &d));
  if (!d.found) return OK;
  TRY(fe_file_shape(f, name, &d, r));
  if (r->type.kind == TYPE_BOOL || type_same(d.type, r->type)) return OK;
  FAIL(ERR_IO,
       "\"%s\": \"%s\" is there already: wrong type: expected %s, found %s",
       rt_io_path(f), name, type_text(r->type), d.text);
}

status
fe_file_put(struct rt_file *f, const char *name, const struct fe_dat *d) {
  struct rt_rows r = fe_rows_own(d->pub.set, d->pub.dim, d->type);
  const void *values;
  SCOPED void *kept = NULL;
  TRY(fe_rows_values(d, &values, &kept));
  return rt_io_write(f, name, &r, values);
}

status
fe_file_get(struct rt_file *f, const char *name, const struct fe_dat *d,
            struct rt_rows *r, void **rows) {
  *r = fe_rows_seen(d->pub.set, d->pub.dim, d->type);
  TRY(fe_file_check(f, name, r));
  return fe_rows_read(f, name, r, rows);
}

status
fe_file_taken(const char *api, struct fe_dat *d, struct rt_rows *r,
              void **rows) {
  fe_void_clear(d);
  TRY(fe_access_begin(api, &d->pub, true, &d));
  return fe_rows_become(d, r, rows);
}
