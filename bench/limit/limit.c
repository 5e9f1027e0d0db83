#include "limit.h"

#include <string.h>
#include <sys/mman.h>

#include "../airfoil/kernels.h"
#include "../take.h"

/* Memory in huge pages where the system has them, zeroed. */
static void *
take(size_t n, size_t size) {
  size_t page = (size_t)1 << 21, bytes = (n * size + page) / page * page;
  void *p = aligned_alloc(page, bytes);
  if (!p) return bench_take(n, size);
#ifdef MADV_HUGEPAGE
  madvise(p, bytes, MADV_HUGEPAGE);
#endif
  return memset(p, 0, bytes);
}

/* ---- sides of cells ------------------------------------------------------ */

/* Give cell c the side e; `at`: how many each cell has. */
static void
add_side(struct limit *l, char *at, int c, int e) {
  int W = l->how.width, k = at[c]++;
  l->side[(c / W * 4 + k) * W + c % W] = e;
}

/* Rows of edges by cell, in the program's order of edges; where a boundary or a
 * padding cell has less than four, sides of no length to itself. */
static void
make_sides(struct limit *l) {
  const struct mesh *m = l->m;
  char *at = bench_take((size_t)l->ncell, 1);
  int n = m->nedge, room = n + m->nbedge + 4 * (l->ncell - m->ncell);
  l->side = take((size_t)l->ncell * 4, sizeof(int));
  l->side_cell = take((size_t)room * 2, sizeof(int));
  l->side_node = take((size_t)room * 2, sizeof(int));
  memcpy(l->side_cell, m->edge_cell, (size_t)n * 2 * sizeof(int));
  memcpy(l->side_node, m->edge_node, (size_t)n * 2 * sizeof(int));
  for (int e = 0; e < n; e++)
    for (int k = 0; k < 2; k++) add_side(l, at, m->edge_cell[2 * e + k], e);
  for (int c = 0; c < l->ncell; c++)
    while (at[c] < LIMIT_SIDES) {
      l->side_cell[2 * n] = l->side_cell[2 * n + 1] = c;
      add_side(l, at, c, n++);
    }
  free(at);
}

/* Position among the cell's corners of the side from a to b, or -1. */
static int
corner_of(const struct mesh *m, int c, int a, int b) {
  const int *n = m->cell_node + 4 * (size_t)c;
  for (int k = 0; k < LIMIT_SIDES; k++)
    if (n[k] == b && n[(k + 1) % 4] == a) return k;
  return -1;
}

/* Table rows of cell c: neighbours and the nodes of sides, seen as slot 0. */
static void
fill_rows(struct limit *l, int c) {
  int W = l->how.width, block = c / W, i = c % W, seen = 0;
  int next[4], one[4], two[4], place[4];
  for (int k = 0; k < LIMIT_SIDES; k++) {
    int e = l->side[(block * 4 + k) * W + i];
    int slot = l->side_cell[2 * e] != c;
    next[k] = l->side_cell[2 * e + !slot];
    one[k] = l->side_node[2 * e + slot];
    two[k] = l->side_node[2 * e + !slot];
    place[k] = c < l->m->ncell ? corner_of(l->m, c, one[k], two[k]) : -1;
    if (place[k] >= 0) seen |= 1 << place[k];
  }
  if (seen != 15) l->plain[block] = 0;
  for (int k = 0; k < LIMIT_SIDES; k++) {
    bool order = seen == 15 && l->how.geometry != LIMIT_PAIRS;
    int to = order ? place[k] : k;
    l->next[(block * 4 + to) * W + i] = next[k];
    l->pair[(block * 8 + 2 * to) * W + i] = one[k];
    l->pair[(block * 8 + 2 * to + 1) * W + i] = two[k];
  }
}

static void
make_tables(struct limit *l) {
  int W = l->how.width;
  size_t n = (size_t)l->ncell;
  l->next = take(4 * n, sizeof(int));
  l->pair = take(8 * n, sizeof(int));
  l->corner = take(4 * n, sizeof(int));
  l->plain = take((size_t)l->nblock, 1);
  memset(l->plain, 1, (size_t)l->nblock);
  for (int c = 0; c < l->ncell; c++) {
    int like = c < l->m->ncell ? c : l->m->ncell - 1;
    fill_rows(l, c);
    for (int k = 0; k < 4; k++)
      l->corner[(c / W * 4 + k) * W + c % W] = l->m->cell_node[4 * like + k];
  }
}

static void
make_geometry(struct limit *l) {
  int W = l->how.width;
  const double *x = l->m->x;
  if (l->how.geometry != LIMIT_STORED) return;
  l->geometry = take((size_t)l->ncell * 12, sizeof(double));
  for (int b = 0; b < l->nblock; b++)
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < W; i++) {
        const int *n = l->pair + (b * 8 + 2 * k) * W + i;
        double *g = l->geometry + (size_t)(b * 12 + 3 * k) * W + i;
        double dx = x[2 * n[0]] - x[2 * n[W]];
        double dy = x[2 * n[0] + 1] - x[2 * n[W] + 1];
        g[0] = dx;
        g[W] = dy;
        g[2 * W] = sqrt(dx * dx + dy * dy);
      }
}

/* reach_lo[b]: the lowest block that b or one behind it reads; reach_hi[b]: the
 * highest that b or one before it reads. */
static void
make_reach(struct limit *l) {
  int W = l->how.width;
  l->reach_lo = take((size_t)l->nblock, sizeof(int));
  l->reach_hi = take((size_t)l->nblock, sizeof(int));
  for (int b = 0; b < l->nblock; b++) {
    int lo = b, hi = b;
    for (int i = 0; i < 4 * W; i++) {
      int to = l->next[4 * W * (size_t)b + (size_t)i] / W;
      if (to < lo) lo = to;
      if (to > hi) hi = to;
    }
    l->reach_lo[b] = lo;
    l->reach_hi[b] = b && l->reach_hi[b - 1] > hi ? l->reach_hi[b - 1] : hi;
  }
  for (int b = l->nblock - 2; b >= 0; b--)
    if (l->reach_lo[b + 1] < l->reach_lo[b])
      l->reach_lo[b] = l->reach_lo[b + 1];
}

static void
make_bounds(struct limit *l) {
  const struct mesh *m = l->m;
  int W = l->how.width;
  l->bound = take((size_t)l->nblock + 2, sizeof(int));
  l->bound_row = take((size_t)m->nbedge, sizeof(int));
  for (int e = 0; e < m->nbedge; e++) l->bound[m->bedge_cell[e] / W + 2]++;
  for (int b = 1; b < l->nblock + 2; b++) l->bound[b] += l->bound[b - 1];
  for (int e = 0; e < m->nbedge; e++)
    l->bound_row[l->bound[m->bedge_cell[e] / W + 1]++] = e;
}

/* ---- edges in parts ------------------------------------------------------ */

/* The part of an edge: that of both cells, or one behind all. */
static int
part_of(const struct limit *l, int e) {
  const int *c = l->m->edge_cell + 2 * (size_t)e;
  if (l->how.flux) return 0;
  int per = (l->m->ncell + l->threads - 1) / l->threads;
  return c[0] / per == c[1] / per ? c[0] / per : l->threads;
}

static void
make_edge_geometry(struct limit *l) {
  int W = l->how.width;
  const double *x = l->m->x;
  if (l->how.geometry != LIMIT_STORED) return;
  l->edge_geometry = take((size_t)l->nedge * 2, sizeof(double));
  for (int e = 0; e < l->nedge; e++) {
    size_t at = (size_t)(e / W * 2 * W + e % W);
    const int *n = l->edge_node + at;
    for (int c = 0; c < 2; c++)
      l->edge_geometry[at + (size_t)(c * W)] =
          x[2 * n[0] + c] - x[2 * n[W] + c];
  }
}

/* Edges by part, each part padded with edges of no length. */
static void
make_edges(struct limit *l) {
  const struct mesh *m = l->m;
  int W = l->how.width, parts = l->threads + 1;
  int *at = bench_take((size_t)parts + 1, sizeof *at);
  l->edge_part = bench_take((size_t)parts + 1, sizeof *l->edge_part);
  for (int e = 0; e < m->nedge; e++) at[part_of(l, e) + 1]++;
  for (int p = 0; p < parts; p++)
    l->edge_part[p + 1] = l->edge_part[p] + (at[p + 1] + W - 1) / W;
  for (int p = 0; p < parts; p++) at[p] = W * l->edge_part[p];
  l->nedge = W * l->edge_part[parts];
  l->edge_cell = take((size_t)l->nedge * 2, sizeof(int));
  l->edge_node = take((size_t)l->nedge * 2, sizeof(int));
  for (int e = 0; e < m->nedge; e++) {
    int to = at[part_of(l, e)]++;
    for (int k = 0; k < 2; k++) {
      l->edge_cell[(to / W * 2 + k) * W + to % W] = m->edge_cell[2 * e + k];
      l->edge_node[(to / W * 2 + k) * W + to % W] = m->edge_node[2 * e + k];
    }
  }
  make_edge_geometry(l);
  free(at);
}

/* ---- start and stop ------------------------------------------------------ */

void
limit_reset(struct limit *l) {
  for (int v = 0; v < 2; v++)
    for (int c = 0; c < l->ncell; c++)
      memcpy(l->q[v] + (size_t)(l->how.kept ? 8 : 4) * (size_t)c, qinf,
             sizeof qinf);
  memset(l->res, 0, (size_t)l->ncell * 4 * sizeof(double));
}

void
limit_start(struct limit *l, const struct mesh *m, struct limit_how how,
            int threads) {
  memset(l, 0, sizeof *l);
  l->m = m;
  l->how = how;
  l->rms = bench_take(LIMIT_THREADS * LIMIT_PAD, sizeof(double));
  l->threads = threads < 1               ? 1
               : threads > LIMIT_THREADS ? LIMIT_THREADS
                                         : threads;
  l->nblock = (m->ncell + how.width - 1) / how.width;
  l->ncell = l->nblock * how.width;
  for (int v = 0; v < 2; v++) {
    l->q[v] = take((size_t)l->ncell * (how.kept ? 8 : 4), sizeof(double));
    l->adt[v] = how.kept ? l->q[v] + 4 : take((size_t)l->ncell, sizeof(double));
  }
  l->res = take((size_t)l->ncell * 4, sizeof(double));
  airfoil_constants();
  make_sides(l);
  make_tables(l);
  make_geometry(l);
  make_bounds(l);
  make_reach(l);
  make_edges(l);
  if (how.flux)
    l->flux = take((size_t)(m->nedge + m->nbedge + 5 * how.width) * 4,
                   sizeof(double));
  limit_reset(l);
}

void
limit_stop(struct limit *l) {
  void *all[] = {l->q[0],      l->q[1],      l->res,           l->corner,
                 l->next,      l->pair,      l->geometry,      l->side,
                 l->side_cell, l->side_node, l->plain,         l->bound,
                 l->bound_row, l->reach_lo,  l->reach_hi,      l->edge_part,
                 l->edge_cell, l->edge_node, l->edge_geometry, l->flux,
                 l->rms};
  for (int v = 0; v < 2 && !l->how.kept; v++) free(l->adt[v]);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
}
