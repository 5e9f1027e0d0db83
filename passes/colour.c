/* Colour: the walk of each region.
 *
 * Problem   Elements of a region that meet in what they write must not run at
 *           once, and some regions' results depend on the order of elements.
 *           Which order is taken decides how fast the region is, so it stands
 *           in the trace.
 *
 * Idea      ir/walk.c says what elements do to each other. Nothing: `range`.
 *           They meet in what they write through maps: on the host `parts`,
 *           where each thread keeps to a stretch of memory, or `colours`, which
 *           make the same sums for any number of threads; on a device `meet`.
 *           Order shows: `serial`.
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
#include "ir/walk.h"
#include "passes/pass.h"

static enum ir_walk
walk_for(unsigned needs, bool device, bool colours) {
  if (needs & IR_WALK_ORDERED) return IR_WALK_SERIAL;
  if (!(needs & IR_WALK_MEETS)) return IR_WALK_RANGE;
  if (colours) return IR_WALK_COLOURS;
  return device ? IR_WALK_MEET : IR_WALK_PARTS;
}

static void
tell(struct ir_trace *t, ir_ref r, unsigned needs) {
  const char *why = needs & IR_WALK_ORDERED
                        ? "results depend on the order of elements"
                        : "elements meet in what they write";
  if (t->regions[r].walk != IR_WALK_RANGE)
    ir_remark(t, "colour: the region of %s walks by %s: %s",
              pass_node_text(t, t->regions[r].first),
              ir_walk_info[t->regions[r].walk].text, why);
}

bool
pass_colour(struct ir_trace *t, const struct pass_ctx *c) {
  bool colours = pass_arg(c, "colours", 0) != 0;
  bool changed = false;
  for (ir_ref r = 0; r < t->nregions; r++) {
    if (!ir_walk_known(t, r)) continue;
    unsigned needs = ir_walk_needs(t, r, c->overlaps);
    bool device = target_is_device(t->nodes[t->regions[r].first].target);
    t->regions[r].walk = walk_for(needs, device, colours);
    tell(t, r, needs);
    changed = true;
  }
  return changed;
}
