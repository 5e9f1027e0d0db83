/* What a kernel computes is settled before it meets other kernels.
 *
 * Problem. A loop has the same bits fused and run alone only if each operation
 * does the same in both. But fusing makes operands known, and what LLVM does
 * with known operands, or with what stands next to each other, may round
 * otherwise:
 *
 *     y = fmuladd(0.1, b, x)     fmuladd(0.1, 0.3, x) becomes 0.03 + x
 *     z = pow(x, a)              pow(x, 2) becomes x*x, pow(1.7, 2) a number
 *     c = a *contract b          in one kernel, and in the next one
 *     y = c +contract x          the product joins the sum in an FMA
 *     m = minnum(x, -0.0)        its operands change places
 *
 * Idea. What is open is decided in the kernel's own module, where no other
 * kernel, no value of a constant and no fusion can be seen, and then closed:
 *
 *   fmuladd       is an FMA where the target has one, else a product and a sum
 *   fast math     is the kernel's own: its module is optimised with the flags,
 *                 products join sums, and the flags go
 *   known?        __builtin_constant_p: what the kernel's own text knows
 *   fmin, fmax    are comparisons, whose operands have places; of equal ones it
 *                 is the second, as in the C library
 *   exp, pow ...  are simplified in the module (pow(x, 2) in the text is x*x)
 *                 and then called by names that say nothing to LLVM; `show`
 *                 takes these back when all is optimised. Vectorised calls have
 *                 names, too: @op2.exp.f64, @op2.exp.f64.v8.
 *
 * What remains rounds to nearest by IEEE 754, known operands or not.
 *
 * Limits. NaNs keep no sign and no payload. Values known in the kernel's own
 * text are the compiler's, to libm's accuracy. */
#include "lower/llvm/bitcode.h"
#include "lower/llvm/code.h"
#include "lower/llvm/ll.h"
#include "lower/llvm/ll_flags.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { SETTLE_NAME = 64 };

struct settle {
  const struct low_target *t;
  LLVMModuleRef m;
  LLVMContextRef ctx;
  LLVMBuilderRef b;
};

/* fn for each instruction, which may erase it. */
static void
settle_each(struct settle *s, void (*fn)(struct settle *, LLVMValueRef)) {
  for (LLVMValueRef f = LLVMGetFirstFunction(s->m); f;
       f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        fn(s, i);
      }
}

/* Loops are unrolled as LLVM finds it worth while, not as pragmas say: what is
 * good for one kernel may be too much code for a region. */
static void
settle_loop(struct settle *s, LLVMValueRef i) {
  unsigned kind = LLVMGetMDKindIDInContext(s->ctx, "llvm.loop", 9);
  if (LLVMIsATerminatorInst(i) && LLVMGetMetadata(i, kind))
    LLVMSetMetadata(i, kind, NULL);
}

static bool
settle_flags(LLVMValueRef i, LLVMFastMathFlags wanted) {
  return LLVMCanValueUseFastMathFlags(i) && (LLVMGetFastMathFlags(i) & wanted);
}

static bool
settle_is_fast(LLVMModuleRef m) {
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
           i = LLVMGetNextInstruction(i))
        if (settle_flags(i, LLVMFastMathAll)) return true;
  return false;
}

static LLVMValueRef
settle_call(struct settle *s, const char *name, LLVMTypeRef type,
            LLVMValueRef *args, unsigned n) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  assert(id && n > 0);
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(s->m, id, &type, 1);
  return LLVMBuildCall2(s->b, LLVMGlobalGetValueType(fn), fn, args, n, "");
}

static void
settle_replace(LLVMValueRef old, LLVMValueRef new) {
  assert(LLVMTypeOf(old) == LLVMTypeOf(new));
  LLVMReplaceAllUsesWith(old, new);
  LLVMInstructionEraseFromParent(old);
}

/* ---- products and sums --------------------------------------------------- */

static bool
settle_is_product(LLVMValueRef v) {
  LLVMUseRef u = LLVMGetFirstUse(v);
  return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMFMul &&
         settle_flags(v, LLVMFastMathAllowContract) && !LLVMGetNextUse(u);
}

/* a*b + c, a*b - c, c - a*b of one kernel that may be contracted. */
static void
settle_contract(struct settle *s, LLVMValueRef i) {
  LLVMOpcode op = LLVMGetInstructionOpcode(i);
  if ((op != LLVMFAdd && op != LLVMFSub) ||
      !settle_flags(i, LLVMFastMathAllowContract))
    return;
  int at = settle_is_product(LLVMGetOperand(i, 0))   ? 0
           : settle_is_product(LLVMGetOperand(i, 1)) ? 1
                                                     : -1;
  if (at < 0) return;
  LLVMValueRef product = LLVMGetOperand(i, (unsigned)at);
  LLVMValueRef args[3] = {LLVMGetOperand(product, 0),
                          LLVMGetOperand(product, 1),
                          LLVMGetOperand(i, (unsigned)!at)};
  LLVMPositionBuilderBefore(s->b, i);
  if (op == LLVMFSub) {
    int negative = at ? 0 : 2;
    args[negative] = LLVMBuildFNeg(s->b, args[negative], "");
  }
  settle_replace(i, settle_call(s, "llvm.fma", LLVMTypeOf(i), args, 3));
  LLVMInstructionEraseFromParent(product);
}

static void
settle_strict(struct settle *s, LLVMValueRef i) {
  (void)s;
  if (settle_flags(i, LLVMFastMathAll)) ll_flags_clear(i);
}

static void
settle_muladd(struct settle *s, LLVMValueRef call) {
  assert(LLVMGetNumArgOperands(call) == 3);
  LLVMValueRef x[3];
  for (unsigned k = 0; k < 3; k++) x[k] = LLVMGetOperand(call, k);
  settle_replace(
      call, s->t->fma ? settle_call(s, "llvm.fma", LLVMTypeOf(call), x, 3)
                      : LLVMBuildFAdd(s->b, LLVMBuildFMul(s->b, x[0], x[1], ""),
                                      x[2], ""));
}

/* ---- what is known ------------------------------------------------------- */

/* A variable of the program is none, also where its value is folded in. */
static void
settle_known(struct settle *s, LLVMValueRef call) {
  LLVMValueRef v = LLVMGetOperand(call, 0);
  bool known = LLVMIsAConstantInt(v) || LLVMIsAConstantFP(v);
  LLVMTypeRef i1 = LLVMInt1TypeInContext(s->ctx);
  settle_replace(call, LLVMConstInt(i1, known, 0));
}

/* ---- the smaller of two -------------------------------------------------- */

/* y a NaN: x; else x better: x; else y */
static void
settle_extreme(struct settle *s, LLVMValueRef call, LLVMRealPredicate better) {
  assert(LLVMGetNumArgOperands(call) == 2);
  LLVMBuilderRef b = s->b;
  LLVMValueRef x = LLVMGetOperand(call, 0), y = LLVMGetOperand(call, 1);
  LLVMValueRef none = LLVMBuildFCmp(b, LLVMRealUNO, y, y, "");
  LLVMValueRef first = LLVMBuildFCmp(b, better, x, y, "");
  LLVMValueRef one = LLVMBuildSelect(b, first, x, y, "");
  settle_replace(call, LLVMBuildSelect(b, none, x, one, ""));
}

static void
settle_minimum(struct settle *s, LLVMValueRef call) {
  settle_extreme(s, call, LLVMRealOLT);
}

static void
settle_maximum(struct settle *s, LLVMValueRef call) {
  settle_extreme(s, call, LLVMRealOGT);
}

/* All calls of an operation of LLVM's, whatever its type. */
static void
settle_calls(struct settle *s, const char *name,
             void (*fn)(struct settle *, LLVMValueRef)) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  for (LLVMValueRef f = LLVMGetFirstFunction(s->m); f;
       f = LLVMGetNextFunction(f)) {
    if (LLVMGetIntrinsicID(f) != id) continue;
    for (LLVMUseRef u = LLVMGetFirstUse(f), next; u; u = next) {
      next = LLVMGetNextUse(u);
      LLVMValueRef call = LLVMGetUser(u);
      LLVMPositionBuilderBefore(s->b, call);
      fn(s, call);
    }
  }
}

/* ---- functions of <math.h> ----------------------------------------------- */

/* Operations whose results are not exactly rounded. */
static const char *const settle_operations[] = {
#define VECTOR_MATH(name, nargs) "llvm." #name,
#include "lower/llvm/vector_math.def"
#undef VECTOR_MATH
};

static const char settle_prefix[] = "op2.";

/* "f64", "f32"; NULL: neither. */
static const char *
settle_type_text(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMDoubleTypeKind  ? "f64"
         : kind == LLVMFloatTypeKind ? "f32"
                                     : NULL;
}

/* A function of this name that only computes. */
static LLVMValueRef
settle_declare(LLVMModuleRef m, const char *name, LLVMTypeRef type) {
  static const char *const facts[] = {"nounwind", "willreturn", "nosync",
                                      "nofree", "speculatable"};
  LLVMValueRef fn = LLVMGetNamedFunction(m, name);
  if (fn) return fn;
  LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  fn = LLVMAddFunction(m, name, type);
  ll_attr(fn, at, "memory", 0);
  for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
    ll_attr(fn, at, facts[k], 0);
  return fn;
}

static void
settle_hide(struct settle *s, LLVMValueRef fn, const char *operation) {
  LLVMTypeRef type = LLVMGlobalGetValueType(fn);
  const char *text = settle_type_text(LLVMGetReturnType(type));
  if (!text) return;
  char name[SETTLE_NAME];
  snprintf(name, sizeof name, "%s%s.%s", settle_prefix, operation + 5, text);
  LLVMReplaceAllUsesWith(fn, settle_declare(s->m, name, type));
}

static bool
settle_is_operation(LLVMValueRef fn, const char **operation) {
  unsigned id = LLVMGetIntrinsicID(fn);
  size_t n = sizeof settle_operations / sizeof *settle_operations;
  for (size_t k = 0; id && k < n; k++) {
    *operation = settle_operations[k];
    if (LLVMLookupIntrinsicID(*operation, strlen(*operation)) == id)
      return true;
  }
  return false;
}

/* A function that LLVM knows by name: not here. */
static void
settle_unknown(struct settle *s, LLVMValueRef fn) {
  unsigned kind = LLVMGetEnumAttributeKindForName("nobuiltin", 9);
  LLVMAttributeRef no = LLVMCreateEnumAttribute(s->ctx, kind, 0);
  for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef call = LLVMGetUser(u);
    if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == fn)
      LLVMAddCallSiteAttribute(
          call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, no);
  }
}

/* Does the module call such functions? `hide`: make their names say nothing. */
static bool
settle_math(struct settle *s, bool hide) {
  size_t len;
  bool any = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(s->m), next; f; f = next) {
    const char *operation;
    next = LLVMGetNextFunction(f);
    if (!LLVMIsDeclaration(f) || !LLVMGetFirstUse(f)) continue;
    bool known = settle_is_operation(f, &operation);
    if (!known && !low_math_is_pure(LLVMGetValueName2(f, &len))) continue;
    any = true;
    if (hide && known) settle_hide(s, f, operation);
    if (hide && !known) settle_unknown(s, f);
  }
  return any;
}

/* ---- a kernel ------------------------------------------------------------ */

/* What the kernel's own text makes of its flags and of known arguments. */
static status
settle_alone(struct settle *s, LLVMValueRef kernel, bool fast) {
  LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  for (LLVMValueRef f = LLVMGetFirstFunction(s->m); f;
       f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f)) continue;
    low_target_adopt(s->t, f);
    if (f != kernel) ll_attr(f, at, "alwaysinline", 0);
  }
  return low_target_settle(s->t, s->m, fast);
}

status
low_kernel_settle(const struct low_target *t, LLVMModuleRef m,
                  LLVMValueRef kernel) {
  struct settle s = {.t = t, .m = m, .ctx = LLVMGetModuleContext(m)};
  bool fast = settle_is_fast(m), math = settle_math(&s, false);
  s.b = LLVMCreateBuilderInContext(s.ctx);
  settle_each(&s, settle_loop);
  settle_calls(&s, "llvm.fmuladd", settle_muladd);
  settle_calls(&s, "llvm.is.constant", settle_known);
  status st = fast || math ? settle_alone(&s, kernel, fast) : OK;
  if (fast && t->fma) settle_each(&s, settle_contract);
  if (fast) settle_each(&s, settle_strict);
  settle_calls(&s, "llvm.minnum", settle_minimum);
  settle_calls(&s, "llvm.maxnum", settle_maximum);
  LLVMDisposeBuilder(s.b);
  settle_math(&s, true);
  return st;
}

/* ---- the region's module ------------------------------------------------- */

static bool
settle_is_hidden(LLVMValueRef fn) {
  size_t len;
  return LLVMIsDeclaration(fn) &&
         !strncmp(LLVMGetValueName2(fn, &len), settle_prefix,
                  sizeof settle_prefix - 1);
}

/* Say at the calls of fn that there is a function for `width` values. */
static void
settle_widen(LLVMModuleRef m, LLVMValueRef fn, uint32_t width) {
  static const char key[] = "vector-function-abi-variant";
  size_t len;
  const char *name = LLVMGetValueName2(fn, &len);
  LLVMTypeRef type = LLVMGlobalGetValueType(fn), in[2];
  unsigned n = LLVMCountParamTypes(type);
  LLVMTypeRef v = LLVMVectorType(LLVMGetReturnType(type), width);
  assert(n <= sizeof in / sizeof *in);
  for (unsigned k = 0; k < n; k++) in[k] = v;
  char wide[SETTLE_NAME], text[3 * SETTLE_NAME];
  snprintf(wide, sizeof wide, "%s.v%u", name, width);
  settle_declare(m, wide, LLVMFunctionType(v, in, n, 0));
  int bytes = snprintf(text, sizeof text, "_ZGV_LLVM_N%u%s_%s(%s)", width,
                       n == 2 ? "vv" : "v", name, wide);
  LLVMAttributeRef a = LLVMCreateStringAttribute(
      LLVMGetModuleContext(m), key, sizeof key - 1, text, (unsigned)bytes);
  for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u))
    LLVMAddCallSiteAttribute(LLVMGetUser(u),
                             (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

void
low_math_widen(LLVMModuleRef m, uint32_t width) {
  LLVMValueRef last = LLVMGetLastFunction(m);
  for (LLVMValueRef f = LLVMGetFirstFunction(m); last;
       f = LLVMGetNextFunction(f)) {
    if (settle_is_hidden(f)) settle_widen(m, f, width);
    if (f == last) break;
  }
}

void
low_math_show(LLVMModuleRef m) {
  size_t len;
  for (LLVMValueRef f = LLVMGetFirstFunction(m), next; f; f = next) {
    next = LLVMGetNextFunction(f);
    if (!settle_is_hidden(f)) continue;
    char name[SETTLE_NAME];
    const char *hidden = LLVMGetValueName2(f, &len) + sizeof settle_prefix - 1;
    int n = snprintf(name, sizeof name, "llvm.%.*s", (int)strcspn(hidden, "."),
                     hidden);
    unsigned id = LLVMLookupIntrinsicID(name, (size_t)n);
    LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(f));
    if (!id) continue;
    LLVMReplaceAllUsesWith(f, LLVMGetIntrinsicDeclaration(m, id, &type, 1));
    LLVMDeleteFunction(f);
  }
}
