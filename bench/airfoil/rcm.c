#include "rcm.h"

#include "../take.h"

#include <string.h>

enum { SIDES = 4 };

/* next[c][k]: neighbours of a cell; degree[c] of them. */
struct sides {
  int (*next)[SIDES];
  int *degree;
};

static struct sides
find_sides(const struct mesh *m) {
  struct sides s = {bench_take((size_t)m->ncell, sizeof *s.next),
                    bench_take((size_t)m->ncell, sizeof *s.degree)};
  for (int e = 0; e < m->nedge; e++) {
    int a = m->edge_cell[2 * e], b = m->edge_cell[2 * e + 1];
    s.next[a][s.degree[a]++] = b;
    s.next[b][s.degree[b]++] = a;
  }
  return s;
}

/* Append the neighbours of c that have no place yet, fewest sides first. */
static int
append(const struct sides *s, int c, char *placed, int *order, int n) {
  for (int degree = 1; degree <= SIDES; degree++)
    for (int k = 0; k < s->degree[c]; k++) {
      int to = s->next[c][k];
      if (placed[to] || s->degree[to] != degree) continue;
      placed[to] = 1;
      order[n++] = to;
    }
  return n;
}

/* Breadth first from a cell; all are reached, as the mesh is connected. */
static int
walk(const struct sides *s, int from, char *placed, int *order, int ncell) {
  int n = 1;
  memset(placed, 0, (size_t)ncell);
  placed[order[0] = from] = 1;
  for (int i = 0; i < n; i++) n = append(s, order[i], placed, order, n);
  return n;
}

/* New number of each cell. */
static int *
number_cells(const struct mesh *m) {
  struct sides s = find_sides(m);
  int *order = bench_take((size_t)m->ncell, sizeof *order);
  int *number = bench_take((size_t)m->ncell, sizeof *number);
  char *placed = bench_take((size_t)m->ncell, 1);
  int n = walk(&s, 0, placed, order, m->ncell);
  n = walk(&s, order[n - 1], placed, order, m->ncell);
  for (int i = 0; i < n; i++) number[order[i]] = n - 1 - i;
  free(s.next);
  free(s.degree);
  free(order);
  free(placed);
  return number;
}

/* Sort `order` by key[order[i]], keeping equal ones as they are. */
static void
sort_by(const int *key, int nkeys, int *order, int n) {
  int *start = bench_take((size_t)nkeys + 1, sizeof *start);
  int *from = bench_take((size_t)n, sizeof *from);
  memcpy(from, order, (size_t)n * sizeof *from);
  for (int i = 0; i < n; i++) start[key[i] + 1]++;
  for (int k = 0; k < nkeys; k++) start[k + 1] += start[k];
  for (int i = 0; i < n; i++) order[start[key[from[i]]]++] = from[i];
  free(start);
  free(from);
}

/* Rows by their lowest cell, then their highest. */
static int *
number_rows(const struct mesh *m, const int *row_cell, int arity, int n,
            const int *cell) {
  int *low = bench_take((size_t)n, sizeof *low);
  int *high = bench_take((size_t)n, sizeof *high);
  int *order = bench_take((size_t)n, sizeof *order);
  int *number = bench_take((size_t)n, sizeof *number);
  for (int r = 0; r < n; r++) {
    int a = cell[row_cell[arity * r]],
        b = cell[row_cell[arity * r + arity - 1]];
    order[r] = r;
    low[r] = a < b ? a : b;
    high[r] = a < b ? b : a;
  }
  sort_by(high, m->ncell, order, n);
  sort_by(low, m->ncell, order, n);
  for (int i = 0; i < n; i++) number[order[i]] = i;
  free(low);
  free(high);
  free(order);
  return number;
}

static int *
number_nodes(const struct mesh *m, const int *cell) {
  int *order = bench_take((size_t)m->ncell, sizeof *order);
  int *number = bench_take((size_t)m->nnode, sizeof *number), n = 0;
  for (int c = 0; c < m->ncell; c++) order[cell[c]] = c;
  for (int i = 0; i < m->nnode; i++) number[i] = -1;
  for (int i = 0; i < m->ncell; i++)
    for (int k = 0; k < 4; k++) {
      int node = m->cell_node[4 * order[i] + k];
      if (number[node] < 0) number[node] = n++;
    }
  free(order);
  return number;
}

void
mesh_rcm(struct mesh *m) {
  int *cell = number_cells(m);
  int *edge = number_rows(m, m->edge_cell, 2, m->nedge, cell);
  int *bedge = number_rows(m, m->bedge_cell, 1, m->nbedge, cell);
  int *node = number_nodes(m, cell);
  mesh_renumber(m, node, cell, edge, bedge);
  free(node);
  free(cell);
  free(edge);
  free(bedge);
}
