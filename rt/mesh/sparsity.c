/* Rows of a matrix from the pairs that elements name.
 *
 * Problem. Each element couples the entries of its row of one map with those of
 * another; a matrix has a value for each such pair, once.
 *
 * Idea. Pairs are dealt to their rows by counting, each row is sorted, and what
 * repeats goes:
 *
 *   elements 0 1 3 | 2 3 1      row 0: 0 1 3    row 2: 1 2 3
 *                               row 1: 0 1 2 3  row 3: 0 1 2 3
 *
 * Cost  a pass over all pairs each time, a sort of each row, 8 bytes a pair
 *       while it runs. */
#include "rt/mesh/sparsity.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

static int
by_number(const void *a, const void *b) {
  const idx_g *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Sorted, each once; how many. */
static int64_t
row_settle(idx_g *col, int64_t n) {
  int64_t k = 0;
  qsort(col, (size_t)n, sizeof *col, by_number);
  for (int64_t i = 0; i < n; i++)
    if (!k || col[k - 1] != col[i]) col[k++] = col[i];
  return k;
}

/* start[i + 1] becomes where row i begins, so that filling moves it to its end.
 * */
static void
rows_count(struct rt_sparsity *s, bool diagonal, const struct rt_pair *pairs,
           size_t n) {
  for (idx_l i = 0; i < s->rows; i++) s->start[i + 1] = diagonal;
  for (size_t k = 0; k < n; k++) {
    assert(pairs[k].row >= s->first && pairs[k].row < s->first + s->rows);
    s->start[pairs[k].row - s->first + 1]++;
  }
  int64_t at = 0;
  for (idx_l i = 0; i < s->rows; i++) {
    int64_t length = s->start[i + 1];
    s->start[i + 1] = at;
    at += length;
  }
}

static void
rows_fill(struct rt_sparsity *s, bool diagonal, const struct rt_pair *pairs,
          size_t n) {
  for (idx_l i = 0; diagonal && i < s->rows; i++)
    s->col[s->start[i + 1]++] = s->first + i;
  for (size_t k = 0; k < n; k++)
    s->col[s->start[pairs[k].row - s->first + 1]++] = pairs[k].col;
}

static void
rows_settle(struct rt_sparsity *s) {
  int64_t to = 0, from = 0;
  for (idx_l i = 0; i < s->rows; i++) {
    int64_t end = s->start[i + 1], n = row_settle(s->col + from, end - from);
    for (int64_t k = 0; k < n; k++) s->col[to + k] = s->col[from + k];
    from = end;
    s->start[i + 1] = to += n;
  }
}

status
rt_sparsity_make(idx_g first, idx_l rows, bool diagonal,
                 const struct rt_pair *pairs, size_t n,
                 struct rt_sparsity *out) {
  assert(rows >= 0);
  *out = (struct rt_sparsity){.first = first, .rows = rows};
  out->start = mem_try((size_t)rows + 1, sizeof *out->start);
  out->col = mem_try(n + (diagonal ? (size_t)rows : 0) + 1, sizeof *out->col);
  if (!out->start || !out->col) {
    rt_sparsity_clear(out);
    FAIL(ERR_MEMORY, "no memory for rows of %zu pairs", n);
  }
  rows_count(out, diagonal, pairs, n);
  rows_fill(out, diagonal, pairs, n);
  rows_settle(out);
  return OK;
}

void
rt_sparsity_clear(struct rt_sparsity *s) {
  free(s->start);
  free(s->col);
  *s = (struct rt_sparsity){0};
}

int64_t
rt_sparsity_find(const struct rt_sparsity *s, struct rt_pair p) {
  if (p.row < s->first || p.row >= s->first + s->rows) return -1;
  int64_t lo = s->start[p.row - s->first];
  int64_t end = s->start[p.row - s->first + 1], hi = end;
  while (lo < hi) {
    int64_t mid = lo + (hi - lo) / 2;
    if (s->col[mid] < p.col)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < end && s->col[lo] == p.col ? lo : -1;
}
