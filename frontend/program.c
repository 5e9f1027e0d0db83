/* Programs: a recording that was traced, optimised and lowered once; bind.c has
 * its tables. */
#include "frontend/context.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"

#include "ir/ir.h"
#include "lower/lower.h"
#include "lower/sanitize.h"

#include <assert.h>
#include <stdlib.h>

/* ---- what lowering asks ------------------------------------------------- */

static struct rt_device *
env_device(void *user, const char *target) {
  (void)user;
  return fe_target_device(target);
}

/* ---- tables ------------------------------------------------------------- */

/* Records that the trace leaves pending, how many loops it settles, and of
 * these how many became names or were dropped. One that is inlined is several
 * nodes. */
static void
fill_remaining(struct fe_program *p, const struct ir_trace *t) {
  SCOPED bool *seen = mem_alloc(fe_recs.n + 1, sizeof *seen);
  p->remaining = mem_alloc(fe_recs.n + 1, sizeof *p->remaining);
  uint32_t left = 0, run = 0;
  for (uint32_t n = 0; n < t->nnodes; n++) {
    const struct ir_node *node = &t->nodes[n];
    if (ir_deferred(node)) {
      p->remaining[p->nremaining++] = node->tag;
      left += fe_recs.all[node->tag].kind == FE_REC_LOOP;
    } else {
      bool loop = node->op == IR_LOOP;
      run += loop && !seen[node->tag];
      if (loop) seen[node->tag] = true;
      p->renames += node->op == IR_ALIAS;
    }
  }
  p->loops = fe_recs.loops - left;
  p->dead = p->loops - run - p->renames;
  for (ir_ref d = 0; d < t->ndats; d++)
    p->inlines |= t->dats[d].kind == IR_INLINE;
}

static char *
text_of(const struct ir_trace *t) {
  struct str s = STR_INIT;
  ir_print(t, &s);
  return s.s == str_empty ? mem_alloc(1, 1) : s.s;
}

static char *
remarks_of(const struct ir_trace *t) {
  struct str s = STR_INIT;
  for (uint32_t i = 0; i < t->nremarks; i++)
    str_printf(&s, "%s\n", t->remarks[i]);
  return s.s == str_empty ? mem_alloc(1, 1) : s.s;
}

/* ---- making one --------------------------------------------------------- */

static int
most(int a, int b) {
  return a > b ? a : b;
}

/* The last level that the node needs: elements that it runs over, all that
 * their rows name, and what it exchanges. */
static int
level_of(const struct ir_trace *t, const struct ir_node *node) {
  int level = (int)node->level;
  for (uint32_t k = 0; k < node->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, node)[k];
    struct reach r = {(int8_t)node->level, -1};
    if (node->op == IR_LOOP && !ir_arg_direct(a)) r.via = r.own;
    if (node->op == IR_EXCHANGE) r = a->reach;
    level = most(level, most(r.own, reach_named(r.via)));
  }
  return level;
}

static int
levels_of(const struct ir_trace *t) {
  int level = 0;
  for (ir_ref n = 0; n < t->nnodes; n++)
    level = most(level, level_of(t, &t->nodes[n]));
  return level;
}

status
fe_env_make(struct low_env *out) {
  enum low_sanitize sanitize;
  TRY(low_sanitize_find(fe.opt.sanitize, &sanitize));
  *out = (struct low_env){.kernel = fe_env_kernel,
                          .constant = fe_env_constant,
                          .vector_math = fe.opt.vector_math != 0,
                          .sanitize = sanitize,
                          .lines = fe.opt.debug == OPT_debug_lines,
                          .quick = !fe.opt.optimise,
                          .ranks = fe_ranks.size,
                          .device = env_device};
  return OK;
}

static status
make_from(struct ir_trace **t, struct fe_program *p, bool measured,
          const struct fe_global_src *globals, bool *again) {
  struct low_env env;
  TRY(fe_env_make(&env));
  TRY(fe_passes_run(t, p));
  if (levels_of(*t) > fe_ranks.level) {
    *again = true; /* and all that was known of values is history */
    return fe_spread(levels_of(*t));
  }
  TRY(fe_layout_take(*t, again));
  if (*again) return OK;
  if (!measured) fe_tiers_ask(*t, &env);
  status st = low_lower(*t, &env, p->low);
  if (st != OK) fe_programs.failed = p->low->failed;
  TRY(st);
  fe_program_remark(p, *t);
  TRY(fe_program_bind(p, globals));
  fill_remaining(p, *t);
  p->nrecs = fe_recs.n;
  fe_trial_find(p, *t);
  return OK;
}

/* *again: it needs deeper halos or other layouts, which are there now. */
static status
make_once(struct fe_request rq, const bool *apart, struct fe_program **out,
          bool *again) {
  struct fe_global_src *globals;
  struct ir_trace *t = fe_trace_build(rq, apart, fe_devices_any(), &globals);
  struct ir_trace *before = fe.opt.trace ? ir_trace_clone(t) : NULL;
  struct fe_program *p = mem_alloc(1, sizeof *p);
  p->low = mem_alloc(1, sizeof *p->low);
  p->number = fe_programs.made;
  p->before = text_of(t);
  *again = false;
  status st = make_from(&t, p, apart != NULL, globals, again);
  if (st == OK && !*again) {
    fe_programs.made++;
    p->after = text_of(t);
    p->explain = remarks_of(t);
    if (fe.opt.trace) fe_dump_flush(p, before, t);
    *out = p;
  } else {
    fe_program_free(p);
  }
  if (before) ir_trace_free(before);
  ir_trace_free(t);
  free(globals);
  return st;
}

status
fe_program_make(struct fe_request rq, struct fe_program **out) {
  bool again;
  status st;
  fe_told(FE_CLOCK_PROGRAMS, NULL, NULL, true);
  do st = make_once(rq, NULL, out, &again);
  while (st == OK && again);
  fe_told_program(st == OK ? *out : NULL);
  return st;
}

status
fe_program_variant(struct fe_request rq, const bool *apart,
                   struct fe_program **out) {
  bool again;
  fe_told(FE_CLOCK_PROGRAMS, NULL, NULL, true);
  status st = make_once(rq, apart, out, &again);
  assert((st != OK || !again) && "loops apart need no more than together");
  fe_told_program(st == OK ? *out : NULL);
  return st;
}

void
fe_program_free(struct fe_program *p) {
  low_program_clear(p->low);
  free(p->low);
  free(p->words);
  free(p->globals);
  free(p->params);
  free(p->remaining);
  free(p->launch_of);
  free(p->stands);
  fe_trial_drop(p);
  free(p->before);
  free(p->after);
  free(p->explain);
  free(p);
}
