/* Kernels that leave their arguments, found where they are compiled.
 *
 * Problem. A kernel that stores to component 4 of a dat with four is an error
 * of its loop's first call (frontend/check.c); the compiler could have said so.
 *
 * Idea. Where a file has a kernel and its loop, and the loop's arguments say
 * `dim` and type by constants, all is known that the library would look at:
 *
 *     op_arg_dat(sret %args[1], %dat, i32 -1, %map, i32 4, ptr "double", ...)
 *     op2_par_loop_at(ptr file, i32 line, ptr @flux, ptr name, ...)
 *
 * in C, where arguments stand in an array; in C++ the call has a reference to
 * each. The kernel's facts are those that the library reads, and what counts is
 * what each call touches (facts_reach.c).
 *
 * cost: a kernel's facts, 2 to 10 ms each. limits: dims and types that are not
 * constants, arguments that are variables, globals, kernels of other files: the
 * library sees them at the call. */
#include "lower/llvm/bitcode.h"
#include "lower/llvm/facts.h"
#include "lower/llvm/ll.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

/* Operands of op_arg_dat, its result first. */
enum { DAT_RESULT, DAT_DAT, DAT_INDEX, DAT_MAP, DAT_DIM, DAT_TYPE };
/* Of the calls that record a loop. */
enum { C_KERNEL = 2, C_NAME, C_COUNT = 5, C_ARGS };
enum { CXX_KERNEL = 0, CXX_ARGS = 3 };

struct beyond {
  LLVMModuleRef m;
  LLVMMemoryBufferRef bitcode;
  struct low_embedded *e;
  struct arena arena;   /* of facts */
  struct table kernels; /* function -> its struct low_kernel */
};

/* ---- what stands in the program ------------------------------------------ */

static const char *
beyond_callee(LLVMValueRef v) {
  if (!LLVMIsACallInst(v) && !LLVMIsAInvokeInst(v)) return "";
  LLVMValueRef f = LLVMGetCalledValue(v);
  return LLVMIsAFunction(f) ? ll_name(f) : "";
}

static bool
beyond_int(LLVMValueRef v, int64_t *out) {
  if (!LLVMIsAConstantInt(v)) return false;
  *out = LLVMConstIntGetSExtValue(v);
  return true;
}

/* A constant text; NULL: it is none. */
static const char *
beyond_text(LLVMValueRef v) {
  size_t n;
  if (!LLVMIsAGlobalVariable(v) || !LLVMIsGlobalConstant(v)) return NULL;
  LLVMValueRef init = LLVMGetInitializer(v);
  if (!init || !LLVMIsAConstantDataSequential(init) ||
      !LLVMIsConstantString(init))
    return NULL;
  const char *s = LLVMGetAsString(init, &n);
  return memchr(s, 0, n) ? s : NULL;
}

/* The op_arg_dat that makes the struct at this address, and nothing else does;
 * NULL: it is another maker, or several. */
static LLVMValueRef
beyond_maker(LLVMValueRef at) {
  LLVMValueRef found = NULL;
  LL_USES(u, at) {
    LLVMValueRef by = LLVMGetUser(u);
    const char *name = beyond_callee(by);
    if (!*name && !LLVMIsAGetElementPtrInst(by)) return NULL;
    if (strcmp(name, "op_arg_dat") || LLVMGetOperand(by, DAT_RESULT) != at)
      continue;
    if (found) return NULL;
    found = by;
  }
  return found;
}

/* Element k of the array that the call of C gets. */
static LLVMValueRef
beyond_element(LLVMValueRef array, int64_t k) {
  int64_t index;
  if (LLVMIsAGetElementPtrInst(array)) /* [n x op_arg]: 0, 0 */
    array = LLVMGetOperand(array, 0);
  if (!LLVMIsAAllocaInst(array)) return NULL;
  if (!k) return array;
  LL_USES(u, array) {
    LLVMValueRef at = LLVMGetUser(u);
    if (LLVMIsAGetElementPtrInst(at) && LLVMGetNumOperands(at) == 2 &&
        beyond_int(LLVMGetOperand(at, 1), &index) && index == k)
      return at;
  }
  return NULL;
}

/* Arguments of the loop that the call records; 0: it records none. */
static int64_t
beyond_loop(LLVMValueRef call, LLVMValueRef *kernel) {
  const char *name = beyond_callee(call);
  int64_t n;
  if (!strcmp(name, "op2_par_loop_at")) {
    *kernel = LLVMGetOperand(call, C_KERNEL);
    return beyond_int(LLVMGetOperand(call, C_COUNT), &n) ? n : 0;
  }
  if (strncmp(name, "_Z11op_par_loopI", 16)) return 0;
  *kernel = LLVMGetOperand(call, CXX_KERNEL);
  return (int64_t)LLVMGetNumArgOperands(call) - CXX_ARGS;
}

static LLVMValueRef
beyond_argument(LLVMValueRef call, int64_t a) {
  if (!strcmp(beyond_callee(call), "op2_par_loop_at"))
    return beyond_element(LLVMGetOperand(call, C_ARGS), a);
  LLVMValueRef at = LLVMGetOperand(call, (unsigned)(CXX_ARGS + a));
  return LLVMIsAAllocaInst(at) ? at : NULL;
}

/* ---- what the kernel does ------------------------------------------------ */

/* NULL: its code is not here, or not the one that will run. */
static const struct low_kernel *
beyond_kernel(struct beyond *b, LLVMValueRef fn) {
  if (!LLVMIsAFunction(fn) || LLVMIsDeclaration(fn) || low_blob_replaceable(fn))
    return NULL;
  uintptr_t *slot = table_slot(&b->kernels, &fn, sizeof fn);
  if (*slot) return (const struct low_kernel *)*slot;
  struct low_kernel *k = arena_alloc(&b->arena, sizeof *k);
  *k = (struct low_kernel){.name = arena_str(&b->arena, ll_name(fn)),
                           .bitcode = LLVMGetBufferStart(b->bitcode),
                           .bitcode_bytes = LLVMGetBufferSize(b->bitcode)};
  if (low_facts_read(k, &b->arena) != OK) k->nparams = 0;
  *slot = (uintptr_t)k;
  return k;
}

/* ---- the two together ---------------------------------------------------- */

static void
beyond_refuse(struct beyond *b, LLVMValueRef call, int64_t a, const char *what,
              int64_t last, int64_t found) {
  unsigned len;
  const char *file = LLVMGetDebugLocFilename(call, &len), *name = NULL;
  if (!strcmp(beyond_callee(call), "op2_par_loop_at"))
    name = beyond_text(LLVMGetOperand(call, C_NAME));
  str_printf(&b->e->refused, "%.*s:%u: error: op_par_loop", file ? (int)len : 0,
             file ? file : "", LLVMGetDebugLocLine(call));
  if (name) str_printf(&b->e->refused, " \"%s\"", name);
  str_printf(&b->e->refused,
             ": argument %lld: kernel outside its argument: expected %s 0 to "
             "%lld, found %lld\n",
             (long long)a, what, (long long)last, (long long)found);
}

static void
beyond_check(struct beyond *b, LLVMValueRef call, int64_t a, LLVMValueRef maker,
             const struct low_reach *r) {
  int64_t dim, index;
  struct type type;
  const char *name = beyond_text(LLVMGetOperand(maker, DAT_TYPE));
  if (!beyond_int(LLVMGetOperand(maker, DAT_DIM), &dim) || dim < 1 ||
      !beyond_int(LLVMGetOperand(maker, DAT_INDEX), &index) || !name ||
      !type_from_name(name, 0, &type, NULL))
    return;
  int64_t size = type.size, entries = index < -1 ? -index : 1;
  assert(size > 0);
  if (r->entries > entries)
    beyond_refuse(b, call, a, "entries", entries - 1, r->entries - 1);
  else if (r->to > dim * size)
    beyond_refuse(b, call, a, "components", dim - 1, (r->to - 1) / size);
  else if (r->from < 0)
    beyond_refuse(b, call, a, "components", dim - 1,
                  (r->from - size + 1) / size);
}

static void
beyond_call(struct beyond *b, LLVMValueRef call) {
  LLVMValueRef fn;
  int64_t n = beyond_loop(call, &fn);
  const struct low_kernel *k = n > 0 ? beyond_kernel(b, fn) : NULL;
  for (int64_t a = 0; k && a < n && a < k->nparams; a++) {
    LLVMValueRef at = beyond_argument(call, a);
    LLVMValueRef maker = at ? beyond_maker(at) : NULL;
    if (maker) beyond_check(b, call, a, maker, &k->params[a].each);
  }
}

void
low_beyond_find(LLVMModuleRef m, LLVMMemoryBufferRef bitcode,
                struct low_embedded *e) {
  assert(bitcode);
  struct beyond b = {.m = m, .bitcode = bitcode, .e = e};
  LL_FUNCTIONS(f, m)
    LL_ALL_INSTS(i, f) beyond_call(&b, i);
  table_clear(&b.kernels);
  arena_clear(&b.arena);
}
