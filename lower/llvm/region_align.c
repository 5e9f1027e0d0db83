/* How aligned memory is, of which kernels are given pointers.
 *
 * Problem. A kernel was compiled for pointers that are aligned as their types
 * ask (64 bytes for a vector of eight doubles). Here they lead to private
 * copies, captured values, constants, or somebody's array.
 *
 * Idea. All of these are aligned to LOW_ALIGN bytes, and no access of a kernel
 * counts on more: what its front end took for granted is lowered. Where LLVM
 * sees the memory itself it finds the true alignment again, and vectors that
 * are not aligned cost nothing on processors of today.
 *
 *     %v = load <8 x double>, ptr %p, align 64    ->  align 16
 *     define void @k(ptr align 64 %p)             ->  ptr %p
 *     call void @llvm.assume(i1 true) ["align"(ptr %p, i64 64)]   goes
 */
#include "lower/llvm/code.h"
#include "lower/llvm/ll.h"

#include <assert.h>
#include <string.h>

static unsigned
align_kind(void) {
  return LLVMGetEnumAttributeKindForName("align", 5);
}

static bool
align_is_access(LLVMValueRef i) {
  return LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) ||
         LLVMIsAAtomicCmpXchgInst(i);
}

/* Alignments of a call's arguments: of memcpy and its kin those they work with.
 * */
static void
align_call(LLVMValueRef call) {
  assert(LLVMIsACallInst(call));
  LLVMContextRef ctx = LLVMGetTypeContext(LLVMTypeOf(call));
  unsigned kind = align_kind(), n = LLVMGetNumArgOperands(call);
  for (LLVMAttributeIndex at = 0; at <= n; at++) {
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, at, kind);
    if (!a || LLVMGetEnumAttributeValue(a) <= LOW_ALIGN) continue;
    LLVMRemoveCallSiteEnumAttribute(call, at, kind);
    LLVMAddCallSiteAttribute(call, at,
                             LLVMCreateEnumAttribute(ctx, kind, LOW_ALIGN));
  }
}

static bool
align_is_assumed(LLVMValueRef call) {
  unsigned id = LLVMLookupIntrinsicID("llvm.assume", 11);
  return LLVMGetIntrinsicID(LLVMGetCalledValue(call)) == id &&
         LLVMGetNumOperandBundles(call) > 0;
}

static void
align_instruction(LLVMValueRef i) {
  if (align_is_access(i) && LLVMGetAlignment(i) > LOW_ALIGN)
    LLVMSetAlignment(i, LOW_ALIGN);
  if (!LLVMIsACallInst(i)) return;
  align_call(i);
  if (align_is_assumed(i)) LLVMInstructionEraseFromParent(i);
}

static void
align_function(LLVMValueRef fn) {
  unsigned kind = align_kind();
  for (LLVMAttributeIndex at = 0; at <= LLVMCountParams(fn); at++)
    LLVMRemoveEnumAttributeAtIndex(fn, at, kind);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b;
       b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
      next = LLVMGetNextInstruction(i);
      align_instruction(i);
    }
}

void
low_kernel_align(LLVMModuleRef m) {
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f)) align_function(f);
}
