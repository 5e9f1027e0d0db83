/* Walks by colours, without a limit of them; and a checker of walks that finds
 * what is wrong. */
#include "base/counters.h"
#include "rt_make.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const idx_l crowds[] = {31, 32, 33, 64, 65, 200};

static idx_l *
table_of(idx_l n, idx_l to) {
  idx_l *t = malloc(((size_t)n + 1) * sizeof *t);
  uint32_t state = 7;
  for (idx_l i = 0; i < n; i++) t[i] = (idx_l)(make_random(&state) % to);
  return t;
}

/* Of blocks with numbers. */
static idx_l
colour_of_block(const struct rt_walk *p, idx_l block) {
  for (idx_l c = 0; c < p->nsteps; c++)
    for (idx_l i = p->step[c]; i < p->step[c + 1]; i++)
      if (p->block[i] == block) return c;
  return -1;
}

static struct rt_walk *
made_of(struct rt_walk_want w) {
  struct rt_walk *p;
  cr_assert_eq(rt_walk_make(&w, &p), OK);
  return p;
}

static const struct rt_walk *
got_of(struct rt_walk_want w) {
  const struct rt_walk *p;
  cr_assert_eq(rt_walk_get(&w, &p), OK, "%s", err_last());
  return p;
}

/* For so many threads. */
static struct rt_walk_want
for_threads(struct rt_walk_want w, int threads) {
  w.kind = RT_WALK_COLOURS_FOR;
  w.tasks = threads;
  return w;
}

Test(rt_colours, blocks_that_meet_in_one_target_all_differ) {
  static idx_l zeros[200];
  struct rt_set from = {.n = 200, .name = "edges"},
                to = {.n = 5, .name = "cells"};
  struct rt_relation m = make_table(&from, &to, 1, zeros, 1);
  struct rt_entries c = {&m, 0, 1};
  for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++) {
    struct rt_walk *p = made_of(make_colours(crowds[i], 1, &c, 1, true));
    cr_assert_eq(p->nsteps, crowds[i]);
    for (idx_l j = 0; j < crowds[i]; j++)
      cr_assert_eq(colour_of_block(p, j), j, "first fit keeps the order");
    rt_walk_free(p);
  }
}

Test(rt_colours, elements_that_meet_in_one_target_all_differ) {
  static idx_l zeros[200];
  struct rt_set from = {.n = 200, .name = "edges"},
                to = {.n = 5, .name = "cells"};
  struct rt_relation m = make_table(&from, &to, 1, zeros, 1);
  struct rt_entries c = {&m, 0, 1};
  for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++) {
    struct rt_walk *p = made_of(make_colours(crowds[i], 256, &c, 1, true));
    cr_assert_eq(p->ncolours[0], crowds[i]);
    for (idx_l e = 0; e < crowds[i]; e++) cr_assert_eq(p->colour[e], e);
    rt_walk_free(p);
  }
}

/* A chain of edges: two colours suffice for blocks and for elements. */
Test(rt_colours, a_chain_takes_two_colours) {
  enum { N = 10007 };
  idx_l *t = table_of(2 * N, 1);
  for (idx_l e = 0; e < N; e++) t[2 * e] = e, t[2 * e + 1] = e + 1;
  struct rt_set from = {.n = N, .name = "edges"},
                to = {.n = N + 1, .name = "cells"};
  struct rt_relation m = make_table(&from, &to, 2, t, 1);
  struct rt_entries c = {&m, 0, 2};
  struct rt_walk *p = made_of(make_colours(N, 64, &c, 1, true));
  cr_assert_eq(p->nsteps, 2);
  cr_assert_eq(p->ncolours[0], 2);
  cr_assert_eq(rt_walk_check(p, 0, p->n, &c, 1), OK, "%s", err_last());
  rt_walk_free(p);
  free(t);
}

/* Every third edge names one cell: as many colours as blocks, and no plan for
 * threads. A chain has one, however many threads, while blocks suffice. */
Test(rt_colours, hubs_are_no_work_for_threads) {
  enum { N = 64 * 300 };
  idx_l *t = table_of(2 * N, 1);
  const struct rt_walk *p, *again;
  for (idx_l e = 0; e < N; e++) t[2 * e] = e, t[2 * e + 1] = e + 1;
  struct rt_set from = {.n = N, .name = "edges"},
                to = {.n = N + 1, .name = "cells"};
  struct rt_relation m = make_table(&from, &to, 2, t, 501);
  struct rt_entries c = {&m, 0, 2};
  p = got_of(for_threads(make_colours(N, 64, &c, 1, false), 8));
  cr_assert(p && p->nsteps == 2);
  p = got_of(for_threads(make_colours(N, 64, &c, 1, false), 100));
  cr_assert_null(p);
  for (idx_l e = 0; e < N; e += 3) t[2 * e] = 7;
  m.version++;
  long long made = counter_get("plans");
  p = got_of(for_threads(make_colours(N, 64, &c, 1, false), 2));
  again = got_of(for_threads(make_colours(N, 64, &c, 1, false), 2));
  cr_assert_null(p);
  cr_assert_null(again);
  cr_assert_eq(counter_get("plans"), made + 1, "it is looked for once");
  p = got_of(make_colours(N, 64, &c, 1, false));
  cr_assert_eq(p->nsteps, 300);
  rt_walk_cache_clear();
  free(t);
}

/* An entry of the map that the loop does not write through takes no colours. */
Test(rt_colours, only_named_entries_conflict) {
  enum { N = 100 };
  idx_l t[2 * N];
  for (idx_l e = 0; e < N; e++) t[2 * e] = e, t[2 * e + 1] = 0;
  struct rt_set from = {.n = N, .name = "edges"},
                to = {.n = N, .name = "cells"};
  struct rt_relation m = make_table(&from, &to, 2, t, 1);
  struct rt_entries first = {&m, 0, 1}, second = {&m, 1, 1};
  struct rt_walk *p = made_of(make_colours(N, 10, &first, 1, false));
  cr_assert_eq(p->nsteps, 1);
  rt_walk_free(p);
  p = made_of(make_colours(N, 10, &second, 1, false));
  cr_assert_eq(p->nsteps, 10);
  rt_walk_free(p);
}

static idx_l
colours_of_two_maps(const struct rt_set *to_a, const struct rt_set *to_b) {
  static idx_l a[2] = {0, 1}, b[2] = {1, 2};
  struct rt_set from = {.n = 2, .name = "edges"};
  struct rt_relation ma = {.from = &from,
                           .to = to_a,
                           .arity = 1,
                           .table = a,
                           .version = 1,
                           .name = "a"};
  struct rt_relation mb = {.from = &from,
                           .to = to_b,
                           .arity = 1,
                           .table = b,
                           .version = 2,
                           .name = "b"};
  struct rt_entries c[] = {{&ma, 0, 1}, {&mb, 0, 1}};
  struct rt_walk *p = made_of(make_colours(2, 1, c, 2, false));
  idx_l n = p->nsteps;
  rt_walk_free(p);
  return n;
}

Test(rt_colours, maps_to_one_set_share_its_targets) {
  struct rt_set to = {.n = 3, .name = "cells"};
  cr_assert_eq(colours_of_two_maps(&to, &to), 2);
}

Test(rt_colours, maps_to_two_sets_do_not_meet) {
  struct rt_set to = {.n = 3, .name = "cells"},
                other = {.n = 3, .name = "nodes"};
  cr_assert_eq(colours_of_two_maps(&to, &other), 1);
}

static void
check_random(idx_l n, idx_l to_n, idx_l block, uint32_t arity) {
  idx_l *t = table_of(n * (idx_l)arity, to_n), *u = table_of(n, 3);
  struct rt_set from = {.n = n, .name = "edges"},
                to = {.n = to_n, .name = "cells"},
                few = {.n = 3, .name = "few"};
  struct rt_relation m = make_table(&from, &to, arity, t, 1);
  struct rt_relation f = {.from = &from,
                          .to = &few,
                          .arity = 1,
                          .table = u,
                          .version = 2,
                          .name = "f"};
  struct rt_entries c[] = {{&m, 0, arity}, {&f, 0, 1}};
  struct rt_walk *p = made_of(make_colours(n, block, c, 2, true));
  cr_assert_eq(rt_walk_check(p, 0, p->n, c, 2), OK, "%s", err_last());
  rt_walk_free(p);
  free(t);
  free(u);
}

Test(rt_colours, random_meshes_pass_the_checker) {
  static const idx_l blocks[] = {1, 2, 7, 64, 5000};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    for (uint32_t arity = 1; arity <= 4; arity++) {
      check_random(1, 9, blocks[i], arity);
      check_random(12, 4, blocks[i], arity); /* each meets most others */
      check_random(300, 40, blocks[i], arity);
      check_random(2001, 1000, blocks[i], arity);
    }
}

Test(rt_colours, empty_sets_have_empty_walks) {
  struct rt_set none = {.n = 0, .name = "none"};
  struct rt_relation m = make_table(&none, &none, 2, NULL, 1);
  struct rt_entries c = {&m, 0, 2};
  const struct rt_walk *p;
  p = got_of(make_colours(0, 64, &c, 1, true));
  cr_assert_eq(p->ntasks, 0);
  cr_assert_eq(p->nsteps, 0);
  cr_assert_eq(rt_walk_check(p, 0, p->n, &c, 1), OK);
  rt_walk_cache_clear();
}

/* ---- cache --------------------------------------------------------------- */

static idx_l chain[] = {0, 1, 1, 2, 2, 3, 3, 4};
static struct rt_set edges = {.n = 4, .name = "edges"},
                     cells = {.n = 5, .name = "cells"};

Test(rt_colours, same_key_same_walk) {
  struct rt_relation m = make_table(&edges, &cells, 2, chain, 1);
  struct rt_entries c = {&m, 0, 2};
  const struct rt_walk *p, *q;
  long long before = counters[CNT_plans];
  p = got_of(make_colours(4, 2, &c, 1, false));
  q = got_of(make_colours(4, 2, &c, 1, false));
  cr_assert_eq(p, q);
  cr_assert_eq(counters[CNT_plans], before + 1);
  rt_walk_cache_clear();
}

Test(rt_colours, every_part_of_the_key_counts) {
  struct rt_relation m = {.from = &edges,
                          .to = &cells,
                          .arity = 2,
                          .table = chain,
                          .version = 1,
                          .name = "m"},
                     m2 = m;
  struct rt_entries all = {&m, 0, 2}, one = {&m, 0, 1}, two = {&m2, 0, 2};
  struct rt_entries both[] = {{&m, 0, 1}, {&m, 1, 1}};
  const struct rt_walk *p[8];
  p[0] = got_of(make_colours(4, 2, &all, 1, false));
  p[1] = got_of(make_colours(4, 3, &all, 1, false));
  p[2] = got_of(make_colours(3, 2, &all, 1, false));
  p[3] = got_of(make_colours(4, 2, &all, 1, true));
  p[4] = got_of(make_colours(4, 2, &one, 1, false));
  p[5] = got_of(make_colours(4, 2, &two, 1, false));
  p[6] = got_of(make_colours(4, 2, both, 2, false));
  m.version = 9;
  p[7] = got_of(make_colours(4, 2, &all, 1, false));
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < i; j++) cr_assert_neq(p[i], p[j], "%d and %d", i, j);
  rt_walk_cache_clear();
}

/* ---- the checker must fail ----------------------------------------------- */

static struct rt_relation chain_map = {.from = &edges,
                                       .to = &cells,
                                       .arity = 2,
                                       .table = chain,
                                       .version = 1,
                                       .name = "m"};
static struct rt_entries chain_conflict = {&chain_map, 0, 2};

/* Two blocks of two edges, with element colours: all correct. */
static struct rt_walk *
chain_walk(void) {
  struct rt_walk *p = made_of(make_colours(4, 2, &chain_conflict, 1, true));
  cr_assert_eq(rt_walk_check(p, 0, p->n, &chain_conflict, 1), OK);
  return p;
}

static void
must_fail(struct rt_walk *p, const char *text) {
  cr_assert_eq(rt_walk_check(p, 0, p->n, &chain_conflict, 1), ERR_STATE);
  cr_assert_not_null(strstr(err_last(), text), "%s", err_last());
  rt_walk_free(p);
}

Test(rt_walk_check, finds_blocks_that_share_a_target) {
  struct rt_walk *p = chain_walk();
  p->nsteps = 1;
  p->step[1] = 2;
  must_fail(p, "tasks 0 and 1 of step 0 share element 2 of set cells");
}

Test(rt_walk_check, finds_elements_that_share_a_target) {
  struct rt_walk *p = chain_walk();
  p->colour[1] = p->colour[0];
  must_fail(p, "elements 0 and 1 of colour 0 in block 0 share element 1");
}

Test(rt_walk_check, finds_a_block_that_runs_twice) {
  struct rt_walk *p = chain_walk();
  p->piece[1] = p->piece[0];
  must_fail(p, "element 0 runs twice");
}

Test(rt_walk_check, finds_a_block_out_of_range) {
  struct rt_walk *p = chain_walk();
  p->piece[1] = (struct rt_range){4, 6};
  must_fail(p, "piece 1, [4, 6), is not inside of [0, 4)");
}

Test(rt_walk_check, finds_a_block_with_another_number) {
  struct rt_walk *p = chain_walk();
  p->block[0] = 2;
  must_fail(p, "task 0 is not block 2 of 2 elements");
}

Test(rt_walk_check, finds_blocks_without_a_colour) {
  struct rt_walk *p = chain_walk();
  p->step[2] = 1;
  p->nsteps = 1;
  must_fail(p, "tasks of its steps do not go from 0 to 2");
}

Test(rt_walk_check, finds_elements_without_a_block) {
  struct rt_walk *p = chain_walk();
  p->piece[1].lo++;
  must_fail(p, "element 2 does not run");
}

Test(rt_walk_check, finds_pieces_that_no_task_has) {
  struct rt_walk *p = chain_walk();
  p->task[1] = 3;
  must_fail(p, "pieces of its tasks do not go from 0 to 2");
}

Test(rt_walk_check, finds_wrong_counts_of_element_colours) {
  struct rt_walk *p = chain_walk();
  p->ncolours[1] = 1;
  must_fail(p, "has colour 1 of 1");
}

/* The conflict that the plan was not made for. */
Test(rt_walk_check, looks_at_every_conflict) {
  static idx_l same[4];
  struct rt_set few = {.n = 1, .name = "few"};
  struct rt_relation m = make_table(&edges, &few, 1, same, 1);
  struct rt_entries c[] = {{&chain_map, 0, 1}, {&m, 0, 1}};
  struct rt_walk *p = made_of(make_colours(4, 2, c, 1, false));
  cr_assert_eq(rt_walk_check(p, 0, p->n, c, 1), OK);
  cr_assert_eq(rt_walk_check(p, 0, p->n, c, 2), ERR_STATE);
  rt_walk_free(p);
}
