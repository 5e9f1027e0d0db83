/* Moving components between a region's slots and memory.
 *
 * Problem. A slot is a small private array; a dat's element lies in one of
 * three layouts, directly or behind a map; lanes and accumulators are further
 * places. Every pair of them would be its own loop nest.
 *
 * Idea. A place is a rule from component number to address (struct low_at), an
 * operation is applied to all components of two places. The copies that look
 * wasteful here are what SROA and GVN remove: after inlining a slot is a
 * handful of SSA values.
 *
 *   AoS    base[e*dim + c]       the offset c is constant: one address
 *   SoA    (base + c*stride)[e]  the row base + c*stride leaves the loop (LICM)
 *   AoSoA  base[(e/b)*dim*b + c*b + e%b]    b a power of two: shifts, masks
 *
 * Indices are 64-bit with nsw; map entries are known to be valid. */
#include "lower/llvm/region_emit.h"

#include <assert.h>

struct low_at
low_at_home(LLVMValueRef base) {
  return (struct low_at){.base = base};
}

LLVMValueRef
low_entry(struct low_emit *em, LLVMValueRef table, LLVMValueRef at) {
  assert(LLVMTypeOf(at) == LLVMInt64TypeInContext(em->ctx));
  LLVMTypeRef i32 = LLVMInt32TypeInContext(em->ctx);
  LLVMValueRef p = LLVMBuildInBoundsGEP2(em->b, i32, table, &at, 1, "entry");
  return LLVMBuildSExt(em->b, LLVMBuildLoad2(em->b, i32, p, ""),
                       LLVMInt64TypeInContext(em->ctx), "to");
}

LLVMValueRef
low_row_begin(struct low_emit *em, int32_t table, int32_t start,
              LLVMValueRef e) {
  uint32_t arity = table < 0 ? 0 : em->r->binds[table].arity;
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  if (start < 0)
    return LLVMBuildNSWMul(em->b, e, ll_i64(em->ctx, arity), "row");
  assert(!arity);
  LLVMValueRef at =
      LLVMBuildInBoundsGEP2(em->b, i64, em->arg[start], &e, 1, "");
  return LLVMBuildLoad2(em->b, i64, at, "row");
}

LLVMValueRef
low_row_head(struct low_emit *em, int32_t row, LLVMValueRef begin,
             LLVMValueRef e) {
  return low_bind_has_heads(em->r, row) ? low_entry(em, em->arg[row], e)
                                        : begin;
}

LLVMValueRef
low_row_entry(struct low_emit *em, int32_t row, LLVMValueRef head,
              LLVMValueRef i) {
  assert(row >= 0);
  if (!low_bind_steps(em->r, row))
    return low_entry(em, em->arg[row], LLVMBuildNSWAdd(em->b, head, i, "at"));
  LLVMValueRef step = ll_i64(em->ctx, em->r->binds[row].step);
  return LLVMBuildNSWAdd(em->b, head, LLVMBuildNSWMul(em->b, i, step, ""),
                         "to");
}

void
low_row_layer(struct low_emit *em, const struct low_call *c, LLVMValueRef j) {
  em->layer = NULL;
  if (!j || c->layer < 0) return;
  LLVMValueRef first = ll_i64(em->ctx, c->layer);
  em->layer =
      (c->down ? LLVMBuildNSWSub : LLVMBuildNSWAdd)(em->b, first, j, "layer");
}

/* Which element it is of the thread's columns. */
static LLVMValueRef
low_column_index(struct low_emit *em, const struct low_slot *s, uint32_t lane) {
  assert(em->layer && s->inner);
  LLVMValueRef pitch = ll_i64(em->ctx, low_pitch(em->r));
  LLVMValueRef at =
      LLVMBuildNSWAdd(em->b, em->layer, ll_i64(em->ctx, s->layer), "");
  at = LLVMBuildNSWMul(em->b, at, pitch, "");
  if (em->on) at = LLVMBuildNSWAdd(em->b, at, em->on, "");
  return LLVMBuildNSWAdd(em->b, at, ll_i64(em->ctx, lane), "own");
}

/* Within a stretch. */
static LLVMValueRef
low_stretch_index(struct low_emit *em, const struct low_slot *s,
                  LLVMValueRef e) {
  LLVMValueRef begin = em->begins[s - em->r->slots];
  assert(begin);
  return s->still ? begin : LLVMBuildNSWAdd(em->b, begin, e, "");
}

LLVMValueRef
low_slot_index(struct low_emit *em, const struct low_slot *s, LLVMValueRef e) {
  assert(!s->inner || em->inner);
  assert(!s->row || em->entry);
  if (s->row) return em->entry;
  if (s->inner)
    e = LLVMBuildNSWAdd(em->b, em->inner, ll_i64(em->ctx, s->shift), "");
  if (s->map < 0) return e;
  if (low_slot_stretches(em->r, s)) return low_stretch_index(em, s, e);
  LLVMValueRef row = low_row_begin(em, s->map, s->start, e);
  return low_row_entry(em, s->map, low_row_head(em, s->map, row, e),
                       ll_i64(em->ctx, s->entry));
}

struct low_at
low_at_bind(struct low_emit *em, int32_t bind, LLVMValueRef e) {
  assert(bind >= 0 && (uint32_t)bind < em->r->nbinds);
  const struct low_bind *d = &em->r->binds[bind];
  return (struct low_at){.base = em->arg[bind],
                         .bind = d,
                         .stride = d->stride < 0 ? NULL : em->arg[d->stride],
                         .e = e};
}

struct low_at
low_at_dat_lane(struct low_emit *em, const struct low_slot *s, int32_t bind,
                uint32_t lane) {
  LLVMValueRef e = em->e;
  if (em->inners && s->inner) em->inner = em->inners[lane];
  if (lane) e = LLVMBuildNSWAdd(em->b, e, ll_i64(em->ctx, lane), "");
  bool column = low_bind_is_column(em->r, bind);
  return low_at_bind(em, bind,
                     column ? low_column_index(em, s, lane)
                            : low_slot_index(em, s, e));
}

struct low_at
low_at_dat(struct low_emit *em, const struct low_slot *s, int32_t bind) {
  return low_at_dat_lane(em, s, bind, 0);
}

/* Slot k, of which `n` of each component lie at `base`: number `at`. */
static struct low_at
low_at_lane(struct low_emit *em, uint32_t k, LLVMValueRef base, LLVMValueRef at,
            uint32_t n) {
  LLVMTypeRef type = ll_type(em->ctx, em->r->slots[k].type);
  return (struct low_at){
      .base = LLVMBuildInBoundsGEP2(em->b, type, base, &at, 1, "lane"),
      .step = ll_i64(em->ctx, n)};
}

struct low_at
low_at_lanes(struct low_emit *em, uint32_t k) {
  assert(em->i && em->lanes[k]);
  return low_at_lane(em, k, em->lanes[k], em->i, em->r->width);
}

static LLVMValueRef
low_mul(struct low_emit *em, LLVMValueRef x, uint32_t y) {
  return LLVMBuildNSWMul(em->b, x, ll_i64(em->ctx, y), "");
}

LLVMValueRef
low_at_address(struct low_emit *em, struct low_at at, struct type t,
               LLVMValueRef c) {
  LLVMBuilderRef b = em->b;
  LLVMTypeRef type = ll_type(em->ctx, t);
  LLVMValueRef off = c, base = at.base;
  if (at.step) off = LLVMBuildNSWMul(b, c, at.step, "");
  if (!at.bind) return LLVMBuildInBoundsGEP2(b, type, base, &off, 1, "");
  uint32_t block = at.bind->block, dim = at.bind->dim;
  assert(!block || !(block & (block - 1)));
  LLVMValueRef first, second;
  if (block == 0) {
    first = LLVMBuildNSWMul(b, c, at.stride, "");
    second = at.e;
  } else if (block == 1) {
    first = low_mul(em, at.e, dim);
    second = c;
  } else {
    LLVMValueRef len = ll_i64(em->ctx, block);
    LLVMValueRef outer = LLVMBuildUDiv(b, at.e, len, "");
    LLVMValueRef lane = LLVMBuildURem(b, at.e, len, "");
    first = LLVMBuildNSWAdd(b, low_mul(em, outer, dim * block), lane, "");
    second = low_mul(em, c, block);
  }
  base = LLVMBuildInBoundsGEP2(b, type, base, &first, 1, "");
  return LLVMBuildInBoundsGEP2(b, type, base, &second, 1, "");
}

/* Bytes of rows of `unit` that begin anywhere: may they end behind `lines`
 * bytes, whole cache lines? */
static bool
low_may_end_behind(uint32_t unit, uint64_t bytes, uint64_t lines) {
  uint32_t step = unit & (~unit + 1); /* rows begin at multiples of that */
  return step < LOW_LINE && LOW_LINE - step + bytes > lines;
}

void
low_ask_for(struct low_emit *em, const struct low_slot *s, int32_t bind,
            LLVMValueRef e, LLVMValueRef on, uint32_t n) {
  enum { LINE = LOW_LINE, STREAMS = 16 };
  const struct low_bind *d = &em->r->binds[bind];
  struct low_at at = low_at_bind(em, bind, e);
  uint32_t streams = d->block ? 1 : s->dim;
  uint32_t unit = s->type.size * (s->dim / streams);
  if (streams > STREAMS) return;
  on = LLVMBuildMul(em->b, on, ll_i64(em->ctx, unit), "on");
  for (uint32_t c = 0; c < streams; c++) {
    LLVMValueRef p = low_at_address(em, at, s->type, ll_i64(em->ctx, c));
    p = LLVMBuildGEP2(em->b, LLVMInt8TypeInContext(em->ctx), p, &on, 1, "next");
    uint64_t bytes = (uint64_t)n * unit, off = 0;
    if (bytes > LOW_ASK_MOST) bytes = LOW_ASK_MOST;
    for (; off < bytes; off += LINE) ll_prefetch(em->b, p, (int64_t)off);
    if (d->block == 1 && low_may_end_behind(unit, bytes, off))
      ll_prefetch(em->b, p, (int64_t)(bytes - 1));
  }
}

/* One component of an operation on two places; src.base NULL: no source. */
struct low_op {
  void (*fn)(struct low_emit *em, const struct low_slot *s,
             const struct low_op *op, LLVMValueRef c);
  struct low_at dst, src;
  enum access acc;
  LLVMValueRef only; /* i1: else dst stays; NULL: always */
};

static void
low_each(struct low_emit *em, const struct low_slot *s,
         const struct low_op *op) {
  if (s->dim <= em->unroll) {
    for (uint32_t c = 0; c < s->dim; c++) op->fn(em, s, op, ll_i64(em->ctx, c));
    return;
  }
  struct ll_loop l =
      ll_loop_begin(em->b, ll_i64(em->ctx, 0), ll_i64(em->ctx, s->dim), "c");
  op->fn(em, s, op, l.i);
  bool lean = em->unroll < LOW_UNROLL; /* many loops: none becomes vectors */
  ll_loop_end(em->b, &l, lean ? em->marks.scalar : NULL);
}

static LLVMValueRef
low_load(struct low_emit *em, const struct low_slot *s, struct low_at at,
         LLVMValueRef c) {
  LLVMValueRef p = low_at_address(em, at, s->type, c);
  return LLVMBuildLoad2(em->b, ll_type(em->ctx, s->type), p, "");
}

static void
low_store(struct low_emit *em, const struct low_slot *s, struct low_at at,
          LLVMValueRef c, LLVMValueRef v) {
  LLVMValueRef p = low_at_address(em, at, s->type, c);
  LLVMBuildStore(em->b, v, p);
}

static void
low_copy_one(struct low_emit *em, const struct low_slot *s,
             const struct low_op *op, LLVMValueRef c) {
  if (s->type.kind != TYPE_BYTES) {
    low_store(em, s, op->dst, c, low_load(em, s, op->src, c));
    return;
  }
  LLVMValueRef to = low_at_address(em, op->dst, s->type, c);
  LLVMValueRef from = low_at_address(em, op->src, s->type, c);
  LLVMBuildMemCpy(em->b, to, 1, from, 1, ll_i64(em->ctx, s->type.size));
}

void
low_emit_copy(struct low_emit *em, const struct low_slot *s, struct low_at dst,
              struct low_at src) {
  low_each(em, s, &(struct low_op){low_copy_one, dst, src, ACC_READ, NULL});
}

LLVMValueRef
low_sum(struct low_emit *em, struct type t, LLVMValueRef x, LLVMValueRef y) {
  return type_class(t) == 'F' ? LLVMBuildFAdd(em->b, x, y, "")
                              : LLVMBuildAdd(em->b, x, y, "");
}

static void
low_fill_one(struct low_emit *em, const struct low_slot *s,
             const struct low_op *op, LLVMValueRef c) {
  assert(op->acc != ACC_READ);
  low_store(em, s, op->dst, c, ll_identity(em->ctx, s->type, op->acc));
}

void
low_emit_fill(struct low_emit *em, const struct low_slot *s, struct low_at dst,
              enum access acc) {
  low_each(em, s, &(struct low_op){low_fill_one, dst, {0}, acc, NULL});
}

LLVMValueRef
low_better(struct low_emit *em, struct type t, enum access acc,
           LLVMValueRef old, LLVMValueRef v) {
  assert(acc == ACC_MIN || acc == ACC_MAX);
  bool max = acc == ACC_MAX;
  if (type_class(t) == 'F')
    return LLVMBuildFCmp(em->b, max ? LLVMRealOGT : LLVMRealOLT, v, old, "");
  if (type_class(t) == 'I')
    return LLVMBuildICmp(em->b, max ? LLVMIntSGT : LLVMIntSLT, v, old, "");
  return LLVMBuildICmp(em->b, max ? LLVMIntUGT : LLVMIntULT, v, old, "");
}

/* x, with the sign bits of both where they are equal: zeros differ in that. */
static LLVMValueRef
low_both_signs(struct low_emit *em, struct type t, enum access acc,
               LLVMValueRef old, LLVMValueRef v, LLVMValueRef x) {
  LLVMBuilderRef b = em->b;
  LLVMTypeRef type = LLVMTypeOf(v);
  LLVMTypeRef bits = LLVMIntTypeInContext(em->ctx, 8 * t.size);
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
    bits = LLVMVectorType(bits, LLVMGetVectorSize(type));
  LLVMValueRef p = LLVMBuildBitCast(b, x, bits, "");
  LLVMValueRef q = LLVMBuildBitCast(b, v, bits, "");
  q = acc == ACC_MIN ? LLVMBuildOr(b, p, q, "") : LLVMBuildAnd(b, p, q, "");
  q = LLVMBuildBitCast(b, q, type, "");
  LLVMValueRef equal = LLVMBuildFCmp(b, LLVMRealOEQ, v, old, "");
  return LLVMBuildSelect(b, equal, q, x, "");
}

LLVMValueRef
low_extreme(struct low_emit *em, struct type t, enum access acc,
            LLVMValueRef old, LLVMValueRef v) {
  LLVMValueRef better = low_better(em, t, acc, old, v);
  LLVMValueRef x = LLVMBuildSelect(em->b, better, v, old, "");
  return type_class(t) == 'F' ? low_both_signs(em, t, acc, old, v, x) : x;
}

LLVMValueRef
low_combined(struct low_emit *em, const struct low_slot *s, LLVMValueRef old,
             LLVMValueRef v) {
  return s->access == ACC_INC ? low_sum(em, s->type, old, v)
                              : low_extreme(em, s->type, s->access, old, v);
}

static void
low_combine_one(struct low_emit *em, const struct low_slot *s,
                const struct low_op *op, LLVMValueRef c) {
  LLVMValueRef old = low_load(em, s, op->dst, c);
  LLVMValueRef v = low_load(em, s, op->src, c);
  v = low_combined(em, s, old, v);
  if (op->only) v = LLVMBuildSelect(em->b, op->only, v, old, "");
  low_store(em, s, op->dst, c, v);
}

void
low_emit_combine(struct low_emit *em, const struct low_slot *s,
                 struct low_at dst, struct low_at src) {
  assert(type_class(s->type) != 'B');
  low_each(em, s, &(struct low_op){low_combine_one, dst, src, s->access, NULL});
}

/* Does it matter in which order the slot's values are added? */
static bool
low_sum_rounds(const struct low_slot *s) {
  return s->access == ACC_INC && type_class(s->type) == 'F';
}

/* A block of `width` elements adds to one of the groups of as many running
 * values that there are. All are asked, so that they are registers and not
 * memory that is stored to and loaded from by turns (1.3 times the time in a
 * light kernel). Two groups of doubles, as vectors of 32 bytes need: sums in
 * caches 1.05 times the time of one, from memory the same (a Xeon, one thread,
 * medians of 9 interleaved rounds). */
static void
low_emit_group(struct low_emit *em, uint32_t k, struct low_at home) {
  const struct low_slot *s = &em->r->slots[k];
  uint32_t width = em->r->width;
  LLVMValueRef mask = ll_i64(em->ctx, s->lanes - width);
  LLVMValueRef turn = LLVMBuildAnd(em->b, em->e, mask, "turn");
  for (uint32_t j = 0; j < s->lanes; j += width) {
    LLVMValueRef first = ll_i64(em->ctx, j);
    LLVMValueRef at = LLVMBuildNSWAdd(em->b, em->i, first, "");
    LLVMValueRef only = LLVMBuildICmp(em->b, LLVMIntEQ, turn, first, "only");
    struct low_at to = low_at_lane(em, k, em->acc[k], at, s->lanes);
    low_each(em, s,
             &(struct low_op){low_combine_one, to, home, s->access, only});
  }
}

void
low_emit_sum(struct low_emit *em, uint32_t k, struct low_at home) {
  const struct low_slot *s = &em->r->slots[k];
  assert(s->kind == LOW_SLOT_SUM && !(s->lanes & (s->lanes - 1)));
  assert(!s->lanes || s->lanes >= em->r->width);
  struct low_at to = low_at_home(em->acc[k]);
  if (low_sum_rounds(s) && em->i && s->lanes > em->r->width) {
    low_emit_group(em, k, home);
    return;
  }
  if (em->i) {
    to = low_at_lane(em, k, em->acc[k], em->i, s->lanes);
  } else if (s->lanes) {
    LLVMValueRef mask = ll_i64(em->ctx, low_sum_rounds(s) ? s->lanes - 1 : 0);
    LLVMValueRef at = LLVMBuildAnd(em->b, em->e, mask, "turn");
    to = low_at_lane(em, k, em->acc[k], at, s->lanes);
  }
  low_emit_combine(em, s, to, home);
}

static void
low_meet_one(struct low_emit *em, const struct low_slot *s,
             const struct low_op *op, LLVMValueRef c) {
  LLVMValueRef v = low_load(em, s, op->src, c);
  em->atomic(em, s->type, s->access, low_at_address(em, op->dst, s->type, c),
             v);
}

void
low_emit_meet(struct low_emit *em, const struct low_slot *s, struct low_at dst,
              struct low_at src) {
  assert(s->store >= 0 && access_info[s->access].writes);
  if (em->atomic)
    low_each(em, s, &(struct low_op){low_meet_one, dst, src, s->access, NULL});
  else
    low_emit_combine(em, s, dst, src);
}
