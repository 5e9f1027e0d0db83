/* What the kernel does: accesses of its parameters' memory, and effects.
 *
 * One pass over the cleaned code. Each operand that is a pointer is either an
 * address that is understood (load, store, memcpy, memset), only moved on (gep,
 * phi, select: see facts_pointers.c), only compared with NULL, or it escapes:
 * then anything may have happened to its memory.
 *
 * An effect is what the program could notice besides the stores to the kernel's
 * arguments: stores to globals, calls that leave the bitcode, volatile and
 * atomic accesses, assembly. A pointer that came out of memory may lead
 * anywhere, so following one counts, too. The first reason is kept for people.
 *
 * Mutable globals that are read are the kernel's constants: collected here.
 */
#include "lower/llvm/facts.h"

#include "lower/llvm/bitcode.h"

#include <assert.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdarg.h>
#include <string.h>

/* Intrinsics that touch no memory a kernel could see. */
static const char *const harmless[] = {"llvm.lifetime.",
                                       "llvm.dbg.",
                                       "llvm.assume",
                                       "llvm.invariant.",
                                       "llvm.experimental.noalias.scope.decl",
                                       "llvm.stacksave",
                                       "llvm.stackrestore",
                                       "llvm.sideeffect",
                                       "llvm.prefetch",
                                       "llvm.donothing"};

void
fact_effect(struct facts *f, const char *fmt, ...) {
  if (f->effects) return;
  SCOPED_STR text = STR_INIT;
  va_list ap;
  va_start(ap, fmt);
  str_vprintf(&text, fmt, ap);
  va_end(ap);
  f->effects = true;
  f->why = arena_str(&f->arena, text.s);
}

static bool
access_starts(const char *s, const char *prefix) {
  return !strncmp(s, prefix, strlen(prefix));
}

static void
access_escape(struct facts *f, LLVMValueRef v) {
  if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind) return;
  struct fact_pointer p = fact_pointer_of(f, v);
  if (p.object != FACT_NONE) f->objects[p.object].escaped = true;
  if (p.bases & (FACT_GLOBAL | FACT_OPEN | FACT_CLOSED))
    fact_effect(f, "passes on the address of a global");
}

/* ---- memory -------------------------------------------------------------- */

/* Record an access of `size` bytes (0: not known) at address `pointer`. */
static void
access_add(struct facts *f, LLVMValueRef inst, LLVMValueRef pointer,
           uint64_t size, bool writes) {
  struct fact_pointer p = fact_pointer_of(f, pointer);
  if (p.bases & FACT_UNKNOWN) fact_effect(f, "follows a pointer that it loads");
  if (writes && p.bases & (FACT_GLOBAL | FACT_OPEN | FACT_CLOSED))
    fact_effect(f,
                LLVMIsAGlobalVariable(pointer) ? "writes global `%.*s`"
                                               : "writes a global%.*s",
                LLVMIsAGlobalVariable(pointer)
                    ? low_variable_length(ll_name(pointer))
                    : 0,
                ll_name(pointer));
  if (p.object == FACT_NONE) return;
  struct fact_access a = {.inst = inst,
                          .pointer = pointer,
                          .object = p.object,
                          .writes = writes,
                          .known = p.known && size && p.offset >= 0,
                          .offset = p.offset,
                          .size = size};
  VEC_PUSH(f->accesses, f->naccesses, f->capaccesses, a);
}

static void
access_plain(struct facts *f, LLVMValueRef i) {
  if (LLVMGetVolatile(i)) fact_effect(f, "makes a volatile access");
  if (LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
    fact_effect(f, "makes an atomic access");
}

static bool
access_self(const struct facts *f, LLVMValueRef pointer) {
  struct fact_pointer p = fact_pointer_of(f, pointer);
  return p.object != FACT_NONE && f->objects[p.object].entry == FACT_SELF;
}

static void
access_load(struct facts *f, LLVMValueRef i) {
  assert(LLVMIsALoadInst(i));
  LLVMTypeRef type = LLVMTypeOf(i);
  LLVMValueRef pointer = LLVMGetOperand(i, 0);
  access_plain(f, i);
  bool entry =
      LLVMGetTypeKind(type) == LLVMPointerTypeKind && access_self(f, pointer);
  if (!entry) /* a vector argument's entries are no data */
    access_add(f, i, pointer, LLVMStoreSizeOfType(f->layout, type), false);
}

static void
access_store(struct facts *f, LLVMValueRef i) {
  assert(LLVMIsAStoreInst(i));
  LLVMValueRef value = LLVMGetOperand(i, 0);
  access_plain(f, i);
  access_escape(f, value);
  if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
    access_escape(f, LLVMGetOperand(i, 1)); /* data hold no pointers */
  access_add(f, i, LLVMGetOperand(i, 1),
             LLVMStoreSizeOfType(f->layout, LLVMTypeOf(value)), true);
}

/* memcpy(to, from, n, volatile), memmove likewise, memset(to, byte, n, ...). */
static void
access_block(struct facts *f, LLVMValueRef i, bool copies) {
  LLVMValueRef n = LLVMGetOperand(i, 2), is_volatile = LLVMGetOperand(i, 3);
  uint64_t size = LLVMIsAConstantInt(n) ? LLVMConstIntGetZExtValue(n) : 0;
  if (LLVMIsAConstantInt(n) && !size) return;
  if (!LLVMIsNull(is_volatile)) fact_effect(f, "makes a volatile access");
  if (copies) access_add(f, i, LLVMGetOperand(i, 1), size, false);
  access_add(f, i, LLVMGetOperand(i, 0), size, true);
}

/* ---- calls --------------------------------------------------------------- */

static bool
access_memory_none(LLVMValueRef fn) {
  unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
  LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(fn, LL_OF_FUNCTION, kind);
  return a && LLVMGetEnumAttributeValue(a) == 0;
}

static bool
access_is_harmless(const char *name) {
  for (size_t k = 0; k < sizeof harmless / sizeof *harmless; k++)
    if (access_starts(name, harmless[k])) return true;
  return false;
}

static void
access_intrinsic(struct facts *f, LLVMValueRef i, LLVMValueRef fn) {
  const char *name = ll_name(fn);
  if (access_starts(name, "llvm.memcpy.") ||
      access_starts(name, "llvm.memmove.") ||
      access_starts(name, "llvm.memcpy.inline."))
    access_block(f, i, true);
  else if (access_starts(name, "llvm.memset."))
    access_block(f, i, false);
  else if (access_starts(name, "llvm.threadlocal."))
    fact_effect(f, "uses a thread-local variable");
  else if (!access_is_harmless(name) && !access_memory_none(fn))
    fact_effect(f, "calls %s", name);
}

static void
access_call(struct facts *f, LLVMValueRef i) {
  LLVMValueRef fn = LLVMGetCalledValue(i);
  if (LLVMIsAFunction(fn) && LLVMGetIntrinsicID(fn)) {
    access_intrinsic(f, i, fn);
    return;
  }
  if (LLVMIsAInlineAsm(fn))
    fact_effect(f, "has inline assembly");
  else if (!LLVMIsAFunction(fn))
    fact_effect(f, "calls through a pointer");
  else if (!LLVMIsDeclaration(fn))
    fact_effect(f, "has a recursive function");
  else if (!low_math_is_pure(ll_name(fn)))
    fact_effect(f, "calls %s", ll_name(fn));
  unsigned n = LLVMGetNumArgOperands(i);
  for (unsigned k = 0; k < n; k++) access_escape(f, LLVMGetOperand(i, k));
}

/* ---- the rest ------------------------------------------------------------ */

/* Do the outcome of comparing these two, and the program's, agree? In a
 * region's code what a table leads to has addresses of its own
 * (region_absent.c). */
static bool
access_compares_alike(const struct facts *f, LLVMValueRef a, LLVMValueRef b) {
  uint8_t bases = fact_pointer_of(f, a).bases | fact_pointer_of(f, b).bases;
  if (bases & FACT_OPEN) return false;
  if (LLVMIsNull(a) || LLVMIsNull(b)) return true;
  if (LLVMIsConstant(a) || LLVMIsConstant(b))
    return !(bases & (FACT_GLOBAL | FACT_CLOSED)) && !LLVMIsAFunction(a) &&
           !LLVMIsAFunction(b);
  return !(bases & FACT_CLOSED) || bases == FACT_CLOSED;
}

static void
access_compare(struct facts *f, LLVMValueRef i) {
  LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
  if (LLVMGetTypeKind(LLVMTypeOf(a)) != LLVMPointerTypeKind) return;
  if (!access_compares_alike(f, a, b))
    fact_effect(f, "compares the address of a global");
  if (LLVMIsNull(a) || LLVMIsNull(b)) return;
  for (unsigned k = 0; k < 2; k++) {
    struct fact_pointer p = fact_pointer_of(f, LLVMGetOperand(i, k));
    if (p.object != FACT_NONE) f->objects[p.object].escaped = true;
  }
}

static void
access_operands_escape(struct facts *f, LLVMValueRef i) {
  int n = LLVMGetNumOperands(i);
  for (int k = 0; k < n; k++) {
    LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);
    if (!LLVMValueIsBasicBlock(v)) access_escape(f, v);
  }
}

static bool
access_moves_pointer(LLVMValueRef i) {
  return LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMPointerTypeKind;
}

static void
access_inst(struct facts *f, LLVMValueRef i) {
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMLoad: access_load(f, i); break;
  case LLVMStore: access_store(f, i); break;
  case LLVMCall:
  case LLVMInvoke:
  case LLVMCallBr: access_call(f, i); break;
  case LLVMICmp: access_compare(f, i); break;
  case LLVMGetElementPtr:
  case LLVMPHI:
  case LLVMSelect:
  case LLVMFreeze:
    if (!access_moves_pointer(i)) access_operands_escape(f, i);
    break;
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
  case LLVMFence:
    fact_effect(f, "makes an atomic access");
    access_operands_escape(f, i);
    break;
  case LLVMVAArg: fact_effect(f, "has variable arguments"); break;
  default: access_operands_escape(f, i);
  }
}

/* ---- globals ------------------------------------------------------------- */

static void
access_global(struct facts *f, LLVMValueRef g) {
  assert(LLVMIsAGlobalVariable(g));
  if (LLVMIsThreadLocal(g))
    fact_effect(f, "uses thread-local `%s`", ll_name(g));
  if (LLVMIsGlobalConstant(g) && !LLVMIsDeclaration(g)) return;
  for (uint32_t k = 0; k < f->nglobals; k++)
    if (f->globals[k] == g) return;
  VEC_PUSH(f->globals, f->nglobals, f->capglobals, g);
}

/* Globals below a constant operand, which nests a few levels at most. */
static void
access_mentions(struct facts *f, LLVMValueRef v) {
  if (LLVMIsAGlobalVariable(v)) {
    access_global(f, v);
  } else if (LLVMIsAConstant(v) && !LLVMIsAGlobalValue(v) &&
             !LLVMIsABlockAddress(v)) {
    int n = LLVMGetNumOperands(v);
    for (int k = 0; k < n; k++)
      access_mentions(f, LLVMGetOperand(v, (unsigned)k));
  }
}

static void
access_operand_mentions(struct facts *f, LLVMValueRef i) {
  int n = LLVMGetNumOperands(i);
  for (int k = 0; k < n; k++) {
    LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);
    if (!LLVMValueIsBasicBlock(v)) access_mentions(f, v);
  }
}

/* A parameter whose pointers are overwritten, or that is data and a list of
 * pointers at once, is not a vector argument: nothing is known. */
static void
access_mixed(struct facts *f) {
  for (uint32_t a = 0; a < f->naccesses; a++) {
    struct fact_object *o = &f->objects[f->accesses[a].object];
    if (o->entry != FACT_SELF) continue;
    bool mixed = false;
    for (uint32_t k = 0; k < f->nobjects; k++)
      mixed |=
          f->objects[k].param == o->param && f->objects[k].entry != FACT_SELF;
    if (mixed) o->escaped = true;
  }
}

/* If a vector argument itself escapes, so do all of its entries. */
static void
access_spread(struct facts *f) {
  for (uint32_t k = 0; k < f->nobjects; k++)
    for (uint32_t s = 0; s < f->nobjects; s++)
      if (f->objects[s].param == f->objects[k].param &&
          f->objects[s].entry == FACT_SELF && f->objects[s].escaped)
        f->objects[k].escaped = true;
}

void
fact_accesses(struct facts *f) {
  LL_ALL_INSTS(i, f->fn) {
    access_inst(f, i);
    access_operand_mentions(f, i);
  }
  access_mixed(f);
  access_spread(f);
  assert(f->effects == (f->why != NULL));
}
