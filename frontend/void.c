/* Dats and globals without values: left out of a checkpoint (restart.c), or
 * lost by a failure (lost.c). A use of them is an error at the call, until a
 * loop that writes all of one, or the host, gives it values again. */
#include "frontend/calls.h"
#include "frontend/checkpoint.h"
#include "frontend/context.h"

#include <stdlib.h>

void
fe_void_since(struct fe_dat *d, const char *path) {
  fe_all.nvoid += !d->void_since;
  free(d->void_since);
  d->void_since = fe_text_copy(path);
}

status
fe_void_check(const char *api, const struct fe_dat *d) {
  if (d->lost)
    FAIL(d->lost_by, "%s: dat \"%s\" was lost: %s", api, d->pub.name, d->lost);
  if (!d->void_since) return OK;
  FAIL(
      ERR_STATE,
      "%s: dat \"%s\" has no values since op2_restart(\"%s\"): what came "
      "first behind that checkpoint was a loop that writes all of it; expected "
      "such a loop (or a checkpoint under OP2_CHECKPOINT=all), found a use of "
      "its values",
      api, d->pub.name, d->void_since);
}

void
fe_void_clear(struct fe_dat *d) {
  fe_all.nvoid -= d->void_since != NULL || d->lost;
  free(d->void_since);
  free(d->lost);
  d->void_since = d->lost = NULL;
}

/* ---- lost ---------------------------------------------------------------- */

void
fe_lose_dat(struct fe_dat *d, struct fe_cause cause) {
  if (d->lost) return;
  fe_void_clear(d);
  d->lost = fe_text_copy(cause.text);
  d->lost_by = cause.st;
  fe_all.nvoid++;
}

void
fe_lose_gbl(struct fe_gbl *g, struct fe_cause cause) {
  if (g->lost) return;
  rt_cell_written(&g->cell, false);
  g->lost = fe_text_copy(cause.text);
  g->lost_by = cause.st;
  fe_all.nvoid++;
}

void
fe_lost_root(const struct fe_dat *d, struct fe_cause cause) {
  for (uint32_t i = 0; i < fe_all.ndats; i++) {
    struct fe_dat *o = fe_all.dats[i];
    if (o == d || o->root != d->root || o->freed) continue;
    fe_lose_dat(o, cause);
    rt_dat_forget(&o->rt);
  }
}

status
fe_gbl_check(const char *api, const struct fe_gbl *g) {
  if (!g->lost) return OK;
  FAIL(g->lost_by, "%s: global \"%s\" was lost: %s", api, g->name, g->lost);
}

void
fe_gbl_found(struct fe_gbl *g) {
  fe_all.nvoid -= g->lost != NULL;
  free(g->lost);
  g->lost = NULL;
}

/* ---- what a loop wants --------------------------------------------------- */

/* The cause, if the loop wants something that is lost; its text is NULL if not.
 * */
struct fe_cause
fe_lost_wanted(const struct fe_call *c) {
  for (uint32_t u = 0; u < c->nuses; u++)
    if (c->uses[u].dat->lost && c->uses[u].reads)
      return (struct fe_cause){c->uses[u].dat->lost_by, c->uses[u].dat->lost};
  for (uint32_t a = 0; c->nhandles && a < c->nargs; a++)
    if (c->args[a].gbl && c->args[a].gbl->lost &&
        access_info[c->args[a].access].reads)
      return (struct fe_cause){c->args[a].gbl->lost_by, c->args[a].gbl->lost};
  return (struct fe_cause){OK, NULL};
}

/* The loop runs later: what it writes in full has values then. */
void
fe_lost_found(const struct fe_call *c) {
  for (uint32_t u = 0; u < c->nuses; u++)
    if (c->uses[u].dat->lost) fe_void_clear(c->uses[u].dat);
  for (uint32_t a = 0; c->nhandles && a < c->nargs; a++)
    if (c->args[a].gbl) fe_gbl_found(c->args[a].gbl);
}

static status
lost_check_loop(const struct fe_call *c) {
  struct fe_cause cause = fe_lost_wanted(c);
  if (!cause.text) {
    fe_lost_found(c);
    return OK;
  }
  for (uint32_t u = 0; u < c->nuses; u++)
    if (c->uses[u].dat->lost && c->uses[u].reads)
      FAIL(cause.st, "op_par_loop \"%s\": argument: dat \"%s\" was lost: %s",
           c->name, c->uses[u].dat->pub.name, cause.text);
  FAIL(cause.st, "op_par_loop \"%s\": argument: a global was lost: %s", c->name,
       cause.text);
}

status
fe_void_check_loop(const struct fe_call *c) {
  for (uint32_t u = 0; u < c->nuses; u++)
    if (c->uses[u].dat->void_since && c->uses[u].reads) {
      status st = fe_void_check("argument", c->uses[u].dat);
      return err_prefix(st, "op_par_loop \"%s\": ", c->name);
    }
  return lost_check_loop(c);
}
