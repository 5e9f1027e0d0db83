/* OP2_REPORT over ranks: least and most of what each took. */
#include "frontend/ranks.h"
#include "frontend/report.h"

#include "base/arena.h"
#include "base/hash.h"

/* Have all ranks the same lines? */
static status
regions_same(const struct fe_report *r, bool *same) {
  uint64_t h[2] = {r->n, 0};
  for (uint32_t k = 0; k < r->n; k++)
    h[0] = hash_text(h[0], r->regions[k].t.name);
  h[1] = ~h[0]; /* the least of these is the most of the others */
  uint64_t least[2] = {h[0], h[1]};
  TRY(fe_join(least, 2, TYPE_U64, ACC_MIN));
  *same = least[0] == ~least[1];
  return OK;
}

static status
regions_join(struct fe_report *r) {
  bool same;
  TRY(regions_same(r, &same));
  r->differ = !same;
  if (!same || !r->n) return OK;
  SCOPED double *least = mem_alloc(r->n, sizeof *least);
  SCOPED double *most = mem_alloc(r->n, sizeof *most);
  for (uint32_t k = 0; k < r->n; k++)
    least[k] = most[k] = r->regions[k].t.seconds;
  TRY(fe_join(least, r->n, TYPE_F64, ACC_MIN));
  TRY(fe_join(most, r->n, TYPE_F64, ACC_MAX));
  for (uint32_t k = 0; k < r->n; k++) {
    r->regions[k].least = least[k];
    r->regions[k].most = most[k];
  }
  return OK;
}

status
fe_report_join(struct fe_report *r) {
  TRY(fe_join(r->most, FE_TIME_COUNT, TYPE_F64, ACC_MAX));
  return regions_join(r);
}
