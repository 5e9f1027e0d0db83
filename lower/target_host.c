/* The machine we run on: its CPU, optimisation for it, assembly text. */
#include "lower/ll.h"
#include "lower/region.h"

#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

static status
low_machine(struct low_target *t) {
  LLVMTargetRef target;
  char *why = NULL;
  if (LLVMGetTargetFromTriple(t->triple, &target, &why)) {
    status s = err_set(ERR_TARGET, "host %s: %s", t->triple, why);
    LLVMDisposeMessage(why);
    return s;
  }
  t->machine = LLVMCreateTargetMachine(
      target, t->triple, t->cpu, t->features, LLVMCodeGenLevelAggressive,
      LLVMRelocDefault, LLVMCodeModelJITDefault);
  if (!t->machine)
    FAIL(ERR_TARGET, "host %s: no target machine for %s", t->triple, t->cpu);
  return OK;
}

status
low_target_init(struct low_target *t, const char *cpu, const char *features) {
  if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter())
    FAIL(ERR_TARGET, "LLVM has no code generator for this host");
  LLVMInitializeNativeAsmParser();
  *t = (struct low_target){.triple = LLVMGetDefaultTargetTriple()};
  t->cpu = cpu ? LLVMCreateMessage(cpu) : LLVMGetHostCPUName();
  t->features =
      cpu ? LLVMCreateMessage(features) : LLVMGetHostCPUFeatures();
  t->wide = strstr(t->features, "+avx512f") || strstr(t->cpu, "avx512");
  status s = low_machine(t);
  if (s != OK) low_target_clear(t);
  return s;
}

void
low_target_clear(struct low_target *t) {
  if (t->machine) LLVMDisposeTargetMachine(t->machine);
  if (t->triple) LLVMDisposeMessage(t->triple);
  if (t->cpu) LLVMDisposeMessage(t->cpu);
  if (t->features) LLVMDisposeMessage(t->features);
  *t = (struct low_target){0};
}

/* What a compilation leaves on a function and must not reach ours. */
static const char *const low_foreign[] = {
    "optnone",          "noinline",          "optsize",
    "minsize",          "uwtable",           "ssp",
    "sspstrong",        "sspreq",            "sanitize_address",
    "sanitize_thread",  "sanitize_memory",   "sanitize_hwaddress",
    "alwaysinline",     "inlinehint",        "target-cpu",
    "target-features",  "tune-cpu",          "frame-pointer",
    "probe-stack",      "stack-protector-buffer-size",
    "min-legal-vector-width", "prefer-vector-width"};

void
low_target_adopt(const struct low_target *t, LLVMValueRef fn) {
  for (size_t k = 0; k < sizeof low_foreign / sizeof *low_foreign; k++)
    ll_attr_remove(fn, low_foreign[k]);
  ll_attr_text(fn, "target-cpu", t->cpu);
  ll_attr_text(fn, "target-features", t->features);
  if (t->wide) ll_attr_text(fn, "prefer-vector-width", "512");
  ll_attr(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind", 0);
}

status
low_target_optimise(const struct low_target *t, LLVMModuleRef m) {
  LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
  LLVMPassBuilderOptionsSetSLPVectorization(o, 1);
  LLVMErrorRef err = LLVMRunPasses(m, "default<O3>", t->machine, o);
  LLVMDisposePassBuilderOptions(o);
  if (!err) return OK;
  char *why = LLVMGetErrorMessage(err);
  status s = err_set(ERR_COMPILE, "optimiser: %s", why);
  LLVMDisposeErrorMessage(why);
  return s;
}

status
low_target_assembly(const struct low_target *t, LLVMModuleRef m,
                    struct str *out) {
  LLVMMemoryBufferRef text;
  char *why = NULL;
  if (LLVMTargetMachineEmitToMemoryBuffer(t->machine, m, LLVMAssemblyFile, &why,
                                          &text)) {
    status s = err_set(ERR_COMPILE, "code generation: %s", why);
    LLVMDisposeMessage(why);
    return s;
  }
  str_addn(out, LLVMGetBufferStart(text), LLVMGetBufferSize(text));
  LLVMDisposeMemoryBuffer(text);
  return OK;
}
