/* Plans: colours without a limit, and a checker that finds what is wrong. */
#include "base/counters.h"
#include "rt/walk/colour.h"
#include "rt/ranks/dist.h"
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

static idx_l
colour_of_block(const struct rt_plan *p, idx_l block) {
  for (idx_l c = 0; c < p->ncolours; c++)
    for (idx_l i = p->start[c]; i < p->start[c + 1]; i++)
      if (p->order[i] == block) return c;
  return -1;
}

Test(rt_plan, blocks_that_meet_in_one_target_all_differ) {
  static idx_l zeros[200];
  struct rt_set from = {.n = 200, .name = "edges"},
                to = {.n = 5, .name = "cells"};
  struct rt_relation m = make_table(&from, &to, 1, zeros, 1);
  struct rt_entries c = {&m, 0, 1};
  for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++) {
    struct rt_plan *p;
    cr_assert_eq(rt_plan_make(crowds[i], 1, &c, 1, false, &p), OK);
    cr_assert_eq(p->ncolours, crowds[i]);
    for (idx_l j = 0; j < crowds[i]; j++)
      cr_assert_eq(colour_of_block(p, j), j, "first fit keeps the order");
    rt_plan_free(p);
  }
}

Test(rt_plan, elements_that_meet_in_one_target_all_differ) {
  static idx_l zeros[200];
  struct rt_set from = {.n = 200, .name = "edges"},
                to = {.n = 5, .name = "cells"};
  struct rt_relation m = make_table(&from, &to, 1, zeros, 1);
  struct rt_entries c = {&m, 0, 1};
  for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++) {
    struct rt_plan *p;
    cr_assert_eq(rt_plan_make(crowds[i], 256, &c, 1, true, &p), OK);
    cr_assert_eq(p->nelem_colours[0], crowds[i]);
    for (idx_l e = 0; e < crowds[i]; e++) cr_assert_eq(p->elem_colour[e], e);
    rt_plan_free(p);
  }
}

/* A chain of edges: two colours suffice for blocks and for elements. */
Test(rt_plan, a_chain_takes_two_colours) {
  enum { N = 10007 };
  idx_l *t = table_of(2 * N, 1);
  for (idx_l e = 0; e < N; e++) t[2 * e] = e, t[2 * e + 1] = e + 1;
  struct rt_set from = {.n = N, .name = "edges"},
                to = {.n = N + 1, .name = "cells"};
  struct rt_relation m = make_table(&from, &to, 2, t, 1);
  struct rt_entries c = {&m, 0, 2};
  struct rt_plan *p;
  cr_assert_eq(rt_plan_make(N, 64, &c, 1, true, &p), OK);
  cr_assert_eq(p->ncolours, 2);
  cr_assert_eq(p->nelem_colours[0], 2);
  cr_assert_eq(rt_plan_check(p, &c, 1), OK, "%s", err_last());
  rt_plan_free(p);
  free(t);
}

/* Every third edge names one cell: as many colours as blocks, and no plan for
 * threads. A chain has one, however many threads, while blocks suffice. */
Test(rt_plan, hubs_are_no_work_for_threads) {
  enum { N = 64 * 300 };
  idx_l *t = table_of(2 * N, 1);
  const struct rt_plan *p, *again;
  for (idx_l e = 0; e < N; e++) t[2 * e] = e, t[2 * e + 1] = e + 1;
  struct rt_set from = {.n = N, .name = "edges"},
                to = {.n = N + 1, .name = "cells"};
  struct rt_relation m = make_table(&from, &to, 2, t, 501);
  struct rt_entries c = {&m, 0, 2};
  cr_assert_eq(rt_plan_get_for(N, 64, 8, &c, 1, &p), OK);
  cr_assert(p && p->ncolours == 2);
  cr_assert_eq(rt_plan_get_for(N, 64, 100, &c, 1, &p), OK);
  cr_assert_null(p);
  for (idx_l e = 0; e < N; e += 3) t[2 * e] = 7;
  m.version++;
  long long made = counter_get("plans");
  cr_assert_eq(rt_plan_get_for(N, 64, 2, &c, 1, &p), OK);
  cr_assert_eq(rt_plan_get_for(N, 64, 2, &c, 1, &again), OK);
  cr_assert_null(p);
  cr_assert_null(again);
  cr_assert_eq(counter_get("plans"), made + 1, "it is looked for once");
  cr_assert_eq(rt_plan_get(N, 64, &c, 1, false, &p), OK);
  cr_assert_eq(p->ncolours, 300);
  rt_plan_cache_clear();
  free(t);
}

/* An entry of the map that the loop does not write through takes no colours. */
Test(rt_plan, only_named_entries_conflict) {
  enum { N = 100 };
  idx_l t[2 * N];
  for (idx_l e = 0; e < N; e++) t[2 * e] = e, t[2 * e + 1] = 0;
  struct rt_set from = {.n = N, .name = "edges"},
                to = {.n = N, .name = "cells"};
  struct rt_relation m = make_table(&from, &to, 2, t, 1);
  struct rt_entries first = {&m, 0, 1}, second = {&m, 1, 1};
  struct rt_plan *p;
  cr_assert_eq(rt_plan_make(N, 10, &first, 1, false, &p), OK);
  cr_assert_eq(p->ncolours, 1);
  rt_plan_free(p);
  cr_assert_eq(rt_plan_make(N, 10, &second, 1, false, &p), OK);
  cr_assert_eq(p->ncolours, 10);
  rt_plan_free(p);
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
  struct rt_plan *p;
  cr_assert_eq(rt_plan_make(2, 1, c, 2, false, &p), OK);
  idx_l n = p->ncolours;
  rt_plan_free(p);
  return n;
}

Test(rt_plan, maps_to_one_set_share_its_targets) {
  struct rt_set to = {.n = 3, .name = "cells"};
  cr_assert_eq(colours_of_two_maps(&to, &to), 2);
}

Test(rt_plan, maps_to_two_sets_do_not_meet) {
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
  struct rt_plan *p;
  cr_assert_eq(rt_plan_make(n, block, c, 2, true, &p), OK);
  cr_assert_eq(rt_plan_check(p, c, 2), OK, "%s", err_last());
  rt_plan_free(p);
  free(t);
  free(u);
}

Test(rt_plan, random_meshes_pass_the_checker) {
  static const idx_l blocks[] = {1, 2, 7, 64, 5000};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    for (uint32_t arity = 1; arity <= 4; arity++) {
      check_random(1, 9, blocks[i], arity);
      check_random(300, 40, blocks[i], arity);
      check_random(2001, 1000, blocks[i], arity);
    }
}

Test(rt_plan, empty_sets_have_empty_plans) {
  struct rt_set none = {.n = 0, .name = "none"};
  struct rt_relation m = make_table(&none, &none, 2, NULL, 1);
  struct rt_entries c = {&m, 0, 2};
  const struct rt_plan *p;
  cr_assert_eq(rt_plan_get(0, 64, &c, 1, true, &p), OK);
  cr_assert_eq(p->nblocks, 0);
  cr_assert_eq(p->ncolours, 0);
  cr_assert_eq(rt_plan_check(p, &c, 1), OK);
  rt_plan_cache_clear();
}

/* ---- cache --------------------------------------------------------------- */

static idx_l chain[] = {0, 1, 1, 2, 2, 3, 3, 4};
static struct rt_set edges = {.n = 4, .name = "edges"},
                     cells = {.n = 5, .name = "cells"};

Test(rt_plan, same_key_same_plan) {
  struct rt_relation m = make_table(&edges, &cells, 2, chain, 1);
  struct rt_entries c = {&m, 0, 2};
  const struct rt_plan *p, *q;
  long long before = counters[CNT_plans];
  cr_assert_eq(rt_plan_get(4, 2, &c, 1, false, &p), OK);
  cr_assert_eq(rt_plan_get(4, 2, &c, 1, false, &q), OK);
  cr_assert_eq(p, q);
  cr_assert_eq(counters[CNT_plans], before + 1);
  rt_plan_cache_clear();
}

Test(rt_plan, every_part_of_the_key_counts) {
  struct rt_relation m = {.from = &edges,
                          .to = &cells,
                          .arity = 2,
                          .table = chain,
                          .version = 1,
                          .name = "m"},
                     m2 = m;
  struct rt_entries all = {&m, 0, 2}, one = {&m, 0, 1}, two = {&m2, 0, 2};
  struct rt_entries both[] = {{&m, 0, 1}, {&m, 1, 1}};
  const struct rt_plan *p[8];
  rt_plan_get(4, 2, &all, 1, false, &p[0]);
  rt_plan_get(4, 3, &all, 1, false, &p[1]);
  rt_plan_get(3, 2, &all, 1, false, &p[2]);
  rt_plan_get(4, 2, &all, 1, true, &p[3]);
  rt_plan_get(4, 2, &one, 1, false, &p[4]);
  rt_plan_get(4, 2, &two, 1, false, &p[5]);
  rt_plan_get(4, 2, both, 2, false, &p[6]);
  m.version = 9;
  rt_plan_get(4, 2, &all, 1, false, &p[7]);
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < i; j++) cr_assert_neq(p[i], p[j], "%d and %d", i, j);
  rt_plan_cache_clear();
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
static struct rt_plan *
chain_plan(void) {
  struct rt_plan *p;
  cr_assert_eq(rt_plan_make(4, 2, &chain_conflict, 1, true, &p), OK);
  cr_assert_eq(rt_plan_check(p, &chain_conflict, 1), OK);
  return p;
}

static void
must_fail(struct rt_plan *p, const char *text) {
  cr_assert_eq(rt_plan_check(p, &chain_conflict, 1), ERR_STATE);
  cr_assert_not_null(strstr(err_last(), text), "%s", err_last());
  rt_plan_free(p);
}

Test(rt_plan_check, finds_blocks_that_share_a_target) {
  struct rt_plan *p = chain_plan();
  p->ncolours = 1;
  p->start[1] = 2;
  must_fail(p, "blocks 0 and 1 of colour 0 share element 2 of set cells");
}

Test(rt_plan_check, finds_elements_that_share_a_target) {
  struct rt_plan *p = chain_plan();
  p->elem_colour[1] = p->elem_colour[0];
  must_fail(p, "elements 0 and 1 of colour 0 in block 0 share element 1");
}

Test(rt_plan_check, finds_a_block_that_runs_twice) {
  struct rt_plan *p = chain_plan();
  p->order[1] = p->order[0];
  must_fail(p, "a second time");
}

Test(rt_plan_check, finds_a_block_out_of_range) {
  struct rt_plan *p = chain_plan();
  p->order[0] = 2;
  must_fail(p, "order[0] = 2");
}

Test(rt_plan_check, finds_blocks_without_a_colour) {
  struct rt_plan *p = chain_plan();
  p->start[2] = 1;
  p->ncolours = 1;
  must_fail(p, "not 0 to 2");
}

Test(rt_plan_check, finds_elements_without_a_block) {
  struct rt_plan *p = chain_plan();
  p->n = 5;
  must_fail(p, "do not cut 5 elements");
}

Test(rt_plan_check, finds_wrong_counts_of_element_colours) {
  struct rt_plan *p = chain_plan();
  p->nelem_colours[1] = 1;
  must_fail(p, "has colour 1 of 1");
}

/* The conflict that the plan was not made for. */
Test(rt_plan_check, looks_at_every_conflict) {
  static idx_l same[4];
  struct rt_set few = {.n = 1, .name = "few"};
  struct rt_relation m = make_table(&edges, &few, 1, same, 1);
  struct rt_entries c[] = {{&chain_map, 0, 1}, {&m, 0, 1}};
  struct rt_plan *p;
  cr_assert_eq(rt_plan_make(4, 2, c, 1, false, &p), OK);
  cr_assert_eq(rt_plan_check(p, c, 1), OK);
  cr_assert_eq(rt_plan_check(p, c, 2), ERR_STATE);
  rt_plan_free(p);
}

/* ---- over ranks ---------------------------------------------------------------- */

enum { MESH = 5000, SPOTS = 900, CUT = 64 };

/* Numbers of the program's elements as a plan runs them; `global`: those of the
 * elements here, NULL: as they are. */
static void
sequence_of(const struct rt_plan *p, const idx_g *global, idx_g *out) {
  for (idx_l k = 0; k < p->nblocks; k++)
    for (int64_t i = rt_plan_first(p, p->order[k]);
         i < rt_plan_first(p, p->order[k] + 1); i++)
      *out++ = global ? global[p->at[i]] : i;
}

/* A rank that has all elements, in another order, runs them as one rank does. */
Test(rt_plan, over_ranks_elements_run_in_the_order_of_one) {
  static idx_g global[MESH], one[MESH], many[MESH];
  idx_l *t = table_of(2 * MESH, SPOTS), *here = table_of(2 * MESH, 1);
  for (idx_l e = 0; e < MESH; e++) {
    global[e] = (idx_g)e * 1237 % MESH;
    here[2 * e] = t[2 * global[e]];
    here[2 * e + 1] = t[2 * global[e] + 1];
  }
  struct rt_part part = {.total = MESH,
                         .owned = MESH,
                         .n = MESH,
                         .level = {MESH, MESH, MESH},
                         .global = global};
  struct rt_part spots = {.total = SPOTS, .owned = SPOTS, .n = SPOTS};
  struct rt_set from = {.n = MESH, .name = "edges", .part = &part};
  struct rt_set to = {.n = SPOTS, .name = "cells", .part = &spots};
  struct rt_relation m = {.from = &from,
                          .to = &to,
                          .arity = 2,
                          .table = t,
                          .version = 1,
                          .name = "m"},
                     moved = m;
  struct rt_entries c = {&m, 0, 2};
  struct rt_plan *a, *b;
  struct rt_comm comm;
  moved.table = here;
  cr_assert_eq(rt_comm_open(&comm), OK);
  cr_assert_eq(rt_plan_make(MESH, CUT, &c, 1, false, &a), OK);
  c.of = &moved;
  cr_assert_eq(rt_plan_make_ranks(&comm, &from, 0, CUT, &c, 1, &b), OK);
  cr_assert_eq(rt_plan_check(b, &c, 1), OK);
  cr_assert_eq(a->ncolours, b->ncolours);
  sequence_of(a, NULL, one);
  sequence_of(b, global, many);
  cr_assert_arr_eq(many, one, sizeof one);
  rt_plan_free(a);
  rt_plan_free(b);
  rt_comm_close(&comm);
  free(t);
  free(here);
}
