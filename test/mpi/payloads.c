/* Extremes with payloads: of equal values that of the first element by global
 * number wins, wherever it lies; nobody better than the start leaves it alone.
 *
 * RUN: 2
 * RUN: 3 SLICE=skew
 * RUN: 4 PART=RANDOM
 * RUN: 7 PART=EXTERNAL OP2_EAGER=1
 * RUN: 2 OP2_TARGET=opencl
 * RUN: 7 OP2_TARGET=opencl PART=EXTERNAL
 * RUN: 3 OP2_TARGET=opencl SLICE=skew OP2_EAGER=1
 */
#include "slice.h"

#include "../programs/check.h"

enum { N = 1000 };

static void
most(const double *v, const int *g, double *max, int *where) {
  for (int c = 0; c < 2; c++)
    if (v[c] > max[c]) {
      max[c] = v[c];
      where[c] = *g;
    }
}

static void
search(op_set s, op_dat v, op_dat g, double *max, int *where) {
  op_par_loop(most, "most", s, op_arg_dat(v, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(g, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(max, 2, "double", OP_MAX),
              op_arg_info(where, 2, "int", 2));
}

int
main(int argc, char **argv) {
  static double init[N][2];
  static int number[N];
  double max[2] = {-1, 500};
  int where[2] = {-7, -7};
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    number[e] = e;
    init[e][0] = e % 250 == 249 ? 9 : e % 9;
    init[e][1] = e;
  }
  op_set s = op_decl_set(N, "s");
  op_dat v = op_decl_dat(s, 2, "double", &init[0][0], "v");
  op_dat g = op_decl_dat(s, 1, "int", number, "g");
  search(s, v, g, max, where);
  CHECK_REAL(max[0], 9);
  CHECK_INT(where[0], 249);
  CHECK_REAL(max[1], 999);
  CHECK_INT(where[1], 999);
  max[1] = 1e6;
  where[0] = where[1] = 3;
  search(s, v, g, max, where);
  CHECK_INT(where[0], 3);
  CHECK_INT(where[1], 3);
  CHECK_REAL(max[1], 1e6);
  return check_end();
}
