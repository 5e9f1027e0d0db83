/* LLVM without memory: the error of a call instead of the end of the process.
 * */
#ifndef LOWER_LLVM_RESCUE_H
#define LOWER_LLVM_RESCUE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "base/err.h"

/* run(args); ERR_MEMORY if there is no memory for what it does, ERR_COMPILE if
 * LLVM gives up. What it had made stays where it is. */
status ll_rescue(status (*run)(void *), void *args);

#ifdef __cplusplus
}
#endif

#endif
