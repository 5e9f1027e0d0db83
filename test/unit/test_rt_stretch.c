/* Stretches of maps: what is found, and what is not looked for further. */
#include "rt/mesh/stretch.h"
#include "rt_make.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct rt_stretches *
find(idx_l n, uint32_t arity, const idx_l *table, uint32_t least) {
  struct rt_set from = {.n = n, .name = "from"};
  struct rt_set to = {.n = INT32_MAX, .name = "to"};
  struct rt_relation r = {.from = &from,
                          .to = &to,
                          .arity = arity,
                          .table = table,
                          .version = 1,
                          .name = "map"};
  struct rt_stretches *s;
  cr_assert_eq(rt_stretches_find(&r, least, &s), OK);
  return s;
}

/* What an entry names by the stretches. */
static idx_l
target(const struct rt_stretches *s, uint32_t arity, idx_l e, uint32_t i) {
  idx_l k = 0;
  while (s->start[k + 1] <= e) k++;
  idx_l first = s->first[k * (idx_l)arity + (idx_l)i];
  return first + (s->still >> i & 1 ? 0 : e - s->start[k]);
}

static void
expect_table(const struct rt_stretches *s, idx_l n, uint32_t arity,
             const idx_l *table) {
  cr_assert_eq(s->start[0], 0);
  cr_assert_eq(s->start[s->n], n);
  for (idx_l e = 0; e < n; e++)
    for (uint32_t i = 0; i < arity; i++)
      cr_assert_eq(target(s, arity, e, i), table[e * (idx_l)arity + (idx_l)i],
                   "entry %u of %d", i, e);
}

Test(stretch, entries_step_or_stay) {
  idx_l table[] = {7, 3, 8, 3, 9, 3, 20, 4, 21, 4, 22, 4};
  struct rt_stretches *s = find(6, 2, table, 3);
  cr_assert(s && s->n == 2);
  cr_assert_eq(s->still, 2);
  cr_assert_eq(s->start[1], 3);
  expect_table(s, 6, 2, table);
  rt_stretches_free(s);
}

Test(stretch, shorter_ones_than_asked_for_are_none) {
  idx_l table[] = {7, 3, 8, 3, 9, 3, 20, 4, 21, 4, 22, 4};
  cr_assert_null(find(6, 2, table, 4));
}

Test(stretch, one_ends_where_any_entry_does) {
  idx_l table[] = {0, 9, 1, 10, 2, 12, 3, 13, 4, 14, 6, 15, 7, 16};
  struct rt_stretches *s = find(7, 2, table, 2);
  cr_assert(s && s->n == 3);
  expect_table(s, 7, 2, table);
  rt_stretches_free(s);
}

Test(stretch, any_map_has_some_of_one_element) {
  idx_l table[] = {5, 2, 2, 9};
  struct rt_stretches *s = find(4, 1, table, 1);
  cr_assert(s && s->n > 0);
  expect_table(s, 4, 1, table);
  rt_stretches_free(s);
}

Test(stretch, no_map_without_neighbours_has_any) {
  idx_l table[] = {5};
  cr_assert_null(find(1, 1, table, 1));
  cr_assert_null(find(0, 1, table, 1));
  cr_assert_null(find(1, 0, NULL, 1));
}

/* Lines of random length, which start anywhere. */
Test(stretch, random_maps) {
  enum { N = 5000, ARITY = 3 };
  idx_l *table = malloc(sizeof(idx_l[N][ARITY]));
  for (unsigned seed = 1; seed <= 20; seed++) {
    srand(seed);
    idx_l left = 0, lines = 0;
    for (idx_l e = 0; e < N; e++, left--) {
      bool begins = !left;
      if (begins) left = 1 + rand() % (4 * (int)seed), lines++;
      for (idx_l i = 0; i < ARITY; i++)
        table[e * ARITY + i] =
            begins ? rand() % 100000 : table[(e - 1) * ARITY + i] + (i != 1);
    }
    struct rt_stretches *s = find(N, ARITY, table, 1);
    cr_assert_not_null(s);
    expect_table(s, N, ARITY, table);
    if (seed > 2) {
      cr_assert_eq(s->still, 2);
      cr_assert_leq(s->n, lines);
    }
    rt_stretches_free(s);
  }
  free(table);
}

/* Seen at some places it is too short, so nobody reads it all; the end, where
 * nobody has looked, may be wrong: then it is read, and not found. */
Test(stretch, places_are_not_all) {
  enum { N = 200000 };
  idx_l *table = malloc(sizeof(idx_l[N]));
  for (idx_l e = 0; e < N; e++) table[e] = e % 3 ? N : e;
  cr_assert_null(find(N, 1, table, 8));
  for (idx_l e = 0; e < N; e++)
    table[e] = e % (N / 64) < 64 ? e : (e * 7919) % N;
  cr_assert_null(find(N, 1, table, 8));
  free(table);
}
