/* Blocks: rows that lie anywhere among all ranks, as one block on each.
 *
 * Problem. A data set of a file has rows in one order, the same on any ranks,
 * and each rank writes one stretch of them. What a rank has may be anything but
 * a stretch: of a box in parts it is lines of points, rows of which follow one
 * another, and between them lie those of other ranks.
 *
 * Idea. Of n rows each rank gets a block, as equal as can be. Elements whose
 * rows follow one another are a run; runs end where blocks do, and are sorted
 * by block. Ranks tell once which runs they have of the blocks of others; then
 * values go along them, to the blocks or from there, one message to each rank.
 *
 *   8 rows, 2 ranks     rank 0 has rows 0 1 4 5, rank 1 rows 2 3 6 7
 *   runs                0-1 | 4-5                2-3 | 6-7
 *   blocks              0 1 2 3                  4 5 6 7
 *
 * Several ranks may have the same row, if all have the same value of it.
 *
 * Cost. 24 bytes a run here and on the rank that has the block; values go once,
 * of all rows or of a range of them, through memory for messages as large. */
#include "rt/ranks/dist.h"

#include "base/arena.h"
#include "rt/ranks/comm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Rows that follow one another; where the first stands in what is at hand:
 * elements, a block, a range. */
struct run {
  idx_g row, n;
  size_t at;
};

struct rt_blocks {
  struct rt_comm *comm;
  idx_g n, lo, hi;      /* rows; of this rank's block */
  VEC(struct run, own); /* ascending rows */
  struct run *theirs;   /* of this block: by rank, in the rank's order */
  size_t ntheirs, given_all, got_all;
  size_t *given, *got; /* [ranks]: elements of both */
};

idx_g
rt_block_begin(idx_g n, int ranks, int rank) {
  return n / ranks * rank + n % ranks * rank / ranks;
}

int
rt_block_of(idx_g n, int ranks, idx_g row) {
  int lo = 0, hi = ranks;
  assert(row >= 0 && row < n);
  while (hi - lo > 1) {
    int mid = lo + (hi - lo) / 2;
    if (rt_block_begin(n, ranks, mid) <= row)
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

/* ---- runs ---------------------------------------------------------------- */

/* Cut where blocks end. */
static void
own_add(struct rt_blocks *b, struct run all) {
  int ranks = b->comm->size;
  while (all.n) {
    int to = rt_block_of(b->n, ranks, all.row);
    idx_g room = rt_block_begin(b->n, ranks, to + 1) - all.row;
    struct run part = {all.row, all.n < room ? all.n : room, all.at};
    VEC_PUSH(b->own, b->nown, b->capown, part);
    b->given[to] += (size_t)part.n;
    all.row += part.n;
    all.n -= part.n;
    all.at += (size_t)part.n;
  }
}

static int
by_row(const void *a, const void *b) {
  const struct run *x = a, *y = b;
  return (x->row > y->row) - (x->row < y->row);
}

static void
own_find(struct rt_blocks *b, size_t m, const idx_g *row) {
  bool sorted = true;
  for (size_t e = 0, n; e < m; e += n) {
    for (n = 1; e + n < m && row[e + n] == row[e] + (idx_g)n;) n++;
    sorted &= !e || row[e] > row[e - 1];
    own_add(b, (struct run){row[e], (idx_g)n, e});
  }
  if (!sorted) qsort(b->own, b->nown, sizeof *b->own, by_row);
}

/* All learn which runs they get. Collective. */
static status
runs_tell(struct rt_blocks *b) {
  size_t ranks = (size_t)b->comm->size;
  SCOPED size_t *counts = mem_alloc(2 * ranks, sizeof *counts);
  for (uint32_t i = 0; i < b->nown; i++) {
    counts[rt_block_of(b->n, b->comm->size, b->own[i].row)]++;
    b->given_all += (size_t)b->own[i].n;
  }
  TRY(rt_alltoall(b->comm, b->own, counts, sizeof *b->own, &b->theirs,
                  counts + ranks));
  struct run *r = b->theirs;
  for (size_t from = 0; from < ranks; from++)
    for (size_t k = 0; k < counts[ranks + from]; k++, r++) {
      assert(r->row >= b->lo && r->row + r->n <= b->hi);
      r->at = (size_t)(r->row - b->lo);
      b->got[from] += (size_t)r->n;
    }
  b->ntheirs = (size_t)(r - b->theirs);
  for (size_t from = 0; from < ranks; from++) b->got_all += b->got[from];
  return OK;
}

status
rt_blocks_new(struct rt_comm *c, idx_g n, size_t m, const idx_g *row,
              struct rt_blocks **out) {
  struct rt_blocks *b = mem_alloc(1, sizeof *b);
  b->comm = c;
  b->n = n;
  b->lo = rt_block_begin(n, c->size, c->rank);
  b->hi = rt_block_begin(n, c->size, c->rank + 1);
  b->given = mem_alloc(2 * (size_t)c->size, sizeof *b->given);
  b->got = b->given + c->size;
  own_find(b, m, row);
  status st = runs_tell(b);
  if (st != OK) rt_blocks_free(b);
  *out = st == OK ? b : NULL;
  return st;
}

void
rt_blocks_free(struct rt_blocks *b) {
  if (!b) return;
  free(b->own);
  free(b->theirs);
  free(b->given);
  free(b);
}

void
rt_blocks_rows(const struct rt_blocks *b, idx_g *out) {
  for (uint32_t i = 0; i < b->nown; i++)
    for (idx_g k = 0; k < b->own[i].n; k++)
      out[b->own[i].at + (size_t)k] = b->own[i].row + k;
}

/* ---- values -------------------------------------------------------------- */

/* Values of runs, one behind the other; the end. */
static const char *
pack(const struct run *r, size_t n, const void *values, size_t bytes,
     char *to) {
  for (size_t i = 0; i < n; i++) {
    size_t all = (size_t)r[i].n * bytes;
    memcpy(to, (const char *)values + r[i].at * bytes, all);
    to += all;
  }
  return to;
}

static const char *
unpack(const struct run *r, size_t n, const char *from, size_t bytes,
       void *values) {
  for (size_t i = 0; i < n; i++) {
    size_t all = (size_t)r[i].n * bytes;
    memcpy((char *)values + r[i].at * bytes, from, all);
    from += all;
  }
  return from;
}

status
rt_blocks_collect(const struct rt_blocks *b, const void *values, size_t bytes,
                  void *block) {
  SCOPED char *send = mem_alloc(b->given_all + 1, bytes);
  SCOPED char *recv = mem_alloc(b->got_all + 1, bytes);
  pack(b->own, b->nown, values, bytes, send);
  TRY(rt_alltoall_known(b->comm, send, b->given, bytes, recv, b->got));
  unpack(b->theirs, b->ntheirs, recv, bytes, block);
  return OK;
}

status
rt_blocks_spread(const struct rt_blocks *b, const void *block, size_t bytes,
                 void *values) {
  SCOPED char *send = mem_alloc(b->got_all + 1, bytes);
  SCOPED char *recv = mem_alloc(b->given_all + 1, bytes);
  pack(b->theirs, b->ntheirs, block, bytes, send);
  TRY(rt_alltoall_known(b->comm, send, b->got, bytes, recv, b->given));
  unpack(b->own, b->nown, recv, bytes, values);
  return OK;
}

/* Rows [lo, hi) of those that a run has. */
static struct run
run_within(struct run r, idx_g lo, idx_g hi) {
  idx_g end = r.row + r.n < hi ? r.row + r.n : hi;
  idx_g skip = r.row < lo ? lo - r.row : 0;
  r.row += skip;
  r.at += (size_t)skip;
  r.n = end > r.row ? end - r.row : 0;
  return r;
}

status
rt_blocks_range(const struct rt_blocks *b, idx_g lo, idx_g hi,
                const void *values, size_t bytes, void *out) {
  SCOPED struct run *own = mem_alloc((size_t)b->nown + 1, sizeof *own);
  SCOPED struct run *all = NULL;
  SCOPED char *mine = mem_alloc((size_t)(hi - lo) + 1, bytes), *found = NULL;
  size_t nown = 0, nall, nfound;
  for (uint32_t i = 0; i < b->nown; i++) {
    own[nown] = run_within(b->own[i], lo, hi);
    nown += own[nown].n > 0;
  }
  size_t rows = (size_t)(pack(own, nown, values, bytes, mine) - mine) / bytes;
  TRY(rt_tell(b->comm, b->comm->size, own, nown, sizeof *own, &all, &nall));
  TRY(rt_tell(b->comm, b->comm->size, mine, rows, bytes, &found, &nfound));
  for (size_t i = 0; i < nall; i++) all[i].at = (size_t)(all[i].row - lo);
  const char *end = unpack(all, nall, found, bytes, out);
  assert(end == found + nfound * bytes);
  (void)end;
  return OK;
}
