/* Runs: sums of one target, from one element to the next (hold run).
 *
 * Problem. A block adds its lanes to memory one after the other. Where many
 * name the same target each has to wait until what the one before it stored can
 * be loaded again: 8 cycles for an edge that takes 2 otherwise.
 *
 * Idea. What goes through one entry of the map lies in a copy, which becomes
 * registers, while the target stays the same:
 *
 *   target = map[first][0], sum = f[target]      there is a first element
 *   for each block
 *     lanes, kernels
 *     for l in [0, width)
 *       if (map[e+l][0] != target)                 seldom
 *         f[target] = sum
 *         target = map[e+l][0], sum = f[target]
 *       sum += lane l of entry 0
 *       f[map[e+l][1]] += lane l of entry 1       not the target: hold_run.c
 *   f[target] = sum
 *
 * The target turns before anything of the lane is added, since what other
 * entries name may be the one before.
 *
 * What is read through the entry is loaded then, too, where the region has such
 * (hold kept), and there are no lanes: the block's elements run one by one,
 * turning once for all that goes by the same entry. Per edge of a graph whose
 * nodes have one value that is 12 instructions, in vectors of four 17.
 *
 * Cost  a comparison for each element and dat, or map. */
#include "lower/llvm/region_emit.h"

#include <assert.h>

int32_t
low_run_slot(const struct low_region *r, int32_t bind) {
  for (uint32_t k = 0; k < r->nslots; k++)
    if (r->slots[k].run && r->slots[k].store == bind) return (int32_t)k;
  return -1;
}

bool
low_region_keeps(const struct low_region *r) {
  for (uint32_t k = 0; k < r->nslots; k++)
    if (r->slots[k].run && r->slots[k].kind == LOW_SLOT_DAT) return true;
  return false;
}

/* Do both lead to the same element? */
static bool
one_path(const struct low_slot *a, const struct low_slot *b) {
  return a->map == b->map && a->entry == b->entry;
}

/* Do both turn at once? In lanes dats are added one after another. */
static bool
turn_alike(const struct low_region *r, const struct low_slot *a,
           const struct low_slot *b) {
  return low_region_keeps(r) ? one_path(a, b) : a->store == b->store;
}

/* Is slot k what those alike go by? */
static bool
leads(const struct low_emit *em, uint32_t k) {
  const struct low_slot *s = em->r->slots;
  if (!s[k].run) return false;
  for (uint32_t j = 0; j < k; j++)
    if (s[j].run && turn_alike(em->r, &s[j], &s[k])) return false;
  return true;
}

/* The first slot of the run that has the same element of the same dat. */
static uint32_t
keeper(const struct low_emit *em, uint32_t k) {
  const struct low_slot *s = em->r->slots;
  uint32_t j = 0;
  assert(s[k].run);
  while (!s[j].run || s[j].load != s[k].load || s[j].store != s[k].store ||
         !one_path(&s[j], &s[k]))
    j++;
  return j;
}

struct low_at
low_run_at(struct low_emit *em, uint32_t k) {
  return low_at_home(em->run_sum[keeper(em, k)]);
}

/* What the new target has. */
static void
take_out(struct low_emit *em, uint32_t lead, LLVMValueRef target) {
  const struct low_slot *s = em->r->slots;
  for (uint32_t k = lead; k < em->r->nslots; k++) {
    if (!s[k].run || keeper(em, k) != k || !turn_alike(em->r, &s[k], &s[lead]))
      continue;
    int32_t bind = s[k].store >= 0 ? s[k].store : s[k].load;
    low_chunks_copy(em, &s[k], low_run_at(em, k),
                    low_at_bind(em, bind, target));
  }
}

/* Whom slot k leads to, of a lane. */
static LLVMValueRef
target_of(struct low_emit *em, uint32_t k, uint32_t lane) {
  const struct low_slot *s = &em->r->slots[k];
  return low_at_dat_lane(em, s, s->store >= 0 ? s->store : s->load, lane).e;
}

void
low_runs_begin(struct low_emit *em) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (!s->run) continue;
    if (keeper(em, k) == k)
      em->run_sum[k] =
          ll_entry_alloca(em->b, ll_type(em->ctx, s->type), s->dim, 64, "run");
    if (leads(em, k))
      em->run_target[k] = ll_entry_alloca(em->b, i64, 1, 8, "target");
  }
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    if (!leads(em, k)) continue;
    LLVMValueRef first = target_of(em, k, 0);
    LLVMBuildStore(em->b, first, em->run_target[k]);
    take_out(em, k, first);
  }
}

/* What was summed up goes to the target. */
static void
put_back(struct low_emit *em, uint32_t lead, LLVMValueRef target) {
  const struct low_slot *s = em->r->slots;
  for (uint32_t k = lead; k < em->r->nslots; k++)
    if (s[k].run && s[k].store >= 0 && keeper(em, k) == k &&
        turn_alike(em->r, &s[k], &s[lead]))
      low_chunks_copy(em, &s[k], low_at_bind(em, s[k].store, target),
                      low_run_at(em, k));
}

void
low_run_turn(struct low_emit *em, uint32_t lead, uint32_t lane) {
  assert(leads(em, lead) && em->run_target[lead]);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  LLVMValueRef to = target_of(em, lead, lane);
  LLVMValueRef target =
      LLVMBuildLoad2(em->b, i64, em->run_target[lead], "target");
  LLVMBasicBlockRef after =
      ll_if(em->b, LLVMBuildICmp(em->b, LLVMIntNE, to, target, "turns"));
  put_back(em, lead, target);
  take_out(em, lead, to);
  LLVMBuildStore(em->b, to, em->run_target[lead]);
  ll_endif(em->b, after);
}

void
low_runs_turn(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++)
    if (leads(em, k)) low_run_turn(em, k, 0);
}

void
low_runs_end(struct low_emit *em) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  for (uint32_t k = 0; k < em->r->nslots; k++)
    if (leads(em, k))
      put_back(em, k, LLVMBuildLoad2(em->b, i64, em->run_target[k], "target"));
}
