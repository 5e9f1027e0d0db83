/* Numbers of blocks for staging: by hand, at random against the map, and faults that
 * the checker must find. */
#include "rt/walk/stage.h"

#include "base/arena.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100, M = 37, ARITY = 3 };

static idx_l table[N * ARITY];
static struct rt_set from = {.n = N, .name = "from"},
                     to = {.n = M, .name = "to"};
static struct rt_relation map = {.from = &from,
                                 .to = &to,
                                 .arity = ARITY,
                                 .table = table,
                                 .version = 1,
                                 .name = "map"};

static void
fill(unsigned seed) {
  for (int k = 0; k < N * ARITY; k++) {
    seed = seed * 1664525u + 1013904223u;
    table[k] = (idx_l)(seed >> 16) % M;
  }
}

Test(stage, a_block_by_hand) {
  static const idx_l small[] = {7, 8, 8, 9, 7, 9, 1, 0};
  struct rt_set four = {.n = 4}, ten = {.n = 10};
  struct rt_relation m = {
      .from = &four, .to = &ten, .arity = 2, .table = small};
  struct rt_entries c[] = {{&m, 0, 1}, {&m, 1, 1}};
  struct rt_stage *s;
  cr_assert_eq(rt_stage_make(4, 3, c, 2, &s), OK);
  static const idx_l targets[] = {7, 8, 9, 0, 1};
  static const uint16_t local[] = {0, 1, 1, 2, 0, 2, 1, 0};
  cr_assert_eq(s->nblocks, 2);
  cr_assert_eq(s->most, 3);
  cr_assert_eq(s->first[1], 3);
  cr_assert_eq(s->first[2], 5);
  cr_assert_arr_eq(s->targets, targets, sizeof targets);
  cr_assert_arr_eq(s->local, local, sizeof local);
  cr_assert_eq(rt_stage_check(s, c, 2), OK, "%s", err_last());
  rt_stage_free(s);
}

/* What staging adds up is what the map's entries say. */
static void
check_sums(const struct rt_stage *s, const struct rt_entries *c, uint32_t nc) {
  int want[M] = {0}, got[M] = {0};
  for (int e = 0; e < N; e++)
    for (uint32_t j = 0; j < nc; j++)
      want[table[(uint32_t)e * ARITY + c[j].first]] += e + (int)j;
  for (idx_l b = 0; b < s->nblocks; b++) {
    int strip[N * ARITY] = {0};
    for (idx_l e = b * s->block; e < (b + 1) * s->block && e < N; e++)
      for (uint32_t j = 0; j < nc; j++)
        strip[s->local[(uint32_t)e * nc + j]] += e + (int)j;
    for (idx_l k = s->first[b]; k < s->first[b + 1]; k++)
      got[s->targets[k]] += strip[k - s->first[b]];
  }
  cr_assert_arr_eq(got, want, sizeof want);
}

Test(stage, sums_are_those_of_the_map) {
  struct rt_entries c[] = {{&map, 2, 1}, {&map, 0, 1}};
  for (unsigned seed = 1; seed < 20; seed++)
    for (idx_l block = 1; block < 2 * N; block = block * 2 + 1) {
      struct rt_stage *s;
      fill(seed);
      cr_assert_eq(rt_stage_make(N, block, c, 2, &s), OK);
      cr_assert_eq(rt_stage_check(s, c, 2), OK, "%s", err_last());
      check_sums(s, c, 2);
      rt_stage_free(s);
    }
}

Test(stage, the_cache_goes_by_map_version_block_and_entries) {
  struct rt_entries c[] = {{&map, 0, 1}, {&map, 1, 1}};
  const struct rt_stage *a, *b;
  fill(3);
  cr_assert_eq(rt_stage_get(N, 16, c, 2, &a), OK);
  cr_assert_eq(rt_stage_get(N, 16, c, 2, &b), OK);
  cr_assert_eq(a, b);
  cr_assert_eq(rt_stage_get(N, 8, c, 2, &b), OK);
  cr_assert_neq(a, b);
  cr_assert_eq(rt_stage_get(N, 16, c, 1, &b), OK);
  cr_assert_neq(a, b);
  map.version++;
  cr_assert_eq(rt_stage_get(N, 16, c, 2, &b), OK);
  cr_assert_neq(a, b);
  rt_walk_cache_clear();
}

/* One fault each; what the checker says. */
static void
check_fault(void (*spoil)(struct rt_stage *s), const char *says) {
  struct rt_entries c[] = {{&map, 0, 1}, {&map, 1, 1}};
  struct rt_stage *s;
  fill(5);
  cr_assert_eq(rt_stage_make(N, 16, c, 2, &s), OK);
  spoil(s);
  cr_assert_eq(rt_stage_check(s, c, 2), ERR_STATE);
  cr_assert(strstr(err_last(), says), "%s", err_last());
  rt_stage_free(s);
}

static void
wrong_place(struct rt_stage *s) {
  s->local[9] = (uint16_t)(s->local[9] ? 0 : 1);
}
static void
place_of_the_next_block(struct rt_stage *s) {
  s->local[9] = (uint16_t)(s->first[1] - s->first[0]);
}
static void
target_twice(struct rt_stage *s) {
  s->targets[1] = s->targets[0];
}
static void
target_outside(struct rt_stage *s) {
  s->targets[1] = M;
}
static void
too_many(struct rt_stage *s) {
  s->most--;
}
static void
too_few_blocks(struct rt_stage *s) {
  s->nblocks--;
}

Test(stage, the_checker_finds_faults) {
  check_fault(wrong_place, "element 4, entry 1");
  check_fault(place_of_the_next_block, "element 4, entry 1");
  check_fault(target_twice, "twice");
  check_fault(target_outside, "target 37 of 37");
  check_fault(too_many, "at most");
  check_fault(too_few_blocks, "do not cut");
}
