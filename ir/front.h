/* Fronts: regions that run piece by piece; see front.c. */
#ifndef IR_FRONT_H
#define IR_FRONT_H

#include "ir/ir.h"

/* May the region be of a front, whatever the others do? */
bool ir_may_front(const struct ir_trace *t, ir_ref region);
/* May node n stand between two regions of a front, and run behind it? */
bool ir_may_wait(const struct ir_node *n);
/* May region r, behind others from `first` on that may, be of their front? */
bool ir_front_goes_on(const struct ir_trace *t, ir_ref first, ir_ref r,
                      struct str *why);
/* Over ranks: from which depth on each of regions [first, first + count) may
 * run in a front of them, into deep[], where those before it do so, or from
 * their own `deep` on; more than DEPTH_MAX: on nothing. 0: its set is in no
 * parts. cost O(arguments of these regions + buffers) */
void ir_front_depths(const struct ir_trace *t, ir_ref first, uint32_t count,
                     uint32_t *deep);
/* Regions [first, first + count), a front: may all be in it, does nobody look
 * at a global that is not whole yet, and run they deep enough over ranks? Else
 * *why says what does not hold. cost O(nodes +
 * arguments of these regions) */
bool ir_front_holds(const struct ir_trace *t, ir_ref first, uint32_t count,
                    struct str *why);

#endif
