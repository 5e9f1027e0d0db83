/* Runs: which sums and extremes stay in registers from one element to the next.
 *
 * Problem   ir/hold_run.c: elements that follow each other add to the same
 *           target, and each waits for what the one before it has stored.
 *
 * Idea      Where it may be, and `least` elements or more name the same target
 *           on average, it is: with shorter runs the comparisons, and what the
 *           processor guesses wrong of them, cost more than they save. So they
 *           do where elements have much else to do: what is added to a dat must
 *           be a `share`th of all components that the region works on, or more;
 *           what is added to all dats, where elements run one by one (next), as
 *           one comparison is for all then.
 *           What such a region reads through the same entry, and does not
 *           write, is loaded once for a run (kept), where there is little to
 *           compute: at most `light` additions for each component that comes
 *           through maps. Then vectors gain less than it takes to put them
 *           together, and blocks run their elements one after another; they are
 *           a line of elements, for which they ask once (ahead.c).
 *
 * Example   `hold add %f.1` becomes `hold run %f.1`, and `hold copy %u.0`
 *           `hold kept %u.0`; `runs{least=1,share=0}` does the first wherever
 *           it may be, for tests, `runs{light=0}` leaves out the second.
 *
 * Cost      O(arguments) for each version that is added to.
 *
 * Measured  a Zen 4, medians of 5 to 9 interleaved rounds, with and without,
 *           one thread (two): Chebyshev on edges (runs of 6) 1.35 in caches,
 *           1.26 (1.28) with 1.9 million nodes; multigrid on triangles (runs of
 *           2 and 3) 1.21, and 1.16 (1.08) with a million; Jacobi 1.0. Euler's
 *           limits and fluxes, of 76 and 63 components, 10 of them added, would
 *           be 0.96 to 1.0 times as fast; shallow water and Airfoil, with runs
 *           of 1 element, 0.85 and 0.96. Reads kept, a Zen 5, medians of 7:
 *           multigrid 1.06 (1.05), Chebyshev 1.03 (1.05); blocks of 4 in place
 *           of 8 1.02 and 0.99 of what vectors took. Euler's gradients with
 *           extremes (63 components; 20 extremes along runs of 6, 30 sums in
 *           memory) 1.22 in caches, a step 1.05 (1.05): LLVM finds vectors
 *           over components, 110 instructions an edge where lanes take 140. By
 *           hand the same loop, its sums in registers, is 1.4 times as fast
 *           once more; sums of 30 components in registers here, as fast.
 *
 * Limits    one entry of a map: where edges are sorted by both ends the second
 *           one's runs are short anyway. */
#include "ir/cost.h"
#include "ir/walk.h"
#include "passes/pass.h"

#include <assert.h>

enum { LEAST = 2, SHARE = 4, LIGHT = 2, TOGETHER = 32 };
enum { UNKNOWN = 1000 }; /* work of a kernel that nobody counted */

/* Are the region's kernels so little to do that vectors gain less than it takes
 * to put them together? */
static bool
is_light(const struct ir_trace *t, ir_ref r, long light) {
  const struct ir_region *g = &t->regions[r];
  struct ir_components x = ir_components_of(t, r);
  uint64_t work = 0;
  for (ir_ref n = g->first; n < g->first + g->count; n++) {
    const struct ir_node *node = &t->nodes[n];
    if (node->op != IR_LOOP || ir_deferred(node)) continue;
    uint32_t own = t->kernels[node->kernel].work;
    work += own ? own - 1 : UNKNOWN;
  }
  return work <= (uint64_t)light * (x.all - x.own);
}

/* Do so many elements one after another name a target? */
static bool
is_long(struct ir_run run, const struct pass_ctx *c) {
  assert(run.components <= IR_RUN_MOST);
  return run.length && (long)run.length >= pass_arg(c, "least", LEAST);
}

/* Is version k of the region's holds the first that is added to its dat? */
static bool
is_first(const struct ir_trace *t, const struct ir_region *g, uint32_t k) {
  assert(k >= g->hold0 && k < g->hold0 + g->nholds);
  ir_ref root = ir_root(t, t->values[t->holds[k].value].dat);
  for (uint32_t j = g->hold0; j < k; j++)
    if (t->holds[j].how == IR_HOLD_ADD &&
        ir_root(t, t->values[t->holds[j].value].dat) == root)
      return false;
  return true;
}

/* Components of all that might be added along runs. */
static uint64_t
together(const struct ir_trace *t, ir_ref r, const struct pass_ctx *c) {
  const struct ir_region *g = &t->regions[r];
  uint64_t sum = 0;
  assert(g->hold0 + g->nholds <= t->nholds);
  for (uint32_t k = g->hold0; k < g->hold0 + g->nholds; k++) {
    const struct ir_operand_hold *o = &t->holds[k];
    if (o->how != IR_HOLD_ADD || !is_first(t, g, k)) continue;
    struct ir_run run = ir_may_run(t, r, o->value);
    if (is_long(run, c)) sum += run.components;
  }
  return sum;
}

/* Is it worth it to add so many components along runs? */
static bool
pays(const struct ir_trace *t, ir_ref r, uint64_t components,
     const struct pass_ctx *c) {
  long share = pass_arg(c, "share", SHARE);
  return share <= 0 ||
         ir_components_of(t, r).all <= (uint64_t)share * components;
}

/* What is read along the runs stays, too. */
static bool
keep_reads(struct ir_trace *t, ir_ref r) {
  const struct ir_region *g = &t->regions[r];
  bool any = false;
  for (uint32_t k = g->hold0; k < g->hold0 + g->nholds; k++) {
    struct ir_operand_hold *o = &t->holds[k];
    if (o->how != IR_HOLD_COPY || !ir_may_keep(t, r, o->value)) continue;
    o->how = IR_HOLD_KEPT;
    any = true;
    ir_remark(t, "runs: %s is read once for a run; elements run one by one",
              pass_value_text(t, o->value));
  }
  return any;
}

/* Blocks are no vectors then: of a line of the widest component, for which they
 * ask once. */
static void
fill_lines(struct ir_trace *t, ir_ref r, const struct pass_ctx *c) {
  enum { LINE = 64 };
  uint32_t size = (uint32_t)ir_widest_component(t, r, c->overlaps);
  struct ir_region *g = &t->regions[r];
  assert(g->width && size);
  while (g->width * size < LINE && g->width < IR_WIDTH_MAX) g->width *= 2;
}

static bool
runs_region(struct ir_trace *t, ir_ref r, const struct pass_ctx *c) {
  const struct ir_region *g = &t->regions[r];
  uint64_t sum = together(t, r, c);
  if (!sum) return false;
  long most = pass_arg(c, "light", LIGHT);
  bool any = false, light = most > 0 && is_light(t, r, most);
  /* where elements run one by one they turn once for all dats */
  bool all = light && sum <= TOGETHER && pays(t, r, sum, c);
  for (uint32_t k = g->hold0; k < g->hold0 + g->nholds; k++) {
    struct ir_operand_hold *o = &t->holds[k];
    if (o->how != IR_HOLD_ADD) continue;
    struct ir_run run = ir_may_run(t, r, o->value);
    if (!is_long(run, c) || !(all || pays(t, r, run.components, c))) continue;
    o->how = IR_HOLD_RUN;
    any = true;
    ir_remark(t,
              "runs: %s in the region of %s stays in a register while elements "
              "name the same target: %u on average",
              pass_value_text(t, o->value), pass_node_text(t, g->first),
              run.length);
  }
  if (any && light && keep_reads(t, r)) fill_lines(t, r, c);
  return any;
}

bool
pass_runs(struct ir_trace *t, const struct pass_ctx *c) {
  bool changed = false;
  for (ir_ref r = 0; r < t->nregions; r++) changed |= runs_region(t, r, c);
  return changed;
}
