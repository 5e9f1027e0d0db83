/* Parts: interior and border of each thread's elements, and their checker. */
#include "rt/walk/parts.h"
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

static struct rt_parts *
parts_of(const idx_l *table, int parts, struct rt_relation *m) {
  *m = (struct rt_relation){.from = &edges,
                            .to = &cells,
                            .arity = 2,
                            .table = table,
                            .version = 1,
                            .name = "m"};
  struct rt_entries c = {m, 0, 2};
  struct rt_parts *p;
  cr_assert_eq(rt_parts_make(N, parts, &c, 1, &p), OK);
  cr_assert_eq(rt_parts_check(p, &c, 1), OK, "%s", err_last());
  return p;
}

Test(rt_parts, a_chain_leaves_two_elements_a_cut) {
  idx_l *t = chain();
  struct rt_relation m;
  for (int k = 1; k <= 5; k++) {
    struct rt_parts *p = parts_of(t, k, &m);
    idx_l left = 0;
    for (uint32_t i = p->start[k]; i < p->start[k + 1]; i++)
      left += p->ranges[i].hi - p->ranges[i].lo;
    cr_assert_eq(left, 2 * (k - 1));
    cr_assert(p->pays);
    rt_parts_free(p);
  }
  free(t);
}

Test(rt_parts, a_shuffled_mesh_does_not_pay) {
  idx_l *t = chain();
  uint32_t state = 3;
  for (idx_l i = 0; i < 2 * N; i++) t[i] = (idx_l)(make_random(&state) % N);
  struct rt_relation m;
  struct rt_parts *p = parts_of(t, 2, &m);
  cr_assert_not(p->pays);
  rt_parts_free(p);
  free(t);
}

/* Every 16th edge also touches the last cell: runs between are too short. */
Test(rt_parts, short_runs_join_the_border) {
  idx_l *t = chain();
  for (idx_l e = 0; e < N; e += 16) t[2 * e] = N;
  struct rt_relation m;
  struct rt_parts *p = parts_of(t, 2, &m);
  for (uint32_t i = 0; i < p->start[2]; i++)
    cr_assert_geq(p->ranges[i].hi - p->ranges[i].lo, 32);
  rt_parts_free(p);
  free(t);
}

Test(rt_parts, an_empty_set_has_no_ranges) {
  struct rt_relation m = make_table(&edges, &cells, 2, NULL, 1);
  struct rt_entries c = {&m, 0, 1};
  struct rt_parts *p;
  cr_assert_eq(rt_parts_make(0, 3, &c, 1, &p), OK);
  cr_assert_eq(p->nranges, 0);
  rt_parts_free(p);
}

Test(rt_parts, the_checker_finds_a_target_in_two_parts) {
  idx_l *t = chain();
  struct rt_relation m;
  struct rt_parts *p = parts_of(t, 2, &m);
  struct rt_entries c = {&m, 0, 2};
  uint32_t border = p->start[2];
  p->ranges[p->start[0]].hi++; /* takes the border's first element */
  p->ranges[border].lo++;
  cr_assert_eq(rt_parts_check(p, &c, 1), OK, "one element moved: still safe");
  p->ranges[p->start[0]].hi++; /* and its last: now both parts touch a cell */
  p->ranges[border].lo++;
  cr_assert_eq(rt_parts_check(p, &c, 1), ERR_STATE);
  rt_parts_free(p);
  free(t);
}

Test(rt_parts, the_checker_finds_an_element_that_does_not_run) {
  idx_l *t = chain();
  struct rt_relation m;
  struct rt_parts *p = parts_of(t, 2, &m);
  struct rt_entries c = {&m, 0, 2};
  p->ranges[0].lo++;
  cr_assert_eq(rt_parts_check(p, &c, 1), ERR_STATE);
  rt_parts_free(p);
  free(t);
}
