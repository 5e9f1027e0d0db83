/* Verifier: walks that are chosen are safe, and there is code for them. */
#include "ir/check.h"
#include "ir/walk.h"

#include "base/target.h"

#include <stdlib.h>

static void
check_walk(struct ir_check *c, ir_ref r, const bool *overlaps) {
  const struct ir_trace *t = c->t;
  const struct ir_walk_info *w = &ir_walk_info[t->regions[r].walk];
  bool device = target_is_device(t->nodes[t->regions[r].first].target);
  unsigned needs = ir_walk_needs(t, r, overlaps);
  if (device ? !w->device : !w->host)
    ir_bad(c, "region %u: there is no walk %s on a %s", r, w->text,
           device ? "device" : "host");
  if (needs & IR_WALK_ORDERED && w->safe < 2)
    ir_bad(c, "region %u: walk %s, but results depend on the order of elements",
           r, w->text);
  else if (needs & IR_WALK_MEETS && w->safe < 1)
    ir_bad(c, "region %u: walk %s, but elements meet in what they write", r,
           w->text);
}

void
ir_check_walks(struct ir_check *c) {
  const struct ir_trace *t = c->t;
  bool *overlaps = ir_overlaps_build(t);
  for (ir_ref r = 0; r < t->nregions; r++) {
    if (t->regions[r].walk == IR_WALK_NONE) continue;
    if (ir_walk_known(t, r))
      check_walk(c, r, overlaps);
    else
      ir_bad(c, "region %u has a walk, but its values have no buffers", r);
  }
  free(overlaps);
}
