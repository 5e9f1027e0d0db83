/* Maps: their tables checked, composed, permuted.
 *
 * A map that is made of others has rows of its own, written down at once in the
 * numbers of the program: nothing of the maps that it was made from is needed
 * from then on. Over ranks they are made of declared rows, whoever owns their
 * elements now; what other ranks declared is asked for. */
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include "base/str.h"
#include "rt/ranks/dist.h"

#include <assert.h>
#include <stdlib.h>

/* ---- tables of the program ----------------------------------------------- */

/* Range of every entry, and what the table proves about itself. */
static status
scan_table(struct fe_map *m, int base) {
  struct rt_facts f;
  TRY(rt_relation_scan(&m->rt, &f));
  m->onto = f.onto, m->injective = f.injective, m->repeats = f.repeats;
  if (f.bad < 0) return OK;
  idx_l t = rt_row(&m->rt, f.bad).at[f.bad_entry], to = m->rt.to->n;
  FAIL(ERR_ARG,
       "op_decl_map \"%s\": entry %u of element %d: expected %d to %d (set "
       "\"%s\"), found %d%s",
       m->pub.name, f.bad_entry, f.bad, base, to - 1 + base, m->pub.to->name,
       t + base, t == to && !base ? FE_FROM_ONE : "");
}

enum { TABLE_THREADED = 1 << 18 };

/* The table as 32-bit entries from 0; each thread touches first what it will
 * use. */
static status
make_table(struct fe_map *m, const struct fe_map_args *a) {
  size_t n = m->bytes / sizeof(idx_l);
  idx_l *t = rt_mem_new(m->bytes);
  if (!t)
    FAIL(ERR_MEMORY, "op_decl_map \"%s\": no memory for its %zu bytes",
         m->pub.name, m->bytes);
#pragma omp parallel for schedule(static) if (n > TABLE_THREADED)
  for (size_t i = 0; i < n; i++) {
    long long v = (a->table32   ? a->table32[i]
                   : a->table64 ? a->table64[i]
                                : a->rows[i]) -
                  a->base;
    t[i] = v < INT32_MIN || v > INT32_MAX ? -1 : (idx_l)v;
  }
  m->pub.map = t;
  return OK;
}

/* The table as `m` goes by it from now on, checked. */
static status
table_take(struct fe_map *m, const struct fe_map_args *a) {
  if (!m->foreign) TRY(make_table(m, a));
  m->rt.table = m->pub.map;
  if (a->rows) return OK;
  if (fe_ranked()) return fe_ranks_map(m, a->table32, a->table64, a->base);
  m->injective = a->included;
  m->onto = a->included && m->rt.from->n == m->rt.to->n;
  if (!a->included) TRY(scan_table(m, a->base));
  return fe_number_map(m);
}

/* OP2_STATIC: what a table would prove is not so; one that is given is looked
 * at and not kept. */
static status
table_glance(struct fe_map *m, const struct fe_map_args *a) {
  status st = OK;
  m->repeats = m->rt.arity > 1;
  if (a->table32 || a->table64) st = table_take(m, a);
  if (!m->foreign) {
    rt_mem_free(m->pub.map, m->pub.map ? m->bytes : 0);
    m->pub.map = NULL;
    m->rt.table = NULL;
  }
  return st;
}

/* Memory of one that ended, or new; zeros. */
static struct fe_map *
map_room(void) {
  if (!fe_all.nended) return mem_alloc(1, sizeof(struct fe_map));
  struct fe_map *m = fe_all.ended[--fe_all.nended];
  free(m->through);
  free((char *)m->pub.name);
  *m = (struct fe_map){0};
  return m;
}

static struct fe_map *
map_new(const struct fe_map_args *a) {
  struct fe_map *m = map_room();
  m->foreign = a->keeps;
  m->made = a->made;
  m->hidden = a->hidden;
  m->rt = (struct rt_relation){.from = &((struct fe_set *)a->from)->rt,
                               .to = &((struct fe_set *)a->to)->rt,
                               .arity = (uint32_t)a->dim};
  if (!a->made)
    m->declared_from = a->table32 ? (void *)a->table32 : (void *)a->table64;
  m->declared = a->rows;
  m->pub.index = -1;
  m->pub.from = a->from;
  m->pub.to = a->to;
  m->pub.dim = a->dim;
  m->pub.name = m->rt.name = fe_text_copy(a->name);
  m->pub.map = m->foreign ? (int *)a->table32 : NULL;
  m->bytes = (size_t)fe_map_rows(a->from) * (size_t)a->dim * sizeof(idx_l);
  return m;
}

status
fe_map_add(const struct fe_map_args *a, struct fe_map **out) {
  struct fe_map *m = map_new(a);
  status st = fe.opt.bare ? table_glance(m, a) : table_take(m, a);
  if (st != OK) {
    fe_map_free(m);
    return st;
  }
  fe_map_list(m);
  fe.unsettled = true;
  *out = m;
  return OK;
}

/* ---- rows ---------------------------------------------------------------- */

/* The map as the program sees it, between sets in its numbers. */
static struct rt_relation
as_declared(const struct fe_map *m, const struct rt_set *from,
            const struct rt_set *to) {
  return (struct rt_relation){.from = from,
                              .to = to,
                              .arity = m->rt.arity,
                              .table = m->pub.map,
                              .name = m->pub.name};
}

static struct rt_dist_map
as_rows(const struct fe_map *m) {
  return (struct rt_dist_map){.arity = m->rt.arity, .rows = m->declared};
}

/* Rows that a map is made of, as the two kinds of ranks have them. */
struct made {
  struct rt_relation local; /* all of the program's: one rank, or whole */
  idx_g *global;            /* of the declared part; TAKE */
};

static bool
in_parts(void) {
  return fe_ranked() && !fe_ranks.whole;
}

static status
rows_composed(const struct fe_map *a, const struct fe_map *b,
              struct made *out) {
  const struct fe_set *through = (struct fe_set *)b->pub.from;
  if (in_parts()) {
    struct rt_dist_map x = as_rows(a), y = as_rows(b);
    idx_l n = fe_map_rows(a->pub.from);
    bool here = ((struct fe_set *)a->pub.from)->into == a;
    out->global = mem_alloc((size_t)n * x.arity * y.arity + 1, sizeof(idx_g));
    return rt_dist_composed(fe_ranks.comm, through->part, &x, n, &y, here,
                            out->global);
  }
  struct rt_set sets[] = {
      {.n = a->pub.from->size}, {.n = b->pub.from->size}, {0}};
  struct rt_relation x = as_declared(a, &sets[0], &sets[1]);
  struct rt_relation y = as_declared(b, &sets[1], &sets[2]);
  return rt_relation_composed(&x, &y, &out->local);
}

static status
rows_permuted(const struct fe_map *m, const int *perm, struct made *out) {
  struct rt_set sets[] = {{.n = m->pub.from->size}, {0}};
  if (in_parts()) {
    struct rt_dist_map x = as_rows(m);
    idx_l n = fe_map_rows(m->pub.from);
    out->global = mem_alloc((size_t)n * x.arity + 1, sizeof(idx_g));
    rt_dist_permuted(&x, n, perm, out->global);
    return OK;
  }
  struct rt_relation x = as_declared(m, &sets[0], &sets[1]);
  return rt_relation_permuted(&x, perm, &out->local);
}

/* The rows become a map's; `st`: how they were made. */
static status
map_of_rows(struct made *rows, status st, struct fe_map_args *a,
            struct fe_map **out) {
  a->made = true;
  a->table32 = rows->local.table;
  a->rows = rows->global;
  if (st == OK)
    st = fe_map_add(a, out);
  else
    free(rows->global);
  rt_relation_clear(&rows->local);
  return st;
}

/* ---- made of others ------------------------------------------------------ */

status
fe_map_compose(struct fe_map *first, struct fe_map *then, const char *name,
               bool hidden, struct fe_map **out) {
  struct made rows = {0};
  assert(first->pub.to == then->pub.from);
  struct fe_map_args args = {.from = first->pub.from,
                             .to = then->pub.to,
                             .dim = first->pub.dim * then->pub.dim,
                             .name = name,
                             .hidden = hidden};
  status st = fe.opt.bare ? OK : rows_composed(first, then, &rows);
  return map_of_rows(&rows, st, &args, out);
}

status
fe_map_permute(struct fe_map *m, const int *perm, const char *name,
               struct fe_map **out) {
  struct made rows = {0};
  struct fe_map_args args = {
      .from = m->pub.from, .to = m->pub.to, .dim = m->pub.dim, .name = name};
  status st = fe.opt.bare ? OK : rows_permuted(m, perm, &rows);
  return map_of_rows(&rows, st, &args, out);
}

static struct fe_map *
through_find(const struct fe_map *first, const struct fe_map *then) {
  for (uint32_t k = 0; k < first->nthrough; k++)
    if (first->through[k]->then == then) return first->through[k];
  return NULL;
}

status
fe_map_through(struct fe_map *first, struct fe_map *then, struct fe_map **out) {
  const struct fe_set *to = (struct fe_set *)first->pub.to;
  if (&to->pub != then->pub.from) {
    assert(to->whole && &to->whole->pub == then->pub.from);
    TRY(fe_map_through(first, to->into, &first));
  }
  *out = through_find(first, then);
  if (*out) return OK;
  SCOPED_STR name = STR_INIT;
  str_printf(&name, "%s_%s", first->pub.name, then->pub.name);
  TRY(fe_map_compose(first, then, name.s, true, out));
  (*out)->first = first;
  (*out)->then = then;
  VEC_PUSH(first->through, first->nthrough, first->capthrough, *out);
  return OK;
}
