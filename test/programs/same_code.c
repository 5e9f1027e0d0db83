/* Two files of the same text: their kernels' code is equal, and each has a variable
 * of its own, whose value is that of the call. */
#include "check.h"

void scale_a(op_dat x, op_dat y);
void set_factor_a(double to);
void scale_b(op_dat x, op_dat y);
void set_factor_b(double to);

#define FACTOR 2
#define SCALE scale_a
#define SET_FACTOR set_factor_a
#include "more/same_code.h"

enum { N = 21 };

static void
check_factor(op_dat y, double want) {
  double out[N];
  op_fetch_data(y, out);
  for (int e = 0; e < N; e++) CHECK_NEAR(out[e], want * (e + 1), 1e-14);
}

int
main(int argc, char **argv) {
  double ones[N];
  for (int e = 0; e < N; e++) ones[e] = e + 1;
  check_start(argc, argv);
  op_set s = op_decl_set(N, "s");
  op_dat x = op_decl_dat(s, 1, "double", ones, "x");
  op_dat a = op_decl_dat(s, 1, "double", (double *)NULL, "a");
  op_dat b = op_decl_dat(s, 1, "double", (double *)NULL, "b");
  op_dat c = op_decl_dat(s, 1, "double", (double *)NULL, "c");
  scale_a(x, a);
  scale_b(x, b);
  check_factor(a, 2);
  check_factor(b, 3);
  for (int k = 0; k < 4; k++) { /* in one region, also after changes */
    set_factor_a(5 + k);
    scale_a(x, a);
    scale_b(x, b);
    set_factor_b(7 - k);
    scale_b(a, c);
    CHECK_PENDING(3);
    op2_flush();
    check_factor(a, 5 + k);
    check_factor(b, k ? 8 - k : 3);
    check_factor(c, (5 + k) * (7 - k));
  }
  return check_end();
}
