/* Maps of columns: op2_decl_map_columns. */
#include "frontend/columns.h"
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include "rt/ranks/dist.h"

#include <stdlib.h>

static const char api[] = "op2_decl_map_columns";

/* What is asked for: entry i of an element of `from`, whose column is b and
 * layer l, is entry i of row b of `base`, in `to` layer l + offset[i]. */
struct request {
  struct fe_set *from, *to;
  const struct fe_columns *columns; /* of `from`, or of its whole set */
  const struct fe_map *base;        /* NULL: b itself */
  int dim;
  const int *offset; /* NULL: `to` is where base leads, layers meet */
  const char *name;
};

/* ---- checks -------------------------------------------------------------- */

static status
check_from(struct request *r) {
  struct fe_set *whole = r->from->whole ? r->from->whole : r->from;
  r->columns = whole->columns;
  if (!r->columns)
    FAIL(ERR_ARG,
         "%s \"%s\": from: expected a set of op2_decl_columns, or a subset of "
         "one, found set \"%s\"",
         api, r->name, r->from->pub.name);
  return fe_check_unmoved(api, "maps", whole, r->name);
}

static status
check_base(struct request *r, op_map base) {
  const struct fe_set *columns = r->columns->base;
  r->dim = 1;
  if (!base) return OK;
  if (!fe_handle_is(base, FE_MAP))
    FAIL(ERR_ARG, "%s \"%s\": base: expected a declared map, or NULL, found %s",
         api, r->name, fe_handle_found(base));
  if (base->from != &columns->pub)
    FAIL(ERR_ARG,
         "%s \"%s\": base: expected a map from set \"%s\", the base of \"%s\", "
         "found \"%s\" from \"%s\"",
         api, r->name, columns->pub.name, r->from->pub.name, base->name,
         base->from->name);
  r->base = (struct fe_map *)base;
  r->dim = base->dim;
  if (r->base->start)
    FAIL(ERR_ARG,
         "%s \"%s\": base: expected a map whose rows have one length, found "
         "\"%s\"",
         api, r->name, base->name);
  return OK;
}

/* `to` is the set to which the base leads, or columns over it. */
static status
check_to(const struct request *r) {
  const op_set_core *target =
      r->base ? r->base->pub.to : &r->columns->base->pub;
  const struct fe_columns *c = r->to->columns;
  bool meets = &r->to->pub == target;
  if (!meets && (!c || &c->base->pub != target))
    FAIL(ERR_ARG,
         "%s \"%s\": to: expected columns over set \"%s\", or that set, found "
         "\"%s\"",
         api, r->name, target->name, r->to->pub.name);
  if (meets && r->offset)
    FAIL(ERR_ARG,
         "%s \"%s\": offset: expected NULL, since all layers of a column meet "
         "in set \"%s\", found numbers",
         api, r->name, target->name);
  if (!meets && !r->offset)
    FAIL(ERR_ARG, "%s \"%s\": offset: expected %d numbers, found NULL", api,
         r->name, r->dim);
  return OK;
}

static status
check_request(struct request *r, op_set from, op_set to, op_map base) {
  TRY(fe_check_map_args(api, from, to, r->name));
  r->from = (struct fe_set *)from;
  r->to = (struct fe_set *)to;
  TRY(check_from(r));
  TRY(check_base(r, base));
  return check_to(r);
}

/* ---- rows ---------------------------------------------------------------- */

/* Base entries of all columns of the declared part: numbers of all ranks. */
static void
base_entries(const struct request *r, idx_l columns, idx_g *out) {
  bool parts = fe_in_parts();
  idx_g first = parts ? r->columns->base->part->start[fe_ranks.rank] : 0;
  for (size_t i = 0; i < (size_t)columns * (size_t)r->dim; i++)
    out[i] = !r->base ? first + (idx_g)i
             : parts  ? r->base->declared[i]
                      : r->base->pub.map[i];
}

/* Of element e, in layer l: entry i leads to this column. */
static status
take_entry(const struct request *r, idx_l e, idx_l l, int i,
           const struct fe_column *to, idx_g *out) {
  idx_g layer = (idx_g)l + r->offset[i];
  if (layer < to->bottom || layer >= (idx_g)to->bottom + to->n)
    FAIL(ERR_ARG,
         "%s \"%s\": entry %d of element %d: layer %d, offset %d: expected "
         "layers %d to %d of its column in \"%s\", found %lld",
         api, r->name, i, e, l, r->offset[i], to->bottom,
         to->bottom + to->n - 1, r->to->pub.name, (long long)layer);
  *out = to->first + layer - to->bottom;
  return OK;
}

/* Rows of all elements of `from`; columns[i] is where base entry i leads. */
static status
rows_fill(const struct request *r, const idx_g *entries,
          const struct fe_column *columns, idx_g *out) {
  struct fe_layer at = fe_layer_first(r->columns);
  for (idx_l e = 0; e < fe_map_rows(&r->from->pub); e++) {
    fe_layer_seek(&at, r->from->whole ? r->from->list[e] : e);
    for (int i = 0; i < r->dim; i++, out++) {
      size_t k = (size_t)at.b * (size_t)r->dim + (size_t)i;
      *out = entries[k];
      if (r->offset) TRY(take_entry(r, e, at.l, i, &columns[k], out));
    }
  }
  return OK;
}

/* Collective. */
static status
rows_make(const struct request *r, idx_g *rows) {
  idx_l columns = fe_map_rows(&r->columns->base->pub);
  size_t n = (size_t)columns * (size_t)r->dim;
  SCOPED idx_g *entries = mem_alloc(n + 1, sizeof *entries);
  SCOPED struct fe_column *to = mem_alloc(n + 1, sizeof *to);
  base_entries(r, columns, entries);
  if (r->offset) TRY(fe_columns_ask(r->to, n, entries, to));
  return rows_fill(r, entries, to, rows);
}

/* ---- the map ------------------------------------------------------------- */

static status
make(const struct request *r, struct fe_map **out) {
  size_t places = (size_t)fe_map_rows(&r->from->pub) * (size_t)r->dim;
  idx_g *rows = fe.opt.bare ? NULL : mem_alloc(places + 1, sizeof *rows);
  status st = fe.opt.bare ? OK : rows_make(r, rows);
  st = fe_agree(api, fe_all.nmaps, st);
  if (st != OK) {
    free(rows);
    return st;
  }
  TRY(fe_map_of_rows(rows,
                     &(struct fe_map_args){.api = api,
                                           .from = &r->from->pub,
                                           .to = &r->to->pub,
                                           .dim = r->dim,
                                           .name = r->name,
                                           .made = true,
                                           .column = !r->base},
                     out));
  fe_map_publish(*out);
  return OK;
}

static status
decl(op_set from, op_set to, op_map base, const int *offset, const char *name,
     struct fe_map **out) {
  struct request r = {.offset = offset, .name = name};
  status st = check_request(&r, from, to, base);
  TRY(fe_agree_turn(api));
  TRY(fe_agree(api, fe_all.nmaps, st));
  return make(&r, out);
}

op_map
op2_decl_map_columns(op_set from, op_set to, op_map base, const int *offset,
                     const char *name) {
  struct fe_map *m = NULL;
  if (fe_enter(api)) fe_leave(decl(from, to, base, offset, name, &m));
  return (op_map)m;
}
