/* What LLVM's C API has no way to: MCJIT's object files, metadata. */
#ifndef LOWER_LLVM_OBJECT_H
#define LOWER_LLVM_OBJECT_H

#include <llvm-c/DebugInfo.h>
#include <llvm-c/ExecutionEngine.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct low_keeper;
/* Note the object file that `engine` makes next; `take` gets its bytes.
 * Outlives the engine. */
struct low_keeper *low_keeper_new(
    LLVMExecutionEngineRef engine,
    void (*take)(void *user, const char *bytes, size_t n), void *user);
void low_keeper_free(struct low_keeper *k);

/* A unit of debug information for functions of `file`, without a table of names
 * (GDB 13 does not relocate those). */
void low_lines_unit(LLVMDIBuilderRef to, LLVMMetadataRef file);

/* Of debug information, lines and functions' names stay. */
void low_lines_only(LLVMModuleRef m);

/* Remove the named metadata of this name, if there are any. */
void low_metadata_drop(LLVMModuleRef m, const char *name);

#ifdef __cplusplus
}
#endif
#endif
