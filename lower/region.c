/* From a region as data to one function in LLVM IR.
 *
 * Problem. Kernels take pointers to single elements; called one after another
 * over millions of elements through `void **` they cost a call, a gather and a
 * scatter each. A compiler that sees only the kernel can't vectorise over elements,
 * and one that sees a loop with an indirect `+=` won't.
 *
 * Idea. The region's loop copies each argument into a private slot, calls the
 * kernels on the slots, and copies back. Kernels are inlined and slots become SSA
 * values, so that what one kernel leaves for the next never reaches memory. Nothing
 * in that loop writes through a map: increments go to strip buffers in the order of
 * elements, and a second, scalar loop over the strip adds them to memory. The first
 * loop's elements are then independent, and it says so (parallel_accesses), and LLVM
 * vectorises it over elements:
 *
 *   for s in [lo, hi) step S, m = min(S, hi - s)
 *     for i in [0, m)        gather slots of s+i; kernels; direct stores;
 *                            strip[c][i] = increments               (vector)
 *     for i in [0, m)        dat[map[s+i]][c] += strip[c][i]        (scalar)
 *
 * Adding in element order keeps a single thread's sums what they would be without
 * strips. Regions without scattered increments are one plain loop.
 *
 *   op2_region(table, lo, hi)   loads what is bound, refreshes constants that have
 *                               become parameters, and calls
 *   body(binds..., lo, hi)      not inlined: `noalias` holds on arguments only
 *
 * Global sums run in a register with `reassoc` on that one addition, which is all
 * that a vector reduction needs; no other operation has any fast-math flag, and
 * nothing is contracted across kernels.
 *
 * Elements whose order matters (a written global, an opaque kernel, read-write
 * access through a map) take the same path without the parallel mark; arguments
 * that may be the same element are compared by index at run time and share the first
 * one's slot. cost O(slots * components) instructions before optimisation. limits
 * one element is one iteration: no reuse of gathered values between neighbours. */
#include "lower/region_emit.h"

#include <assert.h>
#include <llvm-c/Analysis.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of strip buffers: half of a small first-level cache. */
enum { LOW_STRIP_BYTES = 16384, LOW_STRIP_MIN = 32, LOW_STRIP_MAX = 1024 };

static bool
low_is_address(const struct low_bind *b) {
  return b->kind != RT_BIND_STRIDE;
}

static void
low_mark_args(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nbinds; k++) {
    const struct low_bind *b = &em->r->binds[k];
    if (!low_is_address(b) || b->kind == RT_BIND_ADDRESS) continue;
    if (b->alone) ll_attr(em->body, k + 1, "noalias", 0);
    if (!b->written) ll_attr(em->body, k + 1, "readonly", 0);
    if (b->kind == RT_BIND_SLOT && b->alone)
      ll_attr(em->body, k + 1, "align", 64);
  }
}

/* internal void body(binds..., i64 lo, i64 hi) */
static void
low_declare_body(struct low_emit *em) {
  uint32_t n = em->r->nbinds;
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  LLVMTypeRef ptr = LLVMPointerTypeInContext(em->ctx, 0);
  LLVMTypeRef *types = mem_alloc(n + 2, sizeof *types);
  for (uint32_t k = 0; k < n; k++)
    types[k] = low_is_address(&em->r->binds[k]) ? ptr : i64;
  types[n] = types[n + 1] = i64;
  LLVMTypeRef type =
      LLVMFunctionType(LLVMVoidTypeInContext(em->ctx), types, n + 2, 0);
  free(types);
  em->body = LLVMAddFunction(em->m, "body", type);
  LLVMSetLinkage(em->body, LLVMInternalLinkage);
  ll_attr(em->body, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "noinline",
          0);
  low_mark_args(em);
  em->arg = mem_alloc(n + 2, sizeof *em->arg);
  LLVMGetParams(em->body, em->arg);
}

/* ---- one element --------------------------------------------------------- */

static bool
low_slot_is_private(const struct low_slot *s) {
  return s->kind != LOW_SLOT_PLACE && s->kind != LOW_SLOT_WHOLE;
}

static void
low_emit_index(struct low_emit *em, uint32_t s) {
  LLVMValueRef e = low_slot_index(em, &em->r->slots[s]);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(em->ctx);
  LLVMBuildStore(em->b, LLVMBuildTrunc(em->b, e, i32, "idx"), em->home[s]);
}

/* Fill slots at the element's start. */
static void
low_emit_enter(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    struct low_at home = low_at_home(em->home[k]);
    if (s->kind == LOW_SLOT_INDEX)
      low_emit_index(em, k);
    else if (s->kind == LOW_SLOT_INC)
      low_emit_fill(em, s, home, ACC_INC);
    else if (s->kind == LOW_SLOT_SUM)
      low_emit_fill(em, s, home, s->access);
    else if (s->kind == LOW_SLOT_DAT && s->call < 0 && s->load >= 0)
      low_emit_copy(em, s, home, low_at_dat(em, s, s->load));
    else if (s->kind == LOW_SLOT_PLACE)
      em->now[k] =
          low_at_address(em, low_at_dat(em, s, s->load), s->type,
                         ll_i64(em->ctx, 0));
  }
}

/* Store slots at the element's end. */
static void
low_emit_leave(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    struct low_at home = low_at_home(em->home[k]);
    if (s->kind == LOW_SLOT_DAT && s->call < 0 && s->store >= 0)
      low_emit_copy(em, s, low_at_dat(em, s, s->store), home);
    else if (s->kind == LOW_SLOT_SUM)
      low_emit_combine(em, s, em->acc[k], em->home[k]);
    else if (s->kind == LOW_SLOT_INC && em->strip[k])
      low_emit_copy(em, s, low_at_strip(em, k), home);
    else if (s->kind == LOW_SLOT_INC)
      low_emit_add(em, s, low_at_dat(em, s, s->store), home);
  }
}

/* Where staged slot k is for this element: at the first slot of its call that
 * holds the same element of the same memory. */
static LLVMValueRef
low_emit_peer(struct low_emit *em, uint32_t k, int32_t call) {
  const struct low_slot *s = &em->r->slots[k];
  LLVMValueRef at = em->home[k];
  if (s->store < 0) return at;
  LLVMValueRef own = low_slot_index(em, s);
  for (uint32_t j = k; j-- > 0;) {
    const struct low_slot *o = &em->r->slots[j];
    if (o->kind != LOW_SLOT_DAT || o->call != call || o->store != s->store)
      continue;
    LLVMValueRef same = LLVMBuildICmp(em->b, LLVMIntEQ, low_slot_index(em, o),
                                      own, "same");
    at = LLVMBuildSelect(em->b, same, em->home[j], at, "");
  }
  return at;
}

static void
low_emit_before(struct low_emit *em, int32_t call) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (s->from >= 0 && s->call_from == call)
      low_emit_copy(em, s, low_at_home(em->home[k]),
                    low_at_home(em->home[s->from]));
    if (s->kind != LOW_SLOT_DAT || s->call != call) continue;
    em->now[k] = low_emit_peer(em, k, call);
    if (s->load >= 0)
      low_emit_copy(em, s, low_at_home(em->home[k]),
                    low_at_dat(em, s, s->load));
  }
}

static void
low_emit_after(struct low_emit *em, int32_t call) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (s->kind == LOW_SLOT_DAT && s->call == call && s->store >= 0)
      low_emit_copy(em, s, low_at_dat(em, s, s->store),
                    low_at_home(em->now[k]));
  }
}

/* The pointer that a kernel's parameter gets. */
static LLVMValueRef
low_emit_use(struct low_emit *em, const struct low_use *u) {
  LLVMTypeRef ptr = LLVMPointerTypeInContext(em->ctx, 0);
  if (u->nslots == 0) return LLVMConstNull(ptr);
  if (!u->vector) return em->now[u->slots[0]];
  LLVMValueRef array = ll_entry_alloca(em->b, ptr, u->nslots, 8, "vector");
  for (uint32_t k = 0; k < u->nslots; k++) {
    LLVMValueRef at = ll_i64(em->ctx, k);
    LLVMBuildStore(em->b, em->now[u->slots[k]],
                   LLVMBuildInBoundsGEP2(em->b, ptr, array, &at, 1, ""));
  }
  return array;
}

static void
low_emit_call(struct low_emit *em, uint32_t call) {
  const struct low_call *c = &em->r->calls[call];
  const struct low_instance *in = &em->r->instances[c->instance];
  LLVMTypeRef ptr = LLVMPointerTypeInContext(em->ctx, 0);
  LLVMValueRef *args = mem_alloc(c->nargs + 1, sizeof *args);
  LLVMTypeRef *types = mem_alloc(c->nargs + 1, sizeof *types);
  for (uint32_t a = 0; a < c->nargs; a++) {
    args[a] = low_emit_use(em, &c->args[a]);
    types[a] = ptr;
  }
  LLVMValueRef fn = in->address >= 0 ? em->arg[in->address]
                                     : em->fns[c->instance];
  LLVMTypeRef type =
      in->address >= 0
          ? LLVMFunctionType(LLVMVoidTypeInContext(em->ctx), types, c->nargs, 0)
          : LLVMGlobalGetValueType(fn);
  LLVMBuildCall2(em->b, type, fn, args, c->nargs, "");
  free(types);
  free(args);
}

static void
low_emit_element(struct low_emit *em) {
  low_emit_enter(em);
  for (uint32_t k = 0; k < em->r->ncalls; k++) {
    low_emit_before(em, (int32_t)k);
    low_emit_call(em, k);
    low_emit_after(em, (int32_t)k);
  }
  low_emit_leave(em);
}

/* ---- loops --------------------------------------------------------------- */

static void
low_emit_scatter(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (s->kind == LOW_SLOT_INC)
      low_emit_add(em, s, low_at_dat(em, s, s->store), low_at_strip(em, k));
  }
}

static void
low_emit_strips(struct low_emit *em, LLVMValueRef lo, LLVMValueRef hi) {
  LLVMBuilderRef b = em->b;
  LLVMValueRef len = ll_i64(em->ctx, em->strip_len), zero = ll_i64(em->ctx, 0);
  LLVMValueRef span = LLVMBuildNSWSub(b, hi, lo, "span");
  LLVMValueRef round = LLVMBuildNSWAdd(
      b, span, ll_i64(em->ctx, em->strip_len - 1), "");
  LLVMValueRef strips = LLVMBuildSDiv(b, round, len, "strips");
  struct ll_loop outer = ll_loop_begin(b, zero, strips, "s");
  LLVMValueRef done = LLVMBuildNSWMul(b, outer.i, len, "");
  LLVMValueRef base = LLVMBuildNSWAdd(b, lo, done, "base");
  LLVMValueRef left = LLVMBuildNSWSub(b, hi, base, "");
  LLVMValueRef few = LLVMBuildICmp(b, LLVMIntSLT, left, len, "");
  LLVMValueRef m = LLVMBuildSelect(b, few, left, len, "m");
  for (int pass = 0; pass < 2; pass++) {
    struct ll_loop l = ll_loop_begin(b, zero, m, "i");
    em->i = l.i;
    em->e = LLVMBuildNSWAdd(b, base, l.i, "e");
    (pass ? low_emit_scatter : low_emit_element)(em);
    ll_loop_end(b, &l,
                pass               ? em->marks.scalar
                : em->r->parallel ? em->marks.parallel
                                  : NULL);
  }
  ll_loop_end(b, &outer, NULL);
}

static void
low_emit_plain(struct low_emit *em, LLVMValueRef lo, LLVMValueRef hi) {
  struct ll_loop l = ll_loop_begin(em->b, lo, hi, "e");
  em->e = l.i;
  low_emit_element(em);
  ll_loop_end(em->b, &l, em->r->parallel ? em->marks.parallel : NULL);
}

/* Length of a strip: all buffers together stay in the first-level cache. */
static uint32_t
low_strip_len(const struct low_region *r) {
  size_t bytes = 0;
  for (uint32_t k = 0; k < r->nslots; k++)
    if (r->slots[k].kind == LOW_SLOT_INC)
      bytes += (size_t)r->slots[k].dim * r->slots[k].type.size;
  if (bytes == 0 || !r->parallel) return 0;
  size_t n = LOW_STRIP_BYTES / bytes / LOW_STRIP_MIN * LOW_STRIP_MIN;
  return n < LOW_STRIP_MIN   ? 0
         : n > LOW_STRIP_MAX ? LOW_STRIP_MAX
                             : (uint32_t)n;
}

/* Private memory of slots, values that hold for all elements, accumulators. */
static void
low_emit_setup(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    LLVMTypeRef type = ll_type(em->ctx, s->type);
    if (low_slot_is_private(s))
      em->home[k] = ll_entry_alloca(em->b, type, s->dim, 16, "slot");
    em->now[k] = s->kind == LOW_SLOT_WHOLE ? em->arg[s->load] : em->home[k];
    if (s->kind == LOW_SLOT_CONST)
      low_emit_copy(em, s, low_at_home(em->home[k]),
                    low_at_home(em->arg[s->load]));
    if (s->kind == LOW_SLOT_INC && em->strip_len)
      em->strip[k] = ll_entry_alloca(
          em->b, type, (uint64_t)s->dim * em->strip_len, 64, "strip");
    if (s->kind != LOW_SLOT_SUM) continue;
    em->acc[k] = ll_entry_alloca(em->b, type, s->dim, 16, "acc");
    low_emit_copy(em, s, low_at_home(em->acc[k]),
                  low_at_home(em->arg[s->store]));
  }
}

static void
low_emit_finish(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++)
    if (em->r->slots[k].kind == LOW_SLOT_SUM)
      low_emit_copy(em, &em->r->slots[k],
                    low_at_home(em->arg[em->r->slots[k].store]),
                    low_at_home(em->acc[k]));
  LLVMBuildRetVoid(em->b);
}

static void
low_build_body(struct low_emit *em) {
  uint32_t n = em->r->nslots, nb = em->r->nbinds;
  LLVMValueRef *mem = mem_alloc(4 * (size_t)n + 1, sizeof *mem);
  em->home = mem;
  em->now = mem + n;
  em->strip = mem + 2 * n;
  em->acc = mem + 3 * n;
  LLVMBasicBlockRef entry =
      LLVMAppendBasicBlockInContext(em->ctx, em->body, "entry");
  LLVMBasicBlockRef begin =
      LLVMAppendBasicBlockInContext(em->ctx, em->body, "begin");
  LLVMPositionBuilderAtEnd(em->b, begin);
  em->strip_len = low_strip_len(em->r);
  low_emit_setup(em);
  if (em->strip_len)
    low_emit_strips(em, em->arg[nb], em->arg[nb + 1]);
  else
    low_emit_plain(em, em->arg[nb], em->arg[nb + 1]);
  low_emit_finish(em);
  LLVMPositionBuilderAtEnd(em->b, entry);
  LLVMBuildBr(em->b, begin);
  free(mem);
}

/* ---- the wrapper --------------------------------------------------------- */

/* Constants that are parameters of this region: their captured bytes are copied
 * to the globals that the kernels read. All threads write the same bytes. */
static void
low_emit_constants(struct low_emit *em, LLVMValueRef *args) {
  for (uint32_t k = 0; k < em->r->ninstances; k++) {
    const struct low_instance *in = &em->r->instances[k];
    for (uint32_t c = 0; c < in->kernel->nconsts; c++)
      if (in->binds && in->binds[c] >= 0 && em->consts[k][c])
        LLVMBuildMemCpy(em->b, em->consts[k][c], 1, args[in->binds[c]], 1,
                        ll_i64(em->ctx, (int64_t)in->kernel->consts[c].size));
  }
}

static void
low_build_wrapper(struct low_emit *em, const struct low_target *t) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  LLVMTypeRef ptr = LLVMPointerTypeInContext(em->ctx, 0);
  LLVMTypeRef types[3] = {ptr, i64, i64};
  LLVMTypeRef type =
      LLVMFunctionType(LLVMVoidTypeInContext(em->ctx), types, 3, 0);
  LLVMValueRef fn = LLVMAddFunction(em->m, "op2_region", type);
  low_target_adopt(t, fn);
  LLVMPositionBuilderAtEnd(
      em->b, LLVMAppendBasicBlockInContext(em->ctx, fn, "entry"));
  uint32_t n = em->r->nbinds;
  LLVMValueRef *args = mem_alloc(n + 2, sizeof *args);
  for (uint32_t k = 0; k < n; k++) {
    LLVMValueRef at = ll_i64(em->ctx, k);
    LLVMValueRef p = LLVMBuildInBoundsGEP2(em->b, ptr, LLVMGetParam(fn, 0), &at,
                                           1, "");
    args[k] = LLVMBuildLoad2(
        em->b, low_is_address(&em->r->binds[k]) ? ptr : i64, p, "bind");
  }
  args[n] = LLVMGetParam(fn, 1);
  args[n + 1] = LLVMGetParam(fn, 2);
  low_emit_constants(em, args);
  LLVMBuildCall2(em->b, LLVMGlobalGetValueType(em->body), em->body, args,
                 n + 2, "");
  LLVMBuildRetVoid(em->b);
  free(args);
}

static LLVMValueRef **
low_consts_new(const struct low_region *r) {
  LLVMValueRef **v = mem_alloc(r->ninstances + 1, sizeof *v);
  for (uint32_t k = 0; k < r->ninstances; k++)
    v[k] = mem_alloc(r->instances[k].kernel->nconsts + 1, sizeof *v[k]);
  return v;
}

static void
low_consts_free(const struct low_region *r, LLVMValueRef **v) {
  for (uint32_t k = 0; k < r->ninstances; k++) free(v[k]);
  free(v);
}

static status
low_verify(struct low_emit *em) {
  char *why = NULL;
  status s = OK;
  if (LLVMVerifyModule(em->m, LLVMReturnStatusAction, &why))
    s = err_set(ERR_COMPILE, "generated code is not valid: %s", why);
  LLVMDisposeMessage(why);
  return s;
}

status
low_region_build(const struct low_region *r, const struct low_target *t,
                 LLVMContextRef ctx, LLVMModuleRef *out) {
  struct low_emit em = {.r = r, .ctx = ctx};
  TRY(ll_marks_make(ctx, &em.marks));
  em.m = LLVMModuleCreateWithNameInContext("region", ctx);
  em.b = LLVMCreateBuilderInContext(ctx);
  em.fns = mem_alloc(r->ninstances + 1, sizeof *em.fns);
  em.consts = low_consts_new(r);
  status s = low_link_kernels(r, t, em.m, em.fns, em.consts);
  if (s == OK) {
    low_declare_body(&em);
    low_target_adopt(t, em.body);
    low_build_body(&em);
    low_build_wrapper(&em, t);
    s = low_verify(&em);
    free(em.arg);
  }
  low_consts_free(r, em.consts);
  free(em.fns);
  LLVMDisposeBuilder(em.b);
  if (s == OK)
    *out = em.m;
  else
    LLVMDisposeModule(em.m);
  return s;
}
