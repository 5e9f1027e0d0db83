/* Is a parameter only added to?
 *
 * Problem. OP_INC is executed by giving each element (or thread) a zero to add
 * to and adding that up later. That is right only if the kernel would do the
 * same to any other start value. OP2's own Jacobi declares OP_INC for this:
 *
 *     *u_sum += *du;  *max = MAX(*max, *du);            adds only: u_sum
 *     *u += x;        *sum += (*u) * (*u);            not u: its value is used
 *
 * Idea. Say a value "carries" location l if it is (what l held at the start)
 * + (something independent of it). By induction over the run:
 *   - a load of l carries l, if all stores to l stored carriers of l;
 *   - c + x, c - x, fma(x, y, c), and c widened and narrowed back carry l, if c
 *     does and x, y carry nothing;
 *   - a phi or select of carriers of l carries l;
 * and nothing else may use a carrier but a store to l. Then the start value
 * reaches nothing but its own sum, whatever the control flow is. Locations are
 * (object, offset, type), or the address itself where the offset is variable:
 * then a carrier must not pass a phi, since the address may be another one
 * there.
 *
 * cost: O(uses). limits: addition through memcpy, vectors taken apart,
 * x - (y - c).
 */
#include "lower/llvm/facts.h"

#include <assert.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

struct adds {
  const struct facts *f;
  uint32_t param;
  LLVMTypeRef type;   /* of one component, in all accesses */
  struct table where; /* carrier -> 1 + number of an access of its location */
  LLVMValueRef *carriers;
  uint32_t ncarriers, capcarriers;
};

static bool
adds_mine(const struct adds *w, const struct fact_access *x) {
  return w->f->objects[x->object].param == w->param;
}

static LLVMTypeRef
adds_type(const struct fact_access *x) {
  return LLVMTypeOf(x->writes ? LLVMGetOperand(x->inst, 0) : x->inst);
}

static LLVMTypeRef
adds_component(LLVMTypeRef t) {
  return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

static bool
adds_number(LLVMTypeRef t) {
  LLVMTypeKind k = LLVMGetTypeKind(t);
  return k == LLVMIntegerTypeKind || k == LLVMFloatTypeKind ||
         k == LLVMDoubleTypeKind || k == LLVMX86_FP80TypeKind ||
         k == LLVMHalfTypeKind;
}

/* Plain loads and stores of components of one type, none across another. */
static bool
adds_shape(struct adds *w, const struct fact_access *x) {
  if (w->f->objects[x->object].escaped) return false;
  if (!LLVMIsALoadInst(x->inst) && !LLVMIsAStoreInst(x->inst)) return false;
  LLVMTypeRef t = adds_component(adds_type(x));
  if (!w->type) w->type = t;
  if (t != w->type || !adds_number(t)) return false;
  uint64_t size = LLVMABISizeOfType(w->f->layout, t);
  if (x->known) return x->offset % (int64_t)size == 0;
  return LLVMGetAlignment(x->inst) >= LLVMABIAlignmentOfType(w->f->layout, t);
}

static bool
adds_same(const struct fact_access *a, const struct fact_access *b) {
  if (a->object != b->object || a->known != b->known) return false;
  if (adds_type(a) != adds_type(b)) return false;
  return a->known ? a->offset == b->offset : a->pointer == b->pointer;
}

static const struct fact_access *
adds_location(const struct adds *w, LLVMValueRef v) {
  uintptr_t at = table_get(&w->where, &v, sizeof v, 0);
  return at ? &w->f->accesses[at - 1] : NULL;
}

/* v carries this location; false if it carries another one, too. */
static bool
adds_mark(struct adds *w, LLVMValueRef v, const struct fact_access *loc) {
  const struct fact_access *old = adds_location(w, v);
  if (old) return adds_same(old, loc);
  *table_slot(&w->where, &v, sizeof v) = (uintptr_t)(loc - w->f->accesses) + 1;
  VEC_PUSH(w->carriers, w->ncarriers, w->capcarriers, v);
  return true;
}

static bool
adds_store(const struct adds *w, LLVMValueRef store,
           const struct fact_access *loc) {
  for (uint32_t a = 0; a < w->f->naccesses; a++) {
    const struct fact_access *x = &w->f->accesses[a];
    if (x->inst == store && x->writes)
      return adds_mine(w, x) && adds_same(x, loc);
  }
  return false; /* to a local, or elsewhere */
}

static bool
adds_is_fma(LLVMValueRef call) {
  size_t len;
  LLVMValueRef fn = LLVMGetCalledValue(call);
  if (!LLVMIsAFunction(fn)) return false;
  const char *name = LLVMGetValueName2(fn, &len);
  return !strncmp(name, "llvm.fmuladd.", 13) || !strncmp(name, "llvm.fma.", 9);
}

static bool
adds_only_operand(LLVMValueRef i, LLVMValueRef v, unsigned at) {
  int n = LLVMGetNumOperands(i);
  for (int k = 0; k < n; k++)
    if ((LLVMGetOperand(i, (unsigned)k) == v) != ((unsigned)k == at))
      return false;
  return true;
}

/* May instruction i use carrier v? It becomes a carrier itself, then. */
static bool
adds_use(struct adds *w, LLVMValueRef i, LLVMValueRef v,
         const struct fact_access *loc) {
  LLVMTypeRef to = adds_component(LLVMTypeOf(i));
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMStore: return adds_store(w, i, loc);
  case LLVMFAdd:
  case LLVMAdd:
  case LLVMFreeze: return adds_mark(w, i, loc);
  case LLVMFSub:
  case LLVMSub: return adds_only_operand(i, v, 0) && adds_mark(w, i, loc);
  case LLVMCall:
    return adds_is_fma(i) && adds_only_operand(i, v, 2) && adds_mark(w, i, loc);
  case LLVMPHI: return loc->known && adds_mark(w, i, loc);
  case LLVMSelect: return LLVMGetOperand(i, 0) != v && adds_mark(w, i, loc);
  case LLVMFPExt:
  case LLVMSExt:
  case LLVMZExt:
    return adds_component(LLVMTypeOf(v)) == w->type && adds_mark(w, i, loc);
  case LLVMFPTrunc:
  case LLVMTrunc: return to == w->type && adds_mark(w, i, loc);
  default: return false;
  }
}

static bool
adds_spread(struct adds *w) {
  for (uint32_t c = 0; c < w->ncarriers; c++) {
    LLVMValueRef v = w->carriers[c];
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
      if (!adds_use(w, LLVMGetUser(u), v, adds_location(w, v))) return false;
  }
  return true;
}

/* A sum needs one carrier, a choice nothing but carriers. */
static bool
adds_check(const struct adds *w, LLVMValueRef v) {
  LLVMOpcode op = LLVMGetInstructionOpcode(v);
  bool sum = op == LLVMFAdd || op == LLVMAdd;
  bool choice = op == LLVMPHI || op == LLVMSelect;
  if (!sum && !choice) return true;
  unsigned first = op == LLVMSelect, n = (unsigned)LLVMGetNumOperands(v);
  unsigned found = 0;
  for (unsigned k = first; k < n; k++)
    found += adds_location(w, LLVMGetOperand(v, k)) != NULL;
  return found == (sum ? 1 : n - first);
}

static bool
adds_prove(struct adds *w) {
  const struct facts *f = w->f;
  for (uint32_t a = 0; a < f->naccesses; a++)
    if (adds_mine(w, &f->accesses[a]) && !adds_shape(w, &f->accesses[a]))
      return false;
  for (uint32_t a = 0; a < f->naccesses; a++) {
    const struct fact_access *x = &f->accesses[a];
    if (adds_mine(w, x) && !x->writes && !adds_mark(w, x->inst, x))
      return false;
  }
  if (!adds_spread(w)) return false;
  for (uint32_t c = 0; c < w->ncarriers; c++)
    if (!adds_check(w, w->carriers[c])) return false;
  for (uint32_t a = 0; a < f->naccesses; a++) {
    const struct fact_access *x = &f->accesses[a];
    if (adds_mine(w, x) && x->writes &&
        !adds_location(w, LLVMGetOperand(x->inst, 0)))
      return false; /* where it is one, adds_use has compared the places */
  }
  return true;
}

bool
fact_adds_only(const struct facts *f, uint32_t param) {
  for (uint32_t k = 0; k < f->nobjects; k++)
    if (f->objects[k].param == param && f->objects[k].escaped) return false;
  struct adds w = {.f = f, .param = param};
  bool yes = adds_prove(&w);
  free(w.carriers);
  table_clear(&w.where);
  return yes;
}
