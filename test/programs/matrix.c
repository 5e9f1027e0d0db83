/* Matrices: sparsities of one and two pairs of maps, assembling by OP_INC and
 * OP_WRITE, blocks, products and their transposes, rows and diagonals, solving,
 * looks, what is refused, what is freed. Exact: small whole numbers; the mass
 * matrix to rounding. */
#include "check.h"
#ifndef TEST_MPI_SLICE_H
#include "errors.h"
#endif

enum { CELLS = 90, EDGES = 70, NODES = 60, CORNERS = 3 };

#define OWN(d, dim, type, acc) op_arg_dat(d, -1, OP_ID, dim, type, acc)

/* ---- kernels -------------------------------------------------------------- */

static void
ones(double *a) {
  for (int k = 0; k < 9; k++) a[k] += 1;
}
static void
set_ones(double *a) {
  for (int k = 0; k < 9; k++) a[k] = 1;
}
static void
local(const int *v, int *a) {
  for (int i = 0; i < CORNERS; i++)
    for (int j = 0; j < CORNERS; j++) a[CORNERS * i + j] = *v + 10 * i + j;
}
static void
edge(const int *v, int *a) {
  a[0] += *v;
  a[1] -= *v;
  a[2] -= *v + 1;
  a[3] += *v;
}
/* Blocks of 2 x 3 between corners and the two ends of an edge's cells. */
static void
blocks(const int *v, double *a) {
  for (int i = 0; i < CORNERS; i++)
    for (int r = 0; r < 2; r++)
      for (int j = 0; j < CORNERS; j++)
        for (int c = 0; c < 3; c++)
          a[((i * 2 + r) * CORNERS + j) * 3 + c] += *v + i - 2 * r + 3 * j * c;
}
static void
mass(const double **x, double *a) {
  double area = (x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) -
                (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]);
  if (area < 0) area = -area;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[3 * i + j] += area / (i == j ? 12 : 24);
}
static void
load(const double **x, const double **f, double **b) {
  double area = (x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) -
                (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]);
  if (area < 0) area = -area;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) *b[i] += area / (i == j ? 12 : 24) * *f[j];
}
static void
shift(const double *x, double *y) {
  *y = *x + 0;
}

/* ---- the mesh --------------------------------------------------------------- */

static int draw_state = 5;
static int
draw(int n) {
  draw_state = (int)((unsigned)draw_state * 1664525u + 1013904223u);
  return (int)(((unsigned)draw_state >> 9) % (unsigned)n);
}

static int corner[CORNERS * CELLS], end[2 * EDGES], v[CELLS], w[EDGES];
static int x[NODES], y[NODES], got[3 * NODES], dense[NODES][NODES];
static double x3[3 * NODES], y2[2 * NODES], y3[3 * NODES], seen[3 * NODES];
static double block[2 * NODES][3 * NODES];
static int third[NODES], nthird;

static struct mesh {
  op_set cells, edges, nodes, third;
  op_map corner, end;
  op_dat v, w, x, y, x3, y2, y3;
  op2_sparsity couples, blocks;
} m;

static void
fill(void) {
  for (int k = 0; k < CORNERS * CELLS; k++) {
    corner[k] = draw(NODES);
    if (k % 3 == 2 && k % 7) /* local, mostly */
      corner[k] = (corner[k - 1] + 1 + draw(3)) % NODES;
  }
  for (int k = 0; k < 2 * EDGES; k++) end[k] = draw(NODES);
  for (int c = 0; c < CELLS; c++) v[c] = draw(20);
  for (int e = 0; e < EDGES; e++) w[e] = draw(20);
  for (int n = 0; n < NODES; n++) {
    x[n] = draw(9) - 4;
    if (n % 3 == 1) third[nthird++] = n;
    for (int c = 0; c < 3; c++) x3[3 * n + c] = draw(9) - 4;
  }
}

static void
declare(void) {
  m.cells = op_decl_set(CELLS, "cells");
  m.edges = op_decl_set(EDGES, "edges");
  m.nodes = op_decl_set(NODES, "nodes");
  m.corner = op_decl_map(m.cells, m.nodes, CORNERS, corner, "corner");
  m.end = op_decl_map(m.edges, m.nodes, 2, end, "end");
  m.v = op_decl_dat(m.cells, 1, "int", v, "v");
  m.w = op_decl_dat(m.edges, 1, "int", w, "w");
  m.x = op_decl_dat(m.nodes, 1, "int", x, "x");
  m.y = op_decl_dat(m.nodes, 1, "int", y, "y");
  m.x3 = op_decl_dat(m.nodes, 3, "double", x3, "x3");
  m.y2 = op_decl_dat(m.nodes, 2, "double", y2, "y2");
  m.y3 = op_decl_dat(m.nodes, 3, "double", y3, "y3");
  m.third = op2_decl_subset(m.nodes, nthird, third, "third");
  op_map maps[] = {m.corner, m.end};
  m.couples = op2_decl_sparsity(2, maps, maps, "couples");
  m.blocks = op2_decl_sparsity(1, &m.corner, &m.corner, "blocks");
}

/* ---- assembling -------------------------------------------------------------- */

/* Cells and edges into one matrix, twice. */
static void
assemble(op2_mat a) {
  for (int again = 0; again < 2; again++) {
    op2_mat_zero(a);
    op_par_loop(local, "local", m.cells, OWN(m.v, 1, "int", OP_READ),
                op2_arg_mat(a, m.corner, m.corner, 1, 1, "int", OP_INC));
    op_par_loop(edge, "edge", m.edges, OWN(m.w, 1, "int", OP_READ),
                op2_arg_mat(a, m.end, m.end, 1, 1, "int", OP_INC));
  }
  for (int c = 0; c < CELLS; c++)
    for (int i = 0; i < CORNERS; i++)
      for (int j = 0; j < CORNERS; j++)
        dense[corner[CORNERS * c + i]][corner[CORNERS * c + j]] +=
            v[c] + 10 * i + j;
  for (int e = 0; e < EDGES; e++) {
    int p = end[2 * e], q = end[2 * e + 1];
    dense[p][p] += w[e];
    dense[p][q] -= w[e];
    dense[q][p] -= w[e] + 1;
    dense[q][q] += w[e];
  }
}

static void
products(op2_mat a) {
  op2_mat_mult(a, m.x, m.y);
  for (int i = 0; i < NODES; i++) {
    y[i] = 0;
    for (int j = 0; j < NODES; j++) y[i] += dense[i][j] * x[j];
  }
  op_fetch_data(m.y, got);
  CHECK_INTS(got, y, NODES);
  op2_mat_mult_transpose(a, m.x, m.y);
  for (int j = 0; j < NODES; j++) {
    y[j] = 0;
    for (int i = 0; i < NODES; i++) y[j] += dense[i][j] * x[i];
  }
  op_fetch_data(m.y, got);
  CHECK_INTS(got, y, NODES);
}

static void
rows(op2_mat a) {
  op2_mat_zero_rows(a, m.third, 7);
  for (int k = 0; k < nthird; k++) {
    for (int j = 0; j < NODES; j++) dense[third[k]][j] = 0;
    dense[third[k]][third[k]] = 7;
  }
  products(a);
  op2_mat_set_diagonal(a, NULL, -3);
  for (int i = 0; i < NODES; i++) dense[i][i] = -3;
  products(a);
}

#ifndef TEST_MPI_SLICE_H
static void
looks(op2_mat a) {
  struct op2_csr r = op2_mat_csr(a);
  const int *values = r.values;
  CHECK_INT(r.rows, NODES);
  CHECK_INT(r.row_ptr[0], 0);
  int sum = 0, there = 0;
  for (int i = 0; i < NODES; i++) {
    bool diagonal = false;
    for (idx_g_t k = r.row_ptr[i]; k < r.row_ptr[i + 1]; k++) {
      CHECK(k == r.row_ptr[i] || r.column[k - 1] < r.column[k]);
      CHECK_INT(values[k], dense[i][r.column[k]]);
      diagonal |= r.column[k] == i;
      there += values[k] != 0;
    }
    CHECK(diagonal);
    for (int j = 0; j < NODES; j++) sum += dense[i][j] != 0;
  }
  CHECK_INT(there, sum);
}
#endif

static void
square(void) {
  op2_mat a = op2_decl_mat(m.couples, 1, 1, "int", "a");
  assemble(a);
  products(a);
  rows(a);
#ifndef TEST_MPI_SLICE_H
  looks(a);
  CHECK_INT(op2_free(a), 0);
  CHECK_INT(op2_free(m.couples), 0);
#endif
}

/* Two matrices of one sparsity at one place: blocks of 2 x 3. */
static void
rectangular(void) {
  op2_mat both[] = {op2_decl_mat(m.blocks, 2, 3, "double", "b0"),
                    op2_decl_mat(m.blocks, 2, 3, "double", "b1")};
  for (int k = 0; k < 3; k++)
    op_par_loop(blocks, "blocks", m.cells, OWN(m.v, 1, "int", OP_READ),
                op2_arg_mat(both[k % 2], m.corner, m.corner, 2, 3, "double",
                            OP_INC));
  for (int c = 0; c < CELLS; c++)
    for (int i = 0; i < CORNERS; i++)
      for (int j = 0; j < CORNERS; j++)
        for (int r = 0; r < 2; r++)
          for (int k = 0; k < 3; k++)
            block[2 * corner[CORNERS * c + i] + r]
                 [3 * corner[CORNERS * c + j] + k] +=
                v[c] + i - 2 * r + 3 * j * k;
  for (int twice = 2; twice; twice--) {
    op2_mat_mult(both[2 - twice], m.x3, m.y2);
    for (int i = 0; i < 2 * NODES; i++) {
      y2[i] = 0;
      for (int j = 0; j < 3 * NODES; j++) y2[i] += twice * block[i][j] * x3[j];
    }
    op_fetch_data(m.y2, seen);
    CHECK_REALS(seen, y2, 2 * NODES);
  }
  op2_mat_mult_transpose(both[1], m.y2, m.y3);
  for (int j = 0; j < 3 * NODES; j++) {
    y3[j] = 0;
    for (int i = 0; i < 2 * NODES; i++) y3[j] += block[i][j] * y2[i];
  }
  op_fetch_data(m.y3, seen);
  CHECK_REALS(seen, y3, 3 * NODES);
}

/* ---- two triangles ------------------------------------------------------------- */

static double at[] = {0, 0, 2, 0, 1, 1, 0, 1.5}, f[] = {1, 2, 3, 4};
static int tri[] = {0, 1, 3, 2, 3, 1};
static double unit[4][4], one[4];
static const double masses[4][4] = {{.25, .125, 0, .125},
                                    {.125, 7. / 24, 1. / 48, 7. / 48},
                                    {0, 1. / 48, 1. / 24, 1. / 48},
                                    {.125, 7. / 48, 1. / 48, 7. / 24}};

static struct small {
  op_set tris, nodes;
  op_map corner;
  op_dat at, f, b, x, y, unit[4], ones;
  op2_sparsity sparsity;
  op2_mat mass;
} t;

static void
declare_small(void) {
  t.tris = op_decl_set(2, "tris");
  t.nodes = op_decl_set(4, "tri_nodes");
  t.corner = op_decl_map(t.tris, t.nodes, 3, tri, "tri");
  t.at = op_decl_dat(t.nodes, 2, "double", at, "at");
  t.f = op_decl_dat(t.nodes, 1, "double", f, "f");
  t.b = op_decl_dat(t.nodes, 1, "double", (double *)NULL, "b");
  t.x = op_decl_dat(t.nodes, 1, "double", (double *)NULL, "sol");
  t.y = op_decl_dat(t.nodes, 1, "double", (double *)NULL, "prod");
  for (int j = 0; j < 4; j++) {
    static const char *const names[] = {"e0", "e1", "e2", "e3"};
    unit[j][j] = one[j] = 1;
    t.unit[j] = op_decl_dat(t.nodes, 1, "double", unit[j], names[j]);
  }
  t.ones = op_decl_dat(t.nodes, 1, "double", one, "all_ones");
  t.sparsity = op2_decl_sparsity(1, &t.corner, &t.corner, "mass");
  t.mass = op2_decl_mat(t.sparsity, 1, 1, "double", "mass_matrix");
}

/* Column j of the matrix. */
static void
check_columns(const double want[4][4]) {
  for (int j = 0; j < 4; j++) {
    double found[4];
    op2_mat_mult(t.mass, t.unit[j], t.y);
    op_fetch_data(t.y, found);
    for (int i = 0; i < 4; i++) CHECK(fabs(found[i] - want[i][j]) <= 1e-15);
  }
}

static void
small(void) {
  static const double b[] = {1, 1.3541666666666667, .25, 1.6458333333333333};
  struct op2_solve_info info;
  double found[4];
  op_par_loop(mass, "mass", t.tris,
              op_arg_dat(t.at, -3, t.corner, 2, "double", OP_READ),
              op2_arg_mat(t.mass, t.corner, t.corner, 1, 1, "double", OP_INC));
  op_par_loop(load, "load", t.tris,
              op_arg_dat(t.at, -3, t.corner, 2, "double", OP_READ),
              op_arg_dat(t.f, -3, t.corner, 1, "double", OP_READ),
              op_arg_dat(t.b, -3, t.corner, 1, "double", OP_INC));
  check_columns(masses);
  op_fetch_data(t.b, found);
  for (int i = 0; i < 4; i++) CHECK(fabs(found[i] - b[i]) <= 1e-15);
  CHECK_INT(op2_solve(t.mass, t.x, t.b, "cg rtol=1e-12", &info), 0);
  CHECK(info.converged);
  op_fetch_data(t.x, found);
  for (int i = 0; i < 4; i++) CHECK(fabs(found[i] - f[i]) <= 1e-9);
}

/* Sum of all values: a product with ones, summed. */
static void
sums(void) {
  double found[4], sum = 0;
  op2_mat_zero(t.mass);
  for (int w = 0; w < 2; w++) {
    if (w)
      op_par_loop(set_ones, "set_ones", t.tris,
                  op2_arg_mat(t.mass, t.corner, t.corner, 1, 1, "double",
                              OP_WRITE));
    else
      op_par_loop(ones, "ones", t.tris,
                  op2_arg_mat(t.mass, t.corner, t.corner, 1, 1, "double",
                              OP_INC));
    op2_mat_mult(t.mass, t.ones, t.y);
    op_par_loop(shift, "shift", t.nodes, OWN(t.y, 1, "double", OP_READ),
                OWN(t.x, 1, "double", OP_WRITE));
    op_fetch_data(t.x, found);
    sum = 0;
    for (int i = 0; i < 4; i++) sum += found[i];
    CHECK_REAL(sum, w ? 14 : 18);
  }
}

/* ---- what is refused ----------------------------------------------------------- */

#ifndef TEST_MPI_SLICE_H
static void
expect_error(const char *text) {
  static int before;
  CHECK_INT(errors, ++before);
  CHECK_INT(code, OP2_ERR_ARG);
  if (strstr(message, text)) return;
  puts(message);
  CHECK(!"another message");
}
#define REFUSED(call, text) ((void)(call), expect_error(text))
#define LOOP(arg) op_par_loop(ones, "ones", t.tris, arg)

static void
refused(void) {
  static idx_g_t start[CELLS + 1];
  op_map csr = op2_decl_map_csr(m.cells, m.nodes, start, NULL, "rows");
  op_map pair[] = {m.corner, m.end}, other[] = {m.corner, t.corner};
  op2_sparsity s = op2_decl_sparsity(1, &m.corner, &m.corner, "s");
  op2_mat b = op2_decl_mat(s, 2, 3, "double", "blocky");
  op2_set_error_handler(on_error, NULL);
  REFUSED(op2_decl_sparsity(0, pair, pair, "no"), "npairs: expected 1 or more");
  REFUSED(op2_decl_sparsity(1, NULL, pair, "no"), "rows: expected 1 maps");
  REFUSED(op2_decl_sparsity(1, &csr, &csr, "no"), "rows have one length");
  REFUSED(op2_decl_sparsity(2, other, other, "no"),
          "rows[1]: expected a map to set \"nodes\" as the first");
  REFUSED(op2_decl_sparsity(1, &m.corner, &m.end, "no"),
          "columns[0]: expected a map from set \"cells\"");
  REFUSED(op2_decl_mat(NULL, 1, 1, "double", "no"), "found NULL");
  REFUSED(op2_decl_mat(s, 0, 1, "double", "no"), "found 0 x 1");
  REFUSED(op2_decl_mat(s, 1, 1, "bool", "no"), "expected one with arithmetic");
  REFUSED(LOOP(op2_arg_mat(t.mass, t.corner, m.corner, 1, 1, "double", OP_INC)),
          "expected a pair of sparsity \"mass\"");
  REFUSED(LOOP(op2_arg_mat(t.mass, t.corner, t.corner, 1, 2, "double", OP_INC)),
          "expected 1 x 1 of matrix \"mass_matrix\", found 1 x 2");
  REFUSED(LOOP(op2_arg_mat(t.mass, t.corner, t.corner, 1, 1, "float", OP_INC)),
          "wrong type");
  REFUSED(LOOP(op2_arg_mat(NULL, t.corner, t.corner, 1, 1, "double", OP_INC)),
          "matrix: expected a declared one, found NULL");
  REFUSED(op2_mat_mult(t.mass, m.x, t.y), "x: expected 1 of \"double\"");
  REFUSED(op2_mat_mult(t.mass, t.x, t.x), "expected another dat than x");
  REFUSED(op2_mat_set_diagonal(b, NULL, 1),
          "expected a matrix with a diagonal");
  REFUSED(op2_mat_zero_rows(t.mass, m.third, 0), "expected set \"tri_nodes\"");
  REFUSED(op2_free(s), "expected no matrix of it, found 1");
  CHECK_INT(op2_free(b), 0);
  REFUSED(op2_mat_zero(b), "found a freed matrix");
  CHECK_INT(op2_free(s), 0);
  op2_set_error_handler(NULL, NULL);
}
#endif

int
main(int argc, char **argv) {
  check_start(argc, argv);
  fill();
  declare();
  declare_small();
  square();
  rectangular();
  small();
  sums();
#ifndef TEST_MPI_SLICE_H
  refused();
#endif
  return check_end();
}
