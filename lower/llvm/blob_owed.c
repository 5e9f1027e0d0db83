/* Raw globals whose result may wait: every use of the variable is in sight.
 *
 * Problem. op_arg_gbl(&rms, ..., OP_INC) is delivered when op_par_loop returns,
 * since the library does not see the program read `rms`. The compiler does.
 *
 * Idea. A variable of a function, or a static one of the file, whose address
 * goes nowhere but into op_arg_gbl gets
 *
 *     double rms;             call @op2.owed.drop(ptr %rms, i64 8)
 *     rms = 0;                call @op2.owed.store(ptr %rms, i64 8)
 *     op_arg_gbl(&rms, ...)   call @op2.owed.site(ptr %rms, ptr null)
 *     printf("%g", rms);      call @op2.owed.look(ptr %rms, i64 8)
 *
 * each in front of what it is about (frontend/owed_look.c): a look before loads
 * and before calls that read or write it and do not keep it; a store before
 * stores, of as many bytes; a drop where its memory begins and ends. So members
 * of structs and elements of arrays have each their own. Any other use, and the
 * site says in its place why the variable is none of these.
 *
 *   a result          what a function returns through memory is its variable
 *                     until it returns, which looks (sret, noalias): C++ has a
 *                     struct that is returned there from the start
 *
 *   the op_arg        the struct has the address: it may be copied and handed
 *                     to op_par_loop, no more
 *   static variables  another thread or a signal could run what touches it:
 *                     all such functions are reached from main alone, by calls
 *                     that stand in this file
 *   pure functions    LLVM moves their calls: none may have a look in it
 *
 * The module is the front end's, unoptimised; what LLVM makes of it later keeps
 * the order, since the address is known to calls that it cannot see into.
 *
 * cost: a walk over the uses of variables that op_arg_gbl takes.
 * limits: C++ references and pointers to a variable count as keeping it.
 */
#include "base/table.h"
#include "lower/llvm/bitcode.h"
#include "lower/llvm/ll.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

struct owed_finder {
  LLVMModuleRef m, copy; /* copy: with what LLVM knows of libraries; NULL: none
                            was needed yet */
  LLVMTargetDataRef layout;
  struct low_embedded *e;
  struct table seen; /* variables: 1 + index in vars */
  struct owed_var *vars;
  uint32_t nvars, capvars;
};

struct owed_var {
  LLVMValueRef v;
  uint64_t bytes;
  const char *why; /* its results cannot wait; NULL: they can */
  struct low_owed *places;
  uint32_t nplaces, capplaces;
  bool written; /* some site may write it */
};

/* ---- the functions of op2.h and op2_cpp.h -------------------------------- */

enum { NO_OPERAND = 99 };

/* Which operand of the call is the global's address, the op_arg that is given
 * back not counted; NO_OPERAND: it makes no such argument. */
static unsigned
site_operand(LLVMValueRef call) {
  static const struct {
    const char *name;
    unsigned operand;
    bool prefix;
  } makers[] = {{"op2_arg_gbl_at", 1, false},
                {"op2_arg_info_at", 0, false},
                {"_Z10op_arg_gblI", 0, true},
                {"_Z14op_opt_arg_gblI", 1, true},
                {"_Z11op_arg_infoI", 0, true}};
  LLVMValueRef f = LLVMGetCalledValue(call);
  if (!LLVMIsAFunction(f)) return NO_OPERAND;
  const char *name = ll_name(f);
  for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
    if (makers[i].prefix
            ? !strncmp(name, makers[i].name, strlen(makers[i].name))
            : !strcmp(name, makers[i].name))
      return makers[i].operand + 1;
  return NO_OPERAND;
}

static bool
takes_op_args(LLVMValueRef call) {
  LLVMValueRef f = LLVMGetCalledValue(call);
  const char *name = LLVMIsAFunction(f) ? ll_name(f) : "";
  return !strcmp(name, "op2_par_loop_at") ||
         !strcmp(name, "op2_par_loop_typed_at") ||
         !strncmp(name, "_Z11op_par_loopI", 16);
}

static bool
owed_is_call(LLVMValueRef v) {
  return LLVMIsACallInst(v) || LLVMIsAInvokeInst(v);
}

static const char *
intrinsic_name(LLVMValueRef call) {
  LLVMValueRef f = LLVMGetCalledValue(call);
  return LLVMIsAFunction(f) && LLVMGetIntrinsicID(f) ? ll_name(f) : "";
}

static bool
owed_starts(const char *s, const char *prefix) {
  return !strncmp(s, prefix, strlen(prefix));
}

static bool
is_lifetime(LLVMValueRef call) {
  return owed_starts(intrinsic_name(call), "llvm.lifetime.");
}

static bool
is_copy(LLVMValueRef call) {
  const char *name = intrinsic_name(call);
  return owed_starts(name, "llvm.memcpy.") ||
         owed_starts(name, "llvm.memmove.");
}

static bool
is_fill(LLVMValueRef call) {
  return owed_starts(intrinsic_name(call), "llvm.memset.");
}

/* ---- addresses ----------------------------------------------------------- */

static bool
is_address_of(LLVMValueRef v) {
  return LLVMIsAGetElementPtrInst(v) ||
         (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr);
}

static LLVMValueRef
base_of(LLVMValueRef v) {
  while (is_address_of(v)) v = LLVMGetOperand(v, 0);
  return v;
}

/* ---- where the op_arg goes ----------------------------------------------- */

/* Values that a search came to, some not yet followed. */
struct owed_flow {
  LLVMValueRef *todo;
  uint32_t ntodo, captodo;
  struct table seen;
};

static void
flow_add(struct owed_flow *w, LLVMValueRef v) {
  uintptr_t *slot = table_slot(&w->seen, &v, sizeof v);
  if (!*slot) VEC_PUSH(w->todo, w->ntodo, w->captodo, v);
  *slot = 1;
}

static void
flow_end(struct owed_flow *w) {
  table_clear(&w->seen);
  free(w->todo);
}

static bool
gives_back(LLVMValueRef call, LLVMValueRef v) {
  unsigned sret = LLVMGetEnumAttributeKindForName("sret", 4);
  if (!LLVMGetNumArgOperands(call) || LLVMGetOperand(call, 0) != v)
    return false;
  for (unsigned i = 1; i < LLVMGetNumArgOperands(call); i++)
    if (LLVMGetOperand(call, i) == v) return false;
  return LLVMGetCallSiteEnumAttribute(call, 1, sret) != NULL;
}

static bool
arg_use(struct owed_flow *w, LLVMValueRef user, LLVMValueRef v) {
  if (LLVMIsAGetElementPtrInst(user)) {
    flow_add(w, user);
    return true;
  }
  if (!owed_is_call(user)) return false;
  if (is_copy(user) && LLVMGetOperand(user, 1) == v) {
    LLVMValueRef to = base_of(LLVMGetOperand(user, 0));
    flow_add(w, to);
    return LLVMIsAAllocaInst(to);
  }
  return is_lifetime(user) || is_copy(user) || is_fill(user) ||
         takes_op_args(user) || gives_back(user, v);
}

/* Does the op_arg that the site makes reach op_par_loop, and nothing else? */
static bool
arg_stays(LLVMValueRef site) {
  struct owed_flow w = {0};
  LLVMValueRef memory = base_of(LLVMGetOperand(site, 0));
  bool stays = LLVMIsAAllocaInst(memory);
  flow_add(&w, memory);
  while (w.ntodo && stays) {
    LLVMValueRef v = w.todo[--w.ntodo];
    for (LLVMUseRef u = LLVMGetFirstUse(v); u && stays; u = LLVMGetNextUse(u))
      stays = arg_use(&w, LLVMGetUser(u), v);
  }
  flow_end(&w);
  return stays;
}

/* ---- uses of a variable -------------------------------------------------- */

/* Of a part of it, `bytes` from v on. */
static void
part_add(struct owed_var *x, LLVMValueRef at, LLVMValueRef v, uint64_t bytes,
         enum low_owed_kind kind) {
  struct low_owed p = {.at = at, .v = v, .bytes = bytes, .kind = kind};
  VEC_PUSH(x->places, x->nplaces, x->capplaces, p);
}

static void
place_add(struct owed_var *x, LLVMValueRef at, enum low_owed_kind kind) {
  part_add(x, at, x->v, x->bytes, kind);
}

static const char *
use_memory(struct owed_finder *w, struct owed_var *x, LLVMValueRef inst,
           LLVMValueRef v) {
  bool stores = LLVMIsAStoreInst(inst);
  if (stores && LLVMGetOperand(inst, 0) == v) return "its address is kept";
  if (LLVMGetVolatile(inst) ||
      LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
    return "it is volatile or atomic";
  LLVMTypeRef type = LLVMTypeOf(stores ? LLVMGetOperand(inst, 0) : inst);
  part_add(x, inst, v, LLVMStoreSizeOfType(w->layout, type),
           stores ? LOW_OWED_STORE : LOW_OWED_LOOK);
  return NULL;
}

/* memcpy and its kin: to, from or value, bytes, volatile. */
static const char *
use_block(struct owed_var *x, LLVMValueRef call, LLVMValueRef v) {
  LLVMValueRef bytes = LLVMGetOperand(call, 2), flag = LLVMGetOperand(call, 3);
  if (LLVMConstIntGetZExtValue(flag)) return "it is volatile or atomic";
  bool within = is_copy(call) && base_of(LLVMGetOperand(call, 1)) == x->v &&
                base_of(LLVMGetOperand(call, 0)) == x->v;
  bool to = LLVMGetOperand(call, 0) == v;
  if (within || !LLVMIsAConstantInt(bytes))
    place_add(x, call, LOW_OWED_LOOK);
  else
    part_add(x, call, v, LLVMConstIntGetZExtValue(bytes),
             to ? LOW_OWED_STORE : LOW_OWED_LOOK);
  return NULL;
}

/* Does LLVM know of the library's function that it does not keep argument i?
 * Names of the program's own functions it does not know. */
static bool
library_keeps(struct owed_finder *w, LLVMValueRef call, unsigned i) {
  LLVMValueRef f = LLVMGetCalledValue(call);
  if (!LLVMIsAFunction(f) || !LLVMIsDeclaration(f) || LLVMGetIntrinsicID(f) ||
      i >= LLVMCountParams(f))
    return true;
  if (!w->copy) {
    w->copy = LLVMCloneModule(w->m);
    if (ll_run_passes(w->copy, "inferattrs", NULL, false) != OK) return true;
  }
  LLVMValueRef known = LLVMGetNamedFunction(w->copy, ll_name(f));
  unsigned kind = LLVMGetEnumAttributeKindForName("nocapture", 9);
  return !known || !LLVMGetEnumAttributeAtIndex(known, i + 1, kind);
}

static const char *
use_call(struct owed_finder *w, struct owed_var *x, LLVMValueRef call,
         LLVMValueRef v) {
  unsigned n = LLVMGetNumArgOperands(call), site = site_operand(call);
  if (is_lifetime(call)) {
    place_add(x, call, LOW_OWED_DROP);
    return NULL;
  }
  if (is_copy(call) || is_fill(call)) return use_block(x, call, v);
  for (unsigned i = 0; i < n; i++) {
    if (LLVMGetOperand(call, i) != v) continue;
    if (i == site) {
      if (!arg_stays(call)) return "its op_arg is kept, or handed on";
    } else if (library_keeps(w, call, i)) {
      return arena_printf(&w->e->arena, "its address is handed to %s",
                          LLVMIsAFunction(LLVMGetCalledValue(call))
                              ? ll_name(LLVMGetCalledValue(call))
                              : "a function");
    } else {
      place_add(x, call, LOW_OWED_LOOK);
    }
  }
  return NULL;
}

/* All uses of v, the variable or an address in it; constant addresses nest as
 * deep as arrays do. */
static const char *
uses_check(struct owed_finder *w, struct owed_var *x, LLVMValueRef v) {
  LL_USES(u, v) {
    LLVMValueRef user = LLVMGetUser(u);
    const char *why = "its address is used in another way";
    if (is_address_of(user))
      why = uses_check(w, x, user);
    else if (LLVMIsALoadInst(user) || LLVMIsAStoreInst(user))
      why = use_memory(w, x, user, v);
    else if (owed_is_call(user) && LLVMGetCalledValue(user) != v)
      why = use_call(w, x, user, v);
    if (why) return why;
  }
  return NULL;
}

/* ---- which variables ----------------------------------------------------- */

/* What the function returns, where nobody else looks before it does; NULL: v is
 * no such memory. */
static LLVMTypeRef
result_type(LLVMValueRef v) {
  if (!LLVMIsAArgument(v)) return NULL;
  LLVMValueRef f = LLVMGetParamParent(v);
  unsigned n = 1; /* attributes of parameter 0 */
  while (LLVMGetParam(f, n - 1) != v) n++;
  unsigned sret = LLVMGetEnumAttributeKindForName("sret", 4);
  unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
  LLVMAttributeRef type = LLVMGetEnumAttributeAtIndex(f, n, sret);
  return type && LLVMGetEnumAttributeAtIndex(f, n, noalias)
             ? LLVMGetTypeAttributeValue(type)
             : NULL;
}

static const char *
variable_check(LLVMValueRef v, LLVMTypeRef *type_out) {
  *type_out = result_type(v);
  if (*type_out) return NULL;
  if (LLVMIsAAllocaInst(v)) {
    LLVMValueRef n = LLVMGetOperand(v, 0);
    *type_out = LLVMGetAllocatedType(v);
    bool one = LLVMIsAConstantInt(n) && LLVMConstIntGetZExtValue(n) == 1;
    return one ? NULL : "its size varies";
  }
  if (!LLVMIsAGlobalVariable(v) || LLVMIsThreadLocal(v))
    return "it is no variable of this function or file";
  *type_out = LLVMGlobalGetValueType(v);
  if (LLVMGetLinkage(v) != LLVMInternalLinkage)
    return "other files may use it: make it static";
  return NULL;
}

static bool
is_pure(LLVMValueRef f) {
  unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
  return LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kind);
}

static LLVMValueRef
function_of(LLVMValueRef inst) {
  return LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
}

/* Is f called by name only, in this file? Its callers are to be asked, too. */
static bool
reach_function(struct owed_flow *w, LLVMValueRef f) {
  if (LLVMGetLinkage(f) != LLVMInternalLinkage && strcmp(ll_name(f), "main"))
    return false;
  LL_USES(u, f) {
    LLVMValueRef call = LLVMGetUser(u);
    if (!owed_is_call(call) || LLVMGetCalledValue(call) != f) return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
      if (LLVMGetOperand(call, i) == f) return false;
    flow_add(w, function_of(call));
  }
  return true;
}

static const char *
reach_check(struct owed_finder *w, const struct owed_var *x) {
  struct owed_flow r = {0};
  const char *why = NULL;
  bool all = LLVMIsAGlobalVariable(x->v);
  for (uint32_t i = 0; i < x->nplaces; i++)
    flow_add(&r, function_of(x->places[i].at));
  while (r.ntodo && !why) {
    LLVMValueRef f = r.todo[--r.ntodo];
    if (is_pure(f))
      why = arena_printf(&w->e->arena, "%s, which uses it, is said to be pure",
                         ll_name(f));
    else if (all && !reach_function(&r, f))
      why = arena_printf(&w->e->arena,
                         "%s, which uses it, may be called from elsewhere: "
                         "make it static, its address not taken",
                         ll_name(f));
  }
  flow_end(&r);
  return why;
}

/* The caller has what the function returns. */
static void
returns_add(struct owed_var *x, LLVMValueRef f) {
  LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f);
  for (; b; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    if (end && LLVMIsAReturnInst(end)) place_add(x, end, LOW_OWED_LOOK);
  }
}

/* Where the memory of a function's variable begins, nothing is owed to it. What
 * is in front of the same instruction comes behind that. */
static void
begin_add(struct owed_var *x) {
  for (uint32_t i = 0; i < x->nplaces; i++)
    if (owed_is_call(x->places[i].at) && is_lifetime(x->places[i].at)) return;
  LLVMValueRef next = LLVMIsAArgument(x->v)
                          ? LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(
                                LLVMGetParamParent(x->v)))
                          : LLVMGetNextInstruction(x->v);
  while (LLVMIsAAllocaInst(next)) next = LLVMGetNextInstruction(next);
  place_add(x, next, LOW_OWED_DROP);
  struct low_owed begin = x->places[x->nplaces - 1];
  for (uint32_t i = x->nplaces; --i;) x->places[i] = x->places[i - 1];
  x->places[0] = begin;
}

static void
variable_find(struct owed_finder *w, struct owed_var *x) {
  LLVMTypeRef type;
  x->why = variable_check(x->v, &type);
  if (x->why) return;
  x->bytes = LLVMABISizeOfType(w->layout, type);
  x->why = uses_check(w, x, x->v);
  if (!x->why && !LLVMIsAGlobalVariable(x->v)) begin_add(x);
  if (!x->why && LLVMIsAArgument(x->v))
    returns_add(x, LLVMGetParamParent(x->v));
  if (!x->why) x->why = reach_check(w, x);
}

/* ---- the module ---------------------------------------------------------- */

static bool
site_writes(LLVMValueRef site) {
  LLVMValueRef acc = LLVMGetOperand(site, LLVMGetNumArgOperands(site) - 1);
  bool info = strstr(ll_name(LLVMGetCalledValue(site)), "info");
  return info || !LLVMIsAConstantInt(acc) || LLVMConstIntGetZExtValue(acc);
}

/* Of a variable that no loop writes, nothing is asked or said. */
static void
site_variable(struct owed_finder *w, LLVMValueRef site) {
  LLVMValueRef v = base_of(LLVMGetOperand(site, site_operand(site)));
  uintptr_t *slot = table_slot(&w->seen, &v, sizeof v);
  if (!*slot) {
    struct owed_var x = {.v = v};
    VEC_PUSH(w->vars, w->nvars, w->capvars, x);
    *slot = w->nvars;
  }
  w->vars[*slot - 1].written |= site_writes(site);
}

static void
site_add(struct owed_finder *w, LLVMValueRef site) {
  LLVMValueRef at = LLVMGetOperand(site, site_operand(site)), v = base_of(at);
  const struct owed_var *x = &w->vars[table_get(&w->seen, &v, sizeof v, 0) - 1];
  struct low_owed p = {
      .at = site, .v = at, .kind = LOW_OWED_SITE, .why = x->why};
  if (x->written) VEC_PUSH(w->e->owed, w->e->nowed, w->e->capowed, p);
}

/* Outside of the library's own functions. */
static bool
is_site(LLVMValueRef i) {
  if (!owed_is_call(i) || site_operand(i) == NO_OPERAND) return false;
  const char *in = ll_name(function_of(i));
  return !owed_starts(in, "_Z10op_arg_gblI") &&
         !owed_starts(in, "_Z14op_opt_arg_gblI") &&
         !owed_starts(in, "_Z11op_arg_infoI");
}

static void
variables_find(struct owed_finder *w) {
  for (uint32_t k = 0; k < w->nvars; k++) {
    struct owed_var *x = &w->vars[k];
    if (x->written) variable_find(w, x);
    for (uint32_t i = 0; x->written && !x->why && i < x->nplaces; i++)
      VEC_PUSH(w->e->owed, w->e->nowed, w->e->capowed, x->places[i]);
    free(x->places);
  }
}

void
low_owed_find(LLVMModuleRef m, struct low_embedded *e) {
  struct owed_finder w = {.m = m, .layout = LLVMGetModuleDataLayout(m), .e = e};
  LL_FUNCTIONS(f, m)
    LL_ALL_INSTS(i, f)
      if (is_site(i)) site_variable(&w, i);
  variables_find(&w);
  LL_FUNCTIONS(f, m)
    LL_ALL_INSTS(i, f)
      if (is_site(i)) site_add(&w, i);
  if (w.copy) LLVMDisposeModule(w.copy);
  table_clear(&w.seen);
  free(w.vars);
}

/* ---- the calls ----------------------------------------------------------- */

/* In front of the place; behind it where the memory begins there. */
static void
insert_before(LLVMBuilderRef b, const struct low_owed *p) {
  LLVMValueRef at = p->at;
  if (owed_is_call(at) &&
      owed_starts(intrinsic_name(at), "llvm.lifetime.start"))
    at = LLVMGetNextInstruction(at);
  LLVMPositionBuilderBefore(b, at);
}

void
low_owed_insert(LLVMModuleRef m, const struct low_embedded *e) {
  if (!e->nowed) return;
  LLVMContextRef ctx = LLVMGetModuleContext(m);
  LLVMTypeRef nothing = LLVMVoidTypeInContext(ctx);
  LLVMTypeRef ptr = LLVMPointerTypeInContext(ctx, 0);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx);
  LLVMTypeRef sized =
      LLVMFunctionType(nothing, (LLVMTypeRef[]){ptr, i64}, 2, 0);
  LLVMTypeRef said = LLVMFunctionType(nothing, (LLVMTypeRef[]){ptr, ptr}, 2, 0);
  LLVMValueRef call[] = {
      [LOW_OWED_LOOK] = low_library_call(m, "op2.owed.look", "op2_gbl_look",
                                         "op2_gbl_owed", sized),
      [LOW_OWED_STORE] = low_library_call(m, "op2.owed.store", "op2_gbl_store",
                                          "op2_gbl_owed", sized),
      [LOW_OWED_DROP] = low_library_call(m, "op2.owed.drop", "op2_gbl_drop",
                                         "op2_gbl_owed", sized),
      [LOW_OWED_SITE] =
          low_library_call(m, "op2.owed.site", "op2_gbl_site", NULL, said)};
  LLVMBuilderRef b = LLVMCreateBuilderInContext(ctx);
  for (uint32_t i = 0; i < e->nowed; i++) {
    const struct low_owed *p = &e->owed[i];
    bool site = p->kind == LOW_OWED_SITE;
    LLVMValueRef args[] = {p->v, site ? LLVMConstNull(ptr)
                                      : LLVMConstInt(i64, p->bytes, 0)};
    if (p->why) args[1] = low_text(m, p->why);
    insert_before(b, p);
    LLVMBuildCall2(b, site ? said : sized, call[p->kind], args, 2, "");
  }
  LLVMDisposeBuilder(b);
}
