/* What LLVM's C API lacks for flags of instructions; in C++. */
#ifndef LOWER_LL_FLAGS_H
#define LOWER_LL_FLAGS_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The instruction, which can have fast-math flags, has none. */
void ll_flags_clear(LLVMValueRef i);

#ifdef __cplusplus
}
#endif
#endif
