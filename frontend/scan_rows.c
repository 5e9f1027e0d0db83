/* Rows of scans: which elements of each column one goes over, in its order. Of
 * columns and their subsets they are consecutive, in boxes a layer apart. */
#include "frontend/box.h"
#include "frontend/columns.h"
#include "frontend/decl.h"
#include "frontend/ranks.h"
#include "frontend/scan.h"

#include <assert.h>
#include <string.h>

status
fe_scan_base(const char *api, const struct fe_set *columns,
             struct fe_set **out) {
  assert(columns->columns || columns->box);
  if (columns->box) return fe_box_plane(api, columns->box, out);
  *out = columns->columns->base;
  return OK;
}

/* Elements of column b that the scan goes over, ascending, behind at[n]. Of a
 * subset list[*k] is the first that lies in no column before. */
static int64_t
column_elements(const struct fe_scanned *s, idx_l b, idx_l *k, idx_l *at,
                int64_t n) {
  struct fe_column c = fe_column_at(s->columns->columns, b);
  idx_g lo = c.first - s->low, hi = fe_column_end(&c) - s->high;
  const idx_l *list = s->set->whole ? s->set->list : NULL;
  for (idx_g e = lo; !list && e < hi; e++) at[n++] = (idx_l)e;
  for (; list && *k < fe_map_rows(&s->set->pub); (*k)++) {
    idx_l e = list[*k];
    if (e >= fe_column_end(&c)) break;
    if (e >= lo && e < hi) at[n++] = e;
  }
  return n;
}

/* Rows of columns, ascending. */
static void
rows_of_columns(const struct fe_scanned *s, struct fe_scan_list *r) {
  idx_l k = 0;
  for (idx_l b = 0; b < r->n; b++)
    r->start[b + 1] = column_elements(s, b, &k, r->at, r->start[b]);
}

/* Rows of a whole box: points of layers lo to hi - 1. */
static void
rows_of_box(struct fe_scan_list *r, idx_l lo, idx_l hi) {
  int64_t n = 0;
  for (idx_l b = 0; b < r->n; b++) {
    for (idx_l l = lo; l < hi; l++) r->at[n++] = b + l * r->n;
    r->start[b + 1] = n;
  }
}

/* Rows of a subset of a box, whose list goes layer by layer: where the next
 * element of row b goes is in start[b] meanwhile. */
static void
rows_of_subset(const struct fe_set *set, struct fe_scan_list *r, idx_l lo,
               idx_l hi) {
  int64_t n = 0;
  idx_l points = fe_map_rows(&set->pub);
  for (idx_l i = 0; i < points; i++) {
    idx_l l = set->list[i] / r->n;
    if (l >= lo && l < hi) r->start[set->list[i] % r->n]++;
  }
  for (idx_l b = 0; b <= r->n; b++) {
    int64_t here = r->start[b];
    r->start[b] = n;
    n += here;
  }
  for (idx_l i = 0; i < points; i++) {
    idx_l e = set->list[i], l = e / r->n;
    if (l >= lo && l < hi) r->at[r->start[e % r->n]++] = e;
  }
  memmove(r->start + 1, r->start, (size_t)r->n * sizeof *r->start);
  r->start[0] = 0;
}

/* All layers of a box that have -s->low below them and s->high above. */
static void
rows_along_box(const struct fe_scanned *s, struct fe_scan_list *r) {
  int64_t lo = -(int64_t)s->low;
  int64_t hi = (int64_t)fe_box_layers(s->columns->box) - s->high;
  if (lo >= hi || !r->n) return;
  if (s->set->whole)
    rows_of_subset(s->set, r, (idx_l)lo, (idx_l)hi);
  else
    rows_of_box(r, (idx_l)lo, (idx_l)hi);
}

static void
row_turn(idx_l *at, int64_t n) {
  for (int64_t i = 0; i < n / 2; i++) {
    idx_l first = at[i];
    at[i] = at[n - 1 - i];
    at[n - 1 - i] = first;
  }
}

void
fe_scan_list(const struct fe_scanned *s, struct fe_scan_list *r) {
  r->n = fe_map_rows(&s->base->pub);
  r->start = mem_alloc((size_t)r->n + 1, sizeof *r->start);
  r->at = mem_alloc((size_t)fe_map_rows(&s->columns->pub) + 1, sizeof *r->at);
  r->longest = 1;
  r->shortest = FE_ARITY_MAX;
  (s->columns->box ? rows_along_box : rows_of_columns)(s, r);
  for (idx_l b = 0; b < r->n; b++) {
    int64_t lo = r->start[b], n = r->start[b + 1] - lo;
    if (s->order == OP2_BACKWARD) row_turn(r->at + lo, n);
    if (n > r->longest) r->longest = (int32_t)n;
    if (n < r->shortest) r->shortest = (int32_t)n;
  }
}
