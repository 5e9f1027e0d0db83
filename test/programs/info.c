/* op_arg_info carries a payload with the winner of a MIN or MAX: ties keep the
 * earliest element, no winner leaves it alone. */
#include "check.h"

enum { N = 1000 };

static void
most(const double *v, const int *e, double *max, int *where) {
  if (*v > *max) {
    *max = *v;
    *where = *e;
  }
}
static void
least(const double *v, const int *e, double *min, int *where) {
  if (*v < *min) {
    *min = *v;
    where[0] = *e;
    where[1] = 2 * *e;
  }
}

static op_set s;
static op_dat v;

static int
argmax(double *max, int where) {
  op_par_loop(most, "most", s, op_arg_dat(v, -1, OP_ID, 1, "double", OP_READ),
              op_arg_idx(-1, OP_ID), op_arg_gbl(max, 1, "double", OP_MAX),
              op_arg_info(&where, 1, "int", 2));
  return where;
}

int
main(int argc, char **argv) {
  double init[N], max = -1e30, min = 1e30;
  int pair[2] = {-1, -1};
  check_start(argc, argv);
  for (int e = 0; e < N; e++) init[e] = e % 100; /* 99 and 0: ten times each */
  s = op_decl_set(N, "s");
  v = op_decl_dat(s, 1, "double", init, "v");
  CHECK_INT(argmax(&max, -1), 99);
  CHECK_REAL(max, 99);
  CHECK_INT(argmax(&max, -5), -5); /* nobody beats 99: left alone */
  CHECK_REAL(max, 99);
  max = 98.5;
  CHECK_INT(argmax(&max, 3), 99);
  op_par_loop(least, "least", s, op_arg_dat(v, -1, OP_ID, 1, "double", OP_READ),
              op_arg_idx(-1, OP_ID), op_arg_gbl(&min, 1, "double", OP_MIN),
              op_arg_info(pair, 2, "int", 2));
  CHECK_REAL(min, 0);
  CHECK_INT(pair[0], 0);
  CHECK_INT(pair[1], 0);
  return check_end();
}
