/* Quadrilateral (i, j) has the diagonal from its corner (i, j) to (i + 1, j + 1).
 * The edge a-b of a triangle a b c adds half the cotangent of the angle at c to
 * that edge's weight: the matrix of linear elements (R. H. MacNeal 1949). */
#include "levels.h"

#include <stdlib.h>
#include <string.h>

#include "../take.h"

static unsigned
draw(unsigned *state, unsigned n) {
  *state = *state * 1664525u + 1013904223u;
  return (unsigned)(((unsigned long long)*state * n) >> 32);
}

static int *
order_of(int n, unsigned seed) {
  int *at = bench_take(n, sizeof *at);
  unsigned state = seed;
  for (int i = 0; i < n; i++) at[i] = i;
  for (int i = n - 1; seed && i > 0; i--) {
    int k = (int)draw(&state, (unsigned)i + 1), t = at[i];
    at[i] = at[k];
    at[k] = t;
  }
  return at;
}

static int
node_at(const struct level *l, int i, int j) {
  return l->number[i + j * (l->ni + 1)];
}

/* ---- nodes ---------------------------------------------------------------- */

/* Half of n steps, the last of which may be a short one. */
static int
coarser(int n) {
  return n > 2 ? (n + 1) / 2 : n;
}

/* Place i of n steps lies at place *low or between *low and *low + 1 of half of
 * them; returns 1 if between. */
static int
place_in(int i, int n, int *low) {
  int half = coarser(n) < n;
  *low = half ? (i + (i == n)) / 2 : i;
  return half && i % 2 && i < n;
}

/* Bent inside, so that no two weights are the same. */
static void
place_node(double *x, double s, double t) {
  double bend = 0.8 * s * (1 - s) * t * (1 - t);
  x[0] = s + bend * (s - 0.4);
  x[1] = t - bend * (t - 0.3);
}

static void
make_finest_nodes(struct level *l) {
  for (int j = 0; j <= l->nj; j++)
    for (int i = 0; i <= l->ni; i++)
      place_node(l->x + 2 * node_at(l, i, j), (double)i / l->ni,
                 (double)j / l->nj);
}

static void
make_parents(struct level *l, const struct level *next) {
  for (int j = 0; j <= l->nj; j++)
    for (int i = 0; i <= l->ni; i++) {
      int a, b, n = node_at(l, i, j);
      int right = place_in(i, l->ni, &a), up = place_in(j, l->nj, &b);
      int *to = l->parent + 2 * n;
      to[0] = node_at(next, a, b);
      to[1] = node_at(next, a + right, b + up);
      if (!right && !up)
        memcpy(next->x + 2 * to[0], l->x + 2 * n, 2 * sizeof(double));
    }
}

/* ---- edges and triangles -------------------------------------------------- */

/* Edges of node (i, j) to the right, up and across: place of the first. */
static int
edges_before(const struct level *l, int i, int j) {
  int before = j * (3 * l->ni + 1) + (j < l->nj ? 3 : 1) * i;
  return before;
}

static void
add_weight(struct level *l, int e, int a, int b, int c) {
  const double *p = l->x + 2 * a, *q = l->x + 2 * b, *r = l->x + 2 * c;
  double u[2] = {p[0] - r[0], p[1] - r[1]}, v[2] = {q[0] - r[0], q[1] - r[1]};
  double cross = u[0] * v[1] - u[1] * v[0];
  double area = cross < 0 ? -cross : cross;
  l->edge[2 * e] = a;
  l->edge[2 * e + 1] = b;
  l->weight[e] += 0.5 * (u[0] * v[0] + u[1] * v[1]) / area;
  l->load[c] += area / 6;
}

static void
make_triangles(struct level *l, int i, int j) {
  int n[4] = {node_at(l, i, j), node_at(l, i + 1, j), node_at(l, i + 1, j + 1),
              node_at(l, i, j + 1)};
  int here = edges_before(l, i, j), up = edges_before(l, i, j + 1);
  int right = edges_before(l, i + 1, j) + (i + 1 < l->ni);
  add_weight(l, here, n[0], n[1], n[2]);
  add_weight(l, right, n[1], n[2], n[0]);
  add_weight(l, here + 2, n[0], n[2], n[1]);
  add_weight(l, up, n[3], n[2], n[0]);
  add_weight(l, here + 1, n[0], n[3], n[2]);
  add_weight(l, here + 2, n[0], n[2], n[3]);
}

static void
shuffle_edges(struct level *l, unsigned seed) {
  int *at = order_of(l->nedge, seed);
  int *edge = bench_take(l->nedge, 2 * sizeof(int));
  double *weight = bench_take(l->nedge, sizeof(double));
  for (int e = 0; e < l->nedge; e++) {
    memcpy(edge + 2 * e, l->edge + 2 * at[e], 2 * sizeof(int));
    weight[e] = l->weight[at[e]];
  }
  free(at);
  free(l->edge);
  free(l->weight);
  l->edge = edge;
  l->weight = weight;
}

static void
make_edges(struct level *l, unsigned seed) {
  for (int j = 0; j < l->nj; j++)
    for (int i = 0; i < l->ni; i++) make_triangles(l, i, j);
  for (int k = 0; k < 2 * l->nedge; k++)
    l->inverse[l->edge[k]] += l->weight[k / 2];
  for (int j = 0; j <= l->nj; j++)
    for (int i = 0; i <= l->ni; i++) {
      int n = node_at(l, i, j);
      int inside = i > 0 && i < l->ni && j > 0 && j < l->nj;
      l->inverse[n] = inside ? 1 / l->inverse[n] : 0;
    }
  if (seed) shuffle_edges(l, seed);
}

/* ---- all of it ------------------------------------------------------------ */

static void
take_level(struct level *l, int ni, int nj, unsigned seed) {
  *l = (struct level){.ni = ni, .nj = nj};
  l->nnode = (ni + 1) * (nj + 1);
  l->nedge = 3 * ni * nj + ni + nj;
  l->x = bench_take(l->nnode, 2 * sizeof(double));
  l->load = bench_take(l->nnode, sizeof(double));
  l->inverse = bench_take(l->nnode, sizeof(double));
  l->weight = bench_take(l->nedge, sizeof(double));
  l->edge = bench_take(l->nedge, 2 * sizeof(int));
  l->parent = bench_take(l->nnode, 2 * sizeof(int));
  l->number = order_of(l->nnode, seed);
}

void
levels_make(struct levels *l, int ni, int nj, unsigned seed) {
  l->n = 0;
  for (;; ni = coarser(ni), nj = coarser(nj)) {
    take_level(&l->at[l->n++], ni, nj, seed);
    if (ni <= 2 && nj <= 2) break;
  }
  make_finest_nodes(&l->at[0]);
  for (int k = 0; k < l->n; k++) {
    if (k + 1 < l->n) make_parents(&l->at[k], &l->at[k + 1]);
    make_edges(&l->at[k], seed);
  }
}

void
levels_clear(struct levels *l) {
  for (int k = 0; k < l->n; k++) {
    free(l->at[k].x);
    free(l->at[k].load);
    free(l->at[k].inverse);
    free(l->at[k].weight);
    free(l->at[k].edge);
    free(l->at[k].parent);
    free(l->at[k].number);
  }
  l->n = 0;
}
