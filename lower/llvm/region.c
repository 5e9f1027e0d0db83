/* From a region as data to functions in LLVM IR.
 *
 * Problem. Kernels take pointers to single elements; called one after another
 * over millions of elements through `void **` they cost a call, a gather and a
 * scatter each. A compiler that sees only the kernel can't vectorise over
 * elements, and one that sees a loop with an indirect `+=` won't.
 *
 * Idea. The region's loop copies each argument into a private slot, calls the
 * kernels on the slots, and copies back. Kernels are inlined and slots become
 * SSA values, so that what one kernel leaves for the next never reaches memory.
 * Where elements are independent they run in blocks of one vector's width, of
 * which only the arithmetic is left to LLVM's vectoriser (region_block.c).
 *
 *   op2_region(table, lo, hi)   loads what is bound, refreshes constants that
 *                               have become parameters, and calls
 *   plain(binds..., lo, hi)     one element after another: all there is for
 *                               regions whose order matters; else the ragged
 *                               ends
 *   blocks(binds..., lo, hi)    whole blocks, aligned to their width
 *
 * But for the first they are not inlined: `noalias` holds on arguments only. No
 * operation has any fast-math flag and nothing is contracted across kernels, so
 * that elements come out bit-identical in either function. Float sums do, too:
 * a sum has as many running values as a cache line holds, and element e adds to
 * number (e mod those), wherever it runs; threads keep them from call to call.
 *
 * By stretches (pass stretch) one function has both loops, for each stretch
 * (region_stretch.c).
 *
 * Elements whose order matters (a written global, an opaque kernel, read-write
 * access through a map) run in `plain`; arguments that may be the same element
 * are compared by index at run time and share the first one's slot. cost
 * O(slots * components * width) instructions before optimisation limits  one
 * block is one iteration: no reuse of gathered values between neighbours. */
#include "lower/llvm/region_emit.h"

#include <assert.h>
#include <llvm-c/Analysis.h>
#include <stdlib.h>
#include <string.h>

static bool
low_is_address(const struct low_bind *b) {
  return b->kind != RT_BIND_STRIDE && b->kind != RT_BIND_COUNT;
}

static void
low_mark_args(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nbinds; k++) {
    const struct low_bind *b = &em->r->binds[k];
    if (!low_is_address(b) || b->kind == RT_BIND_ADDRESS) continue;
    if (b->alone) ll_attr(em->fn, k + 1, "noalias", 0);
    if (!b->written) ll_attr(em->fn, k + 1, "readonly", 0);
    if (b->kind == RT_BIND_SLOT && b->alone)
      ll_attr(em->fn, k + 1, "align", 64);
  }
}

/* internal void (binds..., i64 lo, i64 hi); the name is for people. */
static LLVMValueRef
low_declare(struct low_emit *em, const char *name) {
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
  em->fn = LLVMAddFunction(em->m, name, type);
  LLVMSetLinkage(em->fn, LLVMInternalLinkage);
  low_target_adopt(em->t, em->fn);
  ll_attr(em->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "noinline",
          0);
  low_mark_args(em);
  LLVMGetParams(em->fn, em->arg);
  return em->fn;
}

/* ---- around the loop over elements --------------------------------------- */

static LLVMValueRef
low_emit_home(struct low_emit *em, uint32_t k) {
  assert(k < em->r->nslots);
  const struct low_slot *s = &em->r->slots[k];
  char name[LOW_GUARD_NAME];
  low_guard_name(em, k, name, sizeof name);
  if (s->room < 0)
    return ll_entry_alloca(em->b, ll_type(em->ctx, s->type), s->dim,
                           low_slot_align(s), name);
  assert(s->room % low_slot_align(s) == 0);
  LLVMValueRef at = ll_i64(em->ctx, s->room);
  return LLVMBuildInBoundsGEP2(em->b, LLVMInt8TypeInContext(em->ctx),
                               em->arg[em->r->scratch], &at, 1, "slot");
}

/* The thread's running values, to the function's own and back. */
static uint64_t
low_sum_values(const struct low_slot *s) {
  assert(s->lanes);
  return (uint64_t)s->dim * s->lanes;
}
static void
low_emit_sums(struct low_emit *em, const struct low_slot *s, LLVMValueRef to,
              LLVMValueRef from) {
  uint64_t bytes = low_sum_values(s) * s->type.size;
  LLVMBuildMemCpy(em->b, to, 16, from, 16, ll_i64(em->ctx, (int64_t)bytes));
}

/* Private memory of slots, values that hold for all elements, accumulators. */
static void
low_emit_setup(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    LLVMTypeRef type = ll_type(em->ctx, s->type);
    bool whole = s->kind == LOW_SLOT_WHOLE && !em->guarded[k];
    if (s->row) {
      low_entries_alloc(em, k);
      continue;
    }
    if (s->kind != LOW_SLOT_PLACE && !whole) em->home[k] = low_emit_home(em, k);
    em->now[k] = whole ? em->arg[s->load] : em->home[k];
    if (em->guarded[k] || (s->kind == LOW_SLOT_CONST && s->load >= 0))
      low_emit_copy(em, s, low_at_home(em->home[k]),
                    low_at_home(em->arg[s->load]));
    if (s->kind != LOW_SLOT_SUM) continue;
    em->acc[k] = ll_entry_alloca(em->b, type, low_sum_values(s), 64, "sums");
    low_emit_sums(em, s, em->acc[k], em->arg[s->store]);
  }
  low_guard_begin(em);
}

static void
low_emit_finish(struct low_emit *em) {
  low_guard_end(em);
  for (uint32_t k = 0; k < em->r->nslots; k++)
    if (em->r->slots[k].kind == LOW_SLOT_SUM)
      low_emit_sums(em, &em->r->slots[k], em->arg[em->r->slots[k].store],
                    em->acc[k]);
  LLVMBuildRetVoid(em->b);
}

/* Fill em->fn with one of the loops. The entry block holds allocas only. */
static void
low_build_body(struct low_emit *em,
               void (*loop)(struct low_emit *, LLVMValueRef, LLVMValueRef)) {
  uint32_t n = em->r->nslots, nb = em->r->nbinds;
  LLVMValueRef *mem = mem_alloc(10 * (size_t)n + 1, sizeof *mem);
  em->home = mem;
  em->now = mem + n;
  em->lanes = mem + 2 * n;
  em->acc = mem + 3 * n;
  em->kept_lanes = mem + 4 * n;
  em->begins = mem + 5 * n;
  em->run_target = mem + 6 * n;
  em->run_sum = mem + 7 * n;
  em->before = mem + 8 * n;
  em->none = mem + 9 * n;
  em->guarded = mem_alloc((size_t)n + 1, sizeof *em->guarded);
  low_guards_find(em);
  LLVMBasicBlockRef entry =
      LLVMAppendBasicBlockInContext(em->ctx, em->fn, "entry");
  LLVMBasicBlockRef begin =
      LLVMAppendBasicBlockInContext(em->ctx, em->fn, "begin");
  LLVMPositionBuilderAtEnd(em->b, begin);
  low_lines_function(em, em->fn);
  low_emit_setup(em);
  loop(em, em->arg[nb], em->arg[nb + 1]);
  low_emit_finish(em);
  LLVMPositionBuilderAtEnd(em->b, entry);
  LLVMBuildBr(em->b, begin);
  free(em->guarded);
  free(em->step);
  em->step = NULL;
  free(mem);
}

/* ---- the wrapper --------------------------------------------------------- */

/* The bytes of a constant: all threads write the same, which ThreadSanitizer is
 * told by leaving the instruction out. */
static void
low_emit_constant(struct low_emit *em, LLVMValueRef to, LLVMValueRef from,
                  size_t size) {
  assert(size > 0);
  LLVMValueRef i;
  if (size == 1 || size == 2 || size == 4 || size == 8) {
    LLVMTypeRef word = LLVMIntTypeInContext(em->ctx, 8 * (unsigned)size);
    LLVMValueRef v = LLVMBuildLoad2(em->b, word, from, "");
    LLVMSetAlignment(v, 1);
    i = LLVMBuildStore(em->b, v, to);
  } else {
    i = LLVMBuildMemCpy(em->b, to, 1, from, 1, ll_i64(em->ctx, (int64_t)size));
  }
  LLVMSetMetadata(i, LLVMGetMDKindIDInContext(em->ctx, "nosanitize", 10),
                  LLVMMetadataAsValue(em->ctx,
                                      LLVMMDNodeInContext2(em->ctx, NULL, 0)));
}

/* Constants that are parameters of this region: their captured bytes are copied
 * to the globals that the kernels read. */
static void
low_emit_constants(struct low_emit *em, LLVMValueRef *args) {
  for (uint32_t k = 0; k < em->r->ninstances; k++) {
    const struct low_instance *in = &em->r->instances[k];
    for (uint32_t c = 0; c < in->kernel->nconsts; c++)
      if (in->binds && in->binds[c] >= 0 && em->consts[k][c])
        low_emit_constant(em, em->consts[k][c], args[in->binds[c]],
                          in->kernel->consts[c].size);
  }
}

static void
low_emit_run(struct low_emit *em, LLVMValueRef fn, LLVMValueRef *args,
             LLVMValueRef lo, LLVMValueRef hi) {
  uint32_t n = em->r->nbinds;
  args[n] = lo;
  args[n + 1] = hi;
  LLVMBuildCall2(em->b, LLVMGlobalGetValueType(fn), fn, args, n + 2, "");
}

/* [lo, hi) as a ragged start, whole blocks, a ragged end:
 *   a = min(up(lo), hi), z = max(down(hi), a) */
static void
low_emit_parts(struct low_emit *em, LLVMValueRef plain, LLVMValueRef blocks,
               LLVMValueRef *args, LLVMValueRef lo, LLVMValueRef hi) {
  uint32_t width = em->r->width;
  assert(width > 1);
  LLVMBuilderRef b = em->b;
  LLVMValueRef w = ll_i64(em->ctx, width);
  LLVMValueRef up = LLVMBuildNSWAdd(b, lo, ll_i64(em->ctx, width - 1), "");
  LLVMValueRef first = LLVMBuildSDiv(b, up, w, "first");
  LLVMValueRef last = LLVMBuildSDiv(b, hi, w, "last");
  LLVMValueRef a = LLVMBuildNSWMul(b, first, w, "");
  LLVMValueRef z = LLVMBuildNSWMul(b, last, w, "");
  a = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, a, hi, ""), a, hi, "a");
  z = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGT, z, a, ""), z, a, "z");
  low_emit_run(em, plain, args, lo, a);
  low_emit_run(em, blocks, args, first, last);
  low_emit_run(em, plain, args, z, hi);
}

static void
low_build_wrapper(struct low_emit *em, LLVMValueRef plain,
                  LLVMValueRef blocks) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  LLVMTypeRef ptr = LLVMPointerTypeInContext(em->ctx, 0);
  LLVMTypeRef types[3] = {ptr, i64, i64};
  LLVMTypeRef type =
      LLVMFunctionType(LLVMVoidTypeInContext(em->ctx), types, 3, 0);
  LLVMValueRef fn = LLVMAddFunction(em->m, LOW_ENTRY, type);
  low_target_adopt(em->t, fn);
  low_lines_function(em, fn);
  LLVMPositionBuilderAtEnd(em->b,
                           LLVMAppendBasicBlockInContext(em->ctx, fn, "entry"));
  uint32_t n = em->r->nbinds;
  LLVMValueRef *args = mem_alloc(n + 2, sizeof *args);
  for (uint32_t k = 0; k < n; k++) {
    LLVMValueRef at = ll_i64(em->ctx, k);
    LLVMValueRef p =
        LLVMBuildInBoundsGEP2(em->b, ptr, LLVMGetParam(fn, 0), &at, 1, "");
    args[k] = LLVMBuildLoad2(
        em->b, low_is_address(&em->r->binds[k]) ? ptr : i64, p, "bind");
  }
  low_emit_constants(em, args);
  LLVMValueRef lo = LLVMGetParam(fn, 1), hi = LLVMGetParam(fn, 2);
  if (blocks)
    low_emit_parts(em, plain, blocks, args, lo, hi);
  else
    low_emit_run(em, plain, args, lo, hi);
  LLVMBuildRetVoid(em->b);
  free(args);
}

LLVMValueRef **
low_consts_new(const struct low_region *r) {
  LLVMValueRef **v = mem_alloc(r->ninstances + 1, sizeof *v);
  for (uint32_t k = 0; k < r->ninstances; k++)
    v[k] = mem_alloc(r->instances[k].kernel->nconsts + 1, sizeof *v[k]);
  return v;
}

void
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

static status
low_build_functions(struct low_emit *em) {
  low_lines_begin(em);
  bool stretches = em->r->stretches;
  LLVMValueRef plain = low_declare(em, stretches ? "stretches" : "plain");
  LLVMValueRef blocks = em->width && stretches ? plain : NULL;
  low_build_body(em, stretches ? low_emit_stretches : low_emit_plain);
  if (em->width && !stretches) {
    blocks = low_declare(em, "blocks");
    low_build_body(em, low_emit_blocks);
  }
  if (blocks && !low_region_keeps(em->r)) {
    ll_attr_text(blocks, LOW_BLOCKS, low_region_has_late(em->r) ? "2" : "1");
    LLVMAddNamedMetadataOperand(em->m, LOW_LANE_LOOP, em->marks.parallel);
  }
  low_build_wrapper(em, plain, stretches ? NULL : blocks);
  low_lines_end(em);
  return low_verify(em);
}

status
low_region_build(const struct low_region *r, const struct low_target *t,
                 bool blocks, LLVMContextRef ctx, LLVMModuleRef *out,
                 bool *large_out) {
  assert(r->ncalls && r->ninstances);
  struct low_emit em = {.r = r, .t = t, .ctx = ctx};
  em.width = blocks ? r->width : 0;
  em.unroll = low_unroll(r);
  TRY(ll_marks_make(ctx, em.width, &em.marks));
  em.m = LLVMModuleCreateWithNameInContext("region", ctx);
  em.b = LLVMCreateBuilderInContext(ctx);
  em.fns = mem_alloc(r->ninstances + 1, sizeof *em.fns);
  em.arg = mem_alloc(r->nbinds + 2, sizeof *em.arg);
  em.consts = low_consts_new(r);
  status s = low_link_kernels(r, t, em.m, em.fns, em.consts, large_out);
  if (*large_out) em.width = 0;
  if (s == OK && em.width) low_math_widen(em.m, em.width);
  if (s == OK) s = low_build_functions(&em);
  if (s == OK) s = low_target_sanitize_first(t, r->sanitize, em.m);
  low_consts_free(r, em.consts);
  free(em.arg);
  free(em.fns);
  LLVMDisposeBuilder(em.b);
  if (s == OK)
    *out = em.m;
  else
    LLVMDisposeModule(em.m);
  return s;
}
