/* Cores: what runs while an exchange is under way.
 *
 * Problem   Values of other ranks take their time, and most elements of a part
 *           need none of them.
 *
 * Idea      The region behind an exchange runs its core first, the elements
 *           that name owned ones only; the rest follows when the values are
 *           there. Not where the order of elements shows.
 *
 * Example   exchange %q.1 to 0 via 1
 *           region over %edges walk parts { ... }
 *           becomes `region over %edges walk parts core first {`.
 *
 * Cost      O(nodes + arguments).
 * Source    OP2's core and non-core elements (Mudalige et al. 2012).
 * Limits    one region behind each exchange. Passes see no mesh: whether the
 *           core is large enough to pay is seen when the launch runs
 *           (rt/walk/launch.c). */
#include "ir/walk.h"
#include "passes/pass.h"

bool
pass_cores(struct ir_trace *t, const struct pass_ctx *c) {
  bool changed = false;
  for (ir_ref r = 0; r < t->nregions; r++) {
    if (pass_arg(c, "off", 0) || !ir_core_first(t, r)) continue;
    t->regions[r].core_first = true;
    ir_remark(t,
              "cores: the core of %s runs during the exchange in front of it",
              pass_node_text(t, t->regions[r].first));
    changed = true;
  }
  return changed;
}
