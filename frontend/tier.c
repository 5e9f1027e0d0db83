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
 * about what that takes to make, the next one waits, too: so nobody loses more
 * than waiting at first would have cost (the rule for those who rent skis).
 *
 * What is not for a start waits: code that a report is about, or a debugger, or
 * that is measured against other code (trial.c). op_exit waits for all that is
 * kept on disk, so that the next start has it, and so does a process whose
 * memory has a bound, since it may not get another thread.
 *
 * Over ranks each one decides for itself: the others see that by the clock
 * alone (and by bits of NaNs).
 *
 * cost    a comparison a flush
 * gain    Airfoil on 2400 cells, nothing made before, one thread of two
 *         processors, medians of 7: until the first step is done 46 ms in place
 *         of 149, 10 steps 0.67 of the time, 100 steps 1.18, 1000 steps 0.99;
 *         15 000 cells 108 in place of 216, 100 steps 1.10
 * source  A. R. Karlin, M. S. Manasse, L. Rudolph, D. D. Sleator, "Competitive
 *         snoopy caching", Algorithmica 3 (1988)
 * limits  regions on devices wait for their code */
#include "frontend/context.h"
#include "frontend/programs.h"

#include "ir/cost.h"
#include "lower/lower.h"

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
  return most < IR_TEAM_LEAST ? 1 : fe.nthreads;
}

/* The C library ends a process that has no room for a new thread's locals. */
static bool
is_narrow(void) {
  struct rlimit r;
  return !getrlimit(RLIMIT_AS, &r) && r.rlim_cur != RLIM_INFINITY;
}

/* Processors that loops of the trace leave alone, if it is not to wait. */
static int
idle_for(const struct ir_trace *t, double seconds) {
  int idle = fe.processors - threads_of(t);
  if (fe.opt.tiers == OPT_tiers_never || is_narrow()) return 0;
  if (fe.opt.tiers == OPT_tiers_always) return idle > 0 ? idle : 1;
  if (fe.report || *fe.opt.sanitize) return 0; /* it is to be looked at */
  return idle > 0 && seconds <= MOST ? idle : 0;
}

uint32_t
fe_tiers_beside(struct ir_trace *t) {
  if (!fe.opt.optimise || fe.opt.debug == OPT_debug_lines) return 0;
  double seconds = ir_cost_quick(t);
  int idle = idle_for(t, seconds);
  if (idle)
    ir_remark(t,
              "tiers: regions without code get some that is not optimised, by "
              "which a run takes about %.3g ms; %d thread%s beside optimise it",
              1e3 * seconds, idle, idle > 1 ? "s" : "");
  return (uint32_t)idle;
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
