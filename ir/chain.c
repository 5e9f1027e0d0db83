/* Chains of tiles: what must hold so that regions may run one behind the other
 * for each tile, instead of each over all of its elements.
 *
 * Problem   Tile after tile, a region reads what those before it in the chain
 *           made for this tile, and nothing of what they will make for others.
 *
 * Idea      A tile is `rows` layers of points of a box, across one dimension;
 *           those of other tiles lie below and above it. A region runs over the
 *           tile and `span` layers around it, as far as its set goes. Then it
 *           is enough to know how many layers away each access is: rules of
 *           maps say so, and so does a direct access. Where layers are too
 *           large, tiles have sides in dimensions before that one, too, and all
 *           of this holds in each.
 *
 *             private buffers   hold what is made in the chain, of all the tile
 *                               and as far around it as others read there, and
 *                               read by nobody afterwards
 *             other buffers     that are written in the chain: only layers of
 *                               the tile itself are touched there, by regions
 *                               of no span, so that no tile meets another.
 *                               What nobody writes all may read anywhere
 *
 * Example   region over %lap_points walk range chain #0 (-1:1) {
 *             %lap.1 = loop @laplace ... (read %x.0 via %star[0:5], write %lap)
 *           }
 *           region over %box walk range chain #0 (0) {
 *             ... loop @diffuse ... (read %lap.1 via %near[0:3], ...
 *           }
 *           chain #0 : %box along 1 rows 16 private #2
 *
 *           near reaches from layer -1 to 1, so laplace runs one further out on
 *           each side: neighbours' layers are made twice.
 *
 * Limits    dimensions that are periodic, or before such; the first one of
 *           grids with colours, as the only one; maps without a rule;
 *           loops that write globals, or through maps to other layers; what a
 *           chain updates in place and reads at an offset.
 */
#include "ir/chain.h"
#include "ir/area.h"
#include "ir/walk.h"

#include "base/target.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- layers -------------------------------------------------------------- */

bool
ir_is_around(const struct ir_trace *t, ir_ref set, ir_ref box) {
  assert(set < t->nsets && box < t->nsets);
  return set == box || t->sets[set].box == box + 1;
}

struct ir_layers
ir_layers_of(const struct ir_trace *t, ir_ref set, ir_ref box, uint32_t along) {
  const struct ir_set *s = &t->sets[set], *b = &t->sets[box];
  assert(ir_is_around(t, set, box) && along < b->ndim && b->side[0]);
  struct ir_layers l = {.each = along ? ir_colours_of(b) : 1,
                        .times = along ? 1 : ir_colours_of(b)};
  for (uint32_t d = 0; d < b->ndim; d++) {
    idx_g side = b->side[d] + s->area.at[2 * d] + s->area.at[2 * d + 1];
    if (d < along) l.each *= side;
    if (d == along) l.n = side;
    if (d > along) l.times *= side;
  }
  l.before = s->area.at[2 * along];
  return l;
}

/* All that the named entries reach, as seen from a point. */
static struct ir_area
named_area(const struct ir_map *m, const struct ir_arg *a) {
  struct ir_area sum = m->rule[a->entry];
  assert(a->entry + ir_arg_count(a) <= m->arity);
  for (uint32_t k = 1; k < ir_arg_count(a); k++)
    sum = ir_area_join(sum, m->rule[a->entry + k]);
  return sum;
}

bool
ir_layers_reached(const struct ir_trace *t, const struct ir_arg *a,
                  const struct ir_chain *c, struct ir_spans *out) {
  assert(c->nsides);
  *out = (struct ir_spans){0};
  if (a->dat != ir_root(t, a->dat) || a->each) return false;
  if (a->map == IR_NONE) return true;
  const struct ir_map *m = &t->maps[a->map];
  if (!m->rule) return false;
  struct ir_area by = named_area(m, a);
  for (uint32_t k = 2 * c->side[0].along + 2; k < IR_SIDES; k++)
    if (by.at[k]) return false;
  for (uint32_t k = 0; k < c->nsides; k++) {
    const int *at = &by.at[2 * c->side[k].along];
    out->at[k] = (struct ir_span){at[0], at[1]};
  }
  return true;
}

/* ---- one region ---------------------------------------------------------- */

static bool
may_loop(const struct ir_trace *t, const struct ir_node *n) {
  if (n->op != IR_LOOP || ir_deferred(n) || n->each) return false;
  if (n->flags & IR_NODE_SERIAL || ir_has_effects(t, n) || ir_in_place(t, n))
    return false;
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, n)[k];
    bool value = ir_arg_on_dat(t, a) || ir_arg_inline(t, a);
    if (ir_arg_writes(a) && !value) return false;
  }
  return true;
}

/* Are tiles layers of the set? */
static bool
in_layers(const struct ir_trace *t, ir_ref set, const struct ir_chain *c) {
  const struct ir_set *s = &t->sets[set];
  if (!ir_is_around(t, set, c->box)) return false;
  if (s->flags & (IR_SET_PARTS | IR_SET_RENUMBERED)) return false;
  for (uint32_t k = 2 * c->side[0].along + 2; k < IR_SIDES; k++)
    if (s->area.at[k]) return false;
  return true;
}

/* May tiles have such sides? They wait for no neighbour on another side of the
 * box. */
static bool
may_have_sides(const struct ir_set *b, const struct ir_chain *c) {
  uint32_t along = c->side[0].along;
  if (!b->side[0] || along >= b->ndim || b->periodic >> along) return false;
  for (uint32_t k = 1; k < c->nsides; k++)
    if (b->periodic >> c->side[k].along & 1) return false;
  return along || ir_colours_of(b) == 1;
}

bool
ir_may_chain(const struct ir_trace *t, ir_ref region,
             const struct ir_chain *c) {
  const struct ir_region *g = &t->regions[region];
  const char *target = t->nodes[g->first].target;
  if (!may_have_sides(&t->sets[c->box], c)) return false;
  if (!in_layers(t, g->set, c) || g->walk != IR_WALK_RANGE) return false;
  if (target_is_device(target) || ir_alone(t, region) || g->core_first)
    return false;
  for (ir_ref n = g->first; n < g->first + g->count; n++)
    if (!may_loop(t, &t->nodes[n])) return false;
  return true;
}

/* ---- all of them --------------------------------------------------------- */

/* What a chain does to a buffer. */
struct use {
  bool own, written;
  bool far;             /* it is touched in other layers than the tile's */
  struct ir_spans made; /* around a tile, by who wrote it last */
};
struct chain {
  const struct ir_trace *t;
  const struct ir_chain *c;
  const struct ir_live *live;
  ir_ref begin, end; /* its nodes */
  struct use *uses;  /* by buffer */
  struct str *why;
};

/* A version that lives in registers alone has no buffer: nobody's. */
static struct use *
use_of(const struct chain *x, ir_ref v) {
  ir_ref b = ir_buffer_of(x->t, v);
  return &x->uses[b == IR_NONE ? x->t->nbuffers : b];
}

static bool
wrong(const struct chain *x, const struct ir_arg *a, const char *what) {
  ir_ref v = a->out == IR_NONE ? a->in : a->out;
  ir_print_value(x->t, v, x->why);
  str_printf(x->why, " %s", what);
  return false;
}

/* A private version is made anew, and nobody wants it afterwards. */
static bool
own_write(struct chain *x, const struct ir_region *g, const struct ir_arg *a) {
  const struct ir_trace *t = x->t;
  ir_ref v = ir_same(t, a->out);
  bool full = a->access == ACC_WRITE && a->in == IR_NONE;
  if (!ir_arg_direct(a) || a->dat != ir_root(t, a->dat) ||
      !(full || a->access == ACC_RW))
    return wrong(x, a, "is private, but not all of it is written");
  if (ir_live_at(x->live, v, x->end))
    return wrong(x, a, "is private, but wanted behind the chain");
  if (!in_layers(t, t->dats[a->dat].set, x->c))
    return wrong(x, a, "is private, but no layers of the box");
  use_of(x, a->out)->made = g->span;
  return true;
}

/* A private version is read where it was made. */
static bool
own_read(struct chain *x, const struct ir_region *g, const struct ir_arg *a) {
  const struct ir_trace *t = x->t;
  ir_ref def = t->values[ir_same(t, a->in)].def;
  struct ir_spans by;
  if (def == IR_NONE || def < x->begin || def >= x->end)
    return wrong(x, a, "is private, but the chain does not make it");
  if (!ir_layers_reached(t, a, x->c, &by))
    return wrong(x, a, "is private, but read nobody knows where");
  for (uint32_t k = 0; k < x->c->nsides; k++) {
    struct ir_span run = g->span.at[k], made = use_of(x, a->in)->made.at[k];
    if (run.below + by.at[k].below > made.below ||
        run.above + by.at[k].above > made.above)
      return wrong(x, a, "is read further out than it is made");
  }
  return true;
}

/* Reads come first: a loop may write a private version anew in its place. */
static bool
check_own(struct chain *x, const struct ir_region *g, const struct ir_node *n) {
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = &ir_args(x->t, n)[k];
    if (!ir_arg_on_dat(x->t, a) || a->in == IR_NONE) continue;
    if (use_of(x, a->in)->own && !own_read(x, g, a)) return false;
  }
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = &ir_args(x->t, n)[k];
    if (!ir_arg_on_dat(x->t, a) || a->out == IR_NONE) continue;
    if (use_of(x, a->out)->own && !own_write(x, g, a)) return false;
  }
  return true;
}

/* Other buffers: which are written, which are touched elsewhere? */
static void
note_other(struct chain *x, const struct ir_region *g, const struct ir_arg *a,
           ir_ref v) {
  static const struct ir_spans none;
  struct ir_spans by;
  if (v == IR_NONE || ir_buffer_of(x->t, v) == IR_NONE) return;
  struct use *u = use_of(x, v);
  bool here = ir_layers_reached(x->t, a, x->c, &by) &&
              !memcmp(&by, &none, sizeof by) &&
              !memcmp(&g->span, &none, sizeof none);
  u->far |= !here;
  u->written |= v == a->out;
}

static bool
check_region(struct chain *x, const struct ir_region *g) {
  const struct ir_trace *t = x->t;
  for (ir_ref n = g->first; n < g->first + g->count; n++) {
    if (!check_own(x, g, &t->nodes[n])) return false;
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
      const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
      if (!ir_arg_on_dat(t, a)) continue;
      note_other(x, g, a, a->in);
      note_other(x, g, a, a->out);
    }
  }
  return true;
}

/* What is written for everybody is written once, and all of it: by regions over
 * no more layers than the tiles have together. */
static bool
check_others(const struct chain *x, const struct ir_region *g) {
  const struct ir_area *area = &x->t->sets[g->set].area;
  bool wider = false;
  for (uint32_t k = 0; k < x->c->nsides; k++) {
    const int *at = &area->at[2 * x->c->side[k].along];
    wider |= at[0] || at[1];
  }
  IR_EACH_ARG(x->t, g, n, a) {
    if (!ir_arg_on_dat(x->t, a) || a->out == IR_NONE) continue;
    const struct use *u = use_of(x, a->out);
    if (u->own) continue;
    if (u->far)
      return wrong(x, a, "is written, and touched in layers of other tiles");
    if (wider) return wrong(x, a, "is written in layers that are in no tile");
  }
  return true;
}

/* Regions run around tiles where these have sides. */
static bool
spans_sides(const struct chain *x, const struct ir_region *g) {
  static const struct ir_span none;
  for (uint32_t k = x->c->nsides; k < IR_DIMS; k++)
    if (memcmp(&g->span.at[k], &none, sizeof none)) return false;
  return true;
}

/* Why region `r` runs in no tiles; NULL when it may. */
static const char *
tiles_refuse(const struct chain *x, ir_ref r) {
  const struct ir_region *g = &x->t->regions[r];
  if (!ir_may_chain(x->t, r, x->c)) return "cannot run in tiles";
  if (g->deep) return "has a depth, and tiles know none";
  if (!spans_sides(x, g)) return "has a span on more sides than tiles have";
  return NULL;
}

static bool
check_all(struct chain *x, ir_ref first, uint32_t count) {
  const struct ir_trace *t = x->t;
  for (ir_ref r = first; r < first + count; r++) {
    const char *why = tiles_refuse(x, r);
    if (!why) continue;
    str_printf(x->why, "region %u %s", r, why);
    return false;
  }
  for (ir_ref r = first; r < first + count; r++)
    if (!check_region(x, &t->regions[r])) return false;
  for (ir_ref r = first; r < first + count; r++)
    if (!check_others(x, &t->regions[r])) return false;
  return true;
}

bool
ir_chain_holds(const struct ir_trace *t, ir_ref k, ir_ref first, uint32_t count,
               const struct ir_live *live, struct str *why) {
  const struct ir_region *g = &t->regions[first], *last = g + count - 1;
  assert(k < t->nchains && count && first + count <= t->nregions);
  struct chain x = {.t = t,
                    .c = &t->chains[k],
                    .live = live,
                    .begin = g->first,
                    .end = last->first + last->count,
                    .why = why};
  x.uses = mem_alloc((size_t)t->nbuffers + 1, sizeof *x.uses);
  for (uint32_t i = 0; i < x.c->nown; i++) x.uses[x.c->own[i]].own = true;
  bool holds = check_all(&x, first, count);
  free(x.uses);
  return holds;
}
