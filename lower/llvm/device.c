/* From a region as data to kernels for a device.
 *
 * Problem. A device runs thousands of work items, each with memory of its own,
 * beside shared memory in another address space. What a region does for an
 * element is the same as on the host.
 *
 * Idea. The element is built by the same code (region_element.c): copy into
 * private slots, call the kernels, copy back. Around it stands another loop:
 *
 *   op2_region    for (e = w * mul; e < min(w * mul + span, n); e += step)
 *   op2_colour    the item's element of its block, when its colour is due
 *   op2_stage     the same, adding in local memory first (device_stage.c)
 *
 * Only what is bound lies in address space 1 (SPIR's and PTX's global memory);
 * slots, accumulators, constants and whatever a kernel gets a pointer to are
 * private copies in address space 0, so kernels need no other pointers than
 * those they were written with.
 *
 * Cost  compiling, 10 to 40 ms a region. Limits  large constant tables are
 * copied by each work item. */
#include "lower/llvm/device.h"

#include <assert.h>
#include <llvm-c/Analysis.h>
#include <stdlib.h>
#include <string.h>

static const struct low_device_kind *const kinds[] = {
    [RT_CODE_SPIR] = &low_kind_spir,
    [RT_CODE_SPIRV] = &low_kind_spirv,
    [RT_CODE_PTX] = &low_kind_ptx,
};

const struct low_device_kind *
low_device_kind(enum rt_code_kind kind) {
  assert((size_t)kind < sizeof kinds / sizeof *kinds);
  return kinds[kind];
}

/* ---- arguments ----------------------------------------------------------- */

static bool
is_word(const struct low_bind *b) {
  return b->kind == RT_BIND_STRIDE || b->kind == RT_BIND_OFFSET;
}

static void
mark_argument(struct low_emit *em, const struct low_bind *b, uint32_t at) {
  assert(at < LLVMCountParams(em->fn));
  if (is_word(b)) return;
  if (b->alone) ll_attr(em->fn, at + 1, "noalias", 0);
  if (!b->written) ll_attr(em->fn, at + 1, "readonly", 0);
}

/* Dats that overlap begin somewhere in their memory. */
static void
find_places(struct low_emit *em) {
  const struct low_region *r = em->r;
  for (uint32_t k = 0; k < r->nbinds; k++) {
    int32_t at = r->binds[k].stride;
    if (at >= 0 && r->binds[at].kind == RT_BIND_OFFSET)
      em->arg[k] = low_device_at(em, em->arg[k], em->arg[at]);
  }
}

/* Captured values that are arguments from `n` on, as a block of private memory;
 * those in memory are there. It stands in the entry block: variables start from
 * it (device_globals.c). */
static LLVMValueRef
find_values(struct low_emit *em, uint32_t n) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx);
  uint32_t words = em->form->nwords;
  if (!em->form->scalar_bytes) return NULL;
  if (!words) return LLVMGetParam(em->fn, n);
  LLVMValueRef block = ll_entry_alloca(em->b, i64, words, 16, "values");
  LLVMBasicBlockRef here = LLVMGetInsertBlock(em->b);
  LLVMPositionBuilderAtEnd(em->b, LLVMGetEntryBasicBlock(em->fn));
  for (uint32_t k = 0; k < words; k++)
    LLVMBuildStore(
        em->b, LLVMGetParam(em->fn, n + k),
        low_device_at(em, block,
                      ll_i64(em->ctx, (int64_t)k * RT_SCALARS_WORD)));
  LLVMPositionBuilderAtEnd(em->b, here);
  return block;
}

/* Where each bind is in this kernel, whose sums are argument n. */
static void
find_binds(struct low_emit *em, uint32_t n) {
  const struct low_region *r = em->r;
  for (uint32_t k = 0; k < r->nbinds; k++) {
    int32_t at = low_device_argument(r, k);
    if (at < 0) continue;
    mark_argument(em, &r->binds[k], (uint32_t)at);
    em->arg[k] = LLVMGetParam(em->fn, (uint32_t)at);
  }
  find_places(em);
  assert(n < LLVMCountParams(em->fn));
  em->item = em->kind->item(em, LOW_ITEM_GLOBAL);
  em->sums = LLVMGetParam(em->fn, n);
  low_device_rows(em, NULL);
  em->scalars = find_values(em, n + 1);
  for (uint32_t k = 0; k < r->nbinds; k++) {
    uint32_t at = em->form->bind_at[k];
    if (r->binds[k].kind == RT_BIND_ACC)
      em->arg[k] = low_device_at(
          em, em->row, ll_i64(em->ctx, em->form->sum_at[r->binds[k].index]));
    else if (at != LOW_NOWHERE)
      em->arg[k] = low_device_at(em, em->scalars, ll_i64(em->ctx, at));
  }
}

void
low_device_kernel(struct low_emit *em, const char *name, LLVMValueRef *p,
                  uint32_t np, uint32_t n_all) {
  assert(np <= n_all);
  const struct low_region *r = em->r;
  const struct low_device_form *f = em->form;
  LLVMTypeRef i64 = LLVMInt64TypeInContext(em->ctx), ptr = low_device_ptr(em);
  uint32_t sums = (uint32_t)low_device_argument(r, r->nbinds), n = sums;
  uint32_t block = f->scalar_bytes && !f->nwords;
  SCOPED LLVMTypeRef *types =
      mem_alloc(sums + f->nwords + n_all + 3, sizeof *types);
  for (uint32_t k = 0; k < r->nbinds; k++) {
    int32_t at = low_device_argument(r, k);
    if (at >= 0) types[at] = is_word(&r->binds[k]) ? i64 : ptr;
  }
  for (uint32_t k = 0; k < 1 + block; k++) types[n++] = ptr;
  for (uint32_t k = 0; k < f->nwords; k++) types[n++] = i64;
  uint32_t more = n;
  for (uint32_t k = 0; k < n_all; k++) types[n++] = k < np ? ptr : i64;
  if (low_form_has_room(f) && em->kind->room_is_argument)
    types[n++] = LLVMPointerTypeInContext(em->ctx, LOW_SPACE_LOCAL);
  low_device_open(em, name, types, n);
  find_binds(em, sums);
  for (uint32_t k = 0; k < n_all; k++) p[k] = LLVMGetParam(em->fn, more + k);
}

/* ---- slots --------------------------------------------------------------- */

static bool
is_sum(const struct low_emit *em, const struct low_slot *s) {
  return s->kind == LOW_SLOT_WHOLE && em->r->binds[s->load].kind == RT_BIND_ACC;
}

/* Values that each work item would copy in vain, and those that one work item
 * changes, stay where they are. */
static bool
is_large(const struct low_emit *em, const struct low_slot *s) {
  enum { LARGE = 4096 };
  return s->kind == LOW_SLOT_WHOLE && !is_sum(em, s) &&
         (size_t)s->dim * s->type.size > LARGE;
}

static void
slots_begin(struct low_emit *em) {
  assert(em->home && em->now);
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (is_large(em, s)) {
      em->now[k] = em->home[k] = LLVMBuildAddrSpaceCast(
          em->b, em->arg[s->load], LLVMPointerTypeInContext(em->ctx, 0), "");
      continue;
    }
    if (s->row) {
      low_entries_alloc(em, k);
      continue;
    }
    em->home[k] =
        ll_entry_alloca(em->b, ll_type(em->ctx, s->type), s->dim, 16, "slot");
    em->now[k] = em->home[k];
    bool value = s->kind == LOW_SLOT_CONST || s->kind == LOW_SLOT_WHOLE;
    if (value && s->load >= 0 && !is_sum(em, s))
      low_emit_copy(em, s, low_at_home(em->home[k]),
                    low_at_home(em->arg[s->load]));
  }
}

/* Globals that the region writes; one work item runs it. */
static void
slots_end(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (s->kind == LOW_SLOT_WHOLE && !is_sum(em, s) && !is_large(em, s) &&
        em->r->binds[s->load].written)
      low_emit_copy(em, s, low_at_home(em->arg[s->load]),
                    low_at_home(em->home[k]));
  }
}

void
low_device_begin(struct low_emit *em) {
  uint32_t n = em->r->nslots;
  LLVMValueRef *mem = mem_alloc(6 * (size_t)n + 1, sizeof *mem);
  em->home = mem;
  em->now = mem + n;
  em->lanes = mem + 2 * n;
  em->acc = mem + 3 * n;
  em->kept = mem + 4 * n;
  em->made_by = mem + 5 * n;
  slots_begin(em);
  low_device_sums_begin(em);
}

void
low_device_end(struct low_emit *em, LLVMValueRef fresh) {
  slots_end(em);
  low_device_sums_end(em, fresh);
  free(em->home);
  low_device_close(em);
}

/* ---- kernels ------------------------------------------------------------- */

/* mapped ? at[i] : i */
static LLVMValueRef
element_at(struct low_emit *em, LLVMValueRef at, LLVMValueRef mapped,
           LLVMValueRef i) {
  LLVMBuilderRef b = em->b;
  LLVMBasicBlockRef from = LLVMGetInsertBlock(b);
  LLVMBasicBlockRef after =
      ll_if(em->b, LLVMBuildICmp(b, LLVMIntNE, mapped, ll_i64(em->ctx, 0), ""));
  LLVMValueRef there = low_entry(em, at, i);
  LLVMBasicBlockRef to = LLVMGetInsertBlock(b);
  ll_endif(em->b, after);
  LLVMValueRef e = LLVMBuildPhi(b, LLVMTypeOf(i), "e");
  LLVMAddIncoming(e, (LLVMValueRef[]){i, there},
                  (LLVMBasicBlockRef[]){from, to}, 2);
  return e;
}

static void
build_region(struct low_emit *em) {
  LLVMBuilderRef b = em->b;
  LLVMValueRef p[RT_PLAIN_ARGS];
  low_device_kernel(em, LOW_ENTRY, p, RT_PLAIN_LO, RT_PLAIN_ARGS);
  low_device_begin(em);
  LLVMValueRef lo = LLVMBuildNSWMul(b, em->item, p[RT_PLAIN_MUL], "");
  lo = LLVMBuildNSWAdd(b, p[RT_PLAIN_LO], lo, "lo");
  LLVMValueRef hi = LLVMBuildNSWAdd(b, lo, p[RT_PLAIN_SPAN], "");
  LLVMValueRef less = LLVMBuildICmp(b, LLVMIntSLT, hi, p[RT_PLAIN_HI], "");
  hi = LLVMBuildSelect(b, less, hi, p[RT_PLAIN_HI], "hi");
  struct ll_loop l = ll_loop_begin_step(b, lo, hi, p[RT_PLAIN_STEP], "e");
  em->e = em->form->ordered
              ? element_at(em, p[RT_PLAIN_AT], p[RT_PLAIN_MAPPED], l.i)
              : l.i;
  low_device_claims_keep(em);
  low_emit_element(em);
  low_device_claims_note(em, l.i);
  ll_loop_end(b, &l, NULL);
  low_device_end(em, NULL);
}

static void
build_colour(struct low_emit *em) {
  LLVMBuilderRef b = em->b;
  LLVMValueRef p[RT_COLOUR_ARGS];
  low_device_kernel(em, LOW_COLOUR, p, RT_COLOUR_LO, RT_COLOUR_ARGS);
  LLVMValueRef group = em->kind->item(em, LOW_ITEM_GROUP);
  /* groups below RT_COLOUR_FRESH have sums from a colour before */
  LLVMValueRef fresh =
      LLVMBuildICmp(b, LLVMIntSGE, group, p[RT_COLOUR_FRESH], "fresh");
  low_device_begin(em);
  LLVMValueRef block =
      low_entry(em, p[RT_COLOUR_ORDER],
                LLVMBuildNSWAdd(b, p[RT_COLOUR_FIRST], group, ""));
  LLVMValueRef local = em->kind->item(em, LOW_ITEM_LOCAL);
  LLVMValueRef size = em->kind->item(em, LOW_ITEM_SIZE);
  em->e = LLVMBuildNSWAdd(b, LLVMBuildNSWMul(b, block, size, ""), local, "e");
  LLVMValueRef mine = low_device_colour(em, p[RT_COLOUR_COLOURS],
                                        low_device_inside(em, p[RT_COLOUR_LO],
                                                          p[RT_COLOUR_HI]));
  LLVMValueRef ncolours = low_entry(em, p[RT_COLOUR_NCOLOURS], block);
  struct ll_loop l = ll_loop_begin(b, ll_i64(em->ctx, 0), ncolours, "colour");
  LLVMBasicBlockRef after =
      ll_if(em->b, LLVMBuildICmp(b, LLVMIntEQ, mine, l.i, "due"));
  low_emit_element(em);
  ll_endif(em->b, after);
  em->kind->barrier(em);
  ll_loop_end(b, &l, NULL);
  low_device_end(em, fresh);
}

/* ---- the module ---------------------------------------------------------- */

status
low_device_verify(struct low_emit *em) {
  LL_TEXT why = NULL;
  if (LLVMVerifyModule(em->m, LLVMReturnStatusAction, &why))
    FAIL(ERR_COMPILE, "generated code is not valid: %s", why);
  return OK;
}

static status
build(struct low_emit *em) {
  TRY(low_link_kernels(em->r, em->t, em->m, em->fns, em->consts, NULL));
  switch (em->form->form) {
  case RT_FORM_PLAIN: build_region(em); break;
  case RT_FORM_COLOUR: build_colour(em); break;
  case RT_FORM_STAGE: low_device_stage(em); break;
  }
  TRY(low_device_verify(em));
  TRY(ll_run_passes(em->m, "always-inline", em->t->machine, false));
  low_absent_on_device(em->m);
  LL_FUNCTIONS(f, em->m) {
    if (LLVMGetFunctionCallConv(f) != em->kind->kernel_convention) continue;
    em->fn = f;
    TRY(low_device_globals(em));
  }
  if (em->r->nreductions) low_device_combine(em);
  return low_device_verify(em);
}

/* Build in em's context and write the code. */
static status
build_and_finish(struct low_emit *em, struct str *code) {
  const struct low_region *r = em->r;
  em->m = LLVMModuleCreateWithNameInContext("region", em->ctx);
  em->b = LLVMCreateBuilderInContext(em->ctx);
  em->fns = mem_alloc(r->ninstances + 1, sizeof *em->fns);
  em->arg = mem_alloc(r->nbinds + 2, sizeof *em->arg);
  em->consts = low_consts_new(r);
  if (em->form->atomic) em->atomic = low_device_atomic;
  status s = build(em);
  if (s == OK) s = em->kind->finish(em->t, em->m, code);
  low_consts_free(r, em->consts);
  free(em->arg);
  free(em->fns);
  LLVMDisposeBuilder(em->b);
  LLVMDisposeModule(em->m);
  return s;
}

status
low_device_compile(const struct low_region *r,
                   const struct low_device_form *form, struct str *code) {
  assert(form->bind_at && r->ninstances);
  struct low_target target;
  const struct low_device_kind *kind = kinds[form->kind];
  TRY(kind->init(&target, form->arch));
  struct low_emit em = {.r = r,
                        .t = &target,
                        .form = form,
                        .kind = kind,
                        .unroll = low_unroll(r),
                        .ctx = LLVMContextCreate()};
  ll_errors_catch(em.ctx);
  status s = ll_marks_make(em.ctx, 0, &em.marks);
  em.marks.scalar = em.marks.kept; /* what is lean here stays so */
  if (s == OK) s = build_and_finish(&em, code);
  LLVMContextDispose(em.ctx);
  low_target_clear(&target);
  return s;
}
