/* Math functions without errno, in kernels only.
 *
 * Problem. sqrt, exp and pow may set errno, so that a loop with them cannot be
 * vectorised. -fno-math-errno tells the front end that nobody looks; but op2cc
 * compiles the host's code from the same front end run, and there somebody may.
 *
 * Idea. Leave the front end alone and change the kernels' copy: a call of sqrt
 * becomes LLVM's operation, which has no errno, and what has no such operation
 * is declared to touch no memory. Nobody can look at errno between two kernels.
 *
 *     call double @sqrt(double %x)   ->  call double @llvm.sqrt.f64(double %x)
 *     declare double @cbrt(double)   ->  ... memory(none) willreturn
 */
#include "lower/llvm/bitcode.h"

#include "lower/llvm/ll.h"

#include <string.h>

static const struct {
  const char *name, *intrinsic;
  bool single;
} math_operations[] = {
#define MATH(name, op)                                                         \
  {#name, "llvm." #op, false}, {#name "f", "llvm." #op, true},
#include "lower/llvm/blob_math.def"
#undef MATH
};

static const char *const math_pure[] = {
#define PURE(name) #name, #name "f", #name "l",
#include "lower/llvm/facts_pure.def"
#undef PURE
};

bool
low_math_is_pure(const char *name) {
  for (size_t i = 0; i < sizeof math_pure / sizeof *math_pure; i++)
    if (!strcmp(name, math_pure[i])) return true;
  return false;
}

/* The operation of this function; NULL: none, or it has other types. */
static LLVMValueRef
math_operation(LLVMModuleRef m, LLVMValueRef fn, const char *name) {
  LLVMContextRef ctx = LLVMGetModuleContext(m);
  for (size_t i = 0; i < sizeof math_operations / sizeof *math_operations;
       i++) {
    if (strcmp(name, math_operations[i].name)) continue;
    const char *op = math_operations[i].intrinsic;
    unsigned id = LLVMLookupIntrinsicID(op, strlen(op));
    LLVMTypeRef type = math_operations[i].single ? LLVMFloatTypeInContext(ctx)
                                                 : LLVMDoubleTypeInContext(ctx);
    if (LLVMGlobalGetValueType(fn) != LLVMIntrinsicGetType(ctx, id, &type, 1))
      return NULL;
    return LLVMGetIntrinsicDeclaration(m, id, &type, 1);
  }
  return NULL;
}

void
low_math_without_errno(LLVMModuleRef m) {
  LLVMAttributeIndex at = LL_OF_FUNCTION;
  for (LLVMValueRef f = LLVMGetFirstFunction(m), next; f; f = next) {
    next = LLVMGetNextFunction(f);
    const char *name = ll_name(f);
    if (!LLVMIsDeclaration(f) || !low_math_is_pure(name)) continue;
    LLVMValueRef op = math_operation(m, f, name);
    if (op) {
      LLVMReplaceAllUsesWith(f, op);
      continue;
    }
    ll_attr(f, at, "memory", 0);
    ll_attr(f, at, "willreturn", 0);
    ll_attr(f, at, "nounwind", 0);
  }
}
