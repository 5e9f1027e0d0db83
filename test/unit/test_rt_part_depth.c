/* Numbers by depth in a part. */
#include "base/arena.h"
#include "rt/ranks/dist.h"

#include <criterion/criterion.h>
#include <stdlib.h>

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
