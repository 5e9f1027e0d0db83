/* Layouts of dats, as pass `layout` chooses them (passes/layout.c): what a
 * trace says is done to the buffers, before the program runs.
 *
 * A trace knows its own loops; that earlier ones used a dat by rows is kept
 * here. So layouts change at a flush whose recording is new, never in the
 * steady state, and each dat at most twice.
 *
 * Limits. Dats in the program's memory, with a declared layout, on a device, or
 * under OP2_LAYOUT stay as they are. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/programs.h"

#include "base/counters.h"
#include "ir/ir.h"

#include <string.h>

bool
fe_layout_free(void) {
  return !fe.auto_soa && !strcmp(fe.opt.layout, "auto");
}

static status
take(struct fe_dat *d, const struct ir_dat *said, bool *changed) {
  if (said->flags & IR_DAT_ROWS) d->by_rows = true;
  if (said->block == d->rt.shape.block && said->device == d->rt.shape.device)
    return OK;
  TRY(rt_dat_relayout(&d->rt, said->block, said->device));
  d->block = said->block;
  counters[CNT_relayouts]++;
  *changed = true;
  return OK;
}

status
fe_layout_take(const struct ir_trace *t, bool *changed) {
  status st = OK;
  for (ir_ref i = 0; st == OK && i < t->ndats; i++)
    if (t->dats[i].kind == IR_DAT)
      st = take(fe_all.dats[t->dats[i].tag], &t->dats[i], changed);
  if (*changed) {
    fe.setup_id++;
    fe_state_update();
  }
  return st;
}
