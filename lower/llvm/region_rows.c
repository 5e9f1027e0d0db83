/* Rows of blocks: one entry of each row at a time.
 *
 * Problem. A call that goes over its element's row (the edges of a cell) runs
 * as often as the row is long, and rows differ in length: a loop over rows has
 * nothing for a vector.
 *
 * Idea. The block goes over its rows side by side, entry j of all of them in
 * one step, as long as the longest row; lanes whose row has ended keep what
 * they had. What an element works on lies in lanes between the steps:
 *
 *   for each block of cells                       width 8
 *     lanes <- enter                              a lane loop
 *     longest = max of the lengths of 8 rows
 *     for j in [0, longest)
 *       edge[l] = entry[begin[l] + min(j, length[l] - 1)]
 *       lanes of the edge <- q[map[edge[l]]]      loads, a transpose
 *       for l in [0, 8)                           becomes one vector iteration
 *         slots <- lanes
 *         if (j < length[l]) kernel, own          a mask
 *         lanes <- slots
 *     memory <- leave                             a lane loop
 *
 * After vectorisation the lanes that the steps hand on are registers. A row
 * that has ended reads its last entry again; one that is empty reads some
 * entry of the table, which is an element of the set all the same. Rows whose
 * entries step (passes/stretch.c) have no table here: element j of row l is
 * first[l] + j * step, and first[l] of an empty row is that of another, or that
 * of where row l begins.
 *
 * Columns. A scan writes the row's element, and what the next step reads is
 * what this one wrote: lanes go to memory behind each step. That is done where
 * rows lie `beside` each other (columns of a box), so that entry j of the block
 * is one vector in memory, and all lanes have it:
 *
 *   for j in [0, length)
 *     x = first[e] + j * step                     of row e; row e + l: x + l
 *     lanes <- cp[x + down .. x + down + 8)       a vector each
 *     for l in [0, 8)                             becomes one vector iteration
 *     cp[x .. x + 8) <- lanes
 *
 * Columns that lie one behind another (op2_decl_columns) go so, too, where all
 * are alike: lanes are read and written one by one, and what threads keep (hold
 * column) is a vector. A block's columns are one stretch of memory, but it goes
 * through that in many places at once, so each step asks for a piece of the
 * next block's. A tridiagonal solver on 45 000 columns of 60 layers: 8.0 ms one
 * column after another, 7.2 in lanes, 3.1 in lanes that ask (2 threads,
 * AVX-512).
 *
 * Panels (pass width). Where elements have nothing for themselves, many blocks
 * go along their rows together, so that memory is read along a layer:
 *
 *   for each call
 *     for j in [0, length)
 *       for each block of the panel
 *         lanes; the call for them; memory
 *
 * A layer's memory is then asked for four layers before: advection on 250^2,
 * 500^2 and 512^2 columns of 60 layers 1.7, 1.4 and 1.2 times as fast (2
 * threads, AVX-512; two layers 1.6, 1.3, 1.2, eight 1.6, 1.4, 1.1), on 128^2
 * 1.05.
 *
 * Cost  as many steps as the longest of `width` rows has entries: cells of a
 * mesh of one kind have rows of one length but at its border. Rows need no
 * copy, no padding and no order of their own.
 *
 * Measured  Airfoil's res_calc and update over rows, 10 000 cells, one thread
 * of a Zen 4: 1.8 times as fast as one element after the other.
 *
 * Source  rows side by side, as sliced ELLPACK has them: Monakov, Lokhmotov,
 * Avetisyan, Automatically tuning sparse matrix-vector multiplication for GPU
 * architectures, 2010.
 *
 * Limits  lanes wait for the longest row of their block: rows that are sorted
 * by length would not (SELL-C-sigma), but then elements stand in another
 * order. */
#include "lower/llvm/region_emit.h"

#include <assert.h>
#include <string.h>

/* Does the element keep slot k from one lane loop to the next? */
static bool
slot_stays(const struct low_slot *s) {
  return s->call < 0 && (s->kind == LOW_SLOT_DAT || s->kind == LOW_SLOT_INC ||
                         s->kind == LOW_SLOT_SUM);
}

void
low_rows_alloc(struct low_emit *em) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (slot_stays(s))
      em->kept_lanes[k] =
          em->lanes[k]
              ? em->lanes[k]
              : ll_entry_alloca(em->b, ll_type(em->ctx, s->type),
                                (uint64_t)s->dim * em->width, 64, "kept");
    else if (s->kind == LOW_SLOT_OWN)
      em->kept_lanes[k] = ll_entry_alloca(em->b, i64, em->width, 64, "leads");
  }
}

static struct low_at
kept_at(struct low_emit *em, uint32_t k) {
  assert(em->i && em->kept_lanes[k]);
  LLVMTypeRef type = ll_type(em->ctx, em->r->slots[k].type);
  return (struct low_at){.base = LLVMBuildInBoundsGEP2(
                             em->b, type, em->kept_lanes[k], &em->i, 1, "lane"),
                         .step = ll_i64(em->ctx, em->width)};
}

LLVMValueRef
low_own_leads(struct low_emit *em, uint32_t k) {
  assert(em->i && em->r->slots[k].kind == LOW_SLOT_OWN);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  LLVMValueRef p =
      LLVMBuildInBoundsGEP2(em->b, i64, em->kept_lanes[k], &em->i, 1, "lane");
  return LLVMBuildLoad2(em->b, i64, p, "leads");
}

/* Slots of the element from lanes, or back. */
static void
move_kept(struct low_emit *em, bool back) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (s->kind == LOW_SLOT_INDEX && !back) low_emit_index(em, k);
    if (!slot_stays(s)) continue;
    struct low_at home = low_at_home(em->home[k]), lanes = kept_at(em, k);
    low_emit_copy(em, s, back ? lanes : home, back ? home : lanes);
  }
}

/* ---- a step over rows ---------------------------------------------------- */

/* Rows of the block's elements, vectors of 64 bits. */
struct rows {
  LLVMValueRef begin; /* where the row begins in its table; by steps: its first
                         entry */
  LLVMValueRef last;  /* the row's last entry, seen from its first */
  LLVMValueRef lengths; /* memory: of each lane's row; NULL: all the same */
  LLVMValueRef longest;
  LLVMValueRef
      head; /* of the first lane's, others lie beside; NULL: anywhere */
};

static LLVMValueRef
splat(struct low_emit *em, LLVMValueRef x) {
  LLVMValueRef v = LLVMGetUndef(LLVMVectorType(LLVMTypeOf(x), em->width));
  for (uint32_t l = 0; l < em->width; l++)
    v = LLVMBuildInsertElement(em->b, v, x, ll_i64(em->ctx, l), "");
  return v;
}

static LLVMValueRef
extreme(struct low_emit *em, const char *name, LLVMValueRef x, LLVMValueRef y) {
  LLVMTypeRef type = LLVMTypeOf(x);
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(em->m, id, &type, 1);
  LLVMValueRef args[2] = {x, y};
  return LLVMBuildCall2(em->b, LLVMGlobalGetValueType(fn), fn, args, y ? 2 : 1,
                        "");
}

/* first[e] of `width` elements. */
static LLVMValueRef
first_entries(struct low_emit *em, int32_t row) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(em->ctx);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  LLVMValueRef p =
      LLVMBuildInBoundsGEP2(em->b, i32, em->arg[row], &em->e, 1, "");
  LLVMValueRef v =
      LLVMBuildLoad2(em->b, LLVMVectorType(i32, em->width), p, "first");
  LLVMSetAlignment(v, sizeof(int32_t));
  return LLVMBuildSExt(em->b, v, LLVMVectorType(i64, em->width), "");
}

/* Rows that have a length each: begin[e], begin[e + 1] of `width` elements. */
static struct rows
rows_of_starts(struct low_emit *em, const struct low_call *c) {
  LLVMBuilderRef b = em->b;
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  LLVMTypeRef vector = LLVMVectorType(i64, em->width);
  LLVMValueRef at[2] = {em->e,
                        LLVMBuildNSWAdd(b, em->e, ll_i64(em->ctx, 1), "")};
  for (int k = 0; k < 2; k++) {
    at[k] = LLVMBuildInBoundsGEP2(b, i64, em->arg[c->start], &at[k], 1, "");
    at[k] = LLVMBuildLoad2(b, vector, at[k], k ? "end" : "begin");
    LLVMSetAlignment(at[k], sizeof(int64_t));
  }
  struct rows r = {.begin = at[0]};
  LLVMValueRef n = LLVMBuildNSWSub(b, at[1], at[0], "length");
  r.last = LLVMBuildNSWSub(b, n, splat(em, ll_i64(em->ctx, 1)), "last");
  r.longest = extreme(em, "llvm.vector.reduce.smax", n, NULL);
  r.lengths = ll_entry_alloca(b, i64, em->width, 64, "lengths");
  LLVMBuildStore(b, n, r.lengths);
  if (low_bind_has_heads(em->r, c->row)) r.begin = first_entries(em, c->row);
  return r;
}

static struct rows
rows_beside(struct low_emit *em, const struct low_call *c) {
  LLVMValueRef next = LLVMBuildNSWAdd(em->b, em->e, ll_i64(em->ctx, 1), "");
  LLVMValueRef lo = low_row_begin(em, c->row, c->start, em->e);
  LLVMValueRef hi = low_row_begin(em, c->row, c->start, next);
  return (struct rows){.longest = LLVMBuildNSWSub(em->b, hi, lo, "length"),
                       .head = low_row_head(em, c->row, lo, em->e)};
}

/* Of one length, anywhere. */
static struct rows
rows_alike(struct low_emit *em, const struct low_call *c) {
  struct rows r = rows_of_starts(em, c);
  LLVMValueRef lane = ll_i64(em->ctx, 0);
  r.longest = LLVMBuildExtractElement(em->b, r.last, lane, "last");
  r.longest = LLVMBuildNSWAdd(em->b, r.longest, ll_i64(em->ctx, 1), "length");
  r.lengths = NULL;
  return r;
}

static struct rows
rows_of_arity(struct low_emit *em, uint32_t arity) {
  assert(arity > 0);
  LLVMValueRef n = splat(em, ll_i64(em->ctx, arity)), v = n;
  for (uint32_t l = 0; l < em->width; l++) {
    LLVMValueRef lane = ll_i64(em->ctx, l);
    LLVMValueRef e = LLVMBuildNSWAdd(em->b, em->e, lane, "");
    v = LLVMBuildInsertElement(em->b, v, e, lane, "");
  }
  return (struct rows){.begin = LLVMBuildNSWMul(em->b, v, n, "begin"),
                       .last = splat(em, ll_i64(em->ctx, (int64_t)arity - 1)),
                       .longest = ll_i64(em->ctx, arity)};
}

/* How far on entry i is, from 0 where the row is empty; numbers or vectors. */
static LLVMValueRef
step_on(struct low_emit *em, const struct low_call *c, LLVMValueRef i,
        bool many) {
  LLVMValueRef step = ll_i64(em->ctx, em->r->binds[c->row].step);
  if (many) step = splat(em, step);
  if (many) i = extreme(em, "llvm.smax", i, splat(em, ll_i64(em->ctx, 0)));
  return LLVMBuildNSWMul(em->b, i, step, "");
}

/* Of rows beside each other: x of the first lane, and so on. */
static void
inners_beside(struct low_emit *em, LLVMValueRef x) {
  for (uint32_t l = 0; l < em->width; l++)
    em->inners[l] = LLVMBuildNSWAdd(em->b, x, ll_i64(em->ctx, l), "");
}

/* Where entry j of each row is, or its element, if they step; of rows that are
 * shorter some. */
static LLVMValueRef
step_places(struct low_emit *em, const struct low_call *c, const struct rows *r,
            LLVMValueRef j) {
  bool heads = low_bind_has_heads(em->r, c->row), many = r->lengths != NULL;
  LLVMValueRef i = many ? extreme(em, "llvm.smin", splat(em, j), r->last) : j;
  if (heads) i = step_on(em, c, i, many);
  if (!many) i = splat(em, i);
  LLVMValueRef at = LLVMBuildNSWAdd(em->b, r->begin, i, "");
  if (!many || heads) return at;
  return extreme(em, "llvm.smax", at, splat(em, ll_i64(em->ctx, 0)));
}

/* Element j of each row, one of each lane. */
static void
step_elements(struct low_emit *em, const struct low_call *c,
              const struct rows *r, LLVMValueRef j) {
  LLVMValueRef at = step_places(em, c, r, j);
  for (uint32_t l = 0; l < em->width; l++) {
    LLVMValueRef x = LLVMBuildExtractElement(em->b, at, ll_i64(em->ctx, l), "");
    bool steps = low_bind_steps(em->r, c->row);
    em->inners[l] = steps ? x : low_entry(em, em->arg[c->row], x);
  }
}

/* Is slot k the first of its call that works on memory bind b? */
static bool
first_on(const struct low_emit *em, uint32_t k, int32_t b) {
  const struct low_slot *s = em->r->slots;
  for (uint32_t j = 0; j < k; j++)
    if (s[j].call == s[k].call && (s[j].load == b || s[j].store == b))
      return false;
  return b >= 0 && !em->r->binds[b].column;
}

/* Ask for `width` elements, so many behind element e, of all memory that the
 * call works on at the row's element. */
static void
ask_for_all(struct low_emit *em, uint32_t call, LLVMValueRef e,
            LLVMValueRef on) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    int32_t bind = s->load >= 0 ? s->load : s->store;
    bool here = s->call == (int32_t)call && s->kind == LOW_SLOT_DAT &&
                s->inner && s->map < 0;
    if (here && first_on(em, k, bind))
      low_ask_for(em, s, bind, e, on, em->width);
  }
}

/* Columns that lie one behind another are one stretch of memory for a block,
 * but lanes go through it in as many places as there are, which no processor
 * foresees: at step j ask for piece j of what the next block has. */
static void
step_ahead(struct low_emit *em, uint32_t call, const struct rows *r,
           LLVMValueRef j) {
  const struct low_call *c = &em->r->calls[call];
  int64_t block = (int64_t)em->width * em->r->binds[c->row].ahead;
  LLVMValueRef lane = ll_i64(em->ctx, 0);
  LLVMValueRef e = LLVMBuildExtractElement(em->b, r->begin, lane, "");
  LLVMValueRef on = LLVMBuildNSWMul(em->b, j, ll_i64(em->ctx, em->width), "");
  on = LLVMBuildNSWAdd(em->b, on, ll_i64(em->ctx, block - c->layer), "");
  ask_for_all(em, call, e, on);
}

/* Lanes of what the call reads of the rows' elements, and where what it adds
 * leads to. */
static void
step_fill(struct low_emit *em, uint32_t call) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (s->call != (int32_t)call) continue;
    assert(s->kind == LOW_SLOT_DAT || s->kind == LOW_SLOT_OWN);
    if (s->kind == LOW_SLOT_DAT && s->load >= 0) low_lanes_load(em, k);
    if (s->kind != LOW_SLOT_OWN) continue;
    for (uint32_t l = 0; l < em->width; l++) {
      LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
      LLVMValueRef at = ll_i64(em->ctx, l);
      em->inner = em->inners[l];
      LLVMBuildStore(em->b, low_slot_index(em, s, em->e),
                     LLVMBuildInBoundsGEP2(em->b, i64, em->kept_lanes[k], &at,
                                           1, ""));
    }
  }
}

/* What the call wrote of the rows' elements goes to memory. */
static void
step_empty(struct low_emit *em, uint32_t call) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (s->call == (int32_t)call && s->kind == LOW_SLOT_DAT && s->store >= 0)
      low_lanes_store(em, k);
  }
}

/* The call for entry j of the lanes that have so many. */
static void
step_lanes(struct low_emit *em, uint32_t call, const struct rows *r,
           LLVMValueRef j) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  struct ll_loop lane = low_lanes_begin(em);
  move_kept(em, false);
  LLVMBasicBlockRef after = NULL;
  if (r->lengths) {
    LLVMValueRef p =
        LLVMBuildInBoundsGEP2(em->b, i64, r->lengths, &em->i, 1, "");
    LLVMValueRef n = LLVMBuildLoad2(em->b, i64, p, "n");
    after = ll_if(em->b, LLVMBuildICmp(em->b, LLVMIntSLT, j, n, "active"));
  }
  low_emit_around(em, call);
  if (after) ll_endif(em->b, after);
  move_kept(em, true);
  low_lanes_end(em, &lane);
}

static void
emit_rows(struct low_emit *em, uint32_t call) {
  const struct low_call *c = &em->r->calls[call];
  LLVMValueRef inners[LOW_WIDTH_MAX];
  const struct low_bind *d = &em->r->binds[c->row];
  struct rows r = c->start < 0 ? rows_of_arity(em, d->arity)
                  : d->beside  ? rows_beside(em, c)
                  : d->alike   ? rows_alike(em, c)
                               : rows_of_starts(em, c);
  em->inners = inners;
  struct ll_loop step =
      ll_loop_begin(em->b, ll_i64(em->ctx, 0), r.longest, "j");
  low_row_layer(em, c, step.i);
  if (r.head)
    inners_beside(em, low_row_entry(em, c->row, r.head, step.i));
  else
    step_elements(em, c, &r, step.i);
  if (d->ahead) step_ahead(em, call, &r, step.i);
  step_fill(em, call);
  step_lanes(em, call, &r, step.i);
  step_empty(em, call);
  ll_loop_end(em->b, &step, em->marks.scalar);
  low_row_layer(em, c, NULL);
  em->inners = NULL;
  em->inner = NULL;
}

/* ---- a panel of blocks --------------------------------------------------- */

/* A layer's piece of the panel is short, and the next one is far away: ask for
 * what the block has some layers on. */
static void
panel_ahead(struct low_emit *em, uint32_t call) {
  enum { LAYERS = 4 };
  int32_t row = em->r->calls[call].row;
  if (!low_bind_steps(em->r, row)) return;
  int64_t on = (int64_t)em->r->binds[row].step * LAYERS;
  ask_for_all(em, call, em->inners[0], ll_i64(em->ctx, on));
}

/* Entry j of the rows of blocks [from, to), of which x is the first's. */
static void
panel_step(struct low_emit *em, uint32_t call, const struct rows *r,
           LLVMValueRef x, LLVMValueRef from, LLVMValueRef to) {
  LLVMBuilderRef b = em->b;
  LLVMValueRef width = ll_i64(em->ctx, em->width);
  struct ll_loop block = ll_loop_begin(b, from, to, "block");
  em->e = LLVMBuildNSWMul(b, block.i, width, "base");
  LLVMValueRef on = LLVMBuildNSWSub(b, block.i, from, "");
  em->on = LLVMBuildNSWMul(b, on, width, "on");
  inners_beside(em, LLVMBuildNSWAdd(b, x, em->on, ""));
  panel_ahead(em, call);
  step_fill(em, call);
  step_lanes(em, call, r, NULL);
  step_empty(em, call);
  ll_loop_end(b, &block, em->marks.scalar);
}

void
low_emit_rows_panel(struct low_emit *em, LLVMValueRef from, LLVMValueRef to) {
  LLVMValueRef inners[LOW_WIDTH_MAX], width = ll_i64(em->ctx, em->width);
  em->inners = inners;
  for (uint32_t k = 0; k < em->r->nslots; k++)
    assert(!slot_stays(&em->r->slots[k]));
  for (uint32_t k = 0; k < em->r->ncalls; k++) {
    const struct low_call *c = &em->r->calls[k];
    assert(c->row >= 0 && em->r->binds[c->row].beside);
    em->e = LLVMBuildNSWMul(em->b, from, width, "first");
    struct rows r = rows_beside(em, c);
    struct ll_loop step =
        ll_loop_begin(em->b, ll_i64(em->ctx, 0), r.longest, "j");
    LLVMValueRef x = low_row_entry(em, c->row, r.head, step.i);
    low_row_layer(em, c, step.i);
    panel_step(em, k, &r, x, from, to);
    ll_loop_end(em->b, &step, em->marks.scalar);
  }
  em->inners = NULL;
  em->inner = em->layer = em->on = NULL;
}

/* ---- the block ----------------------------------------------------------- */

/* Calls [first, end), none of which goes over rows. */
static void
emit_calls(struct low_emit *em, uint32_t first, uint32_t end) {
  struct ll_loop lane = low_lanes_begin(em);
  move_kept(em, false);
  for (uint32_t k = first; k < end; k++) low_emit_around(em, k);
  move_kept(em, true);
  low_lanes_end(em, &lane);
}

void
low_emit_rows_block(struct low_emit *em) {
  const struct low_call *c = em->r->calls;
  struct ll_loop lane = low_lanes_begin(em);
  low_emit_enter(em);
  move_kept(em, true);
  low_lanes_end(em, &lane);
  for (uint32_t k = 0, end; k < em->r->ncalls; k = end) {
    for (end = k; end < em->r->ncalls && c[end].row < 0;) end++;
    if (end > k)
      emit_calls(em, k, end);
    else
      emit_rows(em, end++);
  }
  lane = low_lanes_begin(em);
  move_kept(em, false);
  low_emit_leave(em);
  low_lanes_end(em, &lane);
}
