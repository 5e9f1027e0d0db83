/* OP2_TRIAL: regions and their loops one by one take turns, and whichever is taken in
 * the end, no step has other bits than the first. Regions here hold a loop that does
 * not become vectors beside one that does, one that writes through a map, and one
 * with a float sum. A sum beside another loop's writes through a map is left alone:
 * threads would take other elements of it. */
#include "check.h"

enum { NODES = 700, EDGES = 2000, STEPS = 40 };

static void
stretch(const double *x, double *y) {
  *y = *x * 1.25 + 0.5;
}
/* Steps of unknown number. */
static void
halve(const double *y, double *z) {
  double v = *y;
  while (v > 1) v *= 0.5;
  *z = v;
}
static void
flux(const double *a, const double *b, double *f) {
  *f = *b - *a;
}
static void
spread(const double *f, double *ra, double *rb) {
  *ra += *f;
  *rb -= *f * 0.5;
}
static void
clear(double *r) {
  *r = 0;
}
static void
square(const double *z, double *sum) {
  *sum += *z * *z;
}

static double x[NODES], y[NODES], z[NODES], r[NODES], got[NODES];
static int table[2 * EDGES];

static void
reference(void) {
  for (int i = 0; i < NODES; i++) stretch(&x[i], &y[i]), halve(&y[i], &z[i]);
  for (int i = 0; i < NODES; i++) clear(&r[i]);
  for (int e = 0; e < EDGES; e++) {
    double f;
    flux(&z[table[2 * e]], &z[table[2 * e + 1]], &f);
    spread(&f, &r[table[2 * e]], &r[table[2 * e + 1]]);
  }
}

static void
mesh_make(void) {
  for (int i = 0; i < NODES; i++) x[i] = 1 + i % 13 + 0.125 * (i % 7);
  for (int e = 0; e < EDGES; e++) {
    table[2 * e] = (e * 7) % NODES;
    table[2 * e + 1] = (e * 11 + 3) % NODES;
  }
}

static op_set nodes, edges;
static op_map ends;
static op_dat dx, dy, dz, df, dr;

static void
declare(void) {
  nodes = op_decl_set(NODES, "nodes");
  edges = op_decl_set(EDGES, "edges");
  ends = op_decl_map(edges, nodes, 2, table, "ends");
  dx = op_decl_dat(nodes, 1, "double", x, "x");
  dy = op_decl_dat(nodes, 1, "double", (double *)NULL, "y");
  dz = op_decl_dat(nodes, 1, "double", (double *)NULL, "z");
  df = op_decl_dat(edges, 1, "double", (double *)NULL, "f");
  dr = op_decl_dat(nodes, 1, "double", (double *)NULL, "r");
}

/* Both loops go over the edges. */
static double
sum_beside_writes(void) {
  double sum = 0;
  op_par_loop(spread, "spread", edges,
              op_arg_dat(df, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(dr, 0, ends, 1, "double", OP_INC),
              op_arg_dat(dr, 1, ends, 1, "double", OP_INC));
  op_par_loop(square, "square", edges,
              op_arg_dat(df, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  op2_flush();
  return sum;
}

static double
step(void) {
  double sum = 0;
  op_par_loop(stretch, "stretch", nodes,
              op_arg_dat(dx, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(dy, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(halve, "halve", nodes,
              op_arg_dat(dy, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(dz, -1, OP_ID, 1, "double", OP_WRITE));
  op2_flush();
  op_par_loop(clear, "clear", nodes,
              op_arg_dat(dr, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(flux, "flux", edges,
              op_arg_dat(dz, 0, ends, 1, "double", OP_READ),
              op_arg_dat(dz, 1, ends, 1, "double", OP_READ),
              op_arg_dat(df, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(spread, "spread", edges,
              op_arg_dat(df, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(dr, 0, ends, 1, "double", OP_INC),
              op_arg_dat(dr, 1, ends, 1, "double", OP_INC));
  op2_flush();
  op_par_loop(halve, "halve", nodes,
              op_arg_dat(dy, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(dz, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(square, "square", nodes,
              op_arg_dat(dz, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  op2_flush();
  return sum;
}

int
main(int argc, char **argv) {
  setenv("OP2_TRIAL", "0", 0);
  setenv("OP2_GATHER", "never", 1); /* loops over edges, with a sum */
  double sum = 0, first[NODES] = {0};
  mesh_make();
  check_start(argc, argv);
  declare();
  reference();
  for (int i = 0; i < NODES; i++) sum += z[i] * z[i];
  double first_sum = step();
  op_fetch_data(dr, first);
  CHECK_NEAR(first_sum, sum, 1e-12);
  for (int i = 0; i < NODES; i++) CHECK(fabs(first[i] - r[i]) <= 1e-12);
  double first_beside = sum_beside_writes();
  for (int n = 1; n < STEPS; n++) {
    CHECK_REAL(step(), first_sum);
    op_fetch_data(dz, got);
    CHECK_REALS(got, z, NODES);
    op_fetch_data(dr, got);
    CHECK_REALS(got, first, NODES);
    CHECK_REAL(sum_beside_writes(), first_beside);
  }
  const char *target = getenv("OP2_TARGET");
  bool host = !target || !strcmp(target, "openmp");
  const char *piece = getenv("OP2_TILE_PIECE");
  bool fronts = piece && atoi(piece) > 0; /* pieces end elsewhere then */
  const char *exact = getenv("OP2_REPRODUCIBLE"); /* such sums mind nothing */
  int most = exact && atoi(exact) ? 4 : 3;
  if (check_ranks() > 1)
    most = 8; /* what comes from others makes flushes differ */
  if (check_lazy() && !check_disabled("fuse") && host)
    CHECK(fronts ? op2_counter("trials") == 0
                 : op2_counter("trials") >= 2 && op2_counter("trials") <= most);
  return check_end();
}
