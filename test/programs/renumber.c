/* A mesh in random order, against plain C in the program's numbers: whatever
 * numbers the library uses inside, none may show. Values are integers in doubles,
 * so that sums are exact in any order. */
#include "check.h"

enum {
  W = 40,
  H = 30,
  NC = W * H,
  NE = (W - 1) * H + W * (H - 1),
  NN = NC + 7
};

static int edge_cell[2 * NE], cell_node[4 * NC], new_cell[NC], new_node[NN];
static double x0[NN];

static unsigned long long seed = 7;
static void
shuffle(int *p, int n) {
  for (int i = 0; i < n; i++) p[i] = i;
  for (int i = n - 1; i > 0; i--) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    int j = (int)((seed >> 33) % (unsigned)(i + 1)), t = p[i];
    p[i] = p[j];
    p[j] = t;
  }
}

static void
make_mesh(void) {
  static int edge[NE];
  int k = 0;
  shuffle(new_cell, NC);
  shuffle(new_node, NN); /* seven of them belong to nothing */
  shuffle(edge, NE);
  for (int c = 0; c < NC; c++) {
    for (int d = 0; d < 2; d++) {
      if (d ? c / W + 1 == H : c % W + 1 == W) continue;
      edge_cell[2 * edge[k]] = new_cell[c];
      edge_cell[2 * edge[k++] + 1] = new_cell[c + (d ? W : 1)];
    }
    for (int i = 0; i < 4; i++)
      cell_node[4 * new_cell[c] + i] = new_node[(c + i * i) % NC];
  }
  for (int i = 0; i < NN; i++) x0[i] = i * 7 % 101;
}

/* ---- kernels ----------------------------------------------------------------- */

static void
gather(const double *x[4], double *q) {
  q[0] = x[0][0] + 2 * x[1][0];
  q[1] = x[2][0] - x[3][0];
}
static void
flux(const double *a, const double *b, double *ra, double *rb) {
  ra[0] += b[0] - a[1];
  rb[0] += a[0] + b[1];
}
static void
number(const int *here, const int *left, const int *right, int *out) {
  out[0] = *here;
  out[1] = *left;
  out[2] = *right;
}
static void
last(const int *here, const double *q, int *out) {
  out[0] = *here;
  out[1] = (int)q[0];
}
static void
chain(const int *here, double *sum) {
  *sum = *sum / 2 + *here; /* shows the order */
}
static void
most(const double *r, const int *here, double *max, int *where) {
  if (*r > *max) {
    *max = *r;
    *where = *here;
  }
}
static void
most_near(const double *a, const double *b, const int *right, double *max,
          int *where) {
  if (*a + *b > *max) {
    *max = *a + *b;
    *where = *right;
  }
}
static void
halve(double *r) {
  r[0] = (double)((int)r[0] / 2 % 5);
}
static int trail[NC], ntrail;
static void
follow(const int *here) {
  trail[ntrail++] = *here;
}
static void
move_on(double *v) {
  *v += 1;
}

/* ---- the same in plain C ------------------------------------------------------- */

static double q[2 * NC], r[NC];

static void
plain_gather(void) {
  for (int c = 0; c < NC; c++) {
    const double *x[4];
    for (int i = 0; i < 4; i++) x[i] = &x0[cell_node[4 * c + i]];
    gather(x, q + 2 * c);
  }
}
static void
plain_flux(void) {
  for (int e = 0; e < NE; e++) {
    int a = edge_cell[2 * e], b = edge_cell[2 * e + 1];
    flux(q + 2 * a, q + 2 * b, r + a, r + b);
  }
}

/* ---- the program ----------------------------------------------------------------- */

static op_set nodes, cells, edges;
static op_map pcell, pecell;
static op_dat dx, dq, dr, dn;

static void
declare(void) {
  nodes = op_decl_set(NN, "nodes");
  edges = op_decl_set(NE, "edges");
  cells = op_decl_set(NC, "cells");
  pcell = op_decl_map(cells, nodes, 4, cell_node, "pcell");
  pecell = op_decl_map(edges, cells, 2, edge_cell, "pecell");
  dx = op_decl_dat(nodes, 1, "double", x0, "x");
  dq = op_decl_dat(cells, 2, "double", (double *)NULL, "q");
  dr = op_decl_dat(cells, 1, "double", (double *)NULL, "r");
  dn = op_decl_dat(edges, 3, "int", (int *)NULL, "n");
}

static void
step(void) {
  op_par_loop(gather, "gather", cells,
              op_arg_dat(dx, -4, pcell, 1, "double", OP_READ),
              op_arg_dat(dq, -1, OP_ID, 2, "double", OP_WRITE));
  op_par_loop(flux, "flux", edges,
              op_arg_dat(dq, 0, pecell, 2, "double", OP_READ),
              op_arg_dat(dq, 1, pecell, 2, "double", OP_READ),
              op_arg_dat(dr, 0, pecell, 1, "double", OP_INC),
              op_arg_dat(dr, 1, pecell, 1, "double", OP_INC));
}

static void
check_values(void) {
  static double got[2 * NC];
  op_fetch_data(dq, got);
  CHECK_REALS(got, q, 2 * NC);
  op_fetch_data_idx(dr, got, 5, 20);
  CHECK_REALS(got, r + 5, 16);
  CHECK_REALS((const double *)op2_dat_data(dr), r, NC);
}

static void
check_numbers(void) {
  static int got[3 * NE], want[3 * NE];
  op_par_loop(number, "number", edges, op_arg_idx(-1, OP_ID),
              op_arg_idx(0, pecell), op_arg_idx(1, pecell),
              op_arg_dat(dn, -1, OP_ID, 3, "int", OP_WRITE));
  op_fetch_data(dn, got);
  for (int e = 0; e < NE; e++) {
    want[3 * e] = e;
    want[3 * e + 1] = edge_cell[2 * e];
    want[3 * e + 2] = edge_cell[2 * e + 1];
  }
  CHECK_INTS(got, want, 3 * NE);
  CHECK_INTS(pecell->map, edge_cell, 2 * NE);
}

/* Loops whose order of elements shows. */
static void
check_order(void) {
  int end[2] = {-1, -1};
  double sum = 0, want = 0;
  op_par_loop(last, "last", cells, op_arg_idx(-1, OP_ID),
              op_arg_dat(dq, -1, OP_ID, 2, "double", OP_READ),
              op_arg_gbl(end, 2, "int", OP_WRITE));
  CHECK_INT(end[0], NC - 1);
  CHECK_INT(end[1], (int)q[2 * NC - 2]);
  op_par_loop(chain, "chain", cells, op_arg_idx(-1, OP_ID),
              op_arg_gbl(&sum, 1, "double", OP_RW));
  for (int c = 0; c < NC; c++) chain(&c, &want);
  CHECK_REAL(sum, want);
  ntrail = 0;
  CHECK_INT(op2_target_push("openmp"),
            0); /* it writes a global of the program */
  op_par_loop(follow, "follow", cells, op_arg_idx(-1, OP_ID));
  op2_target_pop();
  CHECK_INT(ntrail, NC);
  for (int c = 0; c < NC; c++) CHECK_INT(trail[c], c);
}

/* Many cells have the largest value: the first one wins. */
static void
check_ties(void) {
  double max = -1e30, want = -1e30;
  int where = -1, first = -1;
  op_par_loop(halve, "halve", cells,
              op_arg_dat(dr, -1, OP_ID, 1, "double", OP_RW));
  for (int c = 0; c < NC; c++) halve(r + c);
  op_par_loop(most, "most", cells,
              op_arg_dat(dr, -1, OP_ID, 1, "double", OP_READ),
              op_arg_idx(-1, OP_ID), op_arg_gbl(&max, 1, "double", OP_MAX),
              op_arg_info(&where, 1, "int", 2));
  for (int c = 0; c < NC; c++) most(r + c, &c, &want, &first);
  CHECK_REAL(max, want);
  CHECK_INT(where, first);
  max = want = -1e30;
  op_par_loop(most_near, "most_near", edges,
              op_arg_dat(dr, 0, pecell, 1, "double", OP_READ),
              op_arg_dat(dr, 1, pecell, 1, "double", OP_READ),
              op_arg_idx(1, pecell), op_arg_gbl(&max, 1, "double", OP_MAX),
              op_arg_info(&where, 1, "int", 3));
  for (int e = 0; e < NE; e++)
    most_near(r + edge_cell[2 * e], r + edge_cell[2 * e + 1],
              edge_cell + 2 * e + 1, &want, &first);
  CHECK_REAL(max, want);
  CHECK_INT(where, first);
}

/* What the host writes is found again, by loops that are declared later. */
static void
check_writes(void) {
  double *v = op2_dat_data_rw(dr);
  for (int c = 0; c < NC; c++) v[c] = r[c] = c % 13;
  op_set ends = op_decl_set(NC, "ends"); /* linked to what is numbered */
  op_map of = op_decl_map(ends, cells, 1, new_cell, "of");
  op_dat de = op_decl_dat(ends, 1, "double", (double *)NULL, "e");
  op_dat twin = op_decl_dat_temp(cells, 1, "double", (double *)NULL, "t");
  op_par_loop(flux, "flux", edges,
              op_arg_dat(dq, 0, pecell, 2, "double", OP_READ),
              op_arg_dat(dq, 1, pecell, 2, "double", OP_READ),
              op_arg_dat(dr, 0, pecell, 1, "double", OP_INC),
              op_arg_dat(dr, 1, pecell, 1, "double", OP_INC));
  op_par_loop(flux, "end_flux", ends,
              op_arg_dat(dq, 0, of, 2, "double", OP_READ),
              op_arg_dat(dq, 0, of, 2, "double", OP_READ),
              op_arg_dat(de, -1, OP_ID, 1, "double", OP_INC),
              op_arg_dat(twin, 0, of, 1, "double", OP_INC));
  plain_flux();
  check_values();
  static double e[NC], t[NC], got[NC];
  for (int i = 0; i < NC; i++) {
    int c = new_cell[i];
    flux(q + 2 * c, q + 2 * c, e + i, t + c);
  }
  op_fetch_data(de, got);
  CHECK_REALS(got, e, NC);
  op_fetch_data(twin, got);
  CHECK_REALS(got, t, NC);
}

/* Memory that the program holds has the program's order, from then on. */
static void
check_overlay(void) {
  op_set few = op_decl_set(NC / 2, "few");
  op_dat over = op_decl_dat_overlay(few, dr);
  op_par_loop(move_on, "move_on", few,
              op_arg_dat(over, -1, OP_ID, 1, "double", OP_RW));
  for (int c = 0; c < NC / 2; c++) r[c] += 1;
  step();
  plain_flux();
  check_values();
}

int
main(int argc, char **argv) {
  const char *how = getenv("OP2_RENUMBER");
  check_start(argc, argv);
  make_mesh();
  declare();
  for (int i = 0; i < 2; i++) {
    step();
    plain_gather();
    plain_flux();
    check_values();
  }
  bool forced = how && strcmp(how, "0") && strcmp(how, "auto");
  bool sums = getenv("OP2_REPRODUCIBLE") != NULL;
  CHECK_INT(op2_counter("renumbered"), forced && !sums ? 3 : 0);
  check_numbers();
  check_order();
  check_ties();
  check_writes();
  check_numbers();
  check_overlay();
  check_numbers();
  check_order();
  return check_end();
}
