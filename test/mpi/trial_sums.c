/* OP2_TRIAL over ranks: a region that waits for values of others is cut in two while
 * they come, a loop with a sum by itself is not, and threads would take other elements
 * of the sum. So the region stays as it is, whatever the clock says. Where nothing is
 * cut it is tried. No step has other bits than the first.
 *
 * RUN: 2 OMP_NUM_THREADS=2
 * RUN: 2 OMP_NUM_THREADS=2 OP2_OVERLAP=0
 * RUN: 2 OP2_REPRODUCIBLE=1
 * RUN: 3 OMP_NUM_THREADS=2 OP2_REPRODUCIBLE=1
 */
#include "slice.h"

#include "../programs/check.h"

enum { N = 30000, STEPS = 20 };

static void
move(const double *x, double *y) {
  *y = *x * 0.75 + 1;
}
static void
square(const double *w, double *sum) {
  *sum += *w * *w;
}
static void
mean(const double *a, const double *b, double *z) {
  *z = (*a + *b) / 2;
}

static op_set points;
static op_map next;
static op_dat dx, dy, dw, dz;
static op2_gbl sum;

static void
declare(void) {
  static double x[N];
  static int table[2 * N];
  for (int i = 0; i < N; i++) {
    x[i] = 1 / (3.0 + i) + i % 17;
    table[2 * i] = i;
    table[2 * i + 1] = (i + 1) % N;
  }
  points = op_decl_set(N, "points");
  next = op_decl_map(points, points, 2, table, "next");
  dx = op_decl_dat(points, 1, "double", x, "x");
  dy = op_decl_dat(points, 1, "double", x, "y");
  dw = op_decl_dat(points, 1, "double", x, "w");
  dz = op_decl_dat(points, 1, "double", x, "z");
  sum = op2_decl_gbl(1, "double", NULL, "sum");
}

/* The second flush fetches y of other ranks, for `mean` alone. */
static double
step(void) {
  double value = 0;
  op_par_loop(move, "move", points,
              op_arg_dat(dx, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(dy, -1, OP_ID, 1, "double", OP_WRITE));
  op2_flush();
  op2_gbl_set(sum, &value);
  op_par_loop(square, "square", points,
              op_arg_dat(dw, -1, OP_ID, 1, "double", OP_READ),
              op2_arg_gbl(sum, 1, "double", OP_INC));
  op_par_loop(mean, "mean", points,
              op_arg_dat(dy, 0, next, 1, "double", OP_READ),
              op_arg_dat(dy, 1, next, 1, "double", OP_READ),
              op_arg_dat(dz, -1, OP_ID, 1, "double", OP_WRITE));
  op2_flush();
  op2_gbl_get(sum, &value);
  return value;
}

int
main(int argc, char **argv) {
  static double got[N];
  const char *overlap = getenv("OP2_OVERLAP");
  const char *reproducible = getenv("OP2_REPRODUCIBLE");
  bool cuts = !(overlap && !strcmp(overlap, "0")) && !reproducible;
  setenv("OP2_TRIAL", "0", 1);
  check_start(argc, argv);
  declare();
  double first = step();
  for (int n = 1; n < STEPS; n++) CHECK_REAL(step(), first);
  op_fetch_data(dz, got);
  if (check_ir()) {
    CHECK_INT(op2_counter("exchanges_overlapped") > 0, cuts);
    CHECK_INT(op2_counter("trials") > 0, !cuts);
  }
  return check_end();
}
