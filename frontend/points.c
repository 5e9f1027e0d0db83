/* Points of a box, as traces tell them. */
#include "frontend/box.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"

#include "ir/ir.h"

#include <assert.h>
#include <string.h>

int
fe_points_of(const struct fe_set *s, struct fe_set **domain_out) {
  *domain_out = s->box ? s->box->domain : NULL;
  return s->box ? s->box->ndim : 0;
}

/* Points of a domain in each dimension; which are periodic, a bit each. */
static uint32_t
box_sides(const struct fe_set *domain, idx_g *out) {
  const struct fe_box *b = domain->box;
  uint32_t periodic = 0;
  assert(b && b->domain == domain);
  for (int d = 0; d < b->ndim; d++) {
    out[d] = b->n[d];
    periodic |= (uint32_t)b->periodic[d] << d;
  }
  return periodic;
}

struct ir_area
fe_area_of(const struct fe_halo *h) {
  struct ir_area a;
  _Static_assert(sizeof a == sizeof *h, "sides are sides");
  memcpy(&a, h, sizeof a);
  return a;
}

void
fe_points_describe(struct fe_set *s, struct ir_set *out) {
  struct fe_set *domain;
  out->ndim = (uint32_t)fe_points_of(s, &domain);
  out->area = fe_area_of(&s->halo);
  if (out->ndim && domain == s && out->n && !fe_ranked())
    out->periodic = box_sides(s, out->side);
}
