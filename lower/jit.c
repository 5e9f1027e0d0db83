/* From a region to a function in memory, by MCJIT. One context, module and
 * engine each, so that regions can be freed alone; the engine owns the
 * module. */
#include "base/log.h"
#include "lower/ll.h"
#include "lower/region.h"

#include <llvm-c/ExecutionEngine.h>
#include <string.h>

/* TAKE m. MCJIT reports unresolved symbols only when asked, and hands out an
 * address all the same. */
static status
low_engine(LLVMModuleRef m, struct low_code *c) {
  struct LLVMMCJITCompilerOptions o;
  LLVMInitializeMCJITCompilerOptions(&o, sizeof o);
  o.OptLevel = 3;
  char *why = NULL;
  if (LLVMCreateMCJITCompilerForModule(&c->engine, m, &o, sizeof o, &why)) {
    c->engine = NULL;
    LLVMDisposeModule(m);
    status s = err_set(ERR_COMPILE, "no compiler: %s", why);
    LLVMDisposeMessage(why);
    return s;
  }
  uint64_t at = LLVMGetFunctionAddress(c->engine, "op2_region");
  if (LLVMExecutionEngineGetErrMsg(c->engine, &why) || !at) {
    status s = err_set(ERR_COMPILE, "code is not complete: %s",
                       why ? why : "no address");
    LLVMDisposeMessage(why);
    return s;
  }
  c->fn = (rt_region_fn)(uintptr_t)at;
  return OK;
}

/* Is there still a loop over lanes, i.e. did it not become a vector? */
static bool
low_has_lane_loop(LLVMModuleRef m, LLVMContextRef ctx) {
  LLVMValueRef mark;
  LLVMGetNamedMetadataOperands(m, LOW_LANE_LOOP, &mark);
  unsigned kind = LLVMGetMDKindIDInContext(ctx, "llvm.loop", 9);
  LLVMValueRef fn = LLVMGetNamedFunction(m, "blocks");
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b;
       b = LLVMGetNextBasicBlock(b))
    if (LLVMGetMetadata(LLVMGetBasicBlockTerminator(b), kind) == mark)
      return true;
  return false;
}

static status
low_module_try(const struct low_region *r, const struct low_target *t,
               bool blocks, LLVMContextRef ctx, LLVMModuleRef *out) {
  TRY(low_region_build(r, t, blocks, ctx, out));
  status s = low_target_vectorise(t, *out);
  if (s != OK) LLVMDisposeModule(*out);
  return s;
}

status
low_module_make(const struct low_region *r, const struct low_target *t,
                LLVMContextRef ctx, LLVMModuleRef *out) {
  TRY(low_module_try(r, t, true, ctx, out));
  LLVMValueRef blocks = LLVMGetNamedFunction(*out, "blocks");
  if (blocks && low_has_lane_loop(*out, ctx)) {
    blocks = NULL;
    LOG_DEBUG("%s does not vectorise", r->name);
    LLVMDisposeModule(*out);
    TRY(low_module_try(r, t, false, ctx, out));
  }
  status s = low_target_optimise(t, *out, blocks);
  if (s != OK) LLVMDisposeModule(*out);
  return s;
}

static status
low_jit_in(const struct low_region *r, const struct low_target *t,
           struct low_code *c) {
  LLVMModuleRef m;
  TRY(low_module_make(r, t, c->ctx, &m));
  return low_engine(m, c);
}

status
low_jit(const struct low_region *r, const struct low_target *t,
        struct low_code *out) {
  LLVMLinkInMCJIT();
  *out = (struct low_code){.ctx = LLVMContextCreate()};
  ll_errors_catch(out->ctx);
  status s = low_jit_in(r, t, out);
  if (s != OK) low_code_clear(out);
  return s;
}

void
low_code_clear(struct low_code *c) {
  if (c->engine) LLVMDisposeExecutionEngine(c->engine);
  if (c->ctx) LLVMContextDispose(c->ctx);
  *c = (struct low_code){0};
}
