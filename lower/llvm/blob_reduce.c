/* A module becomes the kernels alone.
 *
 * Problem. A blob should hold the kernels and what they call, and nothing that
 * ties it to the program around: neither definitions of the program's variables
 * (there must be one of each, and the program has it) nor the options that the
 * host's object file is compiled with.
 *
 * Idea. Everything but the kernels becomes internal and LLVM's own dead-code
 * pass drops what they don't reach. A mutable global becomes a declaration: the
 * table ties its name to its address. One that was internal gets a name that is
 * unique in the program, because blobs of several files meet in one region:
 *
 *     static double gam = 1.4;           @gam.op2.9f3c = external global double
 *     static const double rk[2] = {...}; @rk = internal constant [2 x double]
 *
 * A constant whose value is in another file counts as mutable: it has no value
 * here. A second name (alias) becomes what it names. Of a weak function the
 * linker may take another file's definition: who calls it calls a declaration,
 * and ours stands beside it under a name of its own.
 *
 *     @eos = external ...    @eos.op2.own = ...
 *
 * cost: one pass over the module.
 */
#include "lower/llvm/bitcode.h"

#include "lower/kernel.h"
#include "lower/llvm/ll.h"
#include "lower/llvm/object.h"

#include <assert.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <string.h>

/* Attributes that belong to the host's object file: how to optimise, protect
 * and instrument it. */
static const char *const reduce_attributes[] = {
#define ATTRIBUTE(text) text,
#include "lower/llvm/attributes.def"
#undef ATTRIBUTE
    "sanitize_memtag",         "safestack",
    "shadowcallstack",         "patchable-function",
    "zero-call-used-regs",     "instrument-function-entry-inlined",
    "function-instrument",     "instrument-function-entry",
    "instrument-function-exit"};

/* Tables that would keep dead functions alive, or run things. */
static const char *const reduce_tables[] = {
    "llvm.used", "llvm.compiler.used", "llvm.global_ctors", "llvm.global_dtors",
    "llvm.global.annotations"};

bool
low_blob_replaceable(LLVMValueRef g) {
  LLVMLinkage l = LLVMGetLinkage(g);
  return l == LLVMWeakAnyLinkage || l == LLVMLinkOnceAnyLinkage;
}

/* Is it a global that a kernel may see change (or whose value is elsewhere)? */
static bool
blob_mutable(LLVMValueRef g) {
  return !LLVMIsGlobalConstant(g) || LLVMIsDeclaration(g) ||
         low_blob_replaceable(g);
}

/* Does the type end with an array of open length? Types nest a few levels. */
static bool
reduce_open_ended(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind == LLVMArrayTypeKind) return LLVMGetArrayLength2(type) == 0;
  if (kind != LLVMStructTypeKind) return false;
  unsigned n = LLVMCountStructElementTypes(type);
  return n && reduce_open_ended(LLVMStructGetTypeAtIndex(type, n - 1));
}

uint64_t
low_blob_sizeof(LLVMModuleRef m, LLVMValueRef global) {
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  if (!LLVMTypeIsSized(type)) return 0;
  if (LLVMIsDeclaration(global) && reduce_open_ended(type)) return 0;
  return LLVMABISizeOfType(LLVMGetModuleDataLayout(m), type);
}

static bool
reduce_local(LLVMValueRef g) {
  LLVMLinkage l = LLVMGetLinkage(g);
  return l == LLVMInternalLinkage || l == LLVMPrivateLinkage;
}

static bool
reduce_reserved(const char *name) {
  return !strncmp(name, "llvm.", 5);
}

static void
reduce_global(LLVMValueRef g, const char *suffix) {
  assert(suffix);
  const char *name = ll_name(g);
  if (reduce_reserved(name)) return;
  LLVMSetSection(g, "");
  LLVMSetComdat(g, NULL);
  if (!blob_mutable(g)) {
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetVisibility(g, LLVMDefaultVisibility);
    return;
  }
  if (reduce_local(g)) {
    struct str unique = STR_INIT;
    str_printf(&unique, "%s" LOW_STATIC "%s", name, suffix);
    LLVMSetValueName2(g, unique.s, unique.len);
    str_clear(&unique);
  }
  if (!LLVMIsDeclaration(g)) LLVMSetInitializer(g, NULL);
  if (LLVMGetLinkage(g) != LLVMExternalWeakLinkage) /* it may be NULL */
    LLVMSetLinkage(g, LLVMExternalLinkage);
  LLVMSetVisibility(g, LLVMDefaultVisibility);
}

/* All uses of a definition become those of a declaration, which takes its name.
 * */
static void
reduce_declare(LLVMModuleRef m, LLVMValueRef g) {
  LLVMTypeRef type = LLVMGlobalGetValueType(g);
  SCOPED_STR name = STR_INIT, own = STR_INIT;
  str_add(&name, ll_name(g));
  str_printf(&own, "%s" LOW_BLOB_OWN, name.s);
  LLVMSetValueName2(g, own.s, own.len);
  LLVMValueRef v = LLVMGetTypeKind(type) == LLVMFunctionTypeKind
                       ? LLVMAddFunction(m, name.s, type)
                       : LLVMAddGlobal(m, type, name.s);
  LLVMReplaceAllUsesWith(g, v);
}

/* Uses of aliases go; what is left of them is dead. */
static void
reduce_aliases(LLVMModuleRef m) {
  for (LLVMValueRef a = LLVMGetFirstGlobalAlias(m); a;
       a = LLVMGetNextGlobalAlias(a)) {
    if (low_blob_replaceable(a))
      reduce_declare(m, a);
    else
      LLVMReplaceAllUsesWith(a, LLVMAliasGetAliasee(a));
    LLVMSetLinkage(a, LLVMInternalLinkage);
  }
  for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(m); i;
       i = LLVMGetNextGlobalIFunc(i))
    LLVMSetLinkage(i, LLVMInternalLinkage);
}

static bool
reduce_kept(const char *name, const char *const *keep, uint32_t nkeep) {
  for (uint32_t i = 0; i < nkeep; i++)
    if (!strcmp(name, keep[i])) return true;
  return false;
}

static void
reduce_function(LLVMValueRef fn, bool kept) {
  for (size_t i = 0; i < sizeof reduce_attributes / sizeof *reduce_attributes;
       i++)
    ll_attr_remove(fn, reduce_attributes[i]);
  if (LLVMIsDeclaration(fn)) return;
  LLVMSetSection(fn, "");
  LLVMSetComdat(fn, NULL);
  LLVMSetVisibility(fn, LLVMDefaultVisibility);
  LLVMSetLinkage(fn, kept ? LLVMExternalLinkage : LLVMInternalLinkage);
}

/* Coverage and profile counters are put in by the front end. */
static void
reduce_instrumentation(LLVMModuleRef m) {
  for (LLVMValueRef f = LLVMGetFirstFunction(m), next; f; f = next) {
    next = LLVMGetNextFunction(f);
    if (strncmp(ll_name(f), "llvm.instrprof.", 15)) continue;
    LLVMUseRef u;
    while ((u = LLVMGetFirstUse(f)))
      LLVMInstructionEraseFromParent(LLVMGetUser(u));
  }
}

static void
reduce_tables_drop(LLVMModuleRef m) {
  for (size_t i = 0; i < sizeof reduce_tables / sizeof *reduce_tables; i++) {
    LLVMValueRef g = LLVMGetNamedGlobal(m, reduce_tables[i]);
    if (g) LLVMDeleteGlobal(g);
  }
}

status
low_blob_drop_dead(LLVMModuleRef m) {
  return ll_run_passes(m, "globaldce,strip-dead-prototypes", NULL, false);
}

status
low_blob_reduce(LLVMModuleRef m, const char *const *keep, uint32_t nkeep,
                const char *suffix, bool lines) {
  assert(suffix && (keep || !nkeep));
  reduce_tables_drop(m);
  reduce_instrumentation(m);
  if (lines)
    low_lines_only(m);
  else
    LLVMStripModuleDebugInfo(m);
  LLVMSetModuleInlineAsm2(m, "", 0);
  reduce_aliases(m);
  for (LLVMValueRef f = LLVMGetFirstFunction(m), next; f; f = next) {
    next = LLVMGetNextFunction(f);
    bool kept = reduce_kept(ll_name(f), keep, nkeep);
    if (!LLVMIsDeclaration(f) && low_blob_replaceable(f)) reduce_declare(m, f);
    reduce_function(f, kept);
  }
  LL_GLOBALS(g, m) reduce_global(g, suffix);
  return low_blob_drop_dead(m);
}
