/* Moving components between a region's slots and memory.
 *
 * Problem. A slot is a small private array; a dat's element lies in one of three
 * layouts, directly or behind a map; strips and accumulators are further places.
 * Every pair of them would be its own loop nest.
 *
 * Idea. A place is a rule from component number to address (struct low_at), an
 * operation is applied to all components of two places. The copies that look
 * wasteful here are what SROA and GVN remove: after inlining a slot is a handful
 * of SSA values.
 *
 *   AoS    base[e*dim + c]       the offset c is constant: one address, dim loads
 *   SoA    (base + c*stride)[e]  the row base + c*stride leaves the loop (LICM)
 *   AoSoA  base[(e/b)*dim*b + c*b + e%b]      b a power of two: shifts and masks
 *
 * Indices are 64-bit with nsw; map entries are known to be valid, so that their
 * widening is sign extension, which x86 gathers do for free.
 *
 * Only accesses to bound memory and strips carry the access group: a slot that
 * SROA could not remove is shared by all elements, and a loop that still uses it
 * must not be called parallel. */
#include "lower/region_emit.h"

#include <assert.h>
#include <string.h>

struct low_at
low_at_home(LLVMValueRef base) {
  return (struct low_at){.base = base};
}

static LLVMValueRef
low_tag(struct low_emit *em, LLVMValueRef inst, bool tagged) {
  if (tagged && em->r->parallel)
    LLVMSetMetadata(
        inst, LLVMGetMDKindIDInContext(em->ctx, "llvm.access.group", 17),
        em->marks.group);
  return inst;
}

LLVMValueRef
low_slot_index(struct low_emit *em, const struct low_slot *s) {
  if (s->map < 0) return em->e;
  LLVMBuilderRef b = em->b;
  const struct low_bind *map = &em->r->binds[s->map];
  LLVMTypeRef i32 = LLVMInt32TypeInContext(em->ctx);
  LLVMValueRef row =
      LLVMBuildNSWMul(b, em->e, ll_i64(em->ctx, map->arity), "row");
  LLVMValueRef at =
      LLVMBuildNSWAdd(b, row, ll_i64(em->ctx, s->entry), "");
  LLVMValueRef p =
      LLVMBuildInBoundsGEP2(b, i32, em->arg[s->map], &at, 1, "entry");
  LLVMValueRef entry = low_tag(em, LLVMBuildLoad2(b, i32, p, ""), true);
  return LLVMBuildSExt(b, entry, LLVMInt64TypeInContext(em->ctx), "to");
}

struct low_at
low_at_dat(struct low_emit *em, const struct low_slot *s, int32_t bind) {
  const struct low_bind *d = &em->r->binds[bind];
  return (struct low_at){.base = em->arg[bind],
                         .bind = d,
                         .stride = d->stride < 0 ? NULL : em->arg[d->stride],
                         .e = low_slot_index(em, s),
                         .tagged = true};
}

struct low_at
low_at_strip(struct low_emit *em, uint32_t s) {
  LLVMTypeRef type = ll_type(em->ctx, em->r->slots[s].type);
  return (struct low_at){
      .base =
          LLVMBuildInBoundsGEP2(em->b, type, em->strip[s], &em->i, 1, "strip"),
      .step = ll_i64(em->ctx, em->strip_len),
      .tagged = true};
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

/* One component of an operation on two places; src.base NULL: no source. */
struct low_op {
  void (*fn)(struct low_emit *em, const struct low_slot *s,
             const struct low_op *op, LLVMValueRef c);
  struct low_at dst, src;
  enum access acc;
};

static void
low_each(struct low_emit *em, const struct low_slot *s,
         const struct low_op *op) {
  if (s->dim <= LOW_UNROLL) {
    for (uint32_t c = 0; c < s->dim; c++)
      op->fn(em, s, op, ll_i64(em->ctx, c));
    return;
  }
  struct ll_loop l = ll_loop_begin(em->b, ll_i64(em->ctx, 0),
                                   ll_i64(em->ctx, s->dim), "c");
  op->fn(em, s, op, l.i);
  ll_loop_end(em->b, &l, NULL);
}

static LLVMValueRef
low_load(struct low_emit *em, const struct low_slot *s, struct low_at at,
         LLVMValueRef c) {
  LLVMValueRef p = low_at_address(em, at, s->type, c);
  return low_tag(em, LLVMBuildLoad2(em->b, ll_type(em->ctx, s->type), p, ""),
                 at.tagged);
}

static void
low_store(struct low_emit *em, const struct low_slot *s, struct low_at at,
          LLVMValueRef c, LLVMValueRef v) {
  LLVMValueRef p = low_at_address(em, at, s->type, c);
  low_tag(em, LLVMBuildStore(em->b, v, p), at.tagged);
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
  LLVMValueRef copy =
      LLVMBuildMemCpy(em->b, to, 1, from, 1, ll_i64(em->ctx, s->type.size));
  low_tag(em, copy, op->dst.tagged && op->src.tagged);
}

void
low_emit_copy(struct low_emit *em, const struct low_slot *s, struct low_at dst,
              struct low_at src) {
  low_each(em, s, &(struct low_op){low_copy_one, dst, src, ACC_READ});
}

static LLVMValueRef
low_sum(struct low_emit *em, struct type t, LLVMValueRef x, LLVMValueRef y) {
  return type_class(t) == 'F' ? LLVMBuildFAdd(em->b, x, y, "")
                              : LLVMBuildAdd(em->b, x, y, "");
}

static void
low_add_one(struct low_emit *em, const struct low_slot *s,
            const struct low_op *op, LLVMValueRef c) {
  LLVMValueRef old = low_load(em, s, op->dst, c);
  LLVMValueRef more = low_load(em, s, op->src, c);
  low_store(em, s, op->dst, c, low_sum(em, s->type, old, more));
}

void
low_emit_add(struct low_emit *em, const struct low_slot *s, struct low_at dst,
             struct low_at src) {
  assert(type_class(s->type) != 'B');
  low_each(em, s, &(struct low_op){low_add_one, dst, src, ACC_INC});
}

static void
low_fill_one(struct low_emit *em, const struct low_slot *s,
             const struct low_op *op, LLVMValueRef c) {
  low_store(em, s, op->dst, c, ll_identity(em->ctx, s->type, op->acc));
}

void
low_emit_fill(struct low_emit *em, const struct low_slot *s, struct low_at dst,
              enum access acc) {
  low_each(em, s, &(struct low_op){low_fill_one, dst, {0}, acc});
}

/* Smaller or larger of two values by LLVM's intrinsics. Floating ones order the
 * two zeros, so that the result depends on no order; NaNs were removed. */
static LLVMValueRef
low_extreme(struct low_emit *em, struct type t, enum access acc,
            LLVMValueRef x, LLVMValueRef y) {
  static const char *const names[2][3] = {
      {"llvm.minimum", "llvm.smin", "llvm.umin"},
      {"llvm.maximum", "llvm.smax", "llvm.umax"}};
  char cls = type_class(t);
  const char *name =
      names[acc == ACC_MAX][cls == 'F' ? 0 : cls == 'I' ? 1 : 2];
  LLVMTypeRef type = LLVMTypeOf(x);
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(em->m, id, &type, 1);
  LLVMValueRef args[2] = {x, y};
  LLVMValueRef v =
      LLVMBuildCall2(em->b, LLVMGlobalGetValueType(fn), fn, args, 2, "");
  if (cls == 'F') LLVMSetFastMathFlags(v, LLVMFastMathNoNaNs);
  return v;
}

static void
low_combine_one(struct low_emit *em, const struct low_slot *s,
                const struct low_op *op, LLVMValueRef c) {
  LLVMValueRef old = low_load(em, s, op->dst, c);
  LLVMValueRef v = low_load(em, s, op->src, c), sum;
  bool real = type_class(s->type) == 'F';
  if (s->access == ACC_INC) {
    sum = low_sum(em, s->type, old, v);
    if (real && LLVMIsAInstruction(sum))
      LLVMSetFastMathFlags(sum, LLVMFastMathAllowReassoc);
  } else {
    if (real)
      v = LLVMBuildSelect(em->b,
                          LLVMBuildFCmp(em->b, LLVMRealORD, v, v, ""), v,
                          ll_identity(em->ctx, s->type, s->access), "");
    sum = low_extreme(em, s->type, s->access, old, v);
  }
  low_store(em, s, op->dst, c, sum);
}

void
low_emit_combine(struct low_emit *em, const struct low_slot *s,
                 LLVMValueRef acc, LLVMValueRef slot) {
  low_each(em, s,
           &(struct low_op){low_combine_one, low_at_home(acc),
                            low_at_home(slot), s->access});
}
