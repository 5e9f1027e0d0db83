/* Verifier: chains are whole, and no tile or piece misses anything. */
#include "ir/chain.h"
#include "ir/check.h"
#include "ir/front.h"

static void
check_chain(struct ir_check *c, ir_ref k, ir_ref first, uint32_t count,
            const struct ir_live *live) {
  SCOPED_STR why = STR_INIT;
  bool holds = c->t->chains[k].piece
                   ? ir_front_holds(c->t, first, count, &why)
                   : ir_chain_holds(c->t, k, first, count, live, &why);
  if (!holds) ir_bad(c, "chain #%u: %s", k, why.s);
}

/* Regions of a chain follow each other, with nothing in between; of pieces,
 * with nothing that cannot wait. */
static uint32_t
chain_length(struct ir_check *c, ir_ref first) {
  const struct ir_region *g = &c->t->regions[first], *end = g;
  const struct ir_region *all = c->t->regions + c->t->nregions;
  bool pieces = c->t->chains[g->chain - 1].piece;
  while (++end < all && end->chain == g->chain)
    if (!pieces && end->first != end[-1].first + end[-1].count)
      ir_bad(c, "chain #%u: node %u stands between its regions", g->chain - 1,
             end[-1].first + end[-1].count);
  return (uint32_t)(end - g);
}

void
ir_check_chains(struct ir_check *c, const struct ir_live *live) {
  const struct ir_trace *t = c->t;
  ir_ref next = 0;
  for (ir_ref r = 0; r < t->nregions;) {
    if (!t->regions[r].chain) {
      r++;
      continue;
    }
    uint32_t k = t->regions[r].chain - 1, count = chain_length(c, r);
    if (k != next++)
      ir_bad(c, "region %u is of chain #%u, expected #%u", r, k, next - 1);
    else
      check_chain(c, k, r, count, live);
    r += count;
  }
  if (next != t->nchains)
    ir_bad(c, "the trace has %u chains, its regions are of %u", t->nchains,
           next);
}
