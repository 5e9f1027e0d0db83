/* Margins of relations: how far elements have come. */
#include "rt/mesh/margins.h"
#include "rt_make.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct rt_margins
margins(idx_l n, idx_l targets, uint32_t arity, const idx_l *table) {
  struct rt_set from = {.n = n, .name = "from"};
  struct rt_set to = {.n = targets, .name = "to"};
  struct rt_relation r = make_table(&from, &to, arity, table, 1);
  struct rt_margins m;
  cr_assert_eq(rt_margins_make(&r, rt_window_all(&r), &m), OK);
  return m;
}

static void
expect(const idx_l *got, const idx_l *want, idx_l n, const char *what) {
  for (idx_l k = 0; k < n; k++)
    cr_assert_eq(got[k], want[k], "%s[%d] is %d, not %d", what, k, got[k],
                 want[k]);
}

/* The example of margins.h. */
Test(margins, least_and_bound_of_blocks) {
  idx_l table[] = {0, 1, 1, 2, 0, 3, 3, 4};
  struct rt_margins m = margins(4, 5, 2, table);
  cr_assert_eq(m.block, 1);
  expect(m.least, (idx_l[]){0, 0, 0, 3, 5}, 5, "least");
  expect(m.bound, (idx_l[]){0, 2, 3, 4, 5}, 5, "bound");
  cr_assert_eq(rt_margins_drift(&m), 3);
  rt_margins_clear(&m);
}

Test(margins, rows_that_follow_each_other_do_not_drift) {
  idx_l table[] = {0, 1, 2, 3, 4};
  struct rt_margins m = margins(5, 5, 1, table);
  cr_assert_eq(rt_margins_drift(&m), 0);
  rt_margins_clear(&m);
}

Test(margins, a_set_without_elements) {
  idx_l none = 0;
  struct rt_margins m = margins(0, 7, 2, &none);
  cr_assert_eq(m.least[0], 7);
  cr_assert_eq(m.bound[0], 0);
  cr_assert_eq(rt_margins_drift(&m), 0);
  rt_margins_clear(&m);
}

Test(margins, rows_of_any_length_may_be_empty) {
  struct rt_set from = {.n = 3, .name = "from"}, to = {.n = 9, .name = "to"};
  idx_l table[] = {4, 2, 8};
  int64_t start[] = {0, 2, 2, 3};
  struct rt_relation r = {.from = &from,
                          .to = &to,
                          .table = table,
                          .start = start,
                          .version = 1,
                          .name = "rows"};
  struct rt_margins m;
  cr_assert_eq(rt_margins_make(&r, rt_window_all(&r), &m), OK);
  expect(m.least, (idx_l[]){2, 8, 8, 9}, 4, "least");
  expect(m.bound, (idx_l[]){0, 5, 5, 9}, 4, "bound");
  cr_assert_eq(rt_margins_drift(&m), 0, "no row goes back");
  rt_margins_clear(&m);
}

/* In blocks as in elements, but at their ends alone. */
Test(margins, blocks_of_a_large_set) {
  enum { N = 1 << 19, JUMP = 1000 };
  idx_l *table = mem_alloc(N, sizeof *table);
  for (idx_l e = 0; e < N; e++) table[e] = e < JUMP ? 0 : e - JUMP;
  struct rt_margins m = margins(N, N, 1, table);
  cr_assert_eq(m.block, 64);
  for (idx_l k = 0; k <= m.n; k++) {
    idx_l e = k * m.block;
    cr_assert_eq(m.bound[k], e ? table[e - 1] + 1 : 0);
    cr_assert_eq(m.least[k], e < N ? table[e] : N);
  }
  cr_assert_leq(rt_margins_drift(&m), 1);
  rt_margins_clear(&m);
  free(table);
}
