/* Members of lists of global numbers: without gaps, with some, far apart. */
#include "rt/ranks/members.h"

#include <criterion/criterion.h>

/* Each member is found at its place, and nothing beside it. */
static void
expect(const idx_g *list, idx_l n, bool bits) {
  struct rt_members m = rt_members_of(list, n);
  cr_assert_eq(m.bits != NULL, bits);
  for (idx_l i = 0; i < n; i++) {
    cr_assert_eq(rt_members_find(&m, list[i]), i, "member %d", i);
    if (!i || list[i - 1] != list[i] - 1)
      cr_assert_eq(rt_members_find(&m, list[i] - 1), -1, "before %d", i);
    if (i == n - 1 || list[i + 1] != list[i] + 1)
      cr_assert_eq(rt_members_find(&m, list[i] + 1), -1, "behind %d", i);
  }
  cr_assert_eq(rt_members_find(&m, -1), -1);
  rt_members_clear(&m);
}

Test(members, none_and_one) {
  expect(NULL, 0, false);
  expect((idx_g[]){7}, 1, false);
}

Test(members, without_gaps) {
  idx_g list[100];
  for (int i = 0; i < 100; i++) list[i] = 1000 + i;
  expect(list, 100, false);
}

Test(members, with_gaps_at_each_place_of_a_word) {
  idx_g list[200];
  for (int gap = 1; gap < 200; gap++) {
    for (int i = 0; i < 200; i++) list[i] = 5 + i + (i >= gap);
    expect(list, 200, true);
  }
}

Test(members, whole_words_are_missing) {
  idx_g list[90];
  for (int i = 0; i < 90; i++) list[i] = i < 45 ? 3 * i : 2000 + i;
  expect(list, 90, true);
}

/* Bits would take more memory than the list. */
Test(members, far_apart) {
  idx_g list[50];
  for (int i = 0; i < 50; i++) list[i] = 3 + i * (idx_g)1000000007;
  expect(list, 50, false);
}
