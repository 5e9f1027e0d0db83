/* Code by stretches: elements along which maps step by one.
 *
 *   for each stretch [lo, hi) of all maps        where entries begin: one load
 *     for each block, for what is left             of a table for each entry
 *       target of e = begin + e                  no table here
 *
 * Each map has stretches of its own (rt/mesh/stretch.h): a place among them is
 * found once, where it would be if all were equally long, else by halving, and
 * moves on as elements do; what runs at once ends where the first of them ends.
 * For entry i of a map, with `at` its place:
 *
 *   begin = first[at * arity + i] - start[at]; of still entries without `start`
 *
 * Blocks begin where the stretch does, so that vectors are not aligned, but for
 * such as are stored past the caches (region_stream.c); a block of targets that
 * step is one vector, like one of the elements themselves (region_lanes.c), of
 * still ones the same value in all lanes. What is left of a stretch runs one by
 * one, or where elements may run twice (`twice`) in a block that ends with it,
 * some elements for the second time:
 *
 *     | block | block | block | block | block |    20 elements in blocks of 4
 *     | block | block | block | block..block |     18: 14 and 15 run twice
 *
 * Cost  a load for each entry and a comparison for each map, a stretch; a
 * division for each map, a range. Halving alone made short ranges dear: tiles
 * of 64 x 16 points take 0.4 of the time without, of 256 x 4 0.9 (diffusion,
 * one thread of a Xeon, medians of 5 rounds). */
#include "lower/llvm/region_emit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- places among the stretches of a map --------------------------------- */

/* Where maps of the region are whose stretches begin as the BEGIN bind says. */
struct place {
  uint32_t begin;
  LLVMValueRef var; /* which of their stretches: a variable */
  LLVMValueRef at;  /* its value for the stretch at hand */
};

static LLVMValueRef
start_of(struct low_emit *em, const struct place *p, LLVMValueRef at) {
  return low_entry(em, em->arg[p->begin], at);
}

/* How often a number of stretches can be halved. */
static LLVMValueRef
halvings(struct low_emit *em, LLVMValueRef n) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  unsigned id = LLVMLookupIntrinsicID("llvm.ctlz", 9);
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(em->m, id, &i64, 1);
  LLVMTypeRef i1 = LLVMInt1TypeInContext(em->ctx);
  LLVMValueRef args[2] = {n, LLVMConstInt(i1, 0, 0)};
  LLVMValueRef zeros =
      LLVMBuildCall2(em->b, LLVMGlobalGetValueType(fn), fn, args, 2, "");
  return LLVMBuildNSWSub(em->b, ll_i64(em->ctx, 64), zeros, "");
}

/* The stretch of n in which e would be if all were as long as their average.
 * *here: is it? */
static LLVMValueRef
guess(struct low_emit *em, const struct place *p, LLVMValueRef e,
      LLVMValueRef n, LLVMValueRef *here) {
  LLVMBuilderRef b = em->b;
  LLVMValueRef at = LLVMBuildNSWMul(b, e, n, "");
  at = LLVMBuildSDiv(b, at, start_of(em, p, n), "guess");
  LLVMValueRef next = LLVMBuildNSWAdd(b, at, ll_i64(em->ctx, 1), "");
  LLVMValueRef from = LLVMBuildICmp(b, LLVMIntSLE, start_of(em, p, at), e, "");
  LLVMValueRef to = LLVMBuildICmp(b, LLVMIntSLT, e, start_of(em, p, next), "");
  *here = LLVMBuildAnd(b, from, to, "here");
  return at;
}

/* The last stretch that begins at e or before: there is one. */
static void
find(struct low_emit *em, const struct place *p, LLVMValueRef e) {
  LLVMBuilderRef b = em->b;
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  LLVMValueRef zero = ll_i64(em->ctx, 0), one = ll_i64(em->ctx, 1), here;
  int32_t count = em->r->binds[p->begin].stride;
  LLVMValueRef length = ll_entry_alloca(b, i64, 1, 8, "length");
  LLVMValueRef at = guess(em, p, e, em->arg[count], &here);
  LLVMValueRef times = halvings(em, em->arg[count]);
  LLVMBuildStore(b, LLVMBuildSelect(b, here, at, zero, ""), p->var);
  LLVMBuildStore(b, em->arg[count], length);
  times = LLVMBuildSelect(b, here, zero, times, "");
  struct ll_loop l = ll_loop_begin(b, zero, times, "halve");
  LLVMValueRef low = LLVMBuildLoad2(b, i64, p->var, "");
  LLVMValueRef n = LLVMBuildLoad2(b, i64, length, "");
  LLVMValueRef half = LLVMBuildLShr(b, n, one, "half");
  LLVMValueRef middle = LLVMBuildNSWAdd(b, low, half, "");
  LLVMValueRef up =
      LLVMBuildICmp(b, LLVMIntSLE, start_of(em, p, middle), e, "up");
  LLVMBuildStore(b, LLVMBuildSelect(b, up, middle, low, ""), p->var);
  LLVMBuildStore(b, LLVMBuildNSWSub(b, n, half, ""), length);
  ll_loop_end(b, &l, em->marks.kept);
}

/* Each once; room for nbinds. */
static uint32_t
places_of(struct low_emit *em, struct place *out) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  uint32_t n = 0;
  for (uint32_t k = 0; k < em->r->nbinds; k++)
    if (em->r->binds[k].kind == RT_BIND_BEGIN)
      out[n++] = (struct place){
          .begin = k, .var = ll_entry_alloca(em->b, i64, 1, 8, "place")};
  assert(n > 0);
  return n;
}

static LLVMValueRef
smaller(struct low_emit *em, LLVMValueRef x, LLVMValueRef y) {
  LLVMValueRef less = LLVMBuildICmp(em->b, LLVMIntSLT, x, y, "");
  return LLVMBuildSelect(em->b, less, x, y, "");
}

/* Where the first of the stretches at hand ends, hi at most. */
static LLVMValueRef
end_of(struct low_emit *em, struct place *p, uint32_t n, LLVMValueRef hi) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  LLVMValueRef end = hi;
  for (uint32_t k = 0; k < n; k++) {
    p[k].at = LLVMBuildLoad2(em->b, i64, p[k].var, "at");
    LLVMValueRef next = LLVMBuildNSWAdd(em->b, p[k].at, ll_i64(em->ctx, 1), "");
    end = smaller(em, start_of(em, &p[k], next), end);
  }
  return end;
}

/* On to the next, those whose stretch has ended there. */
static void
go_on(struct low_emit *em, const struct place *p, uint32_t n,
      LLVMValueRef end) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  for (uint32_t k = 0; k < n; k++) {
    LLVMValueRef next = LLVMBuildNSWAdd(em->b, p[k].at, ll_i64(em->ctx, 1), "");
    LLVMValueRef over =
        LLVMBuildICmp(em->b, LLVMIntEQ, start_of(em, &p[k], next), end, "over");
    LLVMValueRef step = LLVMBuildZExt(em->b, over, i64, "");
    LLVMBuildStore(em->b, LLVMBuildNSWAdd(em->b, p[k].at, step, ""), p[k].var);
  }
}

/* ---- slots --------------------------------------------------------------- */

/* Where slot s begins, in the stretch at hand of its map. */
static LLVMValueRef
slot_begin(struct low_emit *em, const struct low_slot *s,
           const struct place *p) {
  const struct low_bind *first = &em->r->binds[s->map];
  LLVMValueRef row =
      LLVMBuildNSWMul(em->b, p->at, ll_i64(em->ctx, first->arity), "");
  LLVMValueRef at = LLVMBuildNSWAdd(em->b, row, ll_i64(em->ctx, s->entry), "");
  LLVMValueRef target = low_entry(em, em->arg[s->map], at);
  if (s->still) return target;
  return LLVMBuildNSWSub(em->b, target, start_of(em, p, p->at), "begin");
}

static void
slots_begin(struct low_emit *em, const struct place *p, uint32_t n) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    uint32_t i = 0;
    if (!low_slot_stretches(em->r, s)) continue;
    while (i < n && (int32_t)p[i].begin != em->r->binds[s->map].stride) i++;
    assert(i < n);
    em->begins[k] = slot_begin(em, s, &p[i]);
  }
}

/* ---- elements ------------------------------------------------------------ */

/* If so, the block that begins with element e follows no other one. */
static void
start_if(struct low_emit *em, LLVMValueRef so, LLVMValueRef e) {
  if (!em->step) return;
  LLVMBasicBlockRef after = ll_if(em->b, so);
  low_slide_start(em, e);
  ll_endif(em->b, after);
}

/* Blocks of [e, end), as many as there are: what is left begins there. */
static LLVMValueRef
emit_blocks(struct low_emit *em, LLVMValueRef e, LLVMValueRef end) {
  LLVMBuilderRef b = em->b;
  LLVMValueRef width = ll_i64(em->ctx, em->width);
  LLVMValueRef length = LLVMBuildNSWSub(b, end, e, "");
  LLVMValueRef rest =
      LLVMBuildAnd(b, length, ll_i64(em->ctx, em->width - 1), "");
  LLVMValueRef last = LLVMBuildNSWSub(b, end, rest, "last");
  start_if(em, LLVMBuildICmp(b, LLVMIntSLT, e, last, "some"), e);
  struct ll_loop l = ll_loop_begin_step(b, e, last, width, "base");
  low_emit_block(em, l.i);
  ll_loop_end(b, &l, em->marks.scalar);
  return last;
}

/* Blocks of all of [e, end), if one fits: the last one ends there. Returns
 * where what is left begins, e or the end. */
static LLVMValueRef
emit_twice(struct low_emit *em, LLVMValueRef e, LLVMValueRef end) {
  LLVMBuilderRef b = em->b;
  LLVMValueRef width = ll_i64(em->ctx, em->width);
  LLVMValueRef most = LLVMBuildNSWSub(b, end, width, "most");
  LLVMValueRef fits = LLVMBuildICmp(b, LLVMIntSLE, e, most, "fits");
  LLVMValueRef rest = LLVMBuildSelect(b, fits, end, e, "rest");
  struct ll_loop l = ll_loop_begin_step(b, e, rest, width, "block");
  LLVMValueRef at = smaller(em, l.i, most);
  LLVMValueRef first = LLVMBuildICmp(b, LLVMIntEQ, l.i, e, "");
  LLVMValueRef moved = LLVMBuildICmp(b, LLVMIntNE, l.i, at, "");
  start_if(em, LLVMBuildOr(b, first, moved, "starts"), at);
  low_emit_block(em, at);
  ll_loop_end(b, &l, em->marks.scalar);
  return rest;
}

/* Elements one by one, in a function that has blocks, too. */
static void
emit_rest(struct low_emit *em, LLVMValueRef e, LLVMValueRef end) {
  LLVMValueRef *lanes = em->lanes;
  em->lanes = em->none;
  low_emit_plain(em, e, end);
  em->lanes = lanes;
}

/* Elements [e, end), along which maps step by one. */
static void
emit_stretch(struct low_emit *em, LLVMValueRef e, LLVMValueRef end) {
  LLVMValueRef from = em->width ? low_stream_begin(em, e, end) : e;
  assert(from == e || !em->r->twice);
  if (from != e) emit_rest(em, e, from);
  if (em->width)
    from = (em->r->twice ? emit_twice : emit_blocks)(em, from, end);
  emit_rest(em, from, end);
}

void
low_emit_stretches(struct low_emit *em, LLVMValueRef lo, LLVMValueRef hi) {
  LLVMBuilderRef b = em->b;
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  SCOPED struct place *p = mem_alloc(em->r->nbinds + 1, sizeof *p);
  uint32_t n = places_of(em, p);
  assert(!low_region_has_late(em->r));
  if (em->width) low_blocks_begin(em);
  LLVMBasicBlockRef some =
      LLVMAppendBasicBlockInContext(em->ctx, em->fn, "some");
  LLVMBasicBlockRef exit =
      LLVMAppendBasicBlockInContext(em->ctx, em->fn, "after");
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, lo, hi, ""), some, exit);
  LLVMPositionBuilderAtEnd(b, some);
  for (uint32_t k = 0; k < n; k++) find(em, &p[k], lo);
  LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
  LLVMBasicBlockRef head =
      LLVMAppendBasicBlockInContext(em->ctx, em->fn, "stretch");
  LLVMBuildBr(b, head);
  LLVMPositionBuilderAtEnd(b, head);
  LLVMValueRef e = LLVMBuildPhi(b, i64, "e");
  LLVMAddIncoming(e, &lo, &before, 1);
  LLVMValueRef end = end_of(em, p, n, hi);
  slots_begin(em, p, n);
  emit_stretch(em, e, end);
  go_on(em, p, n, end);
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(b);
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, end, hi, ""), head, exit);
  LLVMAddIncoming(e, &end, &latch, 1);
  LLVMMoveBasicBlockAfter(exit, latch);
  LLVMPositionBuilderAtEnd(b, exit);
  if (em->width) low_blocks_end(em);
}
