/* One thread or all: what is decided from which times, and that results do not
 * see the decision. */
#include "rt/walk/team.h"
#include "rt/walk/waiters.h"

#include "rt_make.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <dlfcn.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 3000, RUNS = 4 };

static double clock_now;

/* A run that takes so long; was it by all? Timed if it has to be. */
static bool
pass(struct rt_team *t, int threads, double alone, double together) {
  bool all = rt_team_together(t, threads);
  bool timed = rt_team_measures(t);
  setenv("OMP_WAIT_POLICY", "active", 1); /* the machine has no say */
  double begin = clock_now;
  clock_now += all ? together : alone;
  if (timed) rt_team_note(t, all, begin, clock_now);
  return all;
}

/* So many runs; how many of them by all. */
static int
together_in(struct rt_team *t, int runs, double alone, double together) {
  int k = 0;
  for (int i = 0; i < runs; i++) k += pass(t, 2, alone, together);
  return k;
}

/* Runs until it is decided, with these times of the two ways; gives the number
 * of runs. */
static int
decide(struct rt_team *t, int threads, double alone, double together) {
  int runs = 0;
  rt_team_together(t, threads);
  for (; !t->decided; runs++) {
    cr_assert(runs < 100);
    pass(t, threads, alone, together);
  }
  return runs;
}

Test(rt_team, long_launches_run_together_where_it_is_quiet) {
  struct rt_team t = {.way = RT_TEAM_BUSY};
  cr_expect_eq(decide(&t, 2, 2e-3, 1e-3), 0);
  cr_expect_eq(together_in(&t, 1000, 1e-3, 2e-3), 1000);
}

/* Other work comes: together takes three times as long as alone; it goes. */
Test(rt_team, what_became_slower_runs_alone_for_a_while) {
  double s = 5e-6; /* alone, undisturbed */
  struct rt_team t = {.way = RT_TEAM_MEASURED};
  decide(&t, 2, s, s / 2);
  cr_expect_eq(together_in(&t, 1000, s, s / 2), 1000);
  together_in(&t, 200, 1.5 * s, 4 * s);
  double begin = clock_now;
  int before = 20000, all = together_in(&t, before, 1.5 * s, 4 * s);
  cr_expect_lt(all, before / 50, "%d", all);
  cr_expect_lt(clock_now - begin, before * 1.6 * s);
  while (clock_now < begin + 60) pass(&t, 2, s, s / 2);
  cr_expect_eq(together_in(&t, 1000, s, s / 2), 1000);
}

Test(rt_team, one_slow_run_later_changes_nothing) {
  struct rt_team t = {.way = RT_TEAM_MEASURED};
  decide(&t, 2, 20e-6, 10e-6);
  for (int k = 0; k < 1000; k++)
    cr_expect(pass(&t, 2, 20e-6, k % 100 ? 10e-6 : 5e-3));
}

/* What is better alone is tried together ever more seldom. */
Test(rt_team, trials_get_rare) {
  struct rt_team t = {.way = RT_TEAM_MEASURED};
  decide(&t, 2, 2e-6, 9e-6);
  clock_now += 20;
  together_in(&t, 1 << 22, 2e-6, 9e-6);
  cr_expect_lt(together_in(&t, 1 << 20, 2e-6, 9e-6), 20);
}

Test(rt_team, short_launches_run_the_way_that_was_faster) {
  struct rt_team t = {.way = RT_TEAM_MEASURED};
  cr_expect_eq(decide(&t, 2, 2e-6, 3e-6), 8);
  cr_expect_not(rt_team_together(&t, 2));
  struct rt_team u = {.way = RT_TEAM_MEASURED};
  cr_expect_eq(decide(&u, 2, 20e-6, 12e-6), 8);
  cr_expect(rt_team_together(&u, 2));
}

Test(rt_team, one_slow_run_decides_nothing) {
  struct rt_team t = {.way = RT_TEAM_MEASURED};
  for (int k = 0; k < 8; k++) {
    double slow = k == 0 || k == 6 ? 5e-3 : 0;
    pass(&t, 2, slow ? slow : 7e-6, slow ? slow : 4e-6);
  }
  cr_expect(t.decided);
  cr_expect(rt_team_together(&t, 2));
}

Test(rt_team, another_number_of_threads_is_another_question) {
  struct rt_team t = {.way = RT_TEAM_MEASURED};
  decide(&t, 2, 2e-6, 3e-6);
  cr_expect(rt_team_together(&t, 4));
  cr_expect(rt_team_measures(&t));
  cr_expect_not(rt_team_together(&t, 1));
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
  struct rt_team *t = rt_team_get(f, 100, RT_TEAM_MEASURED);
  cr_expect_eq(rt_team_get(f, 100, RT_TEAM_MEASURED), t);
  cr_expect_neq(rt_team_get(f, 101, RT_TEAM_MEASURED), t);
  cr_expect_neq(rt_team_get(g, 100, RT_TEAM_MEASURED), t);
  rt_team_clear();
}

/* ---- how threads wait ------------------------------------------------------- */

static int
threads_now(void) {
  int n = 0;
  DIR *d = opendir("/proc/self/task");
  while (d && readdir(d)) n++;
  if (d) closedir(d);
  return n;
}

Test(rt_waiters, sleep_while_the_machine_is_crowded) {
  unsetenv("OMP_WAIT_POLICY");
  int before = threads_now();
  uint32_t at_first = rt_waiters_judge(10, 1000); /* of the time before: none */
  cr_expect_eq(rt_waiters_judge(10.1, 1002), at_first);
  uint32_t crowded = rt_waiters_judge(10.2, 1030);
  cr_expect_neq(crowded, at_first);
  /* libomp is told by a function, libgomp by more threads */
  bool told = dlsym(RTLD_DEFAULT, "kmp_set_blocktime") != NULL;
  for (int k = 0; !told && k < 2000 && threads_now() <= before; k++)
    usleep(1000);
  if (!told) cr_expect_gt(threads_now(), before);
  cr_expect_eq(rt_waiters_judge(13, 1031), crowded); /* not yet for long */
  cr_expect_neq(rt_waiters_judge(16, 1032), crowded);
  for (int k = 0; k < 2000 && threads_now() > before; k++) usleep(1000);
  cr_expect_eq(threads_now(), before);
  rt_waiters_clear();
}

Test(rt_waiters, as_the_program_says) {
  setenv("OMP_WAIT_POLICY", "active", 1);
  uint32_t at_first = rt_waiters_judge(10, 1000);
  cr_expect_eq(rt_waiters_judge(10.1, 9000), at_first);
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
  struct rt_relation m = {.from = &set,
                          .to = &to,
                          .arity = 1,
                          .table = targets,
                          .version = colours ? 91 : 92,
                          .name = "m"};
  double sum, first_sum = 0, first_cells[50];
  enum rt_run_mode mode = colours    ? RT_RUN_COLOURED
                          : coloured ? RT_RUN_PARTS
                                     : RT_RUN_RANGE;
  shared = coloured;
  rt_set_block_size(100);
  for (run = 0; run < RUNS; run++) {
    struct rt_program *p = make_program();
    struct rt_launch *l =
        make_launch(p, sum_region, make_set(p, &set), mode, 1, RT_BIND_ACC, 0u);
    struct rt_reduction r = {
        make_global(p, &sum), f64, 1, ACC_INC, -1, false, false, 0};
    make_reduction(l, r);
    if (coloured) make_conflict(l, make_map(p, &m), 0, 1);
    l->team = run % 2 ? RT_TEAM_ONE : RT_TEAM_ALL;
    sum = 0.1;
    in_team[run] = false;
    memset(cells, 0, sizeof cells);
    cr_assert_eq(make_run(p, 3), OK);
    if (!run) {
      first_sum = sum;
      memcpy(first_cells, cells, sizeof cells);
    }
    cr_expect_eq(sum, first_sum, "run %d", run);
    if (coloured)
      cr_expect_eq(memcmp(cells, first_cells, sizeof cells), 0, "run %d", run);
    rt_program_free(p);
  }
  for (run = 0; run < RUNS; run++) cr_expect_eq(in_team[run], run % 2 == 0);
  rt_walk_cache_clear();
}

/* What is told of a launch over three threads. */
static void
check_told(uint64_t version, enum rt_run_mode mode, const char *told) {
  struct rt_set set = {.n = N, .name = "edges"}, to = {.n = 50, .name = "c"};
  struct rt_relation m = {.from = &set,
                          .to = &to,
                          .arity = 1,
                          .table = targets,
                          .version = version,
                          .name = "m"};
  double sum = 0;
  struct str s = STR_INIT;
  struct rt_program *p = make_program();
  struct rt_launch *l =
      make_launch(p, sum_region, make_set(p, &set), mode, 1, RT_BIND_ACC, 0u);
  struct rt_reduction r = {
      make_global(p, &sum), f64, 1, ACC_INC, -1, false, false, 0};
  make_reduction(l, r);
  make_conflict(l, make_map(p, &m), 0, 1);
  rt_set_block_size(100);
  cr_assert_eq(make_run(p, 3), OK);
  rt_exec_explain(p, &s);
  cr_expect(strstr(s.s, told), "%s", s.s);
  str_clear(&s);
  rt_program_free(p);
}

Test(rt_team, what_is_told) {
  for (int i = 0; i < N; i++) targets[i] = i / (N / 50);
  check_told(701, RT_RUN_PARTS,
             "runs in 3 parts, then 60 of its 3000 elements on one");
  for (int i = 0; i < N; i++) targets[i] = i % 3 ? i / (N / 50) : 7;
  check_told(702, RT_RUN_PARTS,
             "runs on one: writes through maps meet so often");
  check_told(703, RT_RUN_COLOURED, "runs in 30 colours of 30 blocks");
  rt_walk_cache_clear();
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
