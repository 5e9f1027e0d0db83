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
 * Cost. 24 bytes a run and 16 on the rank that has the block; values go once,
 * of all rows or of a range of them, through memory for messages as large. */
#include "rt/ranks/dist.h"

#include "base/arena.h"
#include "rt/ranks/comm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct run {
  idx_g row, n;
};
struct own_run {
  struct run rows;
  size_t at; /* its first element */
};

struct rt_blocks {
  struct rt_comm *comm;
  idx_g n, lo, hi;          /* rows; of this rank's block */
  VEC(struct own_run, own); /* ascending rows */
  struct run *theirs;       /* of this block: by rank, in the rank's order */
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

/* Elements from `at` on, cut where blocks end. */
static void
own_add(struct rt_blocks *b, struct run rows, size_t at) {
  int ranks = b->comm->size;
  while (rows.n) {
    int to = rt_block_of(b->n, ranks, rows.row);
    idx_g room = rt_block_begin(b->n, ranks, to + 1) - rows.row;
    struct own_run part = {{rows.row, rows.n < room ? rows.n : room}, at};
    VEC_PUSH(b->own, b->nown, b->capown, part);
    b->given[to] += (size_t)part.rows.n;
    rows.row += part.rows.n;
    rows.n -= part.rows.n;
    at += (size_t)part.rows.n;
  }
}

static int
by_row(const void *a, const void *b) {
  idx_g x = ((const struct own_run *)a)->rows.row;
  idx_g y = ((const struct own_run *)b)->rows.row;
  return (x > y) - (x < y);
}

static void
own_find(struct rt_blocks *b, size_t m, const idx_g *row) {
  bool sorted = true;
  for (size_t e = 0, n; e < m; e += n) {
    for (n = 1; e + n < m && row[e + n] == row[e] + (idx_g)n;) n++;
    sorted &= !e || row[e] > row[e - 1];
    own_add(b, (struct run){row[e], (idx_g)n}, e);
  }
  if (!sorted) qsort(b->own, b->nown, sizeof *b->own, by_row);
}

/* All learn which runs they get. Collective. */
static status
runs_tell(struct rt_blocks *b) {
  size_t ranks = (size_t)b->comm->size;
  SCOPED size_t *counts = mem_alloc(2 * ranks, sizeof *counts);
  SCOPED struct run *send = mem_alloc((size_t)b->nown + 1, sizeof *send);
  for (uint32_t i = 0; i < b->nown; i++) {
    send[i] = b->own[i].rows;
    counts[rt_block_of(b->n, b->comm->size, send[i].row)]++;
    b->given_all += (size_t)send[i].n;
  }
  TRY(rt_alltoall(b->comm, send, counts, sizeof *send, &b->theirs,
                  counts + ranks));
  const struct run *r = b->theirs;
  for (size_t from = 0; from < ranks; from++)
    for (size_t k = 0; k < counts[ranks + from]; k++, r++)
      b->got[from] += (size_t)r->n;
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
    for (idx_g k = 0; k < b->own[i].rows.n; k++)
      out[b->own[i].at + (size_t)k] = b->own[i].rows.row + k;
}

/* ---- values -------------------------------------------------------------- */

status
rt_blocks_collect(const struct rt_blocks *b, const void *values, size_t bytes,
                  void *block) {
  SCOPED char *send = mem_alloc(b->given_all + 1, bytes);
  SCOPED char *recv = mem_alloc(b->got_all + 1, bytes);
  char *to = send;
  for (uint32_t i = 0; i < b->nown; i++) {
    size_t n = (size_t)b->own[i].rows.n * bytes;
    memcpy(to, (const char *)values + b->own[i].at * bytes, n);
    to += n;
  }
  TRY(rt_alltoall_known(b->comm, send, b->given, bytes, recv, b->got));
  const char *from = recv;
  for (size_t i = 0; i < b->ntheirs; i++) {
    const struct run *r = &b->theirs[i];
    assert(r->row >= b->lo && r->row + r->n <= b->hi);
    memcpy((char *)block + (size_t)(r->row - b->lo) * bytes, from,
           (size_t)r->n * bytes);
    from += (size_t)r->n * bytes;
  }
  return OK;
}

status
rt_blocks_spread(const struct rt_blocks *b, const void *block, size_t bytes,
                 void *values) {
  SCOPED char *send = mem_alloc(b->got_all + 1, bytes);
  SCOPED char *recv = mem_alloc(b->given_all + 1, bytes);
  char *to = send;
  for (size_t i = 0; i < b->ntheirs; i++) {
    const struct run *r = &b->theirs[i];
    size_t n = (size_t)r->n * bytes;
    memcpy(to, (const char *)block + (size_t)(r->row - b->lo) * bytes, n);
    to += n;
  }
  TRY(rt_alltoall_known(b->comm, send, b->got, bytes, recv, b->given));
  const char *from = recv;
  for (uint32_t i = 0; i < b->nown; i++) {
    size_t n = (size_t)b->own[i].rows.n * bytes;
    memcpy((char *)values + b->own[i].at * bytes, from, n);
    from += n;
  }
  return OK;
}

/* ---- a range ------------------------------------------------------------- */

/* Rows [lo, hi) of those that a run has. */
static struct run
run_within(struct run r, idx_g lo, idx_g hi) {
  idx_g end = r.row + r.n < hi ? r.row + r.n : hi;
  if (r.row < lo) r.row = lo;
  r.n = end > r.row ? end - r.row : 0;
  return r;
}

/* Runs and values of this rank, `bytes` each, to all others. GIVE what came. */
static status
tell_all(struct rt_comm *c, const void *mine, size_t n, size_t bytes, void *out,
         size_t *n_out) {
  size_t ranks = (size_t)c->size;
  SCOPED char *send = mem_alloc(ranks * n + 1, bytes);
  SCOPED size_t *counts = mem_alloc(2 * ranks, sizeof *counts);
  for (size_t r = 0; r < ranks; r++) {
    counts[r] = n;
    if (n) memcpy(send + r * n * bytes, mine, n * bytes);
  }
  TRY(rt_alltoall(c, send, counts, bytes, out, counts + ranks));
  *n_out = 0;
  for (size_t r = 0; r < ranks; r++) *n_out += counts[ranks + r];
  return OK;
}

status
rt_blocks_range(const struct rt_blocks *b, idx_g lo, idx_g hi,
                const void *values, size_t bytes, void *out) {
  SCOPED struct run *runs = mem_alloc((size_t)b->nown + 1, sizeof *runs);
  SCOPED char *mine = mem_alloc((size_t)(hi - lo) + 1, bytes);
  SCOPED struct run *all = NULL;
  SCOPED char *found = NULL;
  size_t nruns = 0, rows = 0, nall, nfound;
  for (uint32_t i = 0; i < b->nown; i++) {
    struct run r = run_within(b->own[i].rows, lo, hi);
    size_t at = b->own[i].at + (size_t)(r.row - b->own[i].rows.row);
    if (!r.n) continue;
    memcpy(mine + rows * bytes, (const char *)values + at * bytes,
           (size_t)r.n * bytes);
    rows += (size_t)r.n;
    runs[nruns++] = r;
  }
  TRY(tell_all(b->comm, runs, nruns, sizeof *runs, &all, &nall));
  TRY(tell_all(b->comm, mine, rows, bytes, &found, &nfound));
  const char *from = found;
  for (size_t i = 0; i < nall; i++) {
    size_t n = (size_t)all[i].n * bytes;
    memcpy((char *)out + (size_t)(all[i].row - lo) * bytes, from, n);
    from += n;
  }
  assert(from == found + nfound * bytes);
  return OK;
}
