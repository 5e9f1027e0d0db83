/* What a failure in the middle of a run has lost.
 *
 * Problem. Before the first launch errors change nothing, and a retry works. When a
 * launch or a copy fails behind that (a device runs out of memory or is taken away,
 * a kernel faults), data may be half written.
 *
 * Idea. The loops of the run are gone. What they would have written is lost: each such
 * dat and global handle keeps the cause, and a look at it, or a loop that wants its
 * values, is an error that names it. The same goes for what waiting loops would have
 * made of lost values; they are dropped. Everything else stays readable. A loop that
 * writes all of a lost dat, op_upload_dat or op2_gbl_set give it values again.
 *
 * Cost  nothing until something fails. */
#include "frontend/checkpoint.h"

#include <stdlib.h>
#include <string.h>

static void
lose_dat(struct fe_dat *d, const char *cause) {
  if (d->lost) return;
  fe_void_clear(d);
  rt_dat_forget(&d->rt);
  d->lost = fe_text_copy(cause);
  fe.nvoid++;
}

static void
lose_gbl(struct fe_gbl *g, const char *cause) {
  if (g->lost) return;
  g->lost = fe_text_copy(cause);
  fe.nvoid++;
}

void
fe_gbl_found(struct fe_gbl *g) {
  fe.nvoid -= g->lost != NULL;
  free(g->lost);
  g->lost = NULL;
}

status
fe_gbl_check(const char *api, const struct fe_gbl *g) {
  if (!g->lost) return OK;
  FAIL(ERR_DEVICE, "%s: global \"%s\" was lost: %s", api, g->name, g->lost);
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
fe_lost_mark(const struct fe_program *p, const char *cause) {
  const struct rt_program *rt = p->low.program;
  for (uint32_t k = 0; k < rt->nouts; k++)
    lose_dat(fe.dats[p->low.dat_tags[rt->outs[k].dat]], cause);
  for (uint32_t k = 0; k < rt->nglobals; k++)
    if (!p->globals[k].raw && program_writes(rt, k))
      lose_gbl(fe.gbls[p->globals[k].gbl], cause);
}

void
fe_lost_root(const struct fe_dat *d, const char *cause) {
  for (uint32_t i = 0; i < fe.ndats; i++)
    if (fe.dats[i] != d && fe.dats[i]->root == d->root && !fe.dats[i]->freed)
      lose_dat(fe.dats[i], cause);
}

/* ---- of loops that wait -------------------------------------------------- */

/* The cause, if the loop wants something that is lost. */
static const char *
wants_lost(const struct fe_call *c) {
  for (uint32_t u = 0; u < c->nuses; u++)
    if (c->uses[u]->lost && c->use_reads[u]) return c->uses[u]->lost;
  for (uint32_t a = 0; c->nhandles && a < c->nargs; a++)
    if (c->args[a].gbl && c->args[a].gbl->lost &&
        access_info[c->args[a].ir.access].reads)
      return c->args[a].gbl->lost;
  return NULL;
}

static void
lose_results(const struct fe_call *c, const char *cause) {
  for (uint32_t u = 0; u < c->nuses; u++)
    if (c->use_writes[u]) lose_dat(c->uses[u], cause);
  for (uint32_t a = 0; c->nhandles && a < c->nargs; a++)
    if (c->args[a].gbl && access_info[c->args[a].ir.access].writes)
      lose_gbl(c->args[a].gbl, cause);
}

/* The loop runs later: what it writes in full has values then. */
static void
find_results(const struct fe_call *c) {
  for (uint32_t u = 0; u < c->nuses; u++)
    if (c->uses[u]->lost) fe_void_clear(c->uses[u]);
  for (uint32_t a = 0; c->nhandles && a < c->nargs; a++)
    if (c->args[a].gbl) fe_gbl_found(c->args[a].gbl);
}

uint32_t
fe_lost_keep(uint32_t *keep) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < fe.nrecs; i++) {
    const struct fe_rec *r = &fe.recs[i];
    const struct fe_call *c = r->kind == FE_REC_LOOP ? fe.calls[r->what] : NULL;
    const char *cause = c ? wants_lost(c) : NULL;
    if (cause) {
      lose_results(c, cause);
      continue;
    }
    if (c) find_results(c);
    if (r->kind == FE_REC_SET_GBL) fe_gbl_found(fe.gbls[r->what]);
    keep[n++] = i;
  }
  return n;
}

status
fe_lost_check_loop(const struct fe_call *c) {
  const char *cause = wants_lost(c);
  if (!cause) {
    find_results(c);
    return OK;
  }
  for (uint32_t u = 0; u < c->nuses; u++)
    if (c->uses[u]->lost && c->use_reads[u])
      FAIL(ERR_DEVICE, "op_par_loop \"%s\": argument: dat \"%s\" was lost: %s",
           c->name, c->uses[u]->pub.name, cause);
  FAIL(ERR_DEVICE, "op_par_loop \"%s\": argument: a global was lost: %s",
       c->name, cause);
}
