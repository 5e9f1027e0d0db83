/* Increments, extremes and reads staged in local memory: the kernel op2_stage,
 * with increments for example.
 *
 *   for (block = group; block < blocks; block += groups)
 *     clear the strips of the block's targets          all items, in turn
 *     strip[k] = memory[targets[k]], of what is read   the same
 *     barrier
 *     look up where my element reads and adds; run it; its increments stay
 *     private
 *     for (colour = 0; colour < colours of the block; colour++)
 *       if mine: strip[local[e][entry]] += increment   no other item does
 *       barrier
 *     memory[targets[k]] += strip[k]               atomic; all items, in turn
 *     barrier
 *
 * Barriers stand where all items of a group pass alike. Strips lie one behind
 * the other in the room that the launch gives, each [target][component], as
 * long as the longest block needs. rt/walk/stage.c makes the numbers,
 * lower/device_form.c says which slot adds where. */
#include "lower/llvm/device.h"

#include <assert.h>
#include <stdlib.h>

/* The kernel's parameters beyond those of all, and where we are. */
struct stage {
  LLVMValueRef colours, ncolours, lo, hi, blocks, groups, room;
  LLVMValueRef *table;         /* of uses: first, targets, local */
  LLVMValueRef *most;          /* of uses */
  LLVMValueRef *strip;         /* of strips: their memory */
  LLVMValueRef *mine;          /* of slots in strips: where my element is */
  LLVMValueRef *begin, *count; /* of uses, in the block at hand */
  LLVMValueRef local, size;
};

static LLVMValueRef
add(struct low_emit *em, LLVMValueRef x, LLVMValueRef y) {
  return LLVMBuildNSWAdd(em->b, x, y, "");
}

static LLVMValueRef
mul(struct low_emit *em, LLVMValueRef x, int64_t y) {
  return LLVMBuildNSWMul(em->b, x, ll_i64(em->ctx, y), "");
}

/* Where each strip begins: behind those before it, aligned. */
static void
place_strips(struct low_emit *em, struct stage *s) {
  const struct low_device_form *f = em->form;
  LLVMValueRef at = ll_i64(em->ctx, 0);
  for (uint32_t k = 0; k < f->nstrips; k++) {
    s->strip[k] = low_device_at(em, s->room, at);
    LLVMValueRef bytes = mul(em, s->most[f->strips[k].use], f->strips[k].bytes);
    bytes = add(em, bytes, ll_i64(em->ctx, RT_STRIP_ALIGN - 1));
    bytes = LLVMBuildAnd(em->b, bytes, ll_i64(em->ctx, -RT_STRIP_ALIGN), "");
    at = add(em, at, bytes);
  }
}

/* `p`: the kernel's parameters, RT_STAGE_* and those of uses. */
static void
read_params(struct low_emit *em, struct stage *s, LLVMValueRef *p) {
  LLVMValueRef *word = p + RT_STAGE_ARGS + RT_STAGE_TABLES * em->form->nuses;
  s->colours = p[RT_STAGE_COLOURS];
  s->ncolours = p[RT_STAGE_NCOLOURS];
  s->table = p + RT_STAGE_ARGS;
  s->lo = word[RT_STAGE_LO];
  s->hi = word[RT_STAGE_HI];
  s->blocks = word[RT_STAGE_BLOCKS];
  s->groups = word[RT_STAGE_GROUPS];
  s->most = word + RT_STAGE_WORDS;
  s->room = em->kind->room(em);
  s->local = em->kind->item(em, LOW_ITEM_LOCAL);
  s->size = em->kind->item(em, LOW_ITEM_SIZE);
}

/* Words of strip k that the block uses. */
static LLVMValueRef
strip_words(struct low_emit *em, const struct stage *s, uint32_t k) {
  assert(k < em->form->nstrips);
  return mul(em, s->count[em->form->strips[k].use], em->form->strip_dim[k]);
}

static LLVMValueRef
strip_word(struct low_emit *em, const struct stage *s, uint32_t k,
           LLVMValueRef i) {
  assert(k < em->form->nstrips);
  return LLVMBuildInBoundsGEP2(em->b, ll_type(em->ctx, em->form->strip_type[k]),
                               s->strip[k], &i, 1, "");
}

static void
enter_block(struct low_emit *em, struct stage *s, LLVMValueRef block) {
  LLVMValueRef one = ll_i64(em->ctx, 1);
  for (uint32_t u = 0; u < em->form->nuses; u++) {
    s->begin[u] =
        low_entry(em, s->table[RT_STAGE_TABLES * u + RT_STAGE_FIRST], block);
    LLVMValueRef end =
        low_entry(em, s->table[RT_STAGE_TABLES * u + RT_STAGE_FIRST],
                  add(em, block, one));
    s->count[u] = LLVMBuildNSWSub(em->b, end, s->begin[u], "count");
  }
}

static void
clear_strips(struct low_emit *em, const struct stage *s) {
  for (uint32_t k = 0; k < em->form->nstrips; k++) {
    if (em->form->strip_read[k]) continue;
    struct ll_loop l = ll_loop_begin_step(
        em->b, s->local, strip_words(em, s, k), s->size, "word");
    LLVMBuildStore(em->b,
                   ll_identity(em->ctx, em->form->strip_type[k],
                               em->form->strip_access[k]),
                   strip_word(em, s, k, l.i));
    ll_loop_end(em->b, &l, NULL);
  }
}

/* Where in the strips my element reads and adds: looked up before it runs, so
 * that the tables are on their way while the element's own operands are. An
 * item without an element looks up that of element 0. */
static void
find_mine(struct low_emit *em, struct stage *s, LLVMValueRef inside) {
  const struct low_device_form *f = em->form;
  LLVMBuilderRef b = em->b;
  LLVMTypeRef i16 = LLVMInt16TypeInContext(em->ctx);
  LLVMValueRef e = LLVMBuildSelect(b, inside, em->e, ll_i64(em->ctx, 0), "");
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *slot = &em->r->slots[k];
    if (slot->kind != LOW_SLOT_INC && !slot->local) continue;
    uint32_t strip = f->strip_of[k], use = f->strips[strip].use;
    LLVMValueRef at = add(em, mul(em, e, f->uses[use].nentries),
                          ll_i64(em->ctx, f->entry_of[k]));
    LLVMValueRef p = LLVMBuildInBoundsGEP2(
        b, i16, s->table[RT_STAGE_TABLES * use + RT_STAGE_LOCAL], &at, 1, "");
    LLVMValueRef place =
        LLVMBuildZExt(b, LLVMBuildLoad2(b, i16, p, ""),
                      LLVMInt64TypeInContext(em->ctx), "place");
    s->mine[k] = strip_word(em, s, strip, mul(em, place, slot->dim));
  }
}

/* What the element added, to the strips. */
static void
add_element(struct low_emit *em, const struct stage *s) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *slot = &em->r->slots[k];
    if (slot->kind == LOW_SLOT_INC)
      low_emit_combine(em, slot, low_at_home(s->mine[k]),
                       low_at_home(em->home[k]));
  }
}

/* Items add when their colour `mine` of `n` is due. */
static void
add_by_colours(struct low_emit *em, const struct stage *s, LLVMValueRef mine,
               LLVMValueRef n) {
  LLVMBuilderRef b = em->b;
  struct ll_loop l = ll_loop_begin(b, ll_i64(em->ctx, 0), n, "colour");
  LLVMBasicBlockRef after =
      ll_if(em->b, LLVMBuildICmp(b, LLVMIntEQ, mine, l.i, "due"));
  add_element(em, s);
  ll_endif(em->b, after);
  em->kind->barrier(em);
  ll_loop_end(b, &l, NULL);
}

/* Word i of strip k in the device's memory. */
static LLVMValueRef
target_word(struct low_emit *em, const struct stage *s, uint32_t k,
            LLVMValueRef i) {
  const struct low_device_form *f = em->form;
  const struct low_bind *d = &em->r->binds[f->strip_bind[k]];
  uint32_t use = f->strips[k].use;
  assert(use < f->nuses);
  LLVMValueRef dim = ll_i64(em->ctx, f->strip_dim[k]);
  LLVMValueRef place = add(em, s->begin[use], LLVMBuildUDiv(em->b, i, dim, ""));
  struct low_at at = {
      .base = em->arg[f->strip_bind[k]],
      .bind = d,
      .stride = d->stride < 0 ? NULL : em->arg[d->stride],
      .e = low_entry(em, s->table[RT_STAGE_TABLES * use + RT_STAGE_TARGETS],
                     place)};
  return low_at_address(em, at, f->strip_type[k],
                        LLVMBuildURem(em->b, i, dim, ""));
}

/* All strips that are read come from memory, or all others go there. */
static void
move_strips(struct low_emit *em, const struct stage *s, bool read) {
  const struct low_device_form *f = em->form;
  LLVMBuilderRef b = em->b;
  for (uint32_t k = 0; k < f->nstrips; k++) {
    LLVMTypeRef type = ll_type(em->ctx, f->strip_type[k]);
    if (f->strip_read[k] != read) continue;
    struct ll_loop l =
        ll_loop_begin_step(b, s->local, strip_words(em, s, k), s->size, "word");
    LLVMValueRef memory = target_word(em, s, k, l.i);
    LLVMValueRef mine = strip_word(em, s, k, l.i);
    if (read)
      LLVMBuildStore(b, LLVMBuildLoad2(b, type, memory, ""), mine);
    else
      low_device_atomic(em, f->strip_type[k], f->strip_access[k], memory,
                        LLVMBuildLoad2(b, type, mine, ""));
    ll_loop_end(b, &l, NULL);
  }
}

static void
run_block(struct low_emit *em, struct stage *s, LLVMValueRef block) {
  LLVMBuilderRef b = em->b;
  enter_block(em, s, block);
  clear_strips(em, s);
  move_strips(em, s, true);
  em->kind->barrier(em);
  em->e =
      LLVMBuildNSWAdd(b, LLVMBuildNSWMul(b, block, s->size, ""), s->local, "e");
  LLVMValueRef inside = low_device_inside(em, s->lo, s->hi);
  LLVMValueRef mine = low_device_colour(em, s->colours, inside);
  LLVMValueRef ncolours = low_entry(em, s->ncolours, block);
  find_mine(em, s, inside);
  LLVMBasicBlockRef after = ll_if(em->b, inside);
  low_emit_element(em);
  ll_endif(em->b, after);
  add_by_colours(em, s, mine, ncolours);
  move_strips(em, s, false);
  em->kind->barrier(em);
}

void
low_device_stage(struct low_emit *em) {
  const struct low_device_form *f = em->form;
  assert(f->nuses && f->nstrips);
  uint32_t np = RT_STAGE_ARGS + RT_STAGE_TABLES * f->nuses;
  uint32_t n = np + RT_STAGE_WORDS + f->nuses;
  LLVMValueRef *mem = mem_alloc(
      n + 2 * (size_t)f->nuses + f->nstrips + em->r->nslots, sizeof *mem);
  struct stage s = {.begin = mem + n,
                    .count = mem + n + f->nuses,
                    .strip = mem + n + 2 * f->nuses,
                    .mine = mem + n + 2 * f->nuses + f->nstrips};
  low_device_kernel(em, LOW_STAGE, mem, np, n);
  read_params(em, &s, mem);
  low_device_begin(em);
  place_strips(em, &s);
  em->local = s.mine;
  struct ll_loop l = ll_loop_begin_step(
      em->b, em->kind->item(em, LOW_ITEM_GROUP), s.blocks, s.groups, "block");
  run_block(em, &s, l.i);
  ll_loop_end(em->b, &l, NULL);
  low_device_end(em, NULL);
  free(mem);
}
