/* Scans over more columns than are gone along at once: panels and what is left behind
 * them, in numbers of 4 and 8 bytes and of two components, forth and back, by scans of
 * one region. Exact: integers in each type. */
#include "check.h"

enum { NI = 23, NJ = 19, NK = 5, PLANE = NI * NJ, N = PLANE * NK };

static int grown[N], left[N], twice[N];
static void
grow(const int *x, const int *below, int *sum) {
  *sum = *x + 2 * *below;
}
static void
start(const int *x, int *sum) {
  *sum = *x;
}
static void
shrink(const float *x, const float *above, float *sum) {
  *sum = *x - *above;
}
static void
pair_up(const int *x, const double *above, double *sum) {
  sum[0] = above[0] + *x;
  sum[1] = above[1] - 2 * *x;
}

static int
value(int e) {
  return e * 7 % 31 - 12;
}

#define OWN(d, n, type, acc) op_arg_dat(d, -1, OP_ID, n, type, acc)
#define LAYER(d, by, n, type) op2_arg_dat_layer(d, by, n, type, OP_READ)

/* grown upwards, and downwards what is left of it and what adds up. */
static void
expect(void) {
  for (int e = 0; e < PLANE; e++) {
    for (int k = 0; k < NK; k++) {
      int at = e + k * PLANE;
      grown[at] = value(at) + (k ? 2 * grown[at - PLANE] : 0);
    }
    for (int k = NK - 2; k >= 0; k--) {
      int at = e + k * PLANE;
      left[at] = value(at) - left[at + PLANE];
      twice[at] = twice[at + PLANE] + value(at);
    }
  }
}

int
main(int argc, char **argv) {
  static int x[N], out[N], lowest[PLANE];
  static float fx[N], fout[N];
  static double pairs[2 * N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) fx[e] = (float)(x[e] = value(e));
  for (int e = 0; e < PLANE; e++) lowest[e] = e;
  op_set box = op2_decl_box(3, (idx_g_t[]){NI, NJ, NK}, NULL, "box");
  op_set bottom = op2_decl_subset(box, PLANE, lowest, "bottom");
  op_dat in = op_decl_dat(box, 1, "int", x, "in");
  op_dat fin = op_decl_dat(box, 1, "float", fx, "fin");
  op_dat sum = op_decl_dat(box, 1, "int", out, "sum");
  op_dat fsum = op_decl_dat(box, 1, "float", fout, "fsum");
  op_dat both = op_decl_dat(box, 2, "double", pairs, "both");
  op2_par_loop_scan(start, "start", bottom, OP2_FORWARD,
                    OWN(in, 1, "int", OP_READ), OWN(sum, 1, "int", OP_WRITE));
  op2_par_loop_scan(grow, "grow", box, OP2_FORWARD, OWN(in, 1, "int", OP_READ),
                    LAYER(sum, -1, 1, "int"), OWN(sum, 1, "int", OP_WRITE));
  op2_par_loop_scan(shrink, "shrink", box, OP2_BACKWARD,
                    OWN(fin, 1, "float", OP_READ), LAYER(fsum, 1, 1, "float"),
                    OWN(fsum, 1, "float", OP_WRITE));
  op2_par_loop_scan(pair_up, "pair_up", box, OP2_BACKWARD,
                    OWN(in, 1, "int", OP_READ), LAYER(both, 1, 2, "double"),
                    OWN(both, 2, "double", OP_WRITE));
  op_fetch_data(sum, out);
  op_fetch_data(fsum, fout);
  op_fetch_data(both, pairs);
  expect();
  for (int e = 0; e < N; e++) {
    CHECK_INT(out[e], grown[e]);
    CHECK_REAL(fout[e], left[e]);
    CHECK_REAL(pairs[2 * e], twice[e]);
    CHECK_REAL(pairs[2 * e + 1], -2 * twice[e]);
  }
  return check_end();
}
