/* One thread or all: what is decided from which times, and that results do not
 * see the decision. */
#include "rt/team.h"

#include "rt_make.h"

#include <criterion/criterion.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3000, RUNS = 4 };

/* Runs until it is decided, with these times of the two ways; gives the number
 * of runs. */
static int
decide(struct rt_team *t, idx_l n, int threads, double alone, double together) {
  int runs = 0;
  for (; rt_team_together(t, n, threads), rt_team_measures(t); runs++) {
    cr_assert(runs < 100);
    bool all = rt_team_together(t, n, threads);
    rt_team_note(t, all, all ? together : alone);
  }
  return runs;
}

Test(rt_team, long_launches_never_run_alone) {
  struct rt_team t = {0};
  cr_expect_eq(decide(&t, 1 << 16, 2, 1e-9, 1e-3), 0);
  cr_expect(rt_team_together(&t, 1 << 16, 2));
}

Test(rt_team, short_launches_run_the_way_that_was_faster) {
  struct rt_team t = {0};
  cr_expect_eq(decide(&t, N, 2, 2e-6, 3e-6), 8);
  cr_expect_not(rt_team_together(&t, N, 2));
  struct rt_team u = {0};
  cr_expect_eq(decide(&u, N, 2, 20e-6, 12e-6), 8);
  cr_expect(rt_team_together(&u, N, 2));
}

Test(rt_team, one_slow_run_decides_nothing) {
  struct rt_team t = {0};
  for (int k = 0; k < 8; k++) {
    bool all = rt_team_together(&t, N, 2);
    rt_team_note(&t, all, k == 0 || k == 6 ? 5e-3 : all ? 4e-6 : 7e-6);
  }
  cr_expect_not(rt_team_measures(&t));
  cr_expect(rt_team_together(&t, N, 2));
}

Test(rt_team, another_number_of_threads_is_another_question) {
  struct rt_team t = {0};
  decide(&t, N, 2, 2e-6, 3e-6);
  cr_expect(rt_team_together(&t, N, 4));
  cr_expect(rt_team_measures(&t));
  cr_expect_not(rt_team_together(&t, N, 1));
  cr_expect_not(rt_team_measures(&t));
}

Test(rt_team, parts_have_a_least_size) {
  cr_expect_eq(rt_team_size(0, 8), 1);
  cr_expect_eq(rt_team_size(1023, 8), 1);
  cr_expect_eq(rt_team_size(1024, 8), 2);
  cr_expect_eq(rt_team_size(1 << 20, 8), 8);
  rt_set_thread_least(0);
  cr_expect_eq(rt_team_size(1, 8), 8);
  rt_set_thread_least(-1);
  cr_expect_eq(rt_team_size(1, 8), 1);
}

Test(rt_team, launches_of_a_region_share_what_is_known) {
  rt_region_fn f = NULL, g = NULL;
  memset(&f, 1, sizeof f);
  memset(&g, 2, sizeof g);
  struct rt_team *t = rt_team_get(f, 100);
  cr_expect_eq(rt_team_get(f, 100), t);
  cr_expect_neq(rt_team_get(f, 101), t);
  cr_expect_neq(rt_team_get(g, 100), t);
  rt_team_clear();
}

/* ---- results ---------------------------------------------------------------- */

static const struct type f64 = {TYPE_F64, 8};
static bool in_team[RUNS];
static int run;

/* sum += terms; cell[target] += terms: both depend on the order. */
static double terms[N], cells[50];
static idx_l targets[N];
static bool shared; /* the launch says so */

static void
sum_region(void *const *ptr, int64_t lo, int64_t hi) {
  double *sum = ptr[0];
  if (omp_in_parallel()) in_team[run] = true;
  for (int64_t e = lo; e < hi; e++) {
    *sum += terms[e];
    if (shared) cells[targets[e]] += terms[e];
  }
}

static void
check_bits(bool colours, bool coloured) {
  struct rt_set set = {.n = N, .name = "edges"}, to = {.n = 50, .name = "c"};
  struct rt_map m = {&set, &to, 1, targets, colours ? 91 : 92, "m", NULL};
  double sum, first_sum = 0, first_cells[50];
  struct rt_program *p = make_program();
  enum rt_run_mode mode = coloured ? RT_RUN_COLOURED : RT_RUN_RANGE;
  struct rt_launch *l =
      make_launch(p, sum_region, make_set(p, &set), mode, 1, RT_BIND_ACC, 0u);
  struct rt_reduction r = {
      make_global(p, &sum), f64, 1, ACC_INC, -1, false, false};
  make_reduction(l, r);
  if (coloured) make_conflict(l, make_map(p, &m), 0);
  shared = coloured;
  rt_set_colours(colours);
  rt_set_block_size(100);
  for (run = 0; run < RUNS; run++) {
    sum = 0.1;
    rt_set_team(run % 2 ? RT_TEAM_ALONE : RT_TEAM_TOGETHER);
    in_team[run] = false;
    memset(cells, 0, sizeof cells);
    cr_assert_eq(rt_exec(p, 3), OK);
    if (!run) {
      first_sum = sum;
      memcpy(first_cells, cells, sizeof cells);
    }
    cr_expect_eq(sum, first_sum, "run %d", run);
    if (coloured)
      cr_expect_eq(memcmp(cells, first_cells, sizeof cells), 0, "run %d", run);
  }
  for (run = 0; run < RUNS; run++) cr_expect_eq(in_team[run], run % 2 == 0);
  rt_program_free(p);
  rt_plan_cache_clear();
}

Test(rt_team, results_do_not_see_who_runs) {
  uint32_t state = 5;
  for (int i = 0; i < N; i++) {
    terms[i] = 1.0 / (1 + make_random(&state) % 100000);
    targets[i] = i / (N / 50);
  }
  check_bits(false, true);
  for (int i = 0; i < N; i++) targets[i] = (idx_l)(make_random(&state) % 50);
  check_bits(true, true);
  check_bits(false, false);
}
