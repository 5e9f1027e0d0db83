/* Late: which blocks' increments wait until the next block's loads are under
 * way.
 *
 * Problem   ir/hold_late.c: a processor sees the end of one block and the begin
 *           of the next, and waits in both.
 *
 * Idea      What an element adds through maps waits in registers for a block,
 *           where it is LEAST components or more and there are registers for
 *           it: the machine's (option `registers`) without the OWN that kernels
 *           work with. Of fewer components blocks are so short that processors
 *           see several of them anyway; of more, they would wait on the stack.
 *           Extremes do not wait (`extremes=1`: they do).
 *
 * Example   `hold add %res.1` becomes `hold late %res.1` where an element adds
 *           4 to 12 components; `late{registers=16}` leaves it as it was,
 *           `late{least=1,most=99,extremes=1}` takes all.
 *
 * Cost      O(arguments * holds) a region.
 *
 * Measured  a Zen 5, one thread (two), medians of 3 interleaved rounds, with
 *           and without: Airfoil (8 components) 1.10 (1.10), with deferred
 *           globals 1.20 (1.18), shallow water (8) 1.11 (1.11), Euler (10 of
 *           one loop of three, blocks of 4) 1.04 (1.03); of that the loops by
 *           themselves 1.19, 1.31, 1.15 and 1.18. A flux of n components that
 *           is added to both ends of edges of a grid: n = 1 0.92, 2 1.0, 3 1.1,
 *           4 1.16, 5 1.07, 6 1.03, 8 0.98, 12 0.97, 16 0.86. Euler's limiters,
 *           10 minima, would be 0.93 times as fast. With 16 registers (the same
 *           processor, no AVX-512) Airfoil would be 1.01, n = 4 0.92, 8 0.8
 *           times as fast. With loads that are a block ahead as well the code
 *           lost a quarter: their lanes are on the stack.
 *
 * Limits    counts components, not what kernels compute. */
#include "ir/hold.h"
#include "ir/walk.h"
#include "passes/pass.h"

enum { REGISTERS = 32, OWN = 20, LEAST = 4 };

/* Components that an element adds to version v, held as add; 0 of extremes,
 * which the pass leaves. */
static uint64_t
added(const struct ir_trace *t, const struct ir_region *g, ir_ref v,
      bool extremes) {
  uint64_t n = 0;
  IR_EACH_ARG(t, g, node, a) {
    if (a->kind != IR_ARG_DAT || !ir_arg_writes(a) || a->out != v) continue;
    if (a->access == ACC_INC || extremes)
      n += (uint64_t)ir_arg_count(a) * t->dats[a->dat].dim;
  }
  return n;
}

/* Of all versions; where `wait`, they are to. */
static uint64_t
added_in_all(struct ir_trace *t, const struct ir_region *g, bool extremes,
             bool wait) {
  uint64_t all = 0;
  for (uint32_t k = g->hold0; k < g->hold0 + g->nholds; k++) {
    struct ir_operand_hold *o = &t->holds[k];
    uint64_t n = o->how == IR_HOLD_ADD ? added(t, g, o->value, extremes) : 0;
    if (n && wait) o->how = IR_HOLD_LATE;
    all += n;
  }
  return all;
}

static bool
late_region(struct ir_trace *t, ir_ref r, const struct pass_ctx *c) {
  const struct ir_region *g = &t->regions[r];
  if (!ir_may_be_late(t, r)) return false;
  long registers = pass_arg(c, "registers", REGISTERS);
  long most = pass_arg(c, "most", registers - OWN);
  bool extremes = pass_arg(c, "extremes", 0);
  long n = (long)added_in_all(t, g, extremes, false);
  if (!n || n < pass_arg(c, "least", LEAST) || n > most) return false;
  added_in_all(t, g, extremes, true);
  ir_remark(t,
            "late: what blocks of %s add, %ld components, waits until the next "
            "block's loads are under way",
            pass_node_text(t, g->first), n);
  return true;
}

bool
pass_late(struct ir_trace *t, const struct pass_ctx *c) {
  bool changed = false;
  for (ir_ref r = 0; r < t->nregions; r++) changed |= late_region(t, r, c);
  return changed;
}
