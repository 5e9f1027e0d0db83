/* C++, because MCJIT hands object files to a subclass of a C++ class, and named
 * metadata can be removed in C++ only. */
#include "lower/llvm/object.h"

#include <llvm/ExecutionEngine/ExecutionEngine.h>
#include <llvm/ExecutionEngine/ObjectCache.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>

struct low_keeper final : llvm::ObjectCache {
  void (*take)(void *, const char *, size_t);
  void *user;

  low_keeper(void (*t)(void *, const char *, size_t), void *u)
      : take(t), user(u) {
  }
  void notifyObjectCompiled(const llvm::Module *,
                            llvm::MemoryBufferRef object) override {
    take(user, object.getBufferStart(), object.getBufferSize());
  }
  std::unique_ptr<llvm::MemoryBuffer> getObject(const llvm::Module *) override {
    return nullptr; // what is on disk, the library loads without LLVM
  }
};

struct low_keeper *
low_keeper_new(LLVMExecutionEngineRef engine,
               void (*take)(void *, const char *, size_t), void *user) {
  auto *k = new low_keeper(take, user);
  llvm::unwrap(engine)->setObjectCache(k);
  return k;
}

void
low_keeper_free(struct low_keeper *k) {
  delete k;
}

void
low_lines_unit(LLVMDIBuilderRef to, LLVMMetadataRef file) {
  using llvm::DICompileUnit;
  llvm::unwrap(to)->createCompileUnit(
      llvm::dwarf::DW_LANG_C, llvm::unwrap<llvm::DIFile>(file), "op2lazy", true,
      "", 0, "", DICompileUnit::DebugEmissionKind::FullDebug, 0, true, false,
      DICompileUnit::DebugNameTableKind::None);
}

void
low_lines_only(LLVMModuleRef m) {
  llvm::stripNonLineTableDebugInfo(*llvm::unwrap(m));
}

void
low_metadata_drop(LLVMModuleRef m, const char *name) {
  if (llvm::NamedMDNode *n = llvm::unwrap(m)->getNamedMetadata(name))
    llvm::unwrap(m)->eraseNamedMetadata(n);
}
