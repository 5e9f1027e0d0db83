/* A file's bitcode, as the compiler left it, to what op2cc would keep of it: the
 * trace's kernels and all they need, variables of the program being declarations
 * (lower/llvm/blob_reduce.c), so that no value of theirs is taken for granted. */
#include "tools/emit/emit.h"

#include "ir/ir.h"
#include "lower/llvm/bitcode.h"
#include "lower/llvm/ll.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>

static status
reduce(const struct ir_trace *t, LLVMModuleRef m, struct str *bitcode) {
  SCOPED const char **names = mem_alloc(t->nkernels + 1, sizeof *names);
  for (ir_ref k = 0; k < t->nkernels; k++) {
    names[k] = t->kernels[k].name;
    LLVMValueRef fn = LLVMGetNamedFunction(m, names[k]);
    if (!fn || LLVMIsDeclaration(fn))
      FAIL(ERR_COMPILE, "there is no function %s", names[k]);
  }
  TRY(low_blob_reduce(m, names, t->nkernels, "file", false));
  str_reset(bitcode);
  ll_buffer_add(LLVMWriteBitcodeToMemoryBuffer(m), bitcode);
  return OK;
}

status
emit_reduce(const struct ir_trace *t, struct str *bitcode) {
  LLVMContextRef ctx = LLVMContextCreate();
  ll_errors_catch(ctx);
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
      bitcode->s, bitcode->len, "kernels");
  LLVMModuleRef m;
  bool broken = LLVMParseBitcodeInContext2(ctx, buffer, &m);
  LLVMDisposeMemoryBuffer(buffer);
  status s = broken ? err_set(ERR_COMPILE, "%s", ll_error_text())
                    : reduce(t, m, bitcode);
  if (!broken) LLVMDisposeModule(m);
  LLVMContextDispose(ctx);
  return s;
}
