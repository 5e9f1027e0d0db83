/* Layers of a rank's part, of which fronts over ranks are made: front_layers.c.
 */
#ifndef RT_FRONT_LAYERS_H
#define RT_FRONT_LAYERS_H

#include "rt/walk/walk.h"

/* Layer k of a set: of depth DEPTH_MAX - k, layer 0 of DEPTH_MAX or more. All
 * elements, where the set is in no parts: they are layer 0. */
struct rt_range rt_set_layer(const struct rt_set *set, int k);
/* How many a launch of a front runs over; its elements in these. */
int rt_launch_layers(const struct rt_program *p, const struct rt_launch *l);
idx_l rt_launch_deep(const struct rt_program *p, const struct rt_launch *l);
/* Do elements of the chain's launches name by its touches, wherever one writes,
 * only targets in their own layer or the next ones? cost a pass over these
 * maps, once. ERR_MEMORY */
status rt_layers_hold(const struct rt_program *p, const struct rt_chain *c,
                      bool *holds);

#endif
