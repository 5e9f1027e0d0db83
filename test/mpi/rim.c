/* A loop that adds to a dat directly, while it runs farther out than the dat is
 * right, leaves it right no farther than it was.
 *
 * RUN: 2
 * RUN: 3 OP2_RENUMBER=bisect PART=RANDOM
 * RUN: 3 PART=RANDOM
 * RUN: 3 OP2_HALO_LIMIT=4
 */
#include "slice.h"

#include "../programs/check.h"

enum { N = 60 };

static void
around(const double *a, double *left, double *right) {
  *left += *a;
  *right += *a;
}

static void
both(const double *a, double *mine, double *left, double *right) {
  *mine += *a;
  *left += *a;
  *right += *a;
}

#define VIA(dat, i) op_arg_dat(dat, i, ring, 1, "double", OP_INC)
#define OWN(dat, acc) op_arg_dat(dat, -1, OP_ID, 1, "double", acc)

static double
neighbours(const double *v, int i) {
  return v[(i + N - 1) % N] + v[(i + 1) % N];
}

int
main(int argc, char **argv) {
  int link[2 * N];
  double a0[N], zero[N] = {0}, sum[N], out[N];
  check_start(argc, argv);
  for (int i = 0; i < N; i++) {
    link[2 * i] = (i + N - 1) % N;
    link[2 * i + 1] = (i + 1) % N;
    a0[i] = i % 7;
  }
  op_set s = op_decl_set(N, "s");
  op_map ring = op_decl_map(s, s, 2, link, "ring");
  op_dat a = op_decl_dat(s, 1, "double", a0, "a");
  op_dat b = op_decl_dat(s, 1, "double", zero, "b");
  op_dat c = op_decl_dat(s, 1, "double", zero, "c");
  op_dat d = op_decl_dat(s, 1, "double", zero, "d");
  op_par_loop(around, "first", s, OWN(a, OP_READ), VIA(b, 0), VIA(b, 1));
  op2_flush(); /* b is right on own elements */
  op_par_loop(both, "both", s, OWN(a, OP_READ), OWN(b, OP_INC), VIA(c, 0),
              VIA(c, 1));
  op2_flush(); /* and still is, though the loop ran beyond them */
  op_par_loop(around, "last", s, OWN(b, OP_READ), VIA(d, 0), VIA(d, 1));
  op_fetch_data(d, out);
  for (int i = 0; i < N; i++) sum[i] = a0[i] + neighbours(a0, i);
  for (int i = 0; i < N; i++) CHECK_NEAR(out[i], neighbours(sum, i), 0);
  return check_end();
}
