/* The order of maps' rows, measured once for each version of them: how far they
 * drift, how long their runs are. */
#include "frontend/handles.h"

#include "base/log.h"
#include "rt/mesh/margins.h"
#include "rt/ranks/dist.h"

/* Over ranks: what lies deep inside, which is most of a part, and in order. */
static struct rt_window
window_of(const struct rt_relation *r) {
  struct rt_window w = rt_window_all(r);
  if (r->from->part) w.hi = r->from->part->deep[r->from->part->deepest];
  if (r->to->part) w.end = r->to->part->deep[r->to->part->deepest];
  return w;
}

uint32_t
fe_number_drift(struct fe_map *m) {
  struct rt_margins margins;
  struct rt_window window;
  if (fe_hollow(m)) return 0; /* a rule, which has no table */
  if (m->drifted == m->rt.version) return m->drift;
  m->drift = 0;
  m->drifted = m->rt.version;
  window = window_of(&m->rt);
  if (m->rt.from->part && (!window.hi || !window.end)) return 0;
  if (rt_margins_make(&m->rt, window, &margins) != OK) {
    LOG_INFO("%s", err_last());
    return 0;
  }
  m->drift = 1 + (uint32_t)rt_margins_drift(&margins);
  rt_margins_clear(&margins);
  return m->drift;
}

/* Nobody asks of rows that name a target twice. Over ranks the farthest rows
 * are not known. */
struct rt_runs
fe_number_runs(const struct fe_map *m) {
  const struct rt_set *from = m->rt.from;
  if (fe_hollow(m) || m->repeats) return (struct rt_runs){0};
  return rt_relation_runs(&m->rt, from->part ? from->part->owned : from->n);
}
