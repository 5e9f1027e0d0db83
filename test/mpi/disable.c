/* op_disable_mpi_reductions: what loops combine stays each rank's own, from the call on
 * and not before, start values included; payloads and handles too.
 *
 * RUN: 2
 * RUN: 3 OP2_REPRODUCIBLE=1
 * RUN: 3 OP2_EAGER=1
 * RUN: 2 OP2_TARGET=opencl
 */
#include "../programs/check.h"

enum { N = 100 };

static void
sum(const double *x, double *s) {
  *s += *x;
}
static void
most(const double *x, const int *i, double *m, int *at) {
  if (*x > *m) {
    *m = *x;
    *at = *i;
  }
}

static op_set s;
static op_dat d;
#define X op_arg_dat(d, -1, OP_ID, 1, "double", OP_READ)

static double
sum_from(double start) {
  op_par_loop(sum, "sum", s, X, op_arg_gbl(&start, 1, "double", OP_INC));
  return start;
}

int
main(int argc, char **argv) {
  double x[N], m = -1, kept;
  int rank, ranks = check_ranks(), at = -1;
  check_start(argc, argv);
  op_rank(&rank);
  for (int i = 0; i < N; i++) x[i] = rank + 1;
  x[7 + rank] = 50 + rank;
  s = op_decl_set(N, "s");
  d = op_decl_dat(s, 1, "double", x, "x");
  double mine = 99 * (rank + 1) + 50 + rank, all = 0;
  for (int r = 0; r < ranks; r++) all += 99 * (r + 1) + 50 + r;
  CHECK_REAL(sum_from(3), 3 + all);
  op2_gbl g = op2_decl_gbl(1, "double", NULL, "g");
  op_par_loop(sum, "sum", s, X, op2_arg_gbl(g, 1, "double", OP_INC));
  op_disable_mpi_reductions(true); /* not of the loop before */
  op2_gbl_get(g, &kept);
  CHECK_REAL(kept, all);
  CHECK_REAL(sum_from(3), 3 + mine);
  op_par_loop(most, "most", s, X, op_arg_idx(-1, OP_ID),
              op_arg_gbl(&m, 1, "double", OP_MAX),
              op_arg_info(&at, 1, "int", 2));
  CHECK_REAL(m, 50 + rank);
  CHECK_INT(at, 7 + rank);
  op_disable_mpi_reductions(false);
  CHECK_REAL(sum_from(0), all);
  if (getenv("OP2_REPRODUCIBLE")) printf("bits %d\n", N);
  return check_end();
}
