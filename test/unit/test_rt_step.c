/* Steps along rows: what is found, and what is none. */
#include "rt/mesh/step.h"

#include <criterion/criterion.h>

static struct rt_set from = {.name = "from"};
static struct rt_set to = {.n = INT32_MAX, .name = "to"};

static struct rt_relation
rows(idx_l n, const int64_t *start, const idx_l *table) {
  from.n = n;
  return (struct rt_relation){.from = &from,
                              .to = &to,
                              .start = start,
                              .table = table,
                              .version = 1,
                              .name = "rows"};
}

static struct rt_steps *
find(idx_l n, const int64_t *start, const idx_l *table) {
  struct rt_relation r = rows(n, start, table);
  struct rt_steps *s;
  cr_assert_eq(rt_steps_find(&r, &s), OK);
  return s;
}

static void
expect(idx_l n, const int64_t *start, const idx_l *table, int32_t step) {
  struct rt_steps *s = find(n, start, table);
  cr_assert(s && s->step == step);
  for (idx_l e = 0; e < n; e++)
    for (int64_t k = start[e]; k < start[e + 1]; k++)
      cr_assert_eq(s->first[e] + (k - start[e]) * step, table[k],
                   "entry %d of row %d", (int)(k - start[e]), e);
  rt_steps_free(s);
}

Test(step, rows_go_up_down_and_by_more) {
  const int64_t start[] = {0, 3, 3, 5, 6};
  expect(4, start, (idx_l[]){4, 5, 6, 9, 10, 2}, 1);
  expect(4, start, (idx_l[]){6, 5, 4, 10, 9, 2}, -1);
  expect(4, start, (idx_l[]){0, 3, 6, 1, 4, 2}, 3);
}

/* Element 0 need not have a layer below it, as those that rows name have. */
Test(step, empty_rows_begin_with_an_element_that_another_names) {
  const int64_t start[] = {0, 0, 2, 2};
  struct rt_steps *s = find(3, start, (idx_l[]){7, 8});
  cr_assert(s);
  cr_assert_eq(s->first[0], 7);
  cr_assert_eq(s->first[2], 7);
  rt_steps_free(s);
}

Test(step, usual_is_what_more_than_half_of_the_rows_have) {
  const int64_t most[] = {0, 2, 4, 5, 7}, half[] = {0, 2, 4, 5, 6};
  struct rt_relation r = rows(4, most, (idx_l[7]){0});
  cr_assert_eq(rt_usual_length(&r), 2);
  r.start = half;
  cr_assert_eq(rt_usual_length(&r), 0);
  from.n = 1;
  cr_assert_eq(rt_usual_length(&r), 2);
  from.n = 0;
  cr_assert_eq(rt_usual_length(&r), 0);
}

Test(step, any_step_fits_rows_of_one_entry) {
  const int64_t start[] = {0, 1, 2};
  expect(2, start, (idx_l[]){9, 3}, 1);
}

static bool
beside(idx_l n, const int64_t *start, const idx_l *table) {
  struct rt_steps *s = find(n, start, table);
  cr_assert(s);
  bool found = s->beside;
  rt_steps_free(s);
  return found;
}

Test(step, columns_of_a_box_lie_beside_each_other) {
  const int64_t start[] = {0, 3, 6}, ones[] = {0, 1, 2}, longer[] = {0, 2, 5};
  const int64_t none[] = {0, 0, 0}, ends[] = {0, 2, 2};
  cr_assert(beside(2, start, (idx_l[]){0, 2, 4, 1, 3, 5}));
  cr_assert(beside(2, start, (idx_l[]){5, 3, 1, 6, 4, 2}));
  cr_assert(beside(2, ones, (idx_l[]){7, 8}));
  cr_assert_not(beside(2, ones, (idx_l[]){8, 7}));
  cr_assert_not(beside(2, start, (idx_l[]){0, 1, 2, 3, 4, 5}));
  cr_assert_not(beside(2, longer, (idx_l[]){0, 2, 1, 3, 5}));
  cr_assert_not(beside(2, ends, (idx_l[]){0, 2}));
  cr_assert_not(beside(2, none, (idx_l[]){0}));
}

static bool
counts(idx_l n, const int64_t *start, const idx_l *table) {
  struct rt_steps *s = find(n, start, table);
  cr_assert(s);
  bool found = s->counts;
  rt_steps_free(s);
  return found;
}

Test(step, tables_that_count_need_no_first_entries) {
  const int64_t start[] = {0, 2, 2, 5}, ones[] = {0, 1, 2, 3}, none[] = {0, 0};
  cr_assert(counts(3, start, (idx_l[]){0, 1, 2, 3, 4}));
  cr_assert(counts(3, ones, (idx_l[]){0, 1, 2}));
  cr_assert_not(counts(3, start, (idx_l[]){1, 2, 3, 4, 5}));
  cr_assert_not(counts(3, start, (idx_l[]){0, 1, 3, 4, 5}));
  cr_assert_not(counts(3, ones, (idx_l[]){0, 2, 1}));
  cr_assert_not(counts(1, none, (idx_l[]){0}));
}

Test(step, one_row_that_does_not_is_enough) {
  const int64_t start[] = {0, 3, 5};
  cr_assert_null(find(2, start, (idx_l[]){4, 5, 6, 9, 11}));
  cr_assert_null(find(2, start, (idx_l[]){4, 5, 7, 9, 10}));
  cr_assert_null(find(2, start, (idx_l[]){4, 4, 4, 9, 9}));
}

Test(step, rows_of_one_length_and_no_rows_have_none) {
  const int64_t start[] = {0};
  struct rt_relation r = rows(2, NULL, (idx_l[]){0, 1, 2, 3});
  struct rt_steps *s;
  r.arity = 2;
  cr_assert_eq(rt_steps_find(&r, &s), OK);
  cr_assert_null(s);
  cr_assert_null(find(0, start, (idx_l[]){0}));
}

/* Where an entry of `at` leads from what the rows name. */
static int32_t
shift(const idx_l *table, uint32_t arity, uint32_t entry) {
  static const int64_t start[] = {0, 2, 4};
  static const idx_l names[] = {1, 2, 4, 5};
  struct rt_relation r = rows(2, start, names);
  struct rt_set between = {.n = 6, .name = "between"};
  struct rt_relation on = {.from = &between,
                           .to = &to,
                           .arity = arity,
                           .table = table,
                           .version = 2,
                           .name = "on"};
  r.to = &between;
  return rt_rows_shift(&r, &on, entry);
}

Test(step, an_entry_leads_equally_far_from_all_that_rows_name) {
  cr_assert_eq(shift((idx_l[]){0, 0, 1, 3, 3, 4}, 1, 0), -1);
  cr_assert_eq(shift((idx_l[]){9, 9, 0, 4, 0, 5, 9, 9, 0, 7, 0, 8}, 2, 1), 3);
}

Test(step, or_it_is_not_known_how_far) {
  cr_assert_eq(shift((idx_l[]){0, 0, 1, 3, 3, 5}, 1, 0), 0);
  cr_assert_eq(shift((idx_l[]){0, 1, 2, 3, 4, 5}, 1, 0), 0);
}
