/* Carriers: which values depend on what a parameter's memory held at the start;
 * see facts_carry.h. */
#include "lower/llvm/facts_carry.h"

#include <assert.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

bool
carry_mine(const struct carry *w, const struct fact_access *x) {
  assert(x->object < w->f->nobjects);
  return w->f->objects[x->object].param == w->param;
}

static LLVMTypeRef
carry_type(const struct fact_access *x) {
  return LLVMTypeOf(x->writes ? LLVMGetOperand(x->inst, 0) : x->inst);
}

LLVMTypeRef
carry_component(LLVMTypeRef t) {
  return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

static bool
carry_is_number(LLVMTypeRef t) {
  LLVMTypeKind k = LLVMGetTypeKind(t);
  return k == LLVMIntegerTypeKind || k == LLVMFloatTypeKind ||
         k == LLVMDoubleTypeKind || k == LLVMX86_FP80TypeKind ||
         k == LLVMHalfTypeKind;
}

/* Plain loads and stores of components of one type, none across another. */
static bool
carry_shape(struct carry *w, const struct fact_access *x) {
  if (w->f->objects[x->object].escaped) return false;
  if (!LLVMIsALoadInst(x->inst) && !LLVMIsAStoreInst(x->inst)) return false;
  LLVMTypeRef t = carry_component(carry_type(x));
  if (!w->type) w->type = t;
  if (t != w->type || !carry_is_number(t)) return false;
  uint64_t size = LLVMABISizeOfType(w->f->layout, t);
  if (x->known) return x->offset % (int64_t)size == 0;
  return LLVMGetAlignment(x->inst) >= LLVMABIAlignmentOfType(w->f->layout, t);
}

bool
carry_same(const struct fact_access *a, const struct fact_access *b) {
  if (a->object != b->object || a->known != b->known) return false;
  if (carry_type(a) != carry_type(b)) return false;
  return a->known ? a->offset == b->offset : a->pointer == b->pointer;
}

const struct fact_access *
carry_location(const struct carry *w, LLVMValueRef v) {
  uintptr_t at = table_get(&w->where, &v, sizeof v, 0);
  return at ? &w->f->accesses[at - 1] : NULL;
}

bool
carry_mark(struct carry *w, LLVMValueRef v, const struct fact_access *loc) {
  assert(loc >= w->f->accesses && loc < w->f->accesses + w->f->naccesses);
  const struct fact_access *old = carry_location(w, v);
  if (old) return carry_same(old, loc);
  *table_slot(&w->where, &v, sizeof v) = (uintptr_t)(loc - w->f->accesses) + 1;
  VEC_PUSH(w->carriers, w->ncarriers, w->capcarriers, v);
  return true;
}

bool
carry_stores(const struct carry *w, LLVMValueRef store,
             const struct fact_access *loc) {
  for (uint32_t a = 0; a < w->f->naccesses; a++) {
    const struct fact_access *x = &w->f->accesses[a];
    if (x->inst == store && x->writes)
      return carry_mine(w, x) && carry_same(x, loc);
  }
  return false; /* to a local, or elsewhere */
}

const char *
carry_callee(LLVMValueRef call) {
  LLVMValueRef fn = LLVMGetCalledValue(call);
  return LLVMIsAFunction(fn) ? ll_name(fn) : "";
}

bool
carry_spread(struct carry *w, carry_use_fn use) {
  const struct facts *f = w->f;
  for (uint32_t k = 0; k < f->nobjects; k++)
    if (f->objects[k].param == w->param && f->objects[k].escaped) return false;
  for (uint32_t a = 0; a < f->naccesses; a++)
    if (carry_mine(w, &f->accesses[a]) && !carry_shape(w, &f->accesses[a]))
      return false;
  for (uint32_t a = 0; a < f->naccesses; a++) {
    const struct fact_access *x = &f->accesses[a];
    if (carry_mine(w, x) && !x->writes && !carry_mark(w, x->inst, x))
      return false;
  }
  for (uint32_t c = 0; c < w->ncarriers; c++) {
    LLVMValueRef v = w->carriers[c];
    LL_USES(u, v)
      if (!use(w, LLVMGetUser(u), v, carry_location(w, v))) return false;
  }
  return true;
}

void
carry_clear(struct carry *w) {
  free(w->carriers);
  table_clear(&w->where);
}

static bool
carry_is_float(LLVMTypeRef t) {
  return LLVMGetTypeKind(t) != LLVMIntegerTypeKind;
}

uint32_t
carry_types(const struct carry *w, const char *classes) {
  static const uint32_t bytes[] = {
#define TYPE(name, text, size, ctype, kind) [TYPE_##name] = size,
#include "base/types.def"
#undef TYPE
  };
  uint32_t types = 0;
  if (!w->type) return 0;
  assert(carry_is_number(w->type));
  for (uint32_t k = 0; k < TYPE_BYTES; k++) {
    struct type t = {k, bytes[k]};
    if (k == TYPE_BOOL || !strchr(classes, type_class(t))) continue;
    if ((type_class(t) == 'F') != carry_is_float(w->type)) continue;
    if (LLVMABISizeOfType(w->f->layout, w->type) == bytes[k] &&
        LLVMSizeOfTypeInBits(w->f->layout, w->type) == 8 * bytes[k])
      types |= 1u << k;
  }
  return types;
}
