/* SPIR 1.2: LLVM bitcode for OpenCL devices that take it (PoCL), and what
 * SPIR-V is made from for the others (spirv.c).
 *
 * LLVM 19 has no target for it, none is needed: the module is optimised without
 * one and written as bitcode. Its readers are older (PoCL 3.1 has LLVM 15), so
 * what they don't know is taken out: attributes are dropped but for a few, and
 * so are the flags that came later (nneg, disjoint, nuw and nsw of trunc).
 * Nothing is vectorised or turned into tables: that is the reader's business.
 *
 * Kernels were compiled for one address space, SPIR 1.2 has no pointer that may
 * be of several. Dats that overlap in memory are worked on where they lie, in
 * the global space: their pointers are cast, and once all is inlined LLVM's
 * pass for GPUs pushes the cast through to the loads and stores, where it
 * vanishes. (It asks the target which space is the general one; NVIDIA's is
 * asked.)
 *
 * Mathematical functions are OpenCL's builtins, which are named after C++
 * mangling: pow of two doubles is _Z3powdd. What each processor has as one
 * instruction (sqrt, fabs, fma, floor, ...) stays an operation of LLVM's. */
#include "lower/llvm/device.h"

#include <llvm-c/BitWriter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPIR_FUNCTION = 75, SPIR_KERNEL = 76 }; /* calling conventions */

static const char spir_triple[] = "spir64-unknown-unknown";
static const char spir_layout[] =
    "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-"
    "v1024:1024";

static status
spir_init(struct low_target *t, const char *arch) {
  (void)arch;
  *t = (struct low_target){.triple = LLVMCreateMessage(spir_triple),
                           .layout = LLVMCreateMessage(spir_layout),
                           .fma = true};
  return OK;
}

/* ---- builtins ------------------------------------------------------------ */

static LLVMValueRef
spir_builtin(struct low_emit *em, const char *name, LLVMTypeRef result,
             uint32_t argument) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(em->ctx);
  LLVMTypeRef type = LLVMFunctionType(result, &i32, 1, 0);
  LLVMValueRef fn = LLVMGetNamedFunction(em->m, name);
  if (!fn) {
    fn = LLVMAddFunction(em->m, name, type);
    LLVMSetFunctionCallConv(fn, SPIR_FUNCTION);
  }
  LLVMValueRef arg = LLVMConstInt(i32, argument, 0);
  LLVMValueRef call = LLVMBuildCall2(em->b, type, fn, &arg, 1, "");
  LLVMSetInstructionCallConv(call, SPIR_FUNCTION);
  return call;
}

static LLVMValueRef
spir_item(struct low_emit *em, enum low_item which) {
  static const char *const names[] = {[LOW_ITEM_GLOBAL] = "_Z13get_global_idj",
                                      [LOW_ITEM_LOCAL] = "_Z12get_local_idj",
                                      [LOW_ITEM_GROUP] = "_Z12get_group_idj",
                                      [LOW_ITEM_SIZE] = "_Z14get_local_sizej",
                                      [LOW_ITEM_GROUPS] =
                                          "_Z14get_num_groupsj"};
  return spir_builtin(em, names[which], LLVMInt64TypeInContext(em->ctx), 0);
}

static void
spir_barrier(struct low_emit *em) {
  enum { LOCAL = 1, GLOBAL = 2 };
  LLVMValueRef call = spir_builtin(
      em, "_Z7barrierj", LLVMVoidTypeInContext(em->ctx), LOCAL | GLOBAL);
  unsigned convergent = LLVMGetEnumAttributeKindForName("convergent", 10);
  LLVMAttributeRef a = LLVMCreateEnumAttribute(em->ctx, convergent, 0);
  LLVMAttributeIndex at = LL_OF_FUNCTION;
  LLVMAddAttributeAtIndex(LLVMGetCalledValue(call), at, a);
  LLVMAddCallSiteAttribute(call, at, a);
}

static LLVMValueRef
spir_room(struct low_emit *em) {
  return LLVMGetLastParam(em->fn);
}

/* ---- marks --------------------------------------------------------------- */

/* One list of kernel metadata: a word for each parameter. */
static void
spir_list(struct low_emit *em, LLVMValueRef fn, const char *name,
          const char *of_pointer, const char *of_word) {
  unsigned n = LLVMCountParams(fn);
  SCOPED LLVMMetadataRef *list = mem_alloc(n + 1, sizeof *list);
  for (unsigned k = 0; k < n; k++) {
    bool pointer =
        LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(fn, k))) == LLVMPointerTypeKind;
    const char *text = pointer ? of_pointer : of_word;
    list[k] = LLVMMDStringInContext2(em->ctx, text, strlen(text));
  }
  LLVMGlobalSetMetadata(
      fn, LLVMGetMDKindIDInContext(em->ctx, name, (unsigned)strlen(name)),
      LLVMMDNodeInContext2(em->ctx, list, n));
}

static void
spir_spaces(struct low_emit *em, LLVMValueRef fn) {
  unsigned n = LLVMCountParams(fn);
  SCOPED LLVMMetadataRef *list = mem_alloc(n + 1, sizeof *list);
  for (unsigned k = 0; k < n; k++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(fn, k));
    bool pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    unsigned space = pointer ? LLVMGetPointerAddressSpace(type) : 0;
    list[k] = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(em->ctx),
                                               space, 0));
  }
  LLVMGlobalSetMetadata(
      fn, LLVMGetMDKindIDInContext(em->ctx, "kernel_arg_addr_space", 21),
      LLVMMDNodeInContext2(em->ctx, list, n));
}

static void
spir_mark(struct low_emit *em, LLVMValueRef fn) {
  spir_spaces(em, fn);
  spir_list(em, fn, "kernel_arg_access_qual", "none", "none");
  spir_list(em, fn, "kernel_arg_type", "char*", "long");
  spir_list(em, fn, "kernel_arg_base_type", "char*", "long");
  spir_list(em, fn, "kernel_arg_type_qual", "", "");
}

static void
spir_version(LLVMModuleRef m, const char *name) {
  LLVMContextRef ctx = LLVMGetModuleContext(m);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(ctx);
  LLVMMetadataRef v[] = {LLVMValueAsMetadata(LLVMConstInt(i32, 1, 0)),
                         LLVMValueAsMetadata(LLVMConstInt(i32, 2, 0))};
  LLVMAddNamedMetadataOperand(
      m, name, LLVMMetadataAsValue(ctx, LLVMMDNodeInContext2(ctx, v, 2)));
}

/* ---- mathematics --------------------------------------------------------- */

/* Letter of OpenCL's mangling; 0: no such type here. */
static char
type_letter(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMDoubleTypeKind: return 'd';
  case LLVMFloatTypeKind: return 'f';
  case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) == 32 ? 'i' : 0;
  default: return 0;
  }
}

/* The builtin that stands for a function of <math.h> or an operation of LLVM's,
 * as a name in `out`; false: there is none. */
static bool
builtin_name(LLVMValueRef fn, const char *name, char *out, size_t size) {
  bool operation = !strncmp(name, "llvm.", 5);
  if (!strncmp(name, "_Z", 2)) return false;
  if (operation) name += 5;
  size_t len = strcspn(name, ".");
  LLVMTypeRef type = LLVMGlobalGetValueType(fn), params[4];
  unsigned n = LLVMCountParamTypes(type);
  char result = type_letter(LLVMGetReturnType(type));
  if (!n || n > 3 || (result != 'd' && result != 'f')) return false;
  if (operation && low_device_math_plain(name, len)) return false;
  if (!operation && result == 'f' && len > 1 && name[len - 1] == 'f') len--;
  if (len == 9 && !memcmp(name, "nearbyint", 9)) name = "rint", len = 4;
  LLVMGetParamTypes(type, params);
  int at = snprintf(out, size, "_Z%zu%.*s", len, (int)len, name);
  for (unsigned k = 0; k < n; k++) {
    char letter = type_letter(params[k]);
    if (!letter || (size_t)at + 2 > size) return false;
    out[at++] = letter;
    out[at] = 0;
  }
  return true;
}

/* ---- for older readers --------------------------------------------------- */

static bool
attribute_kept(unsigned kind) {
  static const char *const kept[] = {"noalias", "readonly", "convergent",
                                     "nounwind"};
  for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
    if (LLVMGetEnumAttributeKindForName(kept[k], strlen(kept[k])) == kind)
      return true;
  return false;
}

enum { ATTRIBUTES_MAX = 64 };

/* Of a function, or of one call. */
static void
strip(LLVMValueRef v, bool call, LLVMAttributeIndex at) {
  LLVMAttributeRef a[ATTRIBUTES_MAX];
  unsigned n = (call ? LLVMGetCallSiteAttributeCount
                     : LLVMGetAttributeCountAtIndex)(v, at);
  if (n > ATTRIBUTES_MAX) return;
  (call ? LLVMGetCallSiteAttributes : LLVMGetAttributesAtIndex)(v, at, a);
  for (unsigned k = 0, len; k < n; k++) {
    if (LLVMIsStringAttribute(a[k])) {
      const char *key = LLVMGetStringAttributeKind(a[k], &len);
      (call ? LLVMRemoveCallSiteStringAttribute
            : LLVMRemoveStringAttributeAtIndex)(v, at, key, len);
    } else if (!attribute_kept(LLVMGetEnumAttributeKind(a[k]))) {
      (call ? LLVMRemoveCallSiteEnumAttribute : LLVMRemoveEnumAttributeAtIndex)(
          v, at, LLVMGetEnumAttributeKind(a[k]));
    }
  }
}

/* At function, result and each of n parameters. */
static void
strip_all(LLVMValueRef v, bool call, unsigned n) {
  strip(v, call, LL_OF_FUNCTION);
  for (unsigned k = 0; k <= n; k++) strip(v, call, k);
}

static void
clean_instruction(LLVMValueRef i) {
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMCall: strip_all(i, true, LLVMGetNumArgOperands(i)); break;
  case LLVMZExt:
  case LLVMUIToFP: LLVMSetNNeg(i, 0); break;
  case LLVMOr: LLVMSetIsDisjoint(i, 0); break;
  case LLVMTrunc:
    LLVMSetNUW(i, 0);
    LLVMSetNSW(i, 0);
    break;
  case LLVMGetElementPtr: {
    bool in_bounds = LLVMIsInBounds(i);
    LLVMGEPSetNoWrapFlags(i, 0);
    LLVMSetIsInBounds(i, in_bounds);
    break;
  }
  default: break;
  }
}

static void
clean_module(LLVMModuleRef m) {
  LL_FUNCTIONS(f, m) {
    strip_all(f, false, LLVMCountParams(f));
    LL_ALL_INSTS(i, f) clean_instruction(i);
  }
}

/* ---- code ---------------------------------------------------------------- */

#define COMBINE "instcombine<no-verify-fixpoint>"
static const char spir_passes[] =
    "globaldce,function("
    "sroa<modify-cfg>,early-cse<memssa>,simplifycfg," COMBINE ","
    "loop-mssa(loop-rotate,licm),"
    "loop(indvars,loop-deletion,loop-unroll-full),"
    "sroa<modify-cfg>,early-cse<memssa>," COMBINE ",simplifycfg,"
    "loop-mssa(licm),gvn," COMBINE ",dse,adce,simplifycfg),globaldce";

static bool
has_casts(LLVMModuleRef m) {
  LL_FUNCTIONS(f, m)
    LL_ALL_INSTS(i, f)
      if (LLVMGetInstructionOpcode(i) == LLVMAddrSpaceCast) return true;
  return false;
}

/* No pointers that are cast from one address space to another. */
static status
spir_spaces_infer(LLVMModuleRef m) {
  struct low_target gpu;
  if (!has_casts(m)) return OK;
  TRY(low_kind_ptx.init(&gpu, "sm_60"));
  status s = ll_run_passes(m, "function(infer-address-spaces,adce)",
                           gpu.machine, false);
  low_target_clear(&gpu);
  if (s == OK && has_casts(m))
    s = err_set(ERR_COMPILE, "the kernel chooses between an address in memory "
                             "that several dats share and another one; SPIR "
                             "has no pointers that may be either");
  return s;
}

static status
spir_finish(const struct low_target *t, LLVMModuleRef m, struct str *code) {
  (void)t;
  TRY(ll_run_passes(m, spir_passes, NULL, false));
  low_arrays_pad(m); /* drivers make vectors, some with LLVM */
  TRY(spir_spaces_infer(m));
  low_math_show(m);
  low_device_maths(m, builtin_name, SPIR_FUNCTION);
  clean_module(m);
  spir_version(m, "opencl.ocl.version");
  spir_version(m, "opencl.spir.version");
  ll_buffer_add(LLVMWriteBitcodeToMemoryBuffer(m), code);
  return OK;
}

static status
spirv_finish(const struct low_target *t, LLVMModuleRef m, struct str *code) {
  SCOPED_STR spir = STR_INIT;
  status s = spir_finish(t, m, &spir);
  if (s == OK) s = low_spirv_translate(&spir, code);
  return s;
}

#define SPIR_KIND(text, last)                                                  \
  {.name = (text),                                                             \
   .kernel_convention = SPIR_KERNEL,                                           \
   .init = spir_init,                                                          \
   .item = spir_item,                                                          \
   .barrier = spir_barrier,                                                    \
   .room_is_argument = true,                                                   \
   .room = spir_room,                                                          \
   .mark = spir_mark,                                                          \
   .finish = (last)}

const struct low_device_kind low_kind_spir = SPIR_KIND("spir", spir_finish),
                             low_kind_spirv = SPIR_KIND("spirv", spirv_finish);
