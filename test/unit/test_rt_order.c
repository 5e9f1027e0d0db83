/* Numbering: orders are permutations and good ones, sets follow each other, the
 * store and exec keep the program's order outwards. */
#include "rt/mesh/order.h"

#include "rt_make.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const struct type f64 = {TYPE_F64, 8};

/* ---- meshes ------------------------------------------------------------------ */

/* A grid of w * h cells, its edges between neighbours, its (w+1) * (h+1) nodes;
 * all in random order. */
struct grid {
  struct rt_set cells, edges, nodes, far;
  struct rt_relation pecell, pcell;
};

static uint64_t seed;

static idx_l
draw(idx_l n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (idx_l)((seed >> 33) % (uint64_t)n);
}

static idx_l *
shuffled(idx_l n) {
  idx_l *p = mem_alloc((size_t)n + 1, sizeof *p);
  for (idx_l i = 0; i < n; i++) p[i] = i;
  for (idx_l i = n - 1; i > 0; i--) {
    idx_l j = draw(i + 1), t = p[i];
    p[i] = p[j];
    p[j] = t;
  }
  return p;
}

static void
grid_edges(struct grid *g, idx_l w, idx_l h, const idx_l *cell) {
  idx_l n = (w - 1) * h + w * (h - 1), *edge = shuffled(n), k = 0;
  idx_l *t = mem_alloc((size_t)n * 2 + 1, sizeof *t);
  for (idx_l y = 0; y < h; y++)
    for (idx_l x = 0; x < w; x++)
      for (int d = 0; d < 2; d++) {
        if (d ? y + 1 == h : x + 1 == w) continue;
        idx_l e = edge[k++];
        t[2 * e] = cell[y * w + x];
        t[2 * e + 1] = cell[y * w + x + (d ? w : 1)];
      }
  cr_assert_eq(k, n);
  free(edge);
  g->edges = (struct rt_set){.n = n, .name = "edges"};
  g->pecell = (struct rt_relation){.from = &g->edges,
                                   .to = &g->cells,
                                   .arity = 2,
                                   .table = t,
                                   .name = "pecell"};
}

static void
grid_nodes(struct grid *g, idx_l w, idx_l h, const idx_l *cell) {
  idx_l *node = shuffled((w + 1) * (h + 1));
  idx_l *t = mem_alloc((size_t)w * (size_t)h * 4 + 1, sizeof *t);
  for (idx_l y = 0; y < h; y++)
    for (idx_l x = 0; x < w; x++)
      for (idx_l k = 0; k < 4; k++)
        t[4 * cell[y * w + x] + k] = node[(y + k / 2) * (w + 1) + x + k % 2];
  free(node);
  g->nodes = (struct rt_set){.n = (w + 1) * (h + 1), .name = "nodes"};
  g->pcell = (struct rt_relation){.from = &g->cells,
                                  .to = &g->nodes,
                                  .arity = 4,
                                  .table = t,
                                  .name = "pcell"};
}

static void
grid_make(struct grid *g, idx_l w, idx_l h) {
  idx_l *cell = shuffled(w * h);
  *g = (struct grid){.cells = {.n = w * h, .name = "cells"}};
  grid_edges(g, w, h, cell);
  grid_nodes(g, w, h, cell);
  free(cell);
}

static void
grid_free(struct grid *g) {
  free((void *)g->pecell.table);
  free((void *)g->pcell.table);
}

static void
check_permutation(const idx_l *row, idx_l n) {
  char *seen = mem_alloc((size_t)n + 1, 1);
  for (idx_l e = 0; e < n; e++) {
    cr_assert(row[e] >= 0 && row[e] < n && !seen[row[e]]);
    seen[row[e]] = 1;
  }
  free(seen);
}

/* Largest distance of two names of a row, in the order `row` of the targets. */
static idx_l
bandwidth(const struct rt_relation *m, const idx_l *row) {
  idx_l n = m->to->n, *at = mem_alloc((size_t)n + 1, sizeof *at), most = 0;
  for (idx_l e = 0; e < n; e++) at[row[e]] = e;
  for (idx_l e = 0; e < m->from->n; e++) {
    idx_l d = at[m->table[2 * e]] - at[m->table[2 * e + 1]];
    if (abs(d) > most) most = abs(d);
  }
  free(at);
  return most;
}

typedef status order_fn(const struct rt_graph *, idx_l *);

static idx_l *
order_of(const struct rt_set *set, const struct rt_relation *const *maps,
         uint32_t nmaps, order_fn *order) {
  struct rt_graph g;
  idx_l *row = mem_alloc((size_t)set->n + 1, sizeof *row);
  cr_assert_eq(rt_graph_make(set, maps, nmaps, &g), OK);
  cr_assert_eq(order(&g, row), OK);
  rt_graph_clear(&g);
  check_permutation(row, set->n);
  return row;
}

/* ---- graphs ------------------------------------------------------------------ */

Test(rt_graph, rcm_of_the_example) {
  struct rt_set nodes = {.n = 6}, edges = {.n = 7};
  static const idx_l t[] = {2, 0, 0, 4, 2, 1, 0, 3, 4, 5, 1, 3, 3, 5};
  struct rt_relation m = {.from = &edges, .to = &nodes, .arity = 2, .table = t};
  const struct rt_relation *maps[] = {&m};
  idx_l *row = order_of(&nodes, maps, 1, rt_graph_rcm);
  cr_assert_eq(bandwidth(&m, row), 2);
  free(row);
}

Test(rt_graph, rcm_nears_the_least_bandwidth_of_a_shuffled_grid) {
  struct grid g;
  grid_make(&g, 40, 12);
  const struct rt_relation *maps[] = {&g.pecell, &g.pcell};
  idx_l *row = order_of(&g.cells, maps, 2, rt_graph_rcm);
  idx_l *was = shuffled(g.cells.n);
  cr_assert_gt(bandwidth(&g.pecell, was), 300);
  cr_assert_leq(bandwidth(&g.pecell, row), 13, "%d; the shorter side is 12",
                bandwidth(&g.pecell, row));
  free(was);
  free(row);
  grid_free(&g);
}

/* Edges whose ends are more than 1/16 of the cells apart, in an order. */
static idx_l
long_edges(const struct rt_relation *m, const idx_l *row, idx_l more) {
  idx_l n = m->to->n, *at = mem_alloc((size_t)n + 1, sizeof *at), k = 0;
  for (idx_l e = 0; e < n; e++) at[row[e]] = e;
  for (idx_l e = 0; e < m->from->n; e++)
    k += abs(at[m->table[2 * e]] - at[m->table[2 * e + 1]]) > more;
  free(at);
  return k;
}

Test(rt_graph, bisection_cuts_few_edges) {
  struct grid g;
  grid_make(&g, 128, 64);
  const struct rt_relation *maps[] = {&g.pecell};
  idx_l *row = order_of(&g.cells, maps, 1, rt_graph_bisect);
  /* eight pieces of 1024: cuts of 64 + 2 * 64 + 4 * 32 cells, ragged */
  cr_assert_lt(long_edges(&g.pecell, row, 1024), 640);
  free(row);
  grid_free(&g);
}

Test(rt_graph, components_and_lone_elements_are_kept) {
  struct rt_set cells = {.n = 9}, edges = {.n = 4};
  static const idx_l t[] = {8, 1, 1, 5, 0, 7, 4, 0}; /* 2 3 6 have no edge */
  struct rt_relation m = {.from = &edges, .to = &cells, .arity = 2, .table = t};
  const struct rt_relation *maps[] = {&m};
  order_fn *orders[] = {rt_graph_rcm, rt_graph_bisect};
  for (int i = 0; i < 2; i++) {
    idx_l *row = order_of(&cells, maps, 1, orders[i]);
    cr_assert_eq(bandwidth(&m, row), 1);
    free(row);
  }
}

Test(rt_graph, empty_sets_and_rows_that_name_one_element_twice) {
  struct rt_set none = {.n = 0}, cells = {.n = 3}, edges = {.n = 2};
  static const idx_l t[] = {1, 1, 2, 2};
  struct rt_relation m = {.from = &none, .to = &none, .arity = 2};
  struct rt_relation twice = {
      .from = &edges, .to = &cells, .arity = 2, .table = t};
  const struct rt_relation *maps[] = {&m, &twice};
  free(order_of(&none, maps, 2, rt_graph_rcm));
  free(order_of(&none, maps, 2, rt_graph_bisect));
  free(order_of(&cells, maps, 2, rt_graph_rcm));
  free(order_of(&cells, maps, 2, rt_graph_bisect));
}

Test(rt_graph, a_map_to_the_same_set_links_the_element_itself) {
  enum { N = 50 };
  struct rt_set cells = {.n = N};
  idx_l *line = shuffled(N), t[N];
  for (idx_l i = 0; i < N; i++) t[line[i]] = line[i + 1 < N ? i + 1 : i];
  struct rt_relation next = {
      .from = &cells, .to = &cells, .arity = 1, .table = t};
  const struct rt_relation *maps[] = {&next};
  idx_l *row = order_of(&cells, maps, 1, rt_graph_rcm);
  for (idx_l i = 0; i < N; i++)
    cr_assert(row[i] == line[i] || row[i] == line[N - 1 - i]);
  free(row);
  free(line);
}

/* Links of long rows are some of all; walks must still meet every element. */
Test(rt_graph, rows_of_more_names_than_links) {
  enum { N = 5000, MOST = 24 };
  static idx_l t[N * MOST];
  struct rt_set cells = {.n = N}, rows = {.n = N / 16};
  struct rt_relation m = {.to = &cells, .table = t};
  const struct rt_relation *maps[] = {&m};
  unsigned seed = 1;
  for (m.arity = 8; m.arity <= MOST; m.arity++) {
    m.from =
        m.arity % 2 ? &rows : &cells; /* to the set itself: one name more */
    for (idx_l i = 0; i < N * MOST; i++)
      t[i] = (idx_l)((seed = seed * 1664525 + 1013904223) >> 8) % N;
    free(order_of(&cells, maps, 1, rt_graph_rcm));
    free(order_of(&cells, maps, 1, rt_graph_bisect));
  }
}

/* ---- locality ---------------------------------------------------------------- */

Test(rt_locality, good_bad_and_small) {
  enum { N = 20000 };
  struct rt_set set = {.n = N};
  idx_l *t = mem_alloc(N, sizeof *t);
  struct rt_relation m = {.from = &set, .to = &set, .arity = 1, .table = t};
  const struct rt_relation *maps[] = {&m};
  for (idx_l e = 0; e < N; e++) t[e] = e;
  cr_assert_float_eq(rt_locality(maps, 1), 1.0 / 8, 0.01);
  free(t);
  m.table = t = shuffled(N);
  cr_assert_gt(rt_locality(maps, 1), 0.8);
  set.n = 8;
  for (idx_l e = 0; e < 8; e++) t[e] = 7 - e;
  cr_assert_float_eq(rt_locality(maps, 1), 1.0 / 8, 1e-9);
  set.n = 0;
  cr_assert_eq(rt_locality(maps, 1), 0);
  cr_assert_eq(rt_locality(NULL, 0), 0);
  free(t);
}

/* ---- sets -------------------------------------------------------------------- */

/* Number the grid; what becomes of its locality. */
static double
renumbered(struct grid *g, struct rt_mesh_set *sets, uint32_t nsets,
           enum rt_renumber_by by) {
  const struct rt_relation *maps[] = {&g->pecell, &g->pcell};
  cr_assert_eq(rt_renumber(sets, nsets, maps, 2, by), OK);
  const idx_l *given[2];
  for (uint32_t s = 0; s < nsets; s++) {
    if (!sets[s].row) continue;
    check_permutation(sets[s].row, sets[s].set->n);
    ((struct rt_set *)sets[s].set)->order =
        rt_order_new(sets[s].set->n, sets[s].row);
  }
  struct rt_relation *own[] = {&g->pecell, &g->pcell};
  for (int k = 0; k < 2; k++) {
    size_t n = (size_t)maps[k]->from->n * maps[k]->arity;
    idx_l *t = mem_alloc(n, sizeof *t);
    given[k] = maps[k]->table;
    rt_relation_translate(maps[k], given[k], NULL, false, t, NULL);
    own[k]->table = t;
  }
  double share = rt_locality(maps, 2);
  for (int k = 0; k < 2; k++) free((void *)given[k]);
  return share;
}

static void
orders_free(struct rt_mesh_set *sets, uint32_t nsets) {
  for (uint32_t s = 0; s < nsets; s++)
    rt_order_free((struct rt_order *)sets[s].set->order);
}

Test(rt_renumber, all_sets_of_a_mesh_follow) {
  for (int by = RT_RENUMBER_RCM; by <= RT_RENUMBER_BISECT; by++) {
    struct grid g;
    grid_make(&g, 200, 100);
    struct rt_mesh_set sets[] = {{.set = &g.nodes, .bytes = 16},
                                 {.set = &g.edges},
                                 {.set = &g.cells, .bytes = 104}};
    const struct rt_relation *maps[] = {&g.pecell, &g.pcell};
    cr_assert_gt(rt_locality(maps, 2), 0.6);
    cr_assert_lt(renumbered(&g, sets, 3, by), 0.15);
    cr_assert(sets[0].row && sets[1].row && sets[2].row);
    orders_free(sets, 3);
    grid_free(&g);
  }
}

Test(rt_renumber, a_settled_set_is_followed) {
  struct grid g;
  grid_make(&g, 60, 30);
  struct rt_mesh_set sets[] = {{.set = &g.nodes},
                               {.set = &g.edges},
                               {.set = &g.cells, .bytes = 8, .settled = true}};
  renumbered(&g, sets, 3, RT_RENUMBER_RCM);
  cr_assert_null(sets[2].row);
  for (idx_l e = 1; e < g.edges.n; e++) { /* by their lowest cell */
    const idx_l *a = g.pecell.table + 2 * (e - 1), *b = a + 2;
    idx_l low_a = a[0] < a[1] ? a[0] : a[1], low_b = b[0] < b[1] ? b[0] : b[1];
    cr_assert_leq(low_a, low_b);
  }
  idx_l most = -1; /* nodes are met in order */
  for (idx_l i = 0; i < 4 * g.cells.n; i++) {
    cr_assert_leq(g.pcell.table[i], most + 1);
    if (g.pcell.table[i] > most) most = g.pcell.table[i];
  }
  orders_free(sets, 3);
  grid_free(&g);
}

Test(rt_renumber, sets_without_maps_stay) {
  struct rt_set alone = {.n = 5}, none = {.n = 0};
  struct rt_mesh_set sets[] = {{.set = &alone, .bytes = 8}, {.set = &none}};
  cr_assert_eq(rt_renumber(sets, 2, NULL, 0, RT_RENUMBER_RCM), OK);
  cr_assert(!sets[0].row && !sets[1].row);
}

Test(rt_renumber, tables_with_the_programs_numbers) {
  struct rt_set edges = {.n = 3}, cells = {.n = 3};
  static const idx_l given[] = {0, 1, 1, 2, 2, 0};
  idx_l rows[] = {2, 0, 1}, ranks[] = {1, 2, 0}, t[6];
  struct rt_order oe = {.n = 3, .row = rows, .at = ranks}, oc = oe;
  struct rt_relation m = {.from = &edges, .to = &cells, .arity = 2};
  edges.order = &oe;
  cells.order = &oc;
  rt_relation_translate(&m, given, NULL, true, t, NULL);
  cr_assert_arr_eq(t, ((idx_l[]){2, 0, 0, 1, 1, 2}), sizeof t);
  rt_relation_translate(&m, given, NULL, false, t, NULL);
  cr_assert_arr_eq(t, ((idx_l[]){0, 1, 1, 2, 2, 0}), sizeof t);
}

/* ---- the store --------------------------------------------------------------- */

enum { N = 100, DIM = 3 };

Test(rt_reorder, values_survive_every_layout_and_order) {
  for (uint32_t block = 0; block < 9; block += block == 1 ? 7 : 1) {
    struct rt_order *o[2] = {rt_order_new(N, shuffled(N)),
                             rt_order_new(N, shuffled(N))};
    struct rt_shape shape = {N, DIM, f64, block, 0, NULL};
    double in[N * DIM], out[N * DIM];
    for (int i = 0; i < N * DIM; i++) in[i] = i;
    struct rt_dat d;
    struct rt_buf *b;
    cr_assert_eq(rt_dat_init(&d, shape, in, false), OK);
    cr_assert_eq(rt_dat_reorder(&d, o[0]), OK);
    cr_assert_eq(rt_dat_buffer(&d, &b), OK);
    rt_dat_written(&d);
    size_t s = b->stride, e = (size_t)o[0]->at[17];
    cr_assert_eq(((double *)b->mem)[e / s * DIM * s + e % s + s],
                 in[17 * 3 + 1]);
    rt_dat_read(&d, 10, 20, out);
    cr_assert_arr_eq(out, in + 10 * DIM, 10 * DIM * sizeof *in);
    cr_assert_eq(rt_dat_reorder(&d, o[1]), OK);
    cr_assert_eq(rt_dat_relayout(&d, 4, 0), OK);
    rt_dat_sync(&d);
    cr_assert_arr_eq(d.mirror, in, sizeof in);
    rt_dat_mirror_written(&d);
    cr_assert_eq(rt_dat_buffer(&d, &b), OK);
    rt_dat_written(&d);
    cr_assert_eq(rt_dat_reorder(&d, NULL), OK);
    rt_dat_sync(&d);
    cr_assert_arr_eq(d.mirror, in, sizeof in);
    rt_dat_clear(&d);
    rt_order_free(o[0]);
    rt_order_free(o[1]);
    rt_pool_clear();
  }
}

/* Lines of 20 elements, 24 apart, the first 3 in. */
static const struct rt_spacing apart = {20, 24, 3};

Test(rt_reorder, spaced_lines_hold_the_values_in_every_layout) {
  for (uint32_t block = 0; block < 9; block += block == 1 ? 7 : 1) {
    struct rt_order *o = rt_order_spaced(N, apart);
    struct rt_shape shape = {N, DIM, f64, block, 0, NULL};
    double in[N * DIM], out[N * DIM];
    for (int i = 0; i < N * DIM; i++) in[i] = i;
    struct rt_dat d;
    struct rt_buf *b;
    cr_assert_eq(rt_dat_init(&d, shape, in, false), OK);
    cr_assert_eq(rt_dat_reorder(&d, o), OK);
    cr_assert_eq(d.shape.n, 3 + N / 20 * 24);
    cr_assert_eq(rt_dat_buffer(&d, &b), OK);
    rt_dat_written(&d);
    for (size_t r = 0; r < N; r++) {
      size_t s = b->stride, e = 3 + r / 20 * 24 + r % 20;
      cr_assert_eq(((double *)b->mem)[e / s * DIM * s + e % s + s],
                   in[r * DIM + 1]);
    }
    rt_dat_read(&d, 15, 67, out); /* from inside a line to inside another */
    cr_assert_arr_eq(out, in + 15 * DIM, 52 * DIM * sizeof *in);
    rt_dat_read(&d, 41, 43, out);
    cr_assert_arr_eq(out, in + 41 * DIM, 2 * DIM * sizeof *in);
    cr_assert_eq(rt_dat_relayout(&d, 4, 0), OK);
    rt_dat_sync(&d);
    cr_assert_arr_eq(d.mirror, in, sizeof in);
    rt_dat_written(&d);
    cr_assert_eq(rt_dat_reorder(&d, NULL), OK);
    cr_assert_eq(d.shape.n, N);
    rt_dat_sync(&d);
    cr_assert_arr_eq(d.mirror, in, sizeof in);
    rt_dat_written(&d);
    cr_assert_eq(rt_dat_reorder(&d, o), OK);
    rt_dat_sync(&d);
    cr_assert_arr_eq(d.mirror, in, sizeof in);
    rt_dat_clear(&d);
    rt_order_free(o);
    rt_pool_clear();
  }
}

/* One line of nearly all numbers that there are. */
Test(rt_reorder, spaced_lines_may_be_as_long_as_a_set) {
  enum { LONG = INT32_MAX - 100, FIRST = LONG - 50 };
  char in[50], out[60];
  struct rt_spacing from = {LONG, LONG + 20, 7 - FIRST};
  for (int i = 0; i < 50; i++) in[i] = (char)(i + 1);
  memset(out, 0, sizeof out);
  rt_layout_spaced(out, 1, from, in, 1, (struct rt_spacing){.lead = -FIRST},
                   FIRST, LONG, 1, 1);
  for (int i = 0; i < 60; i++)
    cr_assert_eq(out[i], i < 7 || i >= 57 ? 0 : i - 6);
}

Test(rt_reorder, tables_name_places_in_spaced_lines) {
  struct rt_set from = {.n = 3}, to = {.n = 3 + N / 20 * 24};
  static const idx_l given[] = {0, 19, 20, 39, 40, 99};
  idx_l t[6];
  struct rt_order *o = rt_order_spaced(N, apart);
  struct rt_relation m = {.from = &from, .to = &to, .arity = 2};
  to.order = o;
  rt_relation_translate(&m, given, NULL, false, t, NULL);
  cr_assert_arr_eq(t, ((idx_l[]){3, 22, 27, 46, 51, 118}), sizeof t);
  rt_relation_translate(&m, given, NULL, true, t, NULL);
  cr_assert_arr_eq(t, given, sizeof t);
  rt_order_free(o);
}

Test(rt_reorder, what_the_host_wrote_since_is_not_taken) {
  struct rt_shape shape = {N, 1, f64, 1, 0, NULL};
  struct rt_order *o = rt_order_new(N, shuffled(N));
  struct rt_dat d;
  struct rt_buf *b;
  cr_assert_eq(rt_dat_init(&d, shape, NULL, false), OK);
  cr_assert_eq(rt_dat_buffer(&d, &b), OK);
  ((double *)d.mirror)[3] = 5; /* not declared: pending loops see the zero */
  cr_assert_eq(rt_dat_reorder(&d, o), OK);
  cr_assert_eq(rt_dat_buffer(&d, &b), OK);
  cr_assert_eq(((double *)b->mem)[o->at[3]], 0);
  rt_dat_clear(&d);
  rt_order_free(o);
}

/* A buffer whose values nobody has brought to it yet. */
Test(rt_reorder, a_shell_is_filled_first) {
  struct rt_shape shape = {N, 1, f64, 1, 0, NULL};
  struct rt_order *o = rt_order_new(N, shuffled(N));
  struct rt_dat d;
  struct rt_buf *b;
  double in[N];
  for (int i = 0; i < N; i++) in[i] = i;
  cr_assert_eq(rt_dat_init(&d, shape, in, false), OK);
  cr_assert_eq(rt_dat_shell(&d, &b), OK);
  cr_assert_eq(rt_dat_reorder(&d, o), OK);
  cr_assert_eq(rt_dat_buffer(&d, &b), OK);
  for (int i = 0; i < N; i++) cr_assert_eq(((double *)b->mem)[o->at[i]], i);
  rt_dat_clear(&d);
  rt_order_free(o);
}

Test(rt_reorder, names_for_one_buffer_part) {
  struct rt_shape shape = {N, 1, f64, 1, 0, NULL};
  struct rt_order *o = rt_order_new(N, shuffled(N));
  struct rt_dat d, e;
  struct rt_buf *b;
  cr_assert_eq(rt_dat_init(&d, shape, NULL, false), OK);
  cr_assert_eq(rt_dat_init(&e, shape, NULL, false), OK);
  cr_assert_eq(rt_dat_buffer(&d, &b), OK);
  for (int i = 0; i < N; i++) ((double *)b->mem)[i] = i;
  rt_dat_written(&d);
  rt_buf_ref(b);
  rt_dat_set_buffer(&e, b);
  cr_assert_eq(rt_dat_reorder(&d, o), OK);
  cr_assert_eq(rt_dat_reorder(&e, o), OK);
  cr_assert_neq(d.buf, e.buf);
  rt_dat_sync(&d);
  rt_dat_sync(&e);
  for (int i = 0; i < N; i++) {
    cr_assert_eq(((double *)d.mirror)[i], i);
    cr_assert_eq(((double *)e.mirror)[i], i);
  }
  rt_dat_clear(&d);
  rt_dat_clear(&e);
  rt_order_free(o);
}

/* ---- launches ---------------------------------------------------------------- */

static idx_l trail[N];
static idx_l ntrail;

/* ptr: the program's numbers of the elements */
static void
trail_region(void *const *ptr, int64_t lo, int64_t hi) {
  const idx_l *row = ptr[0];
  for (int64_t e = lo; e < hi; e++) trail[ntrail++] = row[e];
}

Test(rt_reorder, serial_launches_keep_the_programs_order) {
  struct rt_set set = {.n = N, .name = "cells"};
  struct rt_order *o = rt_order_new(N, shuffled(N));
  struct rt_program *p = make_program();
  set.order = o;
  make_launch(p, trail_region, make_set(p, &set), RT_RUN_SERIAL, 1,
              RT_BIND_ROWS, 0u);
  ntrail = 0;
  cr_assert_eq(make_run(p, 3), OK);
  cr_assert_eq(ntrail, N);
  for (idx_l i = 0; i < N; i++) cr_assert_eq(trail[i], i);
  p->launches[0].mode = RT_RUN_RANGE;
  ntrail = 0;
  cr_assert_eq(make_run(p, 1), OK);
  cr_assert_arr_eq(trail, o->row, N * sizeof *trail);
  rt_program_free(p);
  rt_order_free(o);
}
