/* Slots of dats: which version lies where, as the region holds it (holds.def).
 *
 *   copy      a slot holds a version; reading finds it, writing takes the slot
 *             over; the last version in a buffer is the one that is stored
 *   stream    the same, with stores of another kind
 *   register  the same, and never stored
 *   add       a slot of the identity, shared by all loops that combine alike
 *             through one entry
 *   run, late the same, with additions at another time
 *   local     a slot that is loaded from local memory
 *   staged    loaded and stored around the call
 *   column    the same, in memory of the thread
 *   through   the same, and stored in that of all, too
 *   place     the kernel gets the element in memory, as OP2 would do it */
#include "lower/args.h"

#include "ir/hold.h"
#include "ir/walk.h"

#include <assert.h>
#include <math.h>

_Static_assert((int)IR_STREAM_BYTES == LOW_STREAM_BYTES, "one line");
_Static_assert((int)IR_RUN_MOST <= LOW_SPAN, "a target turns once a lane");
_Static_assert((int)IR_WIDTH_MAX <= (int)LOW_WIDTH_MAX &&
                   (int)IR_WIDTH_COMPONENTS <= (int)LOW_UNROLL,
               "code for all widths that traces may have");
_Static_assert((int)IR_SPELT_MOST <= (int)LOW_SPELT_COMPONENTS &&
                   (int)IR_SPELT_LOOP >= (int)LOW_UNROLL_LEAN,
               "what passes take for inlined is inlined");

static ir_ref
low_arg_in(const struct ir_trace *t, const struct ir_arg *a) {
  return a->in == IR_NONE ? IR_NONE : ir_same(t, a->in);
}

static ir_ref
low_arg_out(const struct ir_arg *a) {
  return access_info[a->access].writes ? a->out : IR_NONE;
}

void
low_holds_begin(struct low_args *g) {
  const struct ir_trace *t = g->m->t;
  const struct ir_region *r = &t->regions[t->nodes[g->first].region];
  for (uint32_t k = r->hold0; k < r->hold0 + r->nholds; k++)
    g->m->hold[t->holds[k].value] = (uint8_t)t->holds[k].how;
}

static void
low_value_reset(struct low_maker *m, ir_ref v) {
  if (v == IR_NONE) return;
  m->hold[v] = IR_HOLD_NONE;
  m->held[v] = -1;
}

void
low_holds_end(struct low_args *g) {
  const struct ir_trace *t = g->m->t;
  for (ir_ref n = g->first; n < g->end; n++) {
    const struct ir_node *node = &t->nodes[n];
    for (uint32_t k = 0; k < node->nargs; k++) {
      const struct ir_arg *a = &ir_args(t, node)[k];
      if (!ir_arg_has_value(a) || ir_deferred(node)) continue;
      low_value_reset(g->m, low_arg_in(t, a));
      low_value_reset(g->m, low_arg_out(a));
    }
  }
}

enum ir_hold
low_hold_of(const struct low_args *g, const struct ir_arg *a) {
  ir_ref v = ir_operand(g->m->t, a);
  enum ir_hold how = v == IR_NONE ? IR_HOLD_NONE : g->m->hold[v];
  assert(v == IR_NONE || how);
  return how;
}

/* ---- one argument -------------------------------------------------------- */

struct low_access {
  const struct ir_arg *a;
  uint32_t entry;
  ir_ref v, w;   /* versions read and written; IR_NONE */
  ir_ref bv, bw; /* their buffers */
  enum ir_hold how;
};

static struct low_access
low_access_of(const struct low_args *g, const struct ir_arg *a,
              uint32_t entry) {
  const struct ir_trace *t = g->m->t;
  struct low_access x = {.a = a,
                         .entry = entry,
                         .v = low_arg_in(t, a),
                         .w = low_arg_out(a),
                         .bv = IR_NONE,
                         .bw = IR_NONE,
                         .how = low_hold_of(g, a)};
  if (x.v != IR_NONE) x.bv = t->values[x.v].buffer;
  if (x.w != IR_NONE) x.bw = t->values[x.w].buffer;
  return x;
}

static int32_t
low_access_bind(struct low_args *g, const struct low_access *x, ir_ref buffer) {
  if (buffer == IR_NONE) return -1;
  if (ir_held_by_column(x->how))
    return low_bind_column(g, ir_root(g->m->t, x->a->dat));
  return low_bind_dat(g, x->a->dat, buffer);
}

static struct low_slot
low_access_slot(struct low_args *g, const struct low_access *x,
                enum low_slot_kind kind) {
  const struct ir_dat *d = &g->m->t->dats[x->a->dat];
  struct low_slot s = low_slot_blank(kind, d->type, d->dim);
  if (x->a->own && kind != LOW_SLOT_OWN) return s; /* its element's own */
  s.entry = x->entry;
  s.inner = x->a->each > 0;
  if (s.inner) s.call = g->call;
  const struct ir_trace *t = g->m->t;
  if (ir_held_by_column(x->how)) {
    s.entry = 0;
    s.shift = x->a->shift;
    s.layer = ir_arg_layer(t, x->a);
    return s;
  }
  ir_ref map = x->a->map;
  if (map == IR_NONE) return s;
  const struct ir_region *in = &t->regions[g->node->region];
  if (in->steps) s.shift = x->a->shift;
  if (s.shift) s.entry = 0;
  if (s.shift) return s;
  if (x->w == IR_NONE && !s.inner) ir_first_alike(t, &map, &s.entry);
  if (in->stretches && ir_arg_stretches(t, x->a)) {
    s.map = low_bind_stretches(g, map);
    s.still = t->maps[map].still >> s.entry & 1;
    return s;
  }
  s.map = low_bind_targets(g, map);
  s.start = low_bind_start(g, map);
  if (s.start < 0 || !x->a->vector) return s;
  s.row = x->a->vector;
  s.call = g->call;
  return s;
}

static uint32_t
low_access_ahead(const struct low_args *g, const struct low_access *x) {
  const struct ir_trace *t = g->m->t;
  ir_ref r = g->node->region;
  uint32_t ahead = t->regions[r].ahead;
  if (!ahead) return 0;
  bool leads = ir_arg_direct(x->a) ? ir_arg_leads(t, r, x->a)
                                   : ir_entry_leads(t, r, x->a, x->entry);
  return leads ? ahead : 0;
}

static uint32_t
low_access_soon(const struct low_args *g, const struct low_access *x) {
  const struct ir_trace *t = g->m->t;
  ir_ref r = g->node->region;
  const struct ir_region *in = &t->regions[r];
  if (in->width) return ir_arg_row(t, r, x->a) ? in->targets : 0;
  return ir_arg_lines(t, r, x->a) ? in->prefetch : 0;
}

/* Entries that touch become one run: a plan is made in one pass over it. Of
 * rows that a call goes over all are written through. */
static void
low_conflict_add(struct low_args *g, const struct ir_arg *a) {
  struct low_region *r = g->r;
  ir_ref map = ir_arg_through(a);
  uint32_t lo = a->entry, hi = lo + ir_arg_count(a);
  uint32_t arity = g->m->t->maps[map].arity;
  if (a->each) hi = arity ? arity : UINT32_MAX;
  for (uint32_t k = 0; k < r->nconflicts; k++) {
    struct low_conflict *c = &r->conflicts[k];
    uint32_t end = c->first + c->count;
    if (c->map != map || c->first > hi || end < lo) continue;
    c->first = lo < c->first ? lo : c->first;
    c->count = (hi > end ? hi : end) - c->first;
    return;
  }
  struct low_conflict c = {map, lo, hi - lo};
  VEC_PUSH(r->conflicts, r->nconflicts, r->capconflicts, c);
}

/* Is version v, if any, there before the region? */
static bool
low_from_outside(const struct low_args *g, ir_ref v) {
  if (v == IR_NONE) return false;
  ir_ref def = g->m->t->values[v].def;
  return def == IR_NONE || def < g->first;
}

static int32_t
low_place_slot(struct low_args *g, const struct low_access *x) {
  struct low_slot s = low_access_slot(g, x, LOW_SLOT_PLACE);
  s.load = low_access_bind(g, x, x->bw != IR_NONE ? x->bw : x->bv);
  s.soon = low_access_soon(g, x);
  struct low_bind *b = &g->r->binds[s.load];
  assert(b->block == 1 && "overlapping memory is the user's");
  b->written |= x->bw != IR_NONE;
  b->far |= x->bw != IR_NONE && !ir_arg_direct(x->a);
  if (x->bw != IR_NONE && low_from_outside(g, x->v))
    b->old = (uint32_t)s.load + 1;
  return low_slot_get(g->r, s);
}

static int32_t
low_staged_slot(struct low_args *g, const struct low_access *x) {
  struct low_slot s = low_access_slot(g, x, LOW_SLOT_DAT);
  s.call = g->call;
  s.load = low_access_bind(g, x, x->bv);
  s.store = low_access_bind(g, x, x->bw);
  if (x->how == IR_HOLD_THROUGH && x->bw != IR_NONE)
    s.through = low_bind_dat(g, x->a->dat, x->bw);
  return low_slot_get(g->r, s);
}

/* Does it go through the entry with the longest runs? */
static bool
low_access_leads_run(const struct low_args *g, const struct low_access *x) {
  return x->entry == g->m->t->maps[x->a->map].run_entry;
}

static int32_t
low_far_slot(struct low_args *g, const struct low_access *x) {
  if (x->w == IR_NONE) {
    struct low_slot s = low_access_slot(g, x, LOW_SLOT_DAT);
    s.load = low_access_bind(g, x, x->bv);
    s.local = x->how == IR_HOLD_LOCAL;
    s.ahead = low_access_ahead(g, x);
    s.soon = low_access_soon(g, x);
    s.run = x->how == IR_HOLD_KEPT && low_access_leads_run(g, x);
    return low_slot_get(g->r, s);
  }
  assert(x->bv == x->bw && "combining happens in place");
  struct low_slot s = low_access_slot(g, x, LOW_SLOT_INC);
  s.access = x->a->access;
  s.store = low_access_bind(g, x, x->bw);
  s.soon = low_access_soon(g, x);
  s.late = x->how == IR_HOLD_LATE;
  s.run = x->how == IR_HOLD_RUN && low_access_leads_run(g, x);
  return low_slot_get(g->r, s);
}

/* ---- versions ------------------------------------------------------------ */

static int32_t
low_version_read(struct low_args *g, const struct low_access *x) {
  int32_t *held = &g->m->held[x->v];
  if (*held >= 0) return *held;
  assert(low_from_outside(g, x->v));
  struct low_slot s = low_access_slot(g, x, LOW_SLOT_DAT);
  s.load = low_access_bind(g, x, x->bv);
  s.ahead = low_access_ahead(g, x);
  *held = low_slot_add(g->r, s);
  return *held;
}

/* Does this call read the old version under another name, too? */
static bool
low_old_is_read(const struct low_args *g, const struct low_access *x) {
  const struct ir_trace *t = g->m->t;
  for (uint32_t k = 0; k < g->node->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, g->node)[k];
    if (a->kind == IR_ARG_DAT && low_arg_in(t, a) == x->v &&
        ir_root(t, a->dat) != ir_root(t, x->a->dat))
      return true;
  }
  return false;
}

/* The slot that the new version starts in. It takes over the old version's: who
 * needs the old one later in the region has another name for it, and as its
 * alias stands before the region, it is in memory and is loaded from there. So
 * it is for the new version if this call itself has both names. */
static int32_t
low_version_start(struct low_args *g, const struct low_access *x) {
  bool blank = x->v == IR_NONE;
  if (blank || low_old_is_read(g, x)) {
    struct low_slot s = low_access_slot(g, x, LOW_SLOT_DAT);
    if (!blank) s.load = low_access_bind(g, x, x->bv);
    return low_slot_add(g->r, s);
  }
  int32_t slot = low_version_read(g, x);
  g->m->held[x->v] = -1;
  return slot;
}

/* The last version in a buffer is the one that is stored. */
static void
low_version_store(struct low_args *g, const struct low_access *x,
                  int32_t slot) {
  struct low_slot *s = g->r->slots;
  s[slot].store = -1;
  s[slot].stream = false;
  if (x->how == IR_HOLD_REGISTER) return;
  int32_t bind = low_access_bind(g, x, x->bw);
  for (uint32_t k = 0; k < g->r->nslots; k++)
    if (s[k].kind == LOW_SLOT_DAT && s[k].call < 0 && s[k].store == bind) {
      s[k].store = -1;
      s[k].stream = false;
    }
  s[slot].store = bind;
  s[slot].stream = x->how == IR_HOLD_STREAM;
}

static int32_t
low_version_slot(struct low_args *g, const struct low_access *x) {
  if (x->w == IR_NONE) return low_version_read(g, x);
  int32_t *held = &g->m->held[x->w];
  if (*held >= 0) return *held;
  *held = low_version_start(g, x);
  low_version_store(g, x, *held);
  return *held;
}

/* What the row's element combines with the slot of the loop's. */
static int32_t
low_own_slot(struct low_args *g, const struct low_access *x) {
  assert(x->how == IR_HOLD_COPY || x->how == IR_HOLD_REGISTER);
  struct low_slot s = low_access_slot(g, x, LOW_SLOT_OWN);
  s.into = low_version_slot(g, x);
  s.access = x->a->access;
  return low_slot_get(g->r, s);
}

/* A slot for each part, of which `held` has the first. */
static int32_t
low_inline_slot(struct low_args *g, const struct low_access *x) {
  const struct ir_dat *d = &g->m->t->dats[x->a->dat];
  struct low_slot blank = low_slot_blank(LOW_SLOT_DAT, d->type, d->dim);
  int32_t *held = g->m->held;
  int32_t first = x->v == IR_NONE ? -1 : held[x->v];
  uint32_t n = first < 0 ? d->parts : 0;
  assert(x->entry < d->parts && ir_hold_before(x->how) == IR_HOLD_REGISTER);
  if (n) first = (int32_t)g->r->nslots;
  for (uint32_t k = 0; k < n; k++) low_slot_add(g->r, blank);
  if (x->w != IR_NONE) held[x->w] = first;
  return first + (int32_t)x->entry;
}

int32_t
low_dat_slot(struct low_args *g, const struct ir_arg *a, uint32_t entry) {
  struct low_access x = low_access_of(g, a, entry);
  if (ir_arg_inline(g->m->t, a)) return low_inline_slot(g, &x);
  if (x.v == IR_NONE && x.w == IR_NONE) /* scratch of one element */
    return low_slot_add(g->r, low_access_slot(g, &x, LOW_SLOT_DAT));
  if (a->own) return low_own_slot(g, &x);
  bool mine =
      ir_arg_direct(a) || ir_arg_of_element(g->m->t, g->node->region, a);
  if (!mine && x.w != IR_NONE && !ir_arg_in_column(g->m->t, a))
    low_conflict_add(g, a);
  if (x.how == IR_HOLD_PLACE) return low_place_slot(g, &x);
  if (x.how == IR_HOLD_STAGED || ir_held_by_column(x.how))
    return low_staged_slot(g, &x);
  bool view =
      g->m->shared[ir_root(g->m->t, a->dat)]; /* one version, two dats */
  return mine && !view ? low_version_slot(g, &x) : low_far_slot(g, &x);
}

/* ---- the whole region ---------------------------------------------------- */

/* Map entries through which slots reach bind b, without end where a call goes
 * over rows; *here_out: also directly. */
static double
low_bind_entries(const struct low_region *r, int32_t b, bool *here_out) {
  double n = 0;
  *here_out = false;
  for (uint32_t k = 0; k < r->nslots; k++) {
    const struct low_slot *s = &r->slots[k];
    bool on = s->load == b || s->store == b || s->through == b;
    if (s->kind >= LOW_SLOT_CONST || !on) continue;
    *here_out |= !low_slot_far(s);
    n += s->inner ? HUGE_VAL : s->row ? s->row : low_slot_far(s);
  }
  return n;
}

/* Not of what is written in place and shows nothing that was there. */
static bool
low_slot_loads(const struct low_region *r, const struct low_slot *s) {
  const struct low_bind *b = &r->binds[s->load];
  return s->kind != LOW_SLOT_PLACE || !b->written || b->old;
}

static bool
low_bind_reads(const struct low_region *r, int32_t b) {
  for (uint32_t k = 0; k < r->nslots; k++)
    if ((r->slots[k].load == b && low_slot_loads(r, &r->slots[k])) ||
        (r->slots[k].kind == LOW_SLOT_INC && r->slots[k].store == b))
      return true;
  return false;
}

static bool
low_bind_streams(const struct low_region *r, int32_t b) {
  for (uint32_t k = 0; k < r->nslots; k++)
    if ((r->slots[k].store == b && r->slots[k].stream) ||
        r->slots[k].through == b)
      return true;
  return false;
}

/* Traffic of a dat for each element if caches were perfect: each of the dat's
 * elements moves once, however many entries name it. here: it is the element's
 * own. */
static double
low_bind_bytes(const struct low_args *g, uint32_t k, bool *here) {
  const struct ir_trace *t = g->m->t;
  const struct low_bind *b = &g->r->binds[k];
  double n = (double)t->sets[t->nodes[g->first].set].n;
  double far = low_bind_entries(g->r, (int32_t)k, here);
  double most = n > 0 ? (double)t->sets[b->set].n / n : 1;
  double per = *here ? 1 : far < most ? far : most;
  return per * b->dim * b->type.size;
}

/* Of all of it; apart what is written unread, but not past the caches, what is
 * in a cache, and what maps name. */
static void
low_bytes(struct low_args *g) {
  struct low_region *r = g->r;
  ir_ref region = g->m->t->nodes[g->first].region;
  double sum = 0, unread = 0, inside = 0, named = 0;
  for (uint32_t k = 0; k < r->nbinds; k++) {
    struct low_bind *b = &r->binds[k];
    bool near = b->near = low_bind_is_near(g->m, region, b);
    double table = b->kind == RT_BIND_FIRST ? 0 : 4.0 * b->arity; /* of maps */
    sum += table;
    if (near) inside += table;
    if (b->kind != RT_BIND_SLOT && b->kind != RT_BIND_NUMBERS) continue;
    bool here;
    double bytes = low_bind_bytes(g, k, &here);
    bool reads = low_bind_reads(r, (int32_t)k);
    sum += bytes * (reads + b->written);
    if (near)
      inside += bytes * (reads + b->written);
    else if (!reads && b->written && !low_bind_streams(r, (int32_t)k))
      unread += bytes;
    if (!near && !here) named += bytes * (reads + b->written);
  }
  r->bytes = (uint64_t)(sum + 0.5);
  r->unread = (uint64_t)(unread + 0.5);
  r->inside = (uint64_t)(inside + 0.5);
  r->named = (uint64_t)(named + 0.5);
}

void
low_dats_finish(struct low_args *g) {
  struct low_region *r = g->r;
  for (uint32_t k = 0; k < r->nslots; k++) {
    const struct low_slot *s = &r->slots[k];
    if (s->store < 0) continue;
    r->binds[s->store].written = true;
    r->binds[s->store].far |= low_slot_far(s);
    if (s->through >= 0) r->binds[s->through].written = true;
    if (s->through >= 0) r->binds[s->through].far |= low_slot_far(s);
    if (s->load >= 0) r->binds[s->store].old = (uint32_t)s->load + 1;
  }
  low_bytes(g);
}
