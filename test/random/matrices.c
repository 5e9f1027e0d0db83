#include "matrices.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sparsities --------------------------------------------------------------- */

const struct psparsity *
sparsity_of(const struct program *p, int set) {
  for (int k = 0; k < p->nsparsities; k++)
    if (p->sparsities[k].set == set) return &p->sparsities[k];
  return NULL;
}

bool
dat_is_matrix(const struct program *p, int dat) {
  return p->made[p->dats[dat].set].nonzeros;
}

int
sparsity_rows(const struct program *p, const struct psparsity *s) {
  return p->maps[p->maps[s->pairs[0]].first].to;
}

int
sparsity_columns(const struct program *p, const struct psparsity *s) {
  return p->maps[p->maps[s->pairs[0]].then].to;
}

/* Row and column as one number that orders nonzeros. */
static int64_t
key_of(const struct program *p, const struct psparsity *s, int row,
       int column) {
  return (int64_t)row * p->sets[sparsity_columns(p, s)] + column;
}

static int
compare_keys(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int
nonzero_find(const struct psparsity *s, int64_t key) {
  const int64_t *at =
      bsearch(&key, s->keys, (size_t)s->nkeys, sizeof key, compare_keys);
  assert(at);
  return (int)(at - s->keys);
}

static void
add_pair(const struct program *p, struct psparsity *s, const struct pmap *m) {
  const struct pmap *rows = &p->maps[m->first], *columns = &p->maps[m->then];
  for (int e = 0; e < p->sets[m->from]; e++)
    for (int i = 0; i < rows->arity; i++)
      for (int j = 0; j < columns->arity; j++)
        ADD(s->keys, s->nkeys,
            key_of(p, s, map_entry(p, m->first, e, i),
                   map_entry(p, m->then, e, j)));
}

static void
sort_keys(struct psparsity *s) {
  int n = 0;
  if (s->nkeys) qsort(s->keys, (size_t)s->nkeys, sizeof *s->keys, compare_keys);
  for (int k = 0; k < s->nkeys; k++)
    if (!k || s->keys[k] != s->keys[k - 1]) s->keys[n++] = s->keys[k];
  s->nkeys = n;
}

/* Do the maps of pair k lead from one set to the rows and columns of all? */
static bool
pair_fits(const struct program *p, const struct psparsity *s, int k) {
  const struct pmap *m = &p->maps[s->pairs[k]];
  const struct pmap *rows = &p->maps[m->first], *columns = &p->maps[m->then];
  return m->kind == MAP_LOCAL && m->to == s->set &&
         rows->from == columns->from && rows->kind < MAP_KINDS &&
         columns->kind < MAP_KINDS && !rows->csr && !columns->csr &&
         rows->to == sparsity_rows(p, s) &&
         columns->to == sparsity_columns(p, s) && !set_is_made(p, rows->to) &&
         !set_is_made(p, columns->to);
}

static bool
sparsity_settle(struct program *p, struct psparsity *s) {
  free(s->keys);
  s->keys = NULL;
  s->nkeys = 0;
  for (int k = 0; k < s->npairs; k++)
    if (!pair_fits(p, s, k)) return false;
  for (int k = 0; k < s->npairs; k++) add_pair(p, s, &p->maps[s->pairs[k]]);
  int rows = sparsity_rows(p, s);
  bool square = rows == sparsity_columns(p, s);
  for (int e = 0; square && e < p->sets[rows]; e++)
    ADD(s->keys, s->nkeys, key_of(p, s, e, e));
  sort_keys(s);
  p->sets[s->set] = s->nkeys * s->rdim;
  return true;
}

/* Nothing else leads to nonzeros, or begins there, or has its values. */
static bool
nonzeros_alone(const struct program *p) {
  for (int k = 0; k < p->nmaps; k++) {
    const struct pmap *m = &p->maps[k];
    if (p->made[m->from].nonzeros ||
        p->made[m->to].nonzeros != (m->kind == MAP_LOCAL))
      return false;
  }
  for (int k = 0; k < p->ndats; k++) {
    const struct pdat *d = &p->dats[k];
    bool other = d->temp || d->soa || d->fill || d->over >= 0;
    if (p->made[d->set].nonzeros && other) return false;
    if (d->over >= 0 && dat_is_matrix(p, d->over)) return false;
  }
  return true;
}

bool
matrices_settle(struct program *p) {
  for (int k = 0; k < p->nsparsities; k++)
    if (!sparsity_settle(p, &p->sparsities[k])) return false;
  return nonzeros_alone(p);
}

bool
local_map_settle(const struct program *p, struct pmap *m) {
  const struct psparsity *s = sparsity_of(p, m->to);
  if (!s) return false;
  m->from = p->maps[m->first].from;
  m->arity = p->maps[m->first].arity * s->rdim * p->maps[m->then].arity;
  return true;
}

int
local_map_entry(const struct program *p, const struct pmap *m, int e, int j) {
  const struct psparsity *s = sparsity_of(p, m->to);
  int columns = p->maps[m->then].arity;
  int row = map_entry(p, m->first, e, j / (s->rdim * columns));
  int column = map_entry(p, m->then, e, j % columns);
  int nonzero = nonzero_find(s, key_of(p, s, row, column));
  return nonzero * s->rdim + j / columns % s->rdim;
}

/* ---- operations --------------------------------------------------------------- */

static bool
refuse(struct world *w, const char *why) {
  w->why = why;
  return false;
}

/* A matrix as loops over its values see it. */
struct matrix {
  const struct program *p;
  const struct psparsity *s;
  struct store *values;
  char type;
  int rdim, cdim, columns; /* columns: elements of their set */
};

static struct matrix
matrix_of(struct world *w, int dat) {
  const struct program *p = w->p;
  const struct psparsity *s = sparsity_of(p, p->dats[dat].set);
  return (struct matrix){.p = p,
                         .s = s,
                         .values = &w->dats[dat],
                         .type = p->dats[dat].type,
                         .rdim = s->rdim,
                         .cdim = p->dats[dat].dim,
                         .columns = p->sets[sparsity_columns(p, s)]};
}

static bool
is_square(const struct matrix *m) {
  return sparsity_rows(m->p, m->s) == sparsity_columns(m->p, m->s) &&
         m->rdim == m->cdim;
}

/* Value (r, c) of a block. */
static union cell *
matrix_cell(const struct matrix *m, int nonzero, int r, int c) {
  return m->values->v + (nonzero * m->rdim + r) * m->cdim + c;
}

/* Is element e of set `all` one of `part`, a number + 1? */
static bool *
members(const struct program *p, int part, int all) {
  bool *in = get_memory((size_t)p->sets[all], sizeof *in);
  for (int e = 0; part && e < p->sets[part - 1]; e++)
    in[set_element(p, part - 1, e)] = true;
  return in;
}

static bool
part_fits(const struct program *p, int part, int all) {
  return !part || set_whole(p, part - 1) == all;
}

/* sum += a * x, of whole numbers as their type has them; *most: how large any part
 * of the sum can be. */
static void
add_product(char type, union cell a, union cell x, union cell *sum,
            double *most) {
  uint64_t product = (uint64_t)a.i * (uint64_t)x.i;
  *most += fabs((double)a.i * (double)x.i);
  sum->i = type_wrap(type, (int64_t)((uint64_t)sum->i + product));
}

static bool
vectors_fit(const struct world *w, const struct matrix *m, const struct op *o) {
  const struct pdat *x = &m->p->dats[o->x], *y = &m->p->dats[o->y];
  int rows = sparsity_rows(m->p, m->s), columns = sparsity_columns(m->p, m->s);
  bool turned = o->kind == DO_MULT_TURNED;
  return x->type == m->type && y->type == m->type &&
         x->set == (turned ? rows : columns) &&
         y->set == (turned ? columns : rows) &&
         x->dim == (turned ? m->rdim : m->cdim) &&
         y->dim == (turned ? m->cdim : m->rdim) &&
         dat_root(m->p, o->x) != dat_root(m->p, o->y) &&
         w->dats[dat_root(m->p, o->x)].alive &&
         w->dats[dat_root(m->p, o->y)].alive;
}

/* y = A x, or with A transposed, into `sums`; how large each may grow on its way. */
static void
multiply(const struct matrix *m, bool turned, const union cell *x,
         union cell *sums, double *most) {
  for (int k = 0; k < m->s->nkeys; k++)
    for (int r = 0; r < m->rdim; r++)
      for (int c = 0; c < m->cdim; c++) {
        int row = (int)(m->s->keys[k] / m->columns) * m->rdim + r;
        int column = (int)(m->s->keys[k] % m->columns) * m->cdim + c;
        int to = turned ? column : row;
        add_product(m->type, *matrix_cell(m, k, r, c), x[turned ? row : column],
                    &sums[to], &most[to]);
      }
}

static bool
mult_run(struct world *w, const struct matrix *m, const struct op *o) {
  if (!vectors_fit(w, m, o)) return refuse(w, "vectors do not fit");
  const struct store *x = &w->dats[dat_root(w->p, o->x)];
  struct store *y = &w->dats[dat_root(w->p, o->y)];
  int n = w->p->sets[w->p->dats[o->y].set] * w->p->dats[o->y].dim;
  union cell *sums = get_memory((size_t)n, sizeof *sums);
  double *most = get_memory((size_t)n, sizeof *most);
  int64_t limit = type_limit(m->type);
  bool ok = true;
  multiply(m, o->kind == DO_MULT_TURNED, x->v, sums, most);
  for (int i = 0; i < n; i++) ok &= !limit || most[i] <= (double)limit;
  if (ok) memcpy(y->v, sums, (size_t)n * sizeof *sums);
  free(sums);
  free(most);
  return ok || refuse(w, "a value leaves its type's limit");
}

/* Rows become zero, or their diagonal alone gets the value. */
static bool
rows_run(struct world *w, const struct matrix *m, const struct op *o) {
  int rows = sparsity_rows(m->p, m->s);
  bool zero = o->kind == DO_ZERO_ROWS;
  if (!part_fits(m->p, o->y, rows)) return refuse(w, "rows of another set");
  if (!is_square(m) && (!zero || o->x)) return refuse(w, "no diagonal");
  bool *in = members(m->p, o->y ? o->y : rows + 1, rows);
  for (int k = 0; k < m->s->nkeys; k++)
    for (int r = 0; r < m->rdim; r++)
      for (int c = 0; c < m->cdim; c++) {
        int row = (int)(m->s->keys[k] / m->columns);
        bool on =
            is_square(m) && r == c && row == (int)(m->s->keys[k] % m->columns);
        union cell *at = matrix_cell(m, k, r, c);
        if (in[row] && zero) at->i = 0;
        if (in[row] && on && (o->x || !zero)) at->i = type_wrap(m->type, o->x);
      }
  free(in);
  return true;
}

static bool
mask_run(struct world *w, const struct matrix *m, const struct op *o) {
  int rows = sparsity_rows(m->p, m->s), columns = sparsity_columns(m->p, m->s);
  if (!part_fits(m->p, o->x, rows) || !part_fits(m->p, o->y, columns))
    return refuse(w, "a mask of another set");
  bool **mask = &w->masks[o->what];
  bool *in_rows = members(m->p, o->x, rows);
  bool *in_columns = members(m->p, o->y, columns);
  free(*mask);
  *mask = get_memory((size_t)m->s->nkeys, sizeof **mask);
  for (int k = 0; k < m->s->nkeys; k++)
    (*mask)[k] = in_rows[m->s->keys[k] / m->columns] ||
                 in_columns[m->s->keys[k] % m->columns];
  free(in_rows);
  free(in_columns);
  return true;
}

bool
matrix_drops(const struct world *w, int dat, int element) {
  const bool *mask = w->masks[dat];
  if (!mask) return false;
  return mask[element / sparsity_of(w->p, w->p->dats[dat].set)->rdim];
}

bool
matrix_run(struct world *w, const struct op *o, struct seen *seen) {
  (void)seen;
  if (!dat_is_matrix(w->p, o->what)) return refuse(w, "no matrix");
  struct matrix m = matrix_of(w, o->what);
  switch (o->kind) {
  case DO_MASK: return mask_run(w, &m, o);
  case DO_ZERO_ROWS:
  case DO_SET_DIAGONAL: return rows_run(w, &m, o);
  case DO_ZERO:
    for (int i = 0; i < m.values->n; i++) m.values->v[i].i = 0;
    return true;
  default: return mult_run(w, &m, o);
  }
}

/* ---- drawing ------------------------------------------------------------------ */

/* Between sets that are not made of others, one target of few elements. */
static int
draw_map(struct program *p, struct rnd *r, int from, int to, int arity) {
  ADD(p->maps, p->nmaps,
      ((struct pmap){.from = from,
                     .to = to,
                     .arity = arity,
                     .kind = (enum map_kind)rnd_below(r, MAP_KINDS),
                     .a = rnd_below(r, 50)}));
  return p->nmaps - 1;
}

/* A set that is not made of others, with elements; -1: none was met. */
static int
draw_plain_set(const struct program *p, struct rnd *r) {
  for (int tries = 0; tries < 8; tries++) {
    int s = rnd_below(r, p->nsets);
    if (!set_is_made(p, s) && p->sets[s]) return s;
  }
  return -1;
}

/* One more pair of maps whose local matrices have as many entries as kernels take. */
static void
draw_pair(struct program *p, struct rnd *r, struct psparsity *s, int rows,
          int columns) {
  static const int arities[][2] = {{2, 2}, {2, 1}, {1, 2}, {1, 4}, {4, 1}};
  int k = rnd_below(r, s->rdim == 1 ? 5 : 3), from = draw_plain_set(p, r);
  if (s->rdim > 1 && k == 0) k = 1;
  if (from < 0) from = rows;
  int i = draw_map(p, r, from, rows, arities[k][0]), j = i;
  if (rows != columns || arities[k][0] != arities[k][1] || rnd_chance(r, 50))
    j = draw_map(p, r, from, columns, arities[k][1]);
  s->pairs[s->npairs++] = p->nmaps;
  ADD(p->maps, p->nmaps,
      ((struct pmap){.from = from,
                     .to = s->set,
                     .kind = MAP_LOCAL,
                     .first = i,
                     .then = j}));
}

static void
add_dat(struct program *p, struct rnd *r, int set, char type, int dim,
        bool matrix) {
  ADD(p->dats, p->ndats,
      ((struct pdat){.set = set,
                     .type = type,
                     .dim = dim,
                     .fill = matrix ? 0 : 1 + rnd_below(r, 900),
                     .over = -1}));
}

void
matrices_draw(struct program *p, struct rnd *r, char type, int dim) {
  int rows = draw_plain_set(p, r), columns = draw_plain_set(p, r);
  if (rows < 0 || columns < 0) return;
  if (rnd_chance(r, 50)) columns = rows;
  struct psparsity s = {.set = p->nsets, .rdim = rnd_chance(r, 60) ? dim : 1};
  if (s.rdim > 2) s.rdim = 1;
  ADD(p->sets, p->nsets, 0);
  ADD(p->made, p->nmade,
      ((struct pmade){.of = -1, .over = -1, .nonzeros = true}));
  int pairs = 1 + rnd_chance(r, 40);
  for (int k = 0; k < pairs; k++) draw_pair(p, r, &s, rows, columns);
  ADD(p->sparsities, p->nsparsities, s);
  program_settle(p);
  for (int k = 0; k <= (int)rnd_chance(r, 30); k++)
    add_dat(p, r, s.set, type, dim, true);
  add_dat(p, r, columns, type, dim, false);
  add_dat(p, r, rows, type, s.rdim, false);
  for (int k = 0; k < pairs; k++)
    add_dat(p, r, p->maps[s.pairs[k]].from, type, dim, false);
}

/* A dat for one side of a product. */
static bool
draw_vector(const struct program *p, struct rnd *r, int set, char type, int dim,
            int *out) {
  for (int tries = 0; tries < 40; tries++) {
    const struct pdat *d = &p->dats[ *out = rnd_below(r, p->ndats)];
    if (d->set == set && d->type == type && d->dim == dim) return true;
  }
  return false;
}

static bool
draw_vectors(const struct program *p, struct rnd *r, struct op *o) {
  const struct pdat *d = &p->dats[o->what];
  const struct psparsity *s = sparsity_of(p, d->set);
  int rows = sparsity_rows(p, s), columns = sparsity_columns(p, s);
  bool turned = o->kind == DO_MULT_TURNED;
  int *x = turned ? &o->y : &o->x, *y = turned ? &o->x : &o->y;
  return draw_vector(p, r, columns, d->type, d->dim, x) &&
         draw_vector(p, r, rows, d->type, s->rdim, y);
}

/* A set of rows or columns as operations have it. */
static int
draw_rows_of(const struct program *p, struct rnd *r, int all) {
  for (int tries = 0; tries < 6; tries++) {
    int s = rnd_below(r, p->nsets + 1);
    if (!s || set_whole(p, s - 1) == all) return s;
  }
  return 0;
}

bool
matrix_draw_op(const struct program *p, struct rnd *r, struct op *o) {
  static const enum op_kind kinds[] = {
      DO_MULT,      DO_MULT,      DO_MULT_TURNED,  DO_MULT_TURNED,
      DO_ZERO_ROWS, DO_ZERO_ROWS, DO_SET_DIAGONAL, DO_MASK,
      DO_MASK,      DO_ZERO};
  o->what = rnd_below(r, p->ndats);
  for (int tries = 0; tries < 20 && !dat_is_matrix(p, o->what); tries++)
    o->what = rnd_below(r, p->ndats);
  if (!dat_is_matrix(p, o->what)) return false;
  const struct psparsity *s = sparsity_of(p, p->dats[o->what].set);
  int rows = sparsity_rows(p, s), columns = sparsity_columns(p, s);
  o->kind = kinds[rnd_below(r, sizeof kinds / sizeof *kinds)];
  if (o->kind == DO_MULT || o->kind == DO_MULT_TURNED)
    return draw_vectors(p, r, o);
  o->x = o->kind == DO_MASK ? draw_rows_of(p, r, rows) : rnd_below(r, 9);
  o->y = draw_rows_of(p, r, o->kind == DO_MASK ? columns : rows);
  return true;
}
