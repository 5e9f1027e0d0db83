/* Arguments that are all entries of a row of any length.
 *
 * Problem. A kernel that takes T ** gets a pointer to each element that its row
 * names. Where rows of a map have one length each entry has a slot of its own,
 * and after inlining neither pointers nor copies are left. Rows that have a
 * length each need a loop.
 *
 * Idea. One slot stands for all entries: it has an array of pointers, and one
 * of private copies. Around the call
 *
 *     row = table[start[e] .. start[e+1])
 *     for i in [0, length)   pointer[i] = &copy[i];  copy[i] = dat[row[i]]
 *     kernel(pointer)
 *     for i in [0, length)   dat[row[i]] += *pointer[i]
 *
 * (a copy that is added to begins at the identity; one that is written is
 * stored). What is only read, in memory that the region does not write, needs
 * no copy where an element's components lie side by side: pointers lead there.
 * If the kernel reads and writes, entries that name one element share the first
 * one's copy, which is looked up among those before.
 *
 * Where a kernel only follows its pointers, the array is gone in the end
 * (region_forward.c).
 *
 * Rows are short, and the processor's own prefetchers, which begin with each
 * page anew, fall behind: so each row asks for what rows further on have, in
 * the table and in dats that rows step through. A matrix times a vector, rows
 * of 9: 1.5 times as fast with 640 000 rows, on one thread and on two, and 1.05
 * with 90 000; conjugate gradients 1.4 (a Xeon with AVX-512, medians of 3
 * interleaved rounds).
 *
 * Cost  reading: 1.15 times plain C that has no such array (a matrix times a
 * vector, rows of 9, one thread); adding: copies are filled and added up.
 * O(length^2) comparisons where a kernel reads and writes.
 * Limits  one element after another: no vectors. SPIR has no arrays of pointers
 * that lead to the program's memory or to copies: there dats that share memory
 * are refused. */
#include "lower/llvm/region_emit.h"

#include <assert.h>

/* How far ahead of their use, in bytes. */
enum { AHEAD_VALUES = 2048, AHEAD_TABLE = 1024 };

/* Are the components of an element side by side, where nobody writes? */
static bool
reads_in_place(const struct low_emit *em, const struct low_slot *s) {
  if (s->kind == LOW_SLOT_PLACE) return true;
  if (s->kind != LOW_SLOT_DAT || s->store >= 0 || em->kind) return false;
  const struct low_bind *b = &em->r->binds[s->load];
  return (b->block == 1 || b->dim == 1) && b->alone && !b->written;
}

void
low_entries_alloc(struct low_emit *em, uint32_t k) {
  const struct low_slot *s = &em->r->slots[k];
  LLVMTypeRef ptr = LLVMPointerTypeInContext(em->ctx, 0);
  assert(s->row > 0);
  if (s->room < 0) {
    em->now[k] = ll_entry_alloca(em->b, ptr, s->row, 8, "vector");
    if (reads_in_place(em, s)) return;
    em->home[k] =
        ll_entry_alloca(em->b, ll_type(em->ctx, s->type),
                        (uint64_t)s->dim * s->row, low_slot_align(s), "copies");
    return;
  }
  LLVMTypeRef byte = LLVMInt8TypeInContext(em->ctx);
  LLVMValueRef at = ll_i64(em->ctx, s->room);
  em->now[k] = LLVMBuildInBoundsGEP2(em->b, byte, em->arg[em->r->scratch], &at,
                                     1, "vector");
  at = ll_i64(em->ctx, (int64_t)low_slot_pointers(s));
  em->home[k] =
      LLVMBuildInBoundsGEP2(em->b, byte, em->now[k], &at, 1, "copies");
}

/* The row of slot s, at the loop over its entries. */
struct entries {
  LLVMValueRef head, n;
  struct ll_loop l;
};

static LLVMValueRef
row_element(const struct low_emit *em, const struct low_slot *s) {
  return s->inner ? em->inner : em->e;
}

static struct entries
entries_begin(struct low_emit *em, const struct low_slot *s) {
  LLVMValueRef e = row_element(em, s);
  struct entries x;
  LLVMValueRef begin = low_row_begin(em, s->map, s->start, e);
  LLVMValueRef next = LLVMBuildNSWAdd(em->b, e, ll_i64(em->ctx, 1), "");
  x.n = LLVMBuildNSWSub(em->b, low_row_begin(em, s->map, s->start, next), begin,
                        "length");
  if (em->usual && !s->inner && em->usual->start == s->start)
    x.n = ll_i64(em->ctx, em->usual->usual);
  x.head = low_row_head(em, s->map, begin, e);
  return x;
}

static LLVMValueRef
entry_at(struct low_emit *em, const struct low_slot *s,
         const struct entries *x) {
  return low_row_entry(em, s->map, x->head, x->l.i);
}

/* pointer[i] */
static LLVMValueRef
pointer_at(struct low_emit *em, uint32_t k, LLVMValueRef i) {
  LLVMTypeRef ptr = LLVMPointerTypeInContext(em->ctx, 0);
  return LLVMBuildInBoundsGEP2(em->b, ptr, em->now[k], &i, 1, "");
}

/* `at`, or the pointer of an entry of slot k, among its first n (NULL: all),
 * that names element `own`. */
static LLVMValueRef
peer_among(struct low_emit *em, uint32_t k, LLVMValueRef own, LLVMValueRef n,
           LLVMValueRef at) {
  const struct low_slot *s = &em->r->slots[k];
  LLVMBuilderRef b = em->b;
  LLVMTypeRef ptr = LLVMPointerTypeInContext(em->ctx, 0);
  LLVMValueRef var = ll_entry_alloca(b, ptr, 1, 8, "peer");
  LLVMBuildStore(b, at, var);
  struct entries x = entries_begin(em, s);
  x.l = ll_loop_begin(b, ll_i64(em->ctx, 0), n ? n : x.n, "peer");
  LLVMValueRef same =
      LLVMBuildICmp(b, LLVMIntEQ, entry_at(em, s, &x), own, "same");
  LLVMValueRef theirs = LLVMBuildLoad2(b, ptr, pointer_at(em, k, x.l.i), "");
  LLVMValueRef mine = LLVMBuildLoad2(b, ptr, var, "");
  LLVMBuildStore(b, LLVMBuildSelect(b, same, theirs, mine, ""), var);
  ll_loop_end(b, &x.l, NULL);
  return LLVMBuildLoad2(b, ptr, var, "peer");
}

LLVMValueRef
low_entries_peer(struct low_emit *em, uint32_t k, LLVMValueRef own,
                 LLVMValueRef at) {
  return peer_among(em, k, own, NULL, at);
}

/* Where entry i of slot k, which names `own`, is for this call. */
static LLVMValueRef
entry_peer(struct low_emit *em, uint32_t k, LLVMValueRef own, LLVMValueRef i,
           LLVMValueRef at) {
  const struct low_slot *s = &em->r->slots[k];
  if (s->kind != LOW_SLOT_DAT || s->store < 0) return at;
  return peer_among(em, k, own, i, low_slot_peer(em, k, own, at));
}

/* One entry before the call: what its pointer leads to. */
static LLVMValueRef
entry_enter(struct low_emit *em, uint32_t k, LLVMValueRef i) {
  const struct low_slot *s = &em->r->slots[k];
  if (reads_in_place(em, s)) return low_emit_place(em, s);
  LLVMValueRef first = LLVMBuildNSWMul(em->b, i, ll_i64(em->ctx, s->dim), "");
  LLVMValueRef home = LLVMBuildInBoundsGEP2(em->b, ll_type(em->ctx, s->type),
                                            em->home[k], &first, 1, "copy");
  if (s->kind == LOW_SLOT_INC)
    low_emit_fill(em, s, low_at_home(home), s->access);
  else if (s->load >= 0)
    low_emit_copy(em, s, low_at_home(home), low_at_dat(em, s, s->load));
  return entry_peer(em, k, em->entry, i, home);
}

/* Ask for what rows further on have: of their table; or, where rows step from
 * element to element, of the elements. As many lines as the longest row has. */
static void
entries_ahead(struct low_emit *em, const struct low_slot *s,
              const struct entries *x) {
  if (em->kind) return; /* devices have other threads to go on with */
  int64_t row = (int64_t)s->row * 4;
  LLVMValueRef head = x->head;
  if (low_bind_steps(em->r, s->map)) {
    int64_t on = 1 + AHEAD_VALUES / (int64_t)(s->dim * s->type.size);
    if (em->r->binds[s->map].step == 1)
      low_ask_for(em, s, s->load >= 0 ? s->load : s->store, head,
                  ll_i64(em->ctx, on), s->row);
    return;
  }
  LLVMValueRef p = LLVMBuildInBoundsGEP2(em->b, LLVMInt32TypeInContext(em->ctx),
                                         em->arg[s->map], &head, 1, "rows");
  for (int64_t at = 0; at < row && at < AHEAD_TABLE; at += 64)
    ll_prefetch(em->b, p, AHEAD_TABLE + at);
}

void
low_entries_before(struct low_emit *em, uint32_t k) {
  const struct low_slot *s = &em->r->slots[k];
  struct entries x = entries_begin(em, s);
  entries_ahead(em, s, &x);
  x.l = ll_loop_begin(em->b, ll_i64(em->ctx, 0), x.n, "entry");
  em->entry = entry_at(em, s, &x);
  LLVMValueRef p = entry_enter(em, k, x.l.i);
  LLVMBuildStore(em->b, p, pointer_at(em, k, x.l.i));
  em->entry = NULL;
  ll_loop_end(em->b, &x.l, NULL);
}

void
low_entries_after(struct low_emit *em, uint32_t k) {
  const struct low_slot *s = &em->r->slots[k];
  LLVMTypeRef ptr = LLVMPointerTypeInContext(em->ctx, 0);
  if (s->kind == LOW_SLOT_PLACE || s->store < 0) return;
  struct entries x = entries_begin(em, s);
  x.l = ll_loop_begin(em->b, ll_i64(em->ctx, 0), x.n, "entry");
  em->entry = entry_at(em, s, &x);
  LLVMValueRef p = LLVMBuildLoad2(em->b, ptr, pointer_at(em, k, x.l.i), "");
  if (s->kind == LOW_SLOT_INC)
    low_emit_far(em, s, low_at_home(p));
  else
    low_emit_copy(em, s, low_at_dat(em, s, s->store), low_at_home(p));
  em->entry = NULL;
  ll_loop_end(em->b, &x.l, NULL);
}
