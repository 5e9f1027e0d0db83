/* Debug locations of a region's functions, for debuggers and profilers.
 *
 * Problem. A kernel that is inlined brings its lines, but what they are inlined
 * into has none: LLVM then drops the kernel's, and nothing names the region.
 *
 * Idea. The region is a file of its own to the debugger, its functions are
 * called as the region is, and what stands in them is at the line of the
 * op_par_loop that it belongs to:
 *
 *   #0  flux () at flux.c:12                    the kernel, inlined
 *   #1  region flux+update () at airfoil.c:158  the region, at the loop's call
 *
 * Variables are not described: most are in vectors or nowhere. Code is the same
 * as without. */
#include "lower/llvm/object.h"
#include "lower/llvm/region_emit.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

static LLVMMetadataRef
lines_file(struct low_emit *em, const struct low_call *c) {
  const char *file = c->file ? c->file : "";
  return LLVMDIBuilderCreateFile(em->lines, file, strlen(file), "", 0);
}

void
low_lines_begin(struct low_emit *em) {
  static const char flag[] = "Debug Info Version";
  if (!em->r->lines) return;
  assert(!em->lines && em->r->ncalls);
  LLVMMetadataRef version = LLVMValueAsMetadata(LLVMConstInt(
      LLVMInt32TypeInContext(em->ctx), LLVMDebugMetadataVersion(), 0));
  if (!LLVMGetModuleFlag(em->m, flag, sizeof flag - 1))
    LLVMAddModuleFlag(em->m, LLVMModuleFlagBehaviorWarning, flag,
                      sizeof flag - 1, version);
  em->lines = LLVMCreateDIBuilder(em->m);
  low_lines_unit(em->lines, lines_file(em, &em->r->calls[0]));
}

void
low_lines_call(struct low_emit *em, uint32_t call) {
  if (!em->lines) return;
  const struct low_call *c = &em->r->calls[call];
  assert(em->scope && call < em->r->ncalls);
  LLVMMetadataRef scope = LLVMDIBuilderCreateLexicalBlockFile(
      em->lines, em->scope, lines_file(em, c), 0);
  LLVMSetCurrentDebugLocation2(
      em->b, LLVMDIBuilderCreateDebugLocation(em->ctx, (unsigned)c->line, 0,
                                              scope, NULL));
}

void
low_lines_function(struct low_emit *em, LLVMValueRef fn) {
  if (!em->lines) return;
  const struct low_call *first = &em->r->calls[0];
  SCOPED_STR name = STR_INIT;
  str_printf(&name, "region %s", em->r->name);
  LLVMMetadataRef file = lines_file(em, first);
  LLVMMetadataRef type =
      LLVMDIBuilderCreateSubroutineType(em->lines, file, NULL, 0, 0);
  em->scope =
      LLVMDIBuilderCreateFunction(em->lines, file, name.s, name.len, "", 0,
                                  file, (unsigned)first->line, type, 1, 1,
                                  (unsigned)first->line, LLVMDIFlagZero, 1);
  LLVMSetSubprogram(fn, em->scope);
  low_lines_call(em, 0);
}

/* Kernels that are called, not inlined, have their names. */
static void
lines_names(struct low_emit *em) {
  SCOPED_STR name = STR_INIT;
  for (uint32_t k = 0; k < em->r->ninstances; k++) {
    if (!em->fns[k] || *ll_name(em->fns[k])) continue;
    str_reset(&name);
    str_printf(&name, "op2.%s", em->r->instances[k].kernel->name);
    LLVMSetValueName2(em->fns[k], name.s, name.len);
  }
}

void
low_lines_end(struct low_emit *em) {
  if (!em->lines) return;
  lines_names(em);
  LLVMDIBuilderFinalize(em->lines);
  LLVMDisposeDIBuilder(em->lines);
  em->lines = NULL;
}
