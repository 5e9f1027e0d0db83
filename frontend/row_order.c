/* Order of rows in files: the same on any ranks.
 *
 * Problem. Rows of a data set are in the order of global numbers, and these are
 * those of the declared parts, one after another. Programs cut a set into parts
 * as they like, so for most sets that is one order. But a box is cut by the
 * library, along several dimensions, as there are ranks: its global numbers
 * depend on them, and so do those of what is made of it.
 *
 * Idea. Rows have the order of one rank:
 *
 *   points, any halo     their place in the whole box (box_parts.c)
 *   a subset             as its elements' rows in the set that it is of
 *   columns              as those of the base, a column's layers one by one
 *   nonzeros             as those of the rows of the matrix, in each of them as
 *                        those of its columns
 *
 * Each is found from the one before: of the sets of elements that belong to an
 * element of another set, ordered by that one's rows, all before have to be
 * counted. Counts go to blocks of these rows, are summed there and between the
 * blocks, and come back as the row that each begins at.
 *
 *   box 4 x 2, two ranks, i < 2 and i >= 2      rows of rank 0   0 1 4 5
 *   subset i + j odd: 1 3 4 6                   of rank 0: 1 4   their rows 0 2
 *
 * Cost. That of rt/ranks/blocks.c, once for a set; 16 bytes an element on its
 * way meanwhile. For entries of maps a question to another rank each. Nothing
 * on one rank, or where each rank declares everything. */
#include "frontend/handles.h"
#include "frontend/matrix.h"
#include "frontend/ranks.h"
#include "frontend/rows.h"

#include "rt/ranks/dist.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The set that elements of s belong to those of; NULL: it is made of none. */
static struct fe_set *
made_of(const struct fe_set *s) {
  if (s->whole) return s->whole;
  if (s->columns) return (struct fe_set *)fe_columns_base(s);
  return s->sparsity ? (struct fe_set *)s->sparsity->rows : NULL;
}

bool
fe_rows_apart(const struct fe_set *s) {
  if (!fe_in_parts()) return false;
  for (; s; s = made_of(s)) {
    if (s->box) return true;
    if (s->sparsity && fe_rows_apart((struct fe_set *)s->sparsity->columns))
      return true;
  }
  return false;
}

idx_g
fe_rows_total(const struct fe_set *s) {
  return s->box && fe_in_parts() ? fe_points_total(s) : s->part->total;
}

/* Rows of this rank's declared elements. */
static status
rows_of(struct fe_set *s, idx_g *row) {
  TRY(fe_rows_know(s));
  if (s->blocks) {
    rt_blocks_rows(s->blocks, row);
    return OK;
  }
  idx_g first = s->part->start[fe_ranks.rank];
  for (idx_l e = 0; e < s->part->declared; e++) row[e] = first + e;
  return OK;
}

/* ---- sets made of others ------------------------------------------------- */

status
fe_rows_sum_before(idx_g *count, size_t n) {
  SCOPED idx_g *all = mem_alloc((size_t)fe_ranks.size, sizeof *all);
  idx_g sum = 0;
  for (size_t i = 0; i < n; i++) all[fe_ranks.rank] += count[i];
  TRY(fe_join(all, (size_t)fe_ranks.size, TYPE_I64, ACC_MAX));
  for (int r = 0; r < fe_ranks.rank; r++) sum += all[r];
  for (size_t i = 0; i < n; i++) {
    idx_g k = count[i];
    count[i] = sum;
    sum += k;
  }
  return OK;
}

/* Of n elements of `of`, count[k] elements belong to that of row key[k]: the
 * row of the first of them, in its place. Collective. */
static status
counts_become_rows(const struct fe_set *of, size_t n, const idx_g *key,
                   idx_g *count) {
  int ranks = fe_ranks.size, rank = fe_ranks.rank;
  idx_g total = fe_rows_total(of);
  struct rt_blocks *b;
  size_t size = (size_t)(rt_block_begin(total, ranks, rank + 1) -
                         rt_block_begin(total, ranks, rank));
  SCOPED idx_g *block = mem_alloc(size + 1, sizeof *block);
  TRY(rt_blocks_new(fe_ranks.comm, total, n, key, &b));
  status st = rt_blocks_collect(b, count, sizeof *count, block);
  if (st == OK) st = fe_rows_sum_before(block, size);
  if (st == OK) st = rt_blocks_spread(b, block, sizeof *block, count);
  rt_blocks_free(b);
  return st;
}

static status
subset_rows(const struct fe_set *s, idx_g *row) {
  size_t n = (size_t)s->part->declared;
  SCOPED idx_g *whole =
      mem_alloc((size_t)s->whole->part->declared + 1, sizeof *whole);
  SCOPED idx_g *key = mem_alloc(n + 1, sizeof *key);
  TRY(rows_of(s->whole, whole));
  for (size_t e = 0; e < n; e++) {
    key[e] = whole[s->list[e]];
    row[e] = 1;
  }
  return counts_become_rows(s->whole, n, key, row);
}

static status
columns_rows(const struct fe_set *s, idx_g *row) {
  struct fe_set *base = made_of(s);
  size_t n = (size_t)base->part->declared, e = 0;
  SCOPED idx_g *key = mem_alloc(n + 1, sizeof *key);
  SCOPED idx_g *first = mem_alloc(n + 1, sizeof *first);
  TRY(rows_of(base, key));
  for (size_t b = 0; b < n; b++) first[b] = fe_column_length(s, (idx_l)b);
  TRY(counts_become_rows(base, n, key, first));
  for (size_t b = 0; b < n; b++)
    for (idx_l l = 0; l < fe_column_length(s, (idx_l)b); l++)
      row[e++] = first[b] + l;
  return OK;
}

/* A nonzero of a row of the matrix. */
struct entry {
  idx_g column;
  size_t at;
};

static int
by_column(const void *a, const void *b) {
  idx_g x = ((const struct entry *)a)->column;
  idx_g y = ((const struct entry *)b)->column;
  return (x > y) - (x < y);
}

static status
nonzeros_rows(const struct fe_sparsity *s, idx_g *row) {
  struct fe_set *rows = (struct fe_set *)s->rows;
  size_t n = (size_t)s->rt.rows, all = (size_t)s->rt.start[n];
  SCOPED idx_g *key = mem_alloc(n + 1, sizeof *key);
  SCOPED idx_g *first = mem_alloc(n + 1, sizeof *first);
  SCOPED idx_g *column = mem_alloc(all + 1, sizeof *column);
  SCOPED struct entry *in = mem_alloc(all + 1, sizeof *in);
  TRY(rows_of(rows, key));
  TRY(fe_rows_of_entries((struct fe_set *)s->columns, all, s->rt.col, column));
  for (size_t e = 0; e < n; e++) first[e] = s->rt.start[e + 1] - s->rt.start[e];
  TRY(counts_become_rows(rows, n, key, first));
  for (size_t e = 0; e < n; e++) {
    size_t from = (size_t)s->rt.start[e], k = (size_t)s->rt.start[e + 1] - from;
    for (size_t i = 0; i < k; i++)
      in[i] = (struct entry){column[from + i], from + i};
    qsort(in, k, sizeof *in, by_column);
    for (size_t i = 0; i < k; i++) row[in[i].at] = first[e] + (idx_g)i;
  }
  return OK;
}

/* ---- rows of a set ------------------------------------------------------- */

status
fe_rows_know(struct fe_set *s) {
  size_t n = (size_t)s->part->declared;
  status st = OK;
  if (s->blocks || !fe_rows_apart(s)) return OK;
  SCOPED idx_g *row = mem_alloc(n + 1, sizeof *row);
  if (s->box)
    fe_points_rows(s, row);
  else if (s->whole)
    st = subset_rows(s, row);
  else if (s->columns)
    st = columns_rows(s, row);
  else
    st = nonzeros_rows(s->sparsity, row);
  if (st != OK) return st;
  return rt_blocks_new(fe_ranks.comm, fe_rows_total(s), n, row, &s->blocks);
}

/* ---- entries of maps ----------------------------------------------------- */

/* Question -1 has no answer: -1. */
static void
answer_from(void *user, idx_g question, void *out) {
  *(idx_g *)out = question < 0 ? -1 : ((const idx_g *)user)[question];
}

/* Numbers out of [0, of) are asked of nobody, and stay. */
static status
ask_for(size_t n, const int *to, const idx_g *question, const idx_g *known,
        const idx_g *entry, idx_g *out) {
  SCOPED idx_g *answer = mem_alloc(n + 1, sizeof *answer);
  TRY(rt_ask(fe_ranks.comm, n, to, question, answer_from, (void *)known,
             sizeof *answer, answer));
  for (size_t i = 0; i < n; i++)
    out[i] = question[i] < 0 ? entry[i] : answer[i];
  return OK;
}

status
fe_rows_of_entries(struct fe_set *to, size_t n, const idx_g *number,
                   idx_g *row) {
  const struct rt_part *p = to->part;
  if (!fe_rows_apart(to)) {
    if (n) memmove(row, number, n * sizeof *row);
    return OK;
  }
  SCOPED idx_g *known = mem_alloc((size_t)p->declared + 1, sizeof *known);
  SCOPED int *home = mem_alloc(n + 1, sizeof *home);
  SCOPED idx_g *question = mem_alloc(n + 1, sizeof *question);
  TRY(rows_of(to, known));
  for (size_t i = 0; i < n; i++) {
    bool is = number[i] >= 0 && number[i] < p->total;
    home[i] = is ? rt_part_home(p, fe_ranks.size, number[i]) : fe_ranks.rank;
    question[i] = is ? number[i] - p->start[home[i]] : -1;
  }
  return ask_for(n, home, question, known, number, row);
}

/* Of a set that is no box's points: who has a row in its block knows its
 * number. */
static status
ask_numbers(struct fe_set *to, size_t n, const idx_g *row, idx_g *number) {
  const struct rt_part *p = to->part;
  int ranks = fe_ranks.size, rank = fe_ranks.rank;
  idx_g lo = rt_block_begin(p->total, ranks, rank);
  idx_g hi = rt_block_begin(p->total, ranks, rank + 1);
  SCOPED idx_g *own = mem_alloc((size_t)p->declared + 1, sizeof *own);
  SCOPED idx_g *block = mem_alloc((size_t)(hi - lo) + 1, sizeof *block);
  SCOPED int *holder = mem_alloc(n + 1, sizeof *holder);
  SCOPED idx_g *question = mem_alloc(n + 1, sizeof *question);
  TRY(fe_rows_know(to));
  for (idx_l e = 0; e < p->declared; e++) own[e] = p->start[rank] + e;
  TRY(rt_blocks_collect(to->blocks, own, sizeof *own, block));
  for (size_t i = 0; i < n; i++) {
    bool is = row[i] >= 0 && row[i] < p->total;
    holder[i] = is ? rt_block_of(p->total, ranks, row[i]) : rank;
    question[i] = is ? row[i] - rt_block_begin(p->total, ranks, holder[i]) : -1;
  }
  return ask_for(n, holder, question, block, row, number);
}

status
fe_entries_of_rows(struct fe_set *to, size_t n, const idx_g *row,
                   idx_g *number) {
  bool apart = fe_rows_apart(to);
  idx_g total = fe_rows_total(to);
  if (apart && !to->box) return ask_numbers(to, n, row, number);
  for (size_t i = 0; i < n; i++) {
    bool is = apart && row[i] >= 0 && row[i] < total;
    number[i] = is ? fe_points_of_row(to, row[i]) : row[i];
  }
  return OK;
}
