/* Levels of axes: their numbers, loop intervals, where they lie. */
#include "rt/mesh/levels.h"

#include <criterion/criterion.h>

static const struct rt_axis four = {.nsplitters = 4, .limit = 3};
static const struct rt_axis five = {.nsplitters = 5, .limit = 3};

/* ---- numbers ------------------------------------------------------------- */

Test(levels, numbers_go_through_the_offsets_of_each_splitter) {
  const struct rt_level levels[] = {
      {0, -3}, {0, -2}, {0, -1}, {0, 1}, {0, 2},  {0, 3},  {1, -3},
      {1, -2}, {1, -1}, {1, 1},  {1, 2}, {1, 3},  {2, -3}, {2, -2},
      {2, -1}, {2, 1},  {2, 2},  {2, 3}, {3, -3}, {3, -2}};
  for (int i = 0; i < 20; i++) {
    struct rt_level l = rt_level_of(&four, i);
    cr_assert_eq(rt_level_index(&four, levels[i]), i);
    cr_assert(l.splitter == levels[i].splitter && l.offset == levels[i].offset,
              "index %d", i);
  }
}

/* ---- intervals ----------------------------------------------------------- */

static void
expect_refused(struct rt_interval v, const char *text) {
  cr_assert_eq(rt_interval_check(&four, &v), ERR_ARG);
  cr_assert_str_eq(err_last(), text);
}

Test(levels, intervals_end_before_the_largest_offset_towards_outside) {
  expect_refused((struct rt_interval){{0, -3}, {1, 1}},
                 "from: expected an offset above -3, since no level of the "
                 "splitter is before that, found (0,-3)");
  expect_refused((struct rt_interval){{0, 1}, {1, 3}},
                 "to: expected an offset below 3, since no level of the "
                 "splitter is behind that, found (1,3)");
  cr_assert_eq(rt_interval_check(&four, &(struct rt_interval){{0, 3}, {1, -3}}),
               OK);
}

Test(levels, intervals_are_of_levels_that_there_are) {
  expect_refused((struct rt_interval){{-1, 1}, {1, 1}},
                 "from: splitter: expected 0 to 3, found -1");
  expect_refused((struct rt_interval){{0, 1}, {4, -1}},
                 "to: splitter: expected 0 to 3, found 4");
  expect_refused((struct rt_interval){{0, 0}, {1, 1}},
                 "from: offset: expected -3 to -1 or 1 to 3, found 0");
  expect_refused((struct rt_interval){{0, 1}, {1, 4}},
                 "to: offset: expected -3 to -1 or 1 to 3, found 4");
  expect_refused((struct rt_interval){{0, 1}, {1, INT32_MIN}},
                 "to: offset: expected -3 to -1 or 1 to 3, found -2147483648");
}

Test(levels, intervals_do_not_end_before_they_begin) {
  expect_refused((struct rt_interval){{2, 1}, {2, -1}},
                 "expected an end not before its begin, found (2,1)-(2,-1)");
  cr_assert_eq(rt_interval_check(&four, &(struct rt_interval){{2, 1}, {2, 1}}),
               OK);
}

/* ---- loop intervals ------------------------------------------------------ */

/* "(0,1)-(1,-1): 1 2; ...": the items that hold in each. */
static void
expect_loops(const struct rt_axis *x, int n, const struct rt_interval *items,
             bool gaps, const char *text) {
  struct rt_loop_interval out[RT_INTERVALS_MAX];
  SCOPED_STR s = STR_INIT;
  int count;
  for (int i = 0; i < n; i++) cr_assert_eq(rt_interval_check(x, &items[i]), OK);
  cr_assert_eq(rt_loop_intervals(x, n, items, gaps, out, &count), OK);
  for (int k = 0; k < count; k++) {
    if (k) str_add(&s, "; ");
    rt_interval_print(&s, &out[k].at);
    str_add(&s, ":");
    for (int i = 0; i < n; i++)
      if (out[k].items >> i & 1) str_printf(&s, " %d", i);
  }
  cr_assert_str_eq(s.s, text);
}

/* F0, F1, and the two of F2. */
static const struct rt_interval first[] = {{{3, -1}, {3, -1}},
                                           {{0, 1}, {2, -1}},
                                           {{0, 1}, {1, -1}},
                                           {{1, 1}, {3, -1}}};

Test(levels, loop_intervals_begin_where_items_do_or_end) {
  expect_loops(&four, 4, first, false,
               "(0,1)-(1,-1): 1 2; (1,1)-(2,-1): 1 3; (2,1)-(3,-2): 3; "
               "(3,-1)-(3,-1): 0 3");
}

Test(levels, loop_intervals_go_on_behind_the_last_item_of_another) {
  const struct rt_interval items[] = {{{3, -1}, {3, -1}},
                                      {{0, 1}, {2, -1}},
                                      {{0, 1}, {1, -1}},
                                      {{1, 1}, {4, -2}},
                                      {{4, -1}, {4, -1}}};
  expect_loops(&five, 5, items, false,
               "(0,1)-(1,-1): 1 2; (1,1)-(2,-1): 1 3; (2,1)-(3,-2): 3; "
               "(3,-1)-(3,-1): 0 3; (3,1)-(4,-2): 3; (4,-1)-(4,-1): 4");
}

Test(levels, one_item_is_one_loop_interval) {
  expect_loops(&four, 1, (struct rt_interval[]){{{1, 2}, {2, -3}}}, false,
               "(1,2)-(2,-3): 0");
}

Test(levels, gaps_are_left_out_where_they_are_allowed) {
  const struct rt_interval items[] = {{{2, 1}, {3, -1}}, {{0, 1}, {1, -1}}};
  struct rt_loop_interval out[3];
  int n;
  cr_assert_eq(rt_loop_intervals(&four, 2, items, false, out, &n), ERR_ARG);
  cr_assert_str_eq(err_last(),
                   "expected no gap, found (1,1)-(2,-1) in no item");
  expect_loops(&four, 2, items, true, "(0,1)-(1,-1): 1; (2,1)-(3,-1): 0");
}

Test(levels, as_many_items_as_may_be) {
  struct rt_interval items[RT_ITEMS_MAX];
  struct rt_loop_interval out[RT_INTERVALS_MAX];
  const struct rt_axis x = {.nsplitters = RT_ITEMS_MAX, .limit = 3};
  int n;
  for (int i = 0; i < RT_ITEMS_MAX; i++)
    items[i] = (struct rt_interval){{i, -1}, {RT_ITEMS_MAX - 1, 2}};
  cr_assert_eq(rt_loop_intervals(&x, RT_ITEMS_MAX, items, false, out, &n), OK);
  cr_assert_eq(n, RT_ITEMS_MAX);
  cr_assert_eq(out[n - 1].items, UINT64_MAX);
}

/* ---- positions ----------------------------------------------------------- */

static void
expect_layers(const idx_l *at, idx_l layers, int lo, int hi,
              struct rt_interval v) {
  idx_l a, b;
  cr_assert_eq(rt_interval_layers(&v, at, layers, &a, &b), OK);
  cr_assert(a == lo && b == hi, "%d..%d", a, b);
}

Test(levels, loop_intervals_meet_at_the_positions_of_splitters) {
  const idx_l at[] = {0, 2, 5, 8};
  expect_layers(at, 8, 0, 1, (struct rt_interval){{0, 1}, {1, -1}});
  expect_layers(at, 8, 2, 4, (struct rt_interval){{1, 1}, {2, -1}});
  expect_layers(at, 8, 5, 6, (struct rt_interval){{2, 1}, {3, -2}});
  expect_layers(at, 8, 7, 7, (struct rt_interval){{3, -1}, {3, -1}});
}

Test(levels, an_end_one_below_its_begin_is_no_layer) {
  const idx_l at[] = {0, 2, 5, 6};
  expect_layers(at, 8, 5, 4, (struct rt_interval){{2, 1}, {3, -2}});
  expect_layers(at, 8, 5, 5, (struct rt_interval){{3, -1}, {3, -1}});
}

static void
expect_misplaced(const idx_l *at, struct rt_interval v, const char *text) {
  idx_l lo, hi;
  cr_assert_eq(rt_interval_layers(&v, at, 8, &lo, &hi), ERR_ARG);
  cr_assert_str_eq(err_last(), text);
}

Test(levels, levels_do_not_overlap) {
  expect_misplaced((idx_l[]){0, 2, 5, 5}, (struct rt_interval){{2, 1}, {3, -2}},
                   "(2,1)-(3,-2): expected levels that do not overlap, found "
                   "layers 5 to 3");
}

Test(levels, levels_lie_within_the_axis) {
  expect_misplaced((idx_l[]){0, 2, 5, 8},
                   (struct rt_interval){{0, -1}, {1, -1}},
                   "(0,-1)-(1,-1): expected levels within the axis, found "
                   "layers -1 to 1");
  expect_misplaced((idx_l[]){0, 2, 5, 8}, (struct rt_interval){{2, 1}, {3, 1}},
                   "(2,1)-(3,1): expected levels within the axis, found "
                   "layers 5 to 8");
}

Test(levels, splitters_ascend_within_the_axis) {
  cr_assert_eq(rt_splitters_check(&four, (idx_l[]){0, 2, 2, 8}, 8), OK);
  cr_assert_eq(rt_splitters_check(&four, (idx_l[]){0, 3, 2, 8}, 8), ERR_ARG);
  cr_assert_str_eq(err_last(),
                   "position of splitter 2: expected 3 to 8, found 2");
  cr_assert_eq(rt_splitters_check(&four, (idx_l[]){-1, 3, 4, 8}, 8), ERR_ARG);
  cr_assert_str_eq(err_last(),
                   "position of splitter 0: expected 0 to 8, found -1");
  cr_assert_eq(rt_splitters_check(&four, (idx_l[]){0, 3, 4, 9}, 8), ERR_ARG);
  cr_assert_str_eq(err_last(),
                   "position of splitter 3: expected 4 to 8, found 9");
}
