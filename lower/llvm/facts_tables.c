/* Tables: constants of the program that hold pointers.
 *
 * Problem. Kernels look coefficients up in tables of tables (a matrix for each
 * order, a struct for each kind of element). A pointer that comes out of memory
 * may lead anywhere, so that following one would make the kernel opaque.
 *
 * Idea. What a constant holds is known here. A constant is closed if all
 * pointers in it, and in what these lead to, lead to constants; then so does
 * every pointer that is loaded from it, and each of these is closed again:
 *
 *     static const double p1[] = {...}, p2[] = {...};    closed: no pointers
 *     static const double *const order[] = {p1, p2};     closed
 *     static double *const out[] = {x, y};               open: x is a variable
 *
 * All constants begin as closed; one that leads to an open one opens, until
 * nothing changes, so that lists and rings of constants are no special case.
 * Functions and NULL count as constants: there is nothing to be read behind
 * them. A weak name may be NULL, which only the linker knows: it is open.
 * limits: one variable behind a struct's pointers opens the whole constant.
 */
#include "lower/llvm/facts.h"

#include <llvm-c/Core.h>

static bool
tables_weak(LLVMValueRef v) {
  return LLVMGetLinkage(v) == LLVMExternalWeakLinkage;
}

/* Initialisers nest as their types do, a few levels. */
static bool
tables_lead_to_closed(const struct facts *f, LLVMValueRef v) {
  if (LLVMIsAGlobalVariable(v))
    return table_get(&f->closed, &v, sizeof v, 0) != 0;
  if (LLVMIsAFunction(v)) return !tables_weak(v);
  if (LLVMIsAGlobalValue(v) || LLVMIsABlockAddress(v)) return false;
  if (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMIntToPtr)
    return false;
  for (int k = 0; k < LLVMGetNumOperands(v); k++)
    if (!tables_lead_to_closed(f, LLVMGetOperand(v, (unsigned)k))) return false;
  return true;
}

static bool
tables_is_constant(LLVMValueRef g) {
  return LLVMIsGlobalConstant(g) && !LLVMIsDeclaration(g) &&
         !LLVMIsThreadLocal(g);
}

uint8_t
fact_global(const struct facts *f, LLVMValueRef g) {
  if (!tables_is_constant(g)) return FACT_GLOBAL;
  return table_get(&f->closed, &g, sizeof g, 0) ? FACT_CLOSED : FACT_OPEN;
}

void
fact_tables(struct facts *f) {
  LL_GLOBALS(g, f->m)
    if (tables_is_constant(g)) *table_slot(&f->closed, &g, sizeof g) = 1;
  for (bool again = true; again;) {
    again = false;
    LL_GLOBALS(g, f->m) {
      if (!table_get(&f->closed, &g, sizeof g, 0) ||
          tables_lead_to_closed(f, LLVMGetInitializer(g)))
        continue;
      table_remove(&f->closed, &g, sizeof g);
      again = true;
    }
  }
}
