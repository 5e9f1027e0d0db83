/* Arrays on the stack have room for a vector behind their end.
 *
 * Problem. Kernels loop over components as far as an argument or a variable
 * says. The array that holds them for an element is small, the vectors that
 * LLVM makes of such a loop are not:
 *
 *     int slot[3]
 *     if (n < 8)  for c < n:  slot[c] += ...
 *     else        <8 x int> at slot += ...            never with this array
 *     memory = slot[0]
 *
 * For LLVM 19 an access that is larger than its object meets nothing (BasicAA),
 * and a search for what a load sees goes on with the largest size that was
 * asked for at its address (MemoryDependenceResults): so GVN took slot[0] for
 * what it was before the loop. Wrong sums on any target that has vectors.
 *
 * Idea. Each array is longer than it need be by the largest vector. Nobody goes
 * there; arrays whose places are known become registers as before.
 *
 * Limits  arrays of kernels that are called, and not part of a region, are what
 *         the compiler of the program makes of them. */
#include "lower/llvm/code.h"
#include "lower/llvm/ll.h"

#include <llvm-c/Target.h>

enum { LARGEST_VECTOR = 64 };

static void
pad(LLVMBuilderRef b, LLVMTargetDataRef layout, LLVMValueRef array) {
  LLVMTypeRef type = LLVMGetAllocatedType(array);
  uint64_t bytes = LLVMABISizeOfType(layout, type) + LARGEST_VECTOR;
  LLVMTypeRef i8 = LLVMInt8TypeInContext(LLVMGetTypeContext(type));
  LLVMPositionBuilderBefore(b, array);
  LLVMValueRef more =
      LLVMBuildAlloca(b, LLVMArrayType2(i8, bytes), LLVMGetValueName(array));
  LLVMSetAlignment(more, LLVMGetAlignment(array));
  LLVMReplaceAllUsesWith(array, more);
  LLVMInstructionEraseFromParent(array);
}

void
low_arrays_pad(LLVMModuleRef m) {
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(m);
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
  LL_FUNCTIONS(f, m) {
    if (LLVMIsDeclaration(f)) continue;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f);
    for (LLVMValueRef v = LLVMGetFirstInstruction(entry), next; v; v = next) {
      next = LLVMGetNextInstruction(v);
      if (LLVMIsAAllocaInst(v) &&
          LLVMGetTypeKind(LLVMGetAllocatedType(v)) == LLVMArrayTypeKind)
        pad(b, layout, v);
    }
  }
  LLVMDisposeBuilder(b);
}
