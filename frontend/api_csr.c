/* Declarations of maps whose rows have any length: compressed rows (CSR), and
 * padded ones, which become such.
 *
 *   row_ptr 0 2 2 5          e  row          width 3, table  a -1 b
 *   col     a b c d a        0  a b                          -1 -1 -1
 *                            1  -                            c d a
 *                            2  c d a
 *
 * map->dim is the length of the longest row, over all ranks, or 1: kernels are
 * compiled for an array of that many pointers. */
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include <stdlib.h>

static const char csr[] = "op2_decl_map_csr";
static const char padded[] = "op2_decl_map_padded";

/* Longest and shortest row of those that begin at a->start, over all ranks,
 * where this one comes with `st` of its own. Collective. */
static status
agree_lengths(struct fe_map_args *a, status st) {
  idx_l n = st == OK && a->start ? fe_map_rows(a->from) : 0;
  int32_t longest = 0, shortest = FE_ARITY_MAX; /* where there are no rows */
  for (idx_l e = 0; e < n; e++) {
    int64_t length = a->start[e + 1] - a->start[e];
    if (length > longest) longest = (int32_t)length;
    if (length < shortest) shortest = (int32_t)length;
  }
  TRY(fe_agree_turn(a->api));
  TRY(fe_agree(a->api, fe_all.nmaps, st));
  TRY(fe_join(&longest, 1, TYPE_I32, ACC_MAX));
  TRY(fe_join(&shortest, 1, TYPE_I32, ACC_MIN));
  a->dim = longest ? longest : 1;
  a->shortest = shortest;
  if (!a->start) a->dim = 0; /* OP2_STATIC: nothing is known */
  return OK;
}

/* ---- compressed rows ----------------------------------------------------- */

/* Each row's length is in range; NULL is for OP2_STATIC. */
static status
check_starts(const struct fe_map_args *a, const long long *row_ptr) {
  idx_l n = fe_map_rows(a->from);
  if (!row_ptr && !fe.opt.bare)
    FAIL(ERR_ARG, "%s \"%s\": row_ptr: expected %d numbers, found NULL", csr,
         a->name, n + 1);
  if (!row_ptr) return OK;
  if (row_ptr[0])
    FAIL(ERR_ARG, "%s \"%s\": row_ptr[0]: expected 0, found %lld", csr, a->name,
         row_ptr[0]);
  for (idx_l e = 0; e < n; e++) {
    long long lo = row_ptr[e], hi = row_ptr[e + 1];
    if (hi < lo || hi - lo > FE_ARITY_MAX)
      FAIL(
          ERR_ARG,
          "%s \"%s\": row_ptr[%d]: expected %lld to %lld (rows have at most %d "
          "entries), found %lld",
          csr, a->name, e + 1, lo, lo + FE_ARITY_MAX, FE_ARITY_MAX, hi);
  }
  if (row_ptr[n] && !a->table32 && !fe.opt.bare)
    FAIL(ERR_ARG, "%s \"%s\": col: expected %lld entries, found NULL", csr,
         a->name, row_ptr[n]);
  return OK;
}

static status
decl_csr(struct fe_map_args *a, const long long *row_ptr, struct fe_map **out) {
  TRY(fe_check_map_args(csr, a->from, a->to, a->name));
  status st = check_starts(a, row_ptr);
  SCOPED int64_t *start = NULL;
  if (st == OK && row_ptr) {
    size_t n = (size_t)fe_map_rows(a->from) + 1;
    start = mem_alloc(n, sizeof *start);
    for (size_t e = 0; e < n; e++) start[e] = row_ptr[e];
  }
  a->start = start;
  TRY(agree_lengths(a, st));
  return fe_map_declare(a, out);
}

op_map
op2_decl_map_csr(op_set from, op_set to, const idx_g_t *row_ptr,
                 const idx_l_t *col, const char *name) {
  struct fe_map *m = NULL;
  struct fe_map_args args = {.api = csr,
                             .from = from,
                             .to = to,
                             .own = true,
                             .table32 = col,
                             .given = col,
                             .base = fe.base_index,
                             .name = name,
                             .keeps = fe.no_realloc && col && !fe.base_index};
  if (fe_enter(csr)) fe_leave(decl_csr(&args, row_ptr, &m));
  return (op_map)m;
}

/* ---- padded rows --------------------------------------------------------- */

static status
check_padded(const struct fe_map_args *a, int width, const idx_l_t *table) {
  if (width < 0 || width > FE_ARITY_MAX)
    FAIL(ERR_ARG, "%s \"%s\": width: expected 0 to %d, found %d", padded,
         a->name, FE_ARITY_MAX, width);
  if (!table && width && fe_map_rows(a->from) && !fe.opt.bare)
    FAIL(ERR_ARG,
         "%s \"%s\": table: expected %d rows of %d entries, found NULL", padded,
         a->name, fe_map_rows(a->from), width);
  return OK;
}

/* The entries that are some, one after another, and where rows begin. */
static void
close_up(const struct fe_map_args *a, int width, const idx_l_t *table,
         int64_t *start, idx_l *col) {
  int64_t n = 0;
  for (idx_l e = 0; e < fe_map_rows(a->from); e++) {
    for (int i = 0; i < width; i++) {
      idx_l t = table[(size_t)e * (size_t)width + (size_t)i];
      if (t != -1) col[n++] = t;
    }
    start[e + 1] = n;
  }
}

static status
decl_padded(struct fe_map_args *a, int width, const idx_l_t *table,
            struct fe_map **out) {
  TRY(fe_check_map_args(padded, a->from, a->to, a->name));
  status st = check_padded(a, width, table);
  SCOPED int64_t *start = NULL;
  SCOPED idx_l *col = NULL;
  if (st == OK && (table || !fe.opt.bare)) {
    size_t n = (size_t)fe_map_rows(a->from);
    start = mem_alloc(n + 1, sizeof *start);
    col = mem_alloc(n * (size_t)width + 1, sizeof *col);
    close_up(a, width, table, start, col);
  }
  a->start = start;
  a->table32 = col;
  TRY(agree_lengths(a, st));
  return fe_map_declare(a, out);
}

op_map
op2_decl_map_padded(op_set from, op_set to, int width, const idx_l_t *table,
                    const char *name) {
  struct fe_map *m = NULL;
  struct fe_map_args args = {.api = padded,
                             .from = from,
                             .to = to,
                             .own = true,
                             .given = table,
                             .base = fe.base_index,
                             .name = name};
  if (fe_enter(padded)) fe_leave(decl_padded(&args, width, table, &m));
  return (op_map)m;
}
