/* Matrices in HDF5 files: compressed rows, as other tools read them.
 *
 *   NAME/row_start   long long, [rows + 1]: where each row's nonzeros begin
 *   NAME/column      long long, [nonzeros], ascending in each row
 *   NAME/values      its type, [nonzeros, rdim * cdim]: blocks row by row
 *   attributes of NAME: rows, columns, rdim, cdim
 *
 * in the program's numbering, from 0. Each rank writes, compares and reads its
 * rows (rows.h); so a file does not tell how many there were. A sparsity comes
 * from maps, not from files: on reading, what the file has must be the matrix's
 * own. */
#include "frontend/context.h"
#include "frontend/matrix.h"
#include "frontend/ranks.h"
#include "frontend/rows.h"
#include "frontend/values.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* A call on one matrix. */
struct call {
  const char *api;
  const struct fe_mat *m;
  struct str start, column, values; /* names of the data sets */
  const char *group;
};

static status
say(const struct call *c, status st) {
  return st == OK ? OK : err_prefix(st, "%s: ", c->api);
}

static status
call_begin(struct call *c, op2_mat mat, const char *file, const char *name) {
  TRY(fe_mat_check(c->api, mat));
  c->m = (const struct fe_mat *)mat;
  c->group = name ? name : c->m->name;
  TRY(say(c, fe_file_texts(file, c->group)));
  str_printf(&c->start, "%s/row_start", c->group);
  str_printf(&c->column, "%s/column", c->group);
  str_printf(&c->values, "%s/values", c->group);
  return OK;
}

static void
call_end(struct call *c) {
  str_clear(&c->start);
  str_clear(&c->column);
  str_clear(&c->values);
}

/* ---- the sparsity as data sets ------------------------------------------- */

static const struct type wide = {TYPE_I64, sizeof(int64_t)};

static struct rt_rows
flat_rows(op_set set) {
  struct rt_rows r = fe_rows_own(set, 1, wide);
  r.flat = true;
  return r;
}

/* Where rows begin; the end of the last one is the last rank's. */
static struct rt_rows
starts_rows(const struct fe_sparsity *s) {
  struct rt_rows r = flat_rows(s->rows);
  r.n++;
  r.hi += fe_ranks.rank + 1 == fe_ranks.size;
  return r;
}

/* Those that this rank has numbers for begin at row 0, unless each rank has
 * all. */
static idx_g
first_of(const struct rt_rows *r) {
  return fe_in_parts() ? 0 : r->lo;
}

/* GIVE *out by free. Collective. */
static status
starts_make(const struct fe_sparsity *s, idx_g **out) {
  struct rt_rows r = flat_rows(s->rows), starts = starts_rows(s);
  size_t n = (size_t)(r.hi - r.lo);
  size_t declared = fe_in_parts() ? (size_t)s->rt.rows : n;
  const int64_t *at = s->rt.start + first_of(&r);
  const void *ordered;
  SCOPED void *kept = NULL;
  SCOPED idx_g *length = mem_alloc(declared + 1, sizeof *length);
  for (size_t e = 0; e < declared; e++) length[e] = at[e + 1] - at[e];
  TRY(fe_rows_ordered(s->rows, length, sizeof *length, &ordered, &kept));
  idx_g *to = mem_alloc((size_t)(starts.hi - starts.lo) + 1, sizeof *to);
  if (n) memcpy(to, ordered, n * sizeof *to);
  if (starts.hi - starts.lo > (idx_g)n) to[n] = flat_rows(s->nonzeros).n;
  *out = to;
  return fe_rows_sum_before(to, n);
}

/* *out: GIVE *kept, or NULL. Collective. */
static status
columns_make(const struct fe_sparsity *s, const idx_g **out, void **kept) {
  struct rt_rows r = flat_rows(s->nonzeros);
  const struct fe_set *nonzeros = (const struct fe_set *)s->nonzeros;
  const void *ordered;
  *kept = NULL;
  *out = s->rt.col + first_of(&r);
  if (!fe_rows_apart(nonzeros)) return OK;
  size_t n = (size_t)s->rt.start[s->rt.rows];
  SCOPED idx_g *row = mem_alloc(n + 1, sizeof *row);
  TRY(fe_rows_of_entries((struct fe_set *)s->columns, n, s->rt.col, row));
  TRY(fe_rows_ordered(s->nonzeros, row, sizeof *row, &ordered, kept));
  *out = ordered;
  return OK;
}

/* ---- writing ------------------------------------------------------------- */

static status
sizes_write(struct rt_file *f, const struct call *c) {
  const struct fe_mat *m = c->m;
  const struct fe_sparsity *s = m->sparsity;
  TRY(rt_io_put_int(f, c->group, "rows", flat_rows(s->rows).n));
  TRY(rt_io_put_int(f, c->group, "columns", flat_rows(s->columns).n));
  TRY(rt_io_put_int(f, c->group, "rdim", m->rdim));
  return rt_io_put_int(f, c->group, "cdim", m->cdim);
}

/* All of it fits, or nothing is written. */
static status
check_room(struct rt_file *f, const struct call *c,
           const struct rt_rows *starts, const struct rt_rows *nonzeros) {
  struct rt_rows blocks = fe_rows_of((const struct fe_dat *)c->m->values);
  TRY(fe_file_fits(f, c->start.s, starts));
  TRY(fe_file_fits(f, c->column.s, nonzeros));
  return fe_file_fits(f, c->values.s, &blocks);
}

static status
mat_write(struct rt_file *f, const struct call *c, const struct fe_dat *d) {
  const struct fe_sparsity *s = c->m->sparsity;
  struct rt_rows starts = starts_rows(s), nonzeros = flat_rows(s->nonzeros);
  SCOPED idx_g *start = NULL;
  const idx_g *column;
  SCOPED void *kept = NULL;
  TRY(starts_make(s, &start));
  TRY(columns_make(s, &column, &kept));
  TRY(check_room(f, c, &starts, &nonzeros));
  TRY(rt_io_write(f, c->start.s, &starts, start));
  TRY(rt_io_write(f, c->column.s, &nonzeros, column));
  TRY(fe_file_put(f, c->values.s, d));
  return sizes_write(f, c);
}

static status
file_write(const struct call *c, const char *file, const struct fe_dat *d) {
  struct rt_file *f;
  TRY(fe_file_open(c->api, file, RT_IO_UPDATE, &f));
  return fe_file_close(f, true, mat_write(f, c, d));
}

static status
mat_to(struct call *c, op2_mat mat, const char *file, const char *name) {
  struct fe_dat *d;
  TRY(call_begin(c, mat, file, name));
  TRY(fe_access_begin(c->api, c->m->values, false, &d));
  return say(c, file_write(c, file, d));
}

void
op2_mat_write_hdf5(op2_mat mat, const char *file, const char *name) {
  struct call c = {
      "op2_mat_write_hdf5", NULL, STR_INIT, STR_INIT, STR_INIT, NULL};
  if (!fe_enter(c.api)) return;
  fe_leave(mat_to(&c, mat, file, name));
  call_end(&c);
}

/* ---- reading ------------------------------------------------------------- */

/* Are the numbers of this data set those that the matrix has? Collective. */
static status
check_same(struct rt_file *f, const struct call *c, const char *name,
           const struct rt_rows *r, const int64_t *own) {
  void *rows;
  status st = OK;
  TRY(fe_file_check(f, name, r));
  TRY(fe_rows_read(f, name, r, &rows));
  const int64_t *found = rows;
  for (idx_g i = 0; st == OK && i < r->hi - r->lo; i++)
    if (found[i] != own[i])
      st = err_set(ERR_IO,
                   "\"%s\": \"%s\": expected the nonzeros of sparsity "
                   "\"%s\", with %lld at %lld, found %lld",
                   rt_io_path(f), name, c->m->sparsity->name, (long long)own[i],
                   (long long)(r->lo + i), (long long)found[i]);
  fe_rows_free(rows, r);
  return rt_io_agree(f, st);
}

static status
check_size(struct rt_file *f, const struct call *c, const char *what,
           long long wanted) {
  long long found;
  bool there;
  TRY(rt_io_get_int(f, c->group, what, &found, &there));
  if (!there)
    FAIL(ERR_IO, "\"%s\": matrix \"%s\": expected %s %lld, found none",
         rt_io_path(f), c->group, what, wanted);
  if (found == wanted) return OK;
  FAIL(ERR_IO, "\"%s\": matrix \"%s\": expected %s %lld, found %lld",
       rt_io_path(f), c->group, what, wanted, found);
}

static status
check_alike(struct rt_file *f, const struct call *c) {
  const struct fe_sparsity *s = c->m->sparsity;
  struct rt_rows starts = starts_rows(s), nonzeros = flat_rows(s->nonzeros);
  SCOPED idx_g *start = NULL;
  const idx_g *column;
  SCOPED void *kept = NULL;
  TRY(starts_make(s, &start));
  TRY(columns_make(s, &column, &kept));
  TRY(check_same(f, c, c->start.s, &starts, start));
  TRY(check_same(f, c, c->column.s, &nonzeros, column));
  TRY(check_size(f, c, "rdim", c->m->rdim));
  return check_size(f, c, "cdim", c->m->cdim);
}

static status
mat_read(struct rt_file *f, const struct call *c, struct rt_rows *r,
         void **rows) {
  TRY(check_alike(f, c));
  return fe_file_get(f, c->values.s, (const struct fe_dat *)c->m->values, r,
                     rows);
}

static status
file_read(const struct call *c, const char *file, struct rt_rows *r,
          void **rows) {
  struct rt_file *f;
  TRY(fe_file_open(c->api, file, RT_IO_READ, &f));
  return fe_file_close(f, false, mat_read(f, c, r, rows));
}

static status
mat_from(struct call *c, op2_mat mat, const char *file, const char *name) {
  struct rt_rows r;
  void *rows = NULL;
  TRY(call_begin(c, mat, file, name));
  status st = say(c, file_read(c, file, &r, &rows));
  if (st == OK)
    st = fe_file_taken(c->api, (struct fe_dat *)c->m->values, &r, &rows);
  if (rows) fe_rows_free(rows, &r);
  return st;
}

void
op2_mat_read_hdf5(op2_mat mat, const char *file, const char *name) {
  struct call c = {
      "op2_mat_read_hdf5", NULL, STR_INIT, STR_INIT, STR_INIT, NULL};
  if (!fe_enter(c.api)) return;
  fe_leave(mat_from(&c, mat, file, name));
  call_end(&c);
}
