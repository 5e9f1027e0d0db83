/* Maps: their tables checked, composed, permuted.
 *
 * A map that is made of others has rows of its own, written down at once in the
 * numbers of the program: nothing of the maps that it was made from is needed
 * from then on. Over ranks they are made of declared rows, whoever owns their
 * elements now; what other ranks declared is asked for. */
#include "frontend/box.h"
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include "base/str.h"
#include "rt/ranks/dist.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables of the program ----------------------------------------------- */

/* Range of every entry, and what the table proves about itself. */
static status
scan_table(struct fe_map *m, const char *api, int base) {
  struct rt_facts f;
  TRY(rt_relation_scan(&m->rt, &f));
  m->onto = f.onto, m->injective = f.injective, m->repeats = f.repeats;
  if (f.bad < 0) return OK;
  idx_l t = rt_row(&m->rt, f.bad).at[f.bad_entry], to = m->rt.to->n;
  FAIL(ERR_ARG,
       "%s \"%s\": entry %u of element %d: expected %d to %d (set \"%s\"), "
       "found %d%s",
       api, m->pub.name, f.bad_entry, f.bad, base, to - 1 + base,
       m->pub.to->name, t + base, t == to && !base ? FE_FROM_ONE : "");
}

enum { TABLE_THREADED = 1 << 18 };

/* The table as 32-bit entries from 0; each thread touches first what it will
 * use. */
static status
make_table(struct fe_map *m, const struct fe_map_args *a) {
  size_t n = m->bytes / sizeof(idx_l);
  idx_l *t = rt_mem_new(m->bytes);
  if (!t)
    FAIL(ERR_MEMORY, "%s \"%s\": no memory for its %zu bytes", a->api,
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

/* The same of rows that are as long as the longest. */
static status
make_table_closed(struct fe_map *m, const struct fe_map_args *a) {
  idx_l *t = rt_mem_new(m->bytes);
  if (!t)
    FAIL(ERR_MEMORY, "%s \"%s\": no memory for its %zu bytes", a->api,
         m->pub.name, m->bytes);
  m->pub.map = t;
  for (idx_l e = 0; e < fe_map_rows(a->from); e++)
    for (int64_t i = 0; i < a->start[e + 1] - a->start[e]; i++)
      *t++ = (idx_l)a->rows[(int64_t)e * a->dim + i];
  return OK;
}

/* The table as `m` goes by it from now on, checked. */
static status
table_take(struct fe_map *m, const struct fe_map_args *a) {
  if (!m->pub.map)
    TRY(a->rows && a->start ? make_table_closed(m, a) : make_table(m, a));
  m->rt.table = m->pub.map;
  m->rt.start = m->start;
  if (a->rows) return OK;
  if (fe_ranked()) return fe_ranks_map(m, a);
  m->injective = a->included;
  m->onto = a->included && m->rt.from->n == m->rt.to->n;
  if (!a->included) TRY(scan_table(m, a->api, a->base));
  return fe_number_map(m);
}

/* No table as long as nobody needs it. */
static status
rule_take(struct fe_map *m) {
  struct rt_facts f = fe_rule_facts(m->by, (struct fe_set *)m->pub.from,
                                    (struct fe_set *)m->pub.to);
  m->onto = f.onto, m->injective = f.injective, m->repeats = f.repeats;
  return fe_number_map(m);
}

/* OP2_STATIC: what a table would prove is not so; one that is given is looked
 * at and not kept. */
static status
table_glance(struct fe_map *m, const struct fe_map_args *a) {
  status st = OK;
  m->repeats = m->rt.arity != 1;
  if (a->table32 || a->table64 || a->table) st = table_take(m, a);
  if (!m->foreign) {
    rt_mem_free(m->pub.map, m->pub.map ? m->bytes : 0);
    m->pub.map = NULL;
    m->rt.table = NULL;
  }
  return st;
}

struct fe_map *
fe_map_room(void) {
  if (!fe_all.nended) return mem_alloc(1, sizeof(struct fe_map));
  struct fe_map *m = fe_all.ended[--fe_all.nended];
  free(m->through);
  free(m->along);
  free((char *)m->pub.name);
  *m = (struct fe_map){0};
  return m;
}

/* Where rows of any length begin, a copy; the bytes of their table. */
static void
take_starts(struct fe_map *m, const struct fe_map_args *a) {
  size_t rows = (size_t)fe_map_rows(a->from);
  size_t entries = rows * (size_t)a->dim;
  if (a->own) {
    size_t n = a->start ? rows + 1 : 1;
    m->start = mem_alloc(n, sizeof *m->start);
    if (a->start) memcpy(m->start, a->start, n * sizeof *m->start);
    entries = (size_t)m->start[n - 1];
    m->shortest = a->shortest;
  }
  m->bytes = entries * sizeof(idx_l);
}

static struct fe_map *
map_new(const struct fe_map_args *a) {
  struct fe_map *m = fe_map_room();
  m->foreign = a->keeps;
  m->made = a->made;
  m->hidden = a->hidden;
  m->column = a->column;
  m->by = a->by;
  m->rt = (struct rt_relation){.from = &((struct fe_set *)a->from)->rt,
                               .to = &((struct fe_set *)a->to)->rt,
                               .arity = a->own ? 0 : (uint32_t)a->dim};
  m->declared_from = a->given;
  m->declared = a->rows;
  m->pub.index = -1;
  m->pub.from = a->from;
  m->pub.to = a->to;
  m->pub.dim = a->dim;
  m->pub.name = m->rt.name = fe_text_copy(a->name);
  m->pub.map = m->foreign ? (int *)a->table32 : a->table;
  take_starts(m, a);
  return m;
}

status
fe_map_add(const struct fe_map_args *a, struct fe_map **out) {
  const struct rt_order *order = ((struct fe_set *)a->from)->rt.order;
  assert(!order || !order->lines.line); /* fe_points_keep was called */
  (void)order;
  struct fe_map *m = map_new(a);
  status st = fe_hollow(m)  ? rule_take(m)
              : fe.opt.bare ? table_glance(m, a)
                            : table_take(m, a);
  if (st != OK) {
    fe_map_free(m);
    return st;
  }
  fe_map_list(m);
  fe_unsettle(!m->hidden);
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
                              .start = m->start,
                              .name = m->pub.name};
}

static struct rt_dist_map
as_rows(const struct fe_map *m) {
  return (struct rt_dist_map){.arity = (uint32_t)m->pub.dim,
                              .own = m->start != NULL,
                              .rows = m->declared};
}

/* Rows that a map is made of, as the two kinds of ranks have them. */
struct made {
  struct rt_relation local; /* all of the program's: one rank, or whole */
  idx_g *global;            /* of the declared part; TAKE */
  int64_t *start;           /* rows of any length, as in struct fe_map_args */
  int longest;
  idx_l shortest;
};

static void
made_clear(struct made *rows) {
  if (rows->start != rows->local.start) free(rows->start);
  rt_relation_clear(&rows->local);
}

/* Lengths of the n rows that begin at `start`; no rows: none is short. */
static void
note_lengths(struct made *rows, idx_l n) {
  rows->longest = 1;
  rows->shortest = FE_ARITY_MAX;
  for (idx_l e = 0; e < n; e++) {
    int64_t length = rows->start[e + 1] - rows->start[e];
    if (length > rows->longest) rows->longest = (int)length;
    if (length < rows->shortest) rows->shortest = (idx_l)length;
  }
}

/* Of n rows of `places` each, with -1 behind their entries: where they would
 * begin without those. */
static void
find_starts(struct made *rows, idx_l n, int places) {
  rows->start = mem_alloc((size_t)n + 1, sizeof *rows->start);
  for (idx_l e = 0; e < n; e++) {
    const idx_g *row = rows->global + (int64_t)e * places;
    int length = places;
    while (length && row[length - 1] < 0) length--;
    rows->start[e + 1] = rows->start[e] + length;
  }
}

/* They get as many places as the longest has, over all ranks. */
static status
agree_lengths(struct made *rows, idx_l n, int places) {
  int32_t longest = rows->longest, shortest = rows->shortest;
  TRY(fe_join(&longest, 1, TYPE_I32, ACC_MAX));
  TRY(fe_join(&shortest, 1, TYPE_I32, ACC_MIN));
  for (idx_l e = 0; e < n; e++)
    memmove(rows->global + (int64_t)e * longest,
            rows->global + (int64_t)e * places,
            (size_t)longest * sizeof *rows->global);
  rows->longest = longest;
  rows->shortest = shortest;
  return OK;
}

/* In parts; hidden: by whoever needs them, not collective. */
static status
rows_composed_parts(const struct fe_map *a, const struct fe_map *b, bool hidden,
                    struct made *out) {
  const struct fe_set *through = (struct fe_set *)b->pub.from;
  struct rt_dist_map x = as_rows(a), y = as_rows(b);
  idx_l n = fe_map_rows(a->pub.from);
  bool here = ((struct fe_set *)a->pub.from)->into == a;
  out->global = mem_alloc((size_t)n * x.arity * y.arity + 1, sizeof(idx_g));
  TRY(rt_dist_composed(fe_ranks.comm, through->part, &x, n, &y, here,
                       out->global));
  out->longest = (int)(x.arity * y.arity);
  if (!x.own && !y.own) return OK;
  int places = out->longest;
  find_starts(out, n, places);
  if (!hidden) {
    note_lengths(out, n);
    return agree_lengths(out, n, places);
  }
  out->shortest =
      (x.own ? a->shortest : a->pub.dim) * (y.own ? b->shortest : b->pub.dim);
  return OK;
}

static status
rows_composed(struct fe_map *a, struct fe_map *b, bool hidden,
              struct made *out) {
  if (fe_in_parts()) return rows_composed_parts(a, b, hidden, out);
  TRY(fe_map_need(a));
  TRY(fe_map_need(b));
  struct rt_set sets[] = {
      {.n = a->pub.from->size}, {.n = b->pub.from->size}, {0}};
  struct rt_relation x = as_declared(a, &sets[0], &sets[1]);
  struct rt_relation y = as_declared(b, &sets[1], &sets[2]);
  TRY(rt_relation_composed(&x, &y, &out->local));
  out->longest = (int)out->local.arity;
  out->start = (int64_t *)out->local.start;
  if (out->start) note_lengths(out, sets[0].n);
  return OK;
}

static status
rows_permuted(const struct fe_map *m, const int *perm, struct made *out) {
  struct rt_set sets[] = {{.n = m->pub.from->size}, {0}};
  out->longest = m->pub.dim;
  if (fe_in_parts()) {
    struct rt_dist_map x = as_rows(m);
    idx_l n = fe_map_rows(m->pub.from);
    out->global = mem_alloc((size_t)n * x.arity + 1, sizeof(idx_g));
    rt_dist_permuted(&x, n, perm, out->global);
    return OK;
  }
  struct rt_relation x = as_declared(m, &sets[0], &sets[1]);
  return rt_relation_permuted(&x, perm, &out->local);
}

static status
check_longest(const struct fe_map_args *a) {
  if (a->dim <= FE_ARITY_MAX) return OK;
  FAIL(ERR_ARG, "%s \"%s\": expected rows of at most %d entries, found %d",
       a->api, a->name, FE_ARITY_MAX, a->dim);
}

/* The rows become a map's; `st`: how they were made. */
static status
map_of_rows(struct made *rows, status st, struct fe_map_args *a,
            struct fe_map **out) {
  a->made = true;
  a->table32 = rows->local.table;
  a->rows = rows->global;
  if (!fe.opt.bare) {
    a->own = rows->start != NULL;
    a->start = rows->start;
    a->shortest = rows->shortest;
    a->dim = rows->longest;
  }
  if (st == OK) st = check_longest(a);
  if (st == OK)
    st = fe_map_add(a, out);
  else
    free(rows->global);
  made_clear(rows);
  return st;
}

status
fe_map_of_rows(idx_g *rows, struct fe_map_args *a, struct fe_map **out) {
  size_t n = (size_t)fe_map_rows(a->from) * (size_t)a->dim;
  SCOPED idx_l *table = NULL;
  if (fe_in_parts()) {
    a->rows = rows;
    return fe_map_add(a, out);
  }
  if (rows) table = mem_alloc(n + 1, sizeof *table);
  for (size_t i = 0; rows && i < n; i++) table[i] = (idx_l)rows[i];
  free(rows);
  a->table32 = table;
  return fe_map_add(a, out);
}

/* ---- made of others ------------------------------------------------------ */

status
fe_map_compose(struct fe_map *first, struct fe_map *then, const char *name,
               bool hidden, struct fe_map **out) {
  struct made rows = {0};
  assert(first->pub.to == then->pub.from);
  struct fe_map_args args = {.api = "composed map",
                             .from = first->pub.from,
                             .to = then->pub.to,
                             .dim = first->pub.dim * then->pub.dim,
                             .own = first->start || then->start,
                             .shortest = FE_ARITY_MAX, /* OP2_STATIC */
                             .name = name,
                             .hidden = hidden};
  bool ruled = first->by && then->by && !fe_ranked();
  if (ruled) {
    args.by = fe_rule_composed(first->by, then->by);
    rows.longest = args.dim;
  }
  bool table = !ruled && !fe.opt.bare;
  status st = table ? rows_composed(first, then, hidden, &rows) : OK;
  st = map_of_rows(&rows, st, &args, out);
  if (ruled && st != OK) fe_rule_left(args.by);
  return st;
}

status
fe_map_permute(struct fe_map *m, const int *perm, const char *name,
               struct fe_map **out) {
  struct made rows = {0};
  struct fe_map_args args = {.api = "permuted map",
                             .from = m->pub.from,
                             .to = m->pub.to,
                             .dim = m->pub.dim,
                             .name = name};
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
  TRY(fe_agree_turn(first->pub.name)); /* one may look at a dat */
  *out = through_find(first, then);
  if (*out) return OK;
  SCOPED_STR name = STR_INIT;
  str_printf(&name, "%s_%s", first->pub.name, then->pub.name);
  TRY(fe_map_compose(first, then, name.s, true, out));
  (*out)->first = first;
  (*out)->then = then;
  (*out)->freed = first->freed || then->freed; /* loops that wait need it */
  fe_all.dying += (*out)->freed;
  VEC_PUSH(first->through, first->nthrough, first->capthrough, *out);
  return OK;
}
