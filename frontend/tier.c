/* Which programs begin with code that is not optimised, and for how long.
 *
 * Problem. Quick code is there ten times as soon and takes ten times as long
 * (lower/tiers.c). On a small mesh that is the time of the first result; on a
 * large one a flush by quick code takes longer than waiting for better. And
 * where loops run on all processors, those who optimise take these from them,
 * and threads wait for each other: 0.6 of the speed of waiting, two threads on
 * two processors.
 *
 * Idea. A program begins with quick code if some processor is left to optimise
 * on, and the cost model says that a run takes MOST seconds at most. All others
 * wait for their code. Once flushes beside unfinished code have taken PATIENCE,
 * about what that takes to make, the next one waits, too: so that, as far as
 * the model is right, nobody loses more than waiting at first would have cost
 * (the rule for those who rent skis).
 *
 * What is not for a start waits: code that a report is about, or a debugger, or
 * that is measured against other code (trial.c). op_exit waits for all that is
 * kept on disk, so that the next start has it, and so does a process whose
 * memory has a bound, since it may not get another thread.
 *
 * Over ranks each one decides for itself: the others see that by the clock
 * alone (and by bits of NaNs).
 *
 * cost    two comparisons a flush
 * gain    Airfoil on 2400 cells, nothing made before, one thread of two
 *         processors, medians of 7: until the first step is done 46 ms in place
 *         of 149, 10 steps 0.67 of the time, 100 steps 1.18, 1000 steps 0.99;
 *         15 000 cells 108 in place of 216, 100 steps 1.10 (OP2_CACHE=0; else
 *         op_exit waits: 10 steps 0.97)
 * source  A. R. Karlin, M. S. Manasse, L. Rudolph, D. D. Sleator, "Competitive
 *         snoopy caching", Algorithmica 3 (1988)
 * limits  regions on devices wait for their code */
#include "frontend/context.h"
#include "frontend/programs.h"

#include "ir/cost.h"
#include "lower/lower.h"

#include <math.h>
#include <sys/resource.h>

#define MOST 0.02     /* seconds */
#define PATIENCE 0.01 /* seconds, for each region that is not optimised */

static double spent; /* by flushes, while some code was quick */

/* Threads that loops of the trace may run on. */
static int
threads_of(const struct ir_trace *t) {
  idx_l most = 0;
  for (uint32_t n = 0; n < t->nnodes; n++) {
    const struct ir_node *node = &t->nodes[n];
    if (node->op == IR_LOOP && t->sets[node->set].n > most)
      most = t->sets[node->set].n;
  }
  bool small = most < IR_TEAM_LEAST && fe.opt.team != OPT_team_all;
  return small || fe.opt.team == OPT_team_one ? 1 : fe.nthreads;
}

/* The C library ends a process that has no room for a new thread's locals. */
static bool
is_narrow(void) {
  struct rlimit r;
  return !getrlimit(RLIMIT_AS, &r) && r.rlim_cur != RLIM_INFINITY;
}

void
fe_tiers_ask(const struct ir_trace *t, struct low_env *env) {
  bool always = fe.opt.tiers == OPT_tiers_always;
  bool looked_at = fe.report || *fe.opt.sanitize;
  if (!fe.opt.optimise || fe.opt.debug != OPT_debug_0 || is_narrow() ||
      fe.opt.tiers == OPT_tiers_never || (looked_at && !always))
    return;
  int idle = fe.processors - threads_of(t);
  if (idle < 1 && always) idle = 1;
  if (idle > 0) env->beside = (uint32_t)idle;
  env->quick_most = always ? HUGE_VAL : MOST;
}

void
fe_tiers_finish(void) {
  if (low_quick_regions) {
    low_tiers_finish();
    low_better_take();
  }
  spent = 0;
}

bool
fe_tiers_turn(void) {
  if (!low_quick_regions) return false;
  if (spent > PATIENCE * low_quick_regions)
    fe_tiers_finish();
  else
    low_better_take();
  if (!low_quick_regions) spent = 0;
  return low_quick_regions > 0;
}

void
fe_tiers_ran(double seconds) {
  spent += seconds;
}

void
fe_tiers_stop(void) {
  if (fe.opt.cache) low_tiers_finish(); /* a later start finds all */
  low_tiers_end();
  spent = 0;
}
