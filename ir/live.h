/* Which versions are wanted, and until when. */
#ifndef IR_LIVE_H
#define IR_LIVE_H

#include "ir/ir.h"

/* Of a version; several that are the same have one entry, that of ir_same.
 *   last   last node that reads it; nnodes: one that stays pending; IR_NONE:
 *          nobody does
 *   stays  it can be looked at after the trace */
struct ir_live {
  ir_ref *last;
  bool *stays;
};
/* cost O(versions + arguments) */
struct ir_live ir_live_build(const struct ir_trace *t);
void ir_live_free(struct ir_live *l);

/* Is version v wanted by node `end` or later? */
static inline bool
ir_live_at(const struct ir_live *l, ir_ref v, ir_ref end) {
  return l->stays[v] || (l->last[v] != IR_NONE && l->last[v] >= end);
}

/* By dat, as a root: its newest version that this trace makes, or holds from
 * the beginning; IR_NONE: it is freed. Caller frees. */
ir_ref *ir_final_versions(const struct ir_trace *t);

#endif
