/* Elements of dats to messages and back, on a device.
 *
 * A halo is a list of elements; a message has them one after the other, AoS, so
 * that ranks may lay their dats out differently. Each work item moves one word:
 *
 *   op2_pack8    message[place[i] * scale + r] = dat[(c * stride + list[i]) *
 *                words + k]
 *   op2_unpack8  the other way
 *
 *     i < n       element of the list         item i * dim * words + r
 *     c < dim     component                   r = c * words + k
 *     k < words   word of the component       stride  of dats, which are SoA
 *
 * with a kernel of each kind for words of 1, 2, 4 and 8 bytes.
 *
 * cost  a division of 64 bits an item or two; items that are neighbours write
 * neighbours of the message. */
#include "lower/llvm/device.h"

#include <assert.h>
#include <stdio.h>

/* p: RT_MOVE_* */
static void
open_kernel(struct low_emit *em, const char *name, LLVMValueRef *p) {
  LLVMTypeRef ptr = low_device_ptr(em), i64 = LLVMInt64TypeInContext(em->ctx);
  LLVMTypeRef types[RT_MOVE_ARGS];
  for (int k = 0; k < RT_MOVE_ARGS; k++) types[k] = k < RT_MOVE_N ? ptr : i64;
  low_device_open(em, name, types, RT_MOVE_ARGS);
  LLVMGetParams(em->fn, p);
}

static LLVMValueRef
word_at(struct low_emit *em, LLVMTypeRef word, LLVMValueRef base,
        LLVMValueRef at) {
  return LLVMBuildInBoundsGEP2(em->b, word, base, &at, 1, "");
}

/* Where word r of element i is, in the dat and in the message. */
static void
find_ends(struct low_emit *em, const LLVMValueRef *p, LLVMTypeRef word,
          LLVMValueRef per, LLVMValueRef ends[2]) {
  LLVMBuilderRef b = em->b;
  LLVMValueRef i = LLVMBuildUDiv(b, em->item, per, "i");
  LLVMValueRef r = LLVMBuildURem(b, em->item, per, "r");
  LLVMValueRef c = LLVMBuildUDiv(b, r, p[RT_MOVE_PER], "c");
  LLVMValueRef k = LLVMBuildURem(b, r, p[RT_MOVE_PER], "k");
  LLVMValueRef e = low_entry(em, p[RT_MOVE_LIST], i);
  LLVMValueRef at =
      LLVMBuildNSWAdd(b, LLVMBuildNSWMul(b, c, p[RT_MOVE_STRIDE], ""), e, "");
  at = LLVMBuildNSWAdd(b, LLVMBuildNSWMul(b, at, p[RT_MOVE_PER], ""), k, "");
  ends[0] = word_at(em, word, p[RT_MOVE_DAT], at);
  at = LLVMBuildNSWMul(b, low_entry(em, p[RT_MOVE_PLACE], i), p[RT_MOVE_SCALE],
                       "");
  at = LLVMBuildNSWAdd(b, at, r, "");
  ends[1] = word_at(em, word, p[RT_MOVE_MESSAGE], at);
}

static void
build_move(struct low_emit *em, unsigned bytes, bool packs) {
  assert(bytes && !(bytes & (bytes - 1)));
  LLVMBuilderRef b = em->b;
  char name[32];
  snprintf(name, sizeof name, packs ? LOW_PACK "%u" : LOW_UNPACK "%u", bytes);
  LLVMValueRef p[RT_MOVE_ARGS];
  open_kernel(em, name, p);
  LLVMTypeRef word = LLVMIntTypeInContext(em->ctx, 8 * bytes);
  em->item = em->kind->item(em, LOW_ITEM_GLOBAL);
  LLVMValueRef per = LLVMBuildNSWMul(b, p[RT_MOVE_DIM], p[RT_MOVE_PER], "per");
  LLVMValueRef all = LLVMBuildNSWMul(b, p[RT_MOVE_N], per, "");
  LLVMBasicBlockRef after =
      ll_if(em->b, LLVMBuildICmp(b, LLVMIntULT, em->item, all, ""));
  LLVMValueRef ends[2];
  find_ends(em, p, word, per, ends);
  LLVMValueRef v = LLVMBuildLoad2(b, word, ends[packs ? 0 : 1], "");
  LLVMSetAlignment(v, bytes);
  v = LLVMBuildStore(b, v, ends[packs ? 1 : 0]);
  LLVMSetAlignment(v, bytes);
  ll_endif(em->b, after);
  low_device_close(em);
}

status
low_moves_compile(enum rt_code_kind kind, const char *arch, struct str *code) {
  struct low_target target;
  struct low_emit em = {.kind = low_device_kind(kind), .t = &target};
  TRY(em.kind->init(&target, arch));
  em.ctx = LLVMContextCreate();
  ll_errors_catch(em.ctx);
  em.m = LLVMModuleCreateWithNameInContext("moves", em.ctx);
  em.b = LLVMCreateBuilderInContext(em.ctx);
  LLVMSetTarget(em.m, target.triple);
  LLVMSetDataLayout(em.m, target.layout);
  for (unsigned k = 0; k < RT_MOVE_WORDS; k++) {
    build_move(&em, 1u << k, true);
    build_move(&em, 1u << k, false);
  }
  status s = low_device_verify(&em);
  if (s == OK) s = em.kind->finish(&target, em.m, code);
  LLVMDisposeBuilder(em.b);
  LLVMDisposeModule(em.m);
  LLVMContextDispose(em.ctx);
  low_target_clear(&target);
  return s;
}
