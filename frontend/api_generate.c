/* op2_generate: what is checked before code is written. */
#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/generate.h"
#include "frontend/ranks.h"

#include "base/fp.h"
#include "lower/generate.h"

/* What is said of loops that no device takes at their calls, where one was in
 * force then. */
static status
check_loops(const struct low_generate *g) {
  const char *what, *why;
  for (uint32_t i = 0; g->device && i < fe_recs.n; i++) {
    if (fe_recs.all[i].kind != FE_REC_LOOP) continue;
    const struct fe_call *c = fe_calls.all[fe_recs.all[i].what];
    why = fe_device_why_not(c, &what);
    if (why)
      FAIL(ERR_TARGET, "%s:%d: op_par_loop \"%s\": target %s: %s: %s", c->file,
           c->line, c->name, g->target, why, what);
  }
  return OK;
}

static status
check(const char *target, const char *folder, struct low_generate *out) {
  TRY(low_generate_find(target, out));
  if (!folder) FAIL(ERR_ARG, "folder: expected a text, found NULL");
  if (!fe_recs.loops) FAIL(ERR_STATE, "no loop is pending");
  return check_loops(out);
}

/* All ranks have the same loops; the first one writes. Code is made with plain
 * arithmetic. */
static status
generate(const char *target, const char *folder) {
  struct low_generate g;
  TRY(fe_agree_turn("op2_generate"));
  if (fe.unsettled_waits) TRY(fe_ranks_settle());
  status st = check(target, folder, &g);
  uint32_t was = fp_mode_change(fp_mode_plain());
  if (st == OK && !fe_ranks.rank) st = fe_generate_pending(&g, folder);
  fp_mode_change(was);
  return fe_agree("op2_generate", 0, st);
}

int
op2_generate(const char *target, const char *folder) {
  if (!fe_enter("op2_generate")) return ERR_STATE;
  status st = generate(target, folder);
  if (st != OK) err_prefix(st, "op2_generate: ");
  return fe_leave_returned(st);
}
