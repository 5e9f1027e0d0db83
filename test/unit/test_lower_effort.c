/* Lowering: how much is computed for an element, for reports. */
#include "lower/maker.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { SLOTS = 6, CALLS = 4, WORK = 3, LAST = 10 };

/* Two calls of a kernel make slots 2 and 3 of slots 0 and 1, a third one slot 4
 * as slot 2 was made; the last reads all three. */
struct region {
  struct low_region r;
  struct low_kernel kernels[2];
  struct low_instance instances[2];
  struct low_call calls[CALLS];
  struct low_use uses[CALLS][4];
  int32_t at[SLOTS];
};

static struct low_call
call_of(struct region *g, uint32_t n, uint32_t instance, int32_t makes,
        uint32_t nargs, const int32_t *slots) {
  for (uint32_t k = 0; k < nargs; k++)
    g->uses[n][k] = (struct low_use){.nslots = 1, .slots = &g->at[slots[k]]};
  return (struct low_call){.instance = instance,
                           .row = -1,
                           .makes = makes,
                           .from = -1,
                           .nargs = nargs,
                           .args = g->uses[n]};
}

static struct region *
region_new(void) {
  struct region *g = calloc(1, sizeof *g);
  for (int32_t k = 0; k < SLOTS; k++) g->at[k] = k;
  g->kernels[0].flops = WORK;
  g->kernels[1].flops = LAST;
  for (int k = 0; k < 2; k++) g->instances[k].kernel = &g->kernels[k];
  g->calls[0] = call_of(g, 0, 0, 2, 2, (int32_t[]){0, 2});
  g->calls[1] = call_of(g, 1, 0, 3, 2, (int32_t[]){1, 3});
  g->calls[2] = call_of(g, 2, 0, 4, 2, (int32_t[]){0, 4});
  g->calls[3] = call_of(g, 3, 1, -1, 4, (int32_t[]){2, 3, 4, 5});
  g->r = (struct low_region){.nslots = 0,
                             .ncalls = CALLS,
                             .calls = g->calls,
                             .ninstances = 2,
                             .instances = g->instances};
  g->r.slots = calloc(SLOTS, sizeof *g->r.slots);
  g->r.nslots = SLOTS;
  for (int k = 0; k < SLOTS; k++) g->r.slots[k].map = -1;
  return g;
}

static double
flops_of(struct region *g) {
  struct ir_trace t = {0};
  double flops = low_effort(&t, &g->r).flops;
  free(g->r.slots);
  free(g);
  return flops;
}

Test(lower_effort, alike_calls_run_once) {
  cr_assert_eq(flops_of(region_new()), 2 * WORK + LAST);
}

Test(lower_effort, what_slides_does_not_run) {
  struct region *g = region_new();
  g->calls[0].from = 1;
  cr_assert_eq(flops_of(g), WORK + LAST);
}

Test(lower_effort, nor_does_what_nobody_wants) {
  struct region *g = region_new();
  g->uses[3][1].slots = &g->at[5];
  cr_assert_eq(flops_of(g), WORK + LAST);
}

Test(lower_effort, but_what_others_slide_from) {
  struct region *g = region_new();
  g->uses[3][1].slots = &g->at[5];
  g->calls[0].from = 1;
  cr_assert_eq(flops_of(g), WORK + LAST);
}

/* ---- additions ----------------------------------------------------------- */

/* Of DIM components through a map whose rows name the same target four times in
 * a row: one addition of four reaches memory if a register keeps the sum. */
static struct rt_effort
sums_of(bool run) {
  enum { DIM = 8 };
  struct ir_map map = {.arity = 2, .run = 4};
  struct ir_trace t = {.maps = &map, .nmaps = 1};
  struct low_bind binds[] = {{.kind = RT_BIND_SLOT, .block = 1},
                             {.kind = RT_BIND_MAP}};
  struct low_slot slot = {.kind = LOW_SLOT_INC,
                          .dim = DIM,
                          .load = -1,
                          .map = 1,
                          .run = run,
                          .call = -1};
  struct low_region r = {
      .nslots = 1, .slots = &slot, .nbinds = 2, .binds = binds};
  return low_effort(&t, &r);
}

Test(lower_effort, additions_in_memory) {
  struct rt_effort e = sums_of(false);
  cr_expect_eq(e.targets, 1);
  cr_expect_eq(e.adds, 8);
  cr_expect_eq(e.kept, 0);
}

Test(lower_effort, additions_in_registers) {
  struct rt_effort e = sums_of(true);
  cr_expect_eq(e.targets, 0.25);
  cr_expect_eq(e.adds, 2);
  cr_expect_eq(e.kept, 6);
}

/* ---- quick code ---------------------------------------------------------- */

/* Seconds of a region with this done to it. */
static double
quick_of(void (*change)(struct region *g)) {
  struct ir_trace t = {0};
  struct region *g = region_new();
  for (int k = 0; k < SLOTS; k++) g->r.slots[k].dim = 1;
  if (change) change(g);
  double seconds = low_effort_quick(&t, &g->r);
  free(g->r.slots);
  free(g);
  return seconds;
}
static void
moves_more(struct region *g) {
  g->r.slots[1].dim = 9;
}
static void
has_rows(struct region *g) {
  g->r.slots[1].row = 9;
}
static void
computes_more(struct region *g) {
  g->kernels[1].flops += 100;
}
static void
calls_libm(struct region *g) {
  g->kernels[1].calls = 1;
}
static void
loops(struct region *g) {
  g->kernels[1].loops = true;
}
static void
is_opaque(struct region *g) {
  g->kernels[1].opaque = true;
}

Test(lower_effort, quick_code_takes_what_is_moved_and_computed) {
  double least = quick_of(NULL);
  cr_assert_gt(least, 0);
  cr_expect_gt(quick_of(moves_more), least);
  cr_expect_eq(quick_of(has_rows), quick_of(moves_more));
  cr_expect_gt(quick_of(calls_libm), least);
  cr_expect_gt(quick_of(computes_more), quick_of(calls_libm));
  cr_expect_gt(quick_of(loops), least);
  cr_expect_gt(quick_of(is_opaque), quick_of(loops));
}
