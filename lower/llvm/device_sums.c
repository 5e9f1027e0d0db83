/* Sums and extremes on a device.
 *
 * Each work item starts its accumulators at the access's identity (payloads: at
 * the global's value), keeps them in private memory while it visits its
 * elements, and leaves them in its row of device memory. The kernel op2_combine
 * joins rows [i * fan * step, (i + 1) * fan * step) in steps of `step` into the
 * first of them, in order: where elements were visited in row order, a payload
 * is that of the earliest of the best.
 *
 *   row[0] = row[0] + row[step] + row[2 * step] + ...
 *
 * Over ranks an extreme with a payload must say which element made it: what is
 * in the accumulators before an element is kept, and where it has changed
 * afterwards the element's number is noted; it travels with the payload
 * (rt/walk/reduce.c).
 *
 * The rules are those of rt/walk/reduce.c: NaNs never win, ties keep the
 * earlier, each component of a MIN or MAX has its own winner. */
#include "lower/llvm/device.h"

#include <assert.h>
#include <stdlib.h>

/* A slot of this reduction's shape, for the copying functions. */
static struct low_slot
shape_of(const struct rt_reduction *x) {
  return (struct low_slot){.kind = LOW_SLOT_SUM,
                           .type = x->type,
                           .dim = x->dim,
                           .access = x->access};
}

/* Private memory of the accumulator behind slot k; NULL: it has none. */
static LLVMValueRef
sum_memory(const struct low_emit *em, uint32_t k, int32_t *bind_out) {
  assert(k < em->r->nslots);
  const struct low_slot *s = &em->r->slots[k];
  *bind_out = s->kind == LOW_SLOT_SUM     ? s->store
              : s->kind == LOW_SLOT_WHOLE ? s->load
                                          : -1;
  if (*bind_out < 0 || em->r->binds[*bind_out].kind != RT_BIND_ACC) return NULL;
  return s->kind == LOW_SLOT_SUM ? em->acc[k] : em->home[k];
}

static void
sum_start(struct low_emit *em, LLVMValueRef memory, uint32_t number) {
  assert(number < em->r->nreductions);
  const struct rt_reduction *x = &em->r->reductions[number];
  struct low_slot s = shape_of(x);
  if (x->payload < 0) {
    low_emit_fill(em, &s, low_at_home(memory), x->access);
    return;
  }
  uint32_t at = em->form->payload_at[number];
  assert(at != LOW_NOWHERE);
  low_emit_copy(
      em, &s, low_at_home(memory),
      low_at_home(low_device_at(em, em->scalars, ll_i64(em->ctx, at))));
}

/* ---- claims -------------------------------------------------------------- */

static struct low_slot
number_shape(const struct low_slot *s) {
  return (struct low_slot){
      .kind = LOW_SLOT_SUM, .type = {TYPE_I64, 8}, .dim = s->dim};
}

static LLVMValueRef
claim_memory(struct low_emit *em, const struct low_slot *s) {
  return ll_entry_alloca(em->b, ll_type(em->ctx, s->type), s->dim, 16, "claim");
}

/* Room for what slot k claims, if it does. */
static void
claim_start(struct low_emit *em, uint32_t k, uint32_t number) {
  assert(number < em->r->nreductions);
  const struct low_slot *s = &em->r->slots[k];
  struct low_slot numbers = number_shape(s);
  if (em->form->claim_at[number] == LOW_NOWHERE) return;
  em->kept[k] = claim_memory(em, s);
  em->made_by[k] = claim_memory(em, &numbers);
  struct ll_loop l =
      ll_loop_begin(em->b, ll_i64(em->ctx, 0), ll_i64(em->ctx, s->dim), "c");
  LLVMBuildStore(em->b, ll_i64(em->ctx, -1),
                 low_at_address(em, low_at_home(em->made_by[k]), numbers.type,
                                l.i));
  ll_loop_end(em->b, &l, NULL);
}

void
low_device_claims_keep(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++)
    if (em->kept[k])
      low_emit_copy(em, &em->r->slots[k], low_at_home(em->kept[k]),
                    low_at_home(em->home[k]));
}

/* Component c of slot k as bits. */
static LLVMValueRef
bits_of(struct low_emit *em, uint32_t k, LLVMValueRef memory, LLVMValueRef c) {
  struct type t = em->r->slots[k].type;
  return LLVMBuildLoad2(em->b, LLVMIntTypeInContext(em->ctx, 8 * t.size),
                        low_at_address(em, low_at_home(memory), t, c), "");
}

void
low_device_claims_note(struct low_emit *em, LLVMValueRef number) {
  LLVMBuilderRef b = em->b;
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    struct low_slot numbers = number_shape(&em->r->slots[k]);
    if (!em->kept[k]) continue;
    struct ll_loop l =
        ll_loop_begin(b, ll_i64(em->ctx, 0), ll_i64(em->ctx, numbers.dim), "c");
    LLVMValueRef changed =
        LLVMBuildICmp(b, LLVMIntNE, bits_of(em, k, em->kept[k], l.i),
                      bits_of(em, k, em->home[k], l.i), "");
    LLVMValueRef at =
        low_at_address(em, low_at_home(em->made_by[k]), numbers.type, l.i);
    LLVMBuildStore(b,
                   LLVMBuildSelect(b, changed, number,
                                   LLVMBuildLoad2(b, i64, at, ""), ""),
                   at);
    ll_loop_end(b, &l, NULL);
  }
}

/* Numbers of slot k, which adds to reduction `number`, to the row. */
static void
claim_end(struct low_emit *em, uint32_t k, uint32_t number) {
  struct low_slot numbers = number_shape(&em->r->slots[k]);
  if (!em->kept[k]) return;
  LLVMValueRef to =
      low_device_at(em, em->row, ll_i64(em->ctx, em->form->claim_at[number]));
  low_emit_copy(em, &numbers, low_at_home(to), low_at_home(em->made_by[k]));
}

/* ---- rows ---------------------------------------------------------------- */

/* Copy accumulators between private memory and row. */
static void
sums_move(struct low_emit *em, bool to_row) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    int32_t bind;
    LLVMValueRef memory = sum_memory(em, k, &bind);
    if (!memory) continue;
    struct low_at mine = low_at_home(memory), row = low_at_home(em->arg[bind]);
    low_emit_copy(em, &em->r->slots[k], to_row ? row : mine,
                  to_row ? mine : row);
    if (to_row) claim_end(em, k, em->r->binds[bind].index);
  }
}

static void
sums_start(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    int32_t bind;
    LLVMValueRef memory = sum_memory(em, k, &bind);
    if (!memory) continue;
    sum_start(em, memory, em->r->binds[bind].index);
    claim_start(em, k, em->r->binds[bind].index);
  }
}

void
low_device_sums_begin(struct low_emit *em, LLVMValueRef fresh) {
  const struct low_region *r = em->r;
  for (uint32_t k = 0; k < r->nslots; k++)
    if (r->slots[k].kind == LOW_SLOT_SUM)
      em->acc[k] = ll_entry_alloca(em->b, ll_type(em->ctx, r->slots[k].type),
                                   r->slots[k].dim, 16, "acc");
  if (!r->nreductions) return;
  sums_start(em);
  if (!fresh) return;
  LLVMBasicBlockRef old = LLVMAppendBasicBlockInContext(em->ctx, em->fn, "old");
  LLVMBasicBlockRef on = LLVMAppendBasicBlockInContext(em->ctx, em->fn, "on");
  LLVMBuildCondBr(em->b, fresh, on, old);
  LLVMPositionBuilderAtEnd(em->b, old);
  sums_move(em, false);
  LLVMBuildBr(em->b, on);
  LLVMPositionBuilderAtEnd(em->b, on);
}

void
low_device_sums_end(struct low_emit *em) {
  sums_move(em, true);
}

/* ---- joining rows -------------------------------------------------------- */

struct pair {
  LLVMValueRef into, from; /* rows */
};

static LLVMValueRef
component(struct low_emit *em, LLVMValueRef row, uint32_t number,
          LLVMValueRef c) {
  assert(number < em->r->nreductions);
  uint32_t at = em->form->sum_at[number];
  return low_at_address(
      em, low_at_home(low_device_at(em, row, ll_i64(em->ctx, at))),
      em->r->reductions[number].type, c);
}

/* Copy number c of reduction `won`, if it claims. */
static void
take_number(struct low_emit *em, struct pair p, uint32_t won, LLVMValueRef c) {
  uint32_t at = em->form->claim_at[won];
  struct low_slot one = {.type = {TYPE_I64, 8}, .dim = 1};
  if (at == LOW_NOWHERE) return;
  LLVMValueRef rows[] = {p.into, p.from};
  struct low_at places[2];
  for (int k = 0; k < 2; k++) {
    struct low_at all =
        low_at_home(low_device_at(em, rows[k], ll_i64(em->ctx, at)));
    places[k] = low_at_home(low_at_address(em, all, one.type, c));
  }
  low_emit_copy(em, &one, places[0], places[1]);
}

/* Copy the payloads of reduction `won`: component c, or all if it has one. */
static void
take_payloads(struct low_emit *em, struct pair p, uint32_t won,
              LLVMValueRef c) {
  for (uint32_t k = 0; k < em->r->nreductions; k++) {
    const struct rt_reduction *x = &em->r->reductions[k];
    if (x->payload != (int32_t)won) continue;
    struct low_slot s = shape_of(x);
    LLVMValueRef first = ll_i64(em->ctx, 0);
    if (em->r->reductions[won].dim > 1) {
      s.dim = 1;
      first = c;
    }
    low_emit_copy(em, &s, low_at_home(component(em, p.into, k, first)),
                  low_at_home(component(em, p.from, k, first)));
  }
}

static bool
has_payload(const struct low_region *r, uint32_t number) {
  for (uint32_t k = 0; k < r->nreductions; k++)
    if (r->reductions[k].payload == (int32_t)number) return true;
  return false;
}

static void
join_component(struct low_emit *em, struct pair p, uint32_t number,
               LLVMValueRef c) {
  const struct rt_reduction *x = &em->r->reductions[number];
  LLVMTypeRef type = ll_type(em->ctx, x->type);
  LLVMBuilderRef b = em->b;
  LLVMValueRef to = component(em, p.into, number, c);
  LLVMValueRef old = LLVMBuildLoad2(b, type, to, "");
  LLVMValueRef v =
      LLVMBuildLoad2(b, type, component(em, p.from, number, c), "");
  if (x->access == ACC_INC) {
    LLVMBuildStore(b,
                   x->type.kind == TYPE_BOOL ? LLVMBuildOr(b, old, v, "")
                                             : low_sum(em, x->type, old, v),
                   to);
    return;
  }
  if (!has_payload(em->r, number)) {
    LLVMBuildStore(b, low_extreme(em, x->type, x->access, old, v), to);
    return;
  }
  LLVMValueRef better = low_better(em, x->type, x->access, old, v);
  LLVMBasicBlockRef yes = LLVMAppendBasicBlockInContext(em->ctx, em->fn, "won");
  LLVMBasicBlockRef on = LLVMAppendBasicBlockInContext(em->ctx, em->fn, "on");
  LLVMBuildCondBr(b, better, yes, on);
  LLVMPositionBuilderAtEnd(b, yes);
  LLVMBuildStore(b, v, to);
  take_number(em, p, number, c);
  take_payloads(em, p, number, c);
  LLVMBuildBr(b, on);
  LLVMPositionBuilderAtEnd(b, on);
}

static void
join_rows(struct low_emit *em, struct pair p) {
  for (uint32_t k = 0; k < em->r->nreductions; k++) {
    const struct rt_reduction *x = &em->r->reductions[k];
    if (x->payload >= 0) continue;
    struct ll_loop l =
        ll_loop_begin(em->b, ll_i64(em->ctx, 0), ll_i64(em->ctx, x->dim), "c");
    join_component(em, p, k, l.i);
    ll_loop_end(em->b, &l, NULL);
  }
}

static LLVMValueRef
row_at(struct low_emit *em, LLVMValueRef sums, LLVMValueRef number) {
  return low_device_at(em, sums,
                       LLVMBuildNSWMul(em->b, number,
                                       ll_i64(em->ctx, em->form->row), ""));
}

void
low_device_combine(struct low_emit *em) {
  assert(em->r->nreductions && em->form->row);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  LLVMTypeRef types[RT_COMBINE_ARGS] = {low_device_ptr(em), i64, i64, i64};
  low_device_open(em, LOW_COMBINE, types, RT_COMBINE_ARGS);
  LLVMBuilderRef b = em->b;
  LLVMValueRef p[RT_COMBINE_ARGS];
  LLVMGetParams(em->fn, p);
  LLVMValueRef sums = p[RT_COMBINE_SUMS], rows = p[RT_COMBINE_ROWS];
  LLVMValueRef step = p[RT_COMBINE_STEP];
  LLVMValueRef all = LLVMBuildNSWMul(b, step, p[RT_COMBINE_FAN], "");
  LLVMValueRef first =
      LLVMBuildNSWMul(b, em->kind->item(em, LOW_ITEM_GLOBAL), all, "first");
  LLVMValueRef hi = LLVMBuildNSWAdd(b, first, all, "");
  LLVMValueRef less = LLVMBuildICmp(b, LLVMIntSLT, hi, rows, "");
  hi = LLVMBuildSelect(b, less, hi, rows, "hi");
  LLVMValueRef next = LLVMBuildNSWAdd(b, first, step, "");
  struct ll_loop l = ll_loop_begin_step(b, next, hi, step, "row");
  join_rows(em, (struct pair){row_at(em, sums, first), row_at(em, sums, l.i)});
  ll_loop_end(b, &l, NULL);
  low_device_close(em);
}
