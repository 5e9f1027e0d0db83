/* What ways to run a region cost.
 *
 * Problem   Work items of a device add to the same elements through maps, or
 *           make extremes there. Three ways keep them apart, and none is the
 *           best everywhere:
 *
 *             atomic   each component is an atomic operation on the device's
 *                      memory; one launch, nothing to prepare
 *             colours  a two-level plan: a launch for each colour of blocks,
 *                      element colours inside, no atomic operation, the same
 *                      sums in each run; neighbours in the mesh, which share
 *                      cache lines, run in different launches
 *             staged   a group adds in local memory, by element colours, then
 *                      each distinct target of its block is added to the
 *                      device's memory atomically; one launch, tables of two
 *                      bytes an entry, a barrier for each colour
 *
 * Idea      Count, for an element, what these cost, in units of one component
 *           moved to or from memory. With w components added and x made
 *           extreme, of which g meet in a target on average (entries times
 *           elements by targets), and a block that holds the share LOCALITY of
 *           a target's increments:
 *
 *             atomic   A w + E x
 *             colours  w + x + C g
 *             staged   L (w + x) + (A w + E x) / (1 + LOCALITY (g - 1)) + S
 *
 *           A, E, L, S and C are the machine's (machines.def). Beside staged
 *           increments a block can also copy what its elements read through
 *           maps, so that each target is read from memory once, if it is
 *           asked to (OP2_READS). Of w components read, caches included:
 *
 *             direct   R w
 *             local    L w + R w / (1 + LOCALITY (g - 1))
 *
 * Example   Airfoil's fluxes on a GPU: w = 8, g = 4: atomic 2*8 = 16, staged
 *           8 + 16/3.1 + 4 = 17: atomic.
 *
 * Cost      O(arguments squared) a region.
 * Source    the plans of OP2 (Mudalige et al. 2012).
 * Limits    meshes in bad order have a smaller LOCALITY; the library renumbers
 *           those. */
#include "ir/cost.h"

#include "ir/inner.h"
#include "ir/walk.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double locality = 0.7;

static const struct {
  uint32_t vector;
  double atomic, extreme, local, fixed, colours, reads;
  bool rows;
  uint32_t streams, block, scatter;
} machines[IR_MACHINE_COUNT] = {
#define MACHINE(name, text, vector, atomic, extreme, local, fixed, colours,    \
                reads, rows, streams, block, scatter, what)                    \
  [IR_MACHINE_##name] = {vector, atomic, extreme, local, fixed,  colours,      \
                         reads,  rows,   streams, block, scatter},
#include "ir/machines.def"
#undef MACHINE
};

uint32_t
ir_machine_vector(enum ir_machine m) {
  return machines[m].vector;
}

double
ir_cost_atomic(const struct ir_increments *x, enum ir_machine m) {
  assert(m < IR_MACHINE_COUNT && x->moved >= 0 && x->extremes >= 0);
  return machines[m].atomic * x->moved + machines[m].extreme * x->extremes;
}

double
ir_cost_coloured(const struct ir_increments *x, enum ir_machine m) {
  assert(m < IR_MACHINE_COUNT && x->extremes >= 0);
  if (machines[m].colours <= 0 || x->meet <= 0) return HUGE_VAL;
  return x->moved + x->extremes + machines[m].colours * x->meet;
}

/* How often a block uses a target, on average. */
static double
shared_by(double meet) {
  return meet > 1 ? 1 + locality * (meet - 1) : 1;
}

double
ir_cost_staged(const struct ir_increments *x, enum ir_machine m) {
  if (!x->staged) return HUGE_VAL;
  return machines[m].local * (x->moved + x->extremes) +
         ir_cost_atomic(x, m) / shared_by(x->meet) + machines[m].fixed;
}

double
ir_cost_direct(const struct ir_reads *x, enum ir_machine m) {
  assert(m < IR_MACHINE_COUNT && x->moved >= 0);
  return machines[m].reads * x->moved;
}

double
ir_cost_local(const struct ir_reads *x, enum ir_machine m) {
  return machines[m].local * x->moved +
         ir_cost_direct(x, m) / shared_by(x->meet);
}

uint32_t
ir_cost_block(uint32_t dim, bool rows, enum ir_machine m) {
  assert(m < IR_MACHINE_COUNT);
  if (dim <= 1 || (rows && machines[m].rows)) return 1;
  bool follows = !machines[m].streams || dim <= machines[m].streams;
  return follows ? 0 : machines[m].block;
}

bool
ir_cost_bad_order(double scatter, enum ir_machine m) {
  assert(m < IR_MACHINE_COUNT && scatter >= 0);
  return scatter > machines[m].scatter;
}

/* ---- code that is not optimised ------------------------------------------ */

/* Nanoseconds of a component that is moved, of an operation: Airfoil takes 1.1
 * of what these give, Jacobi 1.1, diffusion 2 (a Xeon). */
static const double quick_moved = 0.8, quick_operation = 0.4;

double
ir_cost_quick(double moved, double operations) {
  assert(moved >= 0 && operations >= 0);
  return 1e-9 * (quick_moved * moved + quick_operation * operations);
}

/* ---- what a region adds -------------------------------------------------- */

/* Entry `entry` of the map, through which it reaches dat, or adds to it; each
 * once, whatever rules lead there. Paths may begin at a row of any length
 * (`each`); without any, it is version `value` that the element has there. */
struct strip {
  ir_ref map, dat;
  uint32_t each, entry;
  ir_ref value;
};
struct strips {
  struct strip *list;
  uint32_t n, cap;
};

static void
strips_add(const struct ir_trace *t, struct strips *s, const struct ir_arg *a,
           ir_ref value) {
  bool any = ir_arg_any_length(t, a);
  uint32_t each = any ? a->map + 1 : a->each, n = any ? 1 : ir_arg_count(a);
  for (uint32_t e = a->entry; e < a->entry + n; e++) {
    struct strip x = {a->map, a->dat, each, e, value};
    uint32_t k = 0;
    if (x.map != IR_NONE && !each) ir_first_alike(t, &x.map, &x.entry);
    while (k < s->n && memcmp(&s->list[k], &x, sizeof x)) k++;
    if (k == s->n) VEC_PUSH(s->list, s->n, s->cap, x);
  }
}

/* Can what this argument writes be a copy of the element's own, a sum, or
 * atomic? */
static bool
arg_in_words(const struct ir_trace *t, ir_ref n, const struct ir_arg *a,
             const struct ir_hold_facts *f) {
  if (!ir_arg_writes(a)) return true;
  const struct ir_dat *d = &t->dats[a->dat];
  unsigned ways = ir_holds_of(t, n, a, f);
  if (a->kind != IR_ARG_DAT) return ways & 1U << IR_HOLD_SUM;
  if (t->dats[d->root].flags & IR_DAT_PINNED) return false;
  if (ir_arg_direct(a) || ir_arg_of_element(t, t->nodes[n].region, a))
    return ways & 1U << IR_HOLD_COPY;
  return ir_combines(a->access) && ways & 1U << IR_HOLD_ADD &&
         ir_in_words(d->type);
}

/* Entries of the map that are gone through: distinct ones. */
static uint32_t
map_entries(const struct strips *s, ir_ref map) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < s->n; k++) {
    bool again = s->list[k].map != map;
    for (uint32_t i = 0; i < k && !again; i++)
      again = s->list[i].map == map && s->list[i].entry == s->list[k].entry;
    n += !again;
  }
  return n;
}

static double
map_degree(const struct ir_trace *t, ir_ref map, uint32_t entries) {
  assert(map < t->nmaps && entries > 0);
  const struct ir_map *m = &t->maps[map];
  double to = (double)t->sets[m->to].n;
  return to > 0 ? entries * (double)t->sets[m->from].n / to : 0;
}

/* Is there room for all of them? Tables of a block have rows of one length. */
static bool
strips_fit(const struct ir_trace *t, const struct strips *s) {
  size_t bytes = 0;
  for (uint32_t k = 0; k < s->n; k++) {
    const struct ir_dat *d = &t->dats[s->list[k].dat];
    bytes += (size_t)d->dim * d->type.size + IR_STAGE_ALIGN;
    if (s->list[k].each || map_entries(s, s->list[k].map) > IR_STAGE_ENTRIES)
      return false;
  }
  return bytes <= IR_STAGE_BYTES;
}

/* Components; *meet: how often a target is named, by the map where that is
 * least. */
static double
strips_weigh(const struct ir_trace *t, const struct strips *s, double *meet) {
  double moved = 0;
  for (uint32_t k = 0; k < s->n; k++) {
    const struct strip *x = &s->list[k];
    moved += t->dats[x->dat].dim;
    if (x->each) continue;
    double degree = map_degree(t, x->map, map_entries(s, x->map));
    if (*meet <= 0 || degree < *meet) *meet = degree;
  }
  return moved;
}

static bool
arg_adds_far(const struct ir_trace *t, ir_ref region, const struct ir_arg *a) {
  return a->kind == IR_ARG_DAT && ir_arg_writes(a) && !ir_arg_direct(a) &&
         !ir_arg_of_element(t, region, a);
}

struct ir_increments
ir_increments_of(const struct ir_trace *t, ir_ref region,
                 const struct ir_hold_facts *facts) {
  assert(region < t->nregions);
  const struct ir_region *g = &t->regions[region];
  struct ir_increments x = {.words = true};
  struct strips s = {0}, extremes = {0};
  IR_EACH_ARG(t, g, n, a) {
    x.words = x.words && arg_in_words(t, n, a, facts);
    if (!arg_adds_far(t, region, a)) continue;
    strips_add(t, &s, a, IR_NONE);
    if (a->access != ACC_INC) strips_add(t, &extremes, a, IR_NONE);
  }
  double met = 0;
  x.extremes = strips_weigh(t, &extremes, &met);
  x.moved = strips_weigh(t, &s, &x.meet) - x.extremes;
  x.staged = x.words && s.n && strips_fit(t, &s);
  free(s.list);
  free(extremes.list);
  return x;
}

struct ir_reads
ir_reads_of(const struct ir_trace *t, ir_ref region, ir_ref version) {
  assert(region < t->nregions && version < t->nvalues);
  const struct ir_region *g = &t->regions[region];
  struct ir_reads x = {0};
  struct strips s = {0};
  IR_EACH_ARG(t, g, n, a)
  if (a->kind == IR_ARG_DAT && ir_operand(t, a) == version)
    strips_add(t, &s, a, version);
  x.moved = strips_weigh(t, &s, &x.meet);
  free(s.list);
  return x;
}

bool
ir_stage_fits(const struct ir_trace *t, ir_ref region, const bool *local) {
  assert(region < t->nregions);
  const struct ir_region *g = &t->regions[region];
  struct strips s = {0};
  IR_EACH_ARG(t, g, n, a) {
    ir_ref v = a->kind == IR_ARG_DAT ? ir_operand(t, a) : IR_NONE;
    if (arg_adds_far(t, region, a)) strips_add(t, &s, a, IR_NONE);
    if (v != IR_NONE && local[v]) strips_add(t, &s, a, v);
  }
  bool fits = strips_fit(t, &s);
  free(s.list);
  return fits;
}

/* ---- what its code holds ------------------------------------------------- */

/* Of what an element has there: the version that comes into the region, or the
 * one that begins in it. false: it grows out of one that was counted. */
static bool
value_begins(const struct ir_trace *t, const struct ir_region *g,
             const struct ir_arg *a, ir_ref *out) {
  *out = IR_NONE;
  if (a->kind != IR_ARG_DAT || !ir_arg_direct(a)) return true;
  *out = a->in == IR_NONE ? a->out : ir_same(t, a->in);
  ir_ref def = a->in == IR_NONE ? IR_NONE : t->values[*out].def;
  return def == IR_NONE || def < g->first || def >= g->first + g->count;
}

/* How many components of a strip come one by one: all that lie apart, else an
 * odd one at the end. None where neighbours along a stretch come together, and
 * of rows of any length, which code goes along. */
static uint32_t
strip_singles(const struct ir_trace *t, const struct strip *x) {
  if (x->dat == IR_NONE || x->map == IR_NONE || x->each) return 0;
  if (t->maps[x->map].stretch) return 0;
  const struct ir_dat *d = &t->dats[x->dat];
  return d->block == 1 ? d->dim % 2 : d->dim;
}

struct ir_components
ir_components_of(const struct ir_trace *t, ir_ref region) {
  assert(region < t->nregions);
  const struct ir_region *g = &t->regions[region];
  struct strips s = {0};
  struct ir_components x = {0};
  IR_EACH_ARG(t, g, n, a) {
    ir_ref value;
    if (a->kind != IR_ARG_OFF && value_begins(t, g, a, &value))
      strips_add(t, &s, a, value);
  }
  for (uint32_t k = 0; k < s.n; k++) {
    const struct strip *of = &s.list[k];
    uint32_t n = of->dat == IR_NONE ? 1 : t->dats[of->dat].dim;
    x.all += n;
    x.singles += strip_singles(t, of);
    x.own += of->map == IR_NONE ? n : 0;
  }
  free(s.list);
  return x;
}
