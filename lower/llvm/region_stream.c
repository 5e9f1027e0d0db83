/* Stores past the caches (ir/hold_stream.c says of what).
 *
 * Problem. Such a store fills a whole line, at its beginning: elsewhere
 * processors have none, and LLVM makes a store like any other of it. Along a
 * stretch lines begin wherever the memory has them. And it comes later than
 * others: a thread that sees this one's next store may not see it yet.
 *
 * Idea. Blocks of a stretch begin at the element at which a line does; those
 * before it run one by one, at most 7 of doubles. Elements of a set that goes
 * without stretches are in place: memory of dats, and of each component of
 * them, begins with a line, but for a chain's own, which is not stored so, and
 * blocks with a multiple of their width.
 *
 *     e                from                         last      end
 *     | one by one     | block | block | ... block  | one by one
 *
 * What runs one by one stores to lines that others are in, too: where a stretch
 * ends, mostly, another one begins. Such a store waits for its line, and all
 * behind it with it, as stores are made in order; so the line in which a
 * stretch ends is asked for when it begins. Horizontal diffusion on 512 x 512 x
 * 32 points, halos of 2, takes 0.91 of the time so (two threads of a Zen 4,
 * medians of 8 rounds); in lines of 4096 points nothing changes. Not where the
 * stretch ends with its line, which is stored past the caches then.
 *
 * Tried     and left out: vectors for the elements before and behind the lines,
 *           which run twice then. A vector that meets two lines brings back the
 *           one that is stored past the caches: 1.2 to 1.4 of the time. In code
 *           of their own, with values moved to one line and a mask, 0.97.
 *
 * A fence ends the function.
 *
 * Limits  processors with vectors of a line (ir/hold_stream.c): the fence is
 * x86's where the code is for it, LLVM's else. */
#include "lower/llvm/ll.h"
#include "lower/llvm/region_emit.h"

#include <assert.h>
#include <string.h>

void
low_stream_store(struct low_emit *em, struct low_at at,
                 const struct low_slot *s, uint32_t c, LLVMValueRef v) {
  assert(s->stream || s->through >= 0);
  assert(s->type.size * em->width == LOW_STREAM_BYTES);
  LLVMContextRef ctx = em->ctx;
  LLVMValueRef p = low_at_address(em, at, s->type, ll_i64(ctx, c));
  LLVMValueRef store = LLVMBuildStore(em->b, v, p);
  LLVMValueRef one = LLVMConstInt(LLVMInt32TypeInContext(ctx), 1, 0);
  LLVMMetadataRef mark = LLVMValueAsMetadata(one);
  LLVMSetAlignment(store, LOW_STREAM_BYTES);
  LLVMSetMetadata(store, LLVMGetMDKindIDInContext(ctx, "nontemporal", 11),
                  LLVMMetadataAsValue(ctx,
                                      LLVMMDNodeInContext2(ctx, &mark, 1)));
}

enum { ASKED = 16 }; /* components of a slot, at most */

/* The first slot that is stored so: all go by one path. NULL: none. */
static const struct low_slot *
streamed(const struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++)
    if (em->r->slots[k].stream) return &em->r->slots[k];
  return NULL;
}

/* Ask for the lines in which the stretch ends, of all that is stored so, unless
 * they end there, too: then they are stored past the caches. */
static void
ask_for_last(struct low_emit *em, const struct low_slot *first,
             LLVMValueRef end) {
  LLVMBuilderRef b = em->b;
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  em->e = end;
  struct low_at at = low_at_dat(em, first, first->store);
  LLVMValueRef p = low_at_address(em, at, first->type, ll_i64(em->ctx, 0));
  LLVMValueRef off = LLVMBuildPtrToInt(b, p, i64, "");
  off = LLVMBuildAnd(b, off, ll_i64(em->ctx, LOW_STREAM_BYTES - 1), "");
  LLVMBasicBlockRef after =
      ll_if(b, LLVMBuildICmp(b, LLVMIntNE, off, ll_i64(em->ctx, 0), "inside"));
  em->e = LLVMBuildNSWSub(b, end, ll_i64(em->ctx, 1), "");
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (!s->stream) continue;
    at = low_at_dat(em, s, s->store);
    for (uint32_t c = 0; c < s->dim && c < ASKED; c++)
      ll_prefetch_store(b, low_at_address(em, at, s->type, ll_i64(em->ctx, c)));
  }
  ll_endif(b, after);
}

LLVMValueRef
low_stream_begin(struct low_emit *em, LLVMValueRef e, LLVMValueRef end) {
  const struct low_slot *s = streamed(em);
  LLVMBuilderRef b = em->b;
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  if (!s) return e;
  ask_for_last(em, s, end);
  em->e = e;
  struct low_at at = low_at_dat(em, s, s->store);
  LLVMValueRef p = low_at_address(em, at, s->type, ll_i64(em->ctx, 0));
  LLVMValueRef bytes = LLVMBuildNeg(b, LLVMBuildPtrToInt(b, p, i64, ""), "");
  bytes = LLVMBuildAnd(b, bytes, ll_i64(em->ctx, LOW_STREAM_BYTES - 1), "");
  LLVMValueRef n = LLVMBuildUDiv(b, bytes, ll_i64(em->ctx, s->type.size), "");
  LLVMValueRef from = LLVMBuildNSWAdd(b, e, n, "line");
  LLVMValueRef less = LLVMBuildICmp(b, LLVMIntSLT, from, end, "");
  return LLVMBuildSelect(b, less, from, end, "from");
}

static bool
goes_through(const struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++)
    if (em->r->slots[k].through >= 0) return true;
  return false;
}

void
low_stream_end(struct low_emit *em) {
  static const char fence[] = "llvm.x86.sse.sfence";
  if (!streamed(em) && !goes_through(em)) return;
  if (strncmp(LLVMGetTarget(em->m), "x86_64", 6)) {
    LLVMBuildFence(em->b, LLVMAtomicOrderingSequentiallyConsistent, 0, "");
    return;
  }
  unsigned id = LLVMLookupIntrinsicID(fence, sizeof fence - 1);
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(em->m, id, NULL, 0);
  LLVMBuildCall2(em->b, LLVMGlobalGetValueType(fn), fn, NULL, 0, "");
}
