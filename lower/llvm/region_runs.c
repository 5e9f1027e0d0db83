/* Runs: sums of one target, from one element to the next (hold run).
 *
 * Problem. A block adds its lanes to memory one after the other. Where many
 * name the same target each has to wait until what the one before it stored can
 * be loaded again: 8 cycles for an edge that takes 2 otherwise.
 *
 * Idea. What goes through one entry of the map lies in a copy, which becomes
 * registers, while the target stays the same:
 *
 *   target = none
 *   for each block
 *     lanes, kernels
 *     for l in [0, width)
 *       if (map[e+l][0] != target)                 seldom
 *         if (target != none) f[target] = sum
 *         target = map[e+l][0], sum = f[target]
 *       sum += lane l of entry 0
 *       f[map[e+l][1]] += lane l of entry 1       not the target: hold_run.c
 *   if (target != none) f[target] = sum
 *
 * The target turns before anything of the lane is added, since what other
 * entries name may be the one before.
 *
 * Cost  a comparison for each element and dat. */
#include "lower/llvm/region_emit.h"

#include <assert.h>

int32_t
low_run_slot(const struct low_region *r, int32_t bind) {
  for (uint32_t k = 0; k < r->nslots; k++)
    if (r->slots[k].run && r->slots[k].store == bind) return (int32_t)k;
  return -1;
}

/* Is slot k what its bind's run goes by? */
static bool
leads(const struct low_emit *em, uint32_t k) {
  const struct low_slot *s = &em->r->slots[k];
  return s->run && low_run_slot(em->r, s->store) == (int32_t)k;
}

void
low_runs_begin(struct low_emit *em) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (!leads(em, k)) continue;
    em->run_target[k] = ll_entry_alloca(em->b, i64, 1, 8, "target");
    em->run_sum[k] =
        ll_entry_alloca(em->b, ll_type(em->ctx, s->type), s->dim, 64, "run");
    LLVMBuildStore(em->b, ll_i64(em->ctx, -1), em->run_target[k]);
  }
}

/* What was summed up goes to the target, if there is one. */
static void
put_back(struct low_emit *em, uint32_t k, LLVMValueRef target) {
  const struct low_slot *s = &em->r->slots[k];
  LLVMValueRef some =
      LLVMBuildICmp(em->b, LLVMIntSGE, target, ll_i64(em->ctx, 0), "some");
  LLVMBasicBlockRef after = ll_if(em->b, some);
  low_chunks_copy(em, s, low_at_bind(em, s->store, target),
                  low_at_home(em->run_sum[k]));
  ll_endif(em->b, after);
}

void
low_run_turn(struct low_emit *em, uint32_t k, uint32_t lane) {
  const struct low_slot *s = &em->r->slots[k];
  assert(leads(em, k) && em->run_target[k]);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  struct low_at to = low_at_dat_lane(em, s, s->store, lane);
  LLVMValueRef target = LLVMBuildLoad2(em->b, i64, em->run_target[k], "target");
  LLVMBasicBlockRef after =
      ll_if(em->b, LLVMBuildICmp(em->b, LLVMIntNE, to.e, target, "turns"));
  put_back(em, k, target);
  low_chunks_copy(em, s, low_at_home(em->run_sum[k]), to);
  LLVMBuildStore(em->b, to.e, em->run_target[k]);
  ll_endif(em->b, after);
}

void
low_runs_end(struct low_emit *em) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  for (uint32_t k = 0; k < em->r->nslots; k++)
    if (leads(em, k))
      put_back(em, k, LLVMBuildLoad2(em->b, i64, em->run_target[k], "target"));
}
