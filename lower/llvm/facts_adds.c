/* As which types is a parameter only added to?
 *
 * Problem. OP_INC is executed by giving each element (or thread) a zero to add
 * to and adding that up later. That is right only if the kernel would do the
 * same to any other start value, and if what it adds are numbers of the type
 * that is added up later. OP2's own Jacobi declares OP_INC for this:
 *
 *     *u_sum += *du;  *max = MAX(*max, *du);            adds only: u_sum
 *     *u += x;        *sum += (*u) * (*u);            not u: its value is used
 *
 * Idea. Say a value "carries" location l if it is (what l held at the start)
 * + (something independent of it). By induction over the run:
 *   - a load of l carries l, if all stores to l stored carriers of l;
 *   - c + x, c - x, fma(x, y, c), and c widened and narrowed back carry l, if c
 *     does and x, y carry nothing;
 *   - a phi or select of carriers of l carries l;
 * and nothing else may use a carrier but a store to l. Then the start value
 * reaches nothing but its own sum, whatever the control flow is.
 *
 * cost: O(uses). limits: addition through memcpy, vectors taken apart,
 * x - (y - c).
 */
#include "lower/llvm/facts_carry.h"

#include <assert.h>
#include <llvm-c/Core.h>
#include <string.h>

static bool
adds_is_fma(LLVMValueRef call) {
  assert(LLVMIsACallInst(call));
  const char *name = carry_callee(call);
  return !strncmp(name, "llvm.fmuladd.", 13) || !strncmp(name, "llvm.fma.", 9);
}

static bool
adds_only_operand(LLVMValueRef i, LLVMValueRef v, unsigned at) {
  assert(at < (unsigned)LLVMGetNumOperands(i));
  int n = LLVMGetNumOperands(i);
  for (int k = 0; k < n; k++)
    if ((LLVMGetOperand(i, (unsigned)k) == v) != ((unsigned)k == at))
      return false;
  return true;
}

static bool
adds_use(struct carry *w, LLVMValueRef i, LLVMValueRef v,
         const struct fact_access *loc) {
  LLVMTypeRef to = carry_component(LLVMTypeOf(i));
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMStore: return carry_stores(w, i, loc);
  case LLVMFAdd:
  case LLVMAdd:
  case LLVMFreeze: return carry_mark(w, i, loc);
  case LLVMFSub:
  case LLVMSub: return adds_only_operand(i, v, 0) && carry_mark(w, i, loc);
  case LLVMCall:
    return adds_is_fma(i) && adds_only_operand(i, v, 2) &&
           carry_mark(w, i, loc);
  case LLVMPHI: return loc->known && carry_mark(w, i, loc);
  case LLVMSelect: return LLVMGetOperand(i, 0) != v && carry_mark(w, i, loc);
  case LLVMFPExt:
  case LLVMSExt:
  case LLVMZExt:
    return carry_component(LLVMTypeOf(v)) == w->type && carry_mark(w, i, loc);
  case LLVMFPTrunc:
  case LLVMTrunc: return to == w->type && carry_mark(w, i, loc);
  default: return false;
  }
}

/* A sum needs one carrier, a choice nothing but carriers. */
static bool
adds_check(const struct carry *w, LLVMValueRef v) {
  LLVMOpcode op = LLVMGetInstructionOpcode(v);
  bool sum = op == LLVMFAdd || op == LLVMAdd;
  bool choice = op == LLVMPHI || op == LLVMSelect;
  if (!sum && !choice) return true;
  unsigned first = op == LLVMSelect, n = (unsigned)LLVMGetNumOperands(v);
  unsigned found = 0;
  for (unsigned k = first; k < n; k++)
    found += carry_location(w, LLVMGetOperand(v, k)) != NULL;
  return found == (sum ? 1 : n - first);
}

static bool
adds_prove(struct carry *w) {
  const struct facts *f = w->f;
  if (!carry_spread(w, adds_use)) return false;
  for (uint32_t c = 0; c < w->ncarriers; c++)
    if (!adds_check(w, w->carriers[c])) return false;
  for (uint32_t a = 0; a < f->naccesses; a++) {
    const struct fact_access *x = &f->accesses[a];
    if (carry_mine(w, x) && x->writes &&
        !carry_location(w, LLVMGetOperand(x->inst, 0)))
      return false; /* where it is one, adds_use has compared the places */
  }
  return true;
}

uint32_t
fact_adds_as(const struct facts *f, uint32_t param) {
  assert(param < LLVMCountParams(f->fn));
  struct carry w = {.f = f, .param = param};
  uint32_t types = adds_prove(&w) ? carry_types(&w, "FIU") : 0;
  carry_clear(&w);
  return types;
}
