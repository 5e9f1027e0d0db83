/* Commands as events of base/event.h. */
#ifndef RT_EVENTS_H
#define RT_EVENTS_H

#include "base/event.h"
#include "rt/plan.h"

/* What a command of a program that is about to run does; EVENT_NONE: nothing
 * to tell, or it tells itself (uploads, downloads: rt/store/residency.c). */
struct event rt_event_of(const struct rt_program *p, const struct rt_cmd *cmd);
/* It ends, and moved `bytes`. */
void rt_event_end(const struct rt_program *p, const struct rt_cmd *cmd,
                  struct event *e, uint64_t bytes);

#endif
