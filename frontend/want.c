/* What a look at a value makes run. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"
#include "frontend/values.h"

status
fe_look(struct fe_dat *d, bool rw) {
  if (!fe_dat_pending(d, rw)) return OK;
  return fe_run((struct fe_request){rw ? FE_WANT_DAT_RW : FE_WANT_DAT, d->index,
                                    FE_REASON_DAT, false});
}

status
fe_look_gbl(struct fe_gbl *g) {
  if (fe_waits(g->used_in))
    TRY(fe_run((struct fe_request){FE_WANT_GBL, g->index, FE_REASON_HANDLE,
                                   false}));
  return rt_cell_download(&g->cell, g->data);
}

status
fe_look_at(const char *api, struct fe_dat *d, bool rw) {
  if (fe.opt.bare) return fe_bare_refuse(api);
  if (fe.nviews) fe_views_close();
  TRY(fe_agree(api, d->born, OK));
  TRY(fe_look(d, rw));
  if (fe_all.nvoid) TRY(fe_void_check(api, d));
  return fe_dat_sync(d);
}
