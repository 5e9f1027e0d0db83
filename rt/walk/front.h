/* Launches that run as a front, one behind the other: front.c. */
#ifndef RT_FRONT_H
#define RT_FRONT_H

#include "rt/walk/launch.h"

struct rt_front;

/* How chain `chain`, of pieces, runs on the threads of the run at hand, which
 * rt_launch_prepare has found. Kept from run to run while relations and threads
 * stay. ERR_MEMORY */
status rt_front_prepare(const struct rt_program *p, uint32_t chain,
                        struct rt_front **front);
void rt_front_free(struct rt_front *f); /* NULL: nothing */
/* Its launches' elements, where there is room for a front: then these launches
 * are `ahead`, else nothing is done and they run one by one. */
void rt_front_run(const struct rt_program *p, struct rt_front *f);
/* Launch i of the program, which is ahead: over ranks its other elements, and
 * what it gives to globals. */
status rt_front_finish(const struct rt_program *p, uint32_t i);
/* Those that its elements are shared among; two steps where there are several.
 */
int rt_front_threads(const struct rt_front *f);
/* Its first launch runs other code from now on. */
void rt_front_renew(struct rt_front *f, const struct rt_program *p);
/* What it holds of shared tables stays in the next sweep of teams. */
void rt_front_keep(struct rt_front *f);
void rt_front_explain(const struct rt_program *p, const struct rt_front *f,
                      struct str *out);

#endif
