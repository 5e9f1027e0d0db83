/* What a kernel's IR proves.
 *
 * The access that a program declares says what it means; only the code says
 * what happens. Fusing, dropping and staging loops needs the latter, so each
 * kernel is read once, when it is first met:
 *
 *   facts_clean.c     a private copy: inlined, in registers, unrolled
 *   facts_pointers.c  where each pointer leads
 *   facts_access.c    loads and stores by parameter, offset; effects; globals
 *   facts_flow.c      bytes written on every path; reads of old values
 *   facts_adds.c      parameters that are only added to
 *   facts_extremes.c  parameters that are only lowered, or only raised
 *   facts_reach.c     how far from a parameter memory is touched
 *   facts_copy.c      kernels that only copy
 *   facts_count.c     floating-point operations
 *
 * Example, update of Airfoil (qold, q, res, adt, rms; four components):
 *   qold reads; q writes, full 32; res reads and writes, full 32 (it is set to
 *   0); adt reads; rms reads and writes, adds only.
 *
 * All facts err on the safe side. cost: 2 to 10 ms for a kernel.
 */
#include "lower/llvm/facts.h"

#include "lower/llvm/bitcode.h"

#include <assert.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

static status
facts_open(struct facts *f, const struct low_kernel *k) {
  LLVMModuleRef m;
  TRY(low_kernel_open(k, false, f->ctx, &m, &f->fn));
  low_kernel_give(k, m);
  f->m = m;
  f->layout = LLVMGetModuleDataLayout(f->m);
  return OK;
}

static bool
facts_used(const struct facts *f, uint32_t object) {
  assert(object < f->nobjects);
  const struct fact_object *o = &f->objects[object];
  return o->reads || o->writes || o->escaped;
}

static void
facts_object(struct facts *f, uint32_t object, struct low_param *p) {
  const struct fact_object *o = &f->objects[object];
  if (o->entry != FACT_SELF) p->indirect = true;
  p->reads |= o->reads || o->escaped;
  p->writes |= o->writes || o->escaped;
  p->stores |= o->writes;
}

/* Entries [0, nentries) of a vector argument; 0 if some are not known. */
static uint32_t
facts_entries(const struct facts *f, uint32_t param) {
  int64_t n = 0;
  for (uint32_t k = 0; k < f->nobjects; k++) {
    const struct fact_object *o = &f->objects[k];
    if (o->param != param || !facts_used(f, k)) continue;
    if (o->entry == FACT_ANY || o->escaped) return 0;
    if (o->entry >= n) n = o->entry + 1;
  }
  return (uint32_t)n;
}

static uint64_t
facts_entry_full(const struct facts *f, uint32_t param, int64_t entry) {
  assert(param < LLVMCountParams(f->fn));
  for (uint32_t k = 0; k < f->nobjects; k++) {
    const struct fact_object *o = &f->objects[k];
    if (o->param == param && o->entry == entry) return o->escaped ? 0 : o->full;
  }
  return 0;
}

static uint64_t
facts_full(const struct facts *f, uint32_t param, const struct low_param *p) {
  if (!p->indirect) return facts_entry_full(f, param, FACT_SELF);
  uint64_t least = p->nentries ? UINT64_MAX : 0;
  for (uint32_t i = 0; i < p->nentries; i++) {
    uint64_t full = facts_entry_full(f, param, i);
    if (full < least) least = full;
  }
  return least;
}

static void
facts_combined(const struct facts *f, uint32_t param, struct low_param *p) {
  struct fact_extreme x;
  p->adds_as = fact_adds_as(f, param);
  if (fact_extreme(f, param, false, &x)) {
    p->lowers_as = x.types;
    p->lowers_with = x.payload;
  }
  if (fact_extreme(f, param, true, &x)) {
    p->raises_as = x.types;
    p->raises_with = x.payload;
  }
}

static void
facts_params(struct facts *f, struct low_kernel *k, struct arena *arena) {
  k->nparams = LLVMCountParams(f->fn);
  k->params = ARENA_ARRAY(arena, struct low_param, k->nparams);
  for (uint32_t o = 0; o < f->nobjects; o++)
    facts_object(f, o, &k->params[f->objects[o].param]);
  for (uint32_t i = 0; i < k->nparams; i++) {
    struct low_param *p = &k->params[i];
    if (p->indirect) p->nentries = facts_entries(f, i);
    p->full_bytes = facts_full(f, i, p);
    facts_combined(f, i, p);
    fact_reach(f, i, p);
  }
}

/* Before cleaning turns them into operations. */
static void
facts_maths(struct facts *f, struct low_kernel *k, struct arena *arena) {
  uint32_t cap = 0;
  SCOPED const char **maths = NULL;
  k->nmaths = 0;
  LL_FUNCTIONS(g, f->m) {
    const char *name = ll_name(g);
    if (!LLVMIsDeclaration(g) || !low_math_is_pure(name)) continue;
    name = arena_str(arena, name);
    VEC_PUSH(maths, k->nmaths, cap, name);
  }
  k->maths = ARENA_ARRAY(arena, const char *, k->nmaths);
  if (maths) memcpy(k->maths, maths, k->nmaths * sizeof *maths);
  low_math_without_errno(f->m);
}

static bool
facts_is_integer(LLVMValueRef g) {
  LLVMTypeRef type = LLVMGlobalGetValueType(g);
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
         LLVMGetIntTypeWidth(type) <= 64;
}

static void
facts_consts(struct facts *f, struct low_kernel *k, struct arena *arena) {
  k->consts = ARENA_ARRAY(arena, struct low_const, f->nglobals);
  k->nconsts = f->nglobals;
  for (uint32_t i = 0; i < f->nglobals; i++)
    k->consts[i] =
        (struct low_const){.name = arena_str(arena, ll_name(f->globals[i])),
                           .size = low_blob_sizeof(f->m, f->globals[i]),
                           .integer = facts_is_integer(f->globals[i])};
}

/* Bytes of an array that the kernel declares. */
static uint64_t
facts_local(const struct facts *f, LLVMValueRef alloca) {
  assert(LLVMIsAAllocaInst(alloca));
  LLVMValueRef n = LLVMGetOperand(alloca, 0);
  if (!LLVMIsAConstantInt(n)) return LOW_LOCAL_OPEN;
  return LLVMConstIntGetZExtValue(n) *
         LLVMABISizeOfType(f->layout, LLVMGetAllocatedType(alloca));
}

/* Variables of the program that only tables mention are not there. */
static bool
facts_global_is_there(const struct facts *f, LLVMValueRef g) {
  if (!LLVMGetFirstUse(g)) return false;
  for (uint32_t k = 0; k < f->nglobals; k++)
    if (f->globals[k] == g) return true;
  return !LLVMIsDeclaration(g);
}

/* Arrays that are not in registers, tables, variables of the program. */
static uint64_t
facts_locals(const struct facts *f) {
  uint64_t sum = 0;
  LL_ALL_INSTS(i, f->fn) {
    uint64_t bytes = LLVMIsAAllocaInst(i) ? facts_local(f, i) : 0;
    if (bytes == LOW_LOCAL_OPEN) return bytes;
    sum += bytes;
  }
  LL_GLOBALS(g, f->m)
    if (facts_global_is_there(f, g)) sum += low_blob_sizeof(f->m, g);
  return sum;
}

static status
facts_read(struct facts *f, struct low_kernel *k, struct arena *arena) {
  TRY(facts_open(f, k));
  facts_maths(f, k, arena);
  TRY(fact_clean(f));
  fact_tables(f);
  fact_pointers(f);
  fact_accesses(f);
  fact_flow(f);
  facts_params(f, k, arena);
  facts_consts(f, k, arena);
  fact_copy(f, k);
  fact_count(f, k);
  k->local_bytes = facts_locals(f);
  k->effects = f->effects;
  k->why = f->effects ? arena_str(arena, f->why) : "";
  return OK;
}

status
low_facts_read(struct low_kernel *k, struct arena *arena) {
  assert(k->bitcode && k->name);
  struct facts f = {.ctx = LLVMContextCreate()};
  ll_errors_catch(f.ctx);
  status s = facts_read(&f, k, arena);
  if (f.m) LLVMDisposeModule(f.m);
  LLVMContextDispose(f.ctx);
  table_clear(&f.pointers);
  table_clear(&f.closed);
  arena_clear(&f.arena);
  free(f.objects);
  free(f.accesses);
  free(f.globals);
  return s;
}
