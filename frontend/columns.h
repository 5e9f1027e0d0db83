/* Layers of a set: how many each column has, and which elements they are.
 *
 * A set of columns is a base set times layers. An element of it is named by its
 * column, which is an element of the base, and its layer:
 *
 *   number of (b, l) = first(b) + l - bottom(b)
 *                      bottom(b) <= l < bottom(b) + n(b)
 *
 * so that a column is consecutive elements, and columns ascend as their base
 * elements do. All numbers are those of the program, of declared parts. What
 * asks for layers asks here alone; how many numbers are held (none, where all
 * columns are alike) shows nowhere else. */
#ifndef FRONTEND_COLUMNS_H
#define FRONTEND_COLUMNS_H

#include "base/err.h"
#include "base/types.h"

struct fe_set;
struct fe_map;

struct fe_columns {
  struct fe_set *base;
  idx_l layers;        /* of each column, from 0; -1: each has its own: */
  idx_l *first;        /* [columns + 1]: number of its lowest element */
  idx_l *bottom;       /* [columns]: layer of that */
  struct fe_map *onto; /* hidden: each element's column; by it elements lie with
                           these over ranks; NULL: one rank */
};

/* One column: element number of its lowest layer, that layer, how many. */
struct fe_column {
  idx_g first;
  idx_l bottom, n;
};
static inline idx_g
fe_column_end(const struct fe_column *c) {
  return c->first + c->n;
}
/* Column b of the declared part. */
struct fe_column fe_column_at(const struct fe_columns *c, idx_l b);
/* Columns of the base elements at[0 .. n), over ranks by numbers of all and
 * with such. Collective. ERR_MPI */
status fe_columns_ask(const struct fe_set *s, size_t n, const idx_g *at,
                      struct fe_column *out);

/* Which column and layer an element has, for elements that ascend. */
struct fe_layer {
  const struct fe_columns *columns;
  idx_l b, l; /* its column and layer */
  struct fe_column in;
};
struct fe_layer fe_layer_first(const struct fe_columns *c); /* NULL: of none */
/* On to element e, which is not below the one before. */
void fe_layer_seek(struct fe_layer *at, idx_l e);

void fe_columns_free(struct fe_columns *c); /* NULL is allowed */

#endif
