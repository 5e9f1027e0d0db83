/* Inline: a loop over points is computed where others read what it makes.
 *
 * Problem   Fluxes between points are made once and read twice, by a loop that
 *           reads them at offsets and so cannot be in one region with theirs:
 *           each is stored and loaded again, though it costs two subtractions.
 *           Tiles keep that in a cache, and still each loop goes over the tile
 *           by itself.
 *
 * Idea      Put the loop into the region of its readers, once for each point
 *           that they name: as seen from the reader's point, what it reads
 *           directly lies where the reader looked, what it reads through a rule
 *           lies where both rules lead (a composed relation, of one row where
 *           each names a point). What it makes stays in registers (`inline`),
 *           and the loop itself is gone, if all its readers could have it so.
 *           What a region reads of other points it may write anew, in memory
 *           of its own (pass storage): so steps in place inline, too.
 *
 *           It pays where little is computed twice: `most` additions for each
 *           component that is made, of all
 *           points that a reader's region names but the first, each once. For
 *           those that several loops of it name LLVM finds to be the same, as
 *           they are loaded through one entry (ir_first_alike).
 *
 * Example   %g.1 = loop @gradient over %edges (read %x.0 via %ends[0:2],
 *                                              write %g)
 *           region over %cells {
 *             %y.1 = loop @flow over %cells (read %g.1 via %sides[0:3],
 *                                            write %y)
 *           }
 *           becomes
 *           relation %sides_ends : %cells -> %cells composed %sides %ends
 *           inline %g_flow : %cells f64 x1 of 3
 *           region over %cells {
 *             %g_flow.1 = loop @gradient over %cells (
 *                 read %x.0 via %sides_ends[0:2], write %g_flow.0[0])
 *             %g_flow.2 = loop @gradient over %cells (
 *                 read %x.0 via %sides_ends[2:4], write %g_flow.1[1])
 *             %g_flow.3 = loop @gradient over %cells (
 *                 read %x.0 via %sides_ends[4:6], write %g_flow.2[2])
 *             %y.1 = loop @flow over %cells (read %g_flow.3[0:3], write %y)
 *           }
 *
 * Measured  medians of 5 interleaved rounds on a Zen 4, with / without:
 *           horizontal diffusion (bench/boxes/diffusion), 512 x 512 x 32
 *           points, all four loops in one: 1.25 (2 threads), 1.33 (1); 131 072
 *           x 64 x 2 points, whose tiles have two sides else, 1.86; 64 x 64 x
 *           3, in caches, 1.3. With the fluxes alone in one region
 *           (`most=10`) and tiles of the Laplacian 1.18, 1.2, 1.25 and 1.2. An
 *           icosahedral gradient in what flows into cells, in place
 *           (bench/boxes/icosahedral, 4096 x 4096): 2.1.
 *           The same of 2 to 1024 levels, 40 million values in all, one thread
 *           of a Zen 5: 1.8 (2), 2.2 (4), 1.9 (8), 1.6 (16), 3.3 (32), 2.2 (33
 *           to 128), 1.3 (256), 1.4 (512), 1.3 (1024), 1.0 (2048); two threads
 *           2.0 (8), 2.9 (32), 2.5 (64).
 *
 * Cost      O(loops over points * trace).
 *
 * Source    compute_inline of Halide (Ragan-Kelley et al. 2013); stencil
 *           inlining of Dawn and GridTools (Afanasyev et al. 2021).
 *
 * Limits    NODES loops of a region, ARGS arguments, as much code as is not
 *           called (IR_SPELT_MOST), rows of ENTRIES;
 *           loops over points, through rules alone, on processors and on one
 *           rank (elsewhere rules are tables); what writes one dat, all of it,
 *           which nobody wants afterwards: free temporaries in the step. */
#include "ir/area.h"
#include "ir/hold.h"
#include "ir/inner.h"
#include "ir/walk.h"
#include "passes/pass.h"

#include "base/counters.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST = 32,    /* additions that are made again, a component */
  NODES = 48,   /* of a region */
  ARGS = 160,   /* likewise */
  DIMS = 1024,  /* components of what is made */
  ENTRIES = 32, /* of a composed row: more have no stretches */
};

struct inlining {
  struct ir_trace *t;
  const bool *overlaps; /* of the dats that there were */
  uint32_t noverlaps;
  long most;
  struct ir_uses uses;
  struct ir_live live;
};

static void
facts_make(struct inlining *x) {
  x->uses = ir_uses_build(x->t);
  x->live = ir_live_build(x->t);
}

static void
facts_free(struct inlining *x) {
  ir_uses_free(&x->uses);
  ir_live_free(&x->live);
}

static bool
is_alone(const struct inlining *x, ir_ref dat) {
  ir_ref root = ir_root(x->t, dat);
  return root == dat && !(root < x->noverlaps && x->overlaps[root]);
}

/* ---- what may be inlined ------------------------------------------------- */

/* A loop over points that stands for no more than it declares. */
static bool
is_plain(const struct ir_trace *t, const struct ir_node *n) {
  if (n->op != IR_LOOP || ir_deferred(n) || n->each || n->region == IR_NONE)
    return false;
  uint32_t kernel = t->kernels[n->kernel].flags;
  return t->sets[n->set].ndim && !(t->sets[n->set].flags & IR_SET_PARTS) &&
         !(n->flags & (IR_NODE_SERIAL | IR_NODE_APART)) &&
         !(kernel & (IR_KERNEL_OPAQUE | IR_KERNEL_EFFECTS)) &&
         !target_is_device(n->target);
}

/* Does it reach points by rule, or its own? */
static bool
is_by_rule(const struct ir_trace *t, const struct ir_arg *a) {
  if (a->each || a->own || a->kind != IR_ARG_DAT) return false;
  return a->map == IR_NONE || (t->maps[a->map].rule && t->maps[a->map].arity);
}

static bool
may_read(const struct inlining *x, const struct ir_arg *a) {
  const struct ir_trace *t = x->t;
  if (a->access != ACC_READ) return false;
  if (a->kind == IR_ARG_DAT)
    return !ir_arg_inline(t, a) && is_by_rule(t, a) && is_alone(x, a->dat);
  return a->kind == IR_ARG_OFF || a->kind == IR_ARG_PARAM ||
         a->kind == IR_ARG_GBL;
}

/* The one argument that it writes, all of a dat, if others may be inlined:
 * else NULL. */
static const struct ir_arg *
result_of(const struct inlining *x, ir_ref n) {
  const struct ir_trace *t = x->t;
  const struct ir_node *node = &t->nodes[n];
  const struct ir_arg *out = NULL;
  if (!is_plain(t, node) || !t->kernels[node->kernel].work) return NULL;
  for (uint32_t k = 0; k < node->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, node)[k];
    if (!ir_arg_writes(a)) {
      if (!may_read(x, a)) return NULL;
      continue;
    }
    bool whole = a->kind == IR_ARG_DAT && a->access == ACC_WRITE &&
                 a->in == IR_NONE && ir_arg_direct(a) && !ir_arg_inline(t, a);
    if (out || !whole || !is_alone(x, a->dat)) return NULL;
    out = a;
  }
  if (!out) return NULL;
  const struct ir_dat *d = &t->dats[out->dat];
  bool fits = d->dim <= DIMS && !(d->flags & IR_DAT_PINNED) &&
              ir_same(t, out->out) == out->out;
  return fits ? out : NULL;
}

/* ---- who reads it -------------------------------------------------------- */

/* Does nobody between loops n and m, or in the region of m, change what n
 * reads of this dat or global so that it is not found there? */
static bool
stays_until(const struct inlining *x, const struct ir_arg *a, ir_ref n,
            ir_ref m) {
  const struct ir_trace *t = x->t;
  ir_ref root = ir_root(t, a->dat), end = ir_unit_end(t, m);
  assert(n < m && m < end);
  for (ir_ref k = n + 1; k < end; k++)
    for (uint32_t i = 0; i < t->nodes[k].nargs; i++) {
      const struct ir_arg *b = &ir_args(t, &t->nodes[k])[i];
      if (!ir_arg_on(t, b, root)) continue;
      if (t->nodes[k].op == IR_FREE) return false;
      if (b->out == IR_NONE) continue;
      if (k < m || !ir_arg_writes_anew(t, &t->nodes[k], b)) return false;
    }
  return true;
}

static bool
inputs_stay(const struct inlining *x, ir_ref n, ir_ref m) {
  const struct ir_trace *t = x->t;
  for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
    const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
    if (ir_arg_has_value(a) && !ir_arg_writes(a) && !stays_until(x, a, n, m))
      return false;
  }
  return true;
}

/* Would rows of both be too long? */
static bool
rows_fit(const struct ir_trace *t, const struct ir_node *n, ir_ref map) {
  uint32_t arity = t->maps[map].arity;
  assert(arity);
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, n)[k];
    if (a->map != IR_NONE && arity * t->maps[a->map].arity > ENTRIES)
      return false;
  }
  return true;
}

/* May loop m have what it reads of version v so? */
static bool
may_take(const struct inlining *x, ir_ref n, ir_ref m, ir_ref v) {
  const struct ir_trace *t = x->t;
  const struct ir_node *p = &t->nodes[n], *c = &t->nodes[m];
  if (!is_plain(t, c) || c->region == p->region ||
      !target_same(p->target, c->target))
    return false;
  for (uint32_t k = 0; k < c->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, c)[k];
    if (!ir_arg_has_value(a) || a->in != v) continue;
    if (a->access != ACC_READ || !is_by_rule(t, a)) return false;
    if (a->map == IR_NONE ? c->set != p->set : !rows_fit(t, p, a->map))
      return false;
  }
  return inputs_stay(x, n, m);
}

/* ---- does it pay? -------------------------------------------------------- */

/* Places that regions read a version at, each once. */
struct sites {
  VEC(struct site, at);
  uint32_t calls, args; /* that its readers' regions would get, */
  uint64_t spelt;       /* and code of these: ir_arg_spelt */
};
struct site {
  ir_ref region, map;
  uint32_t entry;
};

static void
site_note(const struct inlining *x, struct sites *s, struct site site) {
  if (site.map != IR_NONE) ir_first_alike(x->t, &site.map, &site.entry);
  for (uint32_t k = 0; k < s->nat; k++)
    if (s->at[k].region == site.region && s->at[k].map == site.map &&
        s->at[k].entry == site.entry)
      return;
  VEC_PUSH(s->at, s->nat, s->capat, site);
}

/* What code of the loop is spelt out. */
static uint64_t
spelt_of(const struct ir_trace *t, ir_ref n) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < t->nodes[n].nargs; k++)
    sum += ir_arg_spelt(t, &ir_args(t, &t->nodes[n])[k]);
  return sum;
}

/* Loop m reads version v, which loop n makes, of points or at its own. */
static void
sites_of(const struct inlining *x, ir_ref n, ir_ref m, ir_ref v,
         struct sites *s) {
  const struct ir_node *node = &x->t->nodes[m];
  for (uint32_t k = 0; k < node->nargs; k++) {
    const struct ir_arg *a = &ir_args(x->t, node)[k];
    if (!ir_arg_has_value(a) || a->in != v) continue;
    for (uint32_t i = 0; i < ir_arg_count(a); i++)
      site_note(x, s, (struct site){node->region, a->map, a->entry + i});
    s->calls += ir_arg_count(a);
    s->args += ir_arg_count(a) * x->t->nodes[n].nargs;
    s->spelt += ir_arg_count(a) * spelt_of(x->t, n);
  }
}

static bool
region_has_room(struct ir_trace *t, ir_ref n, ir_ref m, const struct sites *s) {
  const struct ir_region *g = &t->regions[t->nodes[m].region];
  uint32_t args = s->args;
  uint64_t spelt = s->spelt;
  for (ir_ref k = g->first; k < g->first + g->count; k++) {
    args += t->nodes[k].nargs;
    spelt += spelt_of(t, k);
  }
  bool calls = g->count + s->calls <= NODES && args <= ARGS;
  if (calls && spelt <= IR_SPELT_MOST) return true;
  ir_remark(t,
            "inline: %s is not computed where it is read: the region of %s "
            "would have too many %s",
            pass_node_text(t, n), pass_node_text(t, g->first),
            calls ? "components" : "calls");
  return false;
}

/* May all readers of what loop n makes have it so, and is little made again? */
static bool
pays(const struct inlining *x, ir_ref n, ir_ref v) {
  struct ir_trace *t = x->t;
  struct sites s = {0};
  bool may = !x->live.stays[v];
  for (uint32_t k = x->uses.start[v]; may && k < x->uses.start[v + 1]; k++) {
    ir_ref m = x->uses.users[k];
    if (t->nodes[m].op == IR_FREE && !ir_deferred(&t->nodes[m])) continue;
    may = may_take(x, n, m, v);
    if (may) sites_of(x, n, m, v, &s);
    may = may && region_has_room(t, n, m, &s);
  }
  uint32_t times = s.nat;
  free(s.at);
  if (!may || !times) return false;
  uint32_t work = t->kernels[t->nodes[n].kernel].work - 1;
  double most = (double)x->most * t->dats[t->values[v].dat].dim;
  if ((double)work * (times - 1) <= most) return true;
  ir_remark(t,
            "inline: %s is not computed where it is read: %u times %u "
            "additions",
            pass_node_text(t, n), times, work);
  return false;
}

/* ---- the loop in its readers' regions ------------------------------------ */

/* By map `first`, then by `then`. */
static ir_ref
composed(struct ir_trace *t, ir_ref first, ir_ref then) {
  const struct ir_map *a = &t->maps[first], *b = &t->maps[then];
  for (ir_ref i = 0; i < t->nmaps; i++)
    if (t->maps[i].rows == IR_ROWS_COMPOSED && t->maps[i].of[0] == first &&
        t->maps[i].of[1] == then)
      return i;
  struct ir_area rule[ENTRIES];
  uint32_t n = 0;
  assert(a->arity * b->arity <= ENTRIES);
  for (uint32_t k = 0; k < a->arity; k++)
    for (uint32_t i = 0; i < b->arity; i++)
      rule[n++] = ir_area_by(a->rule[k], b->rule[i]);
  struct ir_map m = {.name = arena_printf(&t->arena, "%s_%s", a->name, b->name),
                     .from = a->from,
                     .to = b->to,
                     .arity = n,
                     .flags = ((a->flags | b->flags) & IR_MAP_TURNS) |
                              IR_MAP_REPEATS,
                     .tag = UINT32_MAX,
                     .rows = IR_ROWS_COMPOSED,
                     .of = {first, then},
                     .rule = rule};
  if (!(a->still | b->still))
    m.stretch = a->stretch < b->stretch ? a->stretch : b->stretch;
  if (m.stretch) m.flags |= a->flags & b->flags & IR_MAP_LINES;
  return ir_add_map(t, m);
}

/* An argument of the inlined loop, as seen by who looks by entry k of a map. */
static void
arg_by(struct ir_trace *t, struct ir_arg *a, ir_ref map, uint32_t k) {
  if (a->kind != IR_ARG_DAT || map == IR_NONE) return;
  assert(k < t->maps[map].arity);
  if (a->map == IR_NONE) {
    a->map = map;
    a->entry = k;
    return;
  }
  a->entry += k * t->maps[a->map].arity;
  a->map = composed(t, map, a->map);
}

/* Loop n for part `part` of inline `to`, as entry k of the map names it, at
 * position `at`. */
static void
put_call(struct ir_trace *t, ir_ref n, ir_ref at, ir_ref set, ir_ref map,
         uint32_t k, ir_ref to, uint32_t part) {
  struct ir_node node = t->nodes[n];
  SCOPED struct ir_arg *args = mem_alloc(node.nargs, sizeof *args);
  memcpy(args, ir_args(t, &node), node.nargs * sizeof *args);
  for (uint32_t i = 0; i < node.nargs; i++) {
    struct ir_arg *a = &args[i];
    if (!ir_arg_writes(a)) {
      arg_by(t, a, map, k);
      continue;
    }
    a->dat = to;
    a->entry = part;
    a->in = IR_NONE;
  }
  assert(part < t->dats[to].parts);
  node.set = set;
  node.region = IR_NONE;
  ir_insert_node(t, at, node, args);
}

/* The region takes the n nodes before it. */
static void
region_grow(struct ir_trace *t, ir_ref r, uint32_t n) {
  struct ir_region *g = &t->regions[r];
  assert(n && n <= g->first && g->count + n <= NODES);
  g->first -= n;
  g->count += n;
  for (ir_ref k = g->first; k < g->first + n; k++) t->nodes[k].region = r;
}

/* Argument `arg` of loop m gets what loop n makes from registers. Returns how
 * many nodes came in front of m. */
static uint32_t
take_inline(struct ir_trace *t, ir_ref n, ir_ref m, uint32_t arg) {
  struct ir_arg a = ir_args(t, &t->nodes[m])[arg];
  ir_ref r = t->nodes[m].region, set = t->nodes[m].set;
  const struct ir_dat *d = &t->dats[a.dat];
  uint32_t parts = ir_arg_count(&a);
  struct ir_dat made = {.name =
                            arena_printf(&t->arena, "%s_%s", d->name,
                                         t->kernels[t->nodes[m].kernel].name),
                        .kind = IR_INLINE,
                        .set = set,
                        .type = d->type,
                        .dim = d->dim,
                        .parts = parts,
                        .block = 1,
                        .reach = REACH_FULL,
                        .root = IR_NONE,
                        .tag = d->tag};
  ir_ref to = ir_add_dat(t, made), at = t->regions[r].first;
  assert(n < at && a.access == ACC_READ);
  for (uint32_t k = 0; k < parts; k++)
    put_call(t, n, at + k, set, a.map, a.entry + k, to, k);
  region_grow(t, r, parts);
  struct ir_arg *reader = &ir_args(t, &t->nodes[m + parts])[arg];
  reader->dat = to;
  reader->map = IR_NONE;
  reader->entry = 0;
  reader->in = t->dats[to].last;
  counters[CNT_inlined]++;
  return parts;
}

static void
tell(struct ir_trace *t, ir_ref n, ir_ref v) {
  ir_remark(t, "inline: %s is computed where %s is read", pass_node_text(t, n),
            pass_value_text(t, v));
}

/* Its number changes as nodes come in. */
static ir_ref
made_by(const struct ir_trace *t, ir_ref n) {
  const struct ir_arg *a = ir_args(t, &t->nodes[n]);
  while (!ir_arg_writes(a)) a++;
  assert(a < ir_args(t, &t->nodes[n]) + t->nodes[n].nargs);
  return a->out;
}

/* All that read what loop n makes get it where they are. */
static void
inline_loop(struct ir_trace *t, ir_ref n) {
  tell(t, n, made_by(t, n));
  for (ir_ref m = n + 1; m < t->nnodes; m++)
    for (uint32_t k = 0; k < t->nodes[m].nargs; k++) {
      const struct ir_arg *a = &ir_args(t, &t->nodes[m])[k];
      bool reads = t->nodes[m].op == IR_LOOP && ir_arg_has_value(a);
      if (reads && a->in == made_by(t, n)) m += take_inline(t, n, m, k);
    }
  ir_drop_node(t, n);
}

bool
pass_inline(struct ir_trace *t, const struct pass_ctx *c) {
  struct inlining x = {.t = t,
                       .overlaps = c->overlaps,
                       .noverlaps = t->ndats,
                       .most = pass_arg(c, "most", MOST)};
  bool changed = false, fresh = false;
  for (ir_ref n = t->nnodes; n-- > 0;) {
    const struct ir_arg *out = result_of(&x, n);
    if (!out) continue;
    if (!fresh) facts_make(&x);
    fresh = true;
    if (!pays(&x, n, out->out)) continue;
    facts_free(&x);
    fresh = false;
    inline_loop(t, n);
    changed = true;
  }
  if (fresh) facts_free(&x);
  return changed;
}
