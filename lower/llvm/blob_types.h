/* Types of a kernel's parameters, as its source has them. */
#ifndef LOWER_LLVM_BLOB_TYPES_H
#define LOWER_LLVM_BLOB_TYPES_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For each parameter OP2's name of what it points to, with "*" behind it for T
 * **; "" where there is none. Nothing is said of a function without debug
 * information. */
void low_param_types(LLVMValueRef function,
                     void (*take)(void *user, const char *type), void *user);

#ifdef __cplusplus
}
#endif
#endif
