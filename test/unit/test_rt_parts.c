/* Parts: interior and border of each thread's elements, and their checker. */
#include "rt_make.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { N = 10007 };

/* Edge e joins cells e and e + 1. */
static idx_l *
chain(void) {
  idx_l *t = malloc(2 * N * sizeof *t);
  for (idx_l e = 0; e < N; e++) {
    t[2 * e] = e;
    t[2 * e + 1] = e + 1;
  }
  return t;
}

static const struct rt_set edges = {.n = N, .name = "edges"},
                           cells = {.n = N + 1, .name = "cells"};

static struct rt_walk *
parts_of(const idx_l *table, int parts, struct rt_relation *m) {
  *m = (struct rt_relation){.from = &edges,
                            .to = &cells,
                            .arity = 2,
                            .table = table,
                            .version = 1,
                            .name = "m"};
  struct rt_entries c = {m, 0, 2};
  struct rt_walk_want w = make_parts(N, parts, &c, 1);
  struct rt_walk *p;
  cr_assert_eq(rt_walk_make(&w, &p), OK);
  if (p) cr_assert_eq(rt_walk_check(p, 0, N, &c, 1), OK, "%s", err_last());
  return p;
}

Test(rt_parts, a_chain_leaves_two_elements_a_cut) {
  idx_l *t = chain();
  struct rt_relation m;
  for (int k = 1; k <= 5; k++) {
    struct rt_walk *p = parts_of(t, k, &m);
    idx_l left = 0;
    for (idx_l i = p->task[k]; i < p->task[k + 1]; i++)
      left += p->piece[i].hi - p->piece[i].lo;
    cr_assert_eq(left, 2 * (k - 1));
    rt_walk_free(p);
  }
  free(t);
}

Test(rt_parts, a_shuffled_mesh_does_not_pay) {
  idx_l *t = chain();
  uint32_t state = 3;
  for (idx_l i = 0; i < 2 * N; i++) t[i] = (idx_l)(make_random(&state) % N);
  struct rt_relation m;
  struct rt_walk *p = parts_of(t, 2, &m);
  cr_assert_null(p);
  free(t);
}

/* The edges around each cut, so many of them, touch the last cell as well. */
static bool
has_parts(int parts, idx_l border) {
  idx_l *t = chain(), share = border / (parts - 1);
  for (int k = 1; k < parts; k++)
    for (idx_l e = 0; e < share; e++)
      t[2 * ((idx_l)((int64_t)N * k / parts) - share / 2 + e)] = N;
  struct rt_relation m;
  struct rt_walk *p = parts_of(t, parts, &m);
  rt_walk_free(p);
  free(t);
  return p;
}

/* A fourth of all, over the number of other parts. */
Test(rt_parts, a_longer_border_pays_with_fewer_parts) {
  cr_expect(has_parts(2, N / 4 - 100));
  cr_expect_not(has_parts(2, N / 4 + 100));
  cr_expect(has_parts(5, N / 16 - 100));
  cr_expect_not(has_parts(5, N / 16 + 100));
}

/* Some edges touch the last cell, two and two: runs between are too short. */
Test(rt_parts, short_runs_join_the_border) {
  idx_l *t = chain();
  for (idx_l e = 0; e + 10 < N; e += 1000) t[2 * e] = t[2 * (e + 10)] = N;
  struct rt_relation m;
  struct rt_walk *p = parts_of(t, 2, &m);
  for (idx_l i = 0; i < p->task[2]; i++)
    cr_assert_geq(p->piece[i].hi - p->piece[i].lo, 32);
  cr_assert_eq(p->piece[p->task[2]].hi, 11, "elements 0 to 10 are border");
  rt_walk_free(p);
  free(t);
}

Test(rt_parts, an_empty_set_has_no_ranges) {
  struct rt_relation m = make_table(&edges, &cells, 2, NULL, 1);
  struct rt_entries c = {&m, 0, 1};
  struct rt_walk_want w = make_parts(0, 3, &c, 1);
  struct rt_walk *p;
  cr_assert_eq(rt_walk_make(&w, &p), OK);
  cr_assert_eq(p->npieces, 0);
  rt_walk_free(p);
}

Test(rt_parts, the_checker_finds_a_target_in_two_parts) {
  idx_l *t = chain();
  struct rt_relation m;
  struct rt_walk *p = parts_of(t, 2, &m);
  struct rt_entries c = {&m, 0, 2};
  idx_l border = p->task[2];
  p->piece[p->task[0]].hi++; /* takes the border's first element */
  p->piece[border].lo++;
  cr_assert_eq(rt_walk_check(p, 0, N, &c, 1), OK,
               "one element moved: still safe");
  p->piece[p->task[0]].hi++; /* and its last: now both parts touch a cell */
  p->piece[border].lo++;
  cr_assert_eq(rt_walk_check(p, 0, N, &c, 1), ERR_STATE);
  rt_walk_free(p);
  free(t);
}

Test(rt_parts, the_checker_finds_an_element_that_does_not_run) {
  idx_l *t = chain();
  struct rt_relation m;
  struct rt_walk *p = parts_of(t, 2, &m);
  struct rt_entries c = {&m, 0, 2};
  p->piece[0].lo++;
  cr_assert_eq(rt_walk_check(p, 0, N, &c, 1), ERR_STATE);
  rt_walk_free(p);
  free(t);
}

/* ---- ranges and cuts ------------------------------------------------------ */

/* The elements of a walk as they run, in one list; their number. */
static idx_l
sequence(const struct rt_walk *w, idx_l *out) {
  idx_l n = 0;
  for (idx_l i = 0; i < w->npieces; i++)
    for (idx_l x = w->piece[i].lo; x < w->piece[i].hi; x++)
      out[n++] = w->at ? w->at[x] : x;
  return n;
}

Test(rt_walk, a_range_is_cut_at_units_and_stays_while_it_is_the_same) {
  static const idx_l sizes[] = {0, 1, 63, 64, 65, 1000, N};
  struct rt_walk *w = NULL;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int tasks = 1; tasks < 9; tasks++) {
      idx_l lo = 3, hi = lo + sizes[k];
      cr_assert_eq(rt_walk_range(lo, hi, tasks, NULL, &w), OK);
      cr_assert_eq(rt_walk_check(w, lo, hi, NULL, 0), OK, "%s", err_last());
      for (int t = 1; t < tasks; t++)
        cr_assert(w->piece[t].lo == hi || (w->piece[t].lo - lo) % RT_UNIT == 0);
      struct rt_walk *same = w;
      cr_assert_eq(rt_walk_range(lo, hi, tasks, NULL, &w), OK);
      cr_assert_eq(w, same);
    }
  rt_walk_free(w);
}

Test(rt_walk, a_list_is_a_range_of_its_places) {
  static const idx_l list[] = {4, 0, 2, 1, 3}, again[] = {4, 0, 2, 0, 3};
  struct rt_walk *w = NULL;
  idx_l got[5];
  cr_assert_eq(rt_walk_range(0, 5, 1, list, &w), OK);
  cr_assert_eq(sequence(w, got), 5);
  cr_assert_arr_eq(got, list, sizeof list);
  cr_assert_eq(rt_walk_check(w, 0, 5, NULL, 0), OK);
  cr_assert_eq(rt_walk_range(0, 5, 1, again, &w), OK);
  cr_assert_eq(rt_walk_check(w, 0, 5, NULL, 0), ERR_STATE);
  rt_walk_free(w);
}

/* Core and rest have what the whole has, in its order. */
Test(rt_walk, a_cut_keeps_steps_and_order) {
  static idx_l all[N], part[N];
  idx_l *t = chain();
  struct rt_relation m = make_table(&edges, &cells, 2, t, 77);
  struct rt_entries c = {&m, 0, 2};
  struct rt_walk_want wants[] = {make_parts(N, 3, &c, 1),
                                 make_colours(N, 100, &c, 1, false)};
  for (int k = 0; k < 2; k++)
    for (idx_l cut = 64; cut < N; cut += 3001) {
      const struct rt_walk *whole, *half[2], *again;
      cr_assert_eq(rt_walk_get(&wants[k], &whole), OK);
      cr_assert_eq(rt_walk_get_cut(&wants[k], 0, cut, &half[0]), OK);
      cr_assert_eq(rt_walk_get_cut(&wants[k], cut, N, &half[1]), OK);
      cr_assert_eq(rt_walk_get_cut(&wants[k], cut, N, &again), OK);
      cr_assert_eq(half[1], again);
      cr_assert_eq(sequence(whole, all), N);
      for (int h = 0; h < 2; h++) {
        idx_l n = sequence(half[h], part), i = 0;
        cr_assert_eq(half[h]->nsteps, whole->nsteps);
        cr_assert_eq(n, h ? N - cut : cut);
        for (idx_l x = 0; x < N; x++)
          if ((all[x] >= cut) == h) cr_assert_eq(all[x], part[i++]);
        cr_assert_eq(i, n);
      }
    }
  rt_walk_cache_clear();
  free(t);
}
