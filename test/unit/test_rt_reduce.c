/* Reductions of every type, width and number of threads against the plain
 * loop. */
#include "rt_make.h"

#include <criterion/criterion.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5000, DIM_MAX = 5 };

/* What the region function reduces; set by each test. */
static struct type type;
static enum access access;
static uint32_t dim;
static char *values;

static void
reduce_region(void *const *ptr, int64_t lo, int64_t hi) {
  size_t row = (size_t)dim * type.size;
  for (int64_t e = lo; e < hi; e++)
    type_combine(type, access, ptr[0], values + (size_t)e * row, dim);
}

static void
random_values(void) {
  uint32_t state = 3;
  values = calloc(N * DIM_MAX, 8);
  for (size_t i = 0; i < (size_t)N * dim; i++) {
    int v = (int)(make_random(&state) % 1001) - 500;
    char *at = values + i * type.size;
    if (type.kind == TYPE_F64)
      *(double *)at = v;
    else if (type.kind == TYPE_F32)
      *(float *)at = (float)v;
    else if (type.kind == TYPE_BOOL)
      *(bool *)at = v == 0;
    else
      memcpy(at, &v, type.size < 4 ? type.size : 4);
  }
}

static void
check_type(int threads, idx_l n) {
  struct rt_set set = {.n = n, .name = "cells"};
  char start[DIM_MAX * 8], want[DIM_MAX * 8];
  memcpy(start, values + 100 * 8, sizeof start);
  memcpy(want, start, sizeof want);
  struct rt_program *p = make_program();
  struct rt_launch *l = make_launch(p, reduce_region, make_set(p, &set),
                                    RT_RUN_RANGE, 1, RT_BIND_ACC, 0u);
  struct rt_reduction r = {
      make_global(p, start), type, dim, access, -1, false, false, 0};
  make_reduction(l, r);
  for (int run = 0; run < 2; run++) {
    void *ptr[] = {want};
    reduce_region(ptr, 0, n);
    cr_assert_eq(make_run(p, threads), OK);
    cr_assert_arr_eq(start, want, (size_t)dim * type.size,
                     "%s x%u %s, %d threads, %d elements, run %d",
                     type_text(type), dim, access_info[access].text, threads, n,
                     run);
  }
  rt_program_free(p);
}

static void
check_all_types(uint32_t kind, uint32_t size) {
  static const enum access accesses[] = {ACC_INC, ACC_MIN, ACC_MAX};
  type = (struct type){kind, size};
  for (dim = 1; dim <= DIM_MAX; dim += 2) {
    random_values();
    for (int a = 0; a < 3; a++) {
      access = accesses[a];
      for (int threads = 1; threads <= 4; threads++) {
        check_type(threads, N);
        check_type(threads, 65);
        check_type(threads, 0);
      }
    }
    free(values);
  }
}

Test(rt_reduce, every_type_agrees_with_the_plain_loop) {
  rt_set_thread_least(0);
#define TYPE(name, text, bytes, ctype, kind)                                   \
  check_all_types(TYPE_##name, bytes);
#include "base/types.def"
#undef TYPE
}

/* ---- payloads ------------------------------------------------------------ */

struct place {
  int32_t element;
  char note[8];
};
static const struct type f64 = {TYPE_F64, 8};
static const struct type bytes12 = {TYPE_BYTES, sizeof(struct place)};
static const struct type i32 = {TYPE_I32, 4};
static double cost[N][3];

static void
place_set(struct place *p, int64_t e) {
  p->element = (int32_t)e;
  snprintf(p->note, sizeof p->note, "e%d", (int)e);
}

/* As users write it: the first that is smaller wins. */
static void
argmin_region(void *const *ptr, int64_t lo, int64_t hi) {
  double *min = ptr[0];
  for (int64_t e = lo; e < hi; e++)
    if (cost[e][0] < *min) *min = cost[e][0], place_set(ptr[1], e);
}

static void
argmax3_region(void *const *ptr, int64_t lo, int64_t hi) {
  double *max = ptr[0];
  int32_t *where = ptr[1];
  for (int64_t e = lo; e < hi; e++)
    for (int c = 0; c < 3; c++)
      if (cost[e][c] > max[c]) max[c] = cost[e][c], where[c] = (int32_t)e;
}

static void
run_argmin(int threads, idx_l n, double *min, struct place *where) {
  struct rt_set set = {.n = n, .name = "cells"};
  struct rt_program *p = make_program();
  struct rt_launch *l =
      make_launch(p, argmin_region, make_set(p, &set), RT_RUN_RANGE, 2,
                  RT_BIND_ACC, 0u, RT_BIND_ACC, 1u);
  struct rt_reduction value = {
      make_global(p, min), f64, 1, ACC_MIN, -1, false, false, 0};
  struct rt_reduction info = {
      make_global(p, where), bytes12, 1, ACC_MIN, 0, false, false, 0};
  make_reduction(l, value);
  make_reduction(l, info);
  cr_assert_eq(make_run(p, threads), OK);
  rt_program_free(p);
}

static void
ties_at(idx_l first, idx_l second, idx_l third) {
  for (int e = 0; e < N; e++) cost[e][0] = 10;
  cost[first][0] = cost[second][0] = cost[third][0] = -3;
}

Test(rt_reduce, ties_keep_the_earliest_element) {
  for (int threads = 1; threads <= 4; threads++) {
    double min = 5;
    struct place where = {-1, "none"};
    ties_at(1200, 2600, 4999);
    run_argmin(threads, N, &min, &where);
    cr_assert_eq(min, -3);
    cr_assert_eq(where.element, 1200, "%d threads", threads);
    cr_assert_str_eq(where.note, "e1200");
  }
}

Test(rt_reduce, a_later_better_element_wins) {
  double min = 5;
  struct place where = {-1, "none"};
  ties_at(1200, 2600, 4999);
  cost[4998][0] = -4;
  run_argmin(3, N, &min, &where);
  cr_assert_eq(where.element, 4998);
}

Test(rt_reduce, a_start_value_that_ties_keeps_its_payload) {
  for (int threads = 1; threads <= 3; threads++) {
    double min = -3;
    struct place where = {-1, "none"};
    ties_at(1200, 2600, 4999);
    run_argmin(threads, N, &min, &where);
    cr_assert_eq(where.element, -1);
    cr_assert_str_eq(where.note, "none");
  }
}

Test(rt_reduce, empty_sets_leave_payloads_alone) {
  double min = 1e300;
  struct place where = {-7, "keep"};
  run_argmin(2, 0, &min, &where);
  cr_assert_eq(min, 1e300);
  cr_assert_eq(where.element, -7);
}

Test(rt_reduce, components_have_their_own_winners) {
  for (int e = 0; e < N; e++) cost[e][0] = cost[e][1] = cost[e][2] = 0;
  cost[700][0] = 1, cost[4000][0] = 1;
  cost[3000][1] = 2;
  for (int threads = 1; threads <= 3; threads++) {
    double max[3] = {-1, 0.5, 9};
    int32_t where[3] = {-1, -2, -3};
    struct rt_set set = {.n = N, .name = "cells"};
    struct rt_program *p = make_program();
    struct rt_launch *l =
        make_launch(p, argmax3_region, make_set(p, &set), RT_RUN_RANGE, 2,
                    RT_BIND_ACC, 1u, RT_BIND_ACC, 0u);
    struct rt_reduction info = {
        make_global(p, where), i32, 3, ACC_MAX, 1, false, false, 0};
    struct rt_reduction value = {
        make_global(p, max), f64, 3, ACC_MAX, -1, false, false, 0};
    make_reduction(l, info); /* a payload may stand before its value */
    make_reduction(l, value);
    cr_assert_eq(make_run(p, threads), OK);
    cr_assert_eq(where[0], 700, "%d threads", threads);
    cr_assert_eq(where[1], 3000);
    cr_assert_eq(where[2], -3);
    cr_assert_eq(max[2], 9);
    rt_program_free(p);
  }
}

/* Two payloads of one value. */
static void
argmin2_region(void *const *ptr, int64_t lo, int64_t hi) {
  double *min = ptr[0];
  for (int64_t e = lo; e < hi; e++)
    if (cost[e][0] < *min) {
      *min = cost[e][0];
      *(int32_t *)ptr[1] = (int32_t)e;
      place_set(ptr[2], e);
    }
}

Test(rt_reduce, one_value_may_have_several_payloads) {
  double min = 5;
  int32_t element = -1;
  struct place where = {-1, "none"};
  struct rt_set set = {.n = N, .name = "cells"};
  struct rt_program *p = make_program();
  struct rt_launch *l =
      make_launch(p, argmin2_region, make_set(p, &set), RT_RUN_RANGE, 3,
                  RT_BIND_ACC, 0u, RT_BIND_ACC, 1u, RT_BIND_ACC, 2u);
  struct rt_reduction value = {
      make_global(p, &min), f64, 1, ACC_MIN, -1, false, false, 0};
  struct rt_reduction one = {
      make_global(p, &element), i32, 1, ACC_MIN, 0, false, false, 0};
  struct rt_reduction two = {
      make_global(p, &where), bytes12, 1, ACC_MIN, 0, false, false, 0};
  make_reduction(l, value);
  make_reduction(l, one);
  make_reduction(l, two);
  ties_at(4100, 4200, 4300);
  cr_assert_eq(make_run(p, 2), OK);
  cr_assert_eq(element, 4100);
  cr_assert_eq(where.element, 4100);
  rt_program_free(p);
}

/* ---- reproducible sums --------------------------------------------------- */

static double terms[N];

static void
sum_region(void *const *ptr, int64_t lo, int64_t hi) {
  double *sum = ptr[0];
  for (int64_t e = lo; e < hi; e++) *sum += terms[e];
}

static double
sum_of(int threads, idx_l n, enum rt_run_mode mode, idx_l *targets,
       bool exact) {
  struct rt_set set = {.n = n, .name = "edges"},
                to = {.n = 50, .name = "cells"};
  struct rt_relation m = {.from = &set,
                          .to = &to,
                          .arity = 1,
                          .table = targets,
                          .version = 77,
                          .name = "m"};
  double sum = 0.1;
  struct rt_program *p = make_program();
  struct rt_launch *l =
      make_launch(p, sum_region, make_set(p, &set), mode, 1, RT_BIND_ACC, 0u);
  struct rt_reduction r = {
      make_global(p, &sum), f64, 1, ACC_INC, -1, exact, false, 0};
  make_reduction(l, r);
  make_conflict(l, make_map(p, &m), 0, 1);
  cr_assert_eq(make_run(p, threads), OK);
  rt_program_free(p);
  return sum;
}

static void
random_terms(idx_l *targets) {
  uint32_t state = 5;
  for (int i = 0; i < N; i++) {
    terms[i] = 1.0 / (1 + make_random(&state) % 100000);
    targets[i] = i / (N / 50);
  }
}

Test(rt_reduce, reproducible_sums_do_not_see_the_threads) {
  static idx_l targets[N];
  random_terms(targets);
  rt_set_reproducible(true);
  rt_set_block_size(100);
  for (int mode = RT_RUN_RANGE; mode <= RT_RUN_PARTS; mode++) {
    double one = sum_of(1, N, mode, targets, true);
    for (int threads = 2; threads <= 4; threads++)
      cr_assert_eq(sum_of(threads, N, mode, targets, true), one, "mode %d",
                   mode);
  }
  rt_walk_cache_clear();
}

/* OpenMP may give fewer threads than were asked for: each takes several shares
 * then, with their accumulators. */
Test(rt_reduce, sums_do_not_see_how_many_threads_come) {
  static idx_l targets[N];
  random_terms(targets);
  rt_set_thread_least(0);
  double one = sum_of(1, N, RT_RUN_RANGE, targets, false);
  double three = sum_of(3, N, RT_RUN_RANGE, targets, false);
  cr_assert_neq(one, three, "an order that tells");
  omp_set_max_active_levels(0);
  cr_assert_eq(sum_of(3, N, RT_RUN_RANGE, targets, false), three);
  rt_walk_cache_clear();
}

/* Element e adds to running value e mod 4 of component 0 and 1. */
static void
lanes_region(void *const *ptr, int64_t lo, int64_t hi) {
  double *sum = ptr[0];
  for (int64_t e = lo; e < hi; e++) sum[e % 4] += terms[e];
  for (int64_t e = lo; e < hi; e++) sum[4 + e % 4] -= 2 * terms[e];
}

Test(rt_reduce, running_values_are_combined_in_their_order) {
  static idx_l targets[N];
  struct rt_set set = {.n = N, .name = "edges"};
  double sum[2] = {0.1, 0.1}, lane[4] = {0};
  random_terms(targets);
  for (int e = 0; e < N; e++) lane[e % 4] += terms[e];
  double want = ((lane[0] + lane[1]) + lane[2]) + lane[3];
  struct rt_program *p = make_program();
  struct rt_launch *l = make_launch(p, lanes_region, make_set(p, &set),
                                    RT_RUN_RANGE, 1, RT_BIND_ACC, 0u);
  struct rt_reduction r = {
      make_global(p, sum), f64, 2, ACC_INC, -1, false, false, 4};
  make_reduction(l, r);
  cr_assert_eq(make_run(p, 1), OK);
  cr_assert_eq(sum[0], 0.1 + want);
  cr_assert_eq(sum[1], 0.1 - 2 * want);
  rt_program_free(p);
}

/* Two accumulators of one global. */
static void
two_region(void *const *ptr, int64_t lo, int64_t hi) {
  sum_region(ptr, lo, hi);
  sum_region(ptr + 1, lo, hi);
}

/* A launch with two sums of one global leaves what two launches leave. */
static void
check_two(int threads, bool exact) {
  static idx_l targets[N];
  struct rt_set set = {.n = N, .name = "edges"};
  double sum = 0.1, want = 0.1;
  random_terms(targets);
  struct rt_program *p = make_program();
  struct rt_launch *l =
      make_launch(p, two_region, make_set(p, &set), RT_RUN_RANGE, 2,
                  RT_BIND_ACC, 0u, RT_BIND_ACC, 1u);
  struct rt_reduction r = {
      make_global(p, &sum), f64, 1, ACC_INC, -1, exact, false, 0};
  make_reduction(l, r);
  make_reduction(l, r);
  cr_assert_eq(make_run(p, threads), OK);
  rt_program_free(p);
  for (int k = 0; k < 2; k++) {
    p = make_program();
    l = make_launch(p, sum_region, make_set(p, &set), RT_RUN_RANGE, 1,
                    RT_BIND_ACC, 0u);
    r.global = make_global(p, &want);
    make_reduction(l, r);
    cr_assert_eq(make_run(p, threads), OK);
    rt_program_free(p);
  }
  cr_assert_eq(sum, want, "%d threads, exact %d", threads, exact);
  rt_walk_cache_clear();
}

Test(rt_reduce, two_sums_of_one_global_come_one_after_the_other) {
  rt_set_thread_least(0);
  for (int threads = 1; threads <= 3; threads++) {
    check_two(threads, false);
    check_two(threads, true);
  }
}
