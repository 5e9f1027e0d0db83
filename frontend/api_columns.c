/* Sets of columns, their regions, and maps between them.
 *
 * Problem. Oceans and atmospheres are flat: a mesh of columns, each with
 * layers. As a mesh of its own every map would be written down once more for
 * each layer, and nothing would know that layers are neighbours.
 *
 * Idea. A set of columns is a set like others, of all its elements, that knows
 * its base (columns.h). Its regions are subsets of it; a map between columns
 * follows a map between their bases, with an offset of layers for each entry:
 *
 *   base cells -> nodes, 3 entries      cells of columns -> nodes of columns
 *   c0: n0 n1 n2                        (c0, l): (n0, l + o0) (n1, l + o1) ...
 *
 * Over ranks each declares the columns of its part of the base, and elements
 * lie with those who own their column: by a hidden map that partitions follow
 * first (spread.c).
 *
 * Cost. A table of the size of rows times columns times layers for each map, as
 * of a map that is composed. */
#include "frontend/columns.h"
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include "base/str.h"
#include "rt/ranks/dist.h"

#include <assert.h>
#include <stdlib.h>

/* ---- the set ------------------------------------------------------------- */

/* Each element's column, as a map for those who spread sets over ranks. */
static status
onto_make(struct fe_set *s) {
  struct fe_columns *c = s->columns;
  idx_l n = s->pub.size;
  bool parts = fe_in_parts();
  idx_g first = parts ? c->base->part->start[fe_ranks.rank] : 0;
  idx_g *rows = mem_alloc((size_t)n + 1, sizeof *rows);
  struct fe_layer at = fe_layer_first(c);
  for (idx_l e = 0; e < n; e++) {
    fe_layer_seek(&at, e);
    rows[e] = first + at.b;
  }
  SCOPED_STR name = STR_INIT;
  str_printf(&name, "%s_onto_%s", s->pub.name, c->base->pub.name);
  return fe_map_of_rows(rows,
                        &(struct fe_map_args){.from = &s->pub,
                                              .to = &c->base->pub,
                                              .dim = 1,
                                              .name = name.s,
                                              .made = true,
                                              .hidden = true},
                        &c->onto);
}

/* Elements of all columns, this rank's; they fit an int. */
static status
count_elements(const char *api, const struct fe_columns *c, const char *name,
               idx_l *out) {
  idx_l columns = fe_map_rows(&c->base->pub);
  idx_g n = (idx_g)columns * c->layers;
  if (c->layers < 0) n = c->first[columns];
  if (n > INT32_MAX)
    FAIL(ERR_ARG, "%s \"%s\": expected at most %d elements, found %lld columns",
         api, name, INT32_MAX, (long long)columns);
  *out = (idx_l)n;
  return OK;
}

/* The columns `c` (TAKE) become a set. Each rank comes with `st`. */
static status
columns_make(const char *api, struct fe_columns *c, const char *name, status st,
             struct fe_set **out) {
  idx_l n = 0;
  if (st == OK) st = count_elements(api, c, name, &n);
  struct fe_set *s = fe_set_new(n, name ? name : "");
  s->columns = c;
  st = fe_set_part(api, s, st);
  if (st == OK && fe_ranked()) st = onto_make(s);
  if (st != OK) {
    fe_set_free(s);
    return st;
  }
  fe_set_publish(s);
  *out = s;
  return OK;
}

static status
check_base(const char *api, op_set base, const char *name) {
  if (!name) FAIL(ERR_ARG, "%s: name: expected a text, found NULL", api);
  if (!fe_handle_is(base, FE_SET))
    FAIL(ERR_ARG, "%s \"%s\": base: expected a declared set, found %s", api,
         name, fe_handle_found(base));
  return fe_check_unmoved(api, "columns", (struct fe_set *)base, name);
}

static const char alike[] = "op2_decl_columns";

static status
decl_columns(op_set base, int layers, const char *name, struct fe_set **out) {
  status st = check_base(alike, base, name);
  if (st == OK && layers < 1)
    st = err_set(ERR_ARG, "%s \"%s\": layers: expected 1 or more, found %d",
                 alike, name, layers);
  if (st != OK) return fe_agree(alike, fe_all.nsets, st);
  struct fe_columns *c = mem_alloc(1, sizeof *c);
  *c = (struct fe_columns){.base = (struct fe_set *)base, .layers = layers};
  return columns_make(alike, c, name, OK, out);
}

op_set
op2_decl_columns(op_set base, int layers, const char *name) {
  struct fe_set *s = NULL;
  if (fe_enter(alike)) fe_leave(decl_columns(base, layers, name, &s));
  return (op_set)s;
}

/* ---- columns of their own lengths ---------------------------------------- */

static const char var[] = "op2_decl_columns_var";

static status
check_range(op_set base, const idx_l_t *range, const char *name) {
  TRY(check_base(var, base, name));
  idx_l n = fe_map_rows(base);
  if (n && !range)
    FAIL(ERR_ARG, "%s \"%s\": range: expected %d pairs of layers, found NULL",
         var, name, n);
  idx_g all = 0;
  for (idx_l b = 0; b < n; b++) {
    idx_l lo = range[2 * (size_t)b], hi = range[2 * (size_t)b + 1];
    if (lo < 0 || hi < lo)
      FAIL(ERR_ARG,
           "%s \"%s\": range of column %d: expected 0 <= first layer <= end, "
           "found %d to %d",
           var, name, b, lo, hi);
    all += hi - lo;
    if (all > INT32_MAX)
      FAIL(ERR_ARG,
           "%s \"%s\": expected at most %d elements, found more from column %d "
           "on",
           var, name, INT32_MAX, b);
  }
  return OK;
}

static status
decl_columns_var(op_set base, const idx_l_t *range, const char *name,
                 struct fe_set **out) {
  status st = check_range(base, range, name);
  if (st != OK) return fe_agree(var, fe_all.nsets, st);
  size_t n = (size_t)fe_map_rows(base);
  struct fe_columns *c = mem_alloc(1, sizeof *c);
  *c = (struct fe_columns){.base = (struct fe_set *)base,
                           .layers = -1,
                           .first = mem_alloc(n + 1, sizeof *c->first),
                           .bottom = mem_alloc(n + 1, sizeof *c->bottom)};
  for (size_t b = 0; b < n; b++) {
    c->bottom[b] = range[2 * b];
    c->first[b + 1] = c->first[b] + range[2 * b + 1] - range[2 * b];
  }
  return columns_make(var, c, name, OK, out);
}

op_set
op2_decl_columns_var(op_set base, const idx_l_t *range, const char *name) {
  struct fe_set *s = NULL;
  if (fe_enter(var)) fe_leave(decl_columns_var(base, range, name, &s));
  return (op_set)s;
}

/* ---- regions ------------------------------------------------------------- */

static const char region[] = "op2_columns_region";

static status
check_region(op_set columns, int which, const char *name) {
  if (!name) FAIL(ERR_ARG, "%s: name: expected a text, found NULL", region);
  if (!fe_handle_is(columns, FE_SET))
    FAIL(ERR_ARG, "%s \"%s\": columns: expected a declared set, found %s",
         region, name, fe_handle_found(columns));
  if (!((struct fe_set *)columns)->columns)
    FAIL(ERR_ARG,
         "%s \"%s\": columns: expected a set of op2_decl_columns, found set "
         "\"%s\"",
         region, name, columns->name);
  if (which != OP2_BOTTOM && which != OP2_TOP && which != OP2_INTERIOR)
    FAIL(ERR_ARG,
         "%s \"%s\": region: expected OP2_BOTTOM, OP2_TOP or OP2_INTERIOR, "
         "found %d",
         region, name, which);
  return fe_check_unmoved(region, "regions", (struct fe_set *)columns, name);
}

/* Elements of the region, in their order; how many. */
static idx_l
region_list(const struct fe_set *s, int which, idx_l *list) {
  idx_l columns = fe_map_rows(&s->columns->base->pub), n = 0;
  for (idx_l b = 0; b < columns; b++) {
    struct fe_column c = fe_column_at(s->columns, b);
    idx_l lo = which == OP2_TOP ? c.n - 1 : 0;
    idx_l hi = which == OP2_BOTTOM ? 1 : which == OP2_TOP ? c.n : c.n - 1;
    for (idx_l k = lo; c.n && k < hi; k++) list[n++] = (idx_l)c.first + k;
  }
  return n;
}

static status
decl_region(op_set columns, int which, const char *name, struct fe_set **out) {
  status st = check_region(columns, which, name);
  if (st != OK) return fe_agree(region, fe_all.nsets, st);
  struct fe_set *s = (struct fe_set *)columns;
  idx_l *list = mem_alloc((size_t)fe_map_rows(columns) + 1, sizeof *list);
  idx_l n = region_list(s, which, list);
  return fe_subset_make(region, s, n, list, name, OK, out);
}

op_set
op2_columns_region(op_set columns, int which, const char *name) {
  struct fe_set *s = NULL;
  if (fe_enter(region)) fe_leave(decl_region(columns, which, name, &s));
  return (op_set)s;
}
