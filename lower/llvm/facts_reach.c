/* How far a kernel goes from what its parameters point to.
 *
 * Problem. Each parameter leads to one element, of so many bytes as the loop
 * says. A kernel that touches what lies beyond (a component too many, an entry
 * that the map has not) reads or spoils something that is not the program's:
 * arguments are staged in private copies.
 *
 * Idea. Accesses at constant offsets say how far, whatever the loop: the first
 * and the last byte of all of them. Those that every call comes to are kept
 * apart, since a kernel for several shapes may well ask for its own first. A
 * call comes to a block if the function's end cannot be reached without it.
 *
 * limits: offsets that are not constants, and what LLVM found to be dead, are
 * not looked at.
 * cost: a search through the blocks for each access that goes farther than
 * those before */
#include "lower/llvm/facts.h"

#include <assert.h>
#include <llvm-c/Core.h>
#include <stdlib.h>

struct reach_search {
  LLVMBasicBlockRef *open;
  uint32_t nopen, capopen;
  struct table seen; /* block -> 1 */
};

static void
reach_open(struct reach_search *s, LLVMBasicBlockRef b) {
  uintptr_t *seen = table_slot(&s->seen, &b, sizeof b);
  if (*seen) return;
  *seen = 1;
  VEC_PUSH(s->open, s->nopen, s->capopen, b);
}

/* Does every call that returns come to the instruction? */
static bool
reach_always(const struct facts *f, LLVMValueRef inst) {
  LLVMBasicBlockRef without = LLVMGetInstructionParent(inst);
  struct reach_search s = {0};
  bool always = true;
  assert(without);
  *table_slot(&s.seen, &without, sizeof without) = 1;
  reach_open(&s, LLVMGetEntryBasicBlock(f->fn));
  while (s.nopen && always) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(s.open[--s.nopen]);
    unsigned n = LLVMGetNumSuccessors(end);
    always = LLVMGetInstructionOpcode(end) != LLVMRet;
    for (unsigned k = 0; k < n; k++) reach_open(&s, LLVMGetSuccessor(end, k));
  }
  free(s.open);
  table_clear(&s.seen);
  return always;
}

static bool
reach_inside(const struct low_reach *s, const struct low_reach *x) {
  return x->from >= s->from && x->to <= s->to && x->entries <= s->entries;
}

static void
reach_join(struct low_reach *s, const struct low_reach *x) {
  if (x->from < s->from) s->from = x->from;
  if (x->to > s->to) s->to = x->to;
  if (x->entries > s->entries) s->entries = x->entries;
}

/* Offsets below zero are constants; others if `known` says so. */
static bool
reach_constant(const struct fact_access *x) {
  return x->size && x->size < INT32_MAX && (x->known || x->offset < 0);
}

void
fact_reach(const struct facts *f, uint32_t param, struct low_param *p) {
  assert(param < LLVMCountParams(f->fn));
  for (uint32_t a = 0; a < f->naccesses; a++) {
    const struct fact_access *x = &f->accesses[a];
    const struct fact_object *o = &f->objects[x->object];
    if (o->param != param || !reach_constant(x)) continue;
    if (p->indirect && o->entry == FACT_SELF) continue;
    struct low_reach span = {x->offset, x->offset + (int64_t)x->size,
                             o->entry >= 0 ? o->entry + 1 : 0};
    reach_join(&p->some, &span);
    if (!reach_inside(&p->each, &span) && reach_always(f, x->inst))
      reach_join(&p->each, &span);
  }
}
