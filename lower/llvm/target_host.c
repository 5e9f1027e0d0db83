/* The machine we run on: its CPU, optimisation for it, assembly text. */
#include "lower/llvm/ll.h"
#include "lower/llvm/code.h"
#include "lower/llvm/unroll.h"

#include <assert.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static status
low_machine(struct low_target *t) {
  LLVMTargetRef target;
  LL_TEXT why = NULL;
  if (LLVMGetTargetFromTriple(t->triple, &target, &why))
    FAIL(ERR_TARGET, "host %s: %s", t->triple, why);
  t->machine =
      LLVMCreateTargetMachine(target, t->triple, t->cpu, t->features,
                              LLVMCodeGenLevelAggressive, LLVMRelocDefault,
                              LLVMCodeModelJITDefault);
  if (!t->machine)
    FAIL(ERR_TARGET, "host %s: no target machine for %s", t->triple, t->cpu);
  low_target_lay_out(t);
  return OK;
}

void
low_target_lay_out(struct low_target *t) {
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(t->machine);
  t->layout = LLVMCopyStringRepOfTargetData(layout);
  LLVMDisposeTargetData(layout);
}

/* Bytes of the vector registers that the code may use. */
static uint32_t
low_vector_bytes(const struct low_target *t) {
  if (strstr(t->features, "+avx512f")) return 64;
  return strstr(t->features, "+avx") ? 32 : 16;
}

/* fmadd is a feature of its own on x86-64; the others have it always. */
static bool
low_has_fma(const struct low_target *t) {
  if (strncmp(t->triple, "x86_64", 6)) return true;
  for (const char *at = t->features; (at = strstr(at, "+fma")); at += 4)
    if (at[4] == ',' || !at[4]) return true;
  return false;
}

static pthread_once_t low_native_once = PTHREAD_ONCE_INIT;
static bool low_native;

/* Code calls libgcc for what a processor lacks: to divide integers of 128 bits,
 * powers by an integer. Nothing else may have brought it (as in loader.c);
 * where it is not there, a call of it says so. */
static void
low_native_init(void) {
  LLVMLoadLibraryPermanently("libgcc_s.so.1");
  low_native = !LLVMInitializeNativeTarget() &&
               !LLVMInitializeNativeAsmPrinter() &&
               !LLVMInitializeNativeAsmParser();
  low_ptx_register();
}

void
low_targets_register(void) {
  pthread_once(&low_native_once, low_native_init);
}

status
low_target_init(struct low_target *t, const char *cpu, const char *features) {
  low_targets_register();
  if (!low_native) FAIL(ERR_TARGET, "LLVM has no code generator for this host");
  *t = (struct low_target){.triple = LLVMGetDefaultTargetTriple()};
  t->cpu = cpu ? LLVMCreateMessage(cpu) : LLVMGetHostCPUName();
  t->features = cpu ? LLVMCreateMessage(features) : LLVMGetHostCPUFeatures();
  t->vector_bytes = low_vector_bytes(t);
  t->fma = low_has_fma(t);
  status s = low_machine(t);
  if (s != OK) low_target_clear(t);
  return s;
}

void
low_target_clear(struct low_target *t) {
  if (t->machine) LLVMDisposeTargetMachine(t->machine);
  if (t->triple) LLVMDisposeMessage(t->triple);
  if (t->layout) LLVMDisposeMessage(t->layout);
  if (t->cpu) LLVMDisposeMessage(t->cpu);
  if (t->features) LLVMDisposeMessage(t->features);
  *t = (struct low_target){0};
}

/* What a compilation leaves on a function and must not reach ours. */
static const char *const low_foreign[] = {
#define ATTRIBUTE(text) text,
#include "lower/llvm/attributes.def"
#undef ATTRIBUTE
    "alwaysinline",
    "prefer-vector-width",
    "unsafe-fp-math",
    "approx-func-fp-math",
    "no-infs-fp-math",
    "no-nans-fp-math",
    "no-signed-zeros-fp-math",
    "less-precise-fpmad",
    "denormal-fp-math",
    "denormal-fp-math-f32",
    "reciprocal-estimates"};

void
low_target_adopt(const struct low_target *t, LLVMValueRef fn) {
  for (size_t k = 0; k < sizeof low_foreign / sizeof *low_foreign; k++)
    ll_attr_remove(fn, low_foreign[k]);
  ll_attr(fn, LL_OF_FUNCTION, "nounwind", 0);
  if (!t->cpu) return;
  ll_attr_text(fn, "target-cpu", t->cpu);
  ll_attr_text(fn, "target-features", t->features);
  char bits[16];
  ll_attr_text(fn, "denormal-fp-math", "dynamic,dynamic");
  snprintf(bits, sizeof bits, "%u", 8 * t->vector_bytes);
  ll_attr_text(fn, "prefer-vector-width", bits);
}

/* Vectorise first, then all of O3: in O3's own order neighbouring stores have
 * become memset and memcpy by the time the vectoriser comes, and it refuses
 * calls. What it needs is here: kernels inlined, their short loops unrolled,
 * slots in registers, conditions as selects, and nothing dead that one lane
 * would hand on to the next (a kernel's array under a mask). */
#define LOW_COMBINE "instcombine<no-verify-fixpoint>"
#define LOW_SIMPLIFY_BY(unroll)                                                \
  "always-inline,function("                                                    \
  "sroa<modify-cfg>,early-cse<memssa>,simplifycfg," LOW_COMBINE ",adce,"       \
  "loop-mssa(loop-rotate,licm)," unroll ","                                    \
  "sroa<modify-cfg>,early-cse<memssa>," LOW_COMBINE ",simplifycfg,"            \
  "loop-mssa(licm),gvn," LOW_COMBINE
#define LOW_SIMPLIFY                                                           \
  LOW_SIMPLIFY_BY("loop(indvars,loop-deletion,loop-unroll-full)")
/* Loops of twice as many instructions are unrolled, as clang -O3 does. */
#define LOW_SIMPLIFY_LONG                                                      \
  LOW_SIMPLIFY_BY("loop(indvars,loop-deletion),"                               \
                  "loop-unroll<O3;no-partial;no-runtime;no-peeling>")

/* Sums within a kernel that fast math lets LLVM reorder are vectors here or
 * never. */
status
low_target_settle(const struct low_target *t, LLVMModuleRef m, bool fast) {
  fast &= t->vector_bytes > 0;
  if (fast) low_arrays_pad(m);
  return ll_run_passes(m,
                       fast ? LOW_SIMPLIFY ",reassociate," LOW_COMBINE
                                           ",loop-vectorize)"
                            : LOW_SIMPLIFY ")",
                       t->machine, false);
}

/* How often the function of blocks has the code of one. */
static unsigned
low_blocks_copies(LLVMValueRef blocks) {
  unsigned length = 0;
  const char *text = LLVMGetStringAttributeValue(
      LLVMGetStringAttributeAtIndex(blocks, LL_OF_FUNCTION, LOW_BLOCKS,
                                    strlen(LOW_BLOCKS)),
      &length);
  assert(length == 1 && (*text == '1' || *text == '2'));
  return (unsigned)(*text - '0');
}

/* Lengths of loops are seen in simple code only. Without the hints it is left
 * as it is, with its loop over lanes. */
static status
low_unroll_all(const struct low_target *t, LLVMModuleRef m) {
  LLVMValueRef mark;
  TRY(ll_run_passes(m, LOW_SIMPLIFY ")", t->machine, true));
  LLVMGetNamedMetadataOperands(m, LOW_LANE_LOOP, &mark);
  LLVMValueRef blocks = low_blocks_find(m);
  assert(blocks);
  unsigned most = LOW_UNROLLED_MOST * low_blocks_copies(blocks);
  if (!ll_unroll_within(blocks, mark, most)) return OK;
  return ll_run_passes(m, LOW_SIMPLIFY_LONG ",loop-vectorize)", t->machine,
                       true);
}

status
low_target_vectorise(const struct low_target *t, enum low_form form,
                     LLVMModuleRef m) {
  TRY(ll_run_passes(m, "always-inline,function(sroa<modify-cfg>)", t->machine,
                    true));
  low_entries_forward(m);
  low_arrays_pad(m);
  if (form == LOW_IN_BLOCKS_ALL) return low_unroll_all(t, m);
  return ll_run_passes(m,
                       form == LOW_IN_BLOCKS_LONG
                           ? LOW_SIMPLIFY_LONG ",loop-vectorize)"
                           : LOW_SIMPLIFY ",loop-vectorize)",
                       t->machine, true);
}

status
low_target_lean(const struct low_target *t, LLVMModuleRef m) {
  return ll_run_passes(m, "default<O1>", t->machine, false);
}

status
low_target_simplify(const struct low_target *t, LLVMModuleRef m) {
  return ll_run_passes(m, LOW_SIMPLIFY ")", t->machine, true);
}

static const struct low_sanitizer {
  const char *attribute;
  bool first;
  const char *passes;
} low_sanitizers[] = {
    {NULL, false, ""},
#define SANITIZER(name, attribute, symbol, first, passes)                      \
  {attribute, first, passes},
#include "lower/sanitize.def"
#undef SANITIZER
};

bool
low_sanitize_vectors(enum low_sanitize s) {
  return s == LOW_SANITIZE_none;
}

/* What would run when the module is loaded: it starts the sanitizer, which the
 * program has done, and registers constants, whose surroundings are then not
 * checked. MCJIT runs none of it, but it names symbols that only a linker
 * makes. Nothing may mention what is deleted: the lists of what is to be kept,
 * where the sanitizer entered it, go as well (a linker reads them, MCJIT keeps
 * all), and constants of the context, which outlive lists that held them,
 * forget it. */
static void
low_drop_constructors(LLVMModuleRef m) {
  static const char *const lists[] = {"llvm.global_ctors", "llvm.global_dtors",
                                      "llvm.used", "llvm.compiler.used"};
  static const char *const functions[] = {"asan.module_ctor",
                                          "asan.module_dtor"};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    LLVMValueRef list = LLVMGetNamedGlobal(m, lists[k]);
    if (list) LLVMDeleteGlobal(list);
  }
  for (int k = 0; k < 2; k++) {
    LLVMValueRef f = LLVMGetNamedFunction(m, functions[k]);
    if (!f) continue;
    LLVMReplaceAllUsesWith(f, LLVMConstNull(LLVMTypeOf(f)));
    LLVMDeleteFunction(f);
  }
}

static status
low_instrument(const struct low_target *t, const struct low_sanitizer *z,
               LLVMModuleRef m) {
  LL_FUNCTIONS(f, m)
    if (!LLVMIsDeclaration(f)) ll_attr(f, LL_OF_FUNCTION, z->attribute, 0);
  TRY(ll_run_passes(m, z->passes, t->machine, true));
  low_drop_constructors(m);
  return OK;
}

status
low_target_sanitize_first(const struct low_target *t, enum low_sanitize s,
                          LLVMModuleRef m) {
  const struct low_sanitizer *z = &low_sanitizers[s];
  return z->attribute && z->first ? low_instrument(t, z, m) : OK;
}

status
low_target_sanitize(const struct low_target *t, enum low_sanitize s,
                    LLVMModuleRef m) {
  const struct low_sanitizer *z = &low_sanitizers[s];
  return z->attribute && !z->first ? low_instrument(t, z, m) : OK;
}

/* The search for vectors in straight code takes the map entries that a block
 * loads for something to gather. LLVM 19 runs it in O3 whatever the options
 * say, but not on functions with this attribute; the code generator must not
 * see it. */
static const char low_no_slp[] = "noimplicitfloat";

LLVMValueRef
low_blocks_find(LLVMModuleRef m) {
  LLVMAttributeIndex at = LL_OF_FUNCTION;
  LL_FUNCTIONS(f, m)
    if (LLVMGetStringAttributeAtIndex(f, at, LOW_BLOCKS, strlen(LOW_BLOCKS)))
      return f;
  return NULL;
}

status
low_target_optimise(const struct low_target *t, LLVMModuleRef m) {
  LLVMValueRef blocks = low_blocks_find(m);
  if (blocks) ll_attr(blocks, LL_OF_FUNCTION, low_no_slp, 0);
  status s = ll_run_passes(m, "default<O3>", t->machine, true);
  blocks = low_blocks_find(m);
  if (blocks) ll_attr_remove(blocks, low_no_slp);
  return s;
}

status
low_target_assembly(const struct low_target *t, LLVMModuleRef m,
                    struct str *out) {
  LLVMMemoryBufferRef text;
  LL_TEXT why = NULL;
  if (LLVMTargetMachineEmitToMemoryBuffer(t->machine, m, LLVMAssemblyFile, &why,
                                          &text))
    FAIL(ERR_COMPILE, "code generation: %s", why);
  ll_buffer_add(text, out);
  return OK;
}
