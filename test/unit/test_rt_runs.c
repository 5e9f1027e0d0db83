/* Runs of relations: elements one after another that name one target. */
#include "rt_make.h"

#include <criterion/criterion.h>

static struct rt_runs
runs(idx_l n, idx_l targets, uint32_t arity, const idx_l *table) {
  struct rt_set from = {.n = n, .name = "from"};
  struct rt_set to = {.n = targets, .name = "to"};
  struct rt_relation r = make_table(&from, &to, arity, table, 1);
  return rt_relation_runs(&r, n);
}

/* The example of relation.h. */
Test(runs, of_edges_numbered_by_their_first_end) {
  idx_l table[] = {7, 8, 7, 11, 7, 30, 9, 7, 9, 12, 4, 9};
  struct rt_runs r = runs(6, 31, 2, table);
  cr_assert_eq(r.entry, 0);
  cr_assert_eq(r.length, 2);
}

Test(runs, of_the_entry_that_has_the_longest) {
  idx_l table[] = {0, 5, 1, 5, 2, 5, 3, 5, 3, 6};
  struct rt_runs r = runs(5, 7, 2, table);
  cr_assert_eq(r.entry, 1);
  cr_assert_eq(r.length, 2, "5 elements in 2 runs, not %d", r.length);
}

Test(runs, of_the_first_entry_of_equals) {
  idx_l table[] = {0, 4, 1, 5, 2, 6};
  struct rt_runs r = runs(3, 7, 2, table);
  cr_assert_eq(r.entry, 0);
  cr_assert_eq(r.length, 1);
}

Test(runs, of_one_target_is_the_whole_set) {
  idx_l table[] = {3, 3, 3, 3};
  cr_assert_eq(runs(4, 4, 1, table).length, 4);
}

Test(runs, rows_behind_those_that_are_known_do_not_count) {
  idx_l table[] = {1, 2, 3, 0, 0, 0, 0};
  struct rt_set from = {.n = 7, .name = "from"}, to = {.n = 4, .name = "to"};
  struct rt_relation r = make_table(&from, &to, 1, table, 1);
  cr_assert_eq(rt_relation_runs(&r, 3).length, 1);
}

Test(runs, a_set_without_elements_has_none) {
  idx_l none = 0;
  cr_assert_eq(runs(0, 7, 2, &none).length, 0);
}

Test(runs, rows_of_any_length_have_none) {
  struct rt_set set = {.n = 2, .name = "set"};
  int64_t start[] = {0, 1, 2};
  idx_l table[] = {0, 0};
  struct rt_relation r = {
      .from = &set, .to = &set, .table = table, .start = start, .name = "rows"};
  cr_assert_eq(rt_relation_runs(&r, 2).length, 0);
}
