/* The recording as a trace: made only when no program fits (flush.c).
 *
 * Declarations are added when a record first mentions them; their tags are the
 * frontend's indices. A raw-pointer global is a declaration of its own per
 * record: it starts from the bytes captured at the call, so that loops see what
 * the memory held then, and its value is delivered after the run.
 */
#include "frontend/calls.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"

#include "ir/ir.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Where the declarations of this trace are: index in fe -> ir_ref + 1. */
struct builder {
  struct ir_trace *t;
  ir_ref *sets, *maps, *dats, *gbls, *kernels;
  VEC(struct fe_global_src, globals);
  bool settled; /* layouts stay: the program exists, this is a variant */
};

static ir_ref
build_set(struct builder *b, op_set handle) {
  struct fe_set *s = (struct fe_set *)handle;
  uint32_t i = s->tag;
  if (b->sets[i]) return b->sets[i] - 1;
  struct fe_set *domain;
  int ndim = fe_points_of(s, &domain);
  ir_ref around = IR_NONE;
  if (ndim && domain != s) around = build_set(b, &domain->pub);
  struct ir_set set = {.name = s->pub.name,
                       .n = fe_set_total(s),
                       .flags =
                           (s->rt.order ? IR_SET_RENUMBERED | s->numbered : 0) |
                           (s->rt.part ? IR_SET_PARTS : 0) |
                           (s->rt.part && fe_ranks.whole ? IR_SET_ALIKE : 0),
                       .tag = i,
                       .box = around + 1};
  fe_points_describe(s, &set);
  if (s->rt.part) {
    set.levels = fe_set_most(s);
    set.nlevels = (uint32_t)fe_ranks.level + 1;
    set.deepest = fe_set_deepest(s);
  }
  b->sets[i] = 1 + ir_add_set(b->t, set);
  return b->sets[i] - 1;
}

/* Where each entry lies, of points of all colours; the caller's to free. */
static struct ir_area *
rule_areas(const struct fe_map *m) {
  struct ir_area *areas = mem_alloc(m->rt.arity, sizeof *areas);
  for (uint32_t k = 0; k < m->rt.arity; k++) {
    struct fe_halo h = fe_rule_span(m->by, (int)k, 1);
    areas[k] = fe_area_of(&h);
  }
  return areas;
}

/* 1 + a relation of the trace whose rows begin at the same places; 0: none. */
static uint32_t
map_starts(const struct builder *b, uint64_t starts) {
  for (ir_ref i = 0; starts && i < b->t->nmaps; i++) {
    const struct fe_map *m = fe_all.map_tags[b->t->maps[i].tag];
    if (b->t->maps[i].rows == IR_ROWS_CSR && m->starts == starts) return i + 1;
  }
  return 0;
}

/* What makes a rule of it, if it is one's. */
static uint32_t
rule_flags(const struct fe_map *m, uint32_t stretch) {
  if (!m->by) return 0;
  if (fe_rule_turns(m->by)) return IR_MAP_TURNS;
  return m->lines && stretch ? IR_MAP_LINES : 0;
}

static ir_ref
build_map(struct builder *b, struct fe_map *m) {
  uint32_t i = m->tag;
  if (b->maps[i]) return b->maps[i] - 1;
  struct fe_rules rules = fe_number_rules(m);
  struct ir_map map = {
      .name = m->pub.name,
      .from = build_set(b, m->pub.from),
      .to = build_set(b, m->pub.to),
      .arity = m->rt.arity,
      .rows = m->start ? IR_ROWS_CSR : IR_ROWS_TABLE,
      .flags =
          (m->onto ? IR_MAP_ONTO : 0) | (m->injective ? IR_MAP_INJECTIVE : 0) |
          (m->repeats ? IR_MAP_REPEATS : 0) | (m->column ? IR_MAP_COLUMN : 0) |
          rule_flags(m, rules.stretch) | (rules.beside ? IR_MAP_BESIDE : 0) |
          (rules.counts ? IR_MAP_COUNTS : 0),
      .tag = i,
      .drift = fe_number_drift(m),
      .run = rules.run,
      .run_entry = rules.run_entry,
      .stretch = rules.stretch,
      .still = rules.still,
      .usual = rules.usual,
      .step = rules.step,
      .starts = map_starts(b, rules.starts),
      .layers = {.first = rules.layers.first,
                 .last = rules.layers.last,
                 .height = rules.layers.height,
                 .apart = rules.layers.apart}};
  struct ir_area *rule = m->by ? rule_areas(m) : NULL;
  map.rule = rule;
  b->maps[i] = 1 + ir_add_map(b->t, map);
  free(rule);
  return b->maps[i] - 1;
}

/* May pass layout choose? What is on a device would be brought back, and go
 * there again. */
static bool
layout_open(const struct builder *b, const struct fe_dat *d, const char *at) {
  return d->auto_layout && d->called && d->pub.dim > 1 && !d->pinned &&
         !d->parked && !at && !b->settled;
}

static ir_ref
build_dat(struct builder *b, struct fe_dat *d) {
  if (b->dats[d->index]) return b->dats[d->index] - 1;
  ir_ref root = IR_NONE;
  bool both;
  const char *at = fe_dat_at(d, &both);
  if (d->root != d->index) root = build_dat(b, fe_all.dats[d->root]);
  struct ir_dat dat = {.name = d->pub.name,
                       .kind = IR_DAT,
                       .set = build_set(b, d->pub.set),
                       .type = d->type,
                       .dim = (uint32_t)d->pub.dim,
                       .block = d->rt.shape.block,
                       .device = d->rt.shape.device,
                       .flags = (d->temp ? IR_DAT_TEMP : 0) |
                                (d->pinned ? IR_DAT_PINNED : 0) |
                                (both ? IR_DAT_BOTH : 0) |
                                (layout_open(b, d, at) ? IR_DAT_AUTO : 0) |
                                (d->by_rows ? IR_DAT_ROWS : 0),
                       .at = at,
                       .reach = fe_reach_of(d),
                       .root = root,
                       .tag = d->index};
  b->dats[d->index] = 1 + ir_add_dat(b->t, dat);
  return b->dats[d->index] - 1;
}

static ir_ref
build_gbl(struct builder *b, struct fe_gbl *g) {
  if (b->gbls[g->index]) return b->gbls[g->index] - 1;
  struct ir_dat dat = {.name = g->name,
                       .kind = IR_GBL,
                       .set = IR_NONE,
                       .type = g->type,
                       .dim = g->dim,
                       .block = 1,
                       .root = IR_NONE,
                       .tag = b->nglobals};
  struct fe_global_src src = {.gbl = g->index, .bytes = g->bytes};
  VEC_PUSH(b->globals, b->nglobals, b->capglobals, src);
  b->gbls[g->index] = 1 + ir_add_dat(b->t, dat);
  return b->gbls[g->index] - 1;
}

/* A raw global or a captured value of argument a of a record; `root`: the one
 * whose memory it lies in, IR_NONE if it has its own. */
static ir_ref
build_capture(struct builder *b, uint32_t rec, const struct fe_call *c,
              uint32_t a, ir_ref root) {
  const struct fe_arg *fa = &c->args[a];
  char *name = arena_printf(&b->t->arena, "%s$%u", c->name, a);
  struct ir_dat dat = {.name = name,
                       .kind = fa->raw ? IR_GBL : IR_PARAM,
                       .set = IR_NONE,
                       .type = fa->type,
                       .dim = fa->dim,
                       .block = 1,
                       .root = root,
                       .tag = a};
  if (fa->raw) {
    struct fe_global_src src = {
        .raw = true, .rec = rec, .arg = a, .bytes = fa->bytes};
    dat.flags = IR_DAT_RAW;
    if (fe_recs.all[rec].unread) dat.flags |= IR_DAT_UNREAD;
    dat.tag = b->nglobals;
    VEC_PUSH(b->globals, b->nglobals, b->capglobals, src);
  }
  return ir_add_dat(b->t, dat);
}

/* All captured values of a record: those that others lie in come first. */
static void
build_captures(struct builder *b, uint32_t rec, const struct fe_call *c,
               struct ir_arg *args) {
  for (uint32_t a = 0; a < c->nargs; a++)
    if (c->args[a].bytes && (!c->args[a].share || c->args[a].share == a + 1))
      args[a].dat = build_capture(b, rec, c, a, IR_NONE);
  for (uint32_t a = 0; c->overlaps && a < c->nargs; a++) {
    uint32_t share = c->args[a].share;
    if (share && share != a + 1)
      args[a].dat = build_capture(b, rec, c, a, args[share - 1].dat);
  }
}

/* Does the loop add along runs of a map? */
static bool
adds_in_runs(const struct fe_call *c) {
  for (uint32_t a = 0; a < c->nargs; a++) {
    const struct fe_map *m = (const struct fe_map *)c->args[a].map;
    uint8_t acc = c->args[a].access;
    bool adds = acc == ACC_INC || acc == ACC_MIN || acc == ACC_MAX;
    if (m && m->runs.length > 1 && adds) return true;
  }
  return false;
}

/* Of loops over points, whose kernels passes may put into others, and of those
 * that add along runs, whose elements may run one by one. */
static uint32_t
work_of(const struct fe_call *c) {
  struct fe_set *domain;
  bool points = fe_points_of((struct fe_set *)c->set_handle, &domain);
  return points || adds_in_runs(c) ? fe_kernel_work(c) : 0;
}

static ir_ref
build_kernel(struct builder *b, const struct fe_call *c) {
  struct fe_kernel *k = c->kernel;
  ir_ref known = b->kernels[k->index];
  if (known && !b->t->kernels[known - 1].work)
    b->t->kernels[known - 1].work = work_of(c);
  if (known) return known - 1;
  int from, to;
  size_t bytes = fe_kernel_copies(c, &from, &to);
  struct ir_kernel kernel = {
      .name = k->name,
      .flags = (k->opaque ? IR_KERNEL_OPAQUE : 0) |
               (k->promised ? IR_KERNEL_PROMISED : 0) |
               (c->immediate && !k->opaque ? IR_KERNEL_EFFECTS : 0),
      .copy_from = -1,
      .copy_to = -1,
      .work = work_of(c),
      .tag = k->index};
  if (bytes && c->args[to].dat &&
      bytes == (size_t)c->args[to].dim * c->args[to].type.size) {
    kernel.copy_from = from;
    kernel.copy_to = to;
  }
  b->kernels[k->index] = 1 + ir_add_kernel(b->t, kernel);
  return b->kernels[k->index] - 1;
}

static void
build_loop(struct builder *b, uint32_t rec, bool apart) {
  const struct fe_rec *r = &fe_recs.all[rec];
  const struct fe_call *c = fe_calls.all[r->what];
  SCOPED struct ir_arg *args = mem_alloc(c->nargs + 1, sizeof *args);
  for (uint32_t a = 0; a < c->nargs; a++) {
    const struct fe_arg *fa = &c->args[a];
    args[a] = (struct ir_arg){.kind = fa->kind,
                              .access = fa->access,
                              .info_of = fa->info_of,
                              .entry = fa->entry,
                              .vector = fa->vector,
                              .dat = IR_NONE,
                              .map = IR_NONE,
                              .in = fa->partial ? 0 : IR_NONE,
                              .out = IR_NONE};
    if (fa->dat) args[a].dat = build_dat(b, fa->dat);
    if (fa->gbl) args[a].dat = build_gbl(b, fa->gbl);
    if (fa->map) args[a].map = build_map(b, fa->map);
    if (fa->dat && c->each) args[a].each = build_map(b, c->each) + 1;
    if (fa->dat && c->each && fa->map && !fa->vector)
      args[a].shift = fe_number_shift(fa->map, c->each, fa->entry);
  }
  build_captures(b, rec, c, args);
  struct ir_node n = {
      .op = IR_LOOP,
      .flags = (c->serial ? IR_NODE_SERIAL : 0) | (apart ? IR_NODE_APART : 0) |
               (r->skipped >= 2 ? IR_NODE_OVERDUE : 0),
      .kernel = build_kernel(b, c),
      .each = c->each ? build_map(b, c->each) + 1 : 0,
      .set = build_set(b, c->each ? c->each->pub.from : c->set_handle),
      .nargs = c->nargs,
      .region = IR_NONE,
      .target = r->target ? fe_target_name(r->target) : NULL,
      .file = c->file,
      .line = c->line,
      .epoch = r->epoch,
      .tag = rec};
  ir_add_node(b->t, n, args);
}

/* Nodes that are no loops: one or two plain arguments. */
static void
build_plain(struct builder *b, enum ir_op op, uint32_t tag,
            const struct ir_arg *args, uint32_t nargs) {
  struct ir_node n = {.op = (uint8_t)op,
                      .kernel = IR_NONE,
                      .set = IR_NONE,
                      .nargs = nargs,
                      .region = IR_NONE,
                      .tag = tag};
  ir_add_node(b->t, n, args);
}

static struct ir_arg
plain_arg(enum ir_arg_kind kind, enum access access, ir_ref dat) {
  return (struct ir_arg){.kind = (uint8_t)kind,
                         .access = (uint8_t)access,
                         .dat = dat,
                         .map = IR_NONE,
                         .in = IR_NONE,
                         .out = IR_NONE};
}

static void
build_set_gbl(struct builder *b, uint32_t rec) {
  struct fe_gbl *g = fe_all.gbls[fe_recs.all[rec].what];
  ir_ref gbl = build_gbl(b, g);
  struct ir_dat p = {.name = arena_printf(&b->t->arena, "%s$set", g->name),
                     .kind = IR_PARAM,
                     .set = IR_NONE,
                     .type = g->type,
                     .dim = g->dim,
                     .block = 1,
                     .root = IR_NONE,
                     .tag = 0};
  struct ir_arg args[2] = {
      plain_arg(IR_ARG_PARAM, ACC_READ, ir_add_dat(b->t, p)),
      plain_arg(IR_ARG_GBL, ACC_WRITE, gbl)};
  build_plain(b, IR_SET, rec, args, 2);
}

static void
build_free(struct builder *b, uint32_t rec, bool dat) {
  uint32_t what = fe_recs.all[rec].what;
  struct ir_arg arg =
      dat ? plain_arg(IR_ARG_DAT, ACC_READ, build_dat(b, fe_all.dats[what]))
          : plain_arg(IR_ARG_GBL, ACC_READ, build_gbl(b, fe_all.gbls[what]));
  build_plain(b, IR_FREE, rec, &arg, 1);
}

static void
build_rec(struct builder *b, uint32_t rec, bool apart) {
  switch (fe_recs.all[rec].kind) {
  case FE_REC_LOOP: build_loop(b, rec, apart); break;
  case FE_REC_SET_GBL: build_set_gbl(b, rec); break;
  case FE_REC_FREE_DAT: build_free(b, rec, true); break;
  case FE_REC_FREE_GBL: build_free(b, rec, false); break;
  }
}

static void
build_fetch(struct builder *b, enum ir_arg_kind kind, ir_ref dat) {
  struct ir_arg arg = plain_arg(kind, ACC_READ, dat);
  build_plain(b, IR_FETCH, UINT32_MAX, &arg, 1);
}

/* A writable look needs the pending readers of the dat, too: whatever uses it
 * is wanted for itself. */
static void
build_rw_roots(struct builder *b, const struct fe_dat *d) {
  for (uint32_t n = 0; n < b->t->nnodes; n++) {
    struct ir_node *node = &b->t->nodes[n];
    for (uint32_t a = 0; a < node->nargs; a++) {
      const struct ir_arg *arg = &ir_args(b->t, node)[a];
      if (node->op == IR_LOOP && arg->kind == IR_ARG_DAT &&
          ir_root(b->t, arg->dat) == b->dats[d->root] - 1)
        node->flags |= IR_NODE_OVERDUE;
    }
  }
}

/* All that a record writes there. */
static void
build_raws(struct builder *b, uint32_t rec) {
  for (uint32_t i = 0; i < b->t->ndats; i++) {
    const struct ir_dat *d = &b->t->dats[i];
    if (d->flags & IR_DAT_RAW && b->globals[d->tag].rec == rec)
      build_fetch(b, IR_ARG_GBL, i);
  }
}

static void
build_request(struct builder *b, struct fe_request rq) {
  switch (rq.want) {
  case FE_WANT_ALL: break;
  case FE_WANT_DAT_RW:
    build_dat(b, fe_all.dats[rq.index]);
    build_rw_roots(b, fe_all.dats[rq.index]); /* fall through */
  case FE_WANT_DAT:
    build_fetch(b, IR_ARG_DAT, build_dat(b, fe_all.dats[rq.index]));
    break;
  case FE_WANT_GBL:
    build_fetch(b, IR_ARG_GBL, build_gbl(b, fe_all.gbls[rq.index]));
    break;
  case FE_WANT_RAW: build_raws(b, rq.index); break;
  }
  ir_add_live(b->t);
}

/* Dats that share a buffer now: pass rename made one the name of the other. */
static void
build_same(struct builder *b) {
  for (uint32_t i = 0; i < fe_all.ndats; i++) {
    if (!b->dats[i] || fe_all.dats[i]->pinned || !fe_all.dats[i]->rt.buf)
      continue;
    for (uint32_t j = 0; j < i; j++)
      if (b->dats[j] && fe_all.dats[j]->rt.buf == fe_all.dats[i]->rt.buf) {
        ir_add_same(b->t, b->dats[j] - 1, b->dats[i] - 1);
        break;
      }
  }
}

/* Every dat that shares a buffer with a used one must be known, since it keeps
 * the old data alive. */
static void
build_sharers(struct builder *b) {
  for (uint32_t i = 0; i < fe_all.ndats; i++) {
    struct fe_dat *d = fe_all.dats[i];
    if (b->dats[i] || d->parked || !d->rt.buf || d->rt.buf->refs < 2) continue;
    for (uint32_t j = 0; j < fe_all.ndats; j++)
      if (b->dats[j] && fe_all.dats[j]->rt.buf == d->rt.buf) {
        build_dat(b, d);
        break;
      }
  }
}

/* Every dat that overlaps a used one in memory: such memory lies otherwise on a
 * device. */
static void
build_overlaps(struct builder *b) {
  for (uint32_t i = 0; i < fe_all.ndats; i++) {
    const struct fe_dat *d = fe_all.dats[i];
    for (uint32_t j = 0; d->pinned && !d->parked && j < fe_all.ndats; j++)
      if (b->dats[j] && fe_all.dats[j]->root == d->root)
        build_dat(b, fe_all.dats[i]);
  }
}

struct ir_trace *
fe_trace_build(struct fe_request rq, const bool *apart, bool device,
               struct fe_global_src **globals_out) {
  struct builder b = {.t = ir_trace_new("flush"), .settled = apart != NULL};
  ir_ref **index[] = {&b.sets, &b.maps, &b.dats, &b.gbls, &b.kernels};
  uint32_t count[] = {fe_all.nset_tags, fe_all.nmap_tags, fe_all.ndats,
                      fe_all.ngbls, fe_calls.nkernels};
  for (int i = 0; i < 5; i++)
    *index[i] = mem_alloc(count[i] + 1, sizeof(ir_ref));
  for (uint32_t r = 0; r < fe_recs.n; r++) build_rec(&b, r, apart && apart[r]);
  build_sharers(&b);
  if (device) build_overlaps(&b);
  build_same(&b);
  build_request(&b, rq);
  for (int i = 0; i < 5; i++) free(*index[i]);
  *globals_out = b.globals;
  return b.t;
}

struct ir_trace *
fe_trace_pending(void) {
  struct fe_global_src *globals;
  struct fe_request all = {.want = FE_WANT_ALL, .reason = FE_REASON_ASKED};
  struct ir_trace *t = fe_trace_build(all, NULL, false, &globals);
  free(globals);
  return t;
}
