/* Variables of a module as private memory of each work item.
 *
 * Problem. Kernels mention variables: constants that were folded to bytes,
 * constants that became parameters, tables of their own. On a device such
 * variables would lie in another address space than the pointers that the
 * kernel was compiled with, and differ from launch to launch.
 *
 * Idea. Once everything is inlined, the kernel is the only user. Each variable
 * becomes an alloca there, filled at the start: with its initializer, or with
 * the captured bytes of a parameter. What is used at known offsets only is
 * broken into values again (SROA) and costs nothing. Constant expressions
 * around the variable are spelt out as instructions first, since what they are
 * about is no constant any more:
 *
 *   load double, gep (@table, 8)   ->   %p = gep %table, 8; load double, %p
 *
 * A table that holds addresses of others has private ones of these.
 *
 * Limits  a table that is indexed by data is copied by each work item. */
#include "lower/llvm/device.h"

#include <assert.h>
#include <stdlib.h>

/* Does constant `c` reach variable g? */
static bool
reaches(LLVMValueRef c, LLVMValueRef g) {
  if (c == g) return true;
  if (!LLVMIsAConstantExpr(c)) return false;
  for (int k = 0; k < LLVMGetNumOperands(c); k++)
    if (reaches(LLVMGetOperand(c, (unsigned)k), g)) return true;
  return false;
}

/* Where the builder must stand so that operand k of `user` can be made. */
static void
stand_before(LLVMBuilderRef b, LLVMValueRef user, unsigned k) {
  assert(LLVMIsAInstruction(user));
  if (LLVMIsAPHINode(user))
    LLVMPositionBuilderBefore(
        b, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, k)));
  else
    LLVMPositionBuilderBefore(b, user);
}

/* The constant with `mine` in the place of g, as instructions; NULL: it is of a
 * kind that we don't spell out. */
static LLVMValueRef
spell_out(LLVMBuilderRef b, LLVMValueRef c, LLVMValueRef g, LLVMValueRef mine) {
  if (c == g) return mine;
  LLVMTypeRef type = LLVMTypeOf(c);
  LLVMValueRef first = spell_out(b, LLVMGetOperand(c, 0), g, mine);
  if (!first) return NULL;
  switch (LLVMGetConstOpcode(c)) {
  case LLVMPtrToInt: return LLVMBuildPtrToInt(b, first, type, "");
  case LLVMGetElementPtr: break;
  default: return NULL;
  }
  unsigned n = (unsigned)LLVMGetNumOperands(c) - 1;
  SCOPED LLVMValueRef *at = mem_alloc(n + 1, sizeof *at);
  for (unsigned k = 0; k < n; k++) at[k] = LLVMGetOperand(c, k + 1);
  return LLVMBuildInBoundsGEP2(b, LLVMGetGEPSourceElementType(c), first, at, n,
                               "");
}

static status
replace_operand(struct low_emit *em, LLVMValueRef user, unsigned k,
                LLVMValueRef g, LLVMValueRef mine) {
  assert(k < (unsigned)LLVMGetNumOperands(user));
  LLVMValueRef c = LLVMGetOperand(user, k);
  if (!LLVMIsAConstant(c) || !reaches(c, g)) return OK;
  stand_before(em->b, user, k);
  LLVMValueRef v = spell_out(em->b, c, g, mine);
  if (!v) {
    char *text = LLVMPrintValueToString(c);
    status s = err_set(ERR_COMPILE,
                       "on a device there is no constant such as %s", text);
    LLVMDisposeMessage(text);
    return s;
  }
  LLVMSetOperand(user, k, v);
  return OK;
}

static status
replace_uses(struct low_emit *em, LLVMValueRef g, LLVMValueRef mine) {
  LL_ALL_INSTS(i, em->fn)
    for (int k = 0; k < LLVMGetNumOperands(i); k++)
      TRY(replace_operand(em, i, (unsigned)k, g, mine));
  return OK;
}

static bool
used_in(LLVMValueRef fn, LLVMValueRef g) {
  LL_ALL_INSTS(i, fn)
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
      LLVMValueRef c = LLVMGetOperand(i, (unsigned)k);
      if (LLVMIsAConstant(c) && reaches(c, g)) return true;
    }
  return false;
}

/* Captured bytes of a bound constant: bind; -1: g is none. */
static int32_t
bound_as(const struct low_emit *em, LLVMValueRef g, size_t *size_out) {
  for (uint32_t k = 0; k < em->r->ninstances; k++) {
    const struct low_instance *in = &em->r->instances[k];
    for (uint32_t c = 0; c < in->kernel->nconsts; c++)
      if (in->binds && in->binds[c] >= 0 && em->consts[k][c] == g) {
        *size_out = in->kernel->consts[c].size;
        return in->binds[c];
      }
  }
  return -1;
}

/* `size` bytes at `from` (captured values) to private memory, in words as large
 * as the size allows; both begin at multiples of RT_SCALARS_WORD. */
static void
copy_in(struct low_emit *em, LLVMValueRef to, LLVMValueRef from, size_t size) {
  assert(size > 0);
  unsigned bytes = RT_SCALARS_WORD;
  while (size % bytes) bytes /= 2;
  LLVMTypeRef word = LLVMIntTypeInContext(em->ctx, 8 * bytes);
  for (size_t k = 0; k < size / bytes; k++) {
    LLVMValueRef at = ll_i64(em->ctx, (int64_t)k);
    LLVMValueRef v = LLVMBuildLoad2(
        em->b, word, LLVMBuildInBoundsGEP2(em->b, word, from, &at, 1, ""), "");
    LLVMBuildStore(em->b, v,
                   LLVMBuildInBoundsGEP2(em->b, word, to, &at, 1, ""));
  }
}

/* Is a global's address part of this initialiser? They nest a few levels. */
static bool
holds_address(LLVMValueRef c) {
  if (LLVMIsAGlobalValue(c)) return true;
  for (int k = 0; k < LLVMGetNumOperands(c); k++)
    if (holds_address(LLVMGetOperand(c, (unsigned)k))) return true;
  return false;
}

/* Store an initialiser; addresses one by one, so that they can be replaced. */
static void
fill_in(struct low_emit *em, LLVMValueRef init, LLVMValueRef to) {
  LLVMTypeRef type = LLVMTypeOf(init);
  if (LLVMIsAConstantExpr(init) || LLVMIsAGlobalValue(init) ||
      !holds_address(init)) {
    LLVMBuildStore(em->b, init, to);
    return;
  }
  LLVMTypeRef i32 = LLVMInt32TypeInContext(em->ctx);
  for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(init); k++) {
    LLVMValueRef at[] = {LLVMConstNull(i32), LLVMConstInt(i32, k, 0)};
    fill_in(em, LLVMGetOperand(init, k),
            LLVMBuildInBoundsGEP2(em->b, type, to, at, 2, ""));
  }
}

static status
make_private(struct low_emit *em, LLVMValueRef g) {
  assert(LLVMIsAGlobalVariable(g));
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(em->fn);
  LLVMPositionBuilderBefore(em->b, LLVMGetFirstInstruction(entry));
  LLVMValueRef mine =
      LLVMBuildAlloca(em->b, LLVMGlobalGetValueType(g), "variable");
  LLVMSetAlignment(mine, 16);
  LLVMPositionBuilderBefore(em->b, LLVMGetBasicBlockTerminator(entry));
  size_t size = 0;
  int32_t bind = bound_as(em, g, &size);
  if (bind >= 0)
    copy_in(em, mine,
            low_device_at(em, em->scalars,
                          ll_i64(em->ctx, em->form->bind_at[bind])),
            size);
  else
    fill_in(em, LLVMGetInitializer(g), mine);
  return replace_uses(em, g, mine);
}

/* Those that are used now; *more_out: there were such, and what they hold may
 * be addresses of others. */
static status
make_all_private(struct low_emit *em, bool *more_out) {
  *more_out = false;
  LL_GLOBALS(g, em->m) {
    LLVMTypeRef address = LLVMTypeOf(g);
    if (LLVMGetPointerAddressSpace(address) == LOW_SPACE_LOCAL ||
        !used_in(em->fn, g))
      continue;
    if (LLVMIsDeclaration(g))
      FAIL(ERR_COMPILE, "variable %s has no value on a device", ll_name(g));
    TRY(make_private(em, g));
    *more_out = true;
  }
  return OK;
}

status
low_device_globals(struct low_emit *em) {
  bool more = true;
  while (more) TRY(make_all_private(em, &more));
  return OK;
}
