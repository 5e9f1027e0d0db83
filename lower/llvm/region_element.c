/* One element of a region: load its slots, call the kernels, store the slots.
 *
 * The same code stands in the loop over elements, where slots are loaded from
 * and stored to memory, and in the loop over the lanes of a block, where they
 * come from lanes that were filled before and are emptied afterwards
 * (region_block.c). */
#include "lower/device_form.h"
#include "lower/llvm/region_emit.h"

#include <assert.h>
#include <stdlib.h>

void
low_emit_index(struct low_emit *em, uint32_t k) {
  assert(em->r->slots[k].kind == LOW_SLOT_INDEX);
  const struct low_slot *s = &em->r->slots[k];
  LLVMTypeRef type = ll_type(em->ctx, s->type);
  LLVMValueRef e = em->e;
  if (em->i) e = LLVMBuildNSWAdd(em->b, e, em->i, "");
  e = LLVMBuildIntCast2(em->b, low_slot_index(em, s, e), type, true, "idx");
  LLVMBuildStore(em->b, e, em->home[k]);
}

static bool
low_slot_is_kept(const struct low_slot *s) {
  return s->kind == LOW_SLOT_DAT && s->call < 0;
}

/* How long the element's row is. */
static LLVMValueRef
row_length(struct low_emit *em, const struct low_slot *s) {
  if (s->start < 0) return ll_i64(em->ctx, s->entry);
  if (em->usual == s) return ll_i64(em->ctx, s->usual);
  LLVMValueRef next = LLVMBuildNSWAdd(em->b, em->e, ll_i64(em->ctx, 1), "");
  return LLVMBuildNSWSub(em->b, low_row_begin(em, -1, s->start, next),
                         low_row_begin(em, -1, s->start, em->e), "length");
}

static void
low_emit_length(struct low_emit *em, uint32_t k) {
  const struct low_slot *s = &em->r->slots[k];
  assert(s->kind == LOW_SLOT_LENGTH && !em->i);
  LLVMValueRef n = row_length(em, s);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(em->ctx);
  LLVMBuildStore(em->b, LLVMBuildTrunc(em->b, n, i32, ""), em->home[k]);
}

LLVMValueRef
low_emit_place(struct low_emit *em, const struct low_slot *s) {
  assert(s->kind == LOW_SLOT_PLACE || s->row);
  assert(s->load >= 0);
  LLVMValueRef p = low_at_address(em, low_at_dat(em, s, s->load), s->type,
                                  ll_i64(em->ctx, 0));
  LLVMTypeRef ptr = LLVMPointerTypeInContext(em->ctx, 0);
  return LLVMTypeOf(p) == ptr ? p : LLVMBuildAddrSpaceCast(em->b, p, ptr, "");
}

/* Does it stay while the target does, of elements one by one? */
static bool
low_runs_now(const struct low_emit *em, const struct low_slot *s) {
  return s->run && em->one_by_one;
}

/* Fill slots at the element's start. */
void
low_emit_enter(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    struct low_at home = low_at_home(em->home[k]);
    if (s->call >= 0) continue;
    if (s->kind == LOW_SLOT_INC || s->kind == LOW_SLOT_SUM)
      low_emit_fill(em, s, home, s->access);
    else if (low_slot_is_kept(s) && s->load >= 0)
      low_emit_copy(em, s, home,
                    s->local              ? low_at_home(em->local[k])
                    : low_runs_now(em, s) ? low_run_at(em, k)
                    : em->lanes[k]        ? low_at_lanes(em, k)
                                          : low_at_dat(em, s, s->load));
    else if (s->kind == LOW_SLOT_INDEX && em->lanes[k])
      low_emit_copy(em, s, home, low_at_lanes(em, k));
    else if (s->kind == LOW_SLOT_INDEX)
      low_emit_index(em, k);
    else if (s->kind == LOW_SLOT_LENGTH)
      low_emit_length(em, k);
    else if (s->kind == LOW_SLOT_PLACE)
      em->now[k] = low_emit_place(em, s);
  }
}

/* Do increments go by local memory (device_stage.c)? */
static bool
low_emit_stages(const struct low_emit *em) {
  return em->form && em->form->form == RT_FORM_STAGE;
}

void
low_emit_far(struct low_emit *em, const struct low_slot *s,
             struct low_at home) {
  low_emit_meet(em, s, low_at_dat(em, s, s->store), home);
}

/* Store slots at the element's end. */
void
low_emit_leave(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    struct low_at home = low_at_home(em->home[k]);
    if (s->call >= 0) continue;
    if (s->kind == LOW_SLOT_SUM)
      low_emit_sum(em, k, home);
    else if (em->lanes[k] && s->store >= 0)
      low_emit_copy(em, s, low_at_lanes(em, k), home);
    else if (low_slot_is_kept(s) && s->store >= 0)
      low_emit_copy(em, s, low_at_dat(em, s, s->store), home);
    else if (s->kind == LOW_SLOT_INC && s->map < 0)
      low_emit_copy(em, s, low_at_dat(em, s, s->store), home);
    else if (s->kind == LOW_SLOT_INC && low_runs_now(em, s))
      low_emit_combine(em, s, low_run_at(em, k), home);
    else if (s->kind == LOW_SLOT_INC && !low_emit_stages(em))
      low_emit_far(em, s, home);
  }
}

/* The first slot of the call that holds the same element of the same memory
 * wins. */
LLVMValueRef
low_slot_peer(struct low_emit *em, uint32_t k, LLVMValueRef own,
              LLVMValueRef at) {
  const struct low_slot *s = &em->r->slots[k];
  for (uint32_t j = k; j-- > 0;) {
    const struct low_slot *o = &em->r->slots[j];
    if (o->kind != LOW_SLOT_DAT || o->call != s->call || o->store != s->store)
      continue;
    if (o->row) {
      at = low_entries_peer(em, j, own, at);
      continue;
    }
    LLVMValueRef other = low_slot_index(em, o, em->e);
    LLVMValueRef same = LLVMBuildICmp(em->b, LLVMIntEQ, other, own, "same");
    at = LLVMBuildSelect(em->b, same, em->now[j], at, "");
  }
  return at;
}

/* Where staged slot k is for this element. */
static LLVMValueRef
low_emit_peer(struct low_emit *em, uint32_t k) {
  const struct low_slot *s = &em->r->slots[k];
  if (s->store < 0 || em->i) return em->home[k]; /* lanes: the only one */
  return low_slot_peer(em, k, low_slot_index(em, s, em->e), em->home[k]);
}

static void
low_emit_before(struct low_emit *em, int32_t call) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (s->call != call) continue;
    if (s->row) {
      low_entries_before(em, k);
      continue;
    }
    if (s->kind == LOW_SLOT_PLACE) em->now[k] = low_emit_place(em, s);
    if (s->kind == LOW_SLOT_INC || s->kind == LOW_SLOT_OWN)
      low_emit_fill(em, s, low_at_home(em->home[k]), s->access);
    if (s->kind != LOW_SLOT_DAT) continue;
    em->now[k] = low_emit_peer(em, k);
    if (s->load >= 0)
      low_emit_copy(em, s, low_at_home(em->home[k]),
                    em->i ? low_at_lanes(em, k) : low_at_dat(em, s, s->load));
  }
}

/* What the row's element adds to this one, of the slots k.. of its call that
 * have a path to slot `into`: one of them leads here, or none. Which one is a
 * choice of memory, so that each component is added once. */
static void
low_emit_own(struct low_emit *em, uint32_t first, int32_t call) {
  const struct low_slot *s = em->r->slots;
  LLVMValueRef from = em->home[first], here = NULL, e = em->e;
  if (em->i) e = LLVMBuildNSWAdd(em->b, e, em->i, "");
  for (uint32_t k = first; k < em->r->nslots; k++) {
    if (s[k].call != call || s[k].into != s[first].into) continue;
    LLVMValueRef at =
        em->i ? low_own_leads(em, k) : low_slot_index(em, &s[k], e);
    LLVMValueRef hit = LLVMBuildICmp(em->b, LLVMIntEQ, at, e, "own");
    if (k > first)
      from = LLVMBuildSelect(em->b, hit, em->home[k], from, "from");
    here = here ? LLVMBuildOr(em->b, here, hit, "") : hit;
  }
  LLVMBasicBlockRef after = ll_if(em->b, here);
  low_emit_combine(em, &s[first], low_at_home(em->now[s[first].into]),
                   low_at_home(from));
  ll_endif(em->b, after);
}

/* Is slot k the first of its call that adds to its element's slot? */
static bool
low_own_first(const struct low_emit *em, uint32_t k) {
  const struct low_slot *s = em->r->slots;
  if (s[k].kind != LOW_SLOT_OWN) return false;
  for (uint32_t j = 0; j < k; j++)
    if (s[j].call == s[k].call && s[j].into == s[k].into) return false;
  return true;
}

static void
low_emit_after(struct low_emit *em, int32_t call) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (s->call == call && low_own_first(em, k)) low_emit_own(em, k, call);
    if (s->call != call || s->store < 0) continue;
    if (s->row) {
      low_entries_after(em, k);
      continue;
    }
    if (s->kind == LOW_SLOT_INC)
      low_emit_far(em, s, low_at_home(em->now[k]));
    else
      low_emit_copy(em, s,
                    em->i ? low_at_lanes(em, k) : low_at_dat(em, s, s->store),
                    low_at_home(em->now[k]));
    if (s->through >= 0 && !em->i)
      low_emit_copy(em, s, low_at_dat(em, s, s->through),
                    low_at_home(em->now[k]));
  }
}

/* The pointer that a kernel's parameter gets. */
static LLVMValueRef
low_emit_use(struct low_emit *em, const struct low_use *u) {
  LLVMTypeRef ptr = LLVMPointerTypeInContext(em->ctx, 0);
  if (u->nslots == 0) return LLVMConstNull(ptr);
  if (!u->vector || em->r->slots[u->slots[0]].row) return em->now[u->slots[0]];
  LLVMValueRef array = ll_entry_alloca(em->b, ptr, u->nslots, 8, "vector");
  for (uint32_t k = 0; k < u->nslots; k++) {
    LLVMValueRef at = ll_i64(em->ctx, k);
    LLVMBuildStore(em->b, em->now[u->slots[k]],
                   LLVMBuildInBoundsGEP2(em->b, ptr, array, &at, 1, ""));
  }
  return array;
}

/* What the call goes to: the kernel's code, or its address; code around an
 * address takes that first. */
static void
low_emit_call(struct low_emit *em, uint32_t call) {
  const struct low_call *c = &em->r->calls[call];
  assert(c->instance < em->r->ninstances);
  const struct low_instance *in = &em->r->instances[c->instance];
  LLVMTypeRef ptr = LLVMPointerTypeInContext(em->ctx, 0);
  LLVMValueRef *args = mem_alloc(c->nargs + 1, sizeof *args);
  LLVMTypeRef *types = mem_alloc(c->nargs + 1, sizeof *types);
  LLVMValueRef address = in->address >= 0 ? em->arg[in->address] : NULL;
  LLVMValueRef fn = em->fns[c->instance];
  uint32_t n = 0;
  if (fn && address) args[n++] = address;
  for (uint32_t a = 0; a < c->nargs; a++)
    args[n++] = low_emit_use(em, &c->args[a]);
  for (uint32_t a = 0; a < n; a++) types[a] = ptr;
  LLVMTypeRef type =
      fn ? LLVMGlobalGetValueType(fn)
         : LLVMFunctionType(LLVMVoidTypeInContext(em->ctx), types, n, 0);
  low_lines_call(em, call); /* allocas may have taken it elsewhere */
  LLVMBuildCall2(em->b, type, fn ? fn : address, args, n, "");
  free(types);
  free(args);
}

void
low_emit_around(struct low_emit *em, uint32_t call) {
  low_lines_call(em, call);
  low_emit_before(em, (int32_t)call);
  low_emit_call(em, call);
  low_emit_after(em, (int32_t)call);
}

/* The call for each entry of the element's row. */
static void
low_emit_row(struct low_emit *em, uint32_t call) {
  const struct low_call *c = &em->r->calls[call];
  LLVMValueRef next = LLVMBuildNSWAdd(em->b, em->e, ll_i64(em->ctx, 1), "");
  LLVMValueRef lo = low_row_begin(em, c->row, c->start, em->e);
  LLVMValueRef hi = low_row_begin(em, c->row, c->start, next);
  LLVMValueRef n = LLVMBuildNSWSub(em->b, hi, lo, "length");
  LLVMValueRef head = low_row_head(em, c->row, lo, em->e);
  struct ll_loop l = ll_loop_begin(em->b, ll_i64(em->ctx, 0), n, "at");
  em->inner = low_row_entry(em, c->row, head, l.i);
  low_row_layer(em, c, l.i);
  low_emit_around(em, call);
  low_row_layer(em, c, NULL);
  em->inner = NULL;
  ll_loop_end(em->b, &l, NULL);
}

void
low_emit_element(struct low_emit *em) {
  low_emit_enter(em);
  for (uint32_t k = 0; k < em->r->ncalls; k++)
    if (em->r->calls[k].row < 0)
      low_emit_around(em, k);
    else
      low_emit_row(em, k);
  low_emit_leave(em);
}

static const struct low_slot *
usual_slot(const struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++)
    if (em->r->slots[k].usual) return &em->r->slots[k];
  return NULL;
}

/* Arrays of pointers for another copy of the code: those with one store alone
 * are gone in the end (region_forward.c). */
static void
entries_anew(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++)
    if (em->r->slots[k].row) low_entries_alloc(em, k);
}

/* Twice, if there are rows of a usual length: for these, and for all others. */
void
low_emit_single(struct low_emit *em, LLVMValueRef e) {
  const struct low_slot *s = usual_slot(em);
  em->e = e;
  em->i = NULL;
  if (!s) {
    low_emit_element(em);
    return;
  }
  LLVMValueRef n = row_length(em, s), usual = ll_i64(em->ctx, s->usual);
  LLVMBasicBlockRef after =
      ll_if(em->b, LLVMBuildICmp(em->b, LLVMIntEQ, n, usual, "usual"));
  em->usual = s;
  low_emit_element(em);
  em->usual = NULL;
  ll_endif(em->b, after);
  entries_anew(em);
  after = ll_if(em->b, LLVMBuildICmp(em->b, LLVMIntNE, n, usual, "unusual"));
  low_emit_element(em);
  ll_endif(em->b, after);
}

/* Ask for rows of elements further on, if there are such. */
static void
low_ask_soon(struct low_emit *em, LLVMValueRef e, LLVMValueRef hi) {
  LLVMValueRef zero = ll_i64(em->ctx, 0), one = ll_i64(em->ctx, 1);
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (!s->soon || em->r->width) continue;
    assert(s->map >= 0 && !s->row && !s->inner);
    LLVMValueRef last = LLVMBuildNSWSub(em->b, hi, one, "last");
    LLVMValueRef then =
        LLVMBuildNSWAdd(em->b, e, ll_i64(em->ctx, s->soon), "then");
    LLVMValueRef past = LLVMBuildICmp(em->b, LLVMIntSGT, then, last, "");
    then = LLVMBuildSelect(em->b, past, last, then, "soon");
    low_ask_for(em, s, s->load >= 0 ? s->load : s->store,
                low_slot_index(em, s, then), zero, 1);
  }
}

void
low_emit_plain(struct low_emit *em, LLVMValueRef lo, LLVMValueRef hi) {
  struct ll_loop l = ll_loop_begin(em->b, lo, hi, "e");
  low_ask_soon(em, l.i, hi);
  low_emit_single(em, l.i);
  ll_loop_end(em->b, &l, em->width ? em->marks.scalar : NULL);
}
