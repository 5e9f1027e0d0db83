/* Code of what is pending, written and not run.
 *
 * The recording becomes a trace as in a flush and goes through the same passes;
 * only the end differs: lower/generate.c in place of a program. Nothing of the
 * recording, of data or of their layouts changes on the way. `op2-run --emit`
 * does the same with a trace that it has read (tools/emit). */
#include "frontend/generate.h"

#include "frontend/programs.h"
#include "frontend/recording.h"
#include "ir/ir.h"
#include "lower/generate.h"
#include "lower/lower.h"

#include <stdlib.h>

status
fe_generate(struct ir_trace **t, const struct low_env *env,
            const struct low_generate *g, const char *folder) {
  for (ir_ref n = 0; n < (*t)->nnodes; n++)
    if ((*t)->nodes[n].op == IR_LOOP) (*t)->nodes[n].target = g->target;
  if (!(*t)->nbuffers) TRY(fe_passes_for(t, g->gpu));
  return low_generate(*t, env, g, folder);
}

/* The code is for later runs, too: nothing in it counts on values that
 * constants have now. */
static status
trace_of_all_values(const struct low_generate *g, struct ir_trace **out,
                    struct fe_global_src **globals) {
  SCOPED uint32_t *what = mem_alloc(fe_recs.n + 1, sizeof *what);
  status st = fe_recs_of_all_values(what);
  if (st == OK)
    *out = fe_trace_build((struct fe_request){.want = FE_WANT_ALL}, NULL,
                          g->device, globals);
  for (uint32_t i = 0; i < fe_recs.n; i++) fe_recs.all[i].what = what[i];
  return st;
}

status
fe_generate_pending(const struct low_generate *g, const char *folder) {
  struct low_env env;
  struct fe_global_src *globals;
  struct ir_trace *t;
  TRY(fe_env_make(&env));
  env.constant = NULL;
  TRY(trace_of_all_values(g, &t, &globals));
  for (ir_ref d = 0; d < t->ndats; d++) /* code is for later runs, too */
    t->dats[d].flags &= ~(uint32_t)IR_DAT_UNREAD;
  status st = fe_generate(&t, &env, g, folder);
  ir_trace_free(t);
  free(globals);
  return st;
}
