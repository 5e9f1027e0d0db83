/* Scans: loops that go along each column, one layer after another, and see what
 * they wrote in the layers before (op2_par_loop_scan). Columns are those of
 * op2_decl_columns or of a box along its last dimension.
 *
 * Problem. A recurrence along columns (a tridiagonal solver) is in order within
 * a column and in any order over columns. As a loop over all elements it would
 * have to run in one order altogether.
 *
 * Idea. It is a loop over the base that goes over rows: a hidden relation lists
 * the elements of each column in the scan's order, and other layers of the
 * column are reached from these by the hidden maps of shifts.c, in boxes by
 * the rules of box_layers.c.
 *
 *   columns of 5, backward, w[k] += w[k + 1] z over layers 1 to 3
 *
 *   relation %rows : %base -> %columns csr column        b: (b,3) (b,2) (b,1)
 *   loop @sweep over %base for %e in %rows (
 *       rw %w.0 via %e, read %w.0 via %e %up[0], read %z.0 via %e)
 *
 * Rows list those elements of the set (columns, or a subset of them) that have
 * all layers which the loop names. To the rest of the frontend the loop is one
 * over the columns, with rows (`each`).
 *
 * scan_rows.c makes the list, scan_loop.c has the loop and its arguments.
 *
 * Cost. 4 bytes an element of each set, order and range of layers that scans
 * have, once. */
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/scan.h"

#include "base/str.h"
#include "rt/ranks/dist.h"

#include <stdlib.h>

static const char api[] = "op2_par_loop_scan";

/* Over ranks that each have a part: numbers of all, as many places as the
 * longest has. */
static idx_g *
rows_global(const struct fe_scanned *s, const struct fe_scan_list *r) {
  idx_g first = s->columns->part->start[fe_ranks.rank];
  size_t places = (size_t)r->longest;
  idx_g *out = mem_alloc((size_t)r->n * places + 1, sizeof *out);
  for (idx_l b = 0; b < r->n; b++)
    for (size_t i = 0; i < places; i++) {
      int64_t at = r->start[b] + (int64_t)i;
      out[(size_t)b * places + i] =
          at < r->start[b + 1] ? first + r->at[at] : -1;
    }
  return out;
}

static status
rows_agree(const struct fe_scanned *s, struct fe_scan_list *r) {
  status st = OK;
  if (r->longest > FE_ARITY_MAX)
    st = err_set(ERR_ARG, "%s: \"%s\": expected at most %d layers, found %d",
                 api, s->set->pub.name, FE_ARITY_MAX, r->longest);
  TRY(fe_agree(api, fe_all.nmaps, st));
  TRY(fe_join(&r->longest, 1, TYPE_I32, ACC_MAX));
  return fe_join(&r->shortest, 1, TYPE_I32, ACC_MIN);
}

static status
scan_make(const struct fe_scanned *s, struct fe_map **out) {
  bool parts = fe_in_parts();
  struct fe_scan_list r = {0};
  SCOPED_STR name = STR_INIT;
  str_printf(&name, "%s_%s_%lld_%d", s->set->pub.name,
             s->order == OP2_BACKWARD ? "backward" : "forward",
             -(long long)s->low, s->high);
  fe_scan_list(s, &r);
  status st = rows_agree(s, &r);
  struct fe_map_args args = {.api = api,
                             .from = &s->base->pub,
                             .to = (op_set)&s->columns->pub,
                             .dim = r.longest,
                             .own = true,
                             .start = r.start,
                             .shortest = r.shortest,
                             .table32 = r.at,
                             .name = name.s,
                             .made = true,
                             .hidden = true,
                             .column = true};
  if (st == OK && parts) {
    args.table32 = NULL;
    args.rows = rows_global(s, &r);
  }
  if (st == OK) st = fe_map_add(&args, out);
  /* they end with the inclusion of the subset */
  if (st == OK && s->set->whole) (*out)->first = (*out)->then = s->set->into;
  free(r.start);
  free(r.at);
  return st;
}

static struct fe_map *
scan_find(const struct fe_set *set, const struct fe_scan *s) {
  for (uint32_t k = 0; k < set->nscans; k++) {
    const struct fe_scan *x = &set->scans[k];
    if (x->order == s->order && x->low == s->low && x->high == s->high)
      return x->rows;
  }
  return NULL;
}

status
fe_scan_rows(struct fe_set *set, struct fe_scan *s) {
  s->rows = scan_find(set, s);
  if (s->rows) return OK;
  TRY(fe_agree_turn(api)); /* one may look at a dat */
  s->rows = scan_find(set, s);
  if (s->rows) return OK;
  struct fe_scanned all = {.set = set,
                           .columns = set->whole ? set->whole : set,
                           .order = s->order,
                           .low = s->low,
                           .high = s->high};
  TRY(fe_scan_base(api, all.columns, &all.base));
  TRY(scan_make(&all, &s->rows));
  VEC_PUSH(set->scans, set->nscans, set->capscans, *s);
  return OK;
}
