#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/rows.h"
#include "frontend/values.h"

#include "rt/ranks/dist.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct rt_rows
fe_rows_own(const op_set_core *set, int dim, struct type type) {
  const struct fe_set *s = (const struct fe_set *)set;
  int rank = fe_ranks.rank, ranks = fe_ranks.size;
  struct rt_rows r = {.n = fe_rows_total(s),
                      .lo = s->part->start[rank],
                      .hi = s->part->start[rank + 1],
                      .dim = (uint32_t)dim,
                      .type = type};
  if (!fe_rows_apart(s)) return r;
  r.lo = rt_block_begin(r.n, ranks, rank);
  r.hi = rt_block_begin(r.n, ranks, rank + 1);
  return r;
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

/* This rank's elements of a set, as it declared them. */
static struct rt_rows
declared_rows(const op_set_core *set, int dim, struct type type) {
  const struct fe_set *s = (const struct fe_set *)set;
  idx_l n = fe_in_parts() ? s->part->declared : set->size;
  return (struct rt_rows){.n = n, .hi = n, .dim = (uint32_t)dim, .type = type};
}

status
fe_rows_ordered(const op_set_core *set, const void *declared, size_t size,
                const void **out, void **kept) {
  struct fe_set *s = (struct fe_set *)set;
  struct rt_rows r = fe_rows_own(set, 1, (struct type){0});
  *out = declared;
  *kept = NULL;
  TRY(fe_rows_know(s));
  if (!s->blocks) return OK;
  *out = *kept = mem_alloc((size_t)(r.hi - r.lo) + 1, size);
  status st = rt_blocks_collect(s->blocks, declared, size, *kept);
  if (st == OK) return OK;
  free(*kept);
  *kept = NULL;
  return st;
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

status
fe_rows_values(const struct fe_dat *d, const void **out, void **kept) {
  size_t size = (size_t)d->pub.size;
  struct rt_rows r = fe_rows_own(d->pub.set, d->pub.dim, d->type);
  const void *declared;
  void *home;
  *kept = NULL;
  *out = d->rt.mirror + (fe_ranks.whole ? (size_t)r.lo * size : 0);
  if (!fe_in_parts()) return OK;
  status st = fe_rows_declared(d, &declared, &home);
  if (st == OK) st = fe_rows_ordered(d->pub.set, declared, size, out, kept);
  if (st == OK && !*kept)
    *kept = home;
  else
    free(home);
  return st;
}

/* Entry i of row e of this rank's, as it declared them. */
static idx_g
entry_of(const struct fe_map *m, size_t e, size_t i) {
  size_t dim = (size_t)m->pub.dim;
  if (fe_ranked()) return m->declared[e * dim + i];
  if (!m->start) return m->pub.map[e * dim + i];
  int64_t at = m->start[e] + (int64_t)i;
  return at < m->start[e + 1] ? m->pub.map[at] : -1;
}

status
fe_rows_of_map(const struct fe_map *m, idx_g **out) {
  const struct fe_set *from = (struct fe_set *)m->pub.from;
  size_t dim = (size_t)m->pub.dim, n = (size_t)from->part->declared * dim;
  const void *ordered;
  void *kept;
  idx_g *own = mem_alloc(n + 1, sizeof *own);
  for (size_t i = 0; i < n; i++) own[i] = entry_of(m, i / dim, i % dim);
  status st = fe_rows_of_entries((struct fe_set *)m->pub.to, n, own, own);
  if (st == OK)
    st = fe_rows_ordered(m->pub.from, own, dim * sizeof *own, &ordered, &kept);
  if (st != OK || kept) free(own);
  *out = st != OK ? NULL : kept ? kept : own;
  return st;
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

/* Memory for rows, on all ranks. */
static status
rows_new(const char *what, const struct rt_rows *r, void **out) {
  *out = rt_mem_new(bytes_of(r));
  status st = *out ? OK
                   : err_set(ERR_MEMORY, "%s: no memory for %zu bytes", what,
                             bytes_of(r));
  return fe_agree(what, 0, st);
}

status
fe_rows_spread(const op_set_core *set, struct rt_rows *r, void **rows) {
  struct fe_set *s = (struct fe_set *)set;
  struct rt_rows to = declared_rows(set, (int)r->dim, r->type);
  void *own;
  if (!fe_rows_apart(s)) return OK;
  status st = rows_new("spreading rows", &to, &own);
  if (st == OK) st = fe_rows_know(s);
  if (st == OK)
    st = rt_blocks_spread(s->blocks, *rows, (size_t)r->dim * r->type.size, own);
  fe_rows_free(*rows, r);
  *rows = own;
  *r = to;
  return st;
}

/* Declared rows become those that this rank owns. */
static status
give_owners(const struct fe_set *s, struct rt_rows *r, void **rows) {
  if (!s->rt.part || fe_ranks.whole) return OK;
  struct rt_rows mine = *r;
  mine.lo = 0;
  mine.hi = s->part->owned;
  void *own;
  status st = rows_new("placing rows", &mine, &own);
  if (st == OK)
    st = rt_part_give(fe_ranks.comm, s->part, *rows,
                      (size_t)r->dim * r->type.size, own);
  fe_rows_free(*rows, r);
  *rows = own;
  *r = mine;
  return st;
}

status
fe_rows_place(const op_set_core *set, struct rt_rows *r, void **rows) {
  TRY(fe_rows_spread(set, r, rows));
  return give_owners((const struct fe_set *)set, r, rows);
}

static void
become(struct fe_dat *d, const struct rt_rows *r, const void *rows) {
  assert(rows || !bytes_of(r));
  if (bytes_of(r)) memcpy(d->rt.mirror, rows, bytes_of(r));
  fe_dat_host_wrote(d);
}

status
fe_rows_become(struct fe_dat *d, struct rt_rows *r, void **rows) {
  TRY(fe_rows_place(d->pub.set, r, rows));
  become(d, r, *rows);
  return OK;
}

/* ---- as doubles ---------------------------------------------------------- */

static bool
is_double(const struct fe_dat *d) {
  return d->type.kind == TYPE_F64;
}

static size_t
declared_count(const struct fe_dat *d) {
  struct rt_rows r = declared_rows(d->pub.set, d->pub.dim, d->type);
  return (size_t)r.n * r.dim;
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
  struct rt_rows r = declared_rows(d->pub.set, d->pub.dim, d->type);
  void *rows;
  status st = rows_new(api, &r, &rows);
  if (st == OK) {
    reals_copy(d, from, rows);
    st = give_owners((const struct fe_set *)d->pub.set, &r, &rows);
  }
  if (st == OK) become(d, &r, rows);
  fe_rows_free(rows, &r);
  return st;
}

/* ---- all of them --------------------------------------------------------- */

/* Rows [low, high) of all, to every rank, or to the first alone. */
static status
send_range(const struct fe_dat *d, idx_g low, idx_g high, bool root_only,
           char **out) {
  struct rt_rows r = fe_rows_of(d);
  size_t size = (size_t)d->pub.size, all;
  idx_g first = low > r.lo ? low : r.lo, last = high < r.hi ? high : r.hi;
  size_t n = last > first ? (size_t)(last - first) : 0;
  const void *values;
  SCOPED void *kept = NULL;
  TRY(fe_rows_values(d, &values, &kept));
  if (n) values = (const char *)values + (size_t)(first - r.lo) * size;
  return rt_tell(fe_ranks.comm, root_only ? 1 : fe_ranks.size, values, n, size,
                 out, &all);
}

status
fe_rows_gather(const struct fe_dat *d, char **out) {
  struct rt_rows r = fe_rows_of(d);
  *out = NULL;
  if (fe_in_parts()) {
    TRY(send_range(d, 0, r.n, true, out));
    if (fe_ranks.rank) { /* an empty one came */
      free(*out);
      *out = NULL;
    }
  } else if (!fe_ranks.rank) {
    size_t bytes = (size_t)r.n * (size_t)d->pub.size;
    *out = mem_alloc(bytes + 1, 1);
    memcpy(*out, d->rt.mirror, bytes);
  }
  return OK;
}

status
fe_rows_range(const struct fe_dat *d, idx_g low, idx_g high, void *out) {
  size_t size = (size_t)d->pub.size, n = (size_t)(high - low + 1);
  SCOPED char *all = NULL;
  const struct fe_set *s = (const struct fe_set *)d->pub.set;
  if (!fe_in_parts()) {
    memcpy(out, d->rt.mirror + (size_t)low * size, n * size);
    return OK;
  }
  TRY(fe_rows_know((struct fe_set *)s));
  if (s->blocks) {
    const void *declared;
    SCOPED void *home = NULL;
    TRY(fe_rows_declared(d, &declared, &home));
    return rt_blocks_range(s->blocks, low, high + 1, declared, size, out);
  }
  TRY(send_range(d, low, high + 1, false, &all));
  memcpy(out, all, n * size);
  return OK;
}
