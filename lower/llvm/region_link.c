/* Bring a region's kernels into its module.
 *
 * Each instance (a kernel with the values of its constants) is parsed from its
 * own bitcode, so that two versions of one kernel with different constants can
 * stand side by side. Everything but the kernel becomes internal *before*
 * linking, so that helpers of two files with one name don't meet; the kernel
 * itself gets a name of its own and stays external until it is linked, because
 * the linker drops internal functions that nobody uses yet.
 *
 * A folded constant becomes an internal constant of its bytes, which LLVM
 * computes with. One that changes became a parameter: an internal variable,
 * which the wrapper refreshes at each call. */
#include "lower/llvm/ll.h"
#include "lower/llvm/code.h"

#include <assert.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <string.h>

enum { LOW_NAME = 32 };

static status
low_parse(const struct low_kernel *k, LLVMContextRef ctx, LLVMModuleRef *out) {
  LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRange(
      k->bitcode, k->bitcode_bytes, k->name, 0);
  int failed = LLVMParseBitcodeInContext2(ctx, text, out);
  LLVMDisposeMemoryBuffer(text);
  if (failed)
    FAIL(ERR_COMPILE, "bitcode of kernel %s: %s", k->name, ll_error_text());
  return OK;
}

/* A constant of these bytes instead of global g. */
static LLVMValueRef
low_const_replace(LLVMModuleRef m, LLVMValueRef g, const struct low_const *c,
                  const void *bytes) {
  LLVMContextRef ctx = LLVMGetModuleContext(m);
  LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(ctx), c->size);
  LLVMValueRef v = LLVMAddGlobal(m, type, "");
  LLVMSetInitializer(v, bytes
                            ? LLVMConstStringInContext2(ctx, bytes, c->size, 1)
                            : LLVMConstNull(type));
  LLVMSetGlobalConstant(v, bytes != NULL);
  LLVMSetLinkage(v, LLVMInternalLinkage);
  LLVMSetAlignment(v, 16);
  LLVMReplaceAllUsesWith(g, v);
  LLVMDeleteGlobal(g);
  return v;
}

/* Give the constants their values; consts[i] is the variable of a bound one,
 * named so that it is found again after linking. */
static void
low_consts_set(LLVMModuleRef m, const struct low_instance *in, uint32_t number,
               LLVMValueRef *consts) {
  const struct low_kernel *k = in->kernel;
  for (uint32_t c = 0; c < k->nconsts; c++) {
    LLVMValueRef g = LLVMGetNamedGlobal(m, k->consts[c].name);
    if (!g) continue;
    const void *bytes = in->folded ? in->folded[c] : NULL;
    LLVMValueRef v = low_const_replace(m, g, &k->consts[c], bytes);
    if (bytes) continue;
    char name[LOW_NAME];
    snprintf(name, sizeof name, "c%u.%u", number, c);
    LLVMSetValueName2(v, name, strlen(name));
    LLVMSetLinkage(v, LLVMExternalLinkage);
    consts[c] = v;
  }
}

static void
low_hide(LLVMValueRef v) {
  if (LLVMIsDeclaration(v)) return;
  LLVMSetComdat(v, NULL);
  LLVMSetVisibility(v, LLVMDefaultVisibility);
  LLVMSetLinkage(v, LLVMInternalLinkage);
}

/* Make all definitions internal; drop constructors and lists of kept names. */
static void
low_hide_all(LLVMModuleRef m) {
  LLVMValueRef next;
  for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = next) {
    next = LLVMGetNextGlobal(g);
    if (LLVMGetLinkage(g) == LLVMAppendingLinkage)
      LLVMDeleteGlobal(g);
    else
      low_hide(g);
  }
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
    low_hide(f);
}

/* Parse instance `number` and make it ready for linking. */
static status
low_prepare(const struct low_instance *in, uint32_t number,
            const struct low_target *t, LLVMContextRef ctx,
            LLVMValueRef *consts, LLVMModuleRef *out) {
  const struct low_kernel *k = in->kernel;
  LLVMModuleRef m;
  TRY(low_parse(k, ctx, &m));
  LLVMStripModuleDebugInfo(m);
  LLVMSetTarget(m, t->triple);
  LLVMSetDataLayout(m, t->layout);
  LLVMValueRef fn = LLVMGetNamedFunction(m, k->name);
  if (!fn || LLVMIsDeclaration(fn)) {
    LLVMDisposeModule(m);
    FAIL(ERR_COMPILE, "bitcode of kernel %s does not define it", k->name);
  }
  low_hide_all(m);
  low_consts_set(m, in, number, consts);
  char name[LOW_NAME];
  snprintf(name, sizeof name, "k%u", number);
  LLVMSetValueName2(fn, name, strlen(name));
  LLVMSetLinkage(fn, LLVMExternalLinkage);
  *out = m;
  return OK;
}

/* Variables of bound constants changed their identity in linking. */
static void
low_consts_find(LLVMModuleRef m, const struct low_instance *in, uint32_t number,
                LLVMValueRef *consts) {
  for (uint32_t c = 0; c < in->kernel->nconsts; c++) {
    if (!consts[c]) continue;
    char name[LOW_NAME];
    snprintf(name, sizeof name, "c%u.%u", number, c);
    consts[c] = LLVMGetNamedGlobal(m, name);
    if (consts[c]) LLVMSetLinkage(consts[c], LLVMInternalLinkage);
  }
}

static void
low_inline_always(const struct low_target *t, LLVMModuleRef m) {
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f;
       f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f)) continue;
    low_target_adopt(t, f);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    ll_attr(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "alwaysinline",
            0);
  }
}

static status
low_link_one(const struct low_instance *in, uint32_t number,
             const struct low_target *t, LLVMModuleRef m,
             LLVMValueRef *consts) {
  LLVMModuleRef k = NULL;
  TRY(low_prepare(in, number, t, LLVMGetModuleContext(m), consts, &k));
  if (LLVMLinkModules2(m, k))
    FAIL(ERR_COMPILE, "linking kernel %s: %s", in->kernel->name,
         ll_error_text());
  low_consts_find(m, in, number, consts);
  return OK;
}

status
low_link_kernels(const struct low_region *r, const struct low_target *t,
                 LLVMModuleRef m, LLVMValueRef *fns,
                 LLVMValueRef *const *consts) {
  LLVMSetTarget(m, t->triple);
  LLVMSetDataLayout(m, t->layout);
  for (uint32_t k = 0; k < r->ninstances; k++) {
    if (r->instances[k].address >= 0) continue;
    TRY(low_link_one(&r->instances[k], k, t, m, consts[k]));
    char name[LOW_NAME];
    snprintf(name, sizeof name, "k%u", k);
    fns[k] = LLVMGetNamedFunction(m, name);
    assert(fns[k]);
  }
  low_inline_always(t, m);
  return OK;
}
