/* What calls on HDF5 files begin and end with. */
#include "frontend/files.h"

#include "frontend/context.h"
#include "frontend/ranks.h"

#include "base/str.h"

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
