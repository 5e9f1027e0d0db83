/* Colour: the walk of each region.
 *
 * Problem   Elements of a region that meet in what they write must not run at
 *           once, and some regions' results depend on the order of elements.
 *           Which order is taken decides how fast the region is, so it stands
 *           in the trace.
 *
 * Idea      ir/walk.c says what elements do to each other. Nothing: `range`.
 *           They meet in what they write through maps: on the host `parts`,
 *           where each thread keeps to a stretch of memory, `in_order` (option
 *           of that name), the same with sums in the order of elements, or
 *           `colours`, which make the same sums for any number of threads; on
 *           a device
 *           `atomic`, `staged` or `colours`, whichever ir/cost.c says is the
 *           cheapest of those that can be. Order shows: `serial`.
 *
 * Example   region over %edges {
 *             %res.1 = loop @res_calc over %edges (..., inc %res.0 via
 *             %pecell[0])
 *           }
 *           becomes `region over %edges walk parts {`; if @res_calc also read
 *           %res through %pecell, `walk serial`.
 *
 * Cost      O(arguments + regions * buffers).
 * Source    parts: rt/walk/parts.c has the measurements; colours: OP2's plans
 *           (Mudalige et al. 2012).
 * Limits    passes see no mesh: whether parts have short borders is seen when a
 *           plan is made; if not, colours are taken there. */
#include "ir/cost.h"
#include "ir/walk.h"
#include "passes/pass.h"

#include <math.h>
#include <stdlib.h>

/* What becomes of increments that meet on a device: option `increments`. */
enum { WANT_CHEAPEST, WANT_ATOMIC, WANT_COLOURS, WANT_STAGED };

/* The costs that were compared, for the remark. */
struct costs {
  bool compared;
  double atomic, staged, colours;
};

static enum ir_walk
walk_on_device(const struct ir_increments *x, enum ir_machine machine,
               long want, struct costs *c) {
  if (!x->words || want == WANT_COLOURS) return IR_WALK_COLOURS;
  if (want == WANT_ATOMIC) return IR_WALK_ATOMIC;
  if (want == WANT_STAGED) return x->staged ? IR_WALK_STAGED : IR_WALK_ATOMIC;
  *c = (struct costs){true, ir_cost_atomic(x, machine),
                      ir_cost_staged(x, machine), ir_cost_coloured(x, machine)};
  if (c->colours < c->atomic && c->colours < c->staged) return IR_WALK_COLOURS;
  return c->staged < c->atomic ? IR_WALK_STAGED : IR_WALK_ATOMIC;
}

static void
tell_costs(const struct costs *c, struct str *s) {
  str_printf(s, " (atomic costs %.1f", c->atomic);
  if (c->staged < HUGE_VAL) str_printf(s, ", staged %.1f", c->staged);
  if (c->colours < HUGE_VAL) str_printf(s, ", colours %.1f", c->colours);
  str_add(s, ")");
}

static void
tell(struct ir_trace *t, ir_ref r, unsigned needs, const struct costs *c) {
  const char *why = needs & IR_WALK_ORDERED
                        ? "results depend on the order of elements"
                        : "elements meet in what they write";
  if (t->regions[r].walk == IR_WALK_RANGE) return;
  struct str s = STR_INIT;
  if (c->compared) tell_costs(c, &s);
  ir_remark(t, "colour: the region of %s walks by %s: %s%s",
            pass_node_text(t, t->regions[r].first),
            ir_walk_info[t->regions[r].walk].text, why, s.s);
  str_clear(&s);
}

static enum ir_walk
walk_for(const struct ir_trace *t, ir_ref r, const struct pass_ctx *c,
         unsigned needs, struct costs *costs) {
  const char *target = t->nodes[t->regions[r].first].target;
  if (needs & IR_WALK_ORDERED) return IR_WALK_SERIAL;
  if (!(needs & IR_WALK_MEETS)) return IR_WALK_RANGE;
  bool device = target_is_device(target);
  if (!device && pass_arg(c, "in_order", 0)) return IR_WALK_IN_ORDER;
  if (pass_arg(c, "colours", 0)) return IR_WALK_COLOURS;
  if (!device) return IR_WALK_PARTS;
  struct ir_hold_facts f = {c->overlaps, c->live,
                            mem_alloc(t->nbuffers + 1, 1)};
  ir_region_touch(t, r, f.touch);
  struct ir_increments x = ir_increments_of(t, r, &f);
  free(f.touch);
  enum ir_machine m = pass_on_gpu(c, target) ? IR_MACHINE_GPU : IR_MACHINE_CPU;
  return walk_on_device(&x, m, pass_arg(c, "increments", 0), costs);
}

/* What is read from local memory of blocks is a copy like others elsewhere. */
static void
holds_follow(struct ir_trace *t, const struct ir_region *g) {
  for (uint32_t k = g->hold0; k < g->hold0 + g->nholds; k++)
    if (g->walk != IR_WALK_STAGED && t->holds[k].how == IR_HOLD_LOCAL)
      t->holds[k].how = IR_HOLD_COPY;
}

bool
pass_colour(struct ir_trace *t, const struct pass_ctx *c) {
  bool changed = false;
  for (ir_ref r = 0; r < t->nregions; r++) {
    if (!ir_walk_known(t, r)) continue;
    unsigned needs = ir_walk_needs(t, r, c->overlaps);
    struct costs costs = {0};
    t->regions[r].walk = walk_for(t, r, c, needs, &costs);
    holds_follow(t, &t->regions[r]);
    tell(t, r, needs, &costs);
    changed = true;
  }
  return changed;
}
