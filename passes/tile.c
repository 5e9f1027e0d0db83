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
 *           Chains whose data fit into `least` bytes stay in cache anyway, and
 *           of those whose layers are too large for one nothing would.
 *
 * Example   ir/chain.c has one; `tile{rows=8}` makes tiles of 8 layers of
 *           whatever may be a chain.
 *
 * Measured  bench/boxes/diffusion, 512 x 512 x 32 points of doubles, 2 threads
 *           of a Zen 3 beside other work, medians of 5 interleaved rounds: 2.05
 *           times faster than loop by loop; 2.8 and 2.6 times faster than plain
 *           C, one loop a stage, with OP2's flags and with -O3 -march=native.
 *
 * Cost      O(regions * RUN * arguments) where regions go over points of a box,
 *           O(regions) else.
 *
 * Source    overlapped tiling (Krishnamoorthy et al. 2007) with the extents of
 *           GridTools' stencils (Afanasyev et al. 2021, section 4).
 *
 * Limits    see ir/chain.c. Tiles are whole in all dimensions before theirs: a
 *           box whose layers alone are too large for a cache gains less.
 */
#include "ir/chain.h"
#include "ir/walk.h"
#include "passes/pass.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  RUN = 32,          /* regions of a chain at most */
  CACHE = 384 << 10, /* bytes of a tile's data */
  LEAST = 16 << 20,  /* of all of a chain's, from which on it pays */
  MOST = 8 * CACHE,  /* of the lowest tile: else it would not stay in a cache */
  TWICE = 2          /* a tile has at least so many layers for each that is
                              made for it in others */
};

/* A chain that may be, of regions [first, first + count). */
struct plan {
  struct ir_trace *t;
  const struct ir_live *live;
  ir_ref first, end; /* its regions */
  struct ir_chain chain;
  struct ir_span span[RUN]; /* of its regions */
  int most;                 /* layers made twice for a tile, of the widest */
  double layer, bytes;      /* of its dats: a layer's, and all */
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
widen(struct ir_span *s, struct ir_span by) {
  if (by.below > s->below) s->below = by.below;
  if (by.above > s->above) s->above = by.above;
}

/* As far as what it makes is read. need: by buffer. */
static struct ir_span
span_of(const struct plan *p, const struct ir_region *g,
        const struct ir_span *need) {
  const struct ir_trace *t = p->t;
  struct ir_span s = {0};
  IR_EACH_ARG(t, g, n, a) {
    if (ir_arg_on_dat(t, a) && a->out != IR_NONE &&
        ir_buffer_of(t, a->out) != IR_NONE)
      widen(&s, need[ir_buffer_of(t, a->out)]);
  }
  return s;
}

/* What it reads of private buffers is needed as far as it runs and reads. Reads
 * nobody knows where the check finds. */
static void
need_operands(const struct plan *p, const struct ir_region *g,
              struct ir_span run, const uint8_t *own, struct ir_span *need) {
  const struct ir_trace *t = p->t;
  IR_EACH_ARG(t, g, n, a) {
    if (!ir_arg_on_dat(t, a) || a->out == IR_NONE || a->in != IR_NONE) continue;
    ir_ref out = ir_buffer_of(t, a->out);
    if (out != IR_NONE) need[out] = (struct ir_span){0};
  }
  IR_EACH_ARG(t, g, n, a) {
    struct ir_span by;
    ir_ref in = ir_arg_on_dat(t, a) ? ir_buffer_of(t, a->in) : IR_NONE;
    if (in == IR_NONE || !own[in]) continue;
    if (!ir_layers_reached(t, a, p->chain.along, &by)) continue;
    by.below += run.below;
    by.above += run.above;
    widen(&need[in], by);
  }
}

static void
find_spans(struct plan *p) {
  const struct ir_trace *t = p->t;
  SCOPED struct ir_span *need =
      mem_alloc((size_t)t->nbuffers + 1, sizeof *need);
  SCOPED uint8_t *own = mem_alloc((size_t)t->nbuffers + 1, 1);
  for (uint32_t i = 0; i < p->chain.nown; i++) own[p->chain.own[i]] = 1;
  p->most = 0;
  assert(p->end - p->first <= RUN);
  for (ir_ref r = p->end; r-- > p->first;) {
    struct ir_span run = span_of(p, &t->regions[r], need);
    need_operands(p, &t->regions[r], run, own, need);
    p->span[r - p->first] = run;
    if (run.below + run.above > p->most) p->most = run.below + run.above;
  }
}

/* ---- what it costs ------------------------------------------------------- */

/* Bytes of the dats that it touches, each buffer once: of a layer, and all. */
static void
find_bytes(struct plan *p) {
  const struct ir_trace *t = p->t;
  SCOPED uint8_t *seen = mem_alloc((size_t)t->nbuffers + 1, 1);
  p->layer = p->bytes = 0;
  struct ir_layers box =
      ir_layers_of(t, p->chain.box, p->chain.box, p->chain.along);
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

/* Bytes of the lowest tile that makes little twice. */
static double
lowest(const struct plan *p) {
  return p->layer * (p->most ? TWICE * p->most : 1);
}

/* Layers of a tile, all of equal height; 0: not worth it. */
static uint32_t
rows_of(const struct plan *p, const struct pass_ctx *c) {
  struct ir_layers box =
      ir_layers_of(p->t, p->chain.box, p->chain.box, p->chain.along);
  long rows = pass_arg(c, "rows", 0);
  if (rows > 0) return (uint32_t)rows;
  if (p->bytes < (double)pass_arg(c, "least", LEAST) || lowest(p) > MOST)
    return 0;
  assert(p->layer > 0);
  idx_g fit = (idx_g)((double)pass_arg(c, "cache", CACHE) / p->layer);
  if (fit < TWICE * p->most) fit = TWICE * p->most;
  if (fit < 1) fit = 1;
  if (fit > box.n) fit = box.n;
  idx_g tiles = (box.n + fit - 1) / fit;
  return (uint32_t)((box.n + tiles - 1) / tiles);
}

/* ---- which regions ------------------------------------------------------- */

static void
put_in(const struct plan *p, uint32_t chain) {
  for (ir_ref r = p->first; r < p->end; r++) {
    p->t->regions[r].chain = chain;
    p->t->regions[r].span = chain ? p->span[r - p->first] : (struct ir_span){0};
  }
}

/* Do they hold as a chain? Then they are one, the trace's last. */
static bool
try_chain(struct plan *p) {
  struct ir_trace *t = p->t;
  SCOPED_STR why = STR_INIT;
  p->chain.nown = private_buffers(p, p->chain.own);
  if (!p->chain.nown) return false;
  find_spans(p);
  p->chain.rows = 1;
  ir_ref k = ir_add_chain(t, p->chain);
  put_in(p, k + 1);
  bool holds = ir_chain_holds(t, k, p->first, p->end - p->first, p->live, &why);
  if (holds) return true;
  put_in(p, 0);
  t->nchains--;
  return false;
}

/* Regions from `first` on that may be in one chain, nothing between them. */
static ir_ref
run_end(const struct ir_trace *t, ir_ref first, ir_ref box, uint32_t along) {
  ir_ref r = first;
  while (r < t->nregions && r < first + RUN && ir_may_chain(t, r, box, along) &&
         (r == first || t->regions[r].first ==
                            t->regions[r - 1].first + t->regions[r - 1].count))
    r++;
  return r;
}

/* The longest chain that begins at p->first; p->end: where it ends. */
static bool
longest(struct plan *p) {
  ir_ref box = p->chain.box;
  for (p->end = run_end(p->t, p->first, box, p->chain.along);
       p->end > p->first + 1; p->end--)
    if (try_chain(p)) return true;
  return false;
}

static void
tell(const struct plan *p, uint32_t k) {
  struct ir_trace *t = p->t;
  assert(k <= t->nchains && p->first < p->end);
  const char *first = pass_node_text(t, t->regions[p->first].first);
  const char *last = pass_node_text(t, t->regions[p->end - 1].first);
  if (k)
    ir_remark(t,
              "tile: %s to %s run in tiles of %u layers, %u buffers are "
              "private",
              first, last, t->chains[k - 1].rows, p->chain.nown);
  else
    ir_remark(t, "tile: %s to %s run one by one: %s a cache", first, last,
              lowest(p) > MOST ? "no tile fits" : "their data fit");
}

/* Where the region's chain ends (p->end), along the dimension (p->chain.along)
 * in which tiles can be smallest, in memory; of those that fit, the longest
 * chain. False: it begins none. */
static bool
find_best(struct plan *p, double cache) {
  struct ir_trace *t = p->t;
  uint32_t best = UINT32_MAX, regions = 0;
  ir_ref box = p->chain.box;
  double least = 0;
  for (uint32_t d = 0; d < t->sets[p->chain.box].ndim; d++) {
    p->chain.along = d;
    if (t->sets[box].side[d] < 2 || !longest(p)) continue;
    put_in(p, 0);
    t->nchains--;
    find_bytes(p);
    double bytes = lowest(p);
    uint32_t n = p->end - p->first;
    bool both = bytes <= cache && least <= cache;
    if (best == UINT32_MAX || (both ? n > regions : bytes < least)) {
      best = d;
      regions = n;
      least = bytes;
    } else if (both && n == regions && !p->most) {
      best = d; /* nothing is made twice */
    }
  }
  p->chain.along = best;
  p->end = p->first + regions;
  return best != UINT32_MAX;
}

/* The chain that begins here, if one does: behind it. */
static ir_ref
chain_at(struct plan *p, const struct pass_ctx *c) {
  struct ir_trace *t = p->t;
  const struct ir_set *s = &t->sets[t->regions[p->first].set];
  ir_ref next = p->first + 1;
  if (!s->ndim) return next;
  p->chain.box = s->box ? s->box - 1 : t->regions[p->first].set;
  if (!find_best(p, (double)pass_arg(c, "cache", CACHE)) || !try_chain(p))
    return next;
  find_bytes(p);
  uint32_t rows = rows_of(p, c);
  if (!rows) {
    put_in(p, 0);
    t->nchains--;
    tell(p, 0);
    return p->end;
  }
  t->chains[t->nchains - 1].rows = rows;
  tell(p, t->nchains);
  return p->end;
}

bool
pass_tile(struct ir_trace *t, const struct pass_ctx *c) {
  assert(c->live && !t->nchains);
  SCOPED ir_ref *own = mem_alloc((size_t)t->nbuffers + 1, sizeof *own);
  struct plan p = {.t = t, .live = c->live, .chain = {.own = own}};
  for (ir_ref r = 0; r < t->nregions;) {
    p.first = r;
    r = chain_at(&p, c);
  }
  return t->nchains > 0;
}
