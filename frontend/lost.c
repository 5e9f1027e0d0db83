/* What a failure in the middle of a run has lost, and what loops that cannot
 * run.
 *
 * Problem. Before the first launch errors change nothing, and a retry works.
 * When a launch or a copy fails behind that (a device runs out of memory or is
 * taken away, a kernel faults), data may be half written. And a loop that does
 * not compile will not at the next try either (refuse.c).
 *
 * Idea. Such loops are gone. What they would have written is lost: each such
 * dat and global handle keeps the cause, and a look at it, or a loop that wants
 * its values, is an error that names it. The same goes for what waiting loops
 * would have made of lost values; they are dropped. Everything else stays
 * readable. A loop that writes all of a lost dat, op_upload_dat or op2_gbl_set
 * give it values again.
 *
 * Loops recorded before a refused one still want what its dats held until then:
 * that is forgotten only when no loop waits for it (fe_lost_forget).
 *
 * Cost  nothing until something fails. */
#include "frontend/calls.h"
#include "frontend/checkpoint.h"
#include "frontend/programs.h"

#include "lower/lower.h"
#include "rt/plan.h"

#include <stdlib.h>

void
fe_lost_forget(void) {
  for (uint32_t i = 0; fe_all.nvoid && i < fe_all.ndats; i++) {
    struct fe_dat *d = fe_all.dats[i];
    if (d->lost && !d->parked && !fe_dat_pending(d, true))
      rt_dat_forget(&d->rt);
  }
  fe_state_update();
}

/* ---- of the run ---------------------------------------------------------- */

static bool
launch_writes(const struct rt_launch *l, uint32_t global) {
  for (uint32_t k = 0; k < l->nreductions; k++)
    if (l->reductions[k].global == global) return true;
  for (uint32_t k = 0; k < l->nbinds; k++)
    if (l->binds[k].kind == RT_BIND_GLOBAL && l->binds[k].index == global &&
        l->binds[k].written)
      return true;
  return false;
}

static bool
program_writes(const struct rt_program *rt, uint32_t global) {
  for (uint32_t k = 0; k < rt->nlaunches; k++)
    if (launch_writes(&rt->launches[k], global)) return true;
  for (uint32_t k = 0; k < rt->ncmds; k++)
    if (rt->cmds[k].op == RT_SET_GLOBAL && rt->cmds[k].a == global) return true;
  return false;
}

void
fe_lost_mark(const struct fe_program *p, struct fe_cause cause) {
  const struct rt_program *rt = p->low->program;
  for (uint32_t k = 0; k < rt->nouts; k++) {
    struct fe_dat *d = fe_all.dats[p->low->dat_tags[rt->outs[k].dat]];
    fe_lose_dat(d, cause);
    rt_dat_forget(&d->rt);
  }
  for (uint32_t k = 0; k < rt->nglobals; k++)
    if (!p->globals[k].raw && program_writes(rt, k))
      fe_lose_gbl(fe_all.gbls[p->globals[k].gbl], cause);
}

/* ---- of loops that wait -------------------------------------------------- */

/* Of this dat and those that lie in its memory, too. */
static void
lose_result(const struct fe_dat *d, struct fe_cause cause) {
  for (uint32_t i = 0; i < fe_all.ndats; i++)
    if (fe_all.dats[i]->root == d->root && !fe_all.dats[i]->parked)
      fe_lose_dat(fe_all.dats[i], cause);
}

static void
lose_results(const struct fe_call *c, struct fe_cause cause) {
  for (uint32_t u = 0; u < c->nuses; u++)
    if (c->uses[u].writes) lose_result(c->uses[u].dat, cause);
  for (uint32_t a = 0; c->nhandles && a < c->nargs; a++)
    if (c->args[a].gbl && access_info[c->args[a].access].writes)
      fe_lose_gbl(c->args[a].gbl, cause);
}

/* Records that may still run, by number; how many. What the others would have
 * written is marked. */
static uint32_t
recs_find(const struct fe_rec *refused, struct fe_cause why, uint32_t *keep) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < fe_recs.n; i++) {
    const struct fe_rec *r = &fe_recs.all[i];
    const struct fe_call *c =
        r->kind == FE_REC_LOOP ? fe_calls.all[r->what] : NULL;
    struct fe_cause cause = {OK, NULL};
    if (c) cause = fe_lost_wanted(c);
    if (refused && fe_rec_same_loop(r, refused)) cause = why;
    if (cause.text) {
      lose_results(c, cause);
      continue;
    }
    if (c) fe_lost_found(c);
    if (r->kind == FE_REC_SET_GBL) fe_gbl_found(fe_all.gbls[r->what]);
    keep[n++] = i;
  }
  return n;
}

void
fe_lost_drop(const struct fe_rec *refused, struct fe_cause why) {
  SCOPED uint32_t *keep = mem_alloc(fe_recs.n + 1, sizeof *keep);
  uint32_t n = recs_find(refused, why, keep);
  if (n < fe_recs.n) fe_recs_keep(keep, n, false);
}
