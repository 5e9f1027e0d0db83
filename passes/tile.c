/* Tile: which regions run one behind the other for a tile of points at a time.
 *
 * Problem   Four loops of horizontal diffusion move 17 values a point through
 *           memory, of which the program asked for 2: what one loop makes has
 *           left the caches when the next one, which reads it at offsets and
 *           so can't be in one region with it, comes to it.
 *
 * Idea      Chains (ir/chain.c): regions over points of one box run tile by
 *           tile; what is made for the chain alone stays in buffers of the
 *           thread, no larger than a tile and what is read around it. A
 *           neighbour's layers are made again.
 *           Backwards from the last region, each one has to run as far around
 *           the tile as those behind it read what it makes: spans add up as
 *           extents do. The longest run of regions for which that holds is a
 *           chain, if it makes something private.
 *
 *           Tiles are layers across one dimension, so that in memory each of a
 *           tile's arrays is one stretch of points, and code of a region runs
 *           from its first to its last point as it would without tiles. Of the
 *           dimensions that are possible that one is taken in which the least
 *           is made twice; a tile has as many layers as fit into `cache`.
 *           Chains whose data fit into `least` bytes stay in cache anyway.
 *           Where even the lowest tile is too large for one, tiles get a second
 *           side, in a dimension before that: they are shorter stretches, one
 *           for each layer. Tiles that follow each other are of one column of
 *           them, so that what is private stays where it is.
 *
 * Example   ir/chain.c has one; `tile{rows=8}` makes tiles of 8 layers of
 *           whatever may be a chain, `tile{rows=8,columns=32}` such of 8 x 32.
 *
 * Measured  bench/boxes/diffusion, 512 x 512 x 32 points of doubles, 2 threads
 *           of a Zen 3 beside other work, medians of 5 interleaved rounds: 2.05
 *           times faster than loop by loop; 2.8 and 2.6 times faster than plain
 *           C, one loop a stage, with OP2's flags and with -O3 -march=native.
 *           131 072 x 64 x 2 points, layers of 5 MB, 2 threads of a Xeon with
 *           AVX-512: tiles of two sides 2.1 and 2.3 times faster than loop by
 *           loop (two rounds), 2.7 and 3.5 times than plain C. Where one side
 *           is enough a second one costs, code that runs through short ranges:
 *           512 x 512 x 32 takes 13.6 ms, 18.4 in tiles of 256 x 16, 23.2 in
 *           such of 128 x 32.
 *
 * Tried     and left out: tiles that take over what the one before them made,
 *           so that no layer is made twice and tiles may be as low as one
 *           layer: 0.92 to 1.05 of the speed, 1.17 in caches. Asking
 *           for a tile's points while the one before it runs: 1.0.
 *
 * Cost      O(regions * RUN * arguments) where regions go over points of a box,
 *           O(regions) else.
 *
 * Source    overlapped tiling (Krishnamoorthy et al. 2007) with the extents of
 *           GridTools' stencils (Afanasyev et al. 2021, section 4).
 *
 * Limits    see ir/chain.c; regions over other sets: front.c. Two sides at
 *           most; private buffers are as large as tiles that are whole in the
 *           second one's dimension.
 */
#include "ir/chain.h"
#include "ir/walk.h"
#include "passes/front.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  RUN = 32,          /* regions of a chain at most */
  CACHE = 384 << 10, /* bytes of a tile's data */
  LEAST = 16 << 20,  /* of all of a chain's, from which on it pays */
  MOST = 8 * CACHE,  /* of the lowest tile: else it would not stay in a cache */
  FOLLOW = 128,      /* points that follow each other in a tile, at least */
  TWICE = 2          /* a tile has at least so many layers for each that is
                              made for it in others */
};

/* A chain that may be, of regions [first, first + count). */
struct plan {
  struct ir_trace *t;
  const struct ir_live *live;
  ir_ref first, end; /* its regions */
  struct ir_chain chain;
  struct ir_spans span[RUN]; /* of its regions */
  int most[IR_DIMS];   /* layers made twice for a tile, of the widest; of each
                          side */
  double layer, bytes; /* of its dats: a layer's, and all */
  bool fronts;         /* regions of other sets may have some */
};

/* ---- what is private ----------------------------------------------------- */

/* By buffer: what regions of the plan do to it. */
enum { MADE = 1, SHARED = 2 };

static void
mark(const struct plan *p, const struct ir_arg *a, uint8_t *marks) {
  const struct ir_trace *t = p->t;
  const struct ir_region *last = &t->regions[p->end - 1];
  ir_ref end = last->first + last->count;
  ir_ref begin = t->regions[p->first].first;
  if (!ir_arg_on_dat(t, a)) return;
  ir_ref in = ir_buffer_of(t, a->in), out = ir_buffer_of(t, a->out);
  assert(begin < end && end <= t->nnodes);
  if (in != IR_NONE) {
    ir_ref def = t->values[ir_same(t, a->in)].def;
    if (def == IR_NONE || def < begin) marks[in] |= SHARED;
  }
  if (out == IR_NONE) return;
  bool kept = ir_live_at(p->live, ir_same(t, a->out), end);
  marks[out] |= kept || !ir_arg_direct(a) ? SHARED : MADE;
}

/* Buffers of versions that are born and dead in the plan. */
static uint32_t
private_buffers(const struct plan *p, ir_ref *own) {
  const struct ir_trace *t = p->t;
  uint32_t n = 0;
  SCOPED uint8_t *marks = mem_alloc((size_t)t->nbuffers + 1, 1);
  for (ir_ref r = p->first; r < p->end; r++)
    IR_EACH_ARG(t, &t->regions[r], i, a) mark(p, a, marks);
  for (ir_ref b = 0; b < t->nbuffers; b++)
    if (marks[b] == MADE) own[n++] = b;
  return n;
}

/* ---- how far each region runs -------------------------------------------- */

static void
widen(struct ir_spans *s, const struct ir_spans *by) {
  for (int k = 0; k < IR_DIMS; k++) {
    struct ir_span *to = &s->at[k];
    if (by->at[k].below > to->below) to->below = by->at[k].below;
    if (by->at[k].above > to->above) to->above = by->at[k].above;
  }
}

/* As far as what it makes is read. need: by buffer. */
static struct ir_spans
span_of(const struct plan *p, const struct ir_region *g,
        const struct ir_spans *need) {
  const struct ir_trace *t = p->t;
  struct ir_spans s = {0};
  IR_EACH_ARG(t, g, n, a) {
    if (ir_arg_on_dat(t, a) && a->out != IR_NONE &&
        ir_buffer_of(t, a->out) != IR_NONE)
      widen(&s, &need[ir_buffer_of(t, a->out)]);
  }
  return s;
}

/* What it reads of private buffers is needed as far as it runs and reads. Reads
 * nobody knows where the check finds. */
static void
need_operands(const struct plan *p, const struct ir_region *g,
              const struct ir_spans *run, const uint8_t *own,
              struct ir_spans *need) {
  const struct ir_trace *t = p->t;
  IR_EACH_ARG(t, g, n, a) {
    if (!ir_arg_on_dat(t, a) || a->out == IR_NONE || a->in != IR_NONE) continue;
    ir_ref out = ir_buffer_of(t, a->out);
    if (out != IR_NONE) need[out] = (struct ir_spans){0};
  }
  IR_EACH_ARG(t, g, n, a) {
    struct ir_spans by;
    ir_ref in = ir_arg_on_dat(t, a) ? ir_buffer_of(t, a->in) : IR_NONE;
    if (in == IR_NONE || !own[in]) continue;
    if (!ir_layers_reached(t, a, &p->chain, &by)) continue;
    for (uint32_t k = 0; k < p->chain.nsides; k++) {
      by.at[k].below += run->at[k].below;
      by.at[k].above += run->at[k].above;
    }
    widen(&need[in], &by);
  }
}

static void
find_spans(struct plan *p) {
  const struct ir_trace *t = p->t;
  SCOPED struct ir_spans *need =
      mem_alloc((size_t)t->nbuffers + 1, sizeof *need);
  SCOPED uint8_t *own = mem_alloc((size_t)t->nbuffers + 1, 1);
  for (uint32_t i = 0; i < p->chain.nown; i++) own[p->chain.own[i]] = 1;
  memset(p->most, 0, sizeof p->most);
  assert(p->end - p->first <= RUN);
  for (ir_ref r = p->end; r-- > p->first;) {
    struct ir_spans run = span_of(p, &t->regions[r], need);
    need_operands(p, &t->regions[r], &run, own, need);
    p->span[r - p->first] = run;
    for (uint32_t k = 0; k < p->chain.nsides; k++) {
      int twice = run.at[k].below + run.at[k].above;
      if (twice > p->most[k]) p->most[k] = twice;
    }
  }
}

/* ---- what it costs ------------------------------------------------------- */

static struct ir_layers
layers_of(const struct plan *p, uint32_t along) {
  return ir_layers_of(p->t, p->chain.box, p->chain.box, along);
}

/* Bytes of the dats that it touches, each buffer once: of a layer, and all. */
static void
find_bytes(struct plan *p) {
  const struct ir_trace *t = p->t;
  SCOPED uint8_t *seen = mem_alloc((size_t)t->nbuffers + 1, 1);
  p->layer = p->bytes = 0;
  struct ir_layers box = layers_of(p, p->chain.side[0].along);
  for (ir_ref r = p->first; r < p->end; r++)
    IR_EACH_ARG(t, &t->regions[r], n, a) {
      if (!ir_arg_on_dat(t, a)) continue;
      ir_ref b = ir_buffer_of(t, a->out == IR_NONE ? a->in : a->out);
      if (b == IR_NONE || seen[b]++) continue;
      const struct ir_dat *d = &t->dats[a->dat];
      p->bytes += (double)t->sets[d->set].n * d->dim * d->type.size;
    }
  p->layer = p->bytes / ((double)box.n * (double)box.times);
}

/* Layers of the smallest tile that makes little twice, on side k. */
static uint32_t
fewest(const struct plan *p, uint32_t k) {
  return p->most[k] ? TWICE * (uint32_t)p->most[k] : 1;
}

/* Its bytes, whole in the dimensions before the first side's. */
static double
lowest(const struct plan *p) {
  return p->layer * fewest(p, 0);
}

/* The same, at most so many, of a number of tiles that are equally high. */
static uint32_t
even(idx_g rows, idx_g n) {
  if (rows < 1) rows = 1;
  if (rows > n) rows = n;
  idx_g tiles = (n + rows - 1) / rows;
  return (uint32_t)((n + tiles - 1) / tiles);
}

/* Layers of a tile, all of equal height; 0: not worth it. */
static uint32_t
rows_of(const struct plan *p, const struct pass_ctx *c) {
  long rows = pass_arg(c, "rows", 0);
  if (rows > 0) return (uint32_t)rows;
  if (p->bytes < (double)pass_arg(c, "least", LEAST)) return 0;
  assert(p->layer > 0);
  idx_g fit = (idx_g)((double)pass_arg(c, "cache", CACHE) / p->layer);
  if (fit < fewest(p, 0)) fit = fewest(p, 0);
  return even(fit, layers_of(p, p->chain.side[0].along).n);
}

/* Is there to be a second side? Not where layers fit into a cache. */
static bool
wants_side(const struct plan *p, const struct pass_ctx *c) {
  return pass_arg(c, "columns", 0) > 0 || lowest(p) > MOST;
}

/* Layers on the second side of tiles of so many rows; 0: they are too many for
 * a cache, or tiles would be as wide as the box. */
static uint32_t
columns_of(const struct plan *p, const struct pass_ctx *c, uint32_t rows) {
  struct ir_layers l = layers_of(p, p->chain.side[1].along);
  long columns = pass_arg(c, "columns", 0);
  if (columns > 0) return (uint32_t)columns;
  double each = p->layer * rows / (double)l.n;
  idx_g fit = (idx_g)((double)pass_arg(c, "cache", CACHE) / each);
  if (fit < fewest(p, 1)) fit = fewest(p, 1);
  if (fit * l.each < FOLLOW) fit = (FOLLOW + l.each - 1) / l.each;
  return fit < l.n && each * (double)fit <= MOST ? even(fit, l.n) : 0;
}

/* ---- which regions ------------------------------------------------------- */

static void
put_in(const struct plan *p, uint32_t chain) {
  for (ir_ref r = p->first; r < p->end; r++) {
    p->t->regions[r].chain = chain;
    p->t->regions[r].span =
        chain ? p->span[r - p->first] : (struct ir_spans){0};
  }
}

/* The trace's last chain is none. */
static void
drop(struct plan *p) {
  put_in(p, 0);
  p->t->nchains--;
}

/* Do they hold as a chain? Then they are one, the trace's last. */
static bool
try_chain(struct plan *p) {
  struct ir_trace *t = p->t;
  SCOPED_STR why = STR_INIT;
  p->chain.nown = private_buffers(p, p->chain.own);
  if (!p->chain.nown) return false;
  find_spans(p);
  ir_ref k = ir_add_chain(t, p->chain);
  put_in(p, k + 1);
  bool holds = ir_chain_holds(t, k, p->first, p->end - p->first, p->live, &why);
  if (holds) return true;
  drop(p);
  return false;
}

/* Regions from `first` on that may be in one chain, nothing between them. */
static ir_ref
run_end(const struct ir_trace *t, ir_ref first, const struct ir_chain *c) {
  ir_ref r = first;
  while (r < t->nregions && r < first + RUN && ir_may_chain(t, r, c) &&
         (r == first || t->regions[r].first ==
                            t->regions[r - 1].first + t->regions[r - 1].count))
    r++;
  return r;
}

/* The longest chain that begins at p->first; p->end: where it ends. */
static bool
longest(struct plan *p) {
  for (p->end = run_end(p->t, p->first, &p->chain); p->end > p->first + 1;
       p->end--)
    if (try_chain(p)) return true;
  return false;
}

static void
tell(const struct plan *p, uint32_t k) {
  struct ir_trace *t = p->t;
  assert(k <= t->nchains && p->first < p->end);
  const char *first = pass_node_text(t, t->regions[p->first].first);
  const char *last = pass_node_text(t, t->regions[p->end - 1].first);
  if (!k) {
    ir_remark(t, "tile: %s to %s run one by one: %s a cache", first, last,
              lowest(p) > MOST ? "no tile fits" : "their data fit");
    return;
  }
  const struct ir_chain *c = &t->chains[k - 1];
  SCOPED_STR size = STR_INIT;
  for (uint32_t i = 0; i < c->nsides; i++)
    str_printf(&size, "%s%u", i ? " x " : "", c->side[i].rows);
  ir_remark(t,
            "tile: %s to %s run in tiles of %s layers, %u buffers are "
            "private",
            first, last, size.s, c->nown);
}

/* Where the chain of the region ends (p->end), along the dimension, its only
 * side, in which tiles can be smallest, in memory; of those that fit, the
 * longest chain. False: it begins none. */
static bool
find_best(struct plan *p, double cache) {
  struct ir_trace *t = p->t;
  uint32_t best = UINT32_MAX, regions = 0;
  ir_ref box = p->chain.box;
  double least = 0;
  for (uint32_t d = 0; d < t->sets[p->chain.box].ndim; d++) {
    p->chain.side[0].along = d;
    if (t->sets[box].side[d] < 2 || !longest(p)) continue;
    drop(p);
    find_bytes(p);
    double bytes = lowest(p);
    uint32_t n = p->end - p->first;
    bool both = bytes <= cache && least <= cache;
    if (best == UINT32_MAX || (both ? n > regions : bytes < least)) {
      best = d;
      regions = n;
      least = bytes;
    } else if (both && n == regions && !p->most[0]) {
      best = d; /* nothing is made twice */
    }
  }
  p->chain.side[0].along = best;
  p->end = p->first + regions;
  return best != UINT32_MAX;
}

/* A second side for tiles of so many rows, in the last dimension before the
 * first one's in which the chain still holds. */
static void
find_side(struct plan *p, const struct pass_ctx *c, uint32_t rows) {
  struct ir_chain *x = &p->chain;
  for (uint32_t d = x->side[0].along; d-- > 0;) {
    if (p->t->sets[x->box].side[d] < 2) continue;
    x->nsides = 2;
    x->side[1] = (struct ir_side){d, 1};
    if (!try_chain(p)) continue;
    drop(p);
    x->side[1].rows = columns_of(p, c, rows);
    if (x->side[1].rows) return;
  }
  x->nsides = 1;
}

/* The chain that begins here, if one does: behind it. */
static ir_ref
chain_at(struct plan *p, const struct pass_ctx *c) {
  struct ir_trace *t = p->t;
  const struct ir_set *s = &t->sets[t->regions[p->first].set];
  ir_ref next = p->first + 1;
  if (!s->ndim) return p->fronts ? pass_front_at(t, c, p->first) : next;
  p->chain.box = s->box ? s->box - 1 : t->regions[p->first].set;
  p->chain.nsides = 1;
  p->chain.side[0].rows = 1;
  if (!find_best(p, (double)pass_arg(c, "cache", CACHE)) || !try_chain(p))
    return next;
  drop(p);
  find_bytes(p);
  uint32_t rows = rows_of(p, c);
  if (rows && wants_side(p, c)) find_side(p, c, rows);
  bool fits =
      pass_arg(c, "rows", 0) || p->chain.nsides > 1 || lowest(p) <= MOST;
  p->chain.side[0].rows = rows;
  bool holds = rows && fits && try_chain(p);
  assert(holds == (rows && fits));
  tell(p, holds ? t->nchains : 0);
  return p->end;
}

bool
pass_tile(struct ir_trace *t, const struct pass_ctx *c) {
  assert(c->live && !t->nchains);
  SCOPED ir_ref *own = mem_alloc((size_t)t->nbuffers + 1, sizeof *own);
  struct plan p = {.t = t,
                   .live = c->live,
                   .fronts = pass_front_wanted(t, c),
                   .chain = {.own = own}};
  for (ir_ref r = 0; r < t->nregions;) {
    p.first = r;
    r = chain_at(&p, c);
  }
  return t->nchains > 0;
}
