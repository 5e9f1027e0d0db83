/* What kernels for devices are put together from.
 *
 * What elements combine through maps becomes atomic where a region does nothing
 * worse (low_device_form). Increments, as compare-and-swap on the bits where
 * the device has no sum of floats:
 *
 *   do { old = *p; new = bits(float(old) + x) } while (!swap(p, old, new))
 *
 * Extremes are extremes of integers: of floats above zero the bits are in the
 * same order, of those below in the opposite one, and all of those are above
 * as unsigned numbers. So, for a minimum,
 *
 *   if (bits(best(*p, x)) != bits(*p))          most need no atomic operation
 *     sign(x) ? atomic_umax(p, bits(x)) : atomic_min(p, bits(x))
 *
 * and for a maximum with umin and max. What *p is while others lower it does
 * not matter: it was never below what it will be. NaNs neither come (they are
 * not better) nor go. */
#include "lower/llvm/device.h"

#include <assert.h>

LLVMTypeRef
low_device_ptr(struct low_emit *em) {
  return LLVMPointerTypeInContext(em->ctx, 1);
}

LLVMValueRef
low_device_at(struct low_emit *em, LLVMValueRef base, LLVMValueRef offset) {
  assert(LLVMTypeOf(offset) == LLVMInt64TypeInContext(em->ctx));
  return LLVMBuildInBoundsGEP2(em->b, LLVMInt8TypeInContext(em->ctx), base,
                               &offset, 1, "");
}

void
low_device_open(struct low_emit *em, const char *name, const LLVMTypeRef *types,
                uint32_t n) {
  assert(name && (types || !n));
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(em->ctx),
                                      (LLVMTypeRef *)(uintptr_t)types, n, 0);
  em->fn = LLVMAddFunction(em->m, name, type);
  LLVMSetFunctionCallConv(em->fn, em->kind->kernel_convention);
  ll_attr(em->fn, LL_OF_FUNCTION, "nounwind", 0);
  LLVMAppendBasicBlockInContext(em->ctx, em->fn, "entry");
  LLVMPositionBuilderAtEnd(em->b, LLVMAppendBasicBlockInContext(em->ctx, em->fn,
                                                                "begin"));
}

/* The entry block holds allocas only. */
void
low_device_close(struct low_emit *em) {
  assert(!LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(em->b)));
  LLVMBuildRetVoid(em->b);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(em->fn);
  LLVMPositionBuilderAtEnd(em->b, entry);
  LLVMBuildBr(em->b, LLVMGetNextBasicBlock(entry));
  em->kind->mark(em, em->fn);
}

/* ---- elements and branches ----------------------------------------------- */

LLVMValueRef
low_device_inside(struct low_emit *em, LLVMValueRef lo, LLVMValueRef hi) {
  assert(em->e);
  LLVMBuilderRef b = em->b;
  LLVMValueRef above = LLVMBuildICmp(b, LLVMIntSGE, em->e, lo, "");
  LLVMValueRef below = LLVMBuildICmp(b, LLVMIntSLT, em->e, hi, "");
  return LLVMBuildAnd(b, above, below, "inside");
}

LLVMValueRef
low_device_colour(struct low_emit *em, LLVMValueRef colours,
                  LLVMValueRef inside) {
  assert(em->e);
  LLVMBuilderRef b = em->b;
  LLVMValueRef at = LLVMBuildSelect(b, inside, em->e, ll_i64(em->ctx, 0), "");
  LLVMValueRef c = low_entry(em, colours, at);
  return LLVMBuildSelect(b, inside, c, ll_i64(em->ctx, -1), "colour");
}

/* ---- increments ---------------------------------------------------------- */

static LLVMValueRef
atomic_swap(struct low_emit *em, LLVMValueRef p, LLVMValueRef old,
            LLVMValueRef new) {
  return LLVMBuildAtomicCmpXchg(em->b, p, old, new, LLVMAtomicOrderingMonotonic,
                                LLVMAtomicOrderingMonotonic, 0);
}

/* do { ... } while (!swapped), on the bits of the float */
static void
atomic_loop(struct low_emit *em, struct type t, LLVMValueRef p,
            LLVMValueRef x) {
  assert(type_class(t) == 'F' && (t.size == 4 || t.size == 8));
  LLVMBuilderRef b = em->b;
  LLVMTypeRef bits = LLVMIntTypeInContext(em->ctx, 8 * t.size);
  LLVMValueRef first = LLVMBuildLoad2(b, bits, p, "");
  LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic); /* others write there */
  LLVMSetAlignment(first, t.size);
  LLVMBasicBlockRef from = LLVMGetInsertBlock(b);
  LLVMBasicBlockRef again =
      LLVMAppendBasicBlockInContext(em->ctx, em->fn, "swap");
  LLVMBasicBlockRef done =
      LLVMAppendBasicBlockInContext(em->ctx, em->fn, "swapped");
  LLVMBuildBr(b, again);
  LLVMPositionBuilderAtEnd(b, again);
  LLVMValueRef old = LLVMBuildPhi(b, bits, "old");
  LLVMValueRef sum = LLVMBuildFAdd(
      b, LLVMBuildBitCast(b, old, ll_type(em->ctx, t), ""), x, "");
  LLVMValueRef pair =
      atomic_swap(em, p, old, LLVMBuildBitCast(b, sum, bits, ""));
  LLVMValueRef seen = LLVMBuildExtractValue(b, pair, 0, "");
  LLVMBuildCondBr(b, LLVMBuildExtractValue(b, pair, 1, ""), done, again);
  LLVMAddIncoming(old, (LLVMValueRef[]){first, seen},
                  (LLVMBasicBlockRef[]){from, again}, 2);
  LLVMPositionBuilderAtEnd(b, done);
}

static void
atomic_add(struct low_emit *em, struct type t, LLVMValueRef p, LLVMValueRef x) {
  assert(type_class(t) != 'B');
  bool is_float = type_class(t) == 'F';
  if (is_float && !em->kind->float_atomics) {
    atomic_loop(em, t, p, x);
    return;
  }
  LLVMAtomicRMWBinOp op =
      is_float ? LLVMAtomicRMWBinOpFAdd : LLVMAtomicRMWBinOpAdd;
  LLVMBuildAtomicRMW(em->b, op, p, x, LLVMAtomicOrderingMonotonic, 0);
}

/* ---- extremes ------------------------------------------------------------ */

static LLVMAtomicRMWBinOp
integer_extreme(enum access acc, bool is_signed) {
  if (acc == ACC_MIN)
    return is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
  return is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
}

static void
atomic_if(struct low_emit *em, LLVMValueRef on, LLVMAtomicRMWBinOp op,
          LLVMValueRef p, LLVMValueRef x) {
  LLVMBasicBlockRef after = ll_if(em->b, on);
  LLVMBuildAtomicRMW(em->b, op, p, x, LLVMAtomicOrderingMonotonic, 0);
  ll_endif(em->b, after);
}

/* By the bits of float x; i1 `on`: do it. */
static void
float_extreme(struct low_emit *em, enum access acc, LLVMValueRef on,
              LLVMValueRef p, LLVMValueRef bits) {
  LLVMBuilderRef b = em->b;
  LLVMValueRef none = LLVMConstNull(LLVMTypeOf(bits));
  LLVMValueRef below = LLVMBuildICmp(b, LLVMIntSLT, bits, none, "below");
  LLVMValueRef above = LLVMBuildICmp(b, LLVMIntSGE, bits, none, "above");
  enum access other = acc == ACC_MIN ? ACC_MAX : ACC_MIN;
  atomic_if(em, LLVMBuildAnd(b, on, above, ""), integer_extreme(acc, true), p,
            bits);
  atomic_if(em, LLVMBuildAnd(b, on, below, ""), integer_extreme(other, false),
            p, bits);
}

static void
atomic_extreme(struct low_emit *em, struct type t, enum access acc,
               LLVMValueRef p, LLVMValueRef x) {
  LLVMBuilderRef b = em->b;
  LLVMTypeRef type = ll_type(em->ctx, t);
  LLVMTypeRef bits = LLVMIntTypeInContext(em->ctx, 8 * t.size);
  LLVMValueRef was = LLVMBuildLoad2(b, bits, p, "");
  LLVMSetOrdering(was, LLVMAtomicOrderingMonotonic); /* others write there */
  LLVMSetAlignment(was, t.size);
  LLVMValueRef old = LLVMBuildBitCast(b, was, type, "");
  LLVMValueRef best =
      LLVMBuildBitCast(b, low_extreme(em, t, acc, old, x), bits, "");
  LLVMValueRef better = LLVMBuildICmp(b, LLVMIntNE, best, was, "better");
  if (type_class(t) == 'F')
    float_extreme(em, acc, better, p, LLVMBuildBitCast(b, x, bits, ""));
  else
    atomic_if(em, better, integer_extreme(acc, type_class(t) == 'I'), p, x);
}

void
low_device_atomic(struct low_emit *em, struct type t, enum access acc,
                  LLVMValueRef p, LLVMValueRef x) {
  assert(type_class(t) != 'B' && (t.size == 4 || t.size == 8));
  if (acc == ACC_INC)
    atomic_add(em, t, p, x);
  else
    atomic_extreme(em, t, acc, p, x);
}

/* ---- mathematics --------------------------------------------------------- */

/* Operations of LLVM's that are one instruction, or a few, everywhere. */
static const char *const plain_operations[] = {
    "sqrt",  "fabs", "fma",      "fmuladd", "floor", "ceil",
    "trunc", "rint", "copysign", "minnum",  "maxnum"};

bool
low_device_math_plain(const char *name, size_t len) {
  for (size_t k = 0; k < sizeof plain_operations / sizeof *plain_operations;
       k++)
    if (strlen(plain_operations[k]) == len &&
        !memcmp(plain_operations[k], name, len))
      return true;
  return false;
}

bool
low_device_maths(LLVMModuleRef m, low_math_name *name_of, unsigned convention) {
  char name[64];
  bool any = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(m), next; f; f = next) {
    next = LLVMGetNextFunction(f);
    const char *old = ll_name(f);
    if (!LLVMIsDeclaration(f) || !LLVMGetFirstUse(f) ||
        !name_of(f, old, name, sizeof name))
      continue;
    LLVMValueRef to = LLVMGetNamedFunction(m, name);
    if (!to) to = LLVMAddFunction(m, name, LLVMGlobalGetValueType(f));
    LLVMSetFunctionCallConv(to, convention);
    LL_USES(u, f)
      if (LLVMIsACallInst(LLVMGetUser(u)))
        LLVMSetInstructionCallConv(LLVMGetUser(u), convention);
    LLVMReplaceAllUsesWith(f, to);
    any = true;
  }
  return any;
}
