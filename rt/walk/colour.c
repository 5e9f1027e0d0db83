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
 * have few blocks each and threads wait more than they work. rt_plan_make_for
 * gives up where a colour has less than BUSY blocks for each thread on average.
 */
#include "rt/walk/colour.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND = 64, BUSY = 2 };
#define FULL UINT64_MAX
/* Ranges of one element cost nothing extra. */
#define INLINE static inline __attribute__((always_inline))

/* The used colours of each target of one set, in this round. */
struct words {
  const struct rt_set *to;
  uint64_t *used;
};

struct colouring {
  const struct rt_entries *c;
  uint32_t nc;
  struct words *sets;
  uint32_t nsets;
  uint64_t **used; /* of the target set of conflict i */
};

/* ---- words --------------------------------------------------------------- */

static size_t
words_bytes(const struct words *w) {
  return (size_t)w->to->n * sizeof *w->used;
}

static void
colouring_clear(struct colouring *k) {
  for (uint32_t i = 0; i < k->nsets; i++)
    rt_mem_free(k->sets[i].used, words_bytes(&k->sets[i]));
  free(k->sets);
  free(k->used);
}

static uint64_t *
words_find(const struct colouring *k, const struct rt_set *to) {
  for (uint32_t i = 0; i < k->nsets; i++)
    if (k->sets[i].to == to) return k->sets[i].used;
  return NULL;
}

static status
colouring_init(struct colouring *k, const struct rt_entries *c, uint32_t nc) {
  *k = (struct colouring){.c = c, .nc = nc};
  k->sets = mem_alloc(nc, sizeof *k->sets);
  k->used = mem_alloc(nc, sizeof *k->used);
  for (uint32_t i = 0; i < nc; i++) {
    struct words w = {c[i].of->to, NULL};
    k->used[i] = words_find(k, w.to);
    if (k->used[i]) continue;
    k->used[i] = w.used = rt_mem_new(words_bytes(&w));
    if (!w.used) {
      colouring_clear(k);
      FAIL(ERR_MEMORY, "no memory to colour %d targets of set %s", w.to->n,
           w.to->name);
    }
    k->sets[k->nsets++] = w;
  }
  return OK;
}

static void
words_reset(struct colouring *k) {
  for (uint32_t i = 0; i < k->nsets; i++)
    memset(k->sets[i].used, 0, words_bytes(&k->sets[i]));
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

INLINE void
use(struct colouring *k, int64_t lo, int64_t hi, uint64_t bit) {
  for (uint32_t i = 0; i < k->nc; i++)
    for (int64_t e = lo; e < hi; e++) {
      struct rt_row t = rt_entries_of(&k->c[i], e);
      for (uint32_t j = 0; j < t.n; j++) k->used[i][t.at[j]] |= bit;
    }
}

static void
forget(struct colouring *k, int64_t lo, int64_t hi) {
  for (uint32_t i = 0; i < k->nc; i++)
    for (int64_t e = lo; e < hi; e++) {
      struct rt_row t = rt_entries_of(&k->c[i], e);
      for (uint32_t j = 0; j < t.n; j++) k->used[i][t.at[j]] = 0;
    }
}

/* ---- blocks -------------------------------------------------------------- */

static int64_t
block_end(const struct rt_plan *p, idx_l j) {
  int64_t end = ((int64_t)j + 1) * p->block;
  return end < p->n ? end : p->n;
}

/* Colour of block j in this round; -1: none is free. */
static int
block_colour(struct colouring *k, const struct rt_plan *p, idx_l j) {
  int64_t lo = (int64_t)j * p->block, hi = block_end(p, j);
  uint64_t bits = used_by(k, lo, hi);
  if (bits == FULL) return -1;
  int colour = __builtin_ctzll(~bits);
  use(k, lo, hi, 1ull << colour);
  return colour;
}

/* colour[j] for each block; their number, -1: more than `most`. */
static idx_l
colour_blocks(struct colouring *k, const struct rt_plan *p, idx_l most,
              idx_l *colour) {
  idx_l left = p->nblocks, ncolours = 0;
  for (idx_l j = 0; j < p->nblocks; j++) colour[j] = -1;
  for (idx_l base = 0; left; base += ROUND) {
    if (base >= most) return -1;
    words_reset(k);
    for (idx_l j = 0; j < p->nblocks; j++) {
      int c = colour[j] < 0 ? block_colour(k, p, j) : -1;
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
colour_elements(struct colouring *k, const struct rt_plan *p, idx_l j) {
  int64_t lo = (int64_t)j * p->block, hi = block_end(p, j), left = hi - lo;
  idx_l ncolours = 0;
  for (int64_t e = lo; e < hi; e++) p->elem_colour[e] = -1;
  for (idx_l base = 0; left; base += ROUND) {
    forget(k, lo, hi);
    for (int64_t e = lo; e < hi; e++) {
      uint64_t bits = p->elem_colour[e] < 0 ? used_by(k, e, e + 1) : FULL;
      if (bits == FULL) continue;
      int c = __builtin_ctzll(~bits);
      use(k, e, e + 1, 1ull << c);
      p->elem_colour[e] = base + c;
      if (base + c >= ncolours) ncolours = base + c + 1;
      left--;
    }
  }
  return ncolours;
}

/* ---- plans --------------------------------------------------------------- */

void
rt_plan_free(struct rt_plan *p) {
  if (!p) return;
  free(p->order);
  free(p->start);
  free(p->first);
  free(p->at);
  free(p->elem_colour);
  free(p->nelem_colours);
  free(p);
}

static idx_l *
numbers(idx_l n) {
  return calloc((size_t)n + 1, sizeof(idx_l));
}

static status
fill_plan(struct rt_plan *p, struct colouring *k, bool elem_colours,
          idx_l most) {
  idx_l *colour = numbers(p->nblocks);
  p->order = numbers(p->nblocks);
  if (elem_colours) {
    p->elem_colour = numbers(p->n);
    p->nelem_colours = numbers(p->nblocks);
  }
  bool room = colour && p->order &&
              (!elem_colours || (p->elem_colour && p->nelem_colours));
  if (room) p->ncolours = colour_blocks(k, p, most, colour);
  p->start = numbers(p->ncolours + 1);
  if (room && p->start && p->ncolours >= 0) {
    rt_group(colour, p->nblocks, p->ncolours, NULL, p->start, p->order);
    for (idx_l j = 0; elem_colours && j < p->nblocks; j++)
      p->nelem_colours[j] = colour_elements(k, p, j);
  }
  free(colour);
  if (!room || !p->start)
    FAIL(ERR_MEMORY, "no memory for a plan of %d elements", p->n);
  return OK;
}

static status
make(idx_l n, idx_l block, const struct rt_entries *c, uint32_t nc,
     bool elem_colours, idx_l most, struct rt_plan **out) {
  assert(n >= 0 && block > 0);
  struct colouring k;
  TRY(colouring_init(&k, c, nc));
  struct rt_plan *p = mem_alloc(1, sizeof *p);
  p->n = n;
  p->block = block;
  p->nblocks = (idx_l)(((int64_t)n + block - 1) / block);
  status s = fill_plan(p, &k, elem_colours, most);
  colouring_clear(&k);
  if (s == OK)
    *out = p;
  else
    rt_plan_free(p);
  return s;
}

status
rt_plan_make(idx_l n, idx_l block, const struct rt_entries *c, uint32_t nc,
             bool elem_colours, struct rt_plan **out) {
  return make(n, block, c, nc, elem_colours, INT32_MAX, out);
}

status
rt_plan_make_for(idx_l n, idx_l block, int threads, const struct rt_entries *c,
                 uint32_t nc, struct rt_plan **out) {
  idx_l nblocks = (idx_l)(((int64_t)n + block - 1) / block);
  TRY(make(n, block, c, nc, false, nblocks / (BUSY * threads), out));
  if ((*out)->ncolours >= 0) return OK;
  rt_plan_free(*out);
  *out = NULL;
  return OK;
}
