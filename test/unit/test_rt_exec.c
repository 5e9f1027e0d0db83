/* rt/exec.c with region functions written by hand. */
#include "base/counters.h"
#include "rt/walk/launch.h"
#include "rt_make.h"

#include <criterion/criterion.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const struct type f64 = {TYPE_F64, 8}, i64 = {TYPE_I64, 8};

static struct rt_dat
dat_of(idx_l n, uint32_t dim, struct type t, uint32_t block) {
  struct rt_dat d;
  struct rt_shape s = {n, dim, t, block, 0, NULL};
  cr_assert_eq(rt_dat_init(&d, s, NULL, false), OK);
  return d;
}

static double
value_at(struct rt_dat *d, size_t i) {
  rt_dat_sync(d);
  return ((double *)d->mirror)[i];
}

/* x[e] += 1, and where its part began. */
static void
visit_region(void *const *ptr, int64_t lo, int64_t hi) {
  double *visits = ptr[0], *began = ptr[1];
  for (int64_t e = lo; e < hi; e++) visits[e] += 1, began[e] = (double)lo;
}

static void
check_visits(idx_l n, int threads, enum rt_run_mode mode) {
  struct rt_set set = {.n = n, .name = "cells"};
  struct rt_dat visits = dat_of(n, 1, f64, 1), began = dat_of(n, 1, f64, 1);
  struct rt_program *p = make_program();
  uint32_t v = make_slot(p, &visits, true), b = make_slot(p, &began, true);
  make_launch(p, visit_region, make_set(p, &set), mode, 2, RT_BIND_SLOT, v,
              RT_BIND_SLOT, b);
  make_out(p, 0, v);
  make_out(p, 1, b);
  cr_assert_eq(make_run(p, threads), OK);
  for (idx_l e = 0; e < n; e++) {
    cr_assert_eq(value_at(&visits, e), 1, "n %d, %d threads", n, threads);
    cr_assert_eq((long)value_at(&began, e) % 64, 0);
  }
  rt_program_free(p);
  rt_dat_clear(&visits);
  rt_dat_clear(&began);
}

Test(rt_exec, every_element_runs_once) {
  static const idx_l sizes[] = {0, 1, 63, 64, 65, 127, 999, 1000, 1001, 20000};
  rt_set_thread_least(0);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int threads = 1; threads <= 5; threads++)
      for (int mode = RT_RUN_RANGE; mode <= RT_RUN_PARTS; mode++)
        check_visits(sizes[i], threads, mode);
}

static int calls;

static void
count_region(void *const *ptr, int64_t lo, int64_t hi) {
  (void)ptr, (void)lo, (void)hi;
  __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
}

static int
calls_for(idx_l n, int threads, enum rt_run_mode mode) {
  struct rt_set set = {.n = n, .name = "cells"};
  struct rt_program *p = make_program();
  make_launch(p, count_region, make_set(p, &set), mode, 0);
  calls = 0;
  cr_assert_eq(make_run(p, threads), OK);
  rt_program_free(p);
  return calls;
}

Test(rt_exec, small_sets_stay_on_one_thread) {
  cr_assert_eq(calls_for(1023, 2, RT_RUN_RANGE), 1);
  cr_assert_eq(calls_for(1024, 2, RT_RUN_RANGE), 2);
}

Test(rt_exec, serial_launches_stay_on_one_thread) {
  cr_assert_eq(calls_for(100000, 3, RT_RUN_SERIAL), 1);
}

Test(rt_exec, empty_sets_call_nothing) {
  cr_assert_eq(calls_for(0, 2, RT_RUN_RANGE), 0);
  cr_assert_eq(calls_for(0, 1, RT_RUN_SERIAL), 0);
}

/* ---- binds --------------------------------------------------------------- */

static void *seen[8];

static void
look_region(void *const *ptr, int64_t lo, int64_t hi) {
  (void)lo, (void)hi;
  memcpy(seen, ptr, 6 * sizeof *ptr);
}

Test(rt_exec, binds_are_what_they_name) {
  struct rt_set set = {.n = 10, .name = "cells"};
  idx_l table[10] = {0};
  struct rt_relation map = {.from = &set,
                            .to = &set,
                            .arity = 1,
                            .table = table,
                            .version = 1,
                            .name = "m"};
  struct rt_dat d = dat_of(10, 3, f64, 0);
  double global = 1, param = 2;
  struct rt_program *p = make_program();
  uint32_t slot = make_slot(p, &d, true);
  make_launch(p, look_region, make_set(p, &set), RT_RUN_RANGE, 6, RT_BIND_SLOT,
              slot, RT_BIND_STRIDE, slot, RT_BIND_MAP, make_map(p, &map),
              RT_BIND_PARAM, make_param(p, &param), RT_BIND_GLOBAL,
              make_global(p, &global), RT_BIND_ADDRESS,
              make_address(p, &calls));
  cr_assert_eq(make_run(p, 1), OK);
  cr_assert_eq(seen[0], d.buf->mem);
  cr_assert_eq((uintptr_t)seen[1], 64);
  cr_assert_eq(seen[2], table);
  cr_assert_eq(seen[3], &param);
  cr_assert_eq(seen[4], &global);
  cr_assert_eq(seen[5], &calls);
  rt_program_free(p);
  rt_dat_clear(&d);
}

/* ---- colours ------------------------------------------------------------- */

/* to[map[2e]] += e, to[map[2e+1]] -= 2e: integers, so any order must agree. */
static void
edge_region(void *const *ptr, int64_t lo, int64_t hi) {
  int64_t *to = ptr[0];
  const idx_l *map = ptr[1];
  for (int64_t e = lo; e < hi; e++) {
    to[map[2 * e]] += e;
    to[map[2 * e + 1]] -= 2 * e;
  }
}

struct mesh {
  struct rt_set edges, cells;
  struct rt_relation map;
};

static void
mesh_init(struct mesh *m, idx_l nedges, idx_l ncells) {
  idx_l *table = malloc(2 * (size_t)nedges * sizeof *table);
  uint32_t state = 11;
  for (idx_l i = 0; i < 2 * nedges; i++)
    table[i] = (idx_l)(make_random(&state) % (uint32_t)ncells);
  m->edges = (struct rt_set){.n = nedges, .name = "edges"};
  m->cells = (struct rt_set){.n = ncells, .name = "cells"};
  m->map = (struct rt_relation){.from = &m->edges,
                                .to = &m->cells,
                                .arity = 2,
                                .table = table,
                                .version = 5,
                                .name = "pecell"};
}

static struct rt_program *
edge_program(struct mesh *m, struct rt_dat *d) {
  struct rt_program *p = make_program();
  uint32_t slot = make_slot(p, d, true), map = make_map(p, &m->map);
  struct rt_launch *l =
      make_launch(p, edge_region, make_set(p, &m->edges), RT_RUN_PARTS, 2,
                  RT_BIND_SLOT, slot, RT_BIND_MAP, map);
  make_conflict(l, map, 0, 1);
  make_conflict(l, map, 1, 1);
  make_out(p, 0, slot);
  return p;
}

static void
check_edges(idx_l nedges, idx_l ncells, idx_l block, int threads) {
  struct mesh m;
  mesh_init(&m, nedges, ncells);
  struct rt_dat d = dat_of(ncells, 1, i64, 1);
  int64_t *want = calloc((size_t)ncells, sizeof *want);
  struct rt_program *p = edge_program(&m, &d);
  rt_set_block_size(block);
  for (int run = 0; run < 3; run++) {
    void *ptr[] = {want, (void *)(uintptr_t)m.map.table};
    edge_region(ptr, 0, nedges);
    cr_assert_eq(make_run(p, threads), OK);
    rt_dat_sync(&d);
    cr_assert_arr_eq(d.mirror, want, (size_t)ncells * sizeof *want,
                     "%d edges, %d cells, blocks of %d, %d threads", nedges,
                     ncells, block, threads);
  }
  rt_program_free(p);
  rt_walk_cache_clear();
  rt_dat_clear(&d);
  free(want);
  free((void *)(uintptr_t)m.map.table);
}

Test(rt_exec, increments_never_collide) {
  static const idx_l blocks[] = {1, 64, 100, 0};
  for (int threads = 1; threads <= 3; threads++)
    for (size_t i = 0; i < 4; i++) {
      check_edges(3000, 1000, blocks[i], threads);
      check_edges(1500, 2, blocks[i], threads);
      check_edges(30000, 20000, blocks[i], threads);
    }
}

Test(rt_exec, one_thread_needs_no_plan) {
  long long before = counters[CNT_plans];
  check_edges(3000, 1000, 0, 1);
  cr_assert_eq(counters[CNT_plans], before);
}

/* A map that changed has another version: the old plan must not be used. */
Test(rt_exec, a_changed_map_gets_its_own_plan) {
  struct mesh m;
  mesh_init(&m, 4000, 4000);
  idx_l *table = (idx_l *)(uintptr_t)m.map.table;
  struct rt_dat d = dat_of(4000, 1, i64, 1);
  struct rt_program *p = edge_program(&m, &d);
  p->launches[0].mode = RT_RUN_COLOURED;
  long long before = counters[CNT_plans];
  cr_assert_eq(make_run(p, 2), OK);
  for (int i = 0; i < 8000; i++) table[i] = 0;
  m.map.version = 6;
  cr_assert_eq(make_run(p, 2), OK);
  cr_assert_eq(counters[CNT_plans], before + 2);
  cr_assert_eq(p->scratch->runs[0].walk->nsteps,
               p->scratch->runs[0].walk->ntasks);
  rt_program_free(p);
  rt_dat_clear(&d);
  free(table);
}

/* A coloured order would take the pieces out of turn, and give ties to others. */
Test(rt_exec, coloured_payloads_run_in_one_piece) {
  struct mesh m;
  mesh_init(&m, 4000, 50);
  double min = 0;
  int64_t where = 0;
  struct rt_program *p = make_program();
  struct rt_launch *l =
      make_launch(p, count_region, make_set(p, &m.edges), RT_RUN_PARTS, 0);
  make_conflict(l, make_map(p, &m.map), 0, 1);
  struct rt_reduction v = {
      make_global(p, &min), f64, 1, ACC_MIN, -1, false, false, 0};
  struct rt_reduction i = {
      make_global(p, &where), i64, 1, ACC_MIN, 0, false, false, 0};
  make_reduction(l, v);
  make_reduction(l, i);
  calls = 0;
  cr_assert_eq(make_run(p, 3), OK);
  cr_assert_eq(calls, 1);
  rt_program_free(p);
  free((void *)(uintptr_t)m.map.table);
}

/* ---- slots and outs ------------------------------------------------------ */

enum { N = 200, DIM = 2 };

static void
double_region(void *const *ptr, int64_t lo, int64_t hi) {
  const double *from = ptr[0];
  double *to = ptr[1];
  for (int64_t i = DIM * lo; i < DIM * hi; i++) to[i] = 2 * from[i] + 1;
}

Test(rt_exec, fresh_slots_replace_buffers) {
  struct rt_set set = {.n = N, .name = "cells"};
  struct rt_dat d = dat_of(N, DIM, f64, 1);
  struct rt_program *p = make_program();
  uint32_t old = make_slot(p, &d, true), new = make_slot(p, &d, false);
  make_launch(p, double_region, make_set(p, &set), RT_RUN_RANGE, 2,
              RT_BIND_SLOT, old, RT_BIND_SLOT, new);
  make_out(p, 0, new);
  for (int run = 0; run < 4; run++) cr_assert_eq(make_run(p, 2), OK);
  cr_assert_eq(value_at(&d, 0), 15);
  cr_assert_eq(d.buf->refs, 1);
  rt_program_free(p);
  rt_dat_clear(&d);
}

/* q moves on, qold becomes a second name of what q was. */
Test(rt_exec, names_move_with_buffers) {
  struct rt_set set = {.n = N, .name = "cells"};
  struct rt_dat q = dat_of(N, DIM, f64, 1), qold = dat_of(N, DIM, f64, 1);
  struct rt_program *p = make_program();
  uint32_t now = make_slot(p, &q, true), next = make_slot(p, &q, false);
  make_slot(p, &qold, true);
  make_launch(p, double_region, make_set(p, &set), RT_RUN_RANGE, 2,
              RT_BIND_SLOT, now, RT_BIND_SLOT, next);
  make_out(p, 1, now);
  make_out(p, 0, next);
  for (int run = 0; run < 3; run++) cr_assert_eq(make_run(p, 1), OK);
  cr_assert_eq(value_at(&q, 1), 7);
  cr_assert_eq(value_at(&qold, 1), 3);
  cr_assert_eq(q.buf->refs, 1);
  cr_assert_eq(qold.buf->refs, 1);
  rt_program_free(p);
  rt_dat_clear(&q);
  rt_dat_clear(&qold);
}

Test(rt_exec, two_dats_may_end_in_one_buffer) {
  struct rt_set set = {.n = N, .name = "cells"};
  struct rt_dat q = dat_of(N, DIM, f64, 1), qold = dat_of(N, DIM, f64, 1);
  struct rt_program *p = make_program();
  uint32_t now = make_slot(p, &q, true), next = make_slot(p, &q, false);
  make_slot(p, &qold, true);
  make_launch(p, double_region, make_set(p, &set), RT_RUN_RANGE, 2,
              RT_BIND_SLOT, now, RT_BIND_SLOT, next);
  make_out(p, 0, next);
  make_out(p, 1, next);
  for (int run = 0; run < 3; run++) cr_assert_eq(make_run(p, 1), OK);
  cr_assert_eq(q.buf, qold.buf);
  cr_assert_eq(q.buf->refs, 2);
  rt_dat_clear(&q);
  cr_assert_eq(value_at(&qold, 1), 7);
  rt_program_free(p);
  rt_dat_clear(&qold);
}

Test(rt_exec, writes_in_place_make_the_mirror_stale) {
  struct rt_set set = {.n = N, .name = "cells"};
  struct rt_dat d = dat_of(N, DIM, f64, 1);
  struct rt_program *p = make_program();
  uint32_t slot = make_slot(p, &d, true);
  make_launch(p, double_region, make_set(p, &set), RT_RUN_RANGE, 2,
              RT_BIND_SLOT, slot, RT_BIND_SLOT, slot);
  make_out(p, 0, slot);
  cr_assert_eq(make_run(p, 1), OK);
  cr_assert_not(d.mirror_current);
  cr_assert_eq(value_at(&d, 3), 1);
  rt_program_free(p);
  rt_dat_clear(&d);
}

Test(rt_exec, reading_leaves_the_mirror_current) {
  struct rt_set set = {.n = N, .name = "cells"};
  struct rt_dat d = dat_of(N, DIM, f64, 1), out = dat_of(N, DIM, f64, 1);
  struct rt_program *p = make_program();
  uint32_t from = make_slot(p, &d, true), to = make_slot(p, &out, false);
  make_launch(p, double_region, make_set(p, &set), RT_RUN_RANGE, 2,
              RT_BIND_SLOT, from, RT_BIND_SLOT, to);
  make_out(p, 1, to);
  cr_assert_eq(make_run(p, 1), OK);
  cr_assert(d.mirror_current);
  rt_program_free(p);
  rt_dat_clear(&d);
  rt_dat_clear(&out);
}

Test(rt_exec, foreign_dats_are_written_in_place) {
  static double data[N * DIM];
  struct rt_set set = {.n = N, .name = "cells"};
  struct rt_dat d;
  struct rt_shape shape = {N, DIM, f64, 1, 0, NULL};
  cr_assert_eq(rt_dat_init(&d, shape, data, true), OK);
  struct rt_program *p = make_program();
  uint32_t slot = make_slot(p, &d, true);
  make_launch(p, double_region, make_set(p, &set), RT_RUN_RANGE, 2,
              RT_BIND_SLOT, slot, RT_BIND_SLOT, slot);
  make_out(p, 0, slot);
  cr_assert_eq(make_run(p, 1), OK);
  cr_assert_eq(data[N * DIM - 1], 1);
  rt_program_free(p);
  rt_dat_clear(&d);
}

Test(rt_exec, copies_and_set_globals_keep_their_place) {
  struct rt_set set = {.n = N, .name = "cells"};
  struct rt_dat d = dat_of(N, DIM, f64, 0), keep = dat_of(N, DIM, f64, 0);
  double global = 0, one = 1, two = 2;
  struct rt_program *p = make_program();
  uint32_t a = make_slot(p, &d, true), b = make_slot(p, &keep, false);
  uint32_t g = make_global(p, &global);
  make_launch(p, double_region, make_set(p, &set), RT_RUN_RANGE, 2,
              RT_BIND_SLOT, a, RT_BIND_SLOT, a);
  make_cmd(p, RT_COPY, a, b, 0);
  make_cmd(p, RT_SET_GLOBAL, g, make_param(p, &two), sizeof global);
  make_cmd(p, RT_SET_GLOBAL, g, make_param(p, &one), sizeof global);
  make_cmd(p, RT_LAUNCH, 0, 0, 0);
  make_out(p, 0, a);
  make_out(p, 1, b);
  long long before = counters[CNT_copies];
  cr_assert_eq(make_run(p, 1), OK);
  cr_assert_eq(value_at(&d, 0), 3);
  cr_assert_eq(value_at(&keep, 0), 1);
  cr_assert_eq(global, 1);
  cr_assert_eq(counters[CNT_copies], before + 1);
  rt_program_free(p);
  rt_dat_clear(&d);
  rt_dat_clear(&keep);
}

Test(rt_exec, large_copies_are_whole) {
  enum { LARGE = 100003 };
  struct rt_dat d = dat_of(LARGE, 3, f64, 0), keep = dat_of(LARGE, 3, f64, 0);
  for (size_t i = 0; i < LARGE * 3; i++) ((double *)d.mirror)[i] = (double)i;
  struct rt_program *p = make_program();
  uint32_t from = make_slot(p, &d, true), to = make_slot(p, &keep, false);
  make_cmd(p, RT_COPY, from, to, 0);
  make_out(p, 1, to);
  cr_assert_eq(make_run(p, 3), OK);
  rt_dat_sync(&keep);
  cr_assert_arr_eq(keep.mirror, d.mirror, LARGE * 3 * sizeof(double));
  rt_program_free(p);
  rt_dat_clear(&d);
  rt_dat_clear(&keep);
}

Test(rt_exec, copies_change_the_layout_at_need) {
  struct rt_dat d = dat_of(N, DIM, f64, 0), keep = dat_of(N, DIM, f64, 1);
  for (size_t i = 0; i < N * DIM; i++) ((double *)d.mirror)[i] = (double)i;
  struct rt_program *p = make_program();
  uint32_t from = make_slot(p, &d, true), to = make_slot(p, &keep, false);
  make_cmd(p, RT_COPY, from, to, 0);
  make_out(p, 1, to);
  cr_assert_eq(make_run(p, 1), OK);
  rt_dat_sync(&keep);
  cr_assert_arr_eq(keep.mirror, d.mirror, N * DIM * sizeof(double));
  rt_program_free(p);
  rt_dat_clear(&d);
  rt_dat_clear(&keep);
}

/* ---- errors, repetition, counting ---------------------------------------- */

Test(rt_exec, no_memory_means_nothing_happened) {
  struct rt_set set = {.n = N, .name = "cells"};
  struct rt_dat d = dat_of(N, DIM, f64, 1);
  struct rt_dat huge = {.shape = {INT32_MAX, 1 << 24, f64, 1, 0, NULL}};
  struct rt_program *p = make_program();
  uint32_t slot = make_slot(p, &d, true);
  make_slot(p, &huge, false);
  make_launch(p, double_region, make_set(p, &set), RT_RUN_RANGE, 2,
              RT_BIND_SLOT, slot, RT_BIND_SLOT, slot);
  make_out(p, 0, slot);
  cr_assert_eq(make_run(p, 1), ERR_MEMORY);
  cr_assert(d.mirror_current);
  cr_assert_eq(d.buf->refs, 1);
  cr_assert_eq(*(double *)d.buf->mem, 0);
  rt_program_free(p);
  rt_dat_clear(&d);
}

Test(rt_exec, repeated_runs_allocate_nothing) {
  struct mesh m;
  mesh_init(&m, 4000, 4000);
  struct rt_dat d = dat_of(4000, 1, i64, 1);
  struct rt_program *p = edge_program(&m, &d);
  make_slot(p, &d, false);
  rt_walk_checking = false;
  cr_assert_eq(make_run(p, 2), OK);
  long long buffers = counters[CNT_allocations], plans = counters[CNT_plans];
  struct mallinfo2 before = mallinfo2();
  for (int i = 0; i < 10; i++) cr_assert_eq(make_run(p, 2), OK);
  struct mallinfo2 after = mallinfo2();
  cr_assert_eq(counters[CNT_allocations], buffers);
  cr_assert_eq(counters[CNT_plans], plans);
  cr_assert_eq(after.uordblks, before.uordblks);
  rt_program_free(p);
  rt_walk_cache_clear();
  rt_dat_clear(&d);
  free((void *)(uintptr_t)m.map.table);
}

Test(rt_exec, threads_may_change_between_runs) {
  struct mesh m;
  mesh_init(&m, 4000, 4000);
  struct rt_dat d = dat_of(4000, 1, i64, 1);
  struct rt_program *p = edge_program(&m, &d);
  int64_t *want = calloc(4000, sizeof *want);
  void *ptr[] = {want, (void *)(uintptr_t)m.map.table};
  for (int threads = 1; threads <= 4; threads++) {
    edge_region(ptr, 0, 4000);
    cr_assert_eq(make_run(p, threads), OK);
  }
  cr_assert_eq(make_run(p, 2), OK);
  edge_region(ptr, 0, 4000);
  rt_dat_sync(&d);
  cr_assert_arr_eq(d.mirror, want, 4000 * sizeof *want);
  rt_program_free(p);
  rt_walk_cache_clear();
  rt_dat_clear(&d);
  free(want);
  free((void *)(uintptr_t)m.map.table);
}

static void
find_line(void *user, const struct rt_timing *line) {
  double *sums = user;
  if (strcmp(line->name, "test")) return;
  cr_assert_geq(line->seconds, 0);
  sums[0] += (double)line->calls;
  sums[1] += line->bytes;
}

Test(rt_exec, launches_are_counted_and_timed) {
  struct rt_set set = {.n = N, .name = "cells"};
  struct rt_program *p = make_program();
  struct rt_launch *l =
      make_launch(p, count_region, make_set(p, &set), RT_RUN_RANGE, 0);
  l->bytes_per_element = 24;
  long long regions = counters[CNT_regions], moved = counters[CNT_bytes_moved];
  double sums[2] = {0, 0};
  cr_assert_eq(make_run(p, 1), OK);
  cr_assert_eq(make_run(p, 1), OK);
  rt_timer_each(find_line, sums);
  cr_assert_eq(sums[0], 2);
  cr_assert_eq(sums[1], 2 * 24 * N);
  cr_assert_eq(counters[CNT_regions], regions + 2);
  cr_assert_eq(counters[CNT_bytes_moved], moved + 2 * 24 * N);
  rt_program_free(p);
}

static void
keep_line(void *user, const struct rt_timing *line) {
  if (!strcmp(line->name, "test")) *(struct rt_timing *)user = *line;
}

/* What a launch does and how it ran is kept where somebody asks for it. */
Test(rt_timer, in_detail) {
  struct rt_set set = {.n = N, .name = "cells"};
  struct rt_program *p = make_program();
  struct rt_launch *l =
      make_launch(p, count_region, make_set(p, &set), RT_RUN_RANGE, 0);
  l->effort = (struct rt_effort){.flops = 3, .far = 2, .open = true};
  struct rt_timing t = {0};
  cr_assert_eq(make_run(p, 1), OK);
  rt_timer_each(keep_line, &t);
  cr_assert(t.calls == 1 && !t.elements && !t.way.n);
  rt_timer_detail = true;
  cr_assert_eq(make_run(p, 1), OK);
  cr_assert_eq(make_run(p, 1), OK);
  rt_timer_before(p->launches[0].timer, RT_BEFORE_COMPILE, 0.5, 0, 1);
  rt_timer_each(keep_line, &t);
  rt_timer_detail = false;
  cr_assert(t.calls == 3 && t.elements == 2 * N && t.work.open);
  cr_assert(t.work.flops == 6 * N && t.work.far == 4 * N && !t.work.adds);
  cr_assert(t.way.n == N && t.way.threads == 1 && t.way.locality < 0);
  cr_assert_eq(t.before[RT_BEFORE_COMPILE].seconds, 0.5);
  rt_timer_reset();
  rt_program_free(p);
}

/* Of short launches one run in sixteen is timed, for all since the last one. */
Test(rt_timer, short_launches_are_timed_now_and_then) {
  struct rt_launch l = {0};
  cr_assert(rt_launch_timed(&l));
  cr_assert_eq(rt_launch_took(&l, 1e-6), 1e-6);
  for (int k = 0; k < 15; k++) cr_assert(!rt_launch_timed(&l));
  cr_assert(rt_launch_timed(&l));
  cr_assert_eq(rt_launch_took(&l, 1e-6), 16e-6);
  cr_assert_eq(l.seconds, 17e-6);
}

Test(rt_timer, long_launches_are_timed_each) {
  struct rt_launch l = {0};
  for (int k = 0; k < 3; k++) {
    cr_assert(rt_launch_timed(&l));
    cr_assert_eq(rt_launch_took(&l, 1), 1);
  }
  cr_assert_eq(l.seconds, 3);
}

/* Who set the sum to zero compares single runs. */
Test(rt_timer, a_run_behind_zero_is_timed_for_itself) {
  struct rt_launch l = {.seconds = 1, .took = 1e-6};
  cr_assert(!rt_launch_timed(&l));
  l.seconds = 0;
  cr_assert(rt_launch_timed(&l));
  cr_assert_eq(rt_launch_took(&l, 2e-6), 4e-6);
  cr_assert_eq(l.seconds, 2e-6);
}

Test(rt_timer, reset_keeps_numbers) {
  uint32_t a = rt_timer_get("a"), b = rt_timer_get("test");
  double sums[2] = {0, 0};
  rt_timer_add(b, 1.5, 7);
  rt_timer_reset();
  cr_assert_eq(rt_timer_get("a"), a);
  cr_assert_eq(rt_timer_get("test"), b);
  rt_timer_each(find_line, sums);
  cr_assert_eq(sums[0], 0);
}

Test(rt_program, free_takes_none) {
  rt_program_free(NULL);
}
