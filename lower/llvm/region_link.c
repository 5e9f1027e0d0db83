/* Bring a region's kernels into its module.
 *
 * Each instance (a kernel with the values of its constants) is opened for
 * itself (kernel_open.c), so that two versions of one kernel with different
 * constants can stand side by side.
 *
 * A folded constant becomes an internal constant of its bytes, which LLVM
 * computes with. One that changes became a parameter: an internal variable,
 * which the wrapper refreshes at each call. */
#include "lower/device_form.h"
#include "lower/llvm/bitcode.h"
#include "lower/llvm/code.h"
#include "lower/llvm/ll.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Variables that are none of the kernel's constants: which these are was seen
 * in simplified code (facts_access.c), which doesn't mention the others at all.
 * So no result depends on them, but they have to be something. */
static void
low_unmentioned_set(LLVMModuleRef m) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g)) {
    LLVMTypeRef type = LLVMGlobalGetValueType(g);
    if (!LLVMIsDeclaration(g) || !LLVMTypeIsSized(type)) continue;
    LLVMSetInitializer(g, LLVMConstNull(type));
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetVisibility(g, LLVMDefaultVisibility);
    LLVMSetValueName2(g, "", 0);
  }
}

/* Give the constants their values; consts[i] is the variable of a bound one. */
static void
low_consts_set(LLVMModuleRef m, const struct low_instance *in,
               LLVMValueRef *consts) {
  const struct low_kernel *k = in->kernel;
  for (uint32_t c = 0; c < k->nconsts; c++) {
    LLVMValueRef g = LLVMGetNamedGlobal(m, k->consts[c].name);
    if (!g) continue;
    const void *bytes = in->folded ? in->folded[c] : NULL;
    LLVMValueRef v = low_const_replace(m, g, &k->consts[c], bytes);
    if (!bytes) consts[c] = v;
  }
  low_unmentioned_set(m);
}

/* Parse an instance and give it its constants. v: kernel, constants. */
static status
low_prepare(const struct low_instance *in, bool lines,
            const struct low_target *t, LLVMContextRef ctx, LLVMValueRef *v,
            LLVMModuleRef *out) {
  LLVMModuleRef m;
  TRY(low_kernel_open(in->kernel, lines, ctx, &m, v));
  LLVMSetTarget(m, t->triple);
  LLVMSetDataLayout(m, t->layout);
  if (!in->kernel->effects) low_math_without_errno(m);
  low_kernel_align(m);
  status s = low_kernel_settle(t, m, v[0]);
  if (s != OK) {
    LLVMDisposeModule(m);
    return s;
  }
  low_consts_set(m, in, v + 1);
  if (!in->kernel->effects) low_absent_replace(m, v[0]);
  *out = m;
  return OK;
}

static uint64_t
low_count(LLVMValueRef fn) {
  uint64_t n = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b;
       b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
         i = LLVMGetNextInstruction(i))
      n++;
  return n;
}

/* Would the region be more code than LLVM's passes work off in a second or so?
 * All functions of the kernels, and each kernel once more for each call. */
static bool
low_link_is_large(const struct low_region *r, LLVMModuleRef m,
                  LLVMValueRef *fns) {
  uint64_t n = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
    n += low_count(f);
  for (uint32_t k = 0; k < r->ncalls; k++)
    if (fns[r->calls[k].instance]) n += low_count(fns[r->calls[k].instance]);
  return n > LOW_INLINE_INSTRUCTIONS ||
         low_region_spelt(r) > LOW_SPELT_COMPONENTS;
}

static void
low_inline_always(const struct low_target *t, LLVMModuleRef m, bool large) {
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f;
       f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f)) continue;
    low_target_adopt(t, f);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    ll_attr(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
            large ? "noinline" : "alwaysinline", 0);
  }
}

/* v: kernel and constants as they are in m. */
static status
low_link_one(const struct low_instance *in, bool lines,
             const struct low_target *t, LLVMModuleRef m, LLVMValueRef *v) {
  LLVMModuleRef k = NULL;
  TRY(low_prepare(in, lines, t, LLVMGetModuleContext(m), v, &k));
  status s = low_link(m, k, v, in->kernel->nconsts + 1);
  return s == OK ? OK : err_prefix(s, "kernel %s: ", in->kernel->name);
}

/* Functions that generated code exports have their names for themselves. */
static status
low_entries_free(LLVMModuleRef m) {
  static const char *const names[] = {LOW_ENTRY, LOW_COLOUR, LOW_STAGE,
                                      LOW_COMBINE};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (LLVMGetNamedFunction(m, names[k]) || LLVMGetNamedGlobal(m, names[k]))
      FAIL(ERR_COMPILE, "a kernel mentions `%s`, a name of generated code",
           names[k]);
  return OK;
}

status
low_link_kernels(const struct low_region *r, const struct low_target *t,
                 LLVMModuleRef m, LLVMValueRef *fns,
                 LLVMValueRef *const *consts, bool *large_out) {
  LLVMSetTarget(m, t->triple);
  LLVMSetDataLayout(m, t->layout);
  for (uint32_t k = 0; k < r->ninstances; k++) {
    if (!r->instances[k].kernel->bitcode) continue; /* called as it is */
    uint32_t n = r->instances[k].kernel->nconsts;
    LLVMValueRef *v = mem_alloc(n + 1, sizeof *v);
    status s = low_link_one(&r->instances[k], r->lines, t, m, v);
    fns[k] = v[0];
    if (n) memcpy(consts[k], v + 1, n * sizeof *v);
    free(v);
    TRY(s);
  }
  bool large = large_out && low_link_is_large(r, m, fns);
  if (large_out) *large_out = large;
  low_inline_always(t, m, large);
  return low_entries_free(m);
}
