/* Blocks: one vector's width of elements at a time.
 *
 * Problem. LLVM vectorises a loop over elements if it may, but what it makes of
 * indirect and interleaved access decides the speed, and it is poor: a hardware
 * gather per component (10 ns of 14 for a flux kernel), or interleaved groups
 * with three shuffles a component; and nothing at all as soon as a store goes
 * through a map, or two neighbouring stores became a memset.
 *
 * Idea. Keep memory away from the vectoriser. A block first moves everything
 * its elements need into lanes, small arrays [component][width] on the stack,
 * by code that knows the layout (region_lanes.c); then a loop of `width`
 * iterations runs the kernels from lanes to lanes, each iteration independent
 * of the others by construction; then lanes go back to memory, increments in
 * element order:
 *
 *   for each block                         width 8: a vector of doubles
 *     lanes <- q[map[e+l]], l = 0..7       8 loads of an element, a transpose
 *     for l in [0, 8)                      becomes one vector iteration
 *       slots <- lanes; kernels; lanes <- slots
 *     res[map[e+l]] += lanes               transpose, 8 times load, add, store
 *
 * Where increments are late (hold late) the last line is the next block's,
 * behind its first: two stages of a pipeline.
 *
 * After vectorisation lanes are registers (SROA), so that a block is straight
 * code in which the loads of the next block overlap with this one's arithmetic.
 * Larger strips, a loop each for gathering, computing and scattering, were
 * tried before: they vectorise as well, but the passes through the stack and
 * the phases without memory traffic cost more than the vectors gained (12.3 ns
 * an edge against 7.9 for plain scalar code).
 *
 * Sums and extremes keep a running value per lane, and float sums as many as a
 * cache line has however few elements a block has (region.c): no reassociation
 * by the compiler, and the same bits in whatever region a loop runs.
 *
 * Whether a region runs in blocks, and of what width, stands in the trace (pass
 * width). If the lane loop does not vectorise (calls, loops of unknown length),
 * the region is built again without blocks (jit.c): lanes through the stack
 * lose against plain code.
 *
 * Measured  ns an element, 720 000 cells in order, one thread of a Zen 4 at
 * 2.6 GHz; C is the kernels in plain loops, clang -O3 -march=native:
 *
 *                  C     AoS   SoA   |  in cache: C    AoS   SoA
 *     adt_calc     15.0  3.8   4.5   |            14.8 3.5   3.5
 *     res_calc      7.9  4.8   6.7   |             7.2 4.1   5.8
 *     update        4.8  3.4   3.1   |             4.4 1.3   0.9
 *     update+adt   19.7  5.5   5.9   |            19.2 4.1   5.2
 *
 * Blocks of four (256 bits) are 10 % slower where square roots count and as
 * fast else; blocks of sixteen lose everywhere (registers). Compiling takes
 * 30 to 60 ms a region.
 *
 * Limits  a block's elements all take every branch: kernels whose branches
 * differ in cost and are taken rarely are better off scalar. SoA behind a map
 * is loaded value by value, as is AoSoA, there with more index arithmetic. */
#include "lower/llvm/region_emit.h"

#include <assert.h>
#include <string.h>

/* Lanes: in what a block moves between memory and registers. */
static bool
low_slot_has_lanes(const struct low_slot *s) {
  return s->kind == LOW_SLOT_DAT || s->kind == LOW_SLOT_INC ||
         (s->kind == LOW_SLOT_INDEX && s->map >= 0);
}

static void
low_lanes_alloc(struct low_emit *em) {
  if (em->one_by_one) return;
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    bool copies = s->kind == LOW_SLOT_DAT && s->load < 0 && s->store < 0;
    if (!low_slot_has_lanes(s) || copies) continue;
    em->lanes[k] = low_lanes_new(em, k, "lanes");
  }
}

/* Do slots go by the bound map from the loop's own elements? */
static bool
low_is_map_of_elements(const struct low_emit *em, uint32_t bind) {
  for (uint32_t k = 0; k < em->r->nslots; k++)
    if (em->r->slots[k].map == (int32_t)bind && !em->r->slots[k].inner)
      return true;
  return false;
}

/* A map's rows are a stream, too: Jacobi, 1.1 times faster; Airfoil, 1.0. What
 * is left of long rows the processor foresees by itself, if it is needed at
 * all. */
static void
low_rows_ahead(struct low_emit *em) {
  uint32_t ahead = em->r->prefetch;
  for (uint32_t k = 0; ahead && k < em->r->nbinds; k++) {
    const struct low_bind *map = &em->r->binds[k];
    if (map->kind != RT_BIND_MAP || !low_is_map_of_elements(em, k)) continue;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(em->ctx);
    LLVMValueRef row =
        LLVMBuildNSWMul(em->b, em->e, ll_i64(em->ctx, map->arity), "row");
    LLVMValueRef p =
        LLVMBuildInBoundsGEP2(em->b, i32, em->arg[k], &row, 1, "rows");
    uint64_t bytes = (uint64_t)map->arity * em->width * 4;
    int64_t from = (int64_t)map->arity * ahead * 4;
    for (uint32_t at = 0; at < bytes && at < LOW_ASK_MOST; at += LOW_LINE)
      ll_prefetch(em->b, p, from + at);
  }
}

/* The last target in its set of those that a block some elements on names. */
static LLVMValueRef
low_last_target(struct low_emit *em, uint32_t map, uint32_t soon) {
  LLVMBuilderRef b = em->b;
  const struct low_bind *m = &em->r->binds[map];
  assert(em->last && m->kind == RT_BIND_MAP && m->arity);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(em->ctx);
  LLVMTypeRef entries = LLVMVectorType(i32, m->arity * em->width);
  LLVMValueRef then = LLVMBuildNSWAdd(b, em->e, ll_i64(em->ctx, soon), "");
  LLVMValueRef past = LLVMBuildICmp(b, LLVMIntSGT, then, em->last, "");
  then = LLVMBuildSelect(b, past, em->last, then, "then");
  then = LLVMBuildNSWMul(b, then, ll_i64(em->ctx, m->arity), "");
  LLVMValueRef p = LLVMBuildInBoundsGEP2(b, i32, em->arg[map], &then, 1, "");
  LLVMValueRef v = LLVMBuildLoad2(b, entries, p, "entries");
  LLVMSetAlignment(v, sizeof(int));
  static const char name[] = "llvm.vector.reduce.smax";
  unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(em->m, id, &entries, 1);
  v = LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, &v, 1, "");
  return LLVMBuildSExt(b, v, LLVMInt64TypeInContext(em->ctx), "last");
}

/* The dat that the slot's block asks for by the last target of a map; -1. */
static int32_t
low_asked_by(const struct low_slot *s, uint32_t map) {
  if (!s->soon || s->map != (int32_t)map) return -1;
  return s->load >= 0 ? s->load : s->store;
}

/* Has a slot before k asked for the same? */
static bool
low_has_asked(const struct low_emit *em, uint32_t k, uint32_t map) {
  int32_t bind = low_asked_by(&em->r->slots[k], map);
  for (uint32_t j = 0; j < k; j++)
    if (low_asked_by(&em->r->slots[j], map) == bind) return true;
  return false;
}

/* Rows that are asked for at a time, of the slot's dat: the last ones. */
static uint32_t
low_rows_asked(const struct low_region *r, const struct low_slot *s) {
  uint32_t fit = LOW_ASK_MOST / (s->dim * s->type.size);
  return fit < 1 ? 1 : fit < r->target_rows ? fit : r->target_rows;
}

/* Rows of targets that nobody has come to yet. */
static void
low_targets_ahead(struct low_emit *em) {
  const struct low_region *r = em->r;
  LLVMValueRef zero = ll_i64(em->ctx, 0);
  for (uint32_t map = 0; r->target_rows && map < r->nbinds; map++) {
    LLVMValueRef last = NULL;
    for (uint32_t k = 0; k < r->nslots; k++) {
      const struct low_slot *s = &r->slots[k];
      int32_t bind = low_asked_by(s, map);
      if (bind < 0 || low_has_asked(em, k, map)) continue;
      if (!last) last = low_last_target(em, map, s->soon);
      uint32_t rows = low_rows_asked(r, s);
      LLVMValueRef more = ll_i64(em->ctx, (int64_t)rows - 1);
      LLVMValueRef first = LLVMBuildNSWSub(em->b, last, more, "first");
      low_ask_for(em, s, bind, first, zero, rows);
    }
  }
}

static void
low_lanes_fill(struct low_emit *em) {
  low_rows_ahead(em);
  low_targets_ahead(em);
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (s->call >= 0) continue; /* filled in each step of region_rows.c */
    if (s->kind == LOW_SLOT_INDEX || (s->kind == LOW_SLOT_DAT && s->load >= 0))
      if (em->lanes[k]) low_lanes_load(em, k);
  }
}

static void
low_lanes_empty(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    bool in_place = s->kind == LOW_SLOT_INC && s->map < 0;
    bool element = s->call < 0; /* others are emptied in region_rows.c, too */
    if (in_place || (s->kind == LOW_SLOT_DAT && s->store >= 0 && element))
      low_lanes_store(em, k);
  }
  low_lanes_add(em, false);
}

/* A block whose lanes are filled, and whose calls go over no rows. */
static void
low_emit_plain_block(struct low_emit *em) {
  struct ll_loop lane = low_lanes_begin(em);
  low_emit_element(em);
  low_lanes_end(em, &lane);
}

/* A block whose elements run one after another. */
static void
low_emit_singles(struct low_emit *em, LLVMValueRef e) {
  LLVMValueRef zero = ll_i64(em->ctx, 0), width = ll_i64(em->ctx, em->width);
  em->e = e;
  low_rows_ahead(em);
  low_targets_ahead(em);
  low_components_ahead(em);
  struct ll_loop one = ll_loop_begin(em->b, zero, width, "one");
  em->e = LLVMBuildNSWAdd(em->b, e, one.i, "e");
  low_runs_turn(em);
  low_emit_element(em);
  ll_loop_end(em->b, &one, NULL);
}

void
low_blocks_begin(struct low_emit *em) {
  assert(em->width > 1 && !(em->width & (em->width - 1)));
  em->one_by_one = low_region_keeps(em->r);
  low_lanes_alloc(em);
  low_slides_begin(em);
  if (low_region_has_rows(em->r)) low_rows_alloc(em);
}

/* What the block before element e has left to add. */
static void
low_add_late(struct low_emit *em, LLVMValueRef e) {
  LLVMValueRef now = em->e, width = ll_i64(em->ctx, em->width);
  em->e = LLVMBuildNSWSub(em->b, e, width, "before");
  low_lanes_add(em, true);
  em->e = now;
}

void
low_emit_block(struct low_emit *em, LLVMValueRef e) {
  bool rows = low_region_has_rows(em->r);
  em->e = e;
  if (em->one_by_one) {
    low_emit_singles(em, e);
    return;
  }
  low_lanes_fill(em);
  if (em->follows) low_add_late(em, e);
  (rows       ? low_emit_rows_block
   : em->step ? low_emit_slide_block
              : low_emit_plain_block)(em);
  low_lanes_empty(em);
}

void
low_blocks_end(struct low_emit *em) {
  low_stream_end(em);
  em->one_by_one = false;
}

/* Blocks [lo, hi) in panels of so many, whose rows go on together. */
static void
low_emit_panels(struct low_emit *em, LLVMValueRef lo, LLVMValueRef hi) {
  LLVMBuilderRef b = em->b;
  LLVMValueRef each = ll_i64(em->ctx, em->r->panel / em->width);
  LLVMValueRef less = ll_i64(em->ctx, em->r->panel / em->width - 1);
  LLVMValueRef n = LLVMBuildNSWSub(b, hi, lo, "blocks");
  n = LLVMBuildSDiv(b, LLVMBuildNSWAdd(b, n, less, ""), each, "panels");
  struct ll_loop panel = ll_loop_begin(b, ll_i64(em->ctx, 0), n, "panel");
  LLVMValueRef from = LLVMBuildNSWMul(b, panel.i, each, "");
  from = LLVMBuildNSWAdd(b, lo, from, "from");
  LLVMValueRef to = LLVMBuildNSWAdd(b, from, each, "");
  LLVMValueRef ends = LLVMBuildICmp(b, LLVMIntSLT, to, hi, "");
  low_emit_rows_panel(em, from, LLVMBuildSelect(b, ends, to, hi, "to"));
  ll_loop_end(b, &panel, em->marks.scalar);
}

/* The first element of block k. */
static LLVMValueRef
low_block_base(struct low_emit *em, LLVMValueRef k) {
  return LLVMBuildNSWMul(em->b, k, ll_i64(em->ctx, em->width), "base");
}

/* Blocks [lo, hi), one after the other. */
static void
low_emit_row_of_blocks(struct low_emit *em, LLVMValueRef lo, LLVMValueRef hi) {
  struct ll_loop blocks = ll_loop_begin(em->b, lo, hi, "k");
  low_emit_block(em, low_block_base(em, blocks.i));
  ll_loop_end(em->b, &blocks, em->marks.scalar);
}

/* The same where each leaves something to add to the one behind it. */
static void
low_emit_late_blocks(struct low_emit *em, LLVMValueRef lo, LLVMValueRef hi) {
  LLVMBuilderRef b = em->b;
  LLVMBasicBlockRef none =
      ll_if(b, LLVMBuildICmp(b, LLVMIntSLT, lo, hi, "some"));
  low_emit_block(em, low_block_base(em, lo));
  em->follows = true;
  low_emit_row_of_blocks(
      em, LLVMBuildNSWAdd(b, lo, ll_i64(em->ctx, 1), "second"), hi);
  em->follows = false;
  low_add_late(em, low_block_base(em, hi));
  ll_endif(b, none);
}

bool
low_region_has_late(const struct low_region *r) {
  for (uint32_t k = 0; k < r->nslots; k++)
    if (r->slots[k].late) return true;
  return false;
}

static void
low_emit_all_blocks(struct low_emit *em, LLVMValueRef lo, LLVMValueRef hi) {
  bool late = low_region_has_late(em->r);
  LLVMValueRef one = ll_i64(em->ctx, 1);
  if (em->r->target_rows)
    em->last = low_block_base(em, LLVMBuildNSWSub(em->b, hi, one, "last"));
  assert(!late || !(em->r->panel || em->step || low_region_has_rows(em->r)));
  (em->r->panel ? low_emit_panels
   : late       ? low_emit_late_blocks
                : low_emit_row_of_blocks)(em, lo, hi);
}

/* The same where targets stay while elements name them: from the first one's
 * to the last one's. */
static void
low_emit_runs(struct low_emit *em, LLVMValueRef lo, LLVMValueRef hi) {
  LLVMBuilderRef b = em->b;
  LLVMBasicBlockRef none =
      ll_if(b, LLVMBuildICmp(b, LLVMIntSLT, lo, hi, "some"));
  em->e = low_block_base(em, lo);
  low_runs_begin(em);
  low_emit_all_blocks(em, lo, hi);
  low_runs_end(em);
  ll_endif(b, none);
}

static bool
low_region_has_runs(const struct low_region *r) {
  for (uint32_t k = 0; k < r->nslots; k++)
    if (r->slots[k].run) return true;
  return false;
}

void
low_emit_blocks(struct low_emit *em, LLVMValueRef lo, LLVMValueRef hi) {
  low_blocks_begin(em);
  (low_region_has_runs(em->r) ? low_emit_runs : low_emit_all_blocks)(em, lo,
                                                                     hi);
  em->last = NULL;
  low_blocks_end(em);
}
