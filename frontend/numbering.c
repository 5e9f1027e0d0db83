/* Numbering: what pass `number` says of the program's sets, in a trace that has
 * nothing but their declarations and what was measured of the maps. */
#include "frontend/handles.h"
#include "frontend/programs.h"

#include "ir/ir.h"
#include "rt/mesh/order.h"

#include <assert.h>

/* Of points what says how their lines lie. */
static void
describe_points(struct fe_set *set, struct ir_set *x) {
  struct fe_set *domain;
  fe_points_of(set, &domain);
  if (!domain || domain->gone) return;
  fe_points_describe(set, x);
  if (domain != set) x->box = 1 + (uint32_t)domain->pub.index;
}

/* `sizes`: of the parts over ranks, all of which are open; NULL: none are. */
static void
declare_sets(struct ir_trace *t, const idx_g *sizes) {
  for (uint32_t s = 0; s < fe_all.nsets; s++) {
    struct fe_set *set = fe_all.sets[s];
    bool open = sizes || fe_set_open(&set->pub);
    struct ir_set x = {.name = set->pub.name,
                       .n = sizes ? sizes[s] : set->pub.size,
                       .flags = open ? IR_SET_AUTO : 0,
                       .tag = s};
    if (!sizes) describe_points(set, &x);
    ir_add_set(t, x);
  }
}

static void
declare_maps(struct ir_trace *t, const double *locality,
             const uint32_t *drift) {
  for (uint32_t k = 0; k < fe_all.nmaps; k++) {
    struct fe_map *m = fe_all.maps[k];
    struct ir_map x = {.name = m->pub.name,
                       .from = (ir_ref)m->pub.from->index,
                       .to = (ir_ref)m->pub.to->index,
                       .arity = m->rt.arity,
                       .rows = m->start ? IR_ROWS_CSR : IR_ROWS_TABLE,
                       .tag = k};
    if (locality[k] >= 0) x.scatter = 1 + (uint32_t)(1000 * locality[k] + 0.5);
    if (locality[k] >= 0) x.drift = drift ? drift[k] : fe_number_drift(m);
    ir_add_map(t, x);
  }
}

static struct rt_spacing
spacing_of(const struct ir_trace *t, ir_ref set) {
  struct ir_spacing l = ir_spacing_of(t, set);
  return (struct rt_spacing){(idx_l)l.line, (idx_l)l.pitch, (idx_l)l.lead};
}

status
fe_numbering(const idx_g *sizes, const double *locality, const uint32_t *drift,
             int by, uint32_t *said, struct rt_spacing *lines, int *how) {
  struct ir_trace *t = ir_trace_new("numbering");
  declare_sets(t, sizes);
  declare_maps(t, locality, drift);
  status st = fe_passes_number(&t, by);
  *how = -1;
  for (uint32_t s = 0; s < fe_all.nsets; s++) {
    said[s] = t->sets[s].flags & (IR_SET_RCM | IR_SET_BISECT | IR_SET_SPACED);
    assert(lines || said[s] != IR_SET_SPACED);
    if (said[s] == IR_SET_SPACED)
      lines[s] = spacing_of(t, s);
    else if (said[s])
      *how = said[s] == IR_SET_BISECT ? RT_RENUMBER_BISECT : RT_RENUMBER_RCM;
  }
  ir_trace_free(t);
  return st;
}
