/* Fronts: which regions run piece by piece, one close behind the other.
 *
 * Problem   A time step's loops over cells and edges move all of the mesh's
 *           data through memory one after another, and what is between them is
 *           gone from the caches each time. Tiles (tile.c) need rules that say
 *           how far away neighbours are.
 *
 * Idea      ir/front.c: the runtime lets each region follow those before it as
 *           closely as maps' entries allow. How closely that is `drift` says:
 *           of a map, how many targets lie between those that elements so far
 *           have done with and the farthest that they have gone to. A region
 *           that goes through a map to what another one makes lags by that
 *           share of the targets; lags add up along the front, and over time
 *           steps, too.
 *           What lies between the first region and the last is to stay in a
 *           cache: `lag` of all bytes that they touch, and a piece of them. So
 *           regions are taken as long as both fit into `share`, which is what
 *           the machine says of its last cache, by the processors that have it
 *           together (lower/machine.h): how many threads there are changes no
 *           region, so that code in bundles is found, and other programs may
 *           run on the rest.
 *           It pays where regions touch the same data: their bytes one by one
 *           are `reuse` per cent of all together, at least, and these are more
 *           than `least`, which stay in a cache anyway.
 *
 * Example   ir/front.c has one; `tile{piece=64}` makes pieces of 64 elements of
 *           whatever may be a front.
 *
 * Measured  2 threads of a Zen 5 with 1 MB of cache each and 32 MB for both,
 *           medians of 3 runs in turns, one thread / two, with fronts over
 *           without: Airfoil, 720 000 cells, a step at a time 1.38 / 1.60, with
 *           deferred globals, three and a half at a time, 1.40 / 1.50;
 *           2 880 000 cells 1.25 / 1.31; shallow water 1.38 / 1.42; multigrid
 *           1.33 / 1.38. Lags of 4 MB in place of 2: 1.1. Pieces of 4 000 to
 *           16 000 cells are alike, of 512 they take 1.08 to 1.2 times as
 *           long. In three dimensions, where maps drift by a plane, and 13 MB
 *           for each thread: Euler on tetrahedra, whose stages lag by 10 MB
 *           each, 1.23 / 1.14, Chebyshev of degree 8, 1.9 million nodes, 1.09
 *           / 1.12; with 26 MB 1.26 / 1.08 and 1.13 / 1.08, with 9 MB Euler
 *           1.11 / 1.04, with 6 MB 1.01 / 0.98. In caches Euler would take
 *           0.85 / 0.80 of the time that it takes now: that is the bound.
 *           Two ranks of one thread: Airfoil 1.88, unchanged 1.18, shallow
 *           water 1.53, multigrid 1.26, Chebyshev 1.12, Euler 1.03.
 *
 * Cost      O(RUN * arguments + buffers) for each region that begins one, or
 *           might have.
 *
 * Source    shared/distinct bytes as the test before tiling: SLOPE (Luporini et
 *           al. 2019); lags as bandwidths of an order: RACE (Alappat et al.
 *           2022).
 *
 * Ranks     Elements next to others' run behind the front, a layer or two more
 *           of each region than of those before it (ir/front.c); the front ends
 *           where parts have no more layers (`deepest`).
 *
 * Limits    drift is the worst one, not that of most elements. Each thread has
 *           a front of its own. */
#include "passes/front.h"
#include "ir/front.h"
#include "ir/walk.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum {
  RUN = 64,        /* regions of a front at most */
  SHARE = 6 << 20, /* bytes that caches hold for a thread, where nobody tells */
  PIECE = 1 << 20, /* of these, a piece's */
  LEAST = 16 << 20, /* of all that regions touch */
  REUSE = 200,      /* per cent */
  UNIT = 64,        /* pieces are multiples of so many elements, */
  SHORT = 512,      /* no fewer than that */
  SMALL = 16 /* a small region has such a part of a large one's elements */
};

struct plan {
  struct ir_trace *t;
  ir_ref first, end;   /* its regions */
  double *reads;       /* by buffer: how far behind the first region those
                              are that go there, at most: share of its targets;
                              below 0: nobody does */
  double *writes;      /* and those who write */
  double most;         /* the largest lag */
  double bytes, moved; /* that they touch: each once, and region by region */
  idx_g widest;        /* elements of the largest region */
  ir_ref stop;         /* it might have gone on there; IR_NONE */
  double wide;         /* bytes at a time with that region */
  uint32_t deep[RUN];  /* depths over ranks (ir_front_depths) */
  ir_ref shallow; /* the region for which parts have no depth left; IR_NONE */
};

/* ---- lags ---------------------------------------------------------------- */

/* What an argument goes to, and whether it writes there. */
static ir_ref
memory_of(const struct ir_trace *t, const struct ir_arg *a) {
  if (!ir_arg_on_dat(t, a)) return IR_NONE;
  return ir_buffer_of(t, a->out == IR_NONE ? a->in : a->out);
}

/* How far ahead of the elements it goes, INFINITY: nobody knows. */
static double
ahead(const struct ir_trace *t, const struct ir_arg *a) {
  if (a->map == IR_NONE) return 0;
  const struct ir_map *m = &t->maps[a->map];
  idx_g n = ir_elements_here(t, m->to);
  if (!m->drift) return INFINITY;
  return n ? (double)(m->drift - 1) / (double)n : 0;
}

/* Lag of region g behind all before it. */
static double
behind(const struct plan *p, const struct ir_region *g) {
  double most = 0;
  IR_EACH_ARG(p->t, g, n, a) {
    ir_ref memory = memory_of(p->t, a);
    if (memory == IR_NONE) continue;
    double lag = (ir_arg_writes(a) ? p->reads : p->writes)[memory];
    if (lag >= 0) most = fmax(most, lag + ahead(p->t, a));
  }
  return most;
}

/* Region g lags so much: where it goes. */
static void
add_lags(struct plan *p, const struct ir_region *g, double lag) {
  IR_EACH_ARG(p->t, g, n, a) {
    ir_ref memory = memory_of(p->t, a);
    if (memory == IR_NONE) continue;
    double far = lag + ahead(p->t, a);
    p->reads[memory] = fmax(p->reads[memory], far);
    if (ir_arg_writes(a)) p->writes[memory] = fmax(p->writes[memory], far);
  }
}

/* ---- bytes --------------------------------------------------------------- */

/* Bytes that region r touches; of them, those that are new to the plan. seen:
 * by buffer, and behind these by map: 1 + the last region that touched it. */
static double
bytes_of(const struct plan *p, ir_ref r, ir_ref *seen, double *fresh) {
  const struct ir_trace *t = p->t;
  double sum = 0;
  assert(r < t->nregions && seen && fresh);
  IR_EACH_ARG(t, &t->regions[r], n, a) {
    ir_ref b = memory_of(t, a);
    double bytes = 0;
    if (b != IR_NONE && seen[b] != r + 1) {
      const struct ir_dat *d = &t->dats[t->buffers[b].dat];
      bytes = (double)ir_elements_here(t, d->set) * d->dim * d->type.size;
      if (!seen[b]) *fresh += bytes;
      seen[b] = r + 1;
    }
    sum += bytes;
    ir_ref *map = a->map == IR_NONE ? NULL : &seen[t->nbuffers + a->map];
    if (!map || *map == r + 1) continue;
    const struct ir_map *m = &t->maps[a->map];
    bytes = (double)ir_elements_here(t, m->from) * m->arity * sizeof(idx_l);
    if (!*map) *fresh += bytes;
    *map = r + 1;
    sum += bytes;
  }
  return sum;
}

/* ---- which regions ------------------------------------------------------- */

static void
start(struct plan *p) {
  assert(p->first < p->t->nregions);
  p->end = p->first;
  for (ir_ref b = 0; b < p->t->nbuffers; b++) p->reads[b] = p->writes[b] = -1;
}

/* Regions from p->first on, as many as the cache has room for. */
static void
find_end(struct plan *p, const struct pass_ctx *c) {
  double share = (double)pass_arg(c, "share", SHARE) - PIECE;
  bool forced = pass_arg(c, "piece", 0) > 0;
  const struct ir_trace *t = p->t;
  uint32_t most = t->nregions - p->first < RUN ? t->nregions - p->first : RUN;
  SCOPED_STR why = STR_INIT;
  SCOPED ir_ref *seen =
      mem_alloc((size_t)t->nbuffers + t->nmaps + 1, sizeof *seen);
  start(p);
  bool parts = false;
  for (ir_ref r = p->first; r < p->first + most; r++)
    parts |= t->sets[t->regions[r].set].flags & IR_SET_PARTS;
  if (parts) ir_front_depths(t, p->first, most, p->deep);
  for (ir_ref r = p->first; r < p->first + most; r++) {
    const struct ir_region *g = &t->regions[r];
    if (g->chain || !ir_front_goes_on(t, p->first, r, &why)) return;
    if (p->deep[r - p->first] > t->sets[g->set].deepest) {
      p->shallow = r;
      return;
    }
    struct plan was = *p;
    double own = behind(p, g);
    idx_g n = ir_elements_here(t, g->set);
    p->most = fmax(p->most, own);
    if (n > p->widest) p->widest = n;
    p->moved += bytes_of(p, r, seen, &p->bytes);
    double wide = p->most * p->bytes;
    if (!forced && !(wide <= share)) {
      *p = was;
      p->stop = r;
      p->wide = wide;
      return;
    }
    add_lags(p, g, own);
    p->end = r + 1;
  }
}

/* Elements of a piece of the first region. */
static uint32_t
piece_of(const struct plan *p) {
  const struct ir_trace *t = p->t;
  double n = (double)ir_elements_here(t, t->regions[p->first].set);
  assert(p->bytes > 0 && p->end > p->first);
  double fit = n * PIECE / p->bytes;
  if (fit < SHORT) fit = SHORT;
  if (fit > n) fit = n;
  return ((uint32_t)fit + UNIT - 1) / UNIT * UNIT;
}

static bool
pays(const struct plan *p, const struct pass_ctx *c) {
  idx_g n = ir_elements_here(p->t, p->t->regions[p->first].set);
  if (p->end - p->first < 2 || p->bytes <= 0) return false;
  if (pass_arg(c, "piece", 0) > 0) return true;
  if (n * SMALL <= p->widest) return false; /* pieces are of the first one */
  return p->bytes >= (double)pass_arg(c, "least", LEAST) &&
         p->moved * 100 >= p->bytes * (double)pass_arg(c, "reuse", REUSE);
}

/* Loops that move much, and might have run in pieces. */
static void
tell_apart(const struct plan *p, const struct pass_ctx *c) {
  struct ir_trace *t = p->t;
  if (p->stop == IR_NONE || p->bytes < (double)pass_arg(c, "least", LEAST))
    return;
  const char *first = pass_node_text(t, t->regions[p->first].first);
  const char *stop = pass_node_text(t, t->regions[p->stop].first);
  if (!(p->wide < p->bytes))
    ir_remark(t,
              "tile: %s runs by itself: what %s needs of it may lie anywhere",
              first, stop);
  else
    ir_remark(t,
              "tile: %s runs by itself: up to %s %.1f MB would have to stay in "
              "caches",
              first, stop, p->wide * 1e-6);
}

/* Over ranks: what runs behind a front, and what has no place in it. */
static void
tell_depth(const struct plan *p) {
  struct ir_trace *t = p->t;
  uint32_t deep = p->deep[p->end - 1 - p->first];
  if (deep)
    ir_remark(t,
              "tile: %u layers of elements next to those of other ranks run "
              "behind the pieces of %s",
              deep - 1, pass_node_text(t, t->regions[p->end - 1].first));
  if (p->shallow != IR_NONE)
    ir_remark(t, "tile: %s would leave more than %u layers to run behind",
              pass_node_text(t, t->regions[p->shallow].first),
              t->sets[t->regions[p->shallow].set].deepest);
}

/* Bytes of all dats and maps of the trace. */
static double
all_bytes(const struct ir_trace *t) {
  double sum = 0;
  for (ir_ref d = 0; d < t->ndats; d++)
    if (t->dats[d].kind == IR_DAT)
      sum += (double)ir_elements_here(t, t->dats[d].set) * t->dats[d].dim *
             t->dats[d].type.size;
  for (ir_ref m = 0; m < t->nmaps; m++)
    sum += (double)ir_elements_here(t, t->maps[m].from) * t->maps[m].arity *
           sizeof(idx_l);
  return sum;
}

bool
pass_front_wanted(const struct ir_trace *t, const struct pass_ctx *c) {
  /* versions may have memory of their own: twice that of their dats */
  return pass_arg(c, "piece", 0) > 0 ||
         2 * all_bytes(t) >= (double)pass_arg(c, "least", LEAST);
}

ir_ref
pass_front_at(struct ir_trace *t, const struct pass_ctx *c, ir_ref first) {
  size_t n = (size_t)t->nbuffers + 1;
  SCOPED double *far = mem_alloc(2 * n, sizeof *far);
  struct plan p = {.t = t,
                   .first = first,
                   .reads = far,
                   .writes = far + n,
                   .stop = IR_NONE,
                   .shallow = IR_NONE};
  long piece = pass_arg(c, "piece", 0);
  find_end(&p, c);
  if (!pays(&p, c)) {
    tell_apart(&p, c);
    return first + 1;
  }
  struct ir_chain chain = {.box = IR_NONE};
  chain.piece = piece > 0 ? (uint32_t)piece : piece_of(&p);
  ir_ref k = ir_add_chain(t, chain);
  for (ir_ref r = first; r < p.end; r++) {
    t->regions[r].chain = k + 1;
    t->regions[r].deep = p.deep[r - first];
  }
  ir_remark(
      t,
      "tile: %s to %s, %u regions, run in pieces of %u elements: %.0f MB "
      "go by once in place of %.1f times, %.1f per cent of them at a time",
      pass_node_text(t, t->regions[first].first),
      pass_node_text(t, t->regions[p.end - 1].first), p.end - first,
      chain.piece, p.bytes * 1e-6, p.moved / p.bytes, 100 * fmin(p.most, 1));
  tell_depth(&p);
  return p.end;
}
