/* Walks in order: sums at targets are those of one thread, to the bit, however
 * many run; what runs twice counts once. */
#include "rt/ranks/dist.h"
#include "rt/store/store.h"
#include "rt/walk/launch.h"
#include "rt_make.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES = 6000, CELLS = 4000, NEAR = 10 };
static const struct type f64 = {TYPE_F64, 8}, i64 = {TYPE_I64, 8};

/* to[map[2e]] += w, to[map[2e+1]] -= w with w of the edge, which changes, too;
 * edges are counted. No two orders give the same bits. */
static void
edge_region(void *const *ptr, int64_t lo, int64_t hi) {
  double *to = ptr[0], *w = ptr[1];
  const idx_l *map = ptr[2];
  int64_t *count = ptr[3];
  for (int64_t e = lo; e < hi; e++) {
    w[e] = 0.7 * w[e] + 1.0 / (double)(e + 3);
    to[map[2 * e]] += w[e];
    to[map[2 * e + 1]] -= 3 * w[e];
    ++*count;
  }
}

struct mesh {
  struct rt_set edges, cells;
  idx_l *table;
  struct rt_relation map;
  struct rt_dat sums, weights;
  int64_t count;
};

static struct rt_dat
dat_of(idx_l n, uint32_t block) {
  struct rt_dat d;
  struct rt_shape s = {.n = n, .dim = 1, .type = f64, .block = block};
  cr_assert_eq(rt_dat_init(&d, s, NULL, false), OK);
  return d;
}

/* Ends lie `near` each other. */
static void
mesh_init(struct mesh *m, idx_l near, uint64_t version) {
  uint32_t state = 11;
  m->table = mem_alloc(2 * EDGES, sizeof *m->table);
  for (idx_l i = 0; i < 2 * EDGES; i++) {
    idx_l t = (idx_l)((int64_t)(i / 2) * (CELLS - near) / EDGES);
    m->table[i] = t + (idx_l)(make_random(&state) % (uint32_t)near);
  }
  m->edges = (struct rt_set){.n = EDGES, .name = "edges"};
  m->cells = (struct rt_set){.n = CELLS, .name = "cells"};
  m->map = make_table(&m->edges, &m->cells, 2, m->table, version);
  m->sums = dat_of(CELLS, 1);
  m->weights = dat_of(EDGES, 1);
  m->count = 0;
}

static struct rt_program *
program_of(struct mesh *m) {
  struct rt_program *p = make_program();
  uint32_t sums = make_slot(p, &m->sums, true);
  uint32_t weights = make_slot(p, &m->weights, true);
  uint32_t map = make_map(p, &m->map);
  struct rt_launch *l =
      make_launch(p, edge_region, make_set(p, &m->edges), RT_RUN_IN_ORDER, 4,
                  RT_BIND_SLOT, sums, RT_BIND_SLOT, weights, RT_BIND_MAP, map,
                  RT_BIND_ACC, 0u);
  make_conflict(l, map, 0, 2);
  struct rt_write writes[] = {{sums, map, 0, 2}, {weights, RT_DIRECT, 0, 0}};
  MAKE_PUSH(l->writes, l->nwrites, writes[0]);
  MAKE_PUSH(l->writes, l->nwrites, writes[1]);
  struct rt_reduction r = {
      make_global(p, &m->count), i64, 1, ACC_INC, -1, false, false, 0};
  make_reduction(l, r);
  make_out(p, 0, sums);
  make_out(p, 1, weights);
  return p;
}

static void
mesh_clear(struct mesh *m, struct rt_program *p) {
  rt_program_free(p);
  rt_walk_cache_clear();
  rt_dat_clear(&m->sums);
  rt_dat_clear(&m->weights);
  free(m->table);
}

/* Three runs against the same on the side. Did parts share few targets? */
static bool
check_runs(idx_l near, int threads) {
  struct mesh m;
  mesh_init(&m, near, 5);
  struct rt_program *p = program_of(&m);
  static double sums[CELLS], weights[EDGES];
  int64_t count = 0;
  memset(sums, 0, sizeof sums);
  memset(weights, 0, sizeof weights);
  for (int run = 0; run < 3; run++) {
    void *ptr[] = {sums, weights, m.table, &count};
    edge_region(ptr, 0, EDGES);
    cr_assert_eq(make_run(p, threads), OK, "%s", err_last());
    rt_dat_sync(&m.sums);
    rt_dat_sync(&m.weights);
    cr_assert_arr_eq(m.sums.mirror, sums, sizeof sums, "%d threads", threads);
    cr_assert_arr_eq(m.weights.mirror, weights, sizeof weights);
    cr_assert_eq(m.count, count);
  }
  bool again = p->scratch->runs[0].again != NULL;
  cr_assert_eq(p->scratch->runs[0].crowded, threads > 1 && !again);
  mesh_clear(&m, p);
  return again;
}

Test(rt_in_order, sums_are_those_of_one_thread) {
  cr_assert_not(check_runs(NEAR, 1));
  for (int threads = 2; threads <= 4; threads++)
    cr_assert(check_runs(NEAR, threads), "parts pay");
}

Test(rt_in_order, where_parts_share_much_one_thread_runs) {
  for (int threads = 1; threads <= 3; threads++)
    cr_assert_not(check_runs(CELLS - 1, threads));
}

/* ---- walks --------------------------------------------------------------- */

static struct rt_walk *
walk_of(const struct rt_entries *c, const struct rt_set *set, int tasks) {
  struct rt_walk *w;
  struct rt_walk_want want = {.kind = RT_WALK_IN_ORDER,
                              .n = EDGES,
                              .tasks = tasks,
                              .c = c,
                              .nc = 1,
                              .set = set};
  cr_assert_eq(rt_walk_make(&want, &w), OK);
  return w;
}

static void
must_fail(struct rt_walk *w, const struct rt_entries *c, const char *words) {
  cr_assert_eq(rt_walk_check(w, 0, EDGES, c, 1), ERR_STATE);
  cr_assert(strstr(err_last(), words), "%s", err_last());
  rt_walk_free(w);
}

static idx_l
first_again(const struct rt_walk *w) {
  idx_l i = 0;
  while (!w->again[i]) i++;
  return i;
}

Test(rt_walk_check, finds_what_is_out_of_order) {
  struct mesh m;
  mesh_init(&m, NEAR, 6);
  struct rt_entries c = {&m.map, 0, 2};
  struct rt_walk *w = walk_of(&c, NULL, 3);
  cr_assert_eq(rt_walk_check(w, 0, EDGES, &c, 1), OK, "%s", err_last());
  w->piece[first_again(w)].hi = w->piece[first_again(w)].lo;
  must_fail(w, &c, "out of order");
  w = walk_of(&c, NULL, 3);
  w->again[first_again(w)] = 0;
  must_fail(w, &c, "runs twice");
  w = walk_of(&c, NULL, 3);
  idx_l last = w->task[w->step[1]];
  struct rt_range x = w->piece[last];
  w->piece[last] = w->piece[last + 1];
  w->piece[last + 1] = x;
  char again = w->again[last];
  w->again[last] = w->again[last + 1];
  w->again[last + 1] = again;
  must_fail(w, &c, "goes back");
  mesh_clear(&m, NULL);
}

/* A rank that has all elements, in another order, and one that numbers them so:
 * places are in that of the program. */
Test(rt_in_order, places_are_in_the_program_s_order) {
  static idx_g global[EDGES];
  struct mesh m;
  mesh_init(&m, NEAR, 7);
  idx_l *row = mem_alloc(EDGES, sizeof *row);
  for (idx_l e = 0; e < EDGES; e++)
    global[e] = row[e] = (idx_l)((int64_t)e * 1237 % EDGES);
  struct rt_part part = {.total = EDGES,
                         .owned = EDGES,
                         .n = EDGES,
                         .level = {EDGES, EDGES, EDGES},
                         .global = global};
  struct rt_order *order = rt_order_new(EDGES, row);
  struct rt_set ranked = m.edges, numbered = m.edges;
  ranked.part = &part;
  numbered.order = order;
  const struct rt_set *sets[] = {&ranked, &numbered};
  struct rt_entries c = {&m.map, 0, 2};
  for (int k = 0; k < 2; k++) {
    struct rt_walk *w = walk_of(&c, sets[k], 1);
    cr_assert(w->at);
    for (idx_l x = 0; x < EDGES; x++) cr_assert_eq(global[w->at[x]], x);
    rt_walk_free(w);
  }
  rt_order_free(order);
  mesh_clear(&m, NULL);
}

/* Elements in another order, but those of each target in the program's. */
Test(rt_in_order, numbers_that_keep_the_order_of_sums_stay) {
  struct mesh m;
  mesh_init(&m, NEAR, 8);
  idx_l *row = mem_alloc(EDGES, sizeof *row);
  for (idx_l e = 0; e < EDGES; e++) {
    m.table[2 * e] = m.table[2 * e + 1] = e % CELLS;
    row[e] = e < EDGES / 2 ? 2 * e + 1 : 2 * (e - EDGES / 2);
  }
  for (idx_l e = EDGES / 2; e < EDGES; e++)
    m.table[2 * e] = m.table[2 * e + 1] = CELLS - 1;
  struct rt_order *order = rt_order_new(EDGES, row);
  m.edges.order = order;
  struct rt_entries c = {&m.map, 0, 2};
  struct rt_walk *w = walk_of(&c, &m.edges, 1);
  cr_assert_null(w->at);
  rt_walk_free(w);
  m.table[EDGES] = EDGES / 2 - 1;
  w = walk_of(&c, &m.edges, 1);
  cr_assert(w->at, "edge 0 of the program comes to a cell behind edge 5999");
  rt_walk_free(w);
  rt_order_free(order);
  mesh_clear(&m, NULL);
}
