/* A program that declares everything, made into one whose ranks declare parts:
 * include this, then the program. Sets are cut, maps and data of a rank are the rows
 * of its part (maps name global elements, as they did), and a fetch gives all
 * values, after a look at whether the part that a plain fetch gives is the same.
 *
 * Under OP2_REPRODUCIBLE a hash of all that was fetched is printed, "bits ...", for
 * run.sh to compare.
 *
 *   SLICE=even   equal parts; skew: none for rank 0, then more and more
 *   PART=RANDOM, INERTIAL, EXTERNAL, PTSCOTCH: op_partition before the first loop
 */
#ifndef TEST_MPI_SLICE_H
#define TEST_MPI_SLICE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../programs/ranks.h"
#include "op2.h"

enum { SLICE_SETS = 64 };

static struct {
  int n[SLICE_SETS], lo[SLICE_SETS], hi[SLICE_SETS]; /* by number of the set */
  op_set set;
  op_map map; /* the first that links two targets */
  op_dat x, owner;
  int ready;
  uint64_t bits;
} slice;

static inline void
slice_note(const void *data, size_t bytes) {
  const unsigned char *at = data;
  for (size_t i = 0; i < bytes; i++)
    slice.bits = (slice.bits ^ at[i]) * 0x100000001b3u;
}

static inline void
slice_exit(void) {
  const char *on = getenv("OP2_REPRODUCIBLE");
  if (on && atoi(on) && op_is_root())
    printf("bits %016llx\n", (unsigned long long)slice.bits);
  slice.map = NULL; /* handles end here */
  slice.x = slice.owner = NULL;
  op_exit();
}

static inline int
slice_begin(long n, long r, long ranks) {
  const char *how = getenv("SLICE");
  if (ranks > 1 && how && !strcmp(how, "skew"))
    return (int)(n * (r * (r - 1) / 2) / (ranks * (ranks - 1) / 2));
  return (int)(n * r / ranks);
}

static inline op_set
slice_set(int n, const char *name) {
  int rank, lo, hi;
  op_rank(&rank);
  lo = slice_begin(n, rank, check_ranks());
  hi = slice_begin(n, rank + 1, check_ranks());
  op_set s = op_decl_set(hi - lo, name);
  slice.n[s->index] = n;
  slice.lo[s->index] = lo;
  slice.hi[s->index] = hi;
  slice.set = s;
  slice.ready = 0;
  return s;
}

/* What a rank has of a set that was made from others. */
static inline op_set
slice_made(op_set s) {
  if (!s) return s;
  slice.n[s->index] = (int)op_get_size(s);
  slice.lo[s->index] = (int)op_get_global_set_offset(s);
  slice.hi[s->index] = slice.lo[s->index] + op_get_size_local(s);
  return s;
}

static inline op_set
slice_subset(op_set set, int n, const int *at, const char *name) {
  int i = set->index, k = 0, *mine = malloc(((size_t)n + 1) * sizeof *mine);
  for (int j = 0; mine && j < n; j++)
    if (at[j] >= slice.lo[i] && at[j] < slice.hi[i])
      mine[k++] = at[j] - slice.lo[i];
  op_set s = slice_made(op2_decl_subset(set, k, mine, name));
  free(mine);
  return s;
}

static inline op_map
slice_map(op_set from, op_set to, int dim, int *table, const char *name) {
  op_map m =
      op_decl_map(from, to, dim, table + slice.lo[from->index] * dim, name);
  if (dim > 1 && !slice.map) slice.map = m;
  return m;
}

/* Rows of any length: those of the rank's part, which begin at 0. */
static inline op_map
slice_csr(op_set from, op_set to, const idx_g_t *ptr, const int *col,
          const char *name) {
  int lo = slice.lo[from->index], n = slice.hi[from->index] - lo;
  idx_g_t *own = (idx_g_t *)malloc(((size_t)n + 1) * sizeof *own);
  for (int e = 0; e <= n; e++) own[e] = ptr[lo + e] - ptr[lo];
  op_map m = op2_decl_map_csr(from, to, own, col ? col + ptr[lo] : NULL, name);
  free(own);
  return m;
}

static inline op_dat
slice_dat(op_set set, int dim, const char *type, size_t size, void *data,
          const char *name) {
  char *at = data;
  size_t row = (size_t)dim * size;
  op_dat d =
      op2_decl_dat_at(set, dim, type, size, NULL,
                      at ? at + (size_t)slice.lo[set->index] * row : at, name);
  if (!strcmp(name, "x")) slice.x = d;
  return d;
}

/* Owners as the program gives them: every seventh element to the next rank. */
static inline op_dat
slice_owner(void) {
  int i = slice.set->index, n = slice.hi[i] - slice.lo[i];
  int *to = malloc(((size_t)n + 1) * sizeof *to);
  for (int e = 0; to && e < n; e++)
    to[e] = (slice.lo[i] + e) / 7 % check_ranks();
  op_dat d =
      op2_decl_dat_at(slice.set, 1, "int", sizeof *to, NULL, to, "owner");
  free(to);
  return d;
}

static inline void
slice_ready(void) {
  const char *part = getenv("PART");
  if (slice.ready || !part) return;
  slice.ready = 1;
  op_partition(part, "", slice.set, slice.map,
               strcmp(part, "EXTERNAL") ? slice.x : slice_owner());
}

static inline void
slice_fetch(op_dat d, void *out, size_t size, const char *ctype) {
  int i = d->set->index, lo = slice.lo[i], n = slice.hi[i] - lo;
  size_t row = (size_t)d->size;
  char *mine = malloc(((size_t)n + 1) * row);
  if (slice.n[i]) op2_fetch_idx_at(d, out, size, ctype, 0, slice.n[i] - 1);
  op2_fetch_at(d, mine, size, ctype);
  if (mine && memcmp(mine, (char *)out + (size_t)lo * row, (size_t)n * row)) {
    printf("%s: op_fetch_data gives other values than op_fetch_data_idx\n",
           d->name);
    exit(1);
  }
  free(mine);
  slice_note(out, (size_t)slice.n[i] * row);
}

#undef op_exit
#define op_exit() slice_exit()
#undef op_decl_set
#define op_decl_set(n, name) slice_set(n, name)
#undef op2_decl_subset
#define op2_decl_subset(set, n, at, name) slice_subset(set, n, at, name)
#undef op2_set_union
#define op2_set_union(a, b, name) slice_made((op2_set_union)(a, b, name))
#undef op2_set_intersection
#define op2_set_intersection(a, b, name)                                       \
  slice_made((op2_set_intersection)(a, b, name))
#undef op2_set_difference
#define op2_set_difference(a, b, name)                                         \
  slice_made((op2_set_difference)(a, b, name))
#undef op_decl_map
#define op_decl_map(from, to, dim, table, name)                                \
  slice_map(from, to, dim, table, name)
#undef op2_decl_map_csr
#define op2_decl_map_csr(from, to, ptr, col, name)                             \
  slice_csr(from, to, ptr, col, name)
#undef op2_decl_map_padded
#define op2_decl_map_padded(from, to, width, table, name)                      \
  (op2_decl_map_padded)(from, to, width,                                       \
                        (table) + slice.lo[(from)->index] * (width), name)
#undef op_decl_dat
#define op_decl_dat(set, dim, type, data, name)                                \
  slice_dat(set, dim, type, OP2_CSIZE(data), (void *)(data), name)
#undef op_fetch_data
#define op_fetch_data(dat, out)                                                \
  slice_fetch(dat, (void *)(out), OP2_CSIZE(out), OP2_CTYPE(out))
#undef op_par_loop
#define op_par_loop(kernel, name, ...)                                         \
  (slice_ready(), OP2_LOOP(kernel, name, __VA_ARGS__, OP2_LAST))

#endif
