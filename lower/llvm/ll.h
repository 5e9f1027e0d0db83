/* Small helpers over LLVM's C API, so that builders read as what they build. */
#ifndef LOWER_LL_H
#define LOWER_LL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/types.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

/* All functions and variables of a module, blocks of a function, instructions
 * of a block and of a function, uses of a value; what is visited stays. */
#define LL_VISIT(type, x, first, next) for (type x = first; x; x = next(x))
#define LL_FUNCTIONS(f, m)                                                     \
  LL_VISIT(LLVMValueRef, f, LLVMGetFirstFunction(m), LLVMGetNextFunction)
#define LL_GLOBALS(g, m)                                                       \
  LL_VISIT(LLVMValueRef, g, LLVMGetFirstGlobal(m), LLVMGetNextGlobal)
#define LL_BLOCKS(b, fn)                                                       \
  LL_VISIT(LLVMBasicBlockRef, b, LLVMGetFirstBasicBlock(fn),                   \
           LLVMGetNextBasicBlock)
#define LL_INSTS(i, b)                                                         \
  LL_VISIT(LLVMValueRef, i, LLVMGetFirstInstruction(b), LLVMGetNextInstruction)
#define LL_ALL_INSTS(i, fn)                                                    \
  LL_BLOCKS(i##_b, fn)                                                         \
    LL_INSTS(i, i##_b)
#define LL_USES(u, v)                                                          \
  LL_VISIT(LLVMUseRef, u, LLVMGetFirstUse(v), LLVMGetNextUse)

/* Collect diagnostics of this context instead of LLVM's print-and-exit;
 * ll_error_take gives the last error's text ("" if none). One at a time. */
void ll_errors_catch(LLVMContextRef ctx);
const char *ll_error_text(void);

/* A text of LLVM's that is given back where its scope ends. */
#define LL_TEXT SCOPED_BY(ll_text_drop) char *
void ll_text_drop(char *const *text);
/* What the buffer holds, behind `out`; TAKE b. */
void ll_buffer_add(LLVMMemoryBufferRef b, struct str *out);

static inline const char *
ll_name(LLVMValueRef v) {
  size_t len;
  return LLVMGetValueName2(v, &len);
}

/* LLVM type of one component; user types are byte arrays. */
LLVMTypeRef ll_type(LLVMContextRef ctx, struct type t);
LLVMValueRef ll_i64(LLVMContextRef ctx, int64_t v);
/* Identity of an access as a constant of type t. */
LLVMValueRef ll_identity(LLVMContextRef ctx, struct type t, enum access acc);

/* Run LLVM's passes in its own notation; `machine` may be NULL, `slp`: look for
 * vectors in straight code, too. ERR_COMPILE with LLVM's message. */
status ll_run_passes(LLVMModuleRef m, const char *passes,
                     LLVMTargetMachineRef machine, bool slp);

/* Attributes; index LL_OF_FUNCTION or 1 + parameter. */
#define LL_OF_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)
void ll_attr(LLVMValueRef fn, LLVMAttributeIndex index, const char *name,
             uint64_t value);
void ll_attr_text(LLVMValueRef fn, const char *key, const char *value);
void ll_attr_remove(LLVMValueRef fn, const char *name);

/* for (i = lo; i < hi; i++): begin leaves the builder in the loop's body, end
 * closes it with loop metadata `md` (NULL: none) and leaves it after
 * the loop. */
struct ll_loop {
  LLVMBasicBlockRef head, exit;
  LLVMValueRef i, hi, step;
};
struct ll_loop ll_loop_begin(LLVMBuilderRef b, LLVMValueRef lo, LLVMValueRef hi,
                             const char *name);
/* The same for (i = lo; i < hi; i += step), step > 0 of lo's type. */
struct ll_loop ll_loop_begin_step(LLVMBuilderRef b, LLVMValueRef lo,
                                  LLVMValueRef hi, LLVMValueRef step,
                                  const char *name);
void ll_loop_end(LLVMBuilderRef b, struct ll_loop *l, LLVMValueRef md);

/* if (condition): ll_if leaves the builder in the branch, ll_endif behind it.
 */
LLVMBasicBlockRef ll_if(LLVMBuilderRef b, LLVMValueRef condition);
void ll_endif(LLVMBuilderRef b, LLVMBasicBlockRef after);

/* An alloca in the entry block of the builder's function. */
LLVMValueRef ll_entry_alloca(LLVMBuilderRef b, LLVMTypeRef type, uint64_t n,
                             unsigned align, const char *name);

/* Ask for the cache line `ahead` bytes behind p, which may lie anywhere. */
void ll_prefetch(LLVMBuilderRef b, LLVMValueRef p, int64_t ahead);
/* Ask for the line at p, to store to it. */
void ll_prefetch_store(LLVMBuilderRef b, LLVMValueRef p);

/* Loop metadata, distinct nodes: `parallel` for loops whose iterations are
 * independent and become vectors of `width`, `scalar` for those that must stay,
 * `kept` for those that are not unrolled either. */
struct ll_marks {
  LLVMValueRef parallel, scalar, kept;
};
status ll_marks_make(LLVMContextRef ctx, uint32_t width, struct ll_marks *out);

#endif
