/* Maps made from maps: composed and permuted ones, from subsets, to them and over
 * them. Exact: integers, and copies. */
#include "check.h"
#ifndef TEST_MPI_SLICE_H
#include "errors.h"
#endif

enum { CELLS = 700, FACES = 1500, NODES = 400 };

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "int", acc)
#define VIA(d, i, m, acc) op_arg_dat(d, i, m, 1, "int", acc)

static void
copy_two(double **from, double **to) {
  to[0][0] = from[0][0];
  to[1][0] = from[1][0];
}
static void
weigh(int **v, int *out) {
  *out = v[0][0] + 10 * v[1][0] + 100 * v[2][0] + 1000 * v[3][0];
}
static void
spread(const int *x, int *a, int *b, int *low) {
  *a += *x;
  *b += 3 * *x;
  if (*x < *low) *low = *x;
}
static void
difference(const int *a, const int *b, int *out) {
  *out = 2 * *a - *b;
}

static int draw_state = 11;
static int
draw(int n) {
  draw_state = (int)((unsigned)draw_state * 1664525u + 1013904223u);
  return (int)(((unsigned)draw_state >> 9) % (unsigned)n);
}

/* ---- vectors -------------------------------------------------------------- */

static void
pairs(void) {
  int of_a[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1}, of_b[] = {0, 1, 2, 3, 4, 5};
  int to_a[] = {3, 1, 2}, swap[] = {1, 0};
  double a[8], b[6] = {0}, got[6];
  double plain[] = {.6, .7, .2, .3, .4, .5},
         swapped[] = {.7, .6, .3, .2, .5, .4};
  for (int i = 0; i < 8; i++) a[i] = i / 10.0;
  op_set sa = op_decl_set(5, "a"), sb = op_decl_set(3, "b");
  op_set na = op_decl_set(8, "nodes_a"), nb = op_decl_set(6, "nodes_b");
  op_map ma = op_decl_map(sa, na, 2, of_a, "of_a");
  op_map mb = op_decl_map(sb, nb, 2, of_b, "of_b");
  op_map ba = op_decl_map(sb, sa, 1, to_a, "to_a");
  op_dat da = op_decl_dat(na, 1, "double", a, "da");
  op_dat db = op_decl_dat(nb, 1, "double", b, "db");
  op_map both = op2_decl_map_composed(ba, ma, "both");
  op_map back = op2_decl_map_permuted(both, swap, "back");
  CHECK_INT(both->dim, 2);
  CHECK(both->from == sb && both->to == na);
  op_par_loop(copy_two, "copy_two", sb,
              op_arg_dat(da, -2, both, 1, "double", OP_READ),
              op_arg_dat(db, -2, mb, 1, "double", OP_WRITE));
  op_fetch_data(db, got);
  CHECK_REALS(got, plain, 6);
  op_par_loop(copy_two, "copy_two", sb,
              op_arg_dat(da, -2, back, 1, "double", OP_READ),
              op_arg_dat(db, -2, mb, 1, "double", OP_WRITE));
  op_fetch_data(db, got);
  CHECK_REALS(got, swapped, 6);
}

/* ---- a mesh ---------------------------------------------------------------- */

static int face[2 * CELLS], node[2 * FACES], next[CELLS], in[CELLS], nin;
static int x[NODES], y[CELLS], z[CELLS], low[NODES], got[CELLS];

static void
fill(void) {
  nin = 0;
  for (int i = 0; i < 2 * CELLS; i++) face[i] = draw(FACES);
  for (int i = 0; i < 2 * FACES; i++) node[i] = draw(NODES);
  for (int n = 0; n < NODES; n++) x[n] = draw(10), low[n] = 1 << 20;
  for (int c = 0; c < CELLS; c++) {
    y[c] = 0;
    z[c] = 3 * c;
    next[c] = (c + 17) % CELLS;
    if (c % 5 != 2) in[nin++] = c;
  }
}

/* Node of entry i of a cell. */
static int
node_of(int c, int i) {
  return node[2 * face[2 * c + i / 2] + i % 2];
}

struct mesh {
  op_set cells, faces, nodes, part;
  op_map face, node, corner, mixed, beyond;
  op_dat x, y, z, low;
};

static struct mesh
mesh_make(void) {
  struct mesh m;
  int perm[] = {2, 0, 3, 1};
  m.cells = op_decl_set(CELLS, "cells");
  m.faces = op_decl_set(FACES, "faces");
  m.nodes = op_decl_set(NODES, "nodes");
  m.part = op2_decl_subset(m.cells, nin, in, "part");
  m.face = op_decl_map(m.cells, m.faces, 2, face, "face");
  m.node = op_decl_map(m.faces, m.nodes, 2, node, "node");
  op_map mnext = op_decl_map(m.cells, m.cells, 1, next, "next");
  m.corner = op2_decl_map_composed(m.face, m.node, "corner");
  m.mixed = op2_decl_map_permuted(m.corner, perm, "mixed");
  m.beyond = op2_decl_map_composed(mnext, m.mixed, "beyond");
  m.x = op_decl_dat(m.nodes, 1, "int", x, "x");
  m.y = op_decl_dat(m.cells, 1, "int", y, "y");
  m.z = op_decl_dat(m.cells, 1, "int", z, "z");
  m.low = op_decl_dat(m.nodes, 1, "int", low, "low");
  return m;
}

static int
weight(int c, int a, int b, int d, int e) {
  return x[node_of(c, a)] + 10 * x[node_of(c, b)] + 100 * x[node_of(c, d)] +
         1000 * x[node_of(c, e)];
}

static void
reads(const struct mesh *m) {
  op_par_loop(weigh, "weigh", m->cells, VIA(m->x, -4, m->corner, OP_READ),
              OWN(m->y, OP_WRITE));
  for (int c = 0; c < CELLS; c++) y[c] = weight(c, 0, 1, 2, 3);
  op_fetch_data(m->y, got);
  CHECK_INTS(got, y, CELLS);
  op_par_loop(weigh, "weigh", m->part, VIA(m->x, -4, m->mixed, OP_READ),
              OWN(m->y, OP_WRITE));
  for (int k = 0; k < nin; k++) y[in[k]] = weight(in[k], 2, 0, 3, 1);
  op_fetch_data(m->y, got);
  CHECK_INTS(got, y, CELLS);
  op_par_loop(weigh, "weigh", m->cells, VIA(m->x, -4, m->beyond, OP_READ),
              OWN(m->y, OP_WRITE));
  for (int c = 0; c < CELLS; c++) y[c] = weight(next[c], 2, 0, 3, 1);
  op_fetch_data(m->y, got);
  CHECK_INTS(got, y, CELLS);
}

/* Entries 1, 3 of the corners over all, 0 of what lies beyond over the part. */
static void
writes(const struct mesh *m) {
  op_par_loop(spread, "spread", m->cells, OWN(m->z, OP_READ),
              VIA(m->x, 1, m->corner, OP_INC), VIA(m->x, 3, m->corner, OP_INC),
              VIA(m->low, 2, m->corner, OP_MIN));
  op_par_loop(spread, "spread", m->part, OWN(m->z, OP_READ),
              VIA(m->x, 0, m->beyond, OP_INC), VIA(m->x, 3, m->mixed, OP_INC),
              VIA(m->low, 1, m->corner, OP_MIN));
  for (int c = 0; c < CELLS; c++)
    spread(&z[c], &x[node_of(c, 1)], &x[node_of(c, 3)], &low[node_of(c, 2)]);
  for (int k = 0; k < nin; k++) {
    int c = in[k];
    spread(&z[c], &x[node_of(next[c], 2)], &x[node_of(c, 1)],
           &low[node_of(c, 1)]);
  }
  op_fetch_data(m->x, got);
  CHECK_INTS(got, x, NODES);
  op_fetch_data(m->low, got);
  CHECK_INTS(got, low, NODES);
}

/* ---- from subsets, and to them ------------------------------------------------ */

static void
through_subsets(void) {
  enum { N = 60, HALF = N / 2 };
  int odd[HALF], to_half[N], ring[N], wide[2 * HALF], v[N], w[N], h[HALF];
  for (int i = 0; i < N; i++) {
    to_half[i] = (7 * i + 3) % HALF;
    ring[i] = (i + 11) % N;
    v[i] = i * i;
    w[i] = -i;
  }
  for (int i = 0; i < HALF; i++) odd[i] = 2 * i + 1, h[i] = 0;
  for (int i = 0; i < 2 * HALF; i++) wide[i] = 13 * i % N;
  op_set set = op_decl_set(N, "set"), other = op_decl_set(N, "other");
  op_set half = op2_decl_subset(set, HALF, odd, "half");
  op_map in_half = op_decl_map(other, half, 1, to_half, "in_half");
  op_map mring = op_decl_map(set, set, 1, ring, "ring");
  op_map mwide = op_decl_map(half, other, 2, wide, "wide");
  /* other -> half, then from the whole set; other -> half -> other; half -> other
   * -> half */
  op_map far = op2_decl_map_composed(in_half, mring, "far");
  op_map round = op2_decl_map_composed(in_half, mwide, "round");
  op_map home = op2_decl_map_composed(mwide, in_half, "home");
  op_map turned = op2_decl_map_permuted(home, (int[]){1, 0}, "turned");
  op_dat dv = op_decl_dat(set, 1, "int", v, "v");
  op_dat dw = op_decl_dat(other, 1, "int", w, "w");
  op_dat dh = op_decl_dat(half, 1, "int", h, "h");
  op_dat du = op_decl_dat(other, 1, "int", w, "u");
  op_par_loop(difference, "difference", other, VIA(dv, 0, far, OP_READ),
              VIA(dw, 1, round, OP_READ), OWN(du, OP_WRITE));
  op_fetch_data(du, got);
  for (int i = 0; i < N; i++)
    CHECK_INT(got[i],
              2 * v[ring[odd[to_half[i]]]] - w[wide[2 * to_half[i] + 1]]);
  /* dats of the whole set and of the subset through a map to the subset */
  op_par_loop(difference, "difference", half, VIA(dv, 0, turned, OP_READ),
              VIA(dv, 0, mring, OP_READ), OWN(dh, OP_WRITE));
  op_fetch_data(dh, got);
  for (int i = 0; i < HALF; i++) {
    h[i] = 2 * v[odd[to_half[wide[2 * i + 1]]]] - v[ring[odd[i]]];
    CHECK_INT(got[i], h[i]);
  }
  op_par_loop(difference, "difference", half, VIA(dh, 1, home, OP_READ),
              VIA(dw, 0, mwide, OP_READ), OWN(dv, OP_WRITE));
  op_fetch_data(dv, got);
  for (int i = 0; i < HALF; i++)
    v[odd[i]] = 2 * h[to_half[wide[2 * i + 1]]] - w[wide[2 * i]];
  CHECK_INTS(got, v, N);
}

/* ---- what is refused ------------------------------------------------------------ */

#ifndef TEST_MPI_SLICE_H
static void
expect_error(op_map m, const char *text) {
  static int before;
  CHECK(!m);
  CHECK_INT(errors, ++before);
  CHECK_INT(code, OP2_ERR_ARG);
  if (strstr(message, text)) return;
  puts(message);
  CHECK(!"another message");
}
#define REFUSED(call, text) expect_error(call, text)

static void
refused(const struct mesh *m) {
  op2_set_error_handler(on_error, NULL);
  REFUSED(
      op2_decl_map_composed(m->node, m->face, "c"),
      "\"c\": then: expected a map from set \"nodes\", to which map \"node\" "
      "leads, found \"face\" from \"cells\"");
  REFUSED(op2_decl_map_composed(NULL, m->face, "c"),
          "first: expected a declared");
  REFUSED(op2_decl_map_composed(m->face, (op_map)m->x, "c"),
          "then: expected a");
  REFUSED(op2_decl_map_composed(m->face, m->node, NULL), "a text, found NULL");
  REFUSED(op2_decl_map_permuted(m->face, (int[]){0, 2}, "p"),
          "\"p\": perm[1]: expected 0 to 1, found 2");
  REFUSED(op2_decl_map_permuted(m->face, (int[]){1, 1}, "p"),
          "perm[1]: expected each entry once, found 1 again");
  REFUSED(op2_decl_map_permuted(m->face, NULL, "p"), "2 numbers, found NULL");
  REFUSED(op2_decl_map_permuted(NULL, (int[]){0}, "p"),
          "declared map, found NULL");
  op2_set_error_handler(NULL, NULL);
}
#endif

int
main(int argc, char **argv) {
  check_start(argc, argv);
  pairs();
  fill();
  struct mesh m = mesh_make();
  reads(&m);
  writes(&m);
  through_subsets();
#ifndef TEST_MPI_SLICE_H
  refused(&m);
#endif
  return check_end();
}
