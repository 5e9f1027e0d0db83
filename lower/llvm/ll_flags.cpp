// Fast-math flags off: LLVM's C API only ever adds some.
#include "lower/llvm/ll_flags.h"

#include <llvm/IR/Operator.h>

void
ll_flags_clear(LLVMValueRef i) {
  llvm::unwrap<llvm::Instruction>(i)->copyFastMathFlags(llvm::FastMathFlags());
}
