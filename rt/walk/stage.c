/* Numbers of a block's own for staging increments in local memory.
 *
 * Problem. Work items of a group increment elements through a map. In the
 * device's memory each increment is an atomic operation, though most of a
 * group's increments meet in few elements.
 *
 * Idea. A group first adds into its local memory, which is small: room for the
 * distinct targets of its block, in an order of their own. So each block gets a
 * list of its targets, and each entry of its elements a place in that list:
 *
 *   map, entries 0 and 1     block 0: elements 0 1 2
 *     0: 7 8                 targets  7 8 9
 *     1: 8 9                 local    0 1 | 1 2 | 0 2
 *     2: 7 9
 *
 * What was added is then carried to memory once for each target of the block: 3
 * atomic operations for 6 increments. The list is sorted, so that neighbouring
 * work items reach neighbouring words then.
 *
 * Cost  a sort of each block's entries, once for each version of a map; two
 *       bytes an entry and a word a target of each block, which a launch reads.
 * Source  ind_map and loc_map of OP2's plans (Mudalige et al. 2012, section
 *         III). */
#include "rt/walk/stage.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

static int
by_number(const void *a, const void *b) {
  idx_l x = *(const idx_l *)a, y = *(const idx_l *)b;
  return (x > y) - (x < y);
}

static idx_l
target_of(const struct rt_entries *c, idx_l e, uint32_t j) {
  struct rt_row row = rt_row(c[j].of, e);
  assert(c[j].count == 1 && c[j].first < row.n);
  return row.at[c[j].first];
}

/* Sorted, each once; how many. */
static uint32_t
distinct(idx_l *list, uint32_t n) {
  uint32_t m = 0;
  qsort(list, n, sizeof *list, by_number);
  for (uint32_t k = 0; k < n; k++)
    if (!m || list[m - 1] != list[k]) list[m++] = list[k];
  return m;
}

static void
block_make(struct rt_stage *s, idx_l b, const struct rt_entries *c) {
  idx_l lo = b * s->block, hi = lo + s->block < s->n ? lo + s->block : s->n;
  idx_l *list = s->targets + s->first[b];
  uint32_t n = 0;
  for (idx_l e = lo; e < hi; e++)
    for (uint32_t j = 0; j < s->nentries; j++) list[n++] = target_of(c, e, j);
  uint32_t m = distinct(list, n);
  for (idx_l e = lo; e < hi; e++)
    for (uint32_t j = 0; j < s->nentries; j++) {
      idx_l t = target_of(c, e, j);
      idx_l *at = bsearch(&t, list, m, sizeof t, by_number);
      s->local[(size_t)e * s->nentries + j] = (uint16_t)(at - list);
    }
  s->first[b + 1] = s->first[b] + (idx_l)m;
  if (m > s->most) s->most = m;
}

status
rt_stage_make(idx_l n, idx_l block, const struct rt_entries *c,
              uint32_t nentries, struct rt_stage **out) {
  assert(block > 0 && (size_t)block * nentries <= RT_STAGE_MAX);
  size_t entries = (size_t)n * nentries;
  if (entries > INT32_MAX)
    FAIL(ERR_STATE, "staging: %d elements with %u entries each are too many", n,
         nentries);
  struct rt_stage *s = mem_alloc(1, sizeof *s);
  s->n = n;
  s->block = block;
  s->nblocks = (idx_l)(((int64_t)n + block - 1) / block);
  s->nentries = nentries;
  s->first = mem_alloc((size_t)s->nblocks + 1, sizeof *s->first);
  s->targets = mem_alloc(entries, sizeof *s->targets);
  s->local = mem_alloc(entries, sizeof *s->local);
  for (idx_l b = 0; b < s->nblocks; b++) block_make(s, b, c);
  *out = s;
  return OK;
}

void
rt_stage_free(struct rt_stage *s) {
  if (!s) return;
  free(s->first);
  free(s->targets);
  free(s->local);
  free(s);
}
