/* Sparsities: which values a matrix has.
 *
 * Problem. A matrix is assembled from local ones, whose rows and columns
 * elements reach through maps. PETSc finds each value's place again and again,
 * by search, when it is added.
 *
 * Idea. A matrix is a dat on a set of nonzeros, and its sparsity sets and maps:
 *
 *   nonzeros             a set; a rank declares those of the rows that it does
 *   row -> nonzeros      csr, ascending columns   row -> columns   csr
 *   row -> diagonal      one entry, if rows are columns
 *   element -> nonzeros  for each pair of maps, of arity rows x columns
 *
 * so that assembling is an increment through a map, a product a loop over rows,
 * and colouring, halos, devices, sums in order are what they are for dats.
 *
 *   elements 0 1 3 | 2 3 1      nonzeros  0 1 3 | 0 1 2 3 | 1 2 3 | 0 1 2 3
 *   element 0 -> nonzeros 0 1 2, 3 4 6, 10 11 13
 *
 * Over ranks a pair (row, column) goes to the rank that declares the row, which
 * sorts its rows; then each rank asks for the numbers of its pairs.
 *
 * Cost. 16 bytes a pair while it is made, 4 for each entry of the maps. */
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/matrix.h"
#include "frontend/ranks.h"

#include "rt/ranks/dist.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char api[] = "op2_decl_sparsity";

/* ---- checks -------------------------------------------------------------- */

static status
check_map(const char *name, const char *what, int k, op_map map) {
  if (!fe_handle_is(map, FE_MAP))
    FAIL(ERR_ARG, "%s \"%s\": %s[%d]: expected a declared map, found %s", api,
         name, what, k, fe_handle_found(map));
  if (((struct fe_map *)map)->start)
    FAIL(ERR_ARG,
         "%s \"%s\": %s[%d]: expected a map whose rows have one length, found "
         "\"%s\"",
         api, name, what, k, map->name);
  return OK;
}

static status
check_to(const char *name, const char *what, int k, op_map map, op_map first) {
  if (map->to == first->to) return OK;
  FAIL(ERR_ARG,
       "%s \"%s\": %s[%d]: expected a map to set \"%s\" as the first, found "
       "\"%s\" to \"%s\"",
       api, name, what, k, first->to->name, map->name, map->to->name);
}

static status
check_pair(const char *name, int k, const op_map *rows, const op_map *columns) {
  TRY(check_map(name, "rows", k, rows[k]));
  TRY(check_map(name, "columns", k, columns[k]));
  TRY(check_to(name, "rows", k, rows[k], rows[0]));
  TRY(check_to(name, "columns", k, columns[k], columns[0]));
  if (rows[k]->from != columns[k]->from)
    FAIL(ERR_ARG,
         "%s \"%s\": columns[%d]: expected a map from set \"%s\" as \"%s\", "
         "found \"%s\" from \"%s\"",
         api, name, k, rows[k]->from->name, rows[k]->name, columns[k]->name,
         columns[k]->from->name);
  if ((long long)rows[k]->dim * columns[k]->dim > FE_ARITY_MAX)
    FAIL(ERR_ARG,
         "%s \"%s\": pair %d: expected local matrices of at most %d entries, "
         "found %d x %d",
         api, name, k, FE_ARITY_MAX, rows[k]->dim, columns[k]->dim);
  return OK;
}

/* Declared numbers are what counts, as for subsets. */
static status
check_unmoved(const char *name, op_set set) {
  const struct fe_set *s = (const struct fe_set *)set;
  if (!fe_in_parts() || !s->rt.part || !s->part->moved) return OK;
  FAIL(ERR_STATE,
       "%s \"%s\": expected sparsities before op_partition, which moves "
       "elements of set \"%s\"; found it done",
       api, name, set->name);
}

static status
check(int npairs, const op_map *rows, const op_map *columns, const char *name) {
  if (!name) FAIL(ERR_ARG, "%s: name: expected a text, found NULL", api);
  if (npairs < 1)
    FAIL(ERR_ARG, "%s \"%s\": npairs: expected 1 or more, found %d", api, name,
         npairs);
  if (!rows || !columns)
    FAIL(ERR_ARG, "%s \"%s\": %s: expected %d maps, found NULL", api, name,
         rows ? "columns" : "rows", npairs);
  if (fe.opt.bare)
    FAIL(ERR_STATE,
         "%s \"%s\": expected maps with their rows, found "
         "OP2_STATIC=1",
         api, name);
  for (int k = 0; k < npairs; k++) TRY(check_pair(name, k, rows, columns));
  TRY(check_unmoved(name, rows[0]->to));
  return check_unmoved(name, rows[0]->from);
}

/* ---- pairs --------------------------------------------------------------- */

/* Entry i of row e as this rank declared it: a number of the whole set. */
static idx_g
entry_of(const struct fe_map *m, idx_l e, int i) {
  size_t at = (size_t)e * (size_t)m->pub.dim + (size_t)i;
  return fe_in_parts() ? m->declared[at] : m->pub.map[at];
}

static size_t
pairs_count(const struct fe_coupling *c) {
  return (size_t)fe_map_rows(c->rows->from) * (size_t)c->rows->dim *
         (size_t)c->columns->dim;
}

/* Those of the coupling, in the order of its map; behind them. */
static struct rt_pair *
pairs_add(const struct fe_coupling *c, struct rt_pair *to) {
  const struct fe_map *r = (struct fe_map *)c->rows;
  const struct fe_map *k = (struct fe_map *)c->columns;
  for (idx_l e = 0; e < fe_map_rows(c->rows->from); e++)
    for (int i = 0; i < r->pub.dim; i++)
      for (int j = 0; j < k->pub.dim; j++)
        *to++ = (struct rt_pair){entry_of(r, e, i), entry_of(k, e, j)};
  return to;
}

struct pairs {
  struct rt_pair *at;
  size_t n;
};

static struct pairs
pairs_all(const struct fe_sparsity *s) {
  struct pairs p = {0};
  for (uint32_t k = 0; k < s->ncouplings; k++)
    p.n += pairs_count(&s->couplings[k]);
  struct rt_pair *to = p.at = mem_alloc(p.n + 1, sizeof *p.at);
  for (uint32_t k = 0; k < s->ncouplings; k++)
    to = pairs_add(&s->couplings[k], to);
  assert(to == p.at + p.n);
  return p;
}

/* Who declares each pair's row. */
static int *
homes_of(const struct fe_sparsity *s, const struct pairs *p) {
  const struct rt_part *part = ((struct fe_set *)s->rows)->part;
  int *to = mem_alloc(p->n + 1, sizeof *to);
  for (size_t i = 0; i < p->n; i++)
    to[i] = rt_part_home(part, fe_ranks.size, p->at[i].row);
  return to;
}

/* Pairs of the rows that this rank declares. Collective. */
static status
pairs_swap(const struct pairs *p, const int *to, struct pairs *out) {
  SCOPED size_t *counts = mem_alloc((size_t)fe_ranks.size, sizeof *counts);
  return rt_send_items(fe_ranks.comm, p->n, to, p->at, sizeof *p->at, &out->at,
                       counts, &out->n);
}

static status
rows_make(struct fe_sparsity *s, const struct pairs *p, const int *to) {
  bool square = s->rows == s->columns;
  const struct rt_part *part = ((struct fe_set *)s->rows)->part;
  idx_l n = fe_map_rows(s->rows);
  if (!fe_in_parts())
    return rt_sparsity_make(0, n, square, p->at, p->n, &s->rt);
  struct pairs mine = {0};
  status st = pairs_swap(p, to, &mine);
  if (st == OK)
    st = rt_sparsity_make(part->start[fe_ranks.rank], n, square, mine.at,
                          mine.n, &s->rt);
  free(mine.at);
  return st;
}

static status
check_nonzeros(const struct fe_sparsity *s) {
  if (s->rt.start[s->rt.rows] <= INT32_MAX) return OK;
  FAIL(ERR_ARG, "%s \"%s\": expected at most %d nonzeros on a rank, found %lld",
       api, s->name, INT32_MAX, (long long)s->rt.start[s->rt.rows]);
}

/* ---- maps ---------------------------------------------------------------- */

static status
map_add(struct fe_sparsity *s, struct fe_map_args *a, const char *what,
        op_map *out) {
  struct fe_map *m;
  size_t bytes = strlen(s->name) + strlen(what) + 2;
  SCOPED char *name = mem_alloc(bytes, 1);
  snprintf(name, bytes, "%s_%s", s->name, what);
  a->api = api;
  a->name = name;
  a->made = true;
  status st = fe_map_add(a, &m);
  if (st != OK) return st;
  fe_map_publish(m);
  *out = &m->pub;
  return OK;
}

/* A map with these rows of `dim` numbers each. */
static status
map_of(struct fe_sparsity *s, op_set from, op_set to, int dim, const idx_g *at,
       const char *what, op_map *out) {
  size_t n = (size_t)fe_map_rows(from) * (size_t)dim;
  struct fe_map_args a = {.from = from, .to = to, .dim = dim};
  SCOPED idx_l *table = NULL;
  if (fe_in_parts()) {
    a.rows = mem_alloc(n + 1, sizeof *a.rows); /* theirs now */
    memcpy(a.rows, at, n * sizeof *at);
  } else {
    table = mem_alloc(n + 1, sizeof *table);
    for (size_t i = 0; i < n; i++) table[i] = (idx_l)at[i];
    a.table32 = table;
  }
  return map_add(s, &a, what, out);
}

/* A map from rows, with a number for each nonzero. */
static status
map_csr(struct fe_sparsity *s, op_set to, const idx_g *at, const char *what,
        op_map *out) {
  const struct rt_sparsity *r = &s->rt;
  int32_t longest = 1, shortest = FE_ARITY_MAX;
  for (idx_l e = 0; e < r->rows; e++) {
    int64_t n = r->start[e + 1] - r->start[e];
    if (n > longest) longest = n < INT32_MAX ? (int32_t)n : INT32_MAX;
    if (n < shortest) shortest = (int32_t)n;
  }
  TRY(fe_join(&longest, 1, TYPE_I32, ACC_MAX));
  TRY(fe_join(&shortest, 1, TYPE_I32, ACC_MIN));
  if (longest > FE_ARITY_MAX)
    FAIL(ERR_ARG, "%s \"%s\": expected rows of at most %d nonzeros, found %d",
         api, s->name, FE_ARITY_MAX, longest);
  struct fe_map_args a = {.from = s->rows,
                          .to = to,
                          .dim = longest,
                          .own = true,
                          .start = r->start,
                          .shortest = shortest};
  SCOPED idx_l *table = NULL;
  size_t n = (size_t)r->start[r->rows], places = (size_t)longest;
  if (!fe_in_parts()) {
    table = mem_alloc(n + 1, sizeof *table);
    for (size_t i = 0; i < n; i++) table[i] = (idx_l)at[i];
    a.table32 = table;
    return map_add(s, &a, what, out);
  }
  a.rows = mem_alloc((size_t)r->rows * places + 1, sizeof *a.rows);
  for (idx_l e = 0; e < r->rows; e++)
    for (size_t i = 0; i < places; i++) {
      int64_t k = r->start[e] + (int64_t)i;
      a.rows[(size_t)e * places + i] = k < r->start[e + 1] ? at[k] : -1;
    }
  return map_add(s, &a, what, out);
}

/* ---- numbers of nonzeros ------------------------------------------------- */

/* Of the first nonzero that this rank declares. */
static idx_g
first_number(const struct fe_sparsity *s) {
  const struct fe_set *nz = (const struct fe_set *)s->nonzeros;
  return fe_in_parts() ? nz->part->start[fe_ranks.rank] : 0;
}

/* A question is a pair as one number. */
static idx_g
question_of(const struct fe_sparsity *s, struct rt_pair p) {
  return p.row * ((struct fe_set *)s->columns)->part->total + p.col;
}

static void
answer_number(void *user, idx_g question, void *out) {
  const struct fe_sparsity *s = user;
  idx_g columns = ((struct fe_set *)s->columns)->part->total;
  struct rt_pair p = {question / columns, question % columns};
  idx_g k = rt_sparsity_find(&s->rt, p);
  assert(k >= 0);
  k += first_number(s);
  memcpy(out, &k, sizeof k);
}

/* numbers[i]: of pair i. Collective. */
static status
numbers_find(struct fe_sparsity *s, const struct pairs *p, const int *to,
             idx_g *numbers) {
  if (!fe_in_parts()) {
    for (size_t i = 0; i < p->n; i++)
      numbers[i] = rt_sparsity_find(&s->rt, p->at[i]);
    return OK;
  }
  SCOPED idx_g *questions = mem_alloc(p->n + 1, sizeof *questions);
  for (size_t i = 0; i < p->n; i++) questions[i] = question_of(s, p->at[i]);
  return rt_ask(fe_ranks.comm, p->n, to, questions, answer_number, s,
                sizeof *numbers, numbers);
}

/* ---- putting it together ------------------------------------------------- */

static status
nonzeros_add(struct fe_sparsity *s) {
  struct fe_set *nz = fe_set_new((idx_l)s->rt.start[s->rt.rows], s->name);
  status st = fe_set_part(api, nz, OK);
  if (st != OK) {
    fe_set_free(nz);
    return st;
  }
  fe_set_publish(nz);
  s->nonzeros = &nz->pub;
  return OK;
}

static status
rows_add(struct fe_sparsity *s) {
  const struct rt_sparsity *r = &s->rt;
  size_t n = (size_t)r->start[r->rows];
  SCOPED idx_g *at = mem_alloc(n + (size_t)r->rows + 1, sizeof *at);
  for (size_t k = 0; k < n; k++) at[k] = first_number(s) + (idx_g)k;
  TRY(map_csr(s, s->nonzeros, at, "entries", &s->entries));
  TRY(map_csr(s, s->columns, r->col, "columns", &s->targets));
  if (s->rows != s->columns) return OK;
  for (idx_l e = 0; e < r->rows; e++) {
    struct rt_pair p = {r->first + e, r->first + e};
    at[e] = first_number(s) + rt_sparsity_find(r, p);
  }
  return map_of(s, s->rows, s->nonzeros, 1, at, "diagonal", &s->diagonal);
}

static status
couplings_add(struct fe_sparsity *s, const idx_g *numbers) {
  for (uint32_t k = 0; k < s->ncouplings; k++) {
    struct fe_coupling *c = &s->couplings[k];
    TRY(map_of(s, c->rows->from, s->nonzeros, c->rows->dim * c->columns->dim,
               numbers, c->rows->name, &c->at));
    numbers += pairs_count(c);
  }
  return OK;
}

static status
build(struct fe_sparsity *s, const struct pairs *p, const int *to) {
  status st = rows_make(s, p, to);
  if (st == OK) st = check_nonzeros(s);
  TRY(fe_agree(api, fe_all.nsets, st));
  TRY(fe_points_keep((struct fe_set *)s->rows));
  TRY(fe_points_keep((struct fe_set *)s->columns));
  TRY(nonzeros_add(s));
  TRY(rows_add(s));
  SCOPED idx_g *numbers = mem_alloc(p->n + 1, sizeof *numbers);
  TRY(numbers_find(s, p, to, numbers));
  return couplings_add(s, numbers);
}

static struct fe_sparsity *
sparsity_new(int npairs, const op_map *rows, const op_map *columns,
             const char *name) {
  struct fe_sparsity *s = mem_alloc(1, sizeof *s);
  s->name = fe_text_copy(name);
  s->rows = rows[0]->to;
  s->columns = columns[0]->to;
  s->ncouplings = (uint32_t)npairs;
  s->couplings = mem_alloc(s->ncouplings, sizeof *s->couplings);
  for (int k = 0; k < npairs; k++)
    s->couplings[k] = (struct fe_coupling){rows[k], columns[k], NULL};
  return s;
}

static struct fe_sparsity *sparsities;

static void
sparsity_drop(struct fe_sparsity *s) {
  rt_sparsity_clear(&s->rt);
  free(s->couplings);
  free(s->name);
  free(s);
}

static status
decl_sparsity(int npairs, const op_map *rows, const op_map *columns,
              const char *name, struct fe_sparsity **out) {
  TRY(fe_agree(api, fe_all.nsets, check(npairs, rows, columns, name)));
  struct fe_sparsity *s = sparsity_new(npairs, rows, columns, name);
  struct pairs p = pairs_all(s);
  SCOPED int *to = fe_in_parts() ? homes_of(s, &p) : NULL;
  status st = build(s, &p, to);
  free(p.at);
  if (st != OK) {
    sparsity_drop(s);
    return st;
  }
  ((struct fe_set *)s->nonzeros)->sparsity = s;
  s->next = sparsities;
  sparsities = s;
  fe_handle_add(s, FE_SPARSITY);
  *out = s;
  return OK;
}

op2_sparsity
op2_decl_sparsity(int npairs, const op_map *rows, const op_map *columns,
                  const char *name) {
  struct fe_sparsity *s = NULL;
  if (fe_enter(api)) fe_leave(decl_sparsity(npairs, rows, columns, name, &s));
  return (op2_sparsity)s;
}

/* ---- its end ------------------------------------------------------------- */

static status
end_maps(struct fe_sparsity *s) {
  for (uint32_t k = 0; k < s->ncouplings; k++)
    TRY(fe_end_handle(s->couplings[k].at));
  TRY(fe_end_handle(s->entries));
  TRY(fe_end_handle(s->targets));
  if (s->diagonal) TRY(fe_end_handle(s->diagonal));
  ((struct fe_set *)s->nonzeros)->sparsity = NULL;
  return fe_end_handle(s->nonzeros);
}

status
fe_sparsity_free(struct fe_sparsity *s) {
  if (s->nmats)
    FAIL(ERR_ARG,
         "op2_free: sparsity \"%s\": expected no matrix of it, found %u",
         s->name, s->nmats);
  TRY(end_maps(s));
  struct fe_sparsity **at = &sparsities;
  while (*at != s) at = &(*at)->next;
  *at = s->next;
  fe_handle_free(s);
  sparsity_drop(s);
  return OK;
}

void
fe_sparsities_clear(void) {
  while (sparsities) {
    struct fe_sparsity *s = sparsities;
    sparsities = s->next;
    sparsity_drop(s);
  }
}
