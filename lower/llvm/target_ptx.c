/* PTX: assembly for NVIDIA GPUs, which the CUDA driver (or ptxas) finishes.
 *
 * Made by LLVM's own NVPTX target for one architecture ("sm_80"); a driver
 * takes it for that one and later ones. Mathematical functions come from
 * libdevice, a bitcode file of the CUDA toolkit: it is linked only if a kernel
 * calls one, and only then must it be there.
 *
 * Stores of constants over what was loaded wait for that (stores_wait). On an
 * H100 Jacobi's update (du = 0) took 64 us so, 168 before, the iteration 0.24
 * ms and 0.34; FEM's advance 56 and 136; what stores no such constant the same
 * within noise. */
#include "lower/llvm/device.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PTX_KERNEL = 71 };

/* Once, by low_native_init: other threads look into LLVM's list of targets. */
void
low_ptx_register(void) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

static status
ptx_machine(struct low_target *t, const char *arch) {
  LLVMTargetRef target;
  LL_TEXT why = NULL;
  if (LLVMGetTargetFromTriple(t->triple, &target, &why))
    FAIL(ERR_TARGET, "this LLVM makes no PTX: %s", why);
  t->machine = LLVMCreateTargetMachine(target, t->triple, arch, "",
                                       LLVMCodeGenLevelAggressive,
                                       LLVMRelocDefault, LLVMCodeModelDefault);
  if (!t->machine) FAIL(ERR_TARGET, "this LLVM makes no PTX for %s", arch);
  low_target_lay_out(t);
  return OK;
}

static status
ptx_init(struct low_target *t, const char *arch) {
  low_targets_register();
  *t = (struct low_target){.triple = LLVMCreateMessage("nvptx64-nvidia-cuda"),
                           .fma = true};
  status s = ptx_machine(t, arch);
  if (s != OK) low_target_clear(t);
  return s;
}

/* ---- builtins ------------------------------------------------------------ */

static LLVMValueRef
ptx_call(struct low_emit *em, const char *name) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(em->m, id, NULL, 0);
  return LLVMBuildCall2(em->b, LLVMGlobalGetValueType(fn), fn, NULL, 0, "");
}

static LLVMValueRef
ptx_register(struct low_emit *em, const char *name) {
  return LLVMBuildZExt(em->b, ptx_call(em, name),
                       LLVMInt64TypeInContext(em->ctx), "");
}

static LLVMValueRef
ptx_item(struct low_emit *em, enum low_item which) {
  static const char local[] = "llvm.nvvm.read.ptx.sreg.tid.x";
  static const char group[] = "llvm.nvvm.read.ptx.sreg.ctaid.x";
  static const char size[] = "llvm.nvvm.read.ptx.sreg.ntid.x";
  static const char groups[] = "llvm.nvvm.read.ptx.sreg.nctaid.x";
  if (which == LOW_ITEM_LOCAL) return ptx_register(em, local);
  if (which == LOW_ITEM_GROUP) return ptx_register(em, group);
  if (which == LOW_ITEM_SIZE) return ptx_register(em, size);
  if (which == LOW_ITEM_GROUPS) return ptx_register(em, groups);
  LLVMValueRef first = LLVMBuildNSWMul(em->b, ptx_register(em, group),
                                       ptx_register(em, size), "");
  return LLVMBuildNSWAdd(em->b, first, ptx_register(em, local), "item");
}

static void
ptx_barrier(struct low_emit *em) {
  ptx_call(em, "llvm.nvvm.barrier0");
}

/* Shared memory of a size that the launch says: an array without one. */
static LLVMValueRef
ptx_room(struct low_emit *em) {
  LLVMTypeRef none = LLVMArrayType2(LLVMInt8TypeInContext(em->ctx), 0);
  LLVMValueRef g = LLVMGetNamedGlobal(em->m, "op2_room");
  if (g) return g;
  g = LLVMAddGlobalInAddressSpace(em->m, none, "op2_room", LOW_SPACE_LOCAL);
  LLVMSetAlignment(g, RT_STRIP_ALIGN);
  return g;
}

static void
ptx_mark(struct low_emit *em, LLVMValueRef fn) {
  LLVMMetadataRef row[] = {
      LLVMValueAsMetadata(fn), LLVMMDStringInContext2(em->ctx, "kernel", 6),
      LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(em->ctx), 1, 0))};
  LLVMAddNamedMetadataOperand(
      em->m, "nvvm.annotations",
      LLVMMetadataAsValue(em->ctx, LLVMMDNodeInContext2(em->ctx, row, 3)));
}

/* ---- mathematics --------------------------------------------------------- */

/* libdevice's name: __nv_exp, __nv_expf; false: not a function of it. */
static bool
libdevice_name(LLVMValueRef fn, const char *name, char *out, size_t size) {
  const char *whole = name;
  bool operation = !strncmp(name, "llvm.", 5);
  LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(fn));
  LLVMTypeKind kind = LLVMGetTypeKind(result);
  if (kind != LLVMDoubleTypeKind && kind != LLVMFloatTypeKind) return false;
  if (operation) name += 5;
  size_t len = strcspn(name, ".");
  bool native = low_device_math_plain(name, len) ||
                (len == 9 && !memcmp(name, "nearbyint", 9));
  if (!strncmp(name, "nvvm.", 5) || !strncmp(whole, "__nv", 4) ||
      (operation && native))
    return false;
  const char *suffix = operation && kind == LLVMFloatTypeKind ? "f" : "";
  snprintf(out, size, "__nv_%.*s%s", (int)len, name, suffix);
  return true;
}

static LLVMMemoryBufferRef
libdevice_open(struct str *looked) {
  for (int k = 0; k < LOW_LIBDEVICE_PLACES; k++) {
    LLVMMemoryBufferRef file;
    char *why = NULL;
    if (k) str_add(looked, ", ");
    size_t at = looked->len;
    low_libdevice_path(k, looked);
    if (!LLVMCreateMemoryBufferWithContentsOfFile(looked->s + at, &file, &why))
      return file;
    LLVMDisposeMessage(why);
  }
  return NULL;
}

static status
libdevice_link(const struct low_target *t, LLVMModuleRef m) {
  SCOPED_STR looked = STR_INIT;
  LLVMMemoryBufferRef file = libdevice_open(&looked);
  LLVMModuleRef lib;
  if (!file)
    FAIL(ERR_TARGET,
         "a kernel calls a mathematical function: looked for libdevice in %s, "
         "found none",
         looked.s);
  if (LLVMGetBitcodeModuleInContext2(LLVMGetModuleContext(m), file, &lib))
    FAIL(ERR_TARGET, "libdevice: %s", ll_error_text());
  LLVMSetTarget(lib, t->triple);
  LLVMSetDataLayout(lib, t->layout);
  LL_FUNCTIONS(f, lib) {
    LLVMValueRef wanted = LLVMGetNamedFunction(m, ll_name(f));
    if (!LLVMIsDeclaration(f) && !wanted)
      LLVMSetLinkage(f, LLVMInternalLinkage);
  }
  if (LLVMLinkModules2(m, lib))
    FAIL(ERR_COMPILE, "linking libdevice: %s", ll_error_text());
  LL_FUNCTIONS(f, m)
    if (!LLVMIsDeclaration(f) && LLVMGetFunctionCallConv(f) != PTX_KERNEL)
      LLVMSetLinkage(f, LLVMInternalLinkage);
  return OK;
}

/* ---- stores -------------------------------------------------------------- */

/* The load of what a store overwrites with a constant, before it in its block;
 * NULL: there is none. */
static LLVMValueRef
load_before(LLVMValueRef store) {
  LLVMValueRef v = LLVMGetOperand(store, 0), p = LLVMGetOperand(store, 1);
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
  bool word = kind == LLVMDoubleTypeKind || kind == LLVMFloatTypeKind ||
              kind == LLVMIntegerTypeKind;
  if (!word || !LLVMIsConstant(v)) return NULL;
  LLVMValueRef i = LLVMGetPreviousInstruction(store);
  for (; i; i = LLVMGetPreviousInstruction(i))
    if (LLVMIsALoadInst(i) && LLVMGetOperand(i, 0) == p &&
        LLVMTypeOf(i) == LLVMTypeOf(v))
      return i;
  return NULL;
}

/* (what was loaded & 0) | constant, where nobody but the card knows that it is
 * 0: the second number of the group in a launch that has only first ones. */
static void
store_after(struct low_emit *em, LLVMValueRef store, LLVMValueRef load) {
  LLVMBuilderRef b = em->b;
  LLVMPositionBuilderBefore(b, store);
  LLVMTypeRef type = LLVMTypeOf(load);
  unsigned size = LLVMGetTypeKind(type) == LLVMDoubleTypeKind ? 64
                  : LLVMGetTypeKind(type) == LLVMFloatTypeKind
                      ? 32
                      : LLVMGetIntTypeWidth(type);
  LLVMTypeRef bits = LLVMIntTypeInContext(em->ctx, size);
  LLVMValueRef none = LLVMBuildIntCast2(
      b, ptx_call(em, "llvm.nvvm.read.ptx.sreg.ctaid.y"), bits, 0, "");
  LLVMValueRef was = LLVMBuildBitCast(b, load, bits, "");
  LLVMValueRef v = LLVMBuildBitCast(b, LLVMGetOperand(store, 0), bits, "");
  v = LLVMBuildOr(b, LLVMBuildAnd(b, was, none, ""), v, "");
  LLVMSetOperand(store, 0, LLVMBuildBitCast(b, v, type, ""));
}

/* A card that is given a store to words which it is still loading puts it off
 * for long, and with it what follows; ptxas gives it one as soon as it knows
 * the value, which for a constant (x = 0, behind a use of x) is at once. So
 * constants wait for the load. */
static void
stores_wait(LLVMModuleRef m) {
  struct low_emit em = {.m = m, .ctx = LLVMGetModuleContext(m)};
  em.b = LLVMCreateBuilderInContext(em.ctx);
  LL_FUNCTIONS(f, m)
    LL_ALL_INSTS(i, f) {
      LLVMValueRef load = LLVMIsAStoreInst(i) ? load_before(i) : NULL;
      if (load) store_after(&em, i, load);
    }
  LLVMDisposeBuilder(em.b);
}

/* ---- code ---------------------------------------------------------------- */

/* A function that is neither ours nor an intrinsic has no body on a GPU. */
static status
ptx_complete(LLVMModuleRef m) {
  LL_FUNCTIONS(f, m) {
    const char *name = ll_name(f);
    if (LLVMIsDeclaration(f) && LLVMGetFirstUse(f) && strncmp(name, "llvm.", 5))
      FAIL(ERR_COMPILE, "a GPU has no function %s", name);
  }
  return OK;
}

static status
ptx_finish(const struct low_target *t, LLVMModuleRef m, struct str *code) {
  low_math_show(m);
  if (low_device_maths(m, libdevice_name, LLVMCCallConv))
    TRY(libdevice_link(t, m));
  TRY(ll_run_passes(m, "default<O3>", t->machine, false));
  TRY(ptx_complete(m));
  stores_wait(m);
  return low_target_assembly(t, m, code);
}

const struct low_device_kind low_kind_ptx = {.name = "ptx",
                                             .kernel_convention = PTX_KERNEL,
                                             .float_atomics = true,
                                             .init = ptx_init,
                                             .item = ptx_item,
                                             .barrier = ptx_barrier,
                                             .room = ptx_room,
                                             .mark = ptx_mark,
                                             .finish = ptx_finish};
