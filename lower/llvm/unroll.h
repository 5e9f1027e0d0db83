/* Loops of kernels that stand in the way of vectors over elements; in C++. */
#ifndef LOWER_LLVM_UNROLL_H
#define LOWER_LLVM_UNROLL_H

#include <llvm-c/Types.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ask LLVM to unroll all loops within the loop of `function` that `mark`
 * names, if each has a constant length and they are at most so many
 * instructions then. False: nothing was asked. */
bool ll_unroll_within(LLVMValueRef function, LLVMValueRef mark, unsigned most);

#ifdef __cplusplus
}
#endif
#endif
