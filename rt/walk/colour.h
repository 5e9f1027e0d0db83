/* Makers of plans; use rt_plan_get. */
#ifndef RT_COLOUR_H
#define RT_COLOUR_H

#include "rt/plan.h"

/* A fresh plan, GIVE. ERR_MEMORY. */
status rt_plan_make(idx_l n, idx_l block, const struct rt_entries *c,
                    uint32_t nc, bool elem_colours, struct rt_plan **out);
/* As rt_plan_get_for; *out may be NULL. */
status rt_plan_make_for(idx_l n, idx_l block, int threads,
                        const struct rt_entries *c, uint32_t nc,
                        struct rt_plan **out);
/* One over ranks: as rt_plan_get_ranks. */
status rt_plan_make_ranks(struct rt_comm *comm, const struct rt_set *set,
                          int level, idx_l block, const struct rt_entries *c,
                          uint32_t nc, struct rt_plan **out);
void rt_plan_free(struct rt_plan *p);

#endif
