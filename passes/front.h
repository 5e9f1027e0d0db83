/* Fronts, for pass tile; see front.c. */
#ifndef PASS_FRONT_H
#define PASS_FRONT_H

#include "passes/pass.h"

/* Do loops move enough for fronts to pay, or are these asked for? */
bool pass_front_wanted(const struct ir_trace *t, const struct pass_ctx *c);
/* The front that begins at region `first`, if one does, the trace's last chain:
 * behind it; else behind the region. */
ir_ref pass_front_at(struct ir_trace *t, const struct pass_ctx *c,
                     ir_ref first);

#endif
