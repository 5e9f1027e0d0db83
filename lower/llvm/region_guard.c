/* Red zones around what kernels are given (OP2_SANITIZE=address).
 *
 * Problem. A kernel that goes beyond the dim of an argument finds the next
 * slot, the next element or the rest of the program's array, and the sanitizer
 * nothing wrong. Once the slot is in registers the access is not even there.
 *
 * Idea. Each argument is a private copy, the sanitizer comes before all passes,
 * and puts red zones around what lies on the stack. What is not copied
 * elsewhere is copied here: values and globals that kernels work on where they
 * are, for one call of the region's function,
 *
 *     [lo, hi)   guard <- accumulator; kernels on the guard; accumulator <-
 *                guard
 *
 * and what is too large for the stack has unaddressable bytes behind it in
 * scratch memory (args.c leaves room). The copies are named after the argument,
 * and reports name them.
 *
 * Limits  dats that overlap in memory, and values above LOW_COPIES in all, stay
 *         where
 * they are; kernels without IR are not instrumented. */
#include "lower/llvm/region_emit.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Is each argument a copy with red zones? */
static bool
guards(const struct low_emit *em) {
  return !em->kind && em->r->sanitize == LOW_SANITIZE_address;
}

void
low_guards_find(struct low_emit *em) {
  const struct low_region *r = em->r;
  uint64_t sum = 0;
  bool in_place = !guards(em);
  for (uint32_t k = 0; k < r->ninstances; k++)
    in_place |= r->instances[k].address >= 0;
  for (uint32_t k = 0; k < r->nslots; k++) {
    const struct low_slot *s = &r->slots[k];
    uint64_t bytes = (uint64_t)s->dim * s->type.size;
    em->guarded[k] = !in_place && s->kind == LOW_SLOT_WHOLE &&
                     r->binds[s->load].alone && sum + bytes <= LOW_COPIES;
    if (em->guarded[k]) sum += bytes;
  }
}

/* "argument 2 of res_calc" */
static bool
guard_call_has(const struct low_call *c, uint32_t slot, uint32_t *argument) {
  for (uint32_t a = 0; a < c->nargs; a++)
    for (uint32_t k = 0; k < c->args[a].nslots; k++)
      if (c->args[a].slots[k] == (int32_t)slot) {
        *argument = a;
        return true;
      }
  return false;
}

void
low_guard_name(const struct low_emit *em, uint32_t slot, char *out,
               size_t size) {
  assert(slot < em->r->nslots && size > 0);
  uint32_t a;
  snprintf(out, size, "slot");
  for (uint32_t k = 0; guards(em) && k < em->r->ncalls; k++)
    if (guard_call_has(&em->r->calls[k], slot, &a)) {
      snprintf(out, size, "argument %u of %s", a, em->r->calls[k].name);
      return;
    }
}

/* Mark the bytes behind slots in scratch memory, or clear the mark. */
static void
guard_rooms(struct low_emit *em, const char *name) {
  LLVMTypeRef ptr = LLVMPointerTypeInContext(em->ctx, 0);
  LLVMTypeRef types[] = {ptr, LLVMInt64TypeInContext(em->ctx)};
  LLVMTypeRef type =
      LLVMFunctionType(LLVMVoidTypeInContext(em->ctx), types, 2, 0);
  LLVMValueRef fn = LLVMGetNamedFunction(em->m, name);
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (s->room < 0) continue;
    if (!fn) fn = LLVMAddFunction(em->m, name, type);
    LLVMValueRef end = ll_i64(em->ctx, (int64_t)low_slot_copies(s));
    LLVMValueRef args[] = {LLVMBuildInBoundsGEP2(em->b,
                                                 LLVMInt8TypeInContext(em->ctx),
                                                 em->home[k], &end, 1, ""),
                           ll_i64(em->ctx, LOW_GUARD)};
    LLVMBuildCall2(em->b, type, fn, args, 2, "");
  }
}

void
low_guard_begin(struct low_emit *em) {
  if (guards(em)) guard_rooms(em, "__asan_poison_memory_region");
}

void
low_guard_end(struct low_emit *em) {
  if (!guards(em)) return;
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (em->guarded[k] && em->r->binds[s->load].written)
      low_emit_copy(em, s, low_at_home(em->arg[s->load]),
                    low_at_home(em->home[k]));
  }
  guard_rooms(em, "__asan_unpoison_memory_region");
}
