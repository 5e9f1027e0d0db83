/* Floating-point operations of one call of a kernel: what reports compare with
 * what the machine can do, and by which it is weighed what is computed again
 * (passes/inline.c), or moved (passes/stretch.c).
 *
 * Counted on the clean copy, where loops of constant length are spelt out. All
 * branches count as taken; a loop that is left counts once, which `loops` says.
 * Comparisons, conversions and signs are free. */
#include "lower/llvm/bitcode.h"
#include "lower/llvm/facts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint32_t
count_lanes(LLVMValueRef i) {
  LLVMTypeRef t = LLVMTypeOf(i);
  return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
}

/* "sqrt" of "llvm.sqrt.f64", "sqrtf" and "sqrt": does the name say this? */
static bool
count_names(const char *name, const char *what) {
  size_t n = strlen(what);
  const char *at = strncmp(name, "llvm.", 5) ? name : name + 5;
  if (strncmp(at, what, n)) return false;
  return !at[n] || at[n] == '.' || !strcmp(at + n, "f");
}

static bool
count_is(const char *name, const char *const *list) {
  while (*list && !count_names(name, *list)) list++;
  return *list != NULL;
}

static void
count_call(LLVMValueRef i, struct low_kernel *k) {
  static const char *const twice[] = {"fma", "fmuladd", NULL};
  static const char *const roots[] = {"sqrt", NULL};
  static const char *const once[] = {"minnum", "maxnum", "minimum", "maximum",
                                     "fmin",   "fmax",   NULL};
  static const char *const functions[] = {"exp",  "exp2",  "exp10", "log",
                                          "log2", "log10", "pow",   "powi",
                                          "sin",  "cos",   "tan",   NULL};
  LLVMValueRef callee = LLVMGetCalledValue(i);
  const char *name = ll_name(callee);
  uint32_t n = count_lanes(i);
  if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee)) return;
  if (count_is(name, twice))
    k->flops += 2 * n;
  else if (count_is(name, roots))
    k->slow += n;
  else if (count_is(name, once))
    k->flops += n;
  else if (count_is(name, functions) ||
           (strncmp(name, "llvm.", 5) && low_math_is_pure(name) &&
            !count_names(name, "fabs")))
    k->calls += n;
}

static void
count_inst(LLVMValueRef i, struct low_kernel *k) {
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul: k->flops += count_lanes(i); break;
  case LLVMFDiv:
  case LLVMFRem: k->slow += count_lanes(i); break;
  case LLVMSDiv:
  case LLVMUDiv:
  case LLVMSRem:
  case LLVMURem: k->divides += count_lanes(i); break;
  case LLVMCall: count_call(i, k); break;
  default: break;
  }
}

/* Does a block lead back to one that stands before it, or to itself? */
static bool
count_loops(const struct facts *f) {
  struct table seen = {0};
  bool loops = false;
  LL_BLOCKS(b, f->fn) {
    *table_slot(&seen, &b, sizeof b) = 1;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(b);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(t); k++) {
      LLVMBasicBlockRef to = LLVMGetSuccessor(t, k);
      loops |= table_get(&seen, &to, sizeof to, 0) != 0;
    }
  }
  table_clear(&seen);
  return loops;
}

void
fact_count(const struct facts *f, struct low_kernel *k) {
  assert(!LLVMIsDeclaration(f->fn));
  k->flops = k->slow = k->calls = k->divides = 0;
  LL_ALL_INSTS(i, f->fn) count_inst(i, k);
  k->loops = count_loops(f);
}
