/* Two-level colouring.
 *
 * Problem. Two edges that increment the same cell must not run at the same
 * time. Atomics are slow on CPUs, locks worse.
 *
 * Idea. Cut the edges into consecutive blocks and give blocks that share a cell
 * different colours; the blocks of one colour then run at once, colour after
 * colour. Inside a block the same is done for single edges, which is what the
 * threads of a device's block need.
 *
 * Greedy first fit: walk the blocks in order, each takes the lowest colour that
 * no earlier block of any of its cells has. Every cell keeps the set of colours
 * used on it as bits of one word, so a block needs two walks over its entries:
 * collect the bits, then add its own.
 *
 *   cells        0 1 2 3 4 5        blocks of 2 edges, cells they touch
 *   block 0      x x x              free: all      -> colour 0
 *   block 1          x x x          0 taken by 2   -> colour 1
 *   block 2              x x        1 taken by 4   -> colour 0
 *
 * A word has 64 bits and colours have no limit: a block that finds its word
 * full waits for the next round, which starts with empty words and stands for
 * colours 64 ... 127, and so on. The outcome is the same as with words of any
 * length, because what waits has left no bit behind.
 *
 * Targets are told apart by their set: maps to one set share its words, maps to
 * different sets don't, so that dats on several sets cost no extra colours.
 *
 * Cost: O(n * entries) per round; one word per target while it is made.
 * Source: Mudalige, Giles, Reguly, Bertolli, Kelly, "OP2: An active library
 * framework for solving unstructured mesh-based applications", 2012, section
 * III.
 * Limits: one thread. A target that m blocks share (a hub of a graph) needs m
 * colours and m/64 rounds, and blocks of random edges all meet: then colours
 * have few blocks each and threads wait more than they work. COLOURS_FOR gives
 * up where a colour has less than BUSY blocks for each thread on average. */
#include "rt/walk/walk.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND = 64, BUSY = 2 };
#define FULL UINT64_MAX
/* Ranges of one element cost nothing extra. */
#define INLINE static inline __attribute__((always_inline))

struct colouring {
  const struct rt_entries *c;
  uint32_t nc;
  uint64_t **used; /* in this round, by each target of conflict i; conflicts of
                      the same targets share them */
};

/* ---- words --------------------------------------------------------------- */

static size_t
words_bytes(const struct rt_entries *c) {
  return (size_t)c->of->to->n * sizeof(uint64_t);
}

static void
colouring_clear(struct colouring *k) {
  for (uint32_t i = 0; i < k->nc; i++)
    if (rt_entries_alike(k->c, i) == i)
      rt_mem_free(k->used[i], words_bytes(&k->c[i]));
  free(k->used);
}

static status
colouring_init(struct colouring *k, const struct rt_entries *c, uint32_t nc) {
  *k = (struct colouring){c, nc, mem_alloc(nc, sizeof *k->used)};
  for (uint32_t i = 0; i < nc; i++) {
    uint32_t first = rt_entries_alike(c, i);
    k->used[i] = first < i ? k->used[first] : rt_mem_new(words_bytes(&c[i]));
    if (k->used[i]) continue;
    colouring_clear(k);
    FAIL(ERR_MEMORY, "no memory to colour %d targets of set %s", c[i].of->to->n,
         c[i].of->to->name);
  }
  return OK;
}

static void
words_reset(struct colouring *k) {
  for (uint32_t i = 0; i < k->nc; i++)
    if (rt_entries_alike(k->c, i) == i)
      memset(k->used[i], 0, words_bytes(&k->c[i]));
}

/* The colours used on what elements [lo, hi) name. */
INLINE uint64_t
used_by(const struct colouring *k, int64_t lo, int64_t hi) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < k->nc; i++)
    for (int64_t e = lo; e < hi && bits != FULL; e++) {
      struct rt_row t = rt_entries_of(&k->c[i], e);
      for (uint32_t j = 0; j < t.n; j++) bits |= k->used[i][t.at[j]];
    }
  return bits;
}

/* What they name has these colours, besides those that it keeps. */
INLINE void
use(struct colouring *k, int64_t lo, int64_t hi, uint64_t keep, uint64_t bits) {
  for (uint32_t i = 0; i < k->nc; i++)
    for (int64_t e = lo; e < hi; e++) {
      struct rt_row t = rt_entries_of(&k->c[i], e);
      for (uint32_t j = 0; j < t.n; j++) {
        assert(t.at[j] >= 0 && t.at[j] < k->c[i].of->to->n);
        uint64_t *used = &k->used[i][t.at[j]];
        *used = (*used & keep) | bits;
      }
    }
}

/* ---- blocks -------------------------------------------------------------- */

/* Elements [0, n) in blocks of this length. */
struct blocks {
  idx_l n, length, count;
};

static struct rt_range
block_range(const struct blocks *b, idx_l j) {
  assert(j >= 0 && j < b->count);
  int64_t lo = (int64_t)j * b->length, hi = lo + b->length;
  return (struct rt_range){(idx_l)lo, hi < b->n ? (idx_l)hi : b->n};
}

/* Colour of block j in this round; -1: none is free. */
static int
block_colour(struct colouring *k, const struct blocks *b, idx_l j) {
  struct rt_range x = block_range(b, j);
  uint64_t bits = used_by(k, x.lo, x.hi);
  if (bits == FULL) return -1;
  int colour = __builtin_ctzll(~bits);
  use(k, x.lo, x.hi, FULL, 1ull << colour);
  return colour;
}

/* colour[j] for each block; their number, -1: more than `most`. */
static idx_l
colour_blocks(struct colouring *k, const struct blocks *b, idx_l most,
              idx_l *colour) {
  idx_l left = b->count, ncolours = 0;
  for (idx_l j = 0; j < b->count; j++) colour[j] = -1;
  for (idx_l base = 0; left; base += ROUND) {
    if (base >= most) return -1;
    words_reset(k);
    for (idx_l j = 0; j < b->count; j++) {
      int c = colour[j] < 0 ? block_colour(k, b, j) : -1;
      if (c < 0) continue;
      if (base + c >= most) return -1;
      colour[j] = base + c;
      if (colour[j] >= ncolours) ncolours = colour[j] + 1;
      left--;
    }
  }
  return ncolours;
}

/* ---- elements of a block ------------------------------------------------- */

static idx_l
colour_elements(struct colouring *k, struct rt_range x, idx_l *colour) {
  idx_l ncolours = 0, left = x.hi - x.lo;
  assert(x.lo < x.hi);
  for (idx_l e = x.lo; e < x.hi; e++) colour[e] = -1;
  for (idx_l base = 0; left; base += ROUND) {
    use(k, x.lo, x.hi, 0, 0);
    for (idx_l e = x.lo; e < x.hi; e++) {
      uint64_t bits = colour[e] < 0 ? used_by(k, e, e + 1) : FULL;
      if (bits == FULL) continue;
      int c = __builtin_ctzll(~bits);
      use(k, e, e + 1, FULL, 1ull << c);
      colour[e] = base + c;
      if (base + c >= ncolours) ncolours = base + c + 1;
      left--;
    }
  }
  return ncolours;
}

/* ---- the walk ------------------------------------------------------------ */

static idx_l *
numbers(idx_l n) {
  return calloc((size_t)n + 1, sizeof(idx_l));
}

/* Blocks have colours: a step for each, a task for each block. False: no
 * memory. */
static bool
make_steps(const struct blocks *b, const idx_l *colour, idx_l ncolours,
           struct rt_walk **out) {
  struct rt_walk *w = *out = rt_walk_new(ncolours, b->count, b->count);
  if (!w) return false;
  w->n = b->n;
  w->length = b->length;
  w->block = numbers(b->count);
  if (!w->block) return false;
  rt_group(colour, b->count, ncolours, NULL, w->step, w->block);
  for (idx_l k = 0; k < b->count; k++) {
    w->piece[k] = block_range(b, w->block[k]);
    w->task[k + 1] = k + 1;
  }
  return true;
}

/* Colours inside blocks, or no numbers of blocks. */
static bool
make_elements(struct colouring *k, const struct blocks *b, bool wanted,
              struct rt_walk *w) {
  if (!wanted) {
    free(w->block);
    w->block = NULL;
    return true;
  }
  w->colour = numbers(b->n);
  w->ncolours = numbers(b->count);
  if (!w->colour || !w->ncolours) return false;
  for (idx_l j = 0; j < b->count; j++)
    w->ncolours[j] = colour_elements(k, block_range(b, j), w->colour);
  return true;
}

status
rt_colours_make(const struct rt_walk_want *want, struct rt_walk **out) {
  assert(want->n >= 0 && want->block > 0);
  struct blocks b = {
      want->n, want->block,
      (idx_l)(((int64_t)want->n + want->block - 1) / want->block)};
  bool few = want->kind == RT_WALK_COLOURS_FOR;
  assert(!few || want->tasks > 0);
  idx_l most = few ? b.count / (BUSY * want->tasks) : INT32_MAX;
  struct colouring k;
  TRY(colouring_init(&k, want->c, want->nc));
  idx_l *colour = numbers(b.count), ncolours = 0;
  if (colour) ncolours = colour_blocks(&k, &b, most, colour);
  bool room =
      colour && (ncolours < 0 || (make_steps(&b, colour, ncolours, out) &&
                                  make_elements(&k, &b, want->elements, *out)));
  free(colour);
  colouring_clear(&k);
  if (room) return OK;
  rt_walk_free(*out);
  *out = NULL;
  FAIL(ERR_MEMORY, "no memory for a walk of %d elements", b.n);
}
