/* Where each pointer of the kernel leads.
 *
 * Problem. Facts are about the memory behind a parameter; the code has pointers
 * computed from parameters, chosen between them, loaded from vector arguments.
 *
 * Idea. A forward analysis over pointer values, from bottom ("not seen yet"):
 *
 *     %u                               object u, offset 0
 *     gep double, %u, i64 3            object u, offset 24
 *     gep double, %u, i64 %i           object u, offset unknown
 *     load ptr, (gep ptr, %v, 2)       object v[2], offset 0
 *     load ptr, (gep @table, %i)       a constant, where @table leads to such
 *     phi %u, (gep %u, 1)              object u, offset unknown
 *     select %c, %u, %w                several objects: u and w escape
 *
 * Joins go up only, and each value can go up at most seven times, so repeating
 * the pass until nothing changes ends; straight code takes two rounds. limits:
 * pointers that go through other memory are unknown; the kernel becomes opaque
 * if it follows one.
 */
#include "lower/llvm/facts.h"

#include <assert.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

static uint32_t
pointer_object(struct facts *f, uint32_t param, int64_t entry) {
  assert(param < LLVMCountParams(f->fn));
  for (uint32_t o = 0; o < f->nobjects; o++)
    if (f->objects[o].param == param && f->objects[o].entry == entry) return o;
  struct fact_object o = {.param = param, .entry = entry};
  VEC_PUSH(f->objects, f->nobjects, f->capobjects, o);
  return f->nobjects - 1;
}

static bool
pointer_typed(LLVMValueRef v) {
  return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

/* Bytes that a GEP adds; false if an index is not constant. */
static bool
pointer_gep_offset(const struct facts *f, LLVMValueRef gep, int64_t *out) {
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
  int n = LLVMGetNumOperands(gep);
  int64_t sum = 0;
  for (int i = 1; i < n; i++) {
    LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
    if (!LLVMIsAConstantInt(index)) return false;
    int64_t k = LLVMConstIntGetSExtValue(index);
    if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
      sum += (int64_t)LLVMOffsetOfElement(f->layout, type, (unsigned)k);
      type = LLVMStructGetTypeAtIndex(type, (unsigned)k);
      continue;
    }
    if (i > 1) type = LLVMGetElementType(type);
    sum += k * (int64_t)LLVMABISizeOfType(f->layout, type);
  }
  *out = sum;
  return true;
}

static struct fact_pointer
pointer_constant(const struct facts *f, LLVMValueRef v) {
  struct fact_pointer p = {.object = FACT_NONE};
  while (LLVMIsAConstantExpr(v) && LLVMGetNumOperands(v) > 0 &&
         pointer_typed(LLVMGetOperand(v, 0)))
    v = LLVMGetOperand(v, 0);
  if (LLVMIsAGlobalVariable(v))
    p.bases = fact_global(f, v);
  else if (!LLVMIsNull(v) && !LLVMIsUndef(v))
    p.bases = FACT_UNKNOWN;
  return p;
}

struct fact_pointer
fact_pointer_of(const struct facts *f, LLVMValueRef v) {
  if (LLVMIsConstant(v)) return pointer_constant(f, v);
  uintptr_t p = table_get(&f->pointers, &v, sizeof v, 0);
  if (p) return *(struct fact_pointer *)p;
  return (struct fact_pointer){.object = FACT_NONE};
}

static void
pointer_escape(struct facts *f, struct fact_pointer p) {
  if (p.object != FACT_NONE) f->objects[p.object].escaped = true;
}

static struct fact_pointer
pointer_join(struct facts *f, struct fact_pointer a, struct fact_pointer b) {
  if (!a.bases) return b;
  if (!b.bases) return a;
  struct fact_pointer j = {.bases = a.bases | b.bases, .object = FACT_NONE};
  if (a.object == b.object) {
    j.object = a.object;
    j.known = a.known && b.known && a.offset == b.offset;
    j.offset = j.known ? a.offset : 0;
    if (j.bases == FACT_PARAM) return j;
    pointer_escape(f, a);
    j.object = FACT_NONE;
    return j;
  }
  if (a.object != FACT_NONE && b.object != FACT_NONE) {
    const struct fact_object *x = &f->objects[a.object],
                             *y = &f->objects[b.object];
    if (x->param == y->param && x->entry != FACT_SELF &&
        y->entry != FACT_SELF) {
      j.object = pointer_object(f, x->param, FACT_ANY);
      return j;
    }
  }
  pointer_escape(f, a);
  pointer_escape(f, b);
  return j;
}

static struct fact_pointer
pointer_add(const struct facts *f, LLVMValueRef gep) {
  struct fact_pointer p = fact_pointer_of(f, LLVMGetOperand(gep, 0));
  int64_t more = 0;
  p.known = p.known && pointer_gep_offset(f, gep, &more);
  p.offset = p.known ? p.offset + more : 0;
  return p;
}

/* A pointer out of memory: an entry of a vector argument or of a table, or
 * anything. */
static struct fact_pointer
pointer_load(struct facts *f, LLVMValueRef load) {
  struct fact_pointer p = fact_pointer_of(f, LLVMGetOperand(load, 0));
  if (!p.bases || p.bases == FACT_CLOSED) return p;
  int64_t bytes = (int64_t)LLVMPointerSize(f->layout);
  struct fact_pointer any = {.bases = FACT_UNKNOWN |
                                      (p.bases & (FACT_OPEN | FACT_CLOSED)),
                             .object = FACT_NONE};
  if (p.object == FACT_NONE || f->objects[p.object].entry != FACT_SELF)
    return any;
  uint32_t param = f->objects[p.object].param;
  bool one = p.known && p.offset >= 0 && p.offset % bytes == 0;
  return (struct fact_pointer){
      .bases = FACT_PARAM,
      .known = one,
      .object = pointer_object(f, param, one ? p.offset / bytes : FACT_ANY)};
}

static struct fact_pointer
pointer_join_operands(struct facts *f, LLVMValueRef i, unsigned first) {
  assert(first <= (unsigned)LLVMGetNumOperands(i));
  struct fact_pointer p = {.object = FACT_NONE};
  unsigned n = (unsigned)LLVMGetNumOperands(i);
  for (unsigned k = first; k < n; k++)
    p = pointer_join(f, p, fact_pointer_of(f, LLVMGetOperand(i, k)));
  return p;
}

static struct fact_pointer
pointer_eval(struct facts *f, LLVMValueRef i) {
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMGetElementPtr: return pointer_add(f, i);
  case LLVMLoad: return pointer_load(f, i);
  case LLVMPHI: return pointer_join_operands(f, i, 0);
  case LLVMSelect: return pointer_join_operands(f, i, 1);
  case LLVMFreeze: return fact_pointer_of(f, LLVMGetOperand(i, 0));
  case LLVMAlloca:
    return (struct fact_pointer){.bases = FACT_LOCAL, .object = FACT_NONE};
  default:
    return (struct fact_pointer){.bases = FACT_UNKNOWN, .object = FACT_NONE};
  }
}

static struct fact_pointer *
pointer_slot(struct facts *f, LLVMValueRef v) {
  assert(pointer_typed(v));
  uintptr_t *slot = table_slot(&f->pointers, &v, sizeof v);
  if (!*slot) {
    struct fact_pointer *p = ARENA_NEW(&f->arena, struct fact_pointer);
    p->object = FACT_NONE;
    *slot = (uintptr_t)p;
  }
  return (struct fact_pointer *)*slot;
}

static bool
pointer_same(struct fact_pointer a, struct fact_pointer b) {
  return a.bases == b.bases && a.object == b.object && a.known == b.known &&
         a.offset == b.offset;
}

/* The new value is joined with the old one, so that it never goes down. */
static bool
pointer_update(struct facts *f, LLVMValueRef i) {
  struct fact_pointer *p = pointer_slot(f, i), old = *p;
  struct fact_pointer now = pointer_join(f, old, pointer_eval(f, i));
  *pointer_slot(f, i) = now;
  return !pointer_same(old, now);
}

void
fact_pointers(struct facts *f) {
  unsigned n = LLVMCountParams(f->fn);
  for (unsigned k = 0; k < n; k++) {
    LLVMValueRef v = LLVMGetParam(f->fn, k);
    if (pointer_typed(v))
      *pointer_slot(f, v) = (struct fact_pointer){
          FACT_PARAM, true, pointer_object(f, k, FACT_SELF), 0};
  }
  for (bool again = true; again;) {
    again = false;
    LL_ALL_INSTS(i, f->fn)
      if (pointer_typed(i) && pointer_update(f, i)) again = true;
  }
}
