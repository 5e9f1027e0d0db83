/* What a region's walk has to keep apart.
 *
 * Problem   Elements of a region may write what others read or write: through
 *           maps, in memory that overlaps, in a global that the kernel looks
 *           at. Who chooses a walk (pass colour), who checks one (verifier) and
 *           who makes code of it must agree on that.
 *
 * Idea      For each buffer that the region touches: is it touched here (at the
 *           element itself) or far (through a map), by reading, writing or
 *           adding? Then
 *
 *             meet    some argument writes through a map, and not all such
 *                     arguments go through one injective map
 *             order   a buffer is written far and touched in any other way than
 *                     far writes; or written here and read far; overlapping
 *                     memory is written; a global is written or read-written; a
 *                     kernel has side effects, or is marked serial; an extreme
 *                     takes a payload along while elements meet (the first best
 *                     element wins)
 *
 *           In a loop over rows, what stays in the element's column (scans) is
 *           here: no other element comes there. So is what all arguments that
 *           touch a buffer reach by one entry of an injective map, and do not
 *           only add: the point itself in a dat with a halo, an element of a
 *           subset in the whole set.
 *
 * Example   inc %res.0 via %pecell[0], inc %res.0 via %pecell[1]      meet
 *           rw %q.0, read %q.0 via %pecell[0]                         order
 *
 * Cost      O(arguments of the region), squared for those by injective maps.
 * Limits    maps are believed to meet everywhere if they may meet anywhere. */
#include "ir/inner.h"
#include "ir/walk.h"

#include <assert.h>

const struct ir_walk_info ir_walk_info[IR_WALK_COUNT] = {
    [IR_WALK_NONE] = {"", false, false, 0, "not chosen yet"},
#define WALK(name, text, host, device, safe, meaning)                          \
  [IR_WALK_##name] = {text, host, device, safe, meaning},
#include "ir/walks.def"
#undef WALK
};

const char *const ir_team_text[IR_TEAM_COUNT] = {
    [IR_TEAM_NONE] = "",
#define TEAM(name, text, meaning) [IR_TEAM_##name] = text,
#include "ir/teams.def"
#undef TEAM
};

bool
ir_alone(const struct ir_trace *t, ir_ref region) {
  const struct ir_region *g = &t->regions[region];
  return g->walk == IR_WALK_SERIAL ||
         target_same(t->nodes[g->first].target, target_info[TARGET_seq].name);
}

static ir_ref
buffer_in(const struct ir_trace *t, const struct ir_arg *a) {
  return ir_buffer_of(t, a->in);
}

static ir_ref
buffer_out(const struct ir_trace *t, const struct ir_arg *a) {
  return ir_arg_writes(a) ? ir_buffer_of(t, a->out) : IR_NONE;
}

/* Does b touch a buffer that a touches? */
static bool
args_meet(const struct ir_trace *t, const struct ir_arg *a,
          const struct ir_arg *b) {
  if (b->kind != IR_ARG_DAT) return false;
  ir_ref in = buffer_in(t, a), out = buffer_out(t, a);
  ir_ref of[2] = {buffer_in(t, b), buffer_out(t, b)};
  for (int k = 0; k < 2; k++)
    if (of[k] != IR_NONE && (of[k] == in || of[k] == out)) return true;
  return false;
}

bool
ir_arg_of_element(const struct ir_trace *t, ir_ref region,
                  const struct ir_arg *a) {
  bool writes = false;
  assert(region < t->nregions);
  if (a->kind != IR_ARG_DAT || !ir_arg_one_to_one(t, a)) return false;
  IR_EACH_ARG(t, &t->regions[region], n, b) {
    if (!args_meet(t, a, b)) continue;
    if (b->dat != a->dat || !ir_args_beside(t, a, b)) return false;
    writes |= ir_arg_writes(b);
  }
  return writes;
}

/* Argument a of node n, of a dat. A kernel that works in memory does so also
 * where it only combines. */
static void
touch_note(const struct ir_trace *t, ir_ref n, const struct ir_arg *a,
           uint8_t *touch) {
  ir_ref in = buffer_in(t, a), out = buffer_out(t, a);
  bool column = ir_arg_in_column(t, a);
  bool far = !ir_arg_direct(a) && !column &&
             !ir_arg_of_element(t, t->nodes[n].region, a);
  bool writes = access_info[a->access].writes;
  bool combines = ir_combines(a->access) && !ir_in_place(t, &t->nodes[n]);
  if (in != IR_NONE && !(far && writes))
    touch[in] |= far ? IR_READS_FAR : IR_READS_HERE;
  if (out != IR_NONE)
    touch[out] |= column                 ? IR_WRITES_COLUMN
                  : !far                 ? IR_WRITES_HERE
                  : !combines            ? IR_WRITES_FAR
                  : a->access == ACC_INC ? IR_ADDS_FAR
                  : a->access == ACC_MIN ? IR_LOWERS_FAR
                                         : IR_RAISES_FAR;
}

bool
ir_touch_meets(unsigned touch) {
  unsigned combines = touch & IR_COMBINES_FAR;
  return touch & (IR_WRITES_FAR | IR_WRITES_COLUMN) ||
         (combines && touch & ~combines) || combines & (combines - 1) ||
         (touch & IR_READS_FAR && touch & IR_WRITES_HERE);
}

static bool
touches_in_order(unsigned touch) {
  if (touch & IR_WRITES_COLUMN) return touch & IR_TOUCH_FAR;
  return ir_touch_meets(touch) &&
         touch & ~(unsigned)(IR_WRITES_FAR | IR_COMBINES_FAR);
}

/* Does the order of elements show through this argument? */
static bool
arg_in_order(const struct ir_trace *t, const struct ir_arg *a,
             const bool *overlaps, const uint8_t *touch) {
  if (a->kind == IR_ARG_GBL)
    return a->access == ACC_WRITE || a->access == ACC_RW;
  if (a->kind != IR_ARG_DAT) return false;
  ir_ref in = buffer_in(t, a), out = buffer_out(t, a);
  unsigned old = in != IR_NONE ? touch[in] : 0;
  unsigned new = out != IR_NONE ? touch[out] : 0, how = old | new;
  bool moves = in != IR_NONE && out != IR_NONE && in != out;
  return touches_in_order(old) || touches_in_order(new) ||
         (!moves && overlaps[ir_root(t, a->dat)] && how & IR_TOUCH_WRITES);
}

/* Of all arguments of the region's loops that run. */
struct seen {
  ir_ref map; /* through which something is written; IR_NONE */
  bool maps;  /* through several */
  bool payload, order;
};

static void
look_at(const struct ir_trace *t, ir_ref region, const struct ir_arg *a,
        const bool *overlaps, const uint8_t *touch, struct seen *s) {
  s->payload |= a->kind == IR_ARG_INFO;
  s->order |= arg_in_order(t, a, overlaps, touch);
  if (a->kind != IR_ARG_DAT || ir_arg_direct(a) || !ir_arg_writes(a) ||
      ir_arg_in_column(t, a) || ir_arg_of_element(t, region, a))
    return;
  ir_ref map = ir_arg_through(a);
  s->maps |= s->map != IR_NONE && s->map != map;
  s->map = map;
}

void
ir_region_touch(const struct ir_trace *t, ir_ref region, uint8_t *touch) {
  assert(region < t->nregions);
  const struct ir_region *g = &t->regions[region];
  IR_EACH_ARG(t, g, n, a)
  if (a->kind == IR_ARG_DAT) touch_note(t, n, a, touch);
}

void
ir_region_untouch(const struct ir_trace *t, ir_ref region, uint8_t *touch) {
  const struct ir_region *g = &t->regions[region];
  IR_EACH_ARG(t, g, n, a) {
    ir_ref in = buffer_in(t, a), out = buffer_out(t, a);
    if (in != IR_NONE) touch[in] = 0;
    if (out != IR_NONE) touch[out] = 0;
  }
}

bool
ir_walk_known(const struct ir_trace *t, ir_ref region) {
  const struct ir_region *g = &t->regions[region];
  IR_EACH_ARG(t, g, n, a) {
    if (a->kind != IR_ARG_DAT || ir_arg_inline(t, a)) continue;
    if (a->in != IR_NONE && buffer_in(t, a) == IR_NONE) return false;
    if (ir_arg_writes(a) && buffer_out(t, a) == IR_NONE) return false;
  }
  return true;
}

unsigned
ir_walk_needs(const struct ir_trace *t, ir_ref region, const bool *overlaps) {
  const struct ir_region *g = &t->regions[region];
  SCOPED uint8_t *touch = mem_alloc(t->nbuffers + 1, 1);
  struct seen s = {.map = IR_NONE};
  ir_region_touch(t, region, touch);
  IR_EACH_ARG(t, g, n, a) look_at(t, region, a, overlaps, touch, &s);
  for (ir_ref n = g->first; n < g->first + g->count; n++)
    s.order |=
        t->nodes[n].flags & IR_NODE_SERIAL || ir_has_effects(t, &t->nodes[n]);
  bool meet = s.maps ||
              (s.map != IR_NONE && !(t->maps[s.map].flags & IR_MAP_INJECTIVE));
  return (meet ? IR_WALK_MEETS : 0) |
         (s.order || (s.payload && meet) ? IR_WALK_ORDERED : 0);
}

bool
ir_arg_stretches(const struct ir_trace *t, const struct ir_arg *a) {
  if (a->kind != IR_ARG_DAT || a->map == IR_NONE || a->each) return false;
  return t->maps[a->map].arity && t->maps[a->map].stretch;
}

bool
ir_stretches_alike(const struct ir_trace *t, ir_ref a, ir_ref b) {
  const struct ir_map *x = &t->maps[a], *y = &t->maps[b];
  return a == b || (x->flags & y->flags & IR_MAP_LINES && x->from == y->from);
}

/* Is the argument's meaning the same, whatever elements run in one block? */
static bool
arg_may_stretch(const struct ir_trace *t, const struct ir_arg *a) {
  if (a->kind == IR_ARG_GBL)
    return a->access != ACC_INC || type_class(t->dats[a->dat].type) != 'F';
  return a->kind != IR_ARG_DAT || t->dats[a->dat].block <= 1;
}

bool
ir_may_stretch(const struct ir_trace *t, ir_ref region) {
  assert(region < t->nregions);
  const struct ir_region *g = &t->regions[region];
  bool any = false;
  if (g->walk != IR_WALK_RANGE && g->walk != IR_WALK_PARTS) return false;
  for (ir_ref n = g->first; n < g->first + g->count; n++)
    if (target_is_device(t->nodes[n].target) || t->nodes[n].each) return false;
  IR_EACH_ARG(t, g, n, a) {
    any |= ir_arg_stretches(t, a);
    if (!arg_may_stretch(t, a)) return false;
  }
  return any;
}

/* ---- elements that run twice --------------------------------------------- */

/* The argument by which version v goes on from another one; NULL: by none. All
 * of a node on one storage name the same. */
static const struct ir_arg *
goes_on(const struct ir_trace *t, ir_ref v) {
  const struct ir_node *n = &t->nodes[t->values[v].def];
  const struct ir_arg *a = ir_args(t, n);
  for (uint32_t k = 0; k < n->nargs; k++)
    if (a[k].out == v && a[k].in != IR_NONE) return &a[k];
  return NULL;
}

/* Does the region make all of version v, whatever was in its buffer before, or
 * from what it made so? */
static bool
makes_anew(const struct ir_trace *t, const struct ir_region *g, ir_ref v) {
  for (ir_ref def = t->values[v].def; def != IR_NONE && def >= g->first;
       def = t->values[v].def) {
    const struct ir_arg *a = goes_on(t, v);
    if (!a) return true;
    ir_ref in = ir_same(t, a->in);
    if (a->access != ACC_WRITE && ir_buffer_of(t, in) != ir_buffer_of(t, v))
      return true;
    v = in;
  }
  return false;
}

/* Does the region write the buffer from node n on? */
static bool
writes_from(const struct ir_trace *t, const struct ir_region *g, ir_ref n,
            ir_ref buffer) {
  IR_EACH_ARG(t, g, i, a) {
    if (i >= n && ir_arg_on_dat(t, a) && ir_arg_writes(a) &&
        ir_buffer_of(t, a->out) == buffer)
      return true;
  }
  return false;
}

/* Does a kernel that runs again for the same element see something else by this
 * argument? What was there before the region is gone if the region writes
 * there, and so is what it made from that, if it goes on writing there. */
static bool
sees_later(const struct ir_trace *t, const struct ir_region *g,
           const struct ir_arg *a) {
  if (!ir_arg_on_dat(t, a) || a->access == ACC_WRITE || a->in == IR_NONE)
    return false;
  ir_ref v = ir_same(t, a->in), def = t->values[v].def;
  ir_ref buffer = ir_buffer_of(t, v);
  if (buffer == IR_NONE) return false;
  if (def == IR_NONE || def < g->first)
    return writes_from(t, g, g->first, buffer);
  return writes_from(t, g, def + 1, buffer) && !makes_anew(t, g, v);
}

bool
ir_may_run_twice(const struct ir_trace *t, ir_ref region) {
  assert(region < t->nregions);
  const struct ir_region *g = &t->regions[region];
  if (g->walk != IR_WALK_RANGE) return false;
  IR_EACH_ARG(t, g, n, a) {
    if (ir_arg_inline(t, a)) continue;
    bool dat = ir_arg_on_dat(t, a);
    if (ir_arg_writes(a) && (!dat || ir_buffer_of(t, a->out) == IR_NONE))
      return false;
    if (sees_later(t, g, a)) return false;
  }
  return true;
}

/* ---- entries that lead --------------------------------------------------- */

/* Is the one further on than the other, in the order of points? */
static bool
is_behind(const struct ir_area *a, const struct ir_area *b) {
  for (uint32_t d = IR_DIMS; d-- > 0;) {
    int to = a->at[2 * d + 1], other = b->at[2 * d + 1];
    if (to != other) return to > other;
  }
  return false;
}

/* Does the argument read the buffer behind `rule`, or nobody knows where? */
static bool
reads_behind(const struct ir_trace *t, const struct ir_arg *a, ir_ref buffer,
             const struct ir_area *rule) {
  static const struct ir_area here;
  if (!ir_arg_on_dat(t, a) || ir_buffer_of(t, a->in) != buffer) return false;
  if (a->map == IR_NONE) return is_behind(&here, rule);
  const struct ir_map *m = &t->maps[a->map];
  for (uint32_t k = a->entry; k < a->entry + ir_arg_count(a); k++)
    if (!ir_at_one_place(t, m, k) || is_behind(&m->rule[k], rule)) return true;
  return false;
}

bool
ir_is_private(const struct ir_trace *t, const struct ir_region *g,
              ir_ref buffer) {
  if (!g->chain || g->chain > t->nchains) return false;
  const struct ir_chain *c = &t->chains[g->chain - 1];
  for (uint32_t k = 0; k < c->nown; k++)
    if (c->own[k] == buffer) return true;
  return false;
}

/* Is the buffer private to the chain of the region, or has one before it in the
 * chain read it, or written? */
static bool
is_in_cache(const struct ir_trace *t, ir_ref region, ir_ref buffer) {
  uint32_t chain = t->regions[region].chain;
  if (ir_is_private(t, &t->regions[region], buffer)) return true;
  if (!chain) return false;
  for (ir_ref r = region; r-- > 0 && t->regions[r].chain == chain;)
    IR_EACH_ARG(t, &t->regions[r], n, a) {
      if (!ir_arg_on_dat(t, a)) continue;
      if (ir_buffer_of(t, a->in) == buffer || ir_buffer_of(t, a->out) == buffer)
        return true;
    }
  return false;
}

bool
ir_entry_leads(const struct ir_trace *t, ir_ref region, const struct ir_arg *a,
               uint32_t entry) {
  assert(region < t->nregions && a->dat < t->ndats);
  ir_ref buffer = ir_arg_on_dat(t, a) ? ir_buffer_of(t, a->in) : IR_NONE;
  if (buffer == IR_NONE || a->access != ACC_READ || !ir_arg_stretches(t, a) ||
      ir_arg_of_element(t, region, a))
    return false;
  ir_ref def = t->values[ir_same(t, a->in)].def;
  if (def != IR_NONE && def >= t->regions[region].first) return false;
  const struct ir_map *m = &t->maps[a->map];
  if (!ir_at_one_place(t, m, entry) || m->still >> entry & 1) return false;
  if (is_in_cache(t, region, buffer)) return false;
  IR_EACH_ARG(t, &t->regions[region], n, x) {
    if (reads_behind(t, x, buffer, &m->rule[entry])) return false;
  }
  return true;
}

bool
ir_arg_leads(const struct ir_trace *t, ir_ref region, const struct ir_arg *a) {
  assert(region < t->nregions);
  if (a->kind != IR_ARG_DAT || !ir_arg_on_dat(t, a) || a->in == IR_NONE ||
      !ir_arg_direct(a) || a->each)
    return false;
  const struct ir_dat *d = &t->dats[a->dat];
  ir_ref def = t->values[ir_same(t, a->in)].def;
  if (d->block != 1 || d->dim < 2 ||
      (def != IR_NONE && def >= t->regions[region].first))
    return false;
  ir_ref buffer = ir_buffer_of(t, a->in);
  return buffer != IR_NONE && !is_in_cache(t, region, buffer);
}

bool
ir_entries_lead(const struct ir_trace *t, ir_ref region) {
  IR_EACH_ARG(t, &t->regions[region], n, a) {
    for (uint32_t k = 0; ir_arg_on_dat(t, a) && k < ir_arg_count(a); k++)
      if (ir_entry_leads(t, region, a, a->entry + k)) return true;
  }
  return false;
}

bool
ir_region_leads(const struct ir_trace *t, ir_ref region) {
  IR_EACH_ARG(t, &t->regions[region], n, a) {
    if (ir_arg_leads(t, region, a)) return true;
  }
  return ir_entries_lead(t, region);
}

uint64_t
ir_arg_lines(const struct ir_trace *t, ir_ref region, const struct ir_arg *a) {
  enum { LEAST = 4 * 64, MOST = 20 * 64 }; /* a row */
  const struct ir_region *g = &t->regions[region];
  if (!ir_arg_on_dat(t, a) || a->kind != IR_ARG_DAT || ir_arg_inline(t, a) ||
      a->map == IR_NONE || a->each || ir_arg_any_length(t, a) ||
      (g->stretches && ir_arg_stretches(t, a)))
    return 0;
  const struct ir_dat *d = &t->dats[a->dat];
  uint64_t bytes = (uint64_t)d->dim * d->type.size;
  bool several = bytes >= LEAST && bytes <= MOST;
  return d->block == 1 && several ? bytes * ir_arg_count(a) : 0;
}

uint64_t
ir_region_lines(const struct ir_trace *t, ir_ref region) {
  const struct ir_region *g = &t->regions[region];
  uint64_t sum = 0;
  if (g->width || g->stretches || g->walk == IR_WALK_NONE ||
      target_is_device(t->nodes[g->first].target))
    return 0;
  IR_EACH_ARG(t, g, n, a) sum += ir_arg_lines(t, region, a);
  return sum;
}

uint64_t
ir_arg_row(const struct ir_trace *t, ir_ref region, const struct ir_arg *a) {
  enum { ENTRIES = 256 };
  assert(region < t->nregions);
  const struct ir_region *g = &t->regions[region];
  if (!g->width || g->panel || g->stretches || g->walk == IR_WALK_NONE ||
      target_is_device(t->nodes[g->first].target) || !ir_arg_on_dat(t, a) ||
      a->kind != IR_ARG_DAT || ir_arg_inline(t, a) || a->map == IR_NONE ||
      a->each || a->shift || ir_arg_any_length(t, a) ||
      ir_arg_of_element(t, region, a))
    return 0;
  const struct ir_dat *d = &t->dats[a->dat];
  uint64_t bytes = (uint64_t)d->dim * d->type.size;
  if ((uint64_t)t->maps[a->map].arity * g->width > ENTRIES) return 0;
  return d->block == 1 && bytes <= IR_ROW_MOST ? bytes : 0;
}

uint32_t
ir_usual_length(const struct ir_trace *t, ir_ref region) {
  const struct ir_region *g = &t->regions[region];
  if (target_is_device(t->nodes[g->first].target)) return 0;
  IR_EACH_ARG(t, g, n, a)
  if (a->kind == IR_ARG_LENGTH && t->maps[a->map].usual)
    return t->maps[a->map].usual;
  return 0;
}

bool
ir_may_step(const struct ir_trace *t, ir_ref region) {
  assert(region < t->nregions);
  const struct ir_region *g = &t->regions[region];
  for (ir_ref n = g->first; n < g->first + g->count; n++) {
    uint32_t each = t->nodes[n].each;
    if (each && !ir_deferred(&t->nodes[n]) && t->maps[each - 1].step)
      return true;
  }
  IR_EACH_ARG(t, g, n, a)
  if (a->kind == IR_ARG_DAT && a->map != IR_NONE &&
      (t->maps[a->map].step || a->shift))
    return true;
  return false;
}

/* Does it meet what rows name, or what stays as it is? */
static bool
arg_of_rows(const struct ir_trace *t, const struct ir_arg *a) {
  switch (a->kind) {
  case IR_ARG_DAT:
    if (!ir_arg_on_dat(t, a)) return ir_arg_inline(t, a) || !ir_arg_writes(a);
    return a->each && !a->own;
  case IR_ARG_GBL: return !ir_arg_writes(a);
  case IR_ARG_IDX: return a->each;
  case IR_ARG_PARAM:
  case IR_ARG_OFF: return true;
  default: return false;
  }
}

bool
ir_may_panel(const struct ir_trace *t, ir_ref region) {
  assert(region < t->nregions);
  const struct ir_region *g = &t->regions[region];
  for (ir_ref n = g->first; n < g->first + g->count; n++) {
    uint32_t each = t->nodes[n].each;
    if (!each || !(t->maps[each - 1].flags & IR_MAP_BESIDE)) return false;
  }
  IR_EACH_ARG(t, g, n, a)
  if (!arg_of_rows(t, a)) return false;
  return true;
}

/* Nodes that touch no data: an exchange stays under way. */
static bool
stays_under_way(const struct ir_node *n) {
  return ir_deferred(n) || n->op == IR_SET || n->op == IR_FETCH ||
         n->op == IR_LIVE || n->op == IR_FREE || n->op == IR_ALIAS ||
         n->op == IR_BEGIN || n->op == IR_REDUCE;
}

bool
ir_core_first(const struct ir_trace *t, ir_ref region) {
  assert(region < t->nregions);
  const struct ir_region *g = &t->regions[region];
  ir_ref at = g->first;
  if (g->chain && !g->deep) return false;
  while (at > 0 && stays_under_way(&t->nodes[at - 1])) at--;
  if (!at || t->nodes[at - 1].op != IR_EXCHANGE) return false;
  if (g->walk == IR_WALK_NONE || g->walk == IR_WALK_SERIAL) return false;
  for (ir_ref n = g->first; n < g->first + g->count; n++)
    if (t->nodes[n].each) return false;
  IR_EACH_ARG(t, g, n, a)
  if (a->kind == IR_ARG_INFO) return false;
  return true;
}
