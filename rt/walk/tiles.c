/* Chains, tile by tile (ir/chain.c says which launches may run so).
 *
 * Idea. Points of a set lie in layers across one dimension of a box: layer j of
 * its k-th row of layers begins at point (k n + j) each. A launch's points of a
 * tile, and of some layers around it, are therefore one range, and its function
 * runs that as any other share. A thread takes a tile through all launches and
 * then goes on to the next. Tiles with more sides have a range for each layer
 * of the sides before the last, and come one behind the other along the first.
 *
 * Private memory is that of one tile. Code computes where point e lies from the
 * address that it is given for point 0; so that address lies so far in front
 * of the memory that the tile's first point is the first one there. It stays
 * as aligned as memory of a dat, since the first point is a multiple of UNIT.
 *
 * Cost. A table of addresses for each launch and thread, in which a tile
 * changes those of private memory.
 */
#include "rt/walk/tiles.h"

#include "base/arena.h"
#include "base/counters.h"
#include "base/fp.h"
#include "base/log.h"

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT = RT_UNIT, SLACK = 64 };

/* A bind of a launch that stands for private memory, of own[of]. */
struct patch {
  uint32_t launch, bind, of;
};

struct rt_tiles {
  int threads;
  int64_t rows[RT_SIDES], tiles[RT_SIDES]; /* of a tile, on each side; tiles
                                              of all layers there */
  int64_t n;                               /* of all */
  size_t *table_at; /* of a launch: where its addresses begin in a row */
  size_t row;       /* addresses of a thread, whole cache lines */
  void **table;     /* [threads][row] */
  struct patch *patches;
  uint32_t npatches, cappatches;
  size_t *room_at; /* of own[k]: where its memory begins in a thread's */
  size_t room_row, room_bytes;
  char *room; /* [threads][room_row] */
};

/* ---- prepare ------------------------------------------------------------- */

/* Private memory begins at a point that is a multiple of this. */
static int64_t
unit_of(const struct rt_own_slot *o) {
  return o->block > 1 && UNIT % o->block ? (int64_t)UNIT * o->block : UNIT;
}

/* Points that it has room for. */
static int64_t
points_of(const struct rt_own_slot *o, int64_t rows) {
  int64_t unit = unit_of(o), layers = rows + o->layers.below + o->layers.above;
  int64_t points = layers * o->layers.each + unit;
  return (points + unit - 1) / unit * unit;
}

static void
find_patches(const struct rt_program *p, const struct rt_chain *c,
             struct rt_tiles *x) {
  for (uint32_t i = 0; i < c->count; i++) {
    const struct rt_launch *l = &p->launches[c->first + i];
    for (uint32_t k = 0; k < l->nbinds; k++) {
      struct patch patch = {i, k, 0};
      if (!l->binds[k].own) continue;
      while (c->own[patch.of].slot != l->binds[k].index) patch.of++;
      assert(patch.of < c->nown);
      VEC_PUSH(x->patches, x->npatches, x->cappatches, patch);
    }
  }
}

static struct rt_tiles *
tiles_new(const struct rt_program *p, const struct rt_chain *c) {
  enum { LINE = 8 };
  struct rt_tiles *x = mem_alloc(1, sizeof *x);
  x->n = c->times;
  for (uint32_t k = 0; k < c->nsides; k++) {
    const struct rt_side *s = &c->side[k];
    x->rows[k] = s->rows < s->n ? s->rows : s->n;
    x->tiles[k] = (s->n + x->rows[k] - 1) / x->rows[k];
    x->n *= x->tiles[k];
  }
  x->table_at = mem_alloc(c->count, sizeof *x->table_at);
  for (uint32_t i = 0; i < c->count; i++) {
    x->table_at[i] = x->row;
    x->row += round_up(p->launches[c->first + i].nbinds, LINE);
  }
  x->room_at = mem_alloc((size_t)c->nown + 1, sizeof *x->room_at);
  for (uint32_t k = 0; k < c->nown; k++) {
    const struct rt_own_slot *o = &c->own[k];
    size_t points = (size_t)points_of(o, x->rows[0]);
    x->room_at[k] = x->room_row;
    x->room_row += round_up(points * o->dim * o->size + SLACK, RT_PAGE);
  }
  find_patches(p, c, x);
  return x;
}

void
rt_tiles_free(struct rt_tiles *x) {
  if (!x) return;
  rt_mem_free(x->room, x->room_bytes);
  free(x->table_at);
  free(x->table);
  free(x->patches);
  free(x->room_at);
  free(x);
}

/* All, if there are as many tiles; one, if a launch runs on one. Launches whose
 * threads have memory besides have it for so many. */
static int
threads_of(const struct rt_program *p, const struct rt_chain *c,
           const struct rt_tiles *x) {
  int threads = p->scratch->nthreads;
  for (uint32_t i = 0; i < c->count; i++) {
    const struct rt_run *r = &p->scratch->runs[c->first + i];
    int most = r->l->scratch ? r->threads : threads;
    if (r->l->team == RT_TEAM_ONE) most = 1;
    if (most < threads) threads = most;
  }
  return x->n < threads ? (int)x->n : threads;
}

status
rt_tiles_prepare(const struct rt_program *p, uint32_t chain,
                 struct rt_tiles **tiles) {
  const struct rt_chain *c = &p->chains[chain];
  if (!*tiles) *tiles = tiles_new(p, c);
  struct rt_tiles *x = *tiles;
  x->threads = threads_of(p, c, x);
  size_t bytes = (size_t)x->threads * x->room_row;
  if (bytes <= x->room_bytes) return OK;
  char *room = rt_mem_new(bytes);
  if (!room) FAIL(ERR_MEMORY, "no memory for tiles: %zu bytes", bytes);
  rt_mem_free(x->room, x->room_bytes);
  x->room = room;
  x->room_bytes = bytes;
  free(x->table);
  x->table = mem_alloc((size_t)x->threads * x->row, sizeof *x->table);
  return OK;
}

/* ---- run ----------------------------------------------------------------- */

/* Each thread's addresses, but for those in private memory. */
static void
bind_all(const struct rt_program *p, const struct rt_chain *c,
         const struct rt_tiles *x) {
  for (uint32_t i = 0; i < c->count; i++)
    rt_launch_tables(p, &p->scratch->runs[c->first + i], x->threads,
                     x->table + x->table_at[i], x->row);
}

/* Layers [from, to) of the box on each side, in row k of layers of the first,
 * and what lies around them. */
struct tile {
  int64_t k, from[RT_SIDES], to[RT_SIDES];
};

static struct tile
tile_of(const struct rt_chain *c, const struct rt_tiles *x, int64_t number) {
  struct tile w = {0};
  for (uint32_t k = 0; k < c->nsides; k++) {
    int64_t from = number % x->tiles[k] * x->rows[k], to = from + x->rows[k];
    number /= x->tiles[k];
    w.from[k] = from;
    w.to[k] = to < c->side[k].n ? to : c->side[k].n;
  }
  w.k = number;
  return w;
}

/* Layers of a set on side k of the tile, and around it. */
static int64_t
layers_from(const struct rt_layers *l, const struct tile *w, uint32_t k) {
  int64_t j = w->from[k] + l->before - l->below;
  return j > 0 ? j : 0;
}
static int64_t
layers_to(const struct rt_layers *l, const struct tile *w, uint32_t k) {
  int64_t j = w->to[k] + l->before + l->above;
  return j < l->n ? j : l->n;
}

/* Where point 0 would lie, or how far apart components do. */
static void *
private_address(const struct rt_chain *c, const struct rt_tiles *x,
                const struct rt_bind *b, uint32_t of, int t,
                const struct tile *w) {
  const struct rt_own_slot *o = &c->own[of];
  const struct rt_layers *l = &o->layers;
  int64_t first = (w->k * l->n + layers_from(l, w, 0)) * l->each;
  first -= first % unit_of(o);
  if (b->kind == RT_BIND_STRIDE)
    return (void *)(uintptr_t)points_of(o, x->rows[0]);
  uintptr_t memory =
      (uintptr_t)(x->room + (size_t)t * x->room_row + x->room_at[of]);
  size_t point = (size_t)o->size * (o->block ? o->dim : 1);
  return (void *)(memory - (uintptr_t)first * point);
}

/* Launch i on points of the tile, of which the first of all layers on side k is
 * number `first`. */
static void
run_layers(const struct rt_program *p, const struct rt_chain *c, uint32_t i,
           uint32_t k, const struct tile *w, void **args, int64_t first) {
  const struct rt_layers *l = &c->layers[i][k], *in = l + 1;
  int64_t from = layers_from(l, w, k), to = layers_to(l, w, k);
  if (from >= to) return;
  if (k + 1 == c->nsides) {
    p->launches[c->first + i].fn(args, first + from * l->each,
                                 first + to * l->each);
    return;
  }
  int64_t inner = in->n * in->each;
  for (int64_t at = from * l->each; at < to * l->each; at += inner)
    run_layers(p, c, i, k + 1, w, args, first + at);
}

static void
run_tile(const struct rt_program *p, const struct rt_chain *c,
         const struct rt_tiles *x, int t, const struct tile *w) {
  void **table = x->table + (size_t)t * x->row;
  for (uint32_t k = 0; k < x->npatches; k++) {
    const struct patch *y = &x->patches[k];
    const struct rt_launch *l = &p->launches[c->first + y->launch];
    table[x->table_at[y->launch] + y->bind] =
        private_address(c, x, &l->binds[y->bind], y->of, t, w);
  }
  for (uint32_t i = 0; i < c->count; i++) {
    const struct rt_layers *l = c->layers[i];
    run_layers(p, c, i, 0, w, table + x->table_at[i], w->k * l->n * l->each);
  }
}

/* Share t of k of the tiles. */
static void
run_share(const struct rt_program *p, const struct rt_chain *c,
          const struct rt_tiles *x, int t) {
  int64_t end = rt_share(x->n, t + 1, x->threads);
  for (int64_t i = rt_share(x->n, t, x->threads); i < end; i++) {
    struct tile w = tile_of(c, x, i);
    run_tile(p, c, x, t, &w);
  }
}

void
rt_tiles_run(const struct rt_program *p, uint32_t chain,
             const struct rt_tiles *x) {
  const struct rt_chain *c = &p->chains[chain];
  bind_all(p, c, x);
  counters[CNT_tiles] += x->n;
  if (x->threads == 1) {
    run_share(p, c, x, 0);
    return;
  }
  uint32_t mode = fp_mode();
#pragma omp parallel num_threads(x->threads)
  {
    uint32_t was = fp_mode_change(mode);
    int k = omp_get_num_threads(), me = omp_get_thread_num();
    double begin = p->scratch->at_work ? timer_wall() : 0;
    for (int t = me; t < x->threads; t += k) run_share(p, c, x, t);
    rt_launch_worked(p->scratch, me, begin);
    fp_mode_change(was);
  }
}
