/* Numbers by depth in a part; fronts over its layers, and what they leave. */
#include "base/arena.h"
#include "base/counters.h"
#include "rt/ranks/dist.h"
#include "rt/walk/front_layers.h"
#include "rt/walk/front_plan.h"
#include "front_make.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 70, EDGES = CELLS + 1 };

/* Cells in a row, CELLS of which are owned, between one of another rank on each
 * side; edge e joins the cells e and e + 1 of that row. Owned cell c is the
 * row's c + 1; behind them come the first and the last one. */
struct row {
  struct rt_part part[2]; /* cells, edges */
  struct rt_dist_map map;
  struct rt_dist d;
};

static idx_l
cell_of(int at) {
  if (at > 0 && at <= CELLS) return at - 1;
  return CELLS + (at > 0);
}

static void
part_fill(struct rt_part *p, idx_l owned, idx_l n, idx_l core) {
  *p = (struct rt_part){.owned = owned, .n = n, .core = core, .deepest = 1};
  p->deep[1] = owned;
  for (int k = 0; k <= REACH_MAX; k++) p->level[k] = k ? n : owned;
  p->global = mem_alloc((size_t)n, sizeof *p->global);
  p->sorted = mem_alloc((size_t)owned, sizeof *p->sorted);
  for (idx_l e = 0; e < n; e++) p->global[e] = e;
  for (idx_l e = 0; e < owned; e++) p->sorted[e] = e;
}

/* Edges at both ends name cells of other ranks: they come last. */
static struct row *
row_make(void) {
  struct row *x = mem_alloc(1, sizeof *x);
  part_fill(&x->part[0], CELLS, CELLS + 2, CELLS);
  part_fill(&x->part[1], EDGES, EDGES, EDGES - 2);
  x->map = (struct rt_dist_map){.from = 1, .to = 0, .arity = 2};
  x->map.table = mem_alloc(2 * EDGES, sizeof *x->map.table);
  for (int e = 0; e < EDGES; e++) {
    int at = e < EDGES - 2 ? e + 1 : e < EDGES - 1 ? 0 : EDGES - 1;
    x->map.table[2 * e] = cell_of(at);
    x->map.table[2 * e + 1] = cell_of(at + 1);
  }
  x->d = (struct rt_dist){
      .parts = x->part, .maps = &x->map, .nparts = 2, .nmaps = 1, .depth = 2};
  return x;
}

static void
row_free(struct row *x) {
  rt_part_clear(&x->part[0]);
  rt_part_clear(&x->part[1]);
  rt_dist_table_free(&x->map);
  free(x);
}

static void
deepen(struct row *x, bool any) {
  bool by_depth[2] = {true, true};
  rt_dist_deepen(&x->d, by_depth, any);
}

/* Steps from the cell, by its global number, to one of another rank. */
static int
steps_from(idx_g cell) {
  int first = (int)cell + 1, last = CELLS - (int)cell;
  int cells = first < last ? first : last;
  return 2 * cells < DEPTH_MAX ? 2 * cells : DEPTH_MAX;
}

Test(part_depth, the_deepest_come_first_in_their_order) {
  struct row *x = row_make();
  deepen(x, true);
  const struct rt_part *p = &x->part[0];
  for (idx_l c = 0; c < CELLS; c++) {
    int depth = steps_from(p->global[c]);
    cr_assert(c < p->deep[depth], "cell %d is in a layer of its depth", c);
    cr_assert(depth == DEPTH_MAX || c >= p->deep[depth + 1]);
    cr_assert_eq(p->sorted[p->global[c]], c);
    cr_assert_eq(p->place[c], p->global[c]);
    bool begins = !c || depth < steps_from(p->global[c - 1]);
    cr_assert(begins || p->global[c] > p->global[c - 1]);
  }
  cr_assert_eq(p->deep[1], CELLS);
  cr_assert_eq(p->deep[DEPTH_MAX], CELLS - 2 * (DEPTH_MAX / 2 - 1));
  cr_assert_eq(p->deepest, DEPTH_MAX);
  row_free(x);
}

Test(part_depth, tables_and_the_core_go_along) {
  struct row *x = row_make();
  deepen(x, true);
  const struct rt_part *cells = &x->part[0], *edges = &x->part[1];
  for (idx_l e = 0; e < EDGES; e++) {
    idx_g a = cells->global[x->map.table[2 * e]];
    idx_g b = cells->global[x->map.table[2 * e + 1]];
    bool core = edges->global[e] < EDGES - 2;
    if (core) cr_assert(a == edges->global[e] && b == a + 1);
    cr_assert_eq(core, e < edges->core);
  }
  row_free(x);
}

Test(part_depth, most_elements_are_no_deeper_than_the_deepest) {
  struct row *x = row_make();
  deepen(x, false);
  const struct rt_part *cells = &x->part[0], *edges = &x->part[1];
  int k = cells->deepest;
  idx_l deep = cells->deep[k] + edges->deep[k];
  cr_assert_eq(edges->deepest, k);
  cr_assert(k > 1 && k < DEPTH_MAX, "7/8 of a row of %d: %d", CELLS, k);
  cr_assert_geq(8 * deep, 7 * (CELLS + EDGES));
  for (int j = k + 1; j <= DEPTH_MAX; j++) cr_assert_eq(cells->deep[j], 0);
  row_free(x);
}

/* ---- fronts -------------------------------------------------------------- */

/* Over edges, which read cells and add to sums, then over cells, which take
 * these, `steps` times; from depth 2 on, and one deeper each time. */
struct front {
  struct row *row;
  struct rt_set set[2];
  struct rt_relation ends;
  struct rt_program *p;
  struct rt_chain chain;
};

static void
front_make(struct front *f, bool far, int steps) {
  *f = (struct front){.row = row_make()};
  deepen(f->row, true);
  if (far) /* a map that was not there when depths were found */
    for (int k = 0; k < 2; k++) {
      idx_l e = f->row->part[1].deep[DEPTH_MAX] / 2;
      f->row->map.table[2 * e + k] = f->row->part[0].owned - 1;
    }
  for (int s = 0; s < 2; s++)
    f->set[s] = (struct rt_set){.n = f->row->part[s].n,
                                .name = s ? "edges" : "cells",
                                .part = &f->row->part[s]};
  f->ends = make_table(&f->set[1], &f->set[0], 2, f->row->map.table, 1);
  f->p = make_program();
  make_set(f->p, &f->set[0]);
  make_set(f->p, &f->set[1]);
  make_map(f->p, &f->ends);
  for (uint32_t s = 0; s < (uint32_t)steps; s++) {
    struct rt_launch *l = make_launch(f->p, NULL, 1, RT_RUN_PARTS, 0);
    l->name = "flux";
    l->deep = 2 + 2 * (int)s;
    l = make_launch(f->p, NULL, 0, RT_RUN_RANGE, 0);
    l->name = "update";
    l->deep = 3 + 2 * (int)s;
    touch(&f->chain, 2 * s, 0, 0, false);
    touch(&f->chain, 2 * s, 1, 0, false);
    touch(&f->chain, 2 * s, 1, 0, true);
    touch(&f->chain, 2 * s + 1, 1, RT_DIRECT, false);
    touch(&f->chain, 2 * s + 1, 0, RT_DIRECT, true);
  }
  f->chain.count = 2 * (uint32_t)steps;
  f->chain.piece = 2;
}

static void
front_free(struct front *f) {
  free(f->chain.touches);
  rt_program_free(f->p);
  row_free(f->row);
  rt_walk_cache_clear();
}

Test(part_depth, fronts_have_what_is_deep_enough) {
  struct front f;
  struct rt_front_plan y;
  front_make(&f, false, 3);
  for (int threads = 1; threads < 4; threads++) {
    cr_assert_eq(rt_front_plan_make(f.p, &f.chain, threads, &y), OK);
    cr_assert(threads > 1 || y.threads == 1);
    if (!y.threads) continue;
    cr_assert_eq(rt_front_check(f.p, &f.chain, &y), OK, "%s", err_last());
    idx_l ran[6] = {0};
    for (uint32_t i = 0; i < y.npieces; i++)
      ran[y.pieces[i].launch] += y.pieces[i].hi - y.pieces[i].lo;
    for (uint32_t k = 0; k < 6; k++)
      cr_assert_eq(ran[k], f.row->part[!(k % 2)].deep[2 + k]);
    rt_front_plan_clear(&y);
  }
  front_free(&f);
}

Test(part_depth, launches_that_go_too_near_the_border_are_found) {
  struct front f;
  struct rt_front_plan y;
  front_make(&f, false, 2);
  f.p->launches[3].deep = f.p->launches[1].deep;
  rt_walk_checking = true;
  cr_assert_eq(rt_front_plan_make(f.p, &f.chain, 1, &y), ERR_STATE,
               "what is left of the edges reads cells that are new already");
  cr_assert(strstr(err_last(), "after update"), "%s", err_last());
  front_free(&f);
}

Test(part_depth, maps_that_lead_across_layers_have_no_front) {
  struct front f;
  struct rt_front_plan y;
  front_make(&f, true, 1);
  cr_assert_eq(rt_front_plan_make(f.p, &f.chain, 1, &y), OK);
  cr_assert_eq(y.threads, 0);
  front_free(&f);
}

/* ---- runs ---------------------------------------------------------------- */

static void
make_runnable(struct front *f, struct rt_dat *dats, int64_t *global,
              bool front) {
  static const struct type i64 = {TYPE_I64, 8};
  struct rt_program *p = f->p;
  for (uint32_t k = 0; k < 2; k++) make_out(p, k, make_slot(p, &dats[k], true));
  make_global(p, global);
  p->ncmds = 0;
  if (front) make_cmd(p, RT_CHAIN, 0, 0, 0);
  for (uint32_t i = 0; i < p->nlaunches; i++) {
    struct rt_launch *l = &p->launches[i];
    struct rt_reduction sum = {0, i64, 1, ACC_INC, -1, false, false, 0};
    l->fn = i % 2 ? update_region : flux_region;
    if (!front) l->deep = 0;
    for (uint32_t k = 0; k < 2; k++) bind(l, RT_BIND_SLOT, k);
    bind(l, i % 2 ? RT_BIND_ACC : RT_BIND_MAP, 0);
    if (i % 2)
      make_reduction(l, sum);
    else
      make_conflict(l, 0, 0, 2);
    make_cmd(p, RT_LAUNCH, i, 0, 0);
  }
  if (!front) return;
  MAKE_PUSH(p->chains, p->nchains, f->chain);
  f->chain.touches = NULL;
}

/* What two runs give: the global, and values of all cells, others' too. */
static int64_t
run_row(int threads, bool front, int64_t *values) {
  static const struct type i64 = {TYPE_I64, 8};
  struct rt_shape shape = {CELLS + 2, 1, i64, 1, 0, NULL};
  struct rt_dat dats[2];
  struct front f;
  int64_t global = 11;
  for (int k = 0; k < 2; k++)
    cr_assert_eq(rt_dat_init(&dats[k], shape, NULL, false), OK);
  front_make(&f, false, 3);
  make_runnable(&f, dats, &global, front);
  long long turns = counters[CNT_tiles];
  for (int run = 0; run < 2; run++) cr_assert_eq(make_run(f.p, threads), OK);
  cr_assert_eq(counters[CNT_tiles] > turns, front);
  for (int k = 0; k < 2; k++) {
    rt_dat_sync(&dats[k]);
    memcpy(values + k * (CELLS + 2), dats[k].mirror,
           (CELLS + 2) * sizeof *values);
  }
  front_free(&f);
  for (int k = 0; k < 2; k++) rt_dat_clear(&dats[k]);
  return global;
}

Test(part_depth, what_fronts_leave_runs_behind_them) {
  int64_t want[2 * (CELLS + 2)], got[2 * (CELLS + 2)];
  rt_set_thread_least(0);
  rt_set_front_tight(true);
  int64_t sum = run_row(1, false, want);
  for (int threads = 1; threads <= 3; threads++) {
    cr_assert_eq(run_row(threads, true, got), sum, "%d threads", threads);
    cr_assert_arr_eq(got, want, sizeof want, "%d threads", threads);
  }
  rt_set_front_tight(false);
}
