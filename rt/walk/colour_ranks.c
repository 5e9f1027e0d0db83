/* Colours over ranks: one order of increments, whatever the partition.
 *
 * Problem. A target gets its increments from several elements, and their sum
 * depends on the order. Ranks number elements each in its own way, have copies
 * of others', and cut the mesh wherever they like; the order must not tell.
 *
 * Idea. What all partitions share is the number that the program gave an
 * element. Cut those numbers into blocks, and colour the blocks by which of
 * them share targets: the walk that one rank would make (colour.c). A rank
 * runs, colour after colour, of each block the elements that it has. Two blocks
 * of one colour share no target, so that each target is reached in the order of
 * (colour, number), and threads take blocks as on one rank.
 *
 *   program's edges   0 1 2 | 3 4 5 | 6 7 8      blocks 0 1 2, colours 0 1 0
 *   rank 0 has        0 1 2   3                  runs 0 1 2, then 3
 *   rank 1 has            2   3 4 5   6 7 8      runs 2, 6 7 8, then 3 4 5
 *
 * The owner of a target has all elements that name it (L_1), so that it knows
 * which blocks meet there. Pairs of blocks are gathered, and each rank colours
 * the graph by itself: block by block, the lowest colour that no neighbour
 * before it has.
 *
 * Cost: the entries of L_1 twice, a sort of this rank's elements, and on each
 * rank the graph of all blocks, one for 512 elements of the mesh; one
 * collective. Source: two-level colouring as in colour.c; one order from the
 * program's numbers: Siklosi, Mudalige, Reguly, "Bitwise reproducible task
 * execution on unstructured mesh applications", 2024, which colours elements.
 * Limits: a rank that has few elements of each block runs short pieces. Loops
 * that update a global in place and increment as well run others' elements
 * last. */
#include "base/arena.h"
#include "rt/walk/walk.h"
#include "rt/ranks/dist.h"
#include "rt/ranks/comm.h"

#include <stdlib.h>

typedef uint64_t two; /* a pair of numbers, ordered by the first */

struct twos {
  two *at;
  uint32_t n, cap;
};

static two
two_of(idx_l a, idx_l b) {
  return (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
}

static idx_l
two_first(two x) {
  return (idx_l)(x >> 32);
}

static idx_l
two_second(two x) {
  return (idx_l)(x & UINT32_MAX);
}

static int
two_order(const void *a, const void *b) {
  const two x = *(const two *)a, y = *(const two *)b;
  return (x > y) - (x < y);
}

static void
twos_sort(struct twos *v) {
  uint32_t n = 0;
  if (v->n) qsort(v->at, v->n, sizeof *v->at, two_order);
  for (uint32_t i = 0; i < v->n; i++)
    if (!n || v->at[i] != v->at[n - 1]) v->at[n++] = v->at[i];
  v->n = n;
}

/* ---- which blocks meet -------------------------------------------------- */

struct maker {
  const struct rt_part *part;
  const struct rt_entries *c;
  uint32_t nc;
  idx_l block;
};

static idx_l
block_of(const struct maker *m, idx_l e) {
  return (idx_l)(m->part->global[e] / m->block);
}

enum { NOBODY = -1, SEVERAL = -2 };

/* Owned target t is named by block b. First pass (`met` is NULL): by which one
 * alone; second pass: where there are several, `met` has them. */
static void
note_target(idx_l *only, struct twos *met, idx_l t, idx_l b) {
  if (met && only[t] == SEVERAL)
    VEC_PUSH(met->at, met->n, met->cap, two_of(t, b));
  else if (!met && only[t] != b)
    only[t] = only[t] == NOBODY ? b : SEVERAL;
}

/* All entries to one set. */
static void
walk(const struct maker *m, const struct rt_set *to, idx_l *only,
     struct twos *met) {
  for (idx_l e = 0; e < m->part->level[1]; e++)
    for (uint32_t i = 0; i < m->nc; i++) {
      if (m->c[i].of->to != to) continue;
      struct rt_row row = rt_entries_of(&m->c[i], e);
      for (uint32_t k = 0; k < row.n; k++)
        if (row.at[k] < to->part->owned)
          note_target(only, met, row.at[k], block_of(m, e));
    }
}

/* met: (target, block), sorted; each two blocks of a target, the later one
 * first */
static void
pair_up(const struct twos *met, struct twos *pairs) {
  for (uint32_t i = 0, end; i < met->n; i = end) {
    for (end = i;
         end < met->n && two_first(met->at[end]) == two_first(met->at[i]);)
      end++;
    for (uint32_t a = i; a < end; a++)
      for (uint32_t b = a + 1; b < end; b++) {
        two x = two_of(two_second(met->at[b]), two_second(met->at[a]));
        if (!pairs->n || pairs->at[pairs->n - 1] != x)
          VEC_PUSH(pairs->at, pairs->n, pairs->cap, x);
      }
  }
}

static void
find_pairs(const struct maker *m, struct twos *pairs) {
  for (uint32_t i = 0; i < m->nc; i++) {
    const struct rt_set *to = m->c[i].of->to;
    if (rt_entries_alike(m->c, i) != i) continue;
    idx_l *only = mem_alloc((size_t)to->part->owned + 1, sizeof *only);
    struct twos met = {0};
    for (idx_l t = 0; t < to->part->owned; t++) only[t] = NOBODY;
    walk(m, to, only, NULL);
    walk(m, to, only, &met);
    twos_sort(&met);
    pair_up(&met, pairs);
    free(only);
    free(met.at);
  }
  twos_sort(pairs);
}

/* Those of all ranks. */
static status
gather_pairs(struct rt_comm *comm, struct twos *pairs) {
  size_t ranks = (size_t)comm->size, most = 0;
  uint64_t mine = pairs->n, *counts = mem_alloc(ranks, sizeof *counts);
  status st = rt_allgather(comm, &mine, sizeof mine, counts);
  for (size_t r = 0; st == OK && r < ranks; r++)
    if (counts[r] > most) most = counts[r];
  SCOPED two *padded = mem_alloc(most * (ranks + 1) + 1, sizeof *padded);
  two *all = padded + most;
  for (uint32_t i = 0; i < pairs->n; i++) padded[i] = pairs->at[i];
  if (st == OK && most)
    st = rt_allgather(comm, padded, most * sizeof *padded, all);
  pairs->n = 0;
  for (size_t r = 0; st == OK && r < ranks; r++)
    for (size_t i = 0; i < counts[r]; i++)
      VEC_PUSH(pairs->at, pairs->n, pairs->cap, all[r * most + i]);
  twos_sort(pairs);
  free(counts);
  return st;
}

/* ---- colours ------------------------------------------------------------ */

/* colour[b], by the pairs (b, an earlier neighbour of b); the number of
 * colours. */
static idx_l
colour_graph(const struct twos *pairs, idx_l nblocks, idx_l *colour) {
  SCOPED idx_l *taken =
      mem_alloc((size_t)nblocks + 1, sizeof *taken); /* by b + 1 */
  idx_l ncolours = 0;
  uint32_t i = 0;
  for (idx_l b = 0; b < nblocks; b++) {
    for (; i < pairs->n && two_first(pairs->at[i]) == b; i++)
      taken[colour[two_second(pairs->at[i])]] = b + 1;
    while (taken[colour[b]] == b + 1) colour[b]++;
    if (colour[b] >= ncolours) ncolours = colour[b] + 1;
  }
  return ncolours;
}

/* ---- this rank's walk --------------------------------------------------- */

struct place {
  idx_g global;
  idx_l here;
};

static int
place_order(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  return (x->global > y->global) - (x->global < y->global);
}

/* Elements [0, n) by their global numbers: element at[x] is x-th. Where blocks
 * begin, first[0 .. count]; count_out. */
static void
sort_elements(const struct maker *m, idx_l n, idx_l *at, idx_l *first,
              idx_l *count_out) {
  SCOPED struct place *places = mem_alloc((size_t)n + 1, sizeof *places);
  idx_l count = 0;
  for (idx_l e = 0; e < n; e++)
    places[e] = (struct place){m->part->global[e], e};
  if (n) qsort(places, (size_t)n, sizeof *places, place_order);
  for (idx_l i = 0; i < n; i++) {
    at[i] = places[i].here;
    if (!i || block_of(m, at[i]) != block_of(m, at[i - 1])) first[count++] = i;
  }
  first[count] = n;
  *count_out = count;
}

/* A step for each colour, a task for each of `count` blocks that begin there.
 */
static status
make_steps(const struct maker *m, idx_l count, const idx_l *at,
           const idx_l *first, const idx_l *colour, idx_l ncolours,
           struct rt_walk **out) {
  struct rt_walk *w = *out = rt_walk_new(ncolours, count, count);
  if (!w) FAIL(ERR_MEMORY, "no memory for a walk of %d blocks", count);
  SCOPED idx_l *of = mem_alloc(2 * (size_t)count + 1, sizeof *of);
  idx_l *order = of + count;
  w->n = first[count];
  for (idx_l j = 0; j < count; j++) of[j] = colour[block_of(m, at[first[j]])];
  rt_group(of, count, ncolours, NULL, w->step, order);
  for (idx_l k = 0; k < count; k++) {
    w->task[k + 1] = k + 1;
    w->piece[k] = (struct rt_range){first[order[k]], first[order[k] + 1]};
  }
  return OK;
}

/* What this rank has of all ranks' blocks. */
static status
make_walk(const struct maker *m, idx_l n, const struct twos *pairs,
          struct rt_walk **out) {
  idx_l nblocks = (idx_l)((m->part->total + m->block - 1) / m->block), count;
  SCOPED idx_l *colour = mem_alloc((size_t)nblocks + 1, sizeof *colour);
  idx_l *at = mem_alloc((size_t)n + 1, sizeof *at);
  SCOPED idx_l *first = mem_alloc((size_t)n + 2, sizeof *first);
  idx_l ncolours = colour_graph(pairs, nblocks, colour);
  sort_elements(m, n, at, first, &count);
  status st = make_steps(m, count, at, first, colour, ncolours, out);
  if (st == OK)
    (*out)->at = (*out)->own = at;
  else
    free(at);
  return st;
}

status
rt_colours_make_ranks(const struct rt_walk_want *want, struct rt_walk **out) {
  assert(want->set->part && want->block > 0);
  assert(0 <= want->level && want->level <= REACH_MAX);
  struct maker m = {want->set->part, want->c, want->nc, want->block};
  struct twos pairs = {0};
  find_pairs(&m, &pairs);
  status st = gather_pairs(want->comm, &pairs);
  if (st == OK)
    st = make_walk(&m, want->set->part->level[want->level], &pairs, out);
  free(pairs.at);
  return st;
}
