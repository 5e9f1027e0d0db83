/* A run's commands as events of the timeline (base/span.h). */
#ifndef RT_SPANS_H
#define RT_SPANS_H

#include "rt/plan.h"

/* The command took from `begin` to `end` and moved `bytes`; `timer` has its
 * name. Nothing if nobody listens. */
struct rt_took {
  double begin, end;
  uint64_t bytes;
  uint32_t timer;
};
void rt_span_tell(const struct rt_program *p, const struct rt_cmd *cmd,
                  const struct rt_took *took);

#endif
