/* Team: who runs the shares of a region, one thread or all.
 *
 * Problem   Entering a team of threads takes a microsecond, much more where
 *           other work has the processors. Short regions are done in less, and
 *           nobody knows how long an element takes.
 *
 * Idea      By the number of elements: what has one share runs on one thread;
 *           what is long on all, and is measured only where other work wants
 *           the processors; the rest is measured (rt/walk/team.c). The shares
 *           stay what they are, so no bit of a result depends on it.
 *
 * Example   region over %edges walk parts { ... }      1437600 edges
 *           becomes `region over %edges walk parts team busy {`, of 3000 edges
 *           `team measured`, of 100 `team one`. `team{way=1}` (OP2_TEAM) makes
 *           it `one`, 2 `all`, 3 `busy`, 4 `measured`.
 *
 * Cost      O(regions).
 * Limits    of sets over ranks (`team{ranks=4}`) parts of equal size are
 *           assumed. */
#include "ir/cost.h"
#include "ir/walk.h"
#include "passes/pass.h"

bool
pass_team(struct ir_trace *t, const struct pass_ctx *c) {
  long way = pass_arg(c, "way", 0), ranks = pass_arg(c, "ranks", 1);
  bool changed = false;
  for (ir_ref r = 0; r < t->nregions; r++) {
    struct ir_region *g = &t->regions[r];
    idx_g n = t->sets[g->set].n / (ranks > 0 ? ranks : 1);
    if (g->walk == IR_WALK_NONE || target_is_device(t->nodes[g->first].target))
      continue;
    bool one = ir_alone(t, r) || n < IR_TEAM_LEAST;
    g->team = n < IR_TEAM_LONG ? IR_TEAM_MEASURED : IR_TEAM_BUSY;
    if (way > IR_TEAM_NONE && way < IR_TEAM_COUNT) g->team = (enum ir_team)way;
    if (one) g->team = IR_TEAM_ONE;
    changed = true;
  }
  return changed;
}
