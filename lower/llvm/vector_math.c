/* exp, log, pow, sin: vector variants instead of a call for each lane.
 *
 * Problem. A vectorised loop has operations like `llvm.exp.v8f64`; without help
 * the code generator takes them apart into eight calls of exp.
 *
 * Idea. glibc's libmvec has them for whole registers. After optimisation each
 * such operation becomes calls of the variant for the target's widest register:
 *
 *   %y = call <8 x double> @llvm.exp.v8f64(<8 x double> %x)
 *   %y = call <8 x double> @_ZGVeN8v_exp(<8 x double> %x)
 *
 * A single value goes through the *same* variant, copied into all lanes, and so
 * does a vector that is shorter; a longer one goes in pieces. A value therefore
 * has the same bits in a block, in a ragged end, on a border between threads,
 * in a fused region and in an eager one.
 *
 * Cost. A loop of exp over doubles in 512-bit registers takes a fifth of the
 * time with libm's calls (100 000 elements, one thread, interleaved). Accuracy:
 * 4 ulp (The GNU C Library manual, "Errors in Math Functions"), where libm's is
 * below 1.
 *
 * Limits. x86-64 with glibc; elsewhere, and under OP2_VECTOR_MATH=0, libm is
 * called. Kernels without IR keep what their compiler made. */
#include "lower/llvm/code.h"
#include "lower/llvm/ll.h"

#include <llvm-c/Support.h>
#include <stdio.h>
#include <string.h>

enum { VECTOR_LANES_MAX = 16, VECTOR_ARGS_MAX = 2 };

struct vector_math {
  const char *name;
  uint32_t nargs;
};
static const struct vector_math vector_maths[] = {
#define VECTOR_MATH(name, nargs) {#name, nargs},
#include "lower/llvm/vector_math.def"
#undef VECTOR_MATH
};

/* What one call is replaced with. */
struct vector_call {
  LLVMBuilderRef b;
  LLVMValueRef fn, call;
  uint32_t nargs, lanes; /* of the variant */
  uint32_t n;            /* of the call; 0: a single value */
};

/* Letter of the widest registers in the names of the vector function ABI. */
static char
vector_letter(const struct low_target *t) {
  if (strncmp(t->triple, "x86_64", 6)) return 0;
  if (t->vector_bytes == 64) return 'e';
  if (t->vector_bytes == 32) return strstr(t->features, "+avx2") ? 'd' : 'c';
  return 'b';
}

/* The variant for a type, declared; NULL: there is none. */
static LLVMValueRef
vector_variant(const struct low_target *t, LLVMModuleRef m,
               const struct vector_math *row, LLVMTypeRef scalar,
               uint32_t *lanes) {
  LLVMTypeKind kind = LLVMGetTypeKind(scalar);
  bool single = kind == LLVMFloatTypeKind;
  if (!single && kind != LLVMDoubleTypeKind) return NULL;
  *lanes = t->vector_bytes / (single ? 4 : 8);
  char name[48];
  snprintf(name, sizeof name, "_ZGV%cN%u%s_%s%s", vector_letter(t), *lanes,
           row->nargs == 2 ? "vv" : "v", row->name, single ? "f" : "");
  if (!LLVMSearchForAddressOfSymbol(name)) return NULL;
  LLVMValueRef fn = LLVMGetNamedFunction(m, name);
  if (fn) return fn;
  LLVMTypeRef v = LLVMVectorType(scalar, *lanes), in[VECTOR_ARGS_MAX] = {v, v};
  fn = LLVMAddFunction(m, name, LLVMFunctionType(v, in, row->nargs, 0));
  LLVMAttributeIndex at = LL_OF_FUNCTION;
  ll_attr(fn, at, "memory", 0);
  ll_attr(fn, at, "nounwind", 0);
  ll_attr(fn, at, "willreturn", 0);
  return fn;
}

static LLVMValueRef
vector_shuffle(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y,
               const uint32_t *mask, uint32_t n) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(x)));
  LLVMValueRef at[VECTOR_LANES_MAX];
  for (uint32_t k = 0; k < n; k++) at[k] = LLVMConstInt(i32, mask[k], 0);
  return LLVMBuildShuffleVector(b, x, y, LLVMConstVector(at, n), "");
}

/* Values [from, from + lanes) of argument a; behind its end its last one. */
static LLVMValueRef
vector_piece(const struct vector_call *c, uint32_t a, uint32_t from) {
  LLVMValueRef x = LLVMGetOperand(c->call, a);
  uint32_t mask[VECTOR_LANES_MAX], last = c->n ? c->n - 1 : 0;
  if (!c->n) {
    LLVMTypeRef one = LLVMVectorType(LLVMTypeOf(x), 1);
    LLVMContextRef ctx = LLVMGetTypeContext(one);
    x = LLVMBuildInsertElement(c->b, LLVMGetUndef(one), x, ll_i64(ctx, 0), "");
  }
  for (uint32_t k = 0; k < c->lanes; k++)
    mask[k] = from + k < last ? from + k : last;
  return vector_shuffle(c->b, x, LLVMGetUndef(LLVMTypeOf(x)), mask, c->lanes);
}

/* Put the results y of piece `from` behind what is there. */
static LLVMValueRef
vector_append(const struct vector_call *c, LLVMValueRef done, LLVMValueRef y,
              uint32_t from) {
  uint32_t wide[VECTOR_LANES_MAX], both[VECTOR_LANES_MAX];
  for (uint32_t k = 0; k < c->n; k++) {
    bool here = k >= from && k < from + c->lanes;
    wide[k] = here ? k - from : 0;
    both[k] = here ? c->n + k : k;
  }
  y = vector_shuffle(c->b, y, LLVMGetUndef(LLVMTypeOf(y)), wide, c->n);
  return done ? vector_shuffle(c->b, done, y, both, c->n) : y;
}

static void
vector_replace(const struct vector_call *c) {
  LLVMPositionBuilderBefore(c->b, c->call);
  LLVMTypeRef type = LLVMGlobalGetValueType(c->fn);
  LLVMValueRef done = NULL;
  for (uint32_t from = 0; from < (c->n ? c->n : 1); from += c->lanes) {
    LLVMValueRef in[VECTOR_ARGS_MAX];
    for (uint32_t a = 0; a < c->nargs; a++) in[a] = vector_piece(c, a, from);
    LLVMValueRef y = LLVMBuildCall2(c->b, type, c->fn, in, c->nargs, "");
    LLVMContextRef ctx = LLVMGetTypeContext(type);
    done = c->n ? vector_append(c, done, y, from)
                : LLVMBuildExtractElement(c->b, y, ll_i64(ctx, 0), "");
  }
  LLVMReplaceAllUsesWith(c->call, done);
  LLVMInstructionEraseFromParent(c->call);
}

/* Replace all calls of operation f. */
static void
vector_operation(const struct low_target *t, LLVMModuleRef m, LLVMValueRef f,
                 const struct vector_math *row, LLVMBuilderRef b) {
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(f));
  struct vector_call c = {.b = b, .nargs = row->nargs};
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
    c.n = LLVMGetVectorSize(type);
    type = LLVMGetElementType(type);
  }
  c.fn =
      c.n > VECTOR_LANES_MAX ? NULL : vector_variant(t, m, row, type, &c.lanes);
  if (!c.fn) return;
  for (LLVMUseRef u = LLVMGetFirstUse(f), next; u; u = next) {
    next = LLVMGetNextUse(u);
    c.call = LLVMGetUser(u);
    if (LLVMIsACallInst(c.call)) vector_replace(&c);
  }
}

void
low_vector_math(const struct low_target *t, LLVMModuleRef m) {
  if (!vector_letter(t) || LLVMLoadLibraryPermanently("libmvec.so.1")) return;
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
  size_t n = sizeof vector_maths / sizeof *vector_maths;
  LL_FUNCTIONS(f, m) {
    unsigned id = LLVMGetIntrinsicID(f);
    for (size_t k = 0; id && k < n; k++) {
      char name[32];
      int len = snprintf(name, sizeof name, "llvm.%s", vector_maths[k].name);
      if (LLVMLookupIntrinsicID(name, (size_t)len) == id)
        vector_operation(t, m, f, &vector_maths[k], b);
    }
  }
  LLVMDisposeBuilder(b);
}
