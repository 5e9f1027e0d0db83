/* Looks: a call in front of each read of dat->data, which brings it up to date.
 *
 * Problem. The host reads the field as plain memory, while the loops that make
 * the values may still wait.
 *
 * Idea. Each place where the compiler's own notation names the field gets
 *
 *     call void @op2.look(ptr %dat, i32 kind, ptr file, i32 line)
 *
 * before it. That is enough where the pointer is used up at once. So what
 * becomes of the pointer is followed, in a copy of the module in SSA form, over
 * all uses of all values computed from it:
 *
 *   READ   nothing is stored through it
 *   WRITE  something may be: later loops must see that
 *   HOLD   it outlives the place: stored, given back, given to code that may
 *          keep it, or used after a call in which loops may be recorded. The
 *          dat stays in the memory that the program sees, and loops that use it
 *          run at their call from then on
 *
 * A call may record loops unless it is of a function that LLVM knows from a
 * library, of C++'s own library, or of one defined here that makes no such
 * call.
 *
 * cost: a copy of the module, two passes; only for files that read the field.
 * limits: a copy of the whole struct, and an address computed by hand, are not
 * seen (blob_scan.c).
 */
#include "base/table.h"
#include "lower/llvm/bitcode.h"
#include "lower/llvm/ll.h"

#include <assert.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

static const char mark_kind[] = "op2.look";

/* One pointer that was read from the field, in the copy. */
struct look_flow {
  LLVMValueRef *todo; /* values computed from it, some not yet followed */
  uint32_t ntodo, captodo;
  struct table seen; /* values, and instructions that use memory behind them */
  struct table *loops; /* functions defined here that may record loops */
  bool used, writes, holds;
};

/* ---- which calls may record loops ---------------------------------------- */

static bool
has_attribute(LLVMValueRef fn, LLVMAttributeIndex index, const char *name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  return LLVMGetEnumAttributeAtIndex(fn, index, kind) != NULL;
}

/* A declared function that cannot call back into the program: LLVM has put on
 * it what it knows of libraries, which no front end writes. */
static bool
is_library(LLVMValueRef fn) {
  static const char *const standard[] = {
      "_ZNSt",     "_ZNKSt", "_ZSt", "_ZNSo",  "_ZNKSo", "_ZNSi",
      "_ZN9__gnu", "_Zn",    "_Zd",  "__cxa_", "free",   "__ubsan_"};
  const char *name = ll_name(fn);
  for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
    if (!strncmp(name, standard[i], strlen(standard[i]))) return true;
  return has_attribute(fn, LLVMAttributeFunctionIndex, "nofree") ||
         has_attribute(fn, LLVMAttributeFunctionIndex, "memory");
}

static bool
is_call(LLVMValueRef v) {
  return LLVMIsACallInst(v) || LLVMIsAInvokeInst(v) || LLVMIsACallBrInst(v);
}

static bool
may_record(const struct table *loops, LLVMValueRef inst) {
  if (!is_call(inst)) return false;
  LLVMValueRef f = LLVMGetCalledValue(inst);
  if (LLVMIsAInlineAsm(f)) return false;
  if (!LLVMIsAFunction(f)) return true;
  if (LLVMGetIntrinsicID(f)) return false;
  if (!LLVMIsDeclaration(f)) return table_get(loops, &f, sizeof f, 0);
  unsigned n = LLVMGetNumArgOperands(inst);
  for (unsigned i = 0; i < n; i++)
    if (LLVMIsAFunction(LLVMGetOperand(inst, i))) return true; /* calls back */
  return !is_library(f);
}

static bool
function_may_record(const struct table *loops, LLVMValueRef f) {
  LL_ALL_INSTS(i, f)
    if (may_record(loops, i)) return true;
  return false;
}

/* Until nothing changes: as often as the calls are deep. */
static void
find_recording(LLVMModuleRef m, struct table *loops) {
  for (bool again = true; again;) {
    again = false;
    LL_FUNCTIONS(f, m) {
      if (LLVMIsDeclaration(f) || table_get(loops, &f, sizeof f, 0) ||
          !function_may_record(loops, f))
        continue;
      *table_slot(loops, &f, sizeof f) = 1;
      again = true;
    }
  }
}

/* ---- what becomes of a pointer ------------------------------------------- */

static void
flow_value(struct look_flow *w, LLVMValueRef v) {
  uintptr_t *slot = table_slot(&w->seen, &v, sizeof v);
  if (*slot) return;
  *slot = 1;
  VEC_PUSH(w->todo, w->ntodo, w->captodo, v);
}

static void
flow_use(struct look_flow *w, LLVMValueRef inst, bool writes) {
  *table_slot(&w->seen, &inst, sizeof inst) = 1;
  w->used = true;
  w->writes |= writes;
}

/* Argument i of the call is the pointer. */
static void
flow_argument(struct look_flow *w, LLVMValueRef call, unsigned i) {
  assert(is_call(call) && i < LLVMGetNumArgOperands(call));
  LLVMValueRef f = LLVMGetCalledValue(call);
  if (!LLVMIsAFunction(f) || may_record(w->loops, call)) {
    w->holds = true;
    return;
  }
  unsigned named = LLVMCountParams(f);
  bool intrinsic = LLVMGetIntrinsicID(f);
  bool keeps = i < named && !intrinsic && !has_attribute(f, i + 1, "nocapture");
  bool reads = i < named ? has_attribute(f, i + 1, "readonly") ||
                               has_attribute(f, i + 1, "readnone")
                         : LLVMIsDeclaration(f); /* as printf */
  if (keeps)
    w->holds = true;
  else
    flow_use(w, call, !reads);
}

static void
flow_call(struct look_flow *w, LLVMValueRef call, LLVMValueRef v) {
  assert(is_call(call));
  if (LLVMGetCalledValue(call) == v) w->holds = true;
  unsigned n = LLVMGetNumArgOperands(call);
  for (unsigned i = 0; i < n; i++)
    if (LLVMGetOperand(call, i) == v) flow_argument(w, call, i);
}

static void
flow_user(struct look_flow *w, LLVMValueRef user, LLVMValueRef v) {
  if (is_call(user)) {
    flow_call(w, user, v);
    return;
  }
  switch (LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : 0) {
  case LLVMLoad: flow_use(w, user, false); break;
  case LLVMStore:
    if (LLVMGetOperand(user, 0) == v) w->holds = true;
    flow_use(w, user, true);
    break;
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg: flow_use(w, user, true); break;
  case LLVMGetElementPtr:
  case LLVMBitCast:
  case LLVMPHI:
  case LLVMSelect:
  case LLVMFreeze: flow_value(w, user); break;
  case LLVMICmp: break;
  default: w->holds = true;
  }
}

/* Go from `i` to the end of its block; false: the place itself was met. */
static bool
walk_block(struct look_flow *w, LLVMValueRef i, LLVMValueRef place,
           bool *after_loops) {
  for (; i; i = LLVMGetNextInstruction(i)) {
    if (i == place) return false;
    bool user = !LLVMIsAPHINode(i) && !LLVMIsAGetElementPtrInst(i) &&
                table_get(&w->seen, &i, sizeof i, 0);
    if (user && *after_loops) w->holds = true;
    if (may_record(w->loops, i)) *after_loops = true;
  }
  return true;
}

/* Is the pointer used where a call that may record loops lies between? Each
 * block is gone through once before and once after such a call. */
static void
walk(struct look_flow *w, LLVMValueRef place) {
  assert(LLVMIsAInstruction(place));
  struct at {
    LLVMBasicBlockRef block;
    bool after;
  } *todo = NULL;
  uint32_t n = 0, cap = 0;
  SCOPED_BY(table_clear) struct table seen = {0};
  LLVMBasicBlockRef block = LLVMGetInstructionParent(place);
  LLVMValueRef first = LLVMGetNextInstruction(place);
  bool after = false;
  for (;;) {
    if (walk_block(w, first, place, &after)) {
      LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
      for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
        struct {
          LLVMBasicBlockRef block;
          uintptr_t after;
        } key = {LLVMGetSuccessor(end, s), after};
        uintptr_t *slot = table_slot(&seen, &key, sizeof key);
        struct at next = {key.block, after};
        if (!*slot) VEC_PUSH(todo, n, cap, next);
        *slot = 1;
      }
    }
    if (!n || w->holds) break;
    block = todo[--n].block;
    after = todo[n].after;
    first = LLVMGetFirstInstruction(block);
  }
  free(todo);
}

/* The pointer as loaded from the field. */
static enum low_look_kind
look_classify(LLVMValueRef loaded, struct table *loops) {
  struct look_flow w = {.loops = loops};
  flow_value(&w, loaded);
  while (w.ntodo && !w.holds) {
    LLVMValueRef v = w.todo[--w.ntodo];
    for (LLVMUseRef u = LLVMGetFirstUse(v); u && !w.holds;
         u = LLVMGetNextUse(u))
      flow_user(&w, LLVMGetUser(u), v);
  }
  if (w.used && !w.holds) walk(&w, loaded);
  table_clear(&w.seen);
  free(w.todo);
  return w.holds ? LOW_LOOK_HOLD : w.writes ? LOW_LOOK_WRITE : LOW_LOOK_READ;
}

/* The field's address: loads of it give the pointer. */
static enum low_look_kind
field_classify(LLVMValueRef field, struct table *loops) {
  enum low_look_kind kind = LOW_LOOK_READ;
  LL_USES(u, field) {
    LLVMValueRef user = LLVMGetUser(u);
    enum low_look_kind k = LOW_LOOK_HOLD;
    if (LLVMIsALoadInst(user)) k = look_classify(user, loops);
    if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == field)
      k = LOW_LOOK_READ;
    if (k > kind) kind = k;
  }
  return kind;
}

/* ---- the module and its copy --------------------------------------------- */

static unsigned
mark_id(LLVMModuleRef m) {
  return LLVMGetMDKindIDInContext(LLVMGetModuleContext(m), mark_kind,
                                  sizeof mark_kind - 1);
}

static void
mark_places(LLVMModuleRef m, struct low_embedded *e, bool on) {
  LLVMContextRef ctx = LLVMGetModuleContext(m);
  for (uint32_t i = 0; i < e->nlooks; i++) {
    LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(ctx), i, 0);
    LLVMSetMetadata(e->looks[i].field, mark_id(m),
                    on ? LLVMMDNodeInContext(ctx, &number, 1) : NULL);
  }
}

/* A definition of an inline function says as much as a static one; LLVM takes
 * another file's for possible. */
static void
own_functions(LLVMModuleRef m) {
  LL_FUNCTIONS(f, m)
    if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMLinkOnceODRLinkage) {
      LLVMSetComdat(f, NULL);
      LLVMSetLinkage(f, LLVMInternalLinkage);
    }
}

static void
classify_function(LLVMValueRef f, unsigned id, struct table *loops,
                  struct low_embedded *e) {
  LL_ALL_INSTS(i, f) {
    LLVMValueRef md = LLVMGetMetadata(i, id), number;
    if (!md) continue;
    LLVMGetMDNodeOperands(md, &number);
    uint32_t at = (uint32_t)LLVMConstIntGetZExtValue(number);
    assert(at < e->nlooks);
    e->looks[at].kind = field_classify(i, loops);
  }
}

/* A line is what the worst of its places is. */
static void
peeks_classify(struct low_embedded *e) {
  for (uint32_t i = 0; i < e->nlooks; i++) {
    const struct low_look *l = &e->looks[i];
    uint32_t p = 0;
    while (e->peeks[p].line != l->line || strcmp(e->peeks[p].file, l->file))
      p++;
    if ((int)l->kind > e->peeks[p].kind) e->peeks[p].kind = (int)l->kind;
  }
}

status
low_looks_classify(LLVMModuleRef m, struct low_embedded *e) {
  if (!e->nlooks) return OK;
  SCOPED_BY(table_clear) struct table loops = {0};
  mark_places(m, e, true);
  LLVMModuleRef copy = LLVMCloneModule(m);
  mark_places(m, e, false);
  own_functions(copy);
  status s = ll_run_passes(
      copy, "function(sroa),inferattrs,cgscc(function-attrs)", NULL, false);
  if (s == OK) {
    find_recording(copy, &loops);
    LL_FUNCTIONS(f, copy) classify_function(f, mark_id(copy), &loops, e);
    peeks_classify(e);
  }
  LLVMDisposeModule(copy);
  return s;
}

/* ---- the calls ---------------------------------------------------------- */

LLVMValueRef
low_text(LLVMModuleRef m, const char *s) {
  LLVMContextRef ctx = LLVMGetModuleContext(m);
  LLVMValueRef text = LLVMConstStringInContext2(ctx, s, strlen(s), 0);
  LLVMValueRef g = LLVMAddGlobal(m, LLVMTypeOf(text), "op2.look.file");
  LLVMSetInitializer(g, text);
  LLVMSetLinkage(g, LLVMPrivateLinkage);
  LLVMSetGlobalConstant(g, 1);
  return g;
}

static LLVMValueRef
weak_function(LLVMModuleRef m, const char *name, LLVMTypeRef type) {
  LLVMValueRef f = LLVMGetNamedFunction(m, name);
  if (f) return f;
  f = LLVMAddFunction(m, name, type);
  LLVMSetLinkage(f, LLVMExternalWeakLinkage);
  return f;
}

static LLVMValueRef
weak_number(LLVMModuleRef m, const char *name) {
  LLVMValueRef g = LLVMGetNamedGlobal(m, name);
  if (g) return g;
  LLVMContextRef ctx = LLVMGetModuleContext(m);
  g = LLVMAddGlobal(m, LLVMInt32TypeInContext(ctx), name);
  LLVMSetLinkage(g, LLVMExternalWeakLinkage);
  return g;
}

LLVMValueRef
low_library_call(LLVMModuleRef m, const char *name, const char *callee,
                 const char *asked, LLVMTypeRef type) {
  LLVMContextRef ctx = LLVMGetModuleContext(m);
  LLVMValueRef lib = weak_function(m, callee, type), linked = lib;
  if (asked) linked = weak_number(m, asked);
  LLVMValueRef f = LLVMAddFunction(m, name, type), args[4];
  assert(LLVMCountParams(f) <= sizeof args / sizeof *args);
  LLVMSetLinkage(f, LLVMInternalLinkage);
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(ctx, f, "");
  LLVMBasicBlockRef ask = LLVMAppendBasicBlockInContext(ctx, f, "");
  LLVMBasicBlockRef call = LLVMAppendBasicBlockInContext(ctx, f, "");
  LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(ctx, f, "");
  LLVMBuilderRef at = LLVMCreateBuilderInContext(ctx);
  LLVMPositionBuilderAtEnd(at, entry);
  LLVMBuildCondBr(at, LLVMBuildIsNotNull(at, linked, ""), ask, end);
  LLVMPositionBuilderAtEnd(at, ask);
  LLVMValueRef any = LLVMConstInt(LLVMInt1TypeInContext(ctx), 1, 0);
  if (asked)
    any = LLVMBuildIsNotNull(
        at, LLVMBuildLoad2(at, LLVMInt32TypeInContext(ctx), linked, ""), "");
  LLVMBuildCondBr(at, any, call, end);
  LLVMPositionBuilderAtEnd(at, call);
  LLVMGetParams(f, args);
  LLVMBuildCall2(at, type, lib, args, LLVMCountParams(f), "");
  LLVMBuildBr(at, end);
  LLVMPositionBuilderAtEnd(at, end);
  LLVMBuildRetVoid(at);
  LLVMDisposeBuilder(at);
  return f;
}

void
low_looks_insert(LLVMModuleRef m, const struct low_embedded *e) {
  if (!e->nlooks) return;
  LLVMContextRef ctx = LLVMGetModuleContext(m);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(ctx);
  LLVMTypeRef ptr = LLVMPointerTypeInContext(ctx, 0);
  LLVMTypeRef params[] = {ptr, i32, ptr, i32};
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx), params, 4, 0);
  LLVMValueRef look =
      low_library_call(m, "op2.look", "op2_look_at", NULL, type);
  LLVMBuilderRef at = LLVMCreateBuilderInContext(ctx);
  for (uint32_t i = 0; i < e->nlooks; i++) {
    const struct low_look *l = &e->looks[i];
    LLVMValueRef args[] = {LLVMGetOperand(l->field, 0),
                           LLVMConstInt(i32, l->kind, 0), low_text(m, l->file),
                           LLVMConstInt(i32, (unsigned long long)l->line, 0)};
    LLVMPositionBuilderBefore(at, l->field);
    LLVMValueRef call = LLVMBuildCall2(at, type, look, args, 4, "");
    LLVMMetadataRef where = LLVMInstructionGetDebugLoc(l->field);
    if (where) LLVMInstructionSetDebugLoc(call, where);
  }
  LLVMDisposeBuilder(at);
}
