#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/rows.h"
#include "frontend/values.h"

#include "rt/ranks/dist.h"

#include <string.h>

struct rt_rows
fe_rows_own(const op_set_core *set, int dim, struct type type) {
  const struct rt_part *p = ((const struct fe_set *)set)->part;
  return (struct rt_rows){.n = p->total,
                          .lo = p->start[fe_ranks.rank],
                          .hi = p->start[fe_ranks.rank + 1],
                          .dim = (uint32_t)dim,
                          .type = type};
}

struct rt_rows
fe_rows_seen(const op_set_core *set, int dim, struct type type) {
  struct rt_rows r = fe_rows_own(set, dim, type);
  if (!fe_ranks.whole) return r;
  r.lo = 0;
  r.hi = r.n;
  return r;
}

struct rt_rows
fe_rows_of(const struct fe_dat *d) {
  return fe_rows_own(d->pub.set, d->pub.dim, d->type);
}

struct rt_rows
fe_rows_one(idx_g n, struct type type, bool writes) {
  return (struct rt_rows){.n = n,
                          .hi = writes && fe_ranks.rank ? 0 : n,
                          .dim = 1,
                          .flat = true,
                          .type = type};
}

status
fe_rows_values(const struct fe_dat *d, const void **out, void **kept) {
  size_t size = (size_t)d->pub.size;
  struct rt_rows r = fe_rows_own(d->pub.set, d->pub.dim, d->type);
  *kept = NULL;
  *out = d->rt.mirror + (fe_ranks.whole ? (size_t)r.lo * size : 0);
  if (!fe_in_parts()) return OK;
  *out = *kept = mem_alloc((size_t)(r.hi - r.lo) + 1, size);
  return fe_ranks_home(d, *kept);
}

status
fe_rows_declared(const struct fe_dat *d, const void **out, void **kept) {
  const struct fe_set *s = (const struct fe_set *)d->pub.set;
  *out = d->rt.mirror;
  *kept = NULL;
  if (!fe_in_parts() || !s->rt.part || !s->part->moved) return OK;
  *out = *kept = mem_alloc((size_t)s->part->declared + 1, (size_t)d->pub.size);
  return fe_ranks_home(d, *kept);
}

/* ---- reading ------------------------------------------------------------- */

static size_t
bytes_of(const struct rt_rows *r) {
  return (size_t)(r->hi - r->lo) * r->dim * r->type.size;
}

status
fe_rows_read(struct rt_file *f, const char *name, const struct rt_rows *r,
             void **out) {
  void *rows = rt_mem_new(bytes_of(r));
  status st = OK;
  if (!rows)
    st = err_set(ERR_MEMORY, "\"%s\": \"%s\": no memory for %zu bytes",
                 rt_io_path(f), name, bytes_of(r));
  st = rt_io_agree(f, st);
  if (st == OK) st = rt_io_read(f, name, r, rows);
  if (st == OK)
    *out = rows;
  else
    fe_rows_free(rows, r);
  return st;
}

void
fe_rows_free(void *rows, const struct rt_rows *r) {
  if (rows) rt_mem_free(rows, bytes_of(r));
}

status
fe_rows_place(const op_set_core *set, struct rt_rows *r, void **rows) {
  const struct fe_set *s = (const struct fe_set *)set;
  if (!s->rt.part || fe_ranks.whole) return OK;
  struct rt_rows mine = *r;
  mine.lo = 0;
  mine.hi = s->part->owned;
  size_t size = (size_t)r->dim * r->type.size;
  void *own = rt_mem_new(bytes_of(&mine));
  status st =
      own ? OK
          : err_set(ERR_MEMORY, "no memory for %zu bytes", bytes_of(&mine));
  st = fe_agree("placing rows", 0, st);
  if (st == OK) st = rt_part_give(fe_ranks.comm, s->part, *rows, size, own);
  fe_rows_free(*rows, r);
  *rows = own;
  *r = mine;
  return st;
}

status
fe_rows_become(struct fe_dat *d, struct rt_rows *r, void **rows) {
  TRY(fe_rows_place(d->pub.set, r, rows));
  if (bytes_of(r)) memcpy(d->rt.mirror, *rows, bytes_of(r));
  fe_dat_host_wrote(d);
  return OK;
}

/* ---- as doubles ---------------------------------------------------------- */

static bool
is_double(const struct fe_dat *d) {
  return d->type.kind == TYPE_F64;
}

static size_t
declared_count(const struct fe_dat *d) {
  struct rt_rows r = fe_rows_seen(d->pub.set, d->pub.dim, d->type);
  return (size_t)(r.hi - r.lo) * r.dim;
}

status
fe_rows_to_reals(const struct fe_dat *d, double *to) {
  const void *from;
  SCOPED void *kept = NULL;
  TRY(fe_rows_declared(d, &from, &kept));
  for (size_t i = 0, n = declared_count(d); i < n; i++)
    to[i] = is_double(d) ? ((const double *)from)[i]
                         : (double)((const float *)from)[i];
  return OK;
}

static void
reals_copy(const struct fe_dat *d, const double *from, void *to) {
  for (size_t i = 0, n = declared_count(d); i < n; i++)
    if (is_double(d))
      ((double *)to)[i] = from[i];
    else
      ((float *)to)[i] = (float)from[i];
}

status
fe_rows_from_reals(const char *api, struct fe_dat *d, const double *from) {
  struct rt_rows r = fe_rows_seen(d->pub.set, d->pub.dim, d->type);
  void *rows = rt_mem_new(bytes_of(&r));
  status st = rows ? OK
                   : err_set(ERR_MEMORY, "%s: no memory for %zu bytes", api,
                             bytes_of(&r));
  st = fe_agree(api, 0, st);
  if (st == OK) reals_copy(d, from, rows);
  if (st == OK) st = fe_rows_become(d, &r, &rows);
  fe_rows_free(rows, &r);
  return st;
}
