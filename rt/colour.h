/* Makers of plans; use rt_plan_get. */
#ifndef RT_COLOUR_H
#define RT_COLOUR_H

#include "rt/plan.h"

/* A fresh plan, GIVE. ERR_MEMORY. */
status rt_plan_make(idx_l n, idx_l block, const struct rt_conflict *c,
                    uint32_t nc, bool elem_colours, struct rt_plan **out);
void rt_plan_free(struct rt_plan *p);

#endif
