/* Hold: how each operand of a region is held while its kernels work on it.
 *
 * Problem   Most of what fusing gains is that a value stays in a register from
 *           one kernel to the next, and that a temporary never reaches memory.
 *           Both are wrong where elements meet.
 *
 * Idea      ir/hold.c says which ways are right; of those the cheapest is
 *           taken, in the order of ir/holds.def. Globals that are read and
 *           larger than a few cache lines stay where they are, since a copy for
 *           each thread would cost more than it saves. What a region of walk
 *           staged reads through maps may be held as local, if there is room:
 *           not by itself, where ir/cost.c says that blocks use it often
 *           enough, or all of it (option `reads`). Rows of PLACE components or
 *           more (option `place`; 0: none) are worked on in memory where that
 *           is right, since copies of so many are not optimised away. Sums are
 *           exact where that is asked for (option `exact`) and somebody reads
 *           them.
 *
 * Example   region over %cells {
 *             %adt.1 = loop @adt_calc over %cells (read %q.0, write %adt)
 *             %b.1 = loop @b over %cells (read %adt.1, write %b)
 *           }
 *           free %adt.1
 *           gets, at the end of the region,
 *             hold register %adt.1
 *             hold copy %q.0 %b.1
 *           `hold{store=1}` makes it `hold copy %q.0 %adt.1 %b.1`, and
 *           `hold{apart=1}` `hold staged` of all three.
 *
 * Cost      O(versions + arguments).
 *
 * Measured  edges that add f64 rows to both their cells, and cells that take
 *           them in, a Zen 5, one thread (two), 3 interleaved rounds, in memory
 *           over copies: 96 to 160 components 0.9 to 1.0, 192 1.7 (1.7), 256
 *           2.1 (2.0), 512 2.5 (2.5). Cells by themselves: 160 0.97, 192 1.3.
 *
 * Limits    captured values are not operands of a trace: they are copied up to
 *           the size of a global that is. */
#include "ir/cost.h"
#include "ir/inner.h"
#include "ir/walk.h"
#include "passes/pass.h"

#include <assert.h>
#include <stdlib.h>

/* What is read through maps: option `reads`. */
enum { READ_DIRECT, READ_CHEAPEST, READ_LOCAL };
/* Components from which on operands stay where they are, */
enum { PLACE = 161 };
/* and targets to which a call adds, at most: LLVM compares each two of them, as
 * they may be one, and makes no vectors if it would be more than 8 times. */
enum { TARGETS = 4 };

struct hold {
  struct ir_trace *t;
  const struct pass_ctx *ctx;
  struct ir_hold_facts facts;
  uint32_t *ways; /* by version: what all arguments of the region leave */
  bool *local;    /* by version: it is to be held as local */
  bool exact, store, apart;
  long reads;
  long place; /* from so many components on operands stay in memory; 0: never */
};

/* What the options leave of these ways, if anything. */
static unsigned
hold_narrowed(unsigned ways, unsigned by) {
  return ways & by ? ways & by : ways;
}

/* Does anybody outside read what the region of node n makes of the global? */
static bool
hold_is_read(const struct hold *h, ir_ref n, const struct ir_arg *a) {
  const struct ir_trace *t = h->t;
  const struct ir_region *g = &t->regions[t->nodes[n].region];
  IR_EACH_ARG(t, g, m, b)
  if (b->kind == a->kind && b->dat == a->dat && b->out != IR_NONE &&
      ir_live_at(h->facts.live, ir_same(t, b->out), g->first + g->count))
    return true;
  return false;
}

/* Is it better worked on in memory than as a copy? */
static bool
is_long(const struct hold *h, ir_ref dat) {
  const struct ir_dat *d = &h->t->dats[dat];
  return d->kind == IR_GBL ? (uint64_t)d->dim * d->type.size > IR_HOLD_COPY_MAX
                           : h->place && (long)d->dim >= h->place;
}

/* Elements of the root to which a call of node n adds. */
static uint32_t
hold_targets(const struct ir_trace *t, ir_ref n, ir_ref root) {
  uint32_t targets = 0;
  for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
    const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
    if (ir_arg_on(t, a, root) && ir_combines(a->access))
      targets += ir_arg_count(a);
  }
  return targets;
}

static unsigned
hold_ways(const struct hold *h, ir_ref n, const struct ir_arg *a) {
  const struct ir_dat *d = &h->t->dats[a->dat];
  unsigned ways = ir_holds_of(h->t, n, a, &h->facts);
  if (is_long(h, a->dat) &&
      hold_targets(h->t, n, ir_root(h->t, a->dat)) > TARGETS)
    ways = hold_narrowed(ways, ~(1U << IR_HOLD_PLACE));
  unsigned exact = 1U << IR_HOLD_EACH | 1U << IR_HOLD_DRAIN;
  unsigned inside = 1U << IR_HOLD_REGISTER | 1U << IR_HOLD_COLUMN;
  bool sums = h->exact && d->kind == IR_GBL && hold_is_read(h, n, a);
  ways = hold_narrowed(ways, sums ? exact : ~exact);
  if (h->store) ways = hold_narrowed(ways, ~inside);
  if (h->apart) ways = hold_narrowed(ways, 1U << IR_HOLD_STAGED);
  return ways;
}

/* Of what is left by all arguments that name version v. */
static enum ir_hold
hold_best(const struct hold *h, ir_ref v) {
  unsigned ways = h->ways[v];
  if (is_long(h, h->t->values[v].dat))
    ways = hold_narrowed(ways, 1U << IR_HOLD_PLACE);
  int how = IR_HOLD_NONE + 1;
  while (!(ways & 1U << how)) how++;
  assert(how < IR_HOLD_COUNT);
  return (enum ir_hold)how;
}

_Static_assert(IR_HOLD_COUNT <= 32, "a bit of 32 for each way");

static void
hold_operand(struct hold *h, ir_ref n, const struct ir_arg *a) {
  ir_ref v = ir_operand(h->t, a);
  if (v == IR_NONE) return;
  unsigned ways = hold_ways(h, n, a);
  h->ways[v] = h->ways[v] ? h->ways[v] & ways : ways;
  assert(h->ways[v]);
}

static void
hold_tell(struct hold *h, ir_ref region, ir_ref v, enum ir_hold how) {
  static const char *const why[IR_HOLD_COUNT] = {
      [IR_HOLD_REGISTER] = "nobody outside its region reads it",
      [IR_HOLD_COLUMN] = "each thread has room for the columns it is at",
      [IR_HOLD_STAGED] = "elements meet in it",
      [IR_HOLD_PLACE] =
          "rows are long, or the kernel may see more than its own value",
  };
  if (!why[how] || h->apart) return;
  ir_remark(h->t, "hold: %s in the region of %s is held as %s: %s",
            pass_value_text(h->t, v),
            pass_node_text(h->t, h->t->regions[region].first),
            ir_hold_info[how].text, why[how]);
}

/* Is it worth it? */
static bool
hold_pays(struct hold *h, ir_ref region, ir_ref v) {
  struct ir_trace *t = h->t;
  ir_ref first = t->regions[region].first;
  struct ir_reads x = ir_reads_of(t, region, v);
  enum ir_machine m = pass_on_gpu(h->ctx, t->nodes[first].target)
                          ? IR_MACHINE_GPU
                          : IR_MACHINE_CPU;
  double direct = ir_cost_direct(&x, m), local = ir_cost_local(&x, m);
  if (h->reads == READ_LOCAL) return true;
  if (h->reads == READ_DIRECT || local >= direct) return false;
  ir_remark(t,
            "hold: %s in the region of %s is held as local: reading it costs "
            "%.1f that way, %.1f where it is",
            pass_value_text(t, v), pass_node_text(t, first), local, direct);
  return true;
}

/* What blocks read from local memory, as much as there is room for. */
static void
hold_local(struct hold *h, ir_ref region) {
  const struct ir_region *g = &h->t->regions[region];
  IR_EACH_ARG(h->t, g, n, a) {
    ir_ref v = ir_operand(h->t, a);
    if (v == IR_NONE || !(h->ways[v] & 1U << IR_HOLD_LOCAL) || h->local[v])
      continue;
    h->local[v] = true;
    h->local[v] =
        ir_stage_fits(h->t, region, h->local) && hold_pays(h, region, v);
    if (h->local[v]) h->ways[v] = 1U << IR_HOLD_LOCAL;
  }
  IR_EACH_ARG(h->t, g, n, a)
  if (ir_operand(h->t, a) != IR_NONE) h->local[ir_operand(h->t, a)] = false;
}

/* Operands in the order in which the region names them. */
static void
hold_list(struct hold *h, ir_ref region) {
  struct ir_trace *t = h->t;
  struct ir_region *g = &t->regions[region];
  g->hold0 = t->nholds;
  IR_EACH_ARG(t, g, n, a) {
    ir_ref v = ir_operand(t, a);
    if (v == IR_NONE || !h->ways[v]) continue;
    struct ir_operand_hold o = {v, hold_best(h, v)};
    VEC_PUSH(t->holds, t->nholds, t->capholds, o);
    if (a->kind == IR_ARG_DAT) hold_tell(h, region, v, o.how);
    h->ways[v] = 0;
  }
  g->nholds = t->nholds - g->hold0;
}

static void
hold_region(struct hold *h, ir_ref region) {
  const struct ir_region *g = &h->t->regions[region];
  ir_region_touch(h->t, region, h->facts.touch);
  IR_EACH_ARG(h->t, g, n, a) hold_operand(h, n, a);
  if (g->walk == IR_WALK_STAGED) hold_local(h, region);
  hold_list(h, region);
  ir_region_untouch(h->t, region, h->facts.touch);
}

bool
pass_hold(struct ir_trace *t, const struct pass_ctx *c) {
  struct hold h = {
      .t = t,
      .ctx = c,
      .facts = {c->overlaps, c->live, mem_alloc(t->nbuffers + 1, 1)},
      .ways = mem_alloc(t->nvalues + 1, sizeof *h.ways),
      .exact = pass_arg(c, "exact", 0) != 0,
      .store = pass_arg(c, "store", 0) != 0,
      .local = mem_alloc(t->nvalues + 1, sizeof *h.local),
      .apart = pass_arg(c, "apart", 0) != 0,
      .reads = pass_arg(c, "reads", READ_DIRECT),
      .place = pass_arg(c, "place", PLACE)};
  for (ir_ref r = 0; r < t->nregions; r++)
    if (ir_walk_known(t, r)) hold_region(&h, r);
  free(h.ways);
  free(h.local);
  free(h.facts.touch);
  return t->nholds > 0;
}
