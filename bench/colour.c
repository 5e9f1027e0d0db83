/* Greedy colouring of blocks.
 *
 * Problem: two blocks that increment the same target must not run at once.
 * Idea: sweep over the blocks that have no colour yet; every target holds a
 * word with one bit a colour that is taken there; a block gets the lowest bit
 * that is free at all its targets. A sweep hands out up to 64 colours; blocks
 * that found none wait for the next sweep. Example: blocks {0 1} {1 2} {2 3} of
 * a path of targets get colours 0 1 0. Cost: O(n * arity) a sweep, one sweep as
 * long as 64 colours do. Source: G. R. Mudalige et al., "OP2: an active library
 * framework for solving unstructured mesh-based applications", 2012, section
 * III.
 */
#include "colour.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "take.h"

/* Without -fopenmp (the tests, which run on one thread) all is serial. */
#ifdef _OPENMP
#include <omp.h>
#define PARALLEL_FOR                                                           \
  _Pragma("omp parallel for num_threads(threads) schedule(static)")
#else
#define PARALLEL_FOR (void)threads;
static int
omp_get_thread_num(void) {
  return 0;
}
#endif

struct sweep {
  const int *table;
  int arity, ntarget;
  uint64_t *taken; /* per target */
  int *colour;     /* per block; -1: none yet */
};

static int
block_end(const struct colouring *c, int b) {
  int end = (b + 1) * c->block;
  return end < c->n ? end : c->n;
}

/* Colour (from `base`) for block b, or -1 if all 64 are taken around it. */
static int
colour_block(const struct colouring *c, struct sweep *s, int b, int base) {
  size_t lo = (size_t)b * c->block * s->arity;
  size_t hi = (size_t)block_end(c, b) * s->arity;
  uint64_t taken = 0;
  for (size_t i = lo; i < hi; i++) taken |= s->taken[s->table[i]];
  if (taken == UINT64_MAX) return -1;
  int bit = __builtin_ctzll(~taken);
  for (size_t i = lo; i < hi; i++) s->taken[s->table[i]] |= (uint64_t)1 << bit;
  return base + bit;
}

static void
colour_all(struct colouring *c, struct sweep *s) {
  int left = c->nblocks;
  for (int base = 0; left > 0; base += 64) {
    memset(s->taken, 0, (size_t)s->ntarget * sizeof *s->taken);
    for (int b = 0; b < c->nblocks; b++) {
      if (s->colour[b] >= 0) continue;
      s->colour[b] = colour_block(c, s, b, base);
      if (s->colour[b] < 0) continue;
      left--;
      if (s->colour[b] >= c->ncolours) c->ncolours = s->colour[b] + 1;
    }
  }
}

/* Counting sort of the blocks by colour. */
static void
sort_blocks(struct colouring *c, const int *colour) {
  c->order = bench_take(c->nblocks, sizeof(int));
  c->start = bench_take(c->ncolours + 2, sizeof(int));
  for (int b = 0; b < c->nblocks; b++) c->start[colour[b] + 2]++;
  for (int k = 0; k < c->ncolours; k++) c->start[k + 2] += c->start[k + 1];
  for (int b = 0; b < c->nblocks; b++) c->order[c->start[colour[b] + 1]++] = b;
}

void
colouring_make(struct colouring *c, int n, int block, const int *table,
               int arity, int ntarget) {
  *c = (struct colouring){.n = n, .block = block > 0 ? block : 1024};
  c->nblocks = n / c->block + (n % c->block != 0);
  struct sweep s = {table, arity, ntarget, NULL, NULL};
  s.colour = bench_take(c->nblocks, sizeof(int));
  c->ncolours = c->nblocks > 0;
  if (table) {
    memset(s.colour, -1, (size_t)c->nblocks * sizeof(int));
    s.taken = bench_take(ntarget, sizeof *s.taken);
    colour_all(c, &s);
  }
  sort_blocks(c, s.colour);
  free(s.taken);
  free(s.colour);
}

void
colouring_clear(struct colouring *c) {
  free(c->order);
  free(c->start);
  memset(c, 0, sizeof *c);
}

void
colouring_run(const struct colouring *c, int threads, loop_body *body,
              void *context) {
  for (int k = 0; k < c->ncolours; k++) {
    PARALLEL_FOR
    for (int i = c->start[k]; i < c->start[k + 1]; i++) {
      int b = c->order[i];
      body(context, b * c->block, block_end(c, b), omp_get_thread_num());
    }
  }
}
