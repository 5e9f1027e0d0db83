/* OP2_STATIC: declarations without data, loops that never run.
 *
 * A program that only wants its code (op2_generate) need not have its mesh.
 * Dats are addresses that nobody can touch (rt_dat_bare), maps have no table
 * and prove nothing. All else is as ever: calls are checked and recorded. What
 * would run a loop, or look at values, is refused in the few places that all of
 * it goes through: fe_run, fe_look_at, fe_upload. Loops that could not wait are
 * refused at their call, with the way out.
 *
 * Limits. One rank: parts are made from tables of maps. */

#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/ranks.h"

#include "base/log.h"
#include "lower/kernel.h"

status
fe_bare_start(void) {
  if (!fe_ranked()) return OK;
  FAIL(ERR_STATE, "op_init: OP2_STATIC is set: expected one rank, found %d",
       fe_ranks.size);
}

status
fe_bare_refuse(const char *what) {
  FAIL(ERR_STATE,
       "%s: OP2_STATIC is set: there are no values, and no loop runs (%u "
       "pending)",
       what, fe_recs.loops);
}

status
fe_bare_check(const struct fe_call *c) {
  const char *why = c->kernel->low->why;
  if (c->immediate)
    FAIL(ERR_STATE,
         "op_par_loop \"%s\": OP2_STATIC is set and no loop runs, but this one "
         "cannot wait: its kernel %s",
         c->name, *why ? why : "has no IR");
  if (c->nraw && !fe.defer_globals)
    FAIL(ERR_STATE,
         "op_par_loop \"%s\": OP2_STATIC is set and no loop runs, but this one "
         "writes a global that the program may read now: op2_defer_globals(1) "
         "or op2_decl_gbl lets it wait",
         c->name);
  return OK;
}

void
fe_bare_end(void) {
  if (fe_recs.loops)
    LOG_INFO("OP2_STATIC is set: %u pending loops go, none ran", fe_recs.loops);
  fe_recs_done();
}
