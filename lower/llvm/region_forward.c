/* Pointers of rows of any length, computed where they are used.
 *
 * Problem. A kernel that takes T ** for a row of any length gets an array of
 * pointers (region_entries.c), which a loop fills before the call:
 *
 *     for i < n:  vector[i] = dat + row[i] * size
 *     for i < n:  sum += *vector[i] ...                  the kernel, inlined
 *
 * LLVM sees no values through arrays at places that are not known; so a product
 * of a matrix and a vector writes and reads two pointers for each number.
 *
 * Idea. What the loop stores is a function of i alone, made of arithmetic and
 * tables that nobody writes. Each load of vector[k] becomes that function of k:
 * a copy of the loop's instructions, with k for i. Then the array is only
 * written, and LLVM drops it and its loop.
 *
 * Cost  O(uses). An index is loaded where a pointer was.
 * Limits  arrays on the stack, with one store, in a loop of one block; kernels
 * that write to their array, or hand it on, keep it. */
#include "lower/llvm/region_emit.h"

#include <assert.h>

/* Instructions that lead from i to a pointer at most. */
enum { FORWARD_DEPTH = 16, FORWARD_LOADS = 256 };

/* An array, the one store that fills it, and what is loaded from it. */
struct forward {
  LLVMValueRef array, store,
      i; /* i: the loop's, which is the place stored to */
  LLVMValueRef loads[FORWARD_LOADS], places[FORWARD_LOADS];
  uint32_t n;
};

static bool
is_pointer(LLVMTypeRef t) {
  if (LLVMGetTypeKind(t) == LLVMArrayTypeKind) t = LLVMGetElementType(t);
  return LLVMGetTypeKind(t) == LLVMPointerTypeKind;
}

/* One use of array[place]. False: it may be written, or known elsewhere. */
static bool
use_take(struct forward *f, LLVMValueRef place, LLVMValueRef at,
         LLVMValueRef user) {
  if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == at &&
      LLVMGetOperand(user, 0) != at && !f->store) {
    f->store = user;
    f->i = place;
    return true;
  }
  if (!LLVMIsALoadInst(user) || !is_pointer(LLVMTypeOf(user)) ||
      f->n == FORWARD_LOADS)
    return false;
  f->loads[f->n] = user;
  f->places[f->n++] = place;
  return true;
}

static bool
place_take(struct forward *f, LLVMValueRef user) {
  if (!LLVMIsAGetElementPtrInst(user) || LLVMGetNumOperands(user) != 2 ||
      LLVMGetOperand(user, 0) != f->array ||
      LLVMGetTypeKind(LLVMGetGEPSourceElementType(user)) != LLVMPointerTypeKind)
    return false;
  LLVMValueRef place = LLVMGetOperand(user, 1);
  for (LLVMUseRef u = LLVMGetFirstUse(user); u; u = LLVMGetNextUse(u))
    if (!use_take(f, place, user, LLVMGetUser(u))) return false;
  return true;
}

/* Is the block a loop of its own? */
static bool
is_loop(LLVMBasicBlockRef block) {
  LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
  for (unsigned k = 0; k < LLVMGetNumSuccessors(last); k++)
    if (LLVMGetSuccessor(last, k) == block) return true;
  return false;
}

static bool
forward_find(struct forward *f, LLVMValueRef array) {
  *f = (struct forward){.array = array};
  for (LLVMUseRef u = LLVMGetFirstUse(array); u; u = LLVMGetNextUse(u))
    if (!place_take(f, LLVMGetUser(u))) return false;
  return f->store && f->n && LLVMIsAPHINode(f->i) &&
         LLVMGetInstructionParent(f->i) == LLVMGetInstructionParent(f->store) &&
         is_loop(LLVMGetInstructionParent(f->store));
}

/* Memory of the function's own may change. */
static bool
reads_own(LLVMValueRef load) {
  LLVMValueRef at = LLVMGetOperand(load, 0);
  while (LLVMIsAGetElementPtrInst(at)) at = LLVMGetOperand(at, 0);
  return !LLVMIsAArgument(at);
}

static bool
is_plain(LLVMValueRef v) {
  switch (LLVMGetInstructionOpcode(v)) {
  case LLVMLoad: return !LLVMGetVolatile(v) && !reads_own(v);
  case LLVMGetElementPtr:
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMAnd:
  case LLVMUDiv:
  case LLVMURem:
  case LLVMSDiv:
  case LLVMSRem:
  case LLVMAShr:
  case LLVMLShr:
  case LLVMSExt:
  case LLVMZExt:
  case LLVMTrunc: return true;
  default: return false;
  }
}

/* Is v the loop's, and more than i? */
static bool
is_within(const struct forward *f, LLVMValueRef v) {
  return v != f->i && LLVMIsAInstruction(v) &&
         LLVMGetInstructionParent(v) == LLVMGetInstructionParent(f->store);
}

static bool
can_copy(const struct forward *f, LLVMValueRef v, int depth) {
  if (!is_within(f, v)) return true;
  if (depth == FORWARD_DEPTH || !is_plain(v)) return false;
  for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
    if (!can_copy(f, LLVMGetOperand(v, k), depth + 1)) return false;
  return true;
}

/* v with `place` in the place of i, where the builder stands. */
static LLVMValueRef
copy(const struct forward *f, LLVMBuilderRef b, LLVMValueRef v,
     LLVMValueRef place) {
  if (v == f->i) return place;
  if (!is_within(f, v)) return v;
  LLVMValueRef own = LLVMInstructionClone(v);
  for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
    LLVMSetOperand(own, k, copy(f, b, LLVMGetOperand(v, k), place));
  LLVMInsertIntoBuilder(b, own);
  return own;
}

static void
forward_apply(const struct forward *f, LLVMBuilderRef b) {
  LLVMValueRef value = LLVMGetOperand(f->store, 0);
  assert(f->n && LLVMIsAPHINode(f->i));
  if (!can_copy(f, value, 0)) return;
  for (uint32_t k = 0; k < f->n; k++) {
    LLVMPositionBuilderBefore(b, f->loads[k]);
    LLVMValueRef place =
        LLVMBuildIntCast2(b, f->places[k], LLVMTypeOf(f->i), true, "");
    LLVMReplaceAllUsesWith(f->loads[k], copy(f, b, value, place));
  }
}

static void
forward_function(LLVMValueRef fn, LLVMBuilderRef b) {
  struct forward f;
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn);
  for (LLVMValueRef v = LLVMGetFirstInstruction(entry); v;
       v = LLVMGetNextInstruction(v))
    if (LLVMIsAAllocaInst(v) && is_pointer(LLVMGetAllocatedType(v)) &&
        forward_find(&f, v))
      forward_apply(&f, b);
}

void
low_entries_forward(LLVMModuleRef m) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
  for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn;
       fn = LLVMGetNextFunction(fn))
    if (!LLVMIsDeclaration(fn)) forward_function(fn, b);
  LLVMDisposeBuilder(b);
}
