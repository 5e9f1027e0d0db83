/* Mesh generator.
 *
 * Problem: the published mesh of 720 000 cells is not at hand everywhere, but
 * its answer is checked to ten digits, so it has to be made again exactly.
 *
 * Idea: the square root z -> sqrt(z) unfolds a profile with a sharp trailing
 * edge and the cut behind it into a curve over the real line, above which a
 * plain rectangular grid can stand; squaring the grid folds it back around the
 * profile. In the rectangle the number of a node is i + j(3I+1). Only the cut
 * line, where the two ends of the lower side meet, is special: its cells i and
 * 3I-1-i of the bottom row are neighbours.
 *
 *      j=J  ------------------------     far field
 *           |    |    |    |    |  |
 *      j=0  -cut-/--profile--\--cut-     i = 0..I | I..2I | 2I..3I
 *
 * The curve goes through 199 points of the profile by a cubic spline whose
 * first and last two pieces are one polynomial each ("not a knot").
 *
 * Cost: O(cells). Source: the formulas of the benchmark's description; the
 * spline as in de Boor, A Practical Guide to Splines, chapter IV. Limits:
 * 32-bit numbers.
 */
#include "mesh.h"

#include <assert.h>
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../take.h"

enum { PROFILE = 100, KNOTS = 2 * PROFILE - 1 };

static const double pi = 3.14159265358979323846;

/* ---- the curve ----------------------------------------------------------- */

struct spline {
  double x[KNOTS], y[KNOTS], slope[KNOTS];
};

static double
profile_height(double t) {
  return 0.594689181 *
         (0.298222773 * sqrt(t) - 0.127125232 * t - 0.357907906 * t * t +
          0.291984971 * t * t * t - 0.105174696 * t * t * t * t);
}

/* The unfolded profile: knot PROFILE-1+k is z_k, knot PROFILE-1-k its
 * mirror. */
static void
profile_knots(struct spline *s) {
  for (int k = 0; k < PROFILE; k++) {
    double half = sin(k * pi / 2 / (PROFILE - 1)), t = half * half;
    double y = k == PROFILE - 1 ? 0 : profile_height(t);
    double complex z = csqrt(t - 0.0077 + I * y);
    s->x[PROFILE - 1 - k] = -creal(z);
    s->x[PROFILE - 1 + k] = creal(z);
    s->y[PROFILE - 1 - k] = s->y[PROFILE - 1 + k] = cimag(z);
  }
}

/* Rows of the system for the slopes: lower, diagonal, upper, right side. */
struct row {
  double lo, di, up, rhs;
};

static struct row
inner_row(const struct spline *s, int k) {
  double hl = s->x[k] - s->x[k - 1], hr = s->x[k + 1] - s->x[k];
  double dl = (s->y[k] - s->y[k - 1]) / hl, dr = (s->y[k + 1] - s->y[k]) / hr;
  return (struct row){hr, 2 * (hl + hr), hl, 3 * (hr * dl + hl * dr)};
}

/* The end condition at knot `a`, whose neighbours inwards are b and c. */
static struct row
end_row(const struct spline *s, int a, int b, int c) {
  double h0 = fabs(s->x[b] - s->x[a]), h1 = fabs(s->x[c] - s->x[b]);
  double d0 = (s->y[b] - s->y[a]) / (s->x[b] - s->x[a]);
  double d1 = (s->y[c] - s->y[b]) / (s->x[c] - s->x[b]);
  double h = h0 + h1;
  double rhs = ((h0 + 2 * h) * h1 * d0 + h0 * h0 * d1) / h;
  return (struct row){h, h1, h, rhs};
}

static void
spline_slopes(struct spline *s) {
  struct row r[KNOTS];
  r[0] = end_row(s, 0, 1, 2);
  r[KNOTS - 1] = end_row(s, KNOTS - 1, KNOTS - 2, KNOTS - 3);
  for (int k = 1; k < KNOTS - 1; k++) r[k] = inner_row(s, k);
  for (int k = 1; k < KNOTS; k++) {
    double f = r[k].lo / r[k - 1].di;
    r[k].di -= f * r[k - 1].up;
    r[k].rhs -= f * r[k - 1].rhs;
  }
  s->slope[KNOTS - 1] = r[KNOTS - 1].rhs / r[KNOTS - 1].di;
  for (int k = KNOTS - 2; k >= 0; k--)
    s->slope[k] = (r[k].rhs - r[k].up * s->slope[k + 1]) / r[k].di;
}

/* Value at x by the piece that holds it (the outer ones reach on). */
static double
spline_at(const struct spline *s, double x) {
  int k = 0;
  while (k < KNOTS - 2 && x >= s->x[k + 1]) k++;
  double h = s->x[k + 1] - s->x[k], t = x - s->x[k];
  double d = (s->y[k + 1] - s->y[k]) / h;
  double c = (3 * d - 2 * s->slope[k] - s->slope[k + 1]) / h;
  double b = (s->slope[k] + s->slope[k + 1] - 2 * d) / (h * h);
  return s->y[k] + t * (s->slope[k] + t * (c + t * b));
}

/* ---- the grid ------------------------------------------------------------ */

struct grid {
  int ni, nj;
};

static int
node_at(struct grid g, int i, int j) {
  return i + j * (3 * g.ni + 1);
}

static int
cell_at(struct grid g, int i, int j) {
  return i + j * 3 * g.ni;
}

static double
six_decimals(double v) {
  return rint(v * 1e6) / 1e6;
}

static void
make_nodes(struct mesh *m, struct grid g) {
  struct spline s;
  profile_knots(&s);
  spline_slopes(&s);
  for (int i = 0; i <= 3 * g.ni; i++) {
    double xb = -3 + 6.0 * i / (3 * g.ni);
    double yb = i > g.ni && i < 2 * g.ni ? spline_at(&s, xb) : 0;
    for (int j = 0; j <= g.nj; j++) {
      double y = yb + (3 - yb) * j / g.nj;
      double *x = m->x + 2 * node_at(g, i, j);
      x[0] = six_decimals(xb * xb - y * y);
      x[1] = six_decimals(2 * xb * y);
    }
  }
}

static void
make_cells(struct mesh *m, struct grid g) {
  for (int j = 0; j < g.nj; j++)
    for (int i = 0; i < 3 * g.ni; i++) {
      int *n = m->cell_node + 4 * cell_at(g, i, j);
      n[0] = node_at(g, i, j);
      n[1] = node_at(g, i + 1, j);
      n[2] = node_at(g, i + 1, j + 1);
      n[3] = node_at(g, i, j + 1);
    }
}

static void
add_edge(struct mesh *m, int *e, int n1, int n2, int c1, int c2) {
  m->edge_node[2 * *e] = n1;
  m->edge_node[2 * *e + 1] = n2;
  m->edge_cell[2 * *e] = c1;
  m->edge_cell[2 * *e + 1] = c2;
  ++*e;
}

static void
make_edges(struct mesh *m, struct grid g) {
  int e = 0;
  for (int j = 0; j < g.nj; j++)
    for (int i = 0; i < 3 * g.ni; i++) {
      int c = cell_at(g, i, j);
      if (j == 0 && i < g.ni)
        add_edge(m, &e, node_at(g, i, 0), node_at(g, i + 1, 0),
                 cell_at(g, 3 * g.ni - 1 - i, 0), c);
      if (j < g.nj - 1)
        add_edge(m, &e, node_at(g, i, j + 1), node_at(g, i + 1, j + 1), c,
                 cell_at(g, i, j + 1));
      if (i < 3 * g.ni - 1)
        add_edge(m, &e, node_at(g, i + 1, j), node_at(g, i + 1, j + 1),
                 cell_at(g, i + 1, j), c);
    }
  assert(e == m->nedge);
}

static void
add_bedge(struct mesh *m, int *e, int n1, int n2, int cell, int type) {
  m->bedge_node[2 * *e] = n1;
  m->bedge_node[2 * *e + 1] = n2;
  m->bedge_cell[*e] = cell;
  m->bedge_type[*e] = type;
  ++*e;
}

static void
make_bedges(struct mesh *m, struct grid g) {
  int e = 0, I3 = 3 * g.ni, J = g.nj;
  for (int i = g.ni; i < 2 * g.ni; i++)
    add_bedge(m, &e, node_at(g, i + 1, 0), node_at(g, i, 0), cell_at(g, i, 0),
              MESH_WALL);
  for (int j = 0; j < J; j++)
    add_bedge(m, &e, node_at(g, I3, j + 1), node_at(g, I3, j),
              cell_at(g, I3 - 1, j), MESH_FAR);
  for (int i = I3 - 1; i >= 0; i--)
    add_bedge(m, &e, node_at(g, i, J), node_at(g, i + 1, J),
              cell_at(g, i, J - 1), MESH_FAR);
  for (int j = J - 1; j >= 0; j--)
    add_bedge(m, &e, node_at(g, 0, j), node_at(g, 0, j + 1), cell_at(g, 0, j),
              MESH_FAR);
  assert(e == m->nbedge);
}

static void
mesh_allocate(struct mesh *m) {
  m->x = bench_take(m->nnode, 2 * sizeof(double));
  m->cell_node = bench_take(m->ncell, 4 * sizeof(int));
  m->edge_node = bench_take(m->nedge, 2 * sizeof(int));
  m->edge_cell = bench_take(m->nedge, 2 * sizeof(int));
  m->bedge_node = bench_take(m->nbedge, 2 * sizeof(int));
  m->bedge_cell = bench_take(m->nbedge, sizeof(int));
  m->bedge_type = bench_take(m->nbedge, sizeof(int));
}

void
mesh_make(struct mesh *m, int ni, int nj) {
  struct grid g = {ni, nj};
  m->nnode = (3 * ni + 1) * (nj + 1);
  m->ncell = 3 * ni * nj;
  m->nedge = (3 * ni - 1) * nj + 3 * ni * (nj - 1) + ni;
  m->nbedge = ni + 3 * ni + 2 * nj;
  mesh_allocate(m);
  make_nodes(m, g);
  make_cells(m, g);
  make_edges(m, g);
  make_bedges(m, g);
}

/* ---- files --------------------------------------------------------------- */

static bool
read_ints(FILE *f, int *out, int n, int limit) {
  for (int i = 0; i < n; i++)
    if (fscanf(f, "%d", out + i) != 1 || out[i] < 0 || out[i] >= limit)
      return false;
  return true;
}

static bool
read_edges(FILE *f, struct mesh *m) {
  for (int e = 0; e < m->nedge; e++)
    if (!read_ints(f, m->edge_node + 2 * e, 2, m->nnode) ||
        !read_ints(f, m->edge_cell + 2 * e, 2, m->ncell))
      return false;
  for (int e = 0; e < m->nbedge; e++)
    if (!read_ints(f, m->bedge_node + 2 * e, 2, m->nnode) ||
        !read_ints(f, m->bedge_cell + e, 1, m->ncell) ||
        !read_ints(f, m->bedge_type + e, 1, MESH_FAR + 1))
      return false;
  return true;
}

static bool
read_all(FILE *f, struct mesh *m) {
  int size[4];
  if (!read_ints(f, size, 4, INT32_MAX / 4)) return false;
  m->nnode = size[0];
  m->ncell = size[1];
  m->nedge = size[2];
  m->nbedge = size[3];
  mesh_allocate(m);
  for (int i = 0; i < 2 * m->nnode; i++)
    if (fscanf(f, "%lf", m->x + i) != 1) return false;
  return read_ints(f, m->cell_node, 4 * m->ncell, m->nnode) && read_edges(f, m);
}

bool
mesh_read(struct mesh *m, const char *path) {
  FILE *f = fopen(path, "r");
  memset(m, 0, sizeof *m);
  bool good = f && read_all(f, m);
  if (!good) {
    fprintf(stderr, "mesh: %s: %s\n", path,
            f ? "not a grid file, or its end is missing" : "cannot be opened");
    mesh_clear(m);
  }
  if (f) fclose(f);
  return good;
}

static void
write_all(FILE *f, const struct mesh *m) {
  fprintf(f, "%d %d %d %d\n", m->nnode, m->ncell, m->nedge, m->nbedge);
  for (int n = 0; n < m->nnode; n++)
    fprintf(f, "%.6f %.6f\n", m->x[2 * n], m->x[2 * n + 1]);
  for (const int *n = m->cell_node; n < m->cell_node + 4 * m->ncell; n += 4)
    fprintf(f, "%d %d %d %d\n", n[0], n[1], n[2], n[3]);
  for (int e = 0; e < m->nedge; e++)
    fprintf(f, "%d %d %d %d\n", m->edge_node[2 * e], m->edge_node[2 * e + 1],
            m->edge_cell[2 * e], m->edge_cell[2 * e + 1]);
  for (int e = 0; e < m->nbedge; e++)
    fprintf(f, "%d %d %d %d\n", m->bedge_node[2 * e], m->bedge_node[2 * e + 1],
            m->bedge_cell[e], m->bedge_type[e]);
}

bool
mesh_write(const struct mesh *m, const char *path) {
  FILE *f = fopen(path, "w");
  if (f) write_all(f, m);
  bool good = f && !ferror(f);
  if (f && fclose(f)) good = false;
  if (!good) fprintf(stderr, "mesh: %s: cannot be written\n", path);
  return good;
}

/* ---- shuffling ----------------------------------------------------------- */

/* splitmix64: small, and the same on every machine. */
static uint64_t
random_next(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* A random permutation: element e becomes number perm[e]. */
static int *
random_order(int n, uint64_t *state) {
  int *perm = bench_take(n, sizeof(int));
  for (int i = 0; i < n; i++) {
    int j = (int)(random_next(state) % (uint64_t)(i + 1));
    perm[i] = perm[j];
    perm[j] = i;
  }
  return perm;
}

/* rows[perm[e]] = rows[e] for n rows of `size` bytes. */
static void
move_rows(void *rows, int n, size_t size, const int *perm) {
  char *old = bench_take(n, size);
  memcpy(old, rows, n * size);
  for (int e = 0; e < n; e++)
    memcpy((char *)rows + perm[e] * size, old + e * size, size);
  free(old);
}

static void
rename_targets(int *table, int n, const int *perm) {
  for (int i = 0; i < n; i++) table[i] = perm[table[i]];
}

void
mesh_renumber(struct mesh *m, const int *node, const int *cell, const int *edge,
              const int *bedge) {
  rename_targets(m->cell_node, 4 * m->ncell, node);
  rename_targets(m->edge_node, 2 * m->nedge, node);
  rename_targets(m->bedge_node, 2 * m->nbedge, node);
  rename_targets(m->edge_cell, 2 * m->nedge, cell);
  rename_targets(m->bedge_cell, m->nbedge, cell);
  move_rows(m->x, m->nnode, 2 * sizeof(double), node);
  move_rows(m->cell_node, m->ncell, 4 * sizeof(int), cell);
  move_rows(m->edge_node, m->nedge, 2 * sizeof(int), edge);
  move_rows(m->edge_cell, m->nedge, 2 * sizeof(int), edge);
  move_rows(m->bedge_node, m->nbedge, 2 * sizeof(int), bedge);
  move_rows(m->bedge_cell, m->nbedge, sizeof(int), bedge);
  move_rows(m->bedge_type, m->nbedge, sizeof(int), bedge);
}

void
mesh_shuffle(struct mesh *m, unsigned seed) {
  uint64_t state = seed;
  int *node = random_order(m->nnode, &state);
  int *cell = random_order(m->ncell, &state);
  int *edge = random_order(m->nedge, &state);
  int *bedge = random_order(m->nbedge, &state);
  mesh_renumber(m, node, cell, edge, bedge);
  free(node);
  free(cell);
  free(edge);
  free(bedge);
}

void
mesh_clear(struct mesh *m) {
  free(m->x);
  free(m->cell_node);
  free(m->edge_node);
  free(m->edge_cell);
  free(m->bedge_node);
  free(m->bedge_cell);
  free(m->bedge_type);
  memset(m, 0, sizeof *m);
}
