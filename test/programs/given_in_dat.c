/* A number of levels that lies in a dat, whose loops change it: a kernel's loop over it
 * goes as far as the loops before have set it. */
#include "check.h"

enum { N = 40, MOST = 12, STEPS = 4 };

static int levels = 3;

static void
fill(const double *x, double *y) {
  for (int l = 0; l < levels; l++) y[l] += x[l] + l;
}
static void
more(int *n) {
  *n += 2;
}

int
main(void) {
  static double a[N * MOST], b[N * MOST], want[N * MOST], got[N * MOST];
  char program[] = "given_in_dat", option[] = "OP_NO_REALLOC";
  char *argv[] = {program, option, NULL};
  check_start(2, argv);
  for (int i = 0; i < N * MOST; i++) a[i] = i % 13;
  op_set s = op_decl_set(N, "s"), one = op_decl_set(1, "one");
  op_dat x = op_decl_dat(s, MOST, "double", a, "x");
  op_dat y = op_decl_dat(s, MOST, "double", b, "y");
  for (int k = 0, n = levels; k < STEPS; k++, n += k == 2 ? 0 : 2)
    for (int e = 0; e < N; e++)
      for (int l = 0; l < n; l++) want[e * MOST + l] += a[e * MOST + l] + l;
  op_dat n = NULL;
  for (int k = 0; k < STEPS; k++) { /* from the second step on it is in a dat */
    op_par_loop(fill, "fill", s,
                op_arg_dat(x, -1, OP_ID, MOST, "double", OP_READ),
                op_arg_dat(y, -1, OP_ID, MOST, "double", OP_RW));
    if (!n) n = op_decl_dat(one, 1, "int", &levels, "n");
    if (k != 1)
      op_par_loop(more, "more", one, op_arg_dat(n, -1, OP_ID, 1, "int", OP_RW));
  }
  op_fetch_data(y, got);
  CHECK_REALS(got, want, N * MOST);
  return check_end();
}
