/* What a block adds through maps behind the loads of the next one.
 *
 * Problem   A block (lower/llvm/region_block.c) loads, computes, and adds to
 *           memory what it made. Each of these waits for the one before: loads
 *           take their time, divisions and roots too, and what one lane adds
 *           must be stored before another one, of the same target, can load it.
 *           A processor goes on with the next block meanwhile, as far as it
 *           looks ahead. That is some 450 instructions; a block of Airfoil's
 *           fluxes has 320, so that of the next one it sees the loads, at best.
 *
 * Idea      Two stages, of which the second is a block behind. While a block's
 *           results are made, what the processor comes to are the loads of the
 *           next one, and additions whose summands are there:
 *
 *             load 0; compute 0
 *             for each k from 1:  load k; add k-1; compute k
 *             add the last one
 *
 *           What is added waits in registers. Nobody else touches that memory
 *           in the region (else it would be held as staged, ir/hold.c), and
 *           blocks add in their order, so that all bits stay.
 *
 * Example   region over %edges walk parts width 8 {
 *             %res.1 = loop @res_calc (..., inc %res.0 via %pecell[0],
 *                 inc %res.0 via %pecell[1])
 *             hold late %res.1
 *           }
 *
 * Cost      a register for each component that an element adds; code for two
 *           blocks' loads and kernels, and two blocks' additions.
 *
 * Source    software pipelining: M. Lam, PLDI 1988.
 * Limits    not for loops over rows, code by stretches, and panels. */
#include "ir/hold.h"
#include "ir/inner.h"
#include "ir/walk.h"

#include <assert.h>

bool
ir_may_be_late(const struct ir_trace *t, ir_ref region) {
  assert(region < t->nregions);
  const struct ir_region *g = &t->regions[region];
  return !target_is_device(t->nodes[g->first].target) && g->width >= 2 &&
         !g->panel && !g->stretches && !ir_goes_by_rows(t, g) &&
         !ir_keeps_reads(t, g);
}
