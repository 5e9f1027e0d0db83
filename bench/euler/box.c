/* A hexahedron's corners have numbers of three bits, one an axis. On each of its
 * faces the diagonal joins the two corners whose places i + j + k are even ("even
 * corners"), so that both hexahedra of a face cut it alike. With o an odd corner
 * and a, b, c the bits of the axes:
 *
 *   five     the even corners; {o, o^a, o^b, o^c} at each of four odd ones
 *   twelve   {o, o^a, o^b, middle} for each of the three faces at each o
 */
#include "box.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../take.h"

/* ---- numbers -------------------------------------------------------------- */

/* Splitmix64: a number that looks random, of each number. */
static uint64_t
mix(uint64_t v) {
  v += 0x9e3779b97f4a7c15u;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
  return v ^ (v >> 31);
}

/* A permutation of n numbers: as they are, or of Fisher and Yates. */
static int *
order_of(int n, unsigned seed) {
  int *at = bench_take(n, sizeof *at);
  for (int i = 0; i < n; i++) at[i] = i;
  for (int i = n - 1; seed && i > 0; i--) {
    int k = (int)(mix(((uint64_t)seed << 32) + i) % (uint64_t)(i + 1));
    int t = at[i];
    at[i] = at[k];
    at[k] = t;
  }
  return at;
}

/* Rows of `size` bytes where at[i] says what the i-th is now. */
static void
permute(void *rows, size_t size, int n, const int *at) {
  char *new = bench_take(n, size), *old = rows;
  for (int i = 0; i < n; i++) memcpy(new + i *size, old + at[i] * size, size);
  memcpy(old, new, n * size);
  free(new);
}

/* ---- nodes ---------------------------------------------------------------- */

struct grid {
  struct box *b;
  int *corner; /* number of the node at (i, j, k) */
  int *middle; /* of that in hexahedron (i, j, k); -1: it has none */
  int odd;     /* is the first corner of the hexahedron at hand odd? */
  int at[9];   /* its corners and its middle */
};

static int
corner_at(const struct box *b, int i, int j, int k) {
  return i + (b->ni + 1) * (j + (b->nj + 1) * k);
}

static int
hexahedron_at(const struct box *b, int i, int j, int k) {
  return i + b->ni * (j + b->nj * k);
}

static int
has_middle(const struct box *b, int i, int j, int k) {
  if (i == b->ni || j == b->nj || k == b->nk) return 0;
  return (int)(mix((uint64_t)hexahedron_at(b, i, j, k)) & 1);
}

/* A middle's number follows that of the first corner. */
static void
number_nodes(struct grid *g) {
  struct box *b = g->b;
  g->corner = bench_take((b->ni + 1) * (b->nj + 1) * (b->nk + 1), sizeof(int));
  g->middle = bench_take(b->ni * b->nj * b->nk, sizeof(int));
  for (int k = 0; k <= b->nk; k++)
    for (int j = 0; j <= b->nj; j++)
      for (int i = 0; i <= b->ni; i++) {
        int middle = has_middle(b, i, j, k);
        g->corner[corner_at(b, i, j, k)] = b->nnode++;
        if (i == b->ni || j == b->nj || k == b->nk) continue;
        g->middle[hexahedron_at(b, i, j, k)] = middle ? b->nnode++ : -1;
      }
}

/* A place on an axis of n steps, off by up to a tenth of one inside. */
static double
place(double at, int n, uint64_t draw) {
  double off = (double)(draw >> 11) / 9007199254740992.0 - 0.5;
  return (at + (at > 0 && at < n ? 0.2 * off : 0)) / n;
}

static void
place_node(struct box *b, int n, double i, double j, double k) {
  uint64_t draw = mix(3 * (uint64_t)n + 1);
  b->x[3 * n] = place(i, b->ni, draw);
  b->x[3 * n + 1] = place(j, b->nj, mix(draw));
  b->x[3 * n + 2] = place(k, b->nk, mix(mix(draw)));
}

static void
place_nodes(struct grid *g) {
  struct box *b = g->b;
  b->x = bench_take(b->nnode, 3 * sizeof(double));
  for (int k = 0; k <= b->nk; k++)
    for (int j = 0; j <= b->nj; j++)
      for (int i = 0; i <= b->ni; i++) {
        place_node(b, g->corner[corner_at(b, i, j, k)], i, j, k);
        if (has_middle(b, i, j, k))
          place_node(b, g->middle[hexahedron_at(b, i, j, k)], i + 0.5, j + 0.5,
                     k + 0.5);
      }
}

static void
renumber_nodes(struct grid *g, unsigned seed) {
  struct box *b = g->b;
  int *at = order_of(b->nnode, seed), *to = bench_take(b->nnode, sizeof(int));
  permute(b->x, 3 * sizeof(double), b->nnode, at);
  for (int n = 0; n < b->nnode; n++) to[at[n]] = n;
  for (int n = 0; n < (b->ni + 1) * (b->nj + 1) * (b->nk + 1); n++)
    g->corner[n] = to[g->corner[n]];
  for (int n = 0; n < b->ni * b->nj * b->nk; n++)
    if (g->middle[n] >= 0) g->middle[n] = to[g->middle[n]];
  free(at);
  free(to);
}

/* ---- tetrahedra ----------------------------------------------------------- */

static void
between(const double *a, const double *b, double *to) {
  for (int c = 0; c < 3; c++) to[c] = b[c] - a[c];
}

/* Half of the cross product: a triangle's area. */
static void
half_cross(const double *u, const double *v, double *to) {
  to[0] = 0.5 * (u[1] * v[2] - u[2] * v[1]);
  to[1] = 0.5 * (u[2] * v[0] - u[0] * v[2]);
  to[2] = 0.5 * (u[0] * v[1] - u[1] * v[0]);
}

static double
volume_of(const double *x, const int *t) {
  double u[3], v[3], w[3], area[3];
  between(x + 3 * t[0], x + 3 * t[1], u);
  between(x + 3 * t[0], x + 3 * t[2], v);
  between(x + 3 * t[0], x + 3 * t[3], w);
  half_cross(u, v, area);
  return (area[0] * w[0] + area[1] * w[1] + area[2] * w[2]) / 3;
}

static void
add_tet(struct grid *g, int p, int q, int r, int s) {
  int t[4] = {g->at[p], g->at[q], g->at[r], g->at[s]};
  if (volume_of(g->b->x, t) < 0) {
    t[2] = g->at[s];
    t[3] = g->at[r];
  }
  memcpy(g->b->tet + 4 * g->b->ntet++, t, sizeof t);
}

static void
hexahedron_begin(struct grid *g, int i, int j, int k) {
  const struct box *b = g->b;
  g->odd = (i + j + k) & 1;
  for (int c = 0; c < 8; c++)
    g->at[c] = g->corner[corner_at(b, i + (c & 1), j + (c >> 1 & 1),
                                   k + (c >> 2 & 1))];
  g->at[8] = g->middle[hexahedron_at(b, i, j, k)];
}

/* The f-th odd corner. */
static int
odd_corner(const struct grid *g, int f) {
  static const int odd[2][4] = {{1, 2, 4, 7}, {0, 3, 5, 6}};
  return odd[g->odd][f];
}

static void
make_tets(struct grid *g) {
  struct box *b = g->b;
  b->tet = bench_take((size_t)b->ni * b->nj * b->nk * 12, 4 * sizeof(int));
  for (int h = 0; h < b->ni * b->nj * b->nk; h++) {
    hexahedron_begin(g, h % b->ni, h / b->ni % b->nj, h / b->ni / b->nj);
    for (int f = 0; f < 4; f++) {
      int o = odd_corner(g, f);
      if (g->at[8] < 0) {
        add_tet(g, o, o ^ 1, o ^ 2, o ^ 4);
        continue;
      }
      add_tet(g, o, o ^ 1, o ^ 2, 8);
      add_tet(g, o, o ^ 2, o ^ 4, 8);
      add_tet(g, o, o ^ 4, o ^ 1, 8);
    }
    int e = odd_corner(g, 0) ^ 1; /* even, as are those two axes away */
    if (g->at[8] < 0) add_tet(g, e, e ^ 3, e ^ 5, e ^ 6);
  }
}

/* ---- edges ---------------------------------------------------------------- */

/* The nodes that follow a node with a higher number, each once. */
struct follow {
  int *ptr, *to;
};

static const int tet_edge[6][2] = {{0, 1}, {0, 2}, {0, 3},
                                   {1, 2}, {1, 3}, {2, 3}};

static void
low_high(const int *t, int e, int *low, int *high) {
  int a = t[tet_edge[e][0]], b = t[tet_edge[e][1]];
  *low = a < b ? a : b;
  *high = a < b ? b : a;
}

static int
compare(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

/* Sort each row, leave each number once, close the gaps. */
static int
rows_once(struct follow *f, int n) {
  int end = 0, lo = 0;
  for (int i = 0; i < n; i++) {
    int hi = f->ptr[i + 1], begin = end;
    qsort(f->to + lo, hi - lo, sizeof(int), compare);
    for (int k = lo; k < hi; k++)
      if (end == begin || f->to[end - 1] != f->to[k]) f->to[end++] = f->to[k];
    lo = hi;
    f->ptr[i + 1] = end;
  }
  return end;
}

static void
follow_make(struct follow *f, struct box *b) {
  int low, high;
  f->ptr = bench_take(b->nnode + 2, sizeof(int));
  f->to = bench_take((size_t)b->ntet * 6, sizeof(int));
  for (int k = 0; k < 6 * b->ntet; k++) {
    low_high(b->tet + 4 * (k / 6), k % 6, &low, &high);
    f->ptr[low + 2]++;
  }
  for (int n = 0; n < b->nnode; n++) f->ptr[n + 2] += f->ptr[n + 1];
  for (int k = 0; k < 6 * b->ntet; k++) {
    low_high(b->tet + 4 * (k / 6), k % 6, &low, &high);
    f->to[f->ptr[low + 1]++] = high;
  }
  b->nedge = rows_once(f, b->nnode);
}

static int
edge_of(const struct follow *f, int low, int high) {
  int k = f->ptr[low];
  while (f->to[k] != high) k++;
  return k;
}

/* The piece of the dual face of edge p-q in a tetrahedron whose other nodes are
 * r and s: a quadrilateral, with the diagonals from the edge's middle to the
 * tetrahedron's and between those of the triangles p q r and p q s. */
static void
add_face(const double *p, const double *q, const double *r, const double *s,
         double *normal) {
  double u[3], v[3], area[3], out = 0;
  for (int c = 0; c < 3; c++) {
    u[c] = (r[c] + s[c] - p[c] - q[c]) / 4;
    v[c] = (s[c] - r[c]) / 3;
  }
  half_cross(u, v, area);
  for (int c = 0; c < 3; c++) out += area[c] * (q[c] - p[c]);
  for (int c = 0; c < 3; c++) normal[c] += out < 0 ? -area[c] : area[c];
}

static void
add_faces(struct box *b, const struct follow *f, const int *t) {
  for (int e = 0; e < 6; e++) {
    int low, high, *other = (int[2]){0, 0}, n = 0;
    low_high(t, e, &low, &high);
    for (int c = 0; c < 4; c++)
      if (t[c] != low && t[c] != high) other[n++] = t[c];
    add_face(b->x + 3 * low, b->x + 3 * high, b->x + 3 * other[0],
             b->x + 3 * other[1], b->normal + 3 * edge_of(f, low, high));
  }
}

static void
make_edges(struct box *b, unsigned seed) {
  struct follow f;
  follow_make(&f, b);
  b->edge = bench_take(b->nedge, 2 * sizeof(int));
  b->normal = bench_take(b->nedge, 3 * sizeof(double));
  b->volume = bench_take(b->nnode, sizeof(double));
  for (int n = 0; n < b->nnode; n++)
    for (int k = f.ptr[n]; k < f.ptr[n + 1]; k++) {
      b->edge[2 * k] = n;
      b->edge[2 * k + 1] = f.to[k];
    }
  for (int e = 0; e < b->ntet; e++) {
    double v = volume_of(b->x, b->tet + 4 * e) / 4;
    for (int c = 0; c < 4; c++) b->volume[b->tet[4 * e + c]] += v;
    add_faces(b, &f, b->tet + 4 * e);
  }
  free(f.ptr);
  free(f.to);
  int *at = order_of(b->nedge, seed);
  permute(b->edge, 2 * sizeof(int), b->nedge, at);
  permute(b->normal, 3 * sizeof(double), b->nedge, at);
  free(at);
}

/* ---- the surface ---------------------------------------------------------- */

/* The two triangles of the face of the hexahedron at hand on one side of an axis,
 * a third of each to each of its corners. */
static void
add_wall_face(struct grid *g, int axis, int high, double *area_at) {
  struct box *b = g->b;
  int a = 1 << axis, p = 1 << (axis + 1) % 3, q = 1 << (axis + 2) % 3;
  for (int f = 0; f < 4; f++) {
    int o = odd_corner(g, f);
    int at[3] = {g->at[o], g->at[o ^ p], g->at[o ^ q]};
    double u[3], v[3], area[3];
    if (((o & a) != 0) != high) continue;
    between(b->x + 3 * at[0], b->x + 3 * at[1], u);
    between(b->x + 3 * at[0], b->x + 3 * at[2], v);
    half_cross(u, v, area);
    for (int c = 0; c < 3; c++)
      area_at[3 * at[c] + axis] += (high ? 1 : -1) * fabs(area[axis]) / 3;
  }
}

static void
add_wall_faces(struct grid *g, double *area_at) {
  struct box *b = g->b;
  int n[3] = {b->ni, b->nj, b->nk};
  for (int h = 0; h < b->ni * b->nj * b->nk; h++) {
    int at[3] = {h % b->ni, h / b->ni % b->nj, h / b->ni / b->nj};
    hexahedron_begin(g, at[0], at[1], at[2]);
    for (int axis = 0; axis < 3; axis++) {
      if (at[axis] == 0) add_wall_face(g, axis, 0, area_at);
      if (at[axis] == n[axis] - 1) add_wall_face(g, axis, 1, area_at);
    }
  }
}

static void
make_walls(struct grid *g, unsigned seed) {
  struct box *b = g->b;
  double *area_at = bench_take(b->nnode, 3 * sizeof(double));
  add_wall_faces(g, area_at);
  b->wall = bench_take(b->nnode, sizeof(int));
  b->wall_normal = bench_take(b->nnode, 3 * sizeof(double));
  for (int n = 0; n < b->nnode; n++) {
    const double *a = area_at + 3 * n;
    if (a[0] == 0 && a[1] == 0 && a[2] == 0) continue;
    memcpy(b->wall_normal + 3 * b->nwall, a, 3 * sizeof *a);
    b->wall[b->nwall++] = n;
  }
  free(area_at);
  int *at = order_of(b->nwall, seed);
  permute(b->wall, sizeof(int), b->nwall, at);
  permute(b->wall_normal, 3 * sizeof(double), b->nwall, at);
  free(at);
}

/* ---- all of it ------------------------------------------------------------ */

void
box_make(struct box *b, int ni, int nj, int nk, unsigned seed) {
  struct grid g = {.b = b};
  *b = (struct box){.ni = ni, .nj = nj, .nk = nk};
  number_nodes(&g);
  place_nodes(&g);
  renumber_nodes(&g, seed);
  make_tets(&g);
  make_edges(b, seed);
  make_walls(&g, seed);
  free(g.corner);
  free(g.middle);
}

void
box_clear(struct box *b) {
  free(b->x);
  free(b->volume);
  free(b->tet);
  free(b->edge);
  free(b->normal);
  free(b->wall);
  free(b->wall_normal);
  memset(b, 0, sizeof *b);
}

void
box_rows_make(struct box_rows *r, const struct box *b) {
  r->ptr = bench_take(b->nnode + 2, sizeof *r->ptr);
  r->col = bench_take(b->nedge, 2 * sizeof(int));
  r->from = bench_take(b->nedge, 2 * sizeof(int));
  for (int k = 0; k < 2 * b->nedge; k++) r->ptr[b->edge[k] + 2]++;
  for (int n = 0; n < b->nnode; n++) r->ptr[n + 2] += r->ptr[n + 1];
  for (int k = 0; k < 2 * b->nedge; k++) {
    long long at = r->ptr[b->edge[k] + 1]++;
    r->col[at] = b->edge[k ^ 1];
    r->from[at] = k / 2;
  }
}

void
box_rows_clear(struct box_rows *r) {
  free(r->ptr);
  free(r->col);
  free(r->from);
}
