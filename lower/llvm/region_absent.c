/* What tables of a kernel lead to and a region has not.
 *
 * Problem. A table of constants may also hold addresses of the program's
 * variables and of functions:
 *
 *     static const struct { double w; double *state; double (*f)(double); }
 *     kind[]
 *         = {{0.5, states, show}, ...};
 *
 * A kernel that reads `w` brings the table with it, and with the table all it
 * mentions: variables that lie in the program, functions that call others.
 *
 * Idea. The kernel does nothing with such pointers but compare them: else its
 * facts would say that it has effects (facts_access.c), and it would run as it
 * is. So a variable may have any address that nothing else has, without memory
 * behind it, and a function that no code of the kernel mentions needs no body:
 *
 *     @states   ->   inttoptr (i64 0x4000000000000000 to ptr)
 *     @show     ->   @0 = internal void () { ret }
 *
 * Devices have no functions whose address could be taken: there what tables say
 * of them are addresses of the first kind. */
#include "lower/llvm/bitcode.h"
#include "lower/llvm/code.h"
#include "lower/llvm/ll.h"

#include "base/table.h"

#include <assert.h>
#include <stdlib.h>

/* Addresses that no program has. */
struct absent {
  LLVMModuleRef m;
  uint64_t next;
};
#define ABSENT_FIRST (1ull << 62)

static LLVMValueRef
absent_address(struct absent *a, uint64_t bytes) {
  assert(a->next % LOW_ALIGN == 0);
  LLVMContextRef ctx = LLVMGetModuleContext(a->m);
  uint64_t at = a->next;
  a->next += (bytes / LOW_ALIGN + 1) * LOW_ALIGN;
  return LLVMConstIntToPtr(LLVMConstInt(LLVMInt64TypeInContext(ctx), at, 0),
                           LLVMPointerTypeInContext(ctx, 0));
}

static bool
absent_is_data(LLVMValueRef user) {
  return LLVMIsAGlobalVariable(user) || LLVMIsAConstantExpr(user) ||
         LLVMIsAConstantStruct(user) || LLVMIsAConstantArray(user);
}

/* Is fn used by data, and else by code only? C++ names functions elsewhere,
 * too. */
static bool
absent_in_data(LLVMValueRef fn) {
  bool data = false;
  for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    if (absent_is_data(user))
      data = true;
    else if (!LLVMIsAInstruction(user))
      return false;
  }
  return data;
}

/* ---- functions of a kernel ---------------------------------------------- */

/* Functions that code mentions, from the kernel on. */
struct needed {
  struct table set;
  LLVMValueRef *list;
  uint32_t n, cap;
};

/* The functions in a constant, which nests a few levels. */
static void
needed_add(struct needed *s, LLVMValueRef v) {
  if (LLVMIsAFunction(v)) {
    uintptr_t *slot = table_slot(&s->set, &v, sizeof v);
    if (!*slot) VEC_PUSH(s->list, s->n, s->cap, v);
    *slot = 1;
    return;
  }
  if (!LLVMIsAConstant(v) || LLVMIsAGlobalValue(v) || LLVMIsABlockAddress(v))
    return;
  for (int k = 0; k < LLVMGetNumOperands(v); k++)
    needed_add(s, LLVMGetOperand(v, (unsigned)k));
}

static void
needed_walk(struct needed *s, LLVMValueRef fn) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b;
       b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
         i = LLVMGetNextInstruction(i))
      for (int k = 0; k < LLVMGetNumOperands(i); k++) {
        LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);
        if (!LLVMValueIsBasicBlock(v)) needed_add(s, v);
      }
}

/* A function without a body worth the name takes fn's place. It returns:
 * functions of no code at all would have one address. */
static LLVMValueRef
absent_function(LLVMModuleRef m, LLVMValueRef fn) {
  LLVMContextRef ctx = LLVMGetModuleContext(m);
  LLVMValueRef empty = LLVMAddFunction(m, "", LLVMGlobalGetValueType(fn));
  LLVMSetLinkage(empty, LLVMInternalLinkage);
  LLVMBuilderRef b = LLVMCreateBuilderInContext(ctx);
  LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(ctx, empty, ""));
  LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(fn));
  if (LLVMGetTypeKind(result) == LLVMVoidTypeKind)
    LLVMBuildRetVoid(b);
  else
    LLVMBuildRet(b, LLVMConstNull(result));
  LLVMDisposeBuilder(b);
  LLVMReplaceAllUsesWith(fn, empty);
  return empty;
}

void
low_absent_replace(LLVMModuleRef m, LLVMValueRef kernel) {
  struct absent a = {m, ABSENT_FIRST};
  struct needed s = {0};
  needed_add(&s, kernel);
  for (uint32_t k = 0; k < s.n; k++) needed_walk(&s, s.list[k]);
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
    if (!table_get(&s.set, &f, sizeof f, 0) && absent_in_data(f))
      needed_add(&s, absent_function(m, f));
  for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
    if (LLVMIsDeclaration(g) && !LLVMIsThreadLocal(g) && LLVMGetFirstUse(g))
      LLVMReplaceAllUsesWith(g, absent_address(&a, low_blob_sizeof(m, g)));
  table_clear(&s.set);
  free(s.list);
}

/* ---- functions on a device ---------------------------------------------- */

/* A call that names a function. */
struct absent_call {
  LLVMValueRef call;
  unsigned operand;
};

void
low_absent_on_device(LLVMModuleRef m) {
  struct absent a = {m, ABSENT_FIRST << 1};
  struct absent_call *calls = NULL;
  uint32_t n = 0, cap = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f;
       f = LLVMGetNextFunction(f)) {
    if (!absent_in_data(f)) continue;
    n = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
      struct absent_call c = {LLVMGetUser(u), 0};
      if (!LLVMIsACallInst(c.call)) continue;
      for (; c.operand < (unsigned)LLVMGetNumOperands(c.call); c.operand++)
        if (LLVMGetOperand(c.call, c.operand) == f) VEC_PUSH(calls, n, cap, c);
    }
    LLVMReplaceAllUsesWith(f, absent_address(&a, 1));
    for (uint32_t k = 0; k < n; k++)
      LLVMSetOperand(calls[k].call, calls[k].operand, f);
  }
  free(calls);
}
