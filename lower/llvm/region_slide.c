/* Blocks that take values from the element before.
 *
 * Problem. Of what is computed where it is read (passes/inline.c) one call
 * often makes of an element what another one makes of the next element of the
 * stretch: `a(e)` is `b(e - 1)` (hold slide; ir/hold_slide.c). In a block both
 * are vectors, and all but one of their values are the same.
 *
 * Idea. Only b is called; a's lanes are b's, moved by one:
 *
 *   b of the block before   ... ... ... b3 | b4  b5  b6  b7    b of this one
 *   a of this block                     b3   b4  b5  b6
 *
 * one shuffle a component. So b of all lanes comes before all that reads a:
 * calls of a block run in steps, a lane loop each. In front those that others
 * slide from, and what these read, as far as it does not slide itself; last all
 * others, in their order. What a step makes stays in lanes for the next ones.
 * That no call in front writes anything but its value, nor reads what others
 * write, is what ir_slides_from has seen to.
 *
 *   step 0   lane loop: lap(1, 0); lap(0, 1)
 *            lap(0, 0) <- lap(1, 0) moved; lap(-1, 0) <- lap(0, 0) moved
 *   step 1   lane loop: flux(0) = f(lap(0, 0), lap(1, 0))
 *            flux(-1) <- flux(0) moved
 *   last     lane loop: out = o(flux(-1), flux(0), ...)
 *
 * In front of the first block of a stretch a(e) is computed for its first
 * element alone; and so it is where a block begins before the one before has
 * ended (`twice`). Elements that go one by one know nothing of all this.
 *
 * Calls that only a call read that slides now are dead, which LLVM sees.
 *
 * Cost  a shuffle a component, for each block; what slides once more for each
 * stretch.
 *
 * Limits  a call slides by one element, and by more in a chain of others. */
#include "lower/llvm/region_emit.h"

#include <assert.h>
#include <stdlib.h>

/* Steps of calls: the last one, and that of those that slide. */
enum { LAST = INT32_MAX, NEVER = LAST - 1, UNKNOWN = NEVER - 1 };

static bool
slides(const struct low_emit *em, uint32_t call) {
  return em->r->calls[call].from >= 0;
}

/* ---- steps --------------------------------------------------------------- */

/* Marks what marked calls read, of calls that do not slide; `all`: of all.
 * Calls stand behind those that they read from. */
static void
mark_read(const struct low_emit *em, bool *mark, bool all) {
  for (uint32_t c = em->r->ncalls; c-- > 0;)
    for (uint32_t d = 0; mark[c] && d < c; d++)
      mark[d] |= (all || !slides(em, d)) && low_call_reads(em->r, c, d);
}

/* Those in front of the last step. */
static void
mark_early(const struct low_emit *em, bool *early) {
  for (uint32_t c = 0; c < em->r->ncalls; c++) {
    int32_t from = em->r->calls[c].from;
    if (from >= 0 && !slides(em, (uint32_t)from)) early[from] = true;
  }
  mark_read(em, early, false);
}

static uint32_t step_of(struct low_emit *em, uint32_t call);

/* The first step in which others can read what the call makes. */
static uint32_t
is_there_from(struct low_emit *em, uint32_t call) {
  bool moved = slides(em, call);
  while (slides(em, call)) call = (uint32_t)em->r->calls[call].from;
  return step_of(em, call) + moved;
}

static uint32_t
step_of(struct low_emit *em, uint32_t call) {
  if (em->step[call] != UNKNOWN) return em->step[call];
  uint32_t step = 0;
  for (uint32_t c = 0; c < call; c++) {
    uint32_t at = low_call_reads(em->r, call, c) ? is_there_from(em, c) : 0;
    if (at > step) step = at;
  }
  em->step[call] = step;
  if (step >= em->steps) em->steps = step + 1;
  return step;
}

static void
steps_make(struct low_emit *em) {
  uint32_t n = em->r->ncalls;
  SCOPED bool *early = mem_alloc(n, sizeof *early);
  em->step = mem_alloc(n, sizeof *em->step);
  em->steps = 0;
  mark_early(em, early);
  for (uint32_t c = 0; c < n; c++)
    em->step[c] = early[c] ? UNKNOWN : slides(em, c) ? NEVER : LAST;
  for (uint32_t c = 0; c < n; c++) step_of(em, c);
}

void
low_slides_begin(struct low_emit *em) {
  const struct low_region *r = em->r;
  bool any = false;
  for (uint32_t c = 0; c < r->ncalls; c++) any |= slides(em, c);
  if (!any) return;
  steps_make(em);
  for (uint32_t c = 0; c < r->ncalls; c++) {
    if (em->step[c] == LAST) continue;
    uint32_t k = (uint32_t)r->calls[c].makes;
    em->lanes[k] = low_lanes_new(em, k, "lanes");
    if (!slides(em, c)) continue;
    uint32_t from = (uint32_t)r->calls[r->calls[c].from].makes;
    if (!em->before[from]) em->before[from] = low_lanes_new(em, from, "before");
  }
}

/* ---- where no block came before ------------------------------------------ */

void
low_slide_start(struct low_emit *em, LLVMValueRef e) {
  const struct low_region *r = em->r;
  LLVMValueRef *lanes = em->lanes;
  SCOPED bool *lead = mem_alloc(r->ncalls, sizeof *lead);
  for (uint32_t c = 0; c < r->ncalls; c++) lead[c] = slides(em, c);
  mark_read(em, lead, true);
  em->lanes = em->none;
  em->e = e;
  em->i = NULL;
  low_emit_enter(em);
  for (uint32_t c = 0; c < r->ncalls; c++)
    if (lead[c]) low_emit_around(em, c);
  em->lanes = lanes;
  for (uint32_t c = 0; c < r->ncalls; c++)
    if (slides(em, c))
      low_lanes_start(em, (uint32_t)r->calls[r->calls[c].from].makes,
                      (uint32_t)r->calls[c].makes);
}

/* ---- blocks -------------------------------------------------------------- */

/* Values that steps before this one made, and what slid from them. */
static void
enter_made(struct low_emit *em, uint32_t step) {
  for (uint32_t c = 0; c < em->r->ncalls; c++) {
    if (em->step[c] == LAST || em->step[c] == step) continue;
    if (is_there_from(em, c) > step) continue;
    uint32_t k = (uint32_t)em->r->calls[c].makes;
    low_emit_copy(em, &em->r->slots[k], low_at_home(em->home[k]),
                  low_at_lanes(em, k));
  }
}

static void
leave_made(struct low_emit *em, uint32_t step) {
  for (uint32_t c = 0; c < em->r->ncalls; c++) {
    uint32_t k = (uint32_t)em->r->calls[c].makes;
    if (em->step[c] == step)
      low_emit_copy(em, &em->r->slots[k], low_at_lanes(em, k),
                    low_at_home(em->home[k]));
  }
}

/* One step of the block's elements. */
static void
emit_step(struct low_emit *em, uint32_t step) {
  struct ll_loop lane = low_lanes_begin(em);
  low_emit_enter(em);
  enter_made(em, step);
  for (uint32_t c = 0; c < em->r->ncalls; c++)
    if (em->step[c] == step) low_emit_around(em, c);
  (step == LAST ? low_emit_leave(em) : leave_made(em, step));
  low_lanes_end(em, &lane);
}

/* Lanes of the call, and of what it slides from before. */
static void
slide(struct low_emit *em, uint32_t call, bool *done) {
  if (done[call] || !slides(em, call)) return;
  uint32_t from = (uint32_t)em->r->calls[call].from;
  slide(em, from, done);
  low_lanes_slide(em, (uint32_t)em->r->calls[call].makes,
                  (uint32_t)em->r->calls[from].makes);
  done[call] = true;
}

void
low_emit_slide_block(struct low_emit *em) {
  SCOPED bool *done = mem_alloc(em->r->ncalls, sizeof *done);
  for (uint32_t step = 0; step < em->steps; step++) {
    emit_step(em, step);
    for (uint32_t c = 0; c < em->r->ncalls; c++)
      if (slides(em, c) && is_there_from(em, c) == step + 1) slide(em, c, done);
  }
  emit_step(em, LAST);
  for (uint32_t k = 0; k < em->r->nslots; k++)
    if (em->before[k]) low_lanes_keep(em, k);
}
