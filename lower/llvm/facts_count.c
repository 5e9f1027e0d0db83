/* Operations of one call of a kernel: by which it is weighed what is computed
 * again (passes/inline.c), or moved (passes/stretch.c). Reports compare those
 * of floating point with what the machine can do.
 *
 * Counted on the clean copy, where loops of constant length are spelt out. All
 * branches count as taken; a loop that is left counts once, which `loops` says.
 * Conversions and signs are free, and so are integers that only say where
 * something lies, or how often a loop has run. */
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

/* Is all that is made of an integer places in memory, and turns of a loop? */
static bool
count_places(LLVMValueRef i, int deep) {
  enum { DEEP = 8 };
  LL_USES(u, i) {
    LLVMValueRef user = LLVMGetUser(u);
    if (!LLVMIsAInstruction(user)) return false;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMGetElementPtr:
    case LLVMPHI:
    case LLVMICmp: continue;
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMOr:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
      if (deep < DEEP && count_places(user, deep + 1)) continue;
      return false;
    default: return false;
    }
  }
  return true;
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
  static const char *const integers[] = {"smin",  "smax",  "umin", "umax",
                                         "abs",   "ctpop", "ctlz", "cttz",
                                         "bswap", "fshl",  "fshr", NULL};
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
  else if (count_is(name, integers))
    k->others += n;
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
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMLShr:
  case LLVMAShr:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
    if (!count_places(i, 0)) k->others += count_lanes(i);
    break;
  case LLVMSelect: /* and its comparison */
    if (!count_places(i, 0)) k->others += 2 * count_lanes(i);
    break;
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
  k->flops = k->slow = k->calls = k->divides = k->others = 0;
  LL_ALL_INSTS(i, f->fn) count_inst(i, k);
  k->loops = count_loops(f);
}
