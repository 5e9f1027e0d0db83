/* Chains: regions that run tile by tile; see chain.c. */
#ifndef IR_CHAIN_H
#define IR_CHAIN_H

#include "ir/live.h"

/* Points of a set around a box, or of the box, in layers across a dimension:
 * `times` times `n` layers of `each` points that follow each other, layer 0 of
 * the box behind `before` others. */
struct ir_layers {
  idx_g each, n, before, times;
};
/* The set is the box, whose sides are known, or an area around it. */
struct ir_layers ir_layers_of(const struct ir_trace *t, ir_ref set, ir_ref box,
                              uint32_t along);
bool ir_is_around(const struct ir_trace *t, ir_ref set, ir_ref box);

/* From how many layers below its own to how many above it a loop on points of
 * the box reaches by the argument, all in one tile's row of layers. False: that
 * is not known. */
bool ir_layers_reached(const struct ir_trace *t, const struct ir_arg *a,
                       const struct ir_chain *c, struct ir_spans *out);

/* May the region be of a chain of tiles of this box and in these dimensions,
 * whatever the others do? */
bool ir_may_chain(const struct ir_trace *t, ir_ref region,
                  const struct ir_chain *c);
/* Regions [first, first + count) of chain k, as it stands in the trace: does
 * each tile find what it reads, and make what others read? Else *why says what
 * does not hold. cost O(buffers + arguments of these regions) */
bool ir_chain_holds(const struct ir_trace *t, ir_ref k, ir_ref first,
                    uint32_t count, const struct ir_live *live,
                    struct str *why);

#endif
