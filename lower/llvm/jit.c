/* From a region to a function in memory, by MCJIT. One context, module and
 * engine each, so that regions are compiled on several threads and freed alone;
 * the engine owns the module.
 *
 * Code that is not optimised (OP2_OPTIMISE=0) is the region as it was built,
 * one element after another, through LLVM's fast selection of instructions: 3
 * to 7 ms a region of Airfoil in place of 26 to 70, and a step takes 6 to 14
 * times as long (Airfoil, multigrid, Euler; a Xeon, two threads). Float sums
 * and functions of libm are those of blocks, so that the bits are the same. */
#include "base/log.h"
#include "lower/llvm/code.h"
#include "lower/llvm/ll.h"
#include "lower/llvm/object.h"

#include <assert.h>
#include <llvm-c/ExecutionEngine.h>
#include <stdlib.h>
#include <string.h>

struct low_jit {
  LLVMContextRef ctx;
  LLVMExecutionEngineRef engine;
  struct low_keeper *keeper;
  rt_region_fn fn;
};

static void
low_jit_free(void *memory) {
  struct low_jit *j = memory;
  if (j->engine) LLVMDisposeExecutionEngine(j->engine);
  if (j->keeper) low_keeper_free(j->keeper);
  if (j->ctx) LLVMContextDispose(j->ctx);
  free(j);
}

/* MCJIT reports unresolved symbols only when asked, and hands out an address
 * all the same. */
static status
low_address(struct low_jit *j) {
  assert(j->engine);
  LL_TEXT why = NULL;
  uint64_t at = LLVMGetFunctionAddress(j->engine, LOW_ENTRY);
  if (LLVMExecutionEngineGetErrMsg(j->engine, &why) || !at)
    FAIL(ERR_COMPILE, "code is not complete: %s", why ? why : "no address");
  j->fn = (rt_region_fn)(uintptr_t)at;
  return OK;
}

static void
low_object_take(void *user, const char *bytes, size_t n) {
  str_addn(user, bytes, n);
}

/* TAKE m. */
static status
low_engine(LLVMModuleRef m, bool quick, struct low_jit *j, struct str *object) {
  struct LLVMMCJITCompilerOptions o;
  LLVMInitializeMCJITCompilerOptions(&o, sizeof o);
  o.OptLevel = quick ? 0 : 3;
  o.EnableFastISel = quick;
  LL_TEXT why = NULL;
  if (LLVMCreateMCJITCompilerForModule(&j->engine, m, &o, sizeof o, &why)) {
    j->engine = NULL;
    LLVMDisposeModule(m);
    FAIL(ERR_COMPILE, "no compiler: %s", why);
  }
  j->keeper = low_keeper_new(j->engine, low_object_take, object);
  return low_address(j);
}

/* Is there still a loop over lanes, i.e. did it not become a vector? */
static bool
low_has_lane_loop(LLVMModuleRef m, LLVMContextRef ctx) {
  LLVMValueRef mark;
  LLVMGetNamedMetadataOperands(m, LOW_LANE_LOOP, &mark);
  unsigned kind = LLVMGetMDKindIDInContext(ctx, "llvm.loop", 9);
  LL_BLOCKS(b, low_blocks_find(m))
    if (LLVMGetMetadata(LLVMGetBasicBlockTerminator(b), kind) == mark)
      return true;
  return false;
}

static status
low_module_try(const struct low_region *r, const struct low_target *t,
               enum low_form form, LLVMContextRef ctx, LLVMModuleRef *out,
               bool *large_out) {
  TRY(low_region_build(r, t, form != LOW_ONE_BY_ONE, ctx, out, large_out));
  status s = *large_out ? OK : low_target_vectorise(t, form, *out);
  if (s != OK) LLVMDisposeModule(*out);
  return s;
}

/* Behind the optimiser, which ended with s; TAKE m if it failed. */
static status
low_module_finish(const struct low_region *r, const struct low_target *t,
                  status s, LLVMModuleRef m) {
  if (s != OK) {
    LLVMDisposeModule(m);
    return s;
  }
  low_math_show(m);
  if (r->vector_math) low_vector_math(t, m);
  return OK;
}

/* In blocks if that vectorises: of *lanes elements. */
static status
low_module_fast(const struct low_region *r, const struct low_target *t,
                LLVMContextRef ctx, LLVMModuleRef *out, uint32_t *lanes) {
  bool large = false;
  enum low_form form = LOW_IN_BLOCKS;
  TRY(low_module_try(r, t, form, ctx, out, &large));
  while (low_blocks_find(*out) && low_has_lane_loop(*out, ctx)) {
    form++;
    LOG_DEBUG("%s does not vectorise%s", r->name,
              form == LOW_ONE_BY_ONE ? ""
              : form == LOW_IN_BLOCKS_ALL
                  ? ": once more, with all loops unrolled"
                  : ": once more, with longer loops unrolled");
    LLVMDisposeModule(*out);
    TRY(low_module_try(r, t, form, ctx, out, &large));
  }
  if (low_blocks_find(*out)) *lanes = r->width;
  if (large) LOG_DEBUG("%s is much code: its kernels are called", r->name);
  status s = large ? low_target_lean(t, *out) : low_target_optimise(t, *out);
  return low_module_finish(r, t, s, *out);
}

/* One element after another. */
static status
low_module_scalar(const struct low_region *r, const struct low_target *t,
                  LLVMContextRef ctx, LLVMModuleRef *out) {
  bool large = false;
  TRY(low_region_build(r, t, false, ctx, out, &large));
  status s = r->quick ? OK : low_target_simplify(t, *out);
  return low_module_finish(r, t, s, *out);
}

/* The region's module, ready for the code generator. */
static status
low_module_make(const struct low_region *r, const struct low_target *t,
                LLVMContextRef ctx, LLVMModuleRef *out, uint32_t *lanes) {
  *lanes = 1;
  if (!r->quick && low_sanitize_vectors(r->sanitize))
    TRY(low_module_fast(r, t, ctx, out, lanes));
  else
    TRY(low_module_scalar(r, t, ctx, out));
  status s = low_target_sanitize(t, r->sanitize, *out);
  if (s != OK) LLVMDisposeModule(*out);
  return s;
}

static status
low_jit_in(const struct low_region *r, const struct low_target *t,
           struct low_jit *j, struct str *object, uint32_t *lanes) {
  LLVMModuleRef m;
  TRY(low_module_make(r, t, j->ctx, &m, lanes));
  return low_engine(m, r->quick, j, object);
}

status
low_jit_compile(const struct low_region *r, struct low_code *out,
                struct str *object) {
  assert(r->ncalls && !out->fn);
  struct low_target target;
  TRY(low_target_init(&target, NULL, NULL));
  LLVMLinkInMCJIT();
  struct low_jit *j = mem_alloc(1, sizeof *j);
  j->ctx = LLVMContextCreate();
  ll_errors_catch(j->ctx);
  uint32_t lanes;
  status s = low_jit_in(r, &target, j, object, &lanes);
  low_target_clear(&target);
  if (s != OK)
    low_jit_free(j);
  else
    *out = (struct low_code){j->fn, lanes, j, low_jit_free};
  return s;
}

static status
low_print(const struct low_target *t, LLVMModuleRef m, struct str *out) {
  (void)t;
  LL_TEXT text = LLVMPrintModuleToString(m);
  str_add(out, text);
  return OK;
}

/* The region's module as text of some kind. */
static status
low_text(const struct low_region *r, const char *cpu, const char *features,
         status (*print)(const struct low_target *, LLVMModuleRef,
                         struct str *),
         struct str *out) {
  struct low_target target;
  LLVMModuleRef m;
  uint32_t lanes;
  TRY(low_target_init(&target, cpu, features));
  LLVMContextRef ctx = LLVMContextCreate();
  ll_errors_catch(ctx);
  status s = low_module_make(r, &target, ctx, &m, &lanes);
  if (s == OK) {
    s = print(&target, m, out);
    LLVMDisposeModule(m);
  }
  LLVMContextDispose(ctx);
  low_target_clear(&target);
  return s;
}

status
low_jit_assembly(const struct low_region *r, const char *cpu,
                 const char *features, struct str *out) {
  return low_text(r, cpu, features, low_target_assembly, out);
}

status
low_jit_ir(const struct low_region *r, struct str *out) {
  return low_text(r, NULL, NULL, low_print, out);
}
