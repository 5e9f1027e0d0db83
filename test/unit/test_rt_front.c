/* Fronts: what plans allow, what the checker finds, what is run. */
#include "base/counters.h"
#include "rt/walk/front.h"
#include "rt/walk/front_plan.h"
#include "front_make.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 3000, EDGES = CELLS - 1 };

/* Edges join cells e and e + 1; a step over edges adds to cells, one over cells
 * takes these and makes new values. In memory 0 the values, in 1 the sums. */
struct line {
  struct rt_set cells, edges;
  idx_l *table;
  struct rt_relation ends;
  struct rt_dat sums;
  struct rt_program *p;
  struct rt_chain chain;
};

static struct line *
line_make(uint32_t steps, idx_l piece) {
  struct line *x = mem_alloc(1, sizeof *x);
  x->cells = (struct rt_set){.n = CELLS, .name = "cells"};
  x->edges = (struct rt_set){.n = EDGES, .name = "edges"};
  x->table = mem_alloc(2 * EDGES, sizeof *x->table);
  for (idx_l e = 0; e < EDGES; e++) {
    x->table[2 * e] = e;
    x->table[2 * e + 1] = e + 1;
  }
  x->ends = make_table(&x->edges, &x->cells, 2, x->table, 1);
  x->p = make_program();
  uint32_t cells = make_set(x->p, &x->cells);
  uint32_t edges = make_set(x->p, &x->edges);
  make_map(x->p, &x->ends);
  for (uint32_t s = 0; s < steps; s++) {
    make_launch(x->p, NULL, edges, RT_RUN_PARTS, 0)->name = "flux";
    make_launch(x->p, NULL, cells, RT_RUN_RANGE, 0)->name = "update";
    touch(&x->chain, 2 * s, 0, 0, false);
    touch(&x->chain, 2 * s, 1, 0, false);
    touch(&x->chain, 2 * s, 1, 0, true);
    touch(&x->chain, 2 * s + 1, 1, RT_DIRECT, false);
    touch(&x->chain, 2 * s + 1, 0, RT_DIRECT, true);
  }
  x->chain.count = 2 * steps;
  x->chain.piece = piece;
  return x;
}

/* What edges add comes in their order. */
static void
line_order(struct line *x) {
  struct rt_shape s = {.n = CELLS, .dim = 1, .type = {TYPE_F64, 8}, .block = 1};
  cr_assert_eq(rt_dat_init(&x->sums, s, NULL, false), OK);
  struct rt_write w = {make_slot(x->p, &x->sums, true), 0, 0, 2};
  for (uint32_t k = 0; k < x->p->nlaunches; k += 2) {
    struct rt_launch *l = &x->p->launches[k];
    l->mode = RT_RUN_IN_ORDER;
    MAKE_PUSH(l->writes, l->nwrites, w);
  }
}

static void
line_free(struct line *x) {
  if (x->p->ndats) rt_dat_clear(&x->sums);
  free(x->chain.touches);
  free(x->table);
  rt_program_free(x->p);
  free(x);
}

static struct rt_front_plan
plan(const struct line *x, int threads) {
  struct rt_front_plan y;
  status st = rt_front_plan_make(x->p, &x->chain, threads, &y);
  cr_assert_eq(st, OK, "%s", err_last());
  return y;
}

/* ---- plans --------------------------------------------------------------- */

Test(front, launches_follow_each_other_closely) {
  struct line *x = line_make(2, 100);
  struct rt_front_plan y = plan(x, 1);
  cr_assert_eq(y.threads, 1);
  cr_assert_eq(y.turns, (EDGES + 99) / 100);
  /* edges [0, 100) give cells [0, 99) all of theirs */
  const struct {
    uint32_t launch;
    idx_l lo, hi;
  } want[] = {{0, 0, 100}, {1, 0, 100}, {2, 0, 99}, {3, 0, 99}};
  for (uint32_t k = 0; k < 4; k++) {
    cr_assert_eq(y.pieces[k].launch, want[k].launch);
    cr_assert_eq(y.pieces[k].lo, want[k].lo);
    cr_assert_eq(y.pieces[k].hi, want[k].hi, "piece %u ends at %d, not %d", k,
                 y.pieces[k].hi, want[k].hi);
  }
  cr_assert_eq(rt_front_check(x->p, &x->chain, &y), OK);
  rt_front_plan_clear(&y);
  line_free(x);
}

Test(front, threads_have_trapezoids_and_gaps) {
  struct line *x = line_make(3, 64);
  struct rt_front_plan y = plan(x, 3);
  cr_assert_eq(y.threads, 3);
  cr_assert(y.behind > 0 && y.behind < 0.02, "%g", y.behind);
  for (int t = 0; t < 3; t++) cr_assert(y.begin[t] < y.begin[t + 1]);
  cr_assert(y.begin[3] < y.begin[4] && y.begin[4] < y.begin[5]);
  cr_assert_eq(y.begin[5], y.begin[6], "there are two gaps between three");
  cr_assert_eq(rt_front_check(x->p, &x->chain, &y), OK);
  rt_front_plan_clear(&y);
  line_free(x);
}

/* The plan of a front is another's if launches meet alike, in whatever memory. */
Test(front, plans_are_shared_where_launches_meet_alike) {
  struct line *x = line_make(2, 100), *y = line_make(2, 100);
  struct rt_chain *c = &y->chain, was = *c;
  struct rt_front_plan *shared;
  for (uint32_t k = 0; k < c->ntouches; k++) c->touches[k].memory += 7;
  cr_assert(rt_front_plan_fits(x->p, c, &x->chain));
  c->touches[9].memory = 9; /* the last update writes what nobody reads */
  cr_assert(!rt_front_plan_fits(x->p, c, &x->chain));
  c->touches[9].memory = 7;
  c->touches[9].writes = false;
  cr_assert(!rt_front_plan_fits(x->p, c, &x->chain));
  c->touches[9].writes = true;
  c->touches[5].map = RT_DIRECT;
  cr_assert(!rt_front_plan_fits(x->p, c, &x->chain));
  c->touches[5].map = 0;
  c->piece = 99;
  cr_assert(!rt_front_plan_fits(x->p, c, &x->chain));
  *c = was;
  c->count = 2;
  cr_assert(!rt_front_plan_fits(x->p, c, &x->chain));
  *c = was;
  x->p->launches[2].mode = RT_RUN_SERIAL;
  c->count = x->chain.count = 2;
  c->ntouches = x->chain.ntouches = 5;
  cr_assert(rt_front_plan_fits(x->p, c, &x->chain));
  c->first = 2;
  cr_assert(!rt_front_plan_fits(x->p, c, &x->chain));
  x->p->launches[2].mode = RT_RUN_PARTS;
  cr_assert(rt_front_plan_fits(x->p, c, &x->chain));
  cr_assert_eq(rt_front_plan_new(x->p, &x->chain, 2, &shared), OK);
  rt_front_plan_unref(rt_front_plan_ref(shared));
  cr_assert_eq(rt_front_check(x->p, c, shared), OK);
  rt_front_plan_unref(shared);
  rt_front_plan_unref(NULL);
  line_free(x);
  line_free(y);
}

/* What runs again is saved with the plan: rows of a size, through some entries. */
Test(front, plans_are_shared_where_rows_are_alike) {
  struct line *x = line_make(2, 100);
  struct rt_chain c = x->chain;
  struct rt_dat wide;
  struct rt_shape s = {.n = CELLS, .dim = 4, .type = {TYPE_F64, 8}, .block = 1};
  line_order(x);
  cr_assert_eq(rt_dat_init(&wide, s, NULL, false), OK);
  struct rt_write *w = x->p->launches[2].writes;
  uint32_t narrow = w->slot, slot = make_slot(x->p, &wide, true);
  c.first = 2;
  c.count = x->chain.count = 2;
  c.ntouches = x->chain.ntouches = 5;
  cr_assert(rt_front_plan_fits(x->p, &c, &x->chain));
  w->slot = slot;
  cr_assert(!rt_front_plan_fits(x->p, &c, &x->chain));
  w->slot = narrow;
  w->count = 1;
  cr_assert(!rt_front_plan_fits(x->p, &c, &x->chain));
  w->count = 2;
  x->p->launches[2].nwrites = 0;
  cr_assert(!rt_front_plan_fits(x->p, &c, &x->chain));
  x->p->launches[2].nwrites = 1;
  rt_dat_clear(&wide);
  line_free(x);
}

/* Blocks of 16 elements, in which pieces of 100 do not end. */
Test(front, pieces_end_anywhere_in_blocks) {
  enum { MANY = 100000 };
  struct line *x = line_make(2, 100);
  x->cells.n = MANY;
  x->edges.n = MANY - 1;
  free(x->table);
  x->ends.table = x->table = mem_alloc(2 * MANY, sizeof *x->table);
  for (idx_l e = 0; e < MANY - 1; e++) {
    x->table[2 * e] = e;
    x->table[2 * e + 1] = e + 1;
  }
  for (int threads = 1; threads <= 3; threads++) {
    struct rt_front_plan y = plan(x, threads);
    cr_assert_eq(y.threads, threads);
    cr_assert_eq(rt_front_check(x->p, &x->chain, &y), OK, "%s", err_last());
    rt_front_plan_clear(&y);
  }
  line_free(x);
}

/* Of each gap's edges the last one shares a cell with one of the next thread. */
Test(front, in_order_edges_behind_a_gap_run_again) {
  struct line *x = line_make(3, 64);
  line_order(x);
  for (int threads = 1; threads <= 4; threads++) {
    struct rt_front_plan y = plan(x, threads);
    cr_assert_eq(y.threads, threads);
    cr_assert_eq(y.nagain, 3u * (uint32_t)(threads - 1));
    cr_assert_eq(rt_front_check(x->p, &x->chain, &y), OK, "%s", err_last());
    rt_front_plan_clear(&y);
  }
  line_free(x);
}

/* Nobody says what is written. */
Test(front, in_order_one_thread_runs_what_is_not_told) {
  struct line *x = line_make(2, 64);
  for (uint32_t k = 0; k < 4; k += 2) x->p->launches[k].mode = RT_RUN_IN_ORDER;
  struct rt_front_plan y = plan(x, 3);
  cr_assert_eq(y.threads, 1);
  rt_front_plan_clear(&y);
  line_free(x);
}

static struct rt_piece *
piece_of(struct rt_front_plan *y, enum rt_piece_kind kind) {
  uint32_t k = 0;
  while (k < y->npieces && y->pieces[k].kind != kind) k++;
  cr_assert(k < y->npieces);
  return &y->pieces[k];
}

Test(front, the_checker_finds_what_does_not_run_again) {
  struct line *x = line_make(1, 64);
  line_order(x);
  struct rt_front_plan y = plan(x, 2);
  piece_of(&y, RT_PIECE_AGAIN)->kind = RT_PIECE_END;
  cr_assert_eq(rt_front_check(x->p, &x->chain, &y), OK,
               "nobody comes too late, as all is put back");
  piece_of(&y, RT_PIECE_BEGIN)->kind = RT_PIECE_END;
  cr_assert_eq(rt_front_check(x->p, &x->chain, &y), ERR_STATE);
  cr_assert(strstr(err_last(), "behind element"), "%s", err_last());
  rt_front_plan_clear(&y);
  line_free(x);
}

/* A table whose last row names the first cell: it holds up all. */
Test(front, an_order_that_jumps_has_no_room_for_threads) {
  struct line *x = line_make(2, 64);
  x->table[2 * (EDGES - 1)] = 0;
  struct rt_front_plan y = plan(x, 2);
  cr_assert_eq(y.threads, 0, "launches run one by one, by all threads");
  rt_front_plan_clear(&y);
  rt_set_front_tight(true);
  y = plan(x, 2);
  cr_assert_eq(y.threads, 2, "most of it in the gap");
  cr_assert_eq(rt_front_check(x->p, &x->chain, &y), OK);
  rt_front_plan_clear(&y);
  rt_set_front_tight(false);
  line_free(x);
}

/* A few boundary edges at the low cells come first: all edges inside would be
 * the first thread's. */
Test(front, a_thread_that_has_all_to_do_is_none) {
  struct line *x = line_make(1, 64);
  struct rt_set bedges = {.n = 100, .name = "bedges"};
  idx_l table[100];
  for (idx_l e = 0; e < 100; e++) table[e] = e;
  struct rt_relation to = make_table(&bedges, &x->cells, 1, table, 2);
  uint32_t set = make_set(x->p, &bedges), map = make_map(x->p, &to);
  make_launch(x->p, NULL, set, RT_RUN_PARTS, 0);
  struct rt_launch first = x->p->launches[2];
  memmove(x->p->launches + 1, x->p->launches, 2 * sizeof first);
  x->p->launches[0] = first;
  for (uint32_t k = 0; k < x->chain.ntouches; k++) x->chain.touches[k].launch++;
  struct rt_touch adds = {0, 1, map, true};
  MAKE_PUSH(x->chain.touches, x->chain.ntouches, adds);
  uint32_t last = x->chain.ntouches - 1;
  memmove(x->chain.touches + 1, x->chain.touches, last * sizeof adds);
  x->chain.touches[0] = adds;
  x->chain.count = 3;
  struct rt_front_plan y = plan(x, 2);
  cr_assert_eq(y.threads, 0);
  rt_front_plan_clear(&y);
  line_free(x);
}

Test(front, random_relations_and_touches_pass_the_checker) {
  enum { PLAYS = 400, LAUNCHES = 6, MEMORIES = 4 };
  uint32_t seed = 7;
  int several = 0, again = 0;
  rt_set_front_tight(true);
  for (int play = 0; play < PLAYS; play++) {
    uint32_t most = play % 4 ? 2000 : 50000;
    idx_l n = (idx_l)(make_random(&seed) % most) + 1;
    idx_l m = (idx_l)(make_random(&seed) % most) + 1;
    idx_l far = (idx_l)(make_random(&seed) % 40);
    struct rt_set sets[2] = {{.n = n, .name = "a"}, {.n = m, .name = "b"}};
    idx_l *table = mem_alloc((size_t)n * 2, sizeof *table);
    for (idx_l k = 0; k < 2 * n; k++) {
      idx_l to = (idx_l)((int64_t)(k / 2) * m / n) - far / 2 +
                 (idx_l)(make_random(&seed) % (uint32_t)(far + 1));
      table[k] = to < 0 ? 0 : to < m ? to : m - 1;
    }
    struct rt_relation map =
        make_table(&sets[0], &sets[1], 2, table, 1 + (uint64_t)play);
    struct rt_dat d = {.shape = {.dim = 1, .type = {TYPE_F64, 8}}};
    struct rt_program *p = make_program();
    struct rt_chain c = {.piece = (idx_l)(make_random(&seed) % 300) + 1};
    make_set(p, &sets[0]);
    make_set(p, &sets[1]);
    make_map(p, &map);
    c.count = make_random(&seed) % LAUNCHES + 1;
    for (uint32_t i = 0; i < c.count; i++) {
      uint32_t set = make_random(&seed) % 2;
      bool ordered = make_random(&seed) % 2;
      struct rt_launch *l = make_launch(
          p, NULL, set, ordered ? RT_RUN_IN_ORDER : RT_RUN_PARTS, 0);
      struct rt_write w = {make_slot(p, &d, true), set ? RT_DIRECT : 0, 0, 2};
      MAKE_PUSH(l->writes, l->nwrites, w);
      for (uint32_t k = make_random(&seed) % 4; k-- > 0;) {
        /* memories 0 and 1 are of set a, 2 and 3 of b */
        bool far_away = !set && make_random(&seed) % 2;
        uint32_t of = set || far_away ? 2 : 0;
        touch(&c, i, of + make_random(&seed) % 2, far_away ? 0 : RT_DIRECT,
              make_random(&seed) % 2);
      }
    }
    struct rt_front_plan y;
    int threads = (int)(make_random(&seed) % 4) + 1;
    cr_assert_eq(rt_front_plan_make(p, &c, threads, &y), OK, "%s", err_last());
    cr_assert(y.threads >= 1, "one thread always has room");
    cr_assert_eq(rt_front_check(p, &c, &y), OK, "play %d: %s", play,
                 err_last());
    several += y.threads > 1;
    again += y.nagain > 0;
    rt_front_plan_clear(&y);
    free(c.touches);
    free(table);
    rt_program_free(p);
  }
  rt_set_front_tight(false);
  cr_assert(several > PLAYS / 4, "%d", several);
  cr_assert(again > PLAYS / 20, "%d", again);
}

/* ---- runs ---------------------------------------------------------------- */

/* Two steps; behind the first one the global becomes `start`. */
static struct line *
line_to_run(struct rt_dat *dats, int64_t *global, const int64_t *start,
            bool front) {
  static const struct type i64 = {TYPE_I64, 8};
  struct line *x = line_make(2, 64);
  struct rt_program *p = x->p;
  for (uint32_t k = 0; k < 2; k++) make_out(p, k, make_slot(p, &dats[k], true));
  make_global(p, global);
  make_param(p, start);
  p->ncmds = 0;
  if (front) make_cmd(p, RT_CHAIN, 0, 0, 0);
  for (uint32_t i = 0; i < p->nlaunches; i++) {
    struct rt_launch *l = &p->launches[i];
    struct rt_reduction sum = {0, i64, 1, ACC_INC, -1, false, false, 0};
    l->fn = i % 2 ? update_region : flux_region;
    for (uint32_t k = 0; k < 2; k++) bind(l, RT_BIND_SLOT, k);
    bind(l, i % 2 ? RT_BIND_ACC : RT_BIND_MAP, 0);
    if (i % 2)
      make_reduction(l, sum);
    else
      make_conflict(l, 0, 0, 2);
    make_cmd(p, RT_LAUNCH, i, 0, 0);
    if (i == 1) make_cmd(p, RT_SET_GLOBAL, 0, 0, sizeof *start);
  }
  if (!front) return x;
  MAKE_PUSH(p->chains, p->nchains, x->chain);
  x->chain.touches = NULL;
  return x;
}

/* What two runs give; *global and values of all cells. */
static void
run_line(int threads, bool front, int64_t *global, int64_t *values) {
  static const struct type i64 = {TYPE_I64, 8};
  struct rt_shape shape = {CELLS, 1, i64, 1, 0, NULL};
  struct rt_dat dats[2];
  int64_t start = 5;
  for (int k = 0; k < 2; k++)
    cr_assert_eq(rt_dat_init(&dats[k], shape, NULL, false), OK);
  struct line *x = line_to_run(dats, global, &start, front);
  *global = 11;
  long long turns = counters[CNT_tiles];
  for (int run = 0; run < 2; run++) cr_assert_eq(make_run(x->p, threads), OK);
  cr_assert_eq(counters[CNT_tiles] > turns, front);
  for (int k = 0; k < 2; k++) {
    rt_dat_sync(&dats[k]);
    memcpy(values + k * CELLS, dats[k].mirror, CELLS * sizeof *values);
  }
  line_free(x);
  for (int k = 0; k < 2; k++) rt_dat_clear(&dats[k]);
}

Test(front, runs_give_what_launches_one_by_one_give) {
  int64_t want, got;
  int64_t *a = mem_alloc(4 * CELLS, sizeof *a), *b = a + 2 * CELLS;
  rt_set_thread_least(0);
  run_line(1, false, &want, a);
  cr_assert_neq(want, 5);
  for (int threads = 1; threads <= 4; threads++) {
    run_line(threads, true, &got, b);
    cr_assert_eq(got, want, "%d threads: %lld, not %lld", threads,
                 (long long)got, (long long)want);
    cr_assert_arr_eq(b, a, 2 * CELLS * sizeof *a, "%d threads", threads);
  }
  free(a);
}

/* ---- the checker --------------------------------------------------------- */

static void
expect_fault(const struct line *x, const struct rt_front_plan *y,
             const char *what) {
  cr_assert_eq(rt_front_check(x->p, &x->chain, y), ERR_STATE);
  cr_assert(strstr(err_last(), what), "%s", err_last());
}

Test(front, the_checker_finds_what_is_planted) {
  struct line *x = line_make(1, 100);
  struct rt_front_plan y = plan(x, 1);
  struct rt_piece *a = &y.pieces[0], *b = &y.pieces[1], was = *b;
  b->hi++;
  y.pieces[3].lo++;
  expect_fault(x, &y, "comes to target 100 in memory 1 after update");
  y.pieces[3].lo--;
  expect_fault(x, &y, "runs twice");
  *b = was;
  b->hi--;
  expect_fault(x, &y, "of 3000 elements of update run");
  *b = was;
  was = *a;
  *a = *b;
  *b = was;
  expect_fault(x, &y, "comes to target 0 in memory");
  rt_front_plan_clear(&y);
  line_free(x);
}

Test(front, the_checker_finds_races) {
  struct line *x = line_make(1, 3000);
  struct rt_piece pieces[] = {{.launch = 0, .hi = 1500},
                              {.launch = 0, .lo = 1500, .hi = EDGES},
                              {.launch = 1, .hi = CELLS}};
  uint32_t begin[] = {0, 1, 2, 3, 3};
  struct rt_front_plan y = {
      .threads = 2, .pieces = pieces, .begin = begin, .npieces = 3};
  expect_fault(x, &y, "meets another thread at target 1500 in memory 1");
  line_free(x);
}
