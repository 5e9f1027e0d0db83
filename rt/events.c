#include "rt/events.h"

#include "rt/device/device.h"
#include "rt/walk/launch.h"

static const enum event_kind events[] = {[RT_LAUNCH] = EVENT_region,
                                         [RT_LAUNCH_CORE] = EVENT_region,
                                         [RT_COPY] = EVENT_copy,
                                         [RT_EXCHANGE_START] = EVENT_exchange,
                                         [RT_EXCHANGE_FINISH] = EVENT_exchange,
                                         [RT_REDUCE] = EVENT_reduce};

/* The core of one that has none is not run. */
static void
add_region(const struct rt_program *p, const struct rt_cmd *cmd,
           struct event *e) {
  const struct rt_run *r = &p->scratch->runs[cmd->a];
  if (cmd->op == RT_LAUNCH_CORE && r->core <= 0) e->kind = EVENT_NONE;
  e->name = rt_timer_name(r->l->timer);
  e->place.where = r->l->offload ? rt_launch_device(r->l)->target
                                 : (struct target){TARGET_openmp, 0};
}

static void
add_copy(const struct rt_program *p, const struct rt_cmd *cmd,
         struct event *e) {
  const struct rt_buf *from = p->scratch->bufs[cmd->a];
  const struct rt_buf *to = p->scratch->bufs[cmd->b];
  struct target where = cmd->device ? cmd->device->target : (struct target){0};
  e->name = to->shape.name;
  e->from = (struct event_place){where, from->mem};
  e->place = (struct event_place){where, to->mem};
  e->bytes = from->bytes;
}

struct event
rt_event_of(const struct rt_program *p, const struct rt_cmd *cmd) {
  size_t n = sizeof events / sizeof *events;
  struct event e = {.kind = cmd->op < n ? events[cmd->op] : EVENT_NONE};
  if (e.kind == EVENT_region) add_region(p, cmd, &e);
  if (e.kind == EVENT_copy) add_copy(p, cmd, &e);
  return e;
}
